//! Batches compared with the one-shot functions.

use crate::common;
use proptest::prelude::*;
use residue::batch::{self, Packets, Spans};
use residue::internals::{self, Family, Kernel, ValueEncoding, Visitor};
use residue::{Error, crc32c, internet};
use residue_testing::{Random, noise};

/// The bytes that packets are cut from.
const BYTES: usize = 40_000;

/// Lengths: mostly of small packets, sometimes of a long one.
fn length() -> impl Strategy<Value = u32> {
    prop_oneof![20 => 0u32..=200, 5 => 200u32..1600, 1 => 1600u32..20_000]
}

fn spans() -> impl Strategy<Value = Vec<(u32, u32)>> {
    let span = (any::<prop::sample::Index>(), length())
        .prop_map(|(at, length)| (at.index(BYTES - length as usize + 1) as u32, length));
    // Includes runs of equal lengths, as of packets of one kind.
    let runs = prop::collection::vec((span, 1usize..12), 0..60);
    runs.prop_map(|runs| {
        let run = |((start, length), times): &((u32, u32), usize)| {
            let (start, length) = (*start, *length);
            (0..*times as u32)
                .map(move |i| ((start + 7 * i).min(BYTES as u32 - length), length))
                .collect::<Vec<_>>()
        };
        runs.iter().flat_map(run).collect()
    })
}

/// Codes with and without kernels for batches, and one whose values differ from its family's.
const CODES: [&str; 7] = [
    "internet",
    "adler-32",
    "iso-8473",
    "crc-32/iscsi",
    "crc-64/nvme",
    "crc-16/arc",
    "crc-82/darc",
];

fn check(base: &[u8], spans: &[(u32, u32)]) {
    let packets: Vec<&[u8]> =
        spans.iter().map(|&(start, length)| &base[start as usize..][..length as usize]).collect();
    let spans = Spans::new(base, spans).expect("inside");
    for form in [Packets::from(&packets[..]), Packets::from(spans)] {
        assert_eq!((form.len(), form.is_empty()), (packets.len(), packets.is_empty()));
        macro_rules! check {
            ($($name:ident: $single:expr;)*) => {$(
                let mut values = vec![0; packets.len()];
                assert_eq!(batch::$name(form, &mut values), Ok(()));
                assert!(values.iter().copied().eq(packets.iter().map(|packet| $single(packet))));
            )*};
        }
        check! {
            internet: internet::checksum;
            crc32c: crc32c;
        }
        for name in CODES {
            let code = common::code(name);
            let mut values = vec![0; packets.len()];
            assert_eq!(batch::each(&code, form, &mut values), Ok(()));
            let single: Vec<u128> = packets.iter().map(|packet| code.value(packet)).collect();
            assert_eq!(values, single, "{name}");
        }
    }
}

proptest! {
    #![proptest_config(common::cases(256, 8))]

    #[test]
    fn batches_of_any_packets(spans in spans()) {
        check(&noise(BYTES), &spans);
    }
}

#[test]
fn every_length_among_others() {
    let base = noise(BYTES);
    let mixed: Vec<(u32, u32)> = (0..=300).map(|length| (3 * length, length)).collect();
    check(&base, &mixed);
    for length in 0..=200 {
        check(&base, &[(length, length); 19]);
    }
}

#[test]
fn errors_say_what_and_where() {
    let packets: [&[u8]; 2] = [b"123456789", b""];
    let error = Error::BatchLength { packets: 2, values: 3 };
    assert_eq!(error.to_string(), "a batch of 2 packets needs 2 places for their values, not 3");
    let mut values = [7; 3];
    assert_eq!(batch::internet(&packets, &mut values), Err(error));
    assert_eq!(values, [7; 3], "nothing is written");
    assert_eq!(batch::crc32c(&packets, &mut [0; 3]), Err(error));
    assert_eq!(batch::each(&common::code("xns"), &packets, &mut [0; 3]), Err(error));
    let too_few = Error::BatchLength { packets: 2, values: 1 };
    assert_eq!(batch::crc32c(&packets, &mut [0]), Err(too_few));
    assert_eq!(batch::internet(&[], &mut []), Ok(()));

    let spans = |spans| Spans::new(b"1234", spans).map(drop);
    assert_eq!(spans(&[(0, 4), (4, 0)]), Ok(()));
    let outside = |index, start, length| Err(Error::SpanOutside { index, start, length, bytes: 4 });
    assert_eq!(spans(&[(0, 4), (2, 3)]), outside(1, 2, 3));
    assert_eq!(spans(&[(5, 0)]), outside(0, 5, 0));
    assert_eq!(spans(&[(u32::MAX, u32::MAX)]), outside(0, u32::MAX, u32::MAX));
    let error = Spans::new(b"123456789", &[(0, 9), (8, 2)]).map(drop).expect_err("outside");
    assert_eq!(error.to_string(), "span 1 (2 bytes at byte 8) reaches past its buffer of 9 bytes");
}

