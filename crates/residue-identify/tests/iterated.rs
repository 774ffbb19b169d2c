//! Sums and hash functions with a start, a rotation, a multiplier or an exclusive or that nobody
//! named.

use residue_identify::{Certainty, Found, Kind, Options, Sample, Samples, Step, identify};
use residue_testing::Random;

/// Returns samples of these lengths.
fn samples(
    lengths: &[usize],
    bits: u32,
    random: &mut Random,
    value: impl Fn(&[u8]) -> u128,
) -> Samples {
    let sample = |&length: &usize| {
        let message = random.bytes(length);
        Sample { value: value(&message), message }
    };
    let list = lengths.iter().map(sample).collect();
    Samples::new(list, bits, false).unwrap()
}

/// Lengths that are equal, and that are not.
const LENGTHS: [&[usize]; 3] = [&[12; 8], &[3, 5, 9, 17, 6, 8, 30], &[8, 8, 9, 8, 10, 8, 8, 11, 8]];

/// Returns the kind of sum that is found first, and checks that it has the values of other
/// messages.
#[track_caller]
fn found(samples: &Samples, value: impl Fn(&[u8]) -> u128, about: &str) -> Kind {
    let report = identify(samples, &Options::default()).unwrap();
    let list: Vec<String> = report.hits.iter().map(|hit| format!("{hit:?}")).collect();
    assert_eq!(report.certainty(), Certainty::Found, "{about}: {list:?}");
    let hit = &report.hits[0];
    let mut random = Random(99);
    for length in [4, 12, 40] {
        let message = random.bytes(length);
        let own = hit.field(&message, samples.bits());
        assert_eq!(own, Some(value(&message)), "{about}: {hit:?}");
    }
    match &hit.found {
        Found::Sum(model) => model.kind,
        other => panic!("{about}: {other:?}"),
    }
}

#[test]
fn sums_with_a_final_exclusive_or() {
    let mut random = Random(1);
    for bits in [8, 16, 24, 32, 64] {
        let mask = u128::MAX >> (128 - bits);
        for lengths in LENGTHS {
            // Short messages do not show the highest bits of both in wider values.
            let start = if bits == 8 { u128::from(random.next()) & mask } else { 0 };
            let xorout = u128::from(random.next()) & (mask >> 1) | 1;
            let sum = |m: &[u8]| {
                let sum = m.iter().fold(start, |sum, &byte| sum + u128::from(byte));
                (sum & mask) ^ xorout
            };
            let about = format!("{bits} bits, start {start:x}, xorout {xorout:x}, {lengths:?}");
            found(&samples(lengths, bits, &mut random, sum), sum, &about);
        }
    }
}

#[test]
fn rotations_of_any_width_and_direction() {
    let mut random = Random(2);
    for bits in [8_u32, 16, 32] {
        let mask = u128::MAX >> (128 - bits);
        let rotated = |h: u128, by: u32| (h << by | h >> (bits - by)) & mask;
        for lengths in LENGTHS {
            for by in [1, 3, bits - 1] {
                let start = u128::from(random.next()) & mask;
                let complement = if random.next().is_multiple_of(2) { 0 } else { mask };
                for which in 0..4 {
                    let step = |h: u128, &byte: &u8| match which {
                        0 => rotated(h, by) ^ u128::from(byte),
                        1 => rotated(h ^ u128::from(byte), by),
                        2 => (rotated(h, by) + u128::from(byte)) & mask,
                        _ => rotated((h + u128::from(byte)) & mask, by),
                    };
                    let value = |m: &[u8]| m.iter().fold(start, step) ^ complement;
                    let about = format!("{bits} bits, {which}, by {by}, {lengths:?}");
                    found(&samples(lengths, bits, &mut random, value), value, &about);
                }
            }
        }
    }
}

/// Multipliers with a name and without, with a start, of a word or of its lowest bits.
#[test]
fn multiplications() {
    let mut random = Random(3);
    for bits in [8_u32, 16, 32, 64] {
        let mask = u128::MAX >> (128 - bits);
        for lengths in LENGTHS {
            for named in [true, false] {
                let m = if named { 31 } else { u128::from(random.next()) & mask | 1 };
                let start = u128::from(random.next()) & mask;
                for which in 0..3 {
                    let step = |h: u128, &byte: &u8| {
                        let d = u128::from(byte);
                        match which {
                            0 => h.wrapping_mul(m).wrapping_add(d) & mask,
                            1 => (h.wrapping_mul(m) ^ d) & mask,
                            _ => (h ^ d).wrapping_mul(m) & mask,
                        }
                    };
                    let value = |message: &[u8]| message.iter().fold(start, step);
                    let about = format!("{bits} bits, {which}, m {m:x}, {lengths:?}");
                    let kind = found(&samples(lengths, bits, &mut random, value), value, &about);
                    let Kind::Iterated { step, .. } = kind else { panic!("{about}: {kind:?}") };
                    let of = match step {
                        Step::TimesAdd(of) | Step::TimesXor(of) | Step::XorTimes(of) => of,
                        _ => panic!("{about}: {step}"),
                    };
                    assert_eq!(of & mask, m & mask, "{about}");
                }
            }
        }
    }
}

