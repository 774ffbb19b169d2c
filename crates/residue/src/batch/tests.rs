//! Every form of batch, compared with single calls.

use super::*;
use crate::kernel::Kernel;
use crate::sums::internet::Internet;
use std::vec::Vec;

/// A generator of numbers without a pattern.
struct Noise(u64);

impl Noise {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as usize % end
    }
}

/// Returns batches that differ in number and in lengths.
fn batches(noise: &mut Noise) -> Vec<Vec<usize>> {
    let mut batches = Vec::new();
    for count in (0..=40).chain([64, 255, 256, 257, 300]) {
        // Mixed, all alike, short, one long packet among short ones, long enough for the single
        // kernels, empty.
        batches.push((0..count).map(|_| noise.below(301)).collect());
        let length = noise.below(140);
        batches.push(std::vec![length; count]);
        batches.push((0..count).map(|_| noise.below(20)).collect());
        let long = noise.below(count + 1);
        let lengths = |i| if i == long { 70_001 } else { 20 + i % 45 };
        batches.push((0..count).map(lengths).collect());
        batches.push(std::vec![0; count]);
    }
    batches.extend(
        (0..=140).chain([511, 512, 513, 514, 1022, 1023, 1024]).map(|length| std::vec![length; 17]),
    );
    for length in 0..=700 {
        // Four alike, and four that begin at other places of a vector, the last one with more
        // vectors; then packets of all lengths around the end of those that run side by side.
        batches.push(std::vec![length; 4]);
        batches.push(std::vec![length, length + 1, length + 31, length + noise.below(400)]);
    }
    batches.extend((1..=40).map(|count| (0..count).map(|_| 1900 + noise.below(300)).collect()));
    batches.push((0..300).map(|_| [40, 576, 1500][noise.below(3)]).collect());
    batches
}

fn compare<F: Family<With = (), Value: Default>>(
    kernels: &[Kernel<F>],
    single: impl Fn(&[u8]) -> F::Value,
) {
    let mut batched = 0;
    let mut noise = Noise(0x9e37_79b9_7f4a_7c15);
    let mut base: Vec<u8> = (0..140_000).map(|_| noise.below(256) as u8).collect();
    for fill in [None, Some(0xff), Some(0)] {
        if let Some(fill) = fill {
            base.fill(fill);
        }
        for lengths in batches(&mut noise) {
            let spans: Vec<(u32, u32)> = lengths
                .iter()
                .map(|&length| (noise.below(base.len() - length + 1) as u32, length as u32))
                .collect();
            let packet = |&(start, length): &(u32, u32)| &base[start as usize..][..length as usize];
            let slices: Vec<&[u8]> = spans.iter().map(packet).collect();
            let expected: Vec<F::Value> = slices.iter().map(|packet| single(packet)).collect();
            let spans = Spans::new(&base, &spans).expect("inside");
            for kernel in kernels {
                let Some(forced) = kernel.force() else {
                    continue;
                };
                for packets in [Packets::from(&slices[..]), Packets::from(spans)] {
                    let mut values = std::vec![F::Value::default(); lengths.len()];
                    if forced.batch(&(), packets, &mut values).is_some() {
                        batched += 1;
                        let name = kernel.info().name;
                        assert_eq!(values, expected, "{name} of {fill:x?}, {lengths:?}");
                    }
                }
            }
        }
    }
    assert!(batched > 0);
}

#[test]
#[cfg_attr(miri, ignore = "millions of bytes")]
fn internet_checksums_are_those_of_single_packets() {
    compare::<Internet>(crate::sums::internet::KERNELS, crate::sums::internet::reference);
}

#[test]
#[cfg_attr(miri, ignore = "millions of bytes")]
fn crcs_are_those_of_single_packets() {
    compare(crate::crc::crc32c::KERNELS, crate::crc::crc32c::crc32c);
}

#[test]
fn any_code() {
    let packets: Vec<&[u8]> = (0..300).map(|i| &b"a batch of packets"[i % 3..3 + i % 16]).collect();
    for name in ["internet", "crc-32/iscsi", "crc-64/nvme", "adler-32", "iso-8473", "crc-82/darc"] {
        let code: Code = name.parse().expect("a code");
        let mut values = [0; 300];
        assert_eq!(each(&code, &packets[..], &mut values), Ok(()));
        let single: Vec<u128> = packets.iter().map(|packet| code.value(packet)).collect();
        assert_eq!(values[..], single, "{name}");
    }
}

#[test]
fn wrong_batches_are_refused_before_any_work() {
    let packets: [&[u8]; 2] = [b"1", b"2"];
    let expected = Err(Error::BatchLength { packets: 2, values: 3 });
    let mut values = [7; 3];
    assert_eq!(internet(&packets, &mut values), expected);
    assert_eq!(values, [7; 3]);
    assert_eq!(crc32c(&packets, &mut [0; 3]), expected);
    let code: Code = "xns".parse().expect("a code");
    assert_eq!(each(&code, &packets, &mut [0; 3]), expected);

    assert!(Spans::new(b"1234", &[(0, 4), (4, 0)]).is_ok());
    let outside = |spans| Spans::new(b"1234", spans).map(|_| ());
    let error = |index, start, length| Err(Error::SpanOutside { index, start, length, bytes: 4 });
    assert_eq!(outside(&[(0, 4), (2, 3)]), error(1, 2, 3));
    assert_eq!(outside(&[(5, 0)]), error(0, 5, 0));
    assert_eq!(outside(&[(u32::MAX, u32::MAX)]), error(0, u32::MAX, u32::MAX));
}