/// Returns batches that differ in number and in lengths.
fn batches(random: &mut Random) -> Vec<Vec<usize>> {
    let mut batches = Vec::new();
    for count in (0..=40).chain([64, 255, 256, 257, 300]) {
        // Mixed, all alike, short, one long packet among short ones, long enough for the single
        // kernels, empty.
        batches.push((0..count).map(|_| random.below(301)).collect());
        let length = random.below(140);
        batches.push(vec![length; count]);
        batches.push((0..count).map(|_| random.below(20)).collect());
        let long = random.below(count + 1);
        let lengths = |i| if i == long { 70_001 } else { 20 + i % 45 };
        batches.push((0..count).map(lengths).collect());
        batches.push(vec![0; count]);
    }
    batches.extend(
        (0..=140).chain([511, 512, 513, 514, 1022, 1023, 1024]).map(|length| vec![length; 17]),
    );
    for length in 0..=700 {
        // Four alike, and four that begin at other places of a vector, the last one with more
        // vectors; then packets of all lengths around the end of those that run side by side.
        batches.push(vec![length; 4]);
        batches.push(vec![length, length + 1, length + 31, length + random.below(400)]);
    }
    batches.extend((1..=40).map(|count| (0..count).map(|_| 1900 + random.below(300)).collect()));
    batches.push((0..300).map(|_| [40, 576, 1500][random.below(3)]).collect());
    batches
}

/// Runs the body for batches of every kernel of the codes it visits, and counts the batches.
struct Batches {
    base: Vec<u8>,
    random: Random,
    count: usize,
}

impl Visitor for Batches {
    fn table<F: Family<Value: Into<u128>>>(
        &mut self,
        kernels: &'static [Kernel<F>],
        context: impl FnOnce() -> F::Context,
        _: ValueEncoding,
    ) {
        let context = context();
        let plain = kernels.last().and_then(Kernel::force).expect("it runs on any CPU");
        for lengths in batches(&mut self.random) {
            let spans: Vec<(u32, u32)> = lengths
                .iter()
                .map(|&length| {
                    let start = self.random.below(self.base.len() - length + 1);
                    (start as u32, length as u32)
                })
                .collect();
            let packet =
                |&(start, length): &(u32, u32)| &self.base[start as usize..][..length as usize];
            let slices: Vec<&[u8]> = spans.iter().map(packet).collect();
            let expected: Vec<F::Value> =
                slices.iter().map(|packet| plain.value(&context, packet)).collect();
            let spans = Spans::new(&self.base, &spans).expect("inside");
            for (name, forced) in common::forced(kernels) {
                let mut more = vec![plain.value(&context, &[]); lengths.len() + 1];
                assert!(forced.batch(&context, spans.into(), &mut more).is_none(), "{name}");
                for packets in [Packets::from(&slices[..]), Packets::from(spans)] {
                    let mut values = vec![plain.value(&context, &[]); lengths.len()];
                    if forced.batch(&context, packets, &mut values).is_some() {
                        self.count += 1;
                        assert_eq!(values, expected, "{name} of {lengths:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn every_kernel_for_batches_gives_single_values() {
    for code in ["internet", "crc-32c"].map(common::code) {
        for fill in common::thinned([None, Some(0xff), Some(0)].into_iter(), 3) {
            let base = fill.map_or_else(|| noise(140_000), |fill| vec![fill; 140_000]);
            let mut batches = Batches { base, random: Random(1), count: 0 };
            internals::visit(&code, &mut batches);
            assert!(batches.count > 0, "{code}");
        }
    }
}