/// Every second byte, halves of bytes, digits as characters, values with swapped halves.
#[test]
fn other_numbers_are_fed_and_written() {
    let mut random = Random(4);
    let crc: residue::Code = "crc-8/smbus".parse().unwrap();
    let sum = |data: &mut dyn Iterator<Item = u8>| data.map(u128::from).sum::<u128>();
    type Value<'a> = Box<dyn Fn(&[u8]) -> u128 + 'a>;
    let values: Vec<(&str, u32, Value<'_>)> = vec![
        ("even", 8, Box::new(|m| sum(&mut m.iter().step_by(2).copied()) & 0xff)),
        ("odd", 16, Box::new(|m| sum(&mut m.iter().skip(1).step_by(2).copied()) & 0xffff ^ 0xffff)),
        ("halves", 8, Box::new(|m| sum(&mut m.iter().flat_map(|b| [b >> 4, b & 15])) & 0xff)),
        (
            "crc of halves swapped",
            8,
            Box::new(|m| crc.value(m).rotate_left(4) & 0xff | crc.value(m) >> 4),
        ),
        (
            "sum, halves swapped",
            8,
            Box::new(|m| {
                let sum = sum(&mut m.iter().copied()) & 0xff;
                sum << 4 & 0xff | sum >> 4
            }),
        ),
    ];
    for (about, bits, value) in &values {
        for lengths in [&[12; 12][..], &[9, 13, 8, 21, 30, 17, 16, 12, 14]] {
            let samples = samples(lengths, *bits, &mut random, value);
            let report = identify(&samples, &Options::default()).unwrap();
            assert_eq!(report.certainty(), Certainty::Found, "{about}: {report:?}");
            let message = random.bytes(50);
            let own = report.hits[0].field(&message, *bits);
            assert_eq!(own, Some(value(&message)), "{about}: {:?}", report.hits[0]);
        }
    }
}

/// Records of Intel and Motorola, and sentences of NMEA 0183, are text: so are their values.
#[test]
fn digits_as_text() {
    let mut random = Random(5);
    let upper = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02X}")).collect::<String>();
    let total = |bytes: &[u8]| bytes.iter().fold(0_u8, |sum, &byte| sum.wrapping_add(byte));
    let number = |byte: u8| {
        let text = format!("{byte:02X}");
        u128::from(text.as_bytes()[0]) << 8 | u128::from(text.as_bytes()[1])
    };
    let mut formats: [Vec<Sample>; 3] = Default::default();
    for i in 0..8 {
        let data = random.bytes(if i < 6 { 16 } else { 7 });
        let head = [data.len() as u8, i, (random.next() & 0xf0) as u8, 0];
        let record = [&head[..], &data].concat();
        let message = format!(":{}", upper(&record)).into_bytes();
        formats[0].push(Sample { message, value: number(total(&record).wrapping_neg()) });
        let record = [&[data.len() as u8 + 3, i, 0][..], &data].concat();
        let message = format!("S1{}", upper(&record)).into_bytes();
        formats[1].push(Sample { message, value: number(!total(&record)) });
        let [a, b] = [random.next() % 9000, random.next() % 99];
        let sentence = format!("GPGLL,{a}.{b},N,{},W,{i},A", random.next() % 18_000);
        let xor = sentence.bytes().fold(0, |xor, byte| xor ^ byte);
        formats[2]
            .push(Sample { message: format!("${sentence}*").into_bytes(), value: number(xor) });
    }
    for list in formats {
        let text = String::from_utf8_lossy(&list[0].message).into_owned();
        let samples = Samples::new(list, 16, true).unwrap();
        let digits = samples.from_digits().unwrap();
        assert_eq!(digits.bits(), 8);
        let report = identify(&digits, &Options::default()).unwrap();
        assert_eq!(report.certainty(), Certainty::Found, "{text}: {report:?}");
    }
    // One value that is no text: not digits.
    let list = vec![
        Sample { message: vec![1], value: 0x3132 },
        Sample { message: vec![2], value: 0x3100 },
    ];
    assert_eq!(Samples::new(list, 16, true).unwrap().from_digits(), None);
}
