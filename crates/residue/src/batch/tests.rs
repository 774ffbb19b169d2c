//! Every form of batch, compared with single calls.

use super::*;
use crate::kernel::Kernel;
use crate::sums::internet::Internet;
use residue_testing::Random;
use std::vec::Vec;

/// Returns batches that differ in number and in lengths.
fn batches(random: &mut Random) -> Vec<Vec<usize>> {
    let mut batches = Vec::new();
    for count in (0..=40).chain([64, 255, 256, 257, 300]) {
        // Mixed, all alike, short, one long packet among short ones, long enough for the single
        // kernels, empty.
        batches.push((0..count).map(|_| random.below(301)).collect());
        let length = random.below(140);
        batches.push(std::vec![length; count]);
        batches.push((0..count).map(|_| random.below(20)).collect());
        let long = random.below(count + 1);
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
        batches.push(std::vec![length, length + 1, length + 31, length + random.below(400)]);
    }
    batches.extend((1..=40).map(|count| (0..count).map(|_| 1900 + random.below(300)).collect()));
    batches.push((0..300).map(|_| [40, 576, 1500][random.below(3)]).collect());
    batches
}

fn compare<F: Family<Context = (), Value: Default>>(
    kernels: &[Kernel<F>],
    single: impl Fn(&[u8]) -> F::Value,
) {
    let mut batched = 0;
    let mut random = Random(1);
    let mut base: Vec<u8> = (0..140_000).map(|_| random.below(256) as u8).collect();
    for fill in [None, Some(0xff), Some(0)] {
        if let Some(fill) = fill {
            base.fill(fill);
        }
        for lengths in batches(&mut random) {
            let spans: Vec<(u32, u32)> = lengths
                .iter()
                .map(|&length| (random.below(base.len() - length + 1) as u32, length as u32))
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
