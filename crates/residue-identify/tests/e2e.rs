//! The profiles of AUTOSAR's E2E protection: what is covered and not sent, a data ID, is found as a
//! constant.

use residue::Code;
use residue_identify::{Certainty, Options, Sample, Samples, identify, locate};
use residue_testing::Random;

/// A profile: its name, the bytes of the value, and a function that protects data.
struct Profile {
    name: &'static str,
    at: usize,
    bytes: usize,
    protect: fn(counter: u8, data: &[u8]) -> Vec<u8>,
}

fn value(code: &str, data: &[u8]) -> u128 {
    code.parse::<Code>().unwrap().value(data)
}

const PROFILES: [Profile; 6] = [
    Profile {
        name: "P01",
        at: 0,
        bytes: 1,
        // CRC-8 of SAE J1850 with start and final exclusive or that cancel, over both bytes of the
        // data ID, then the data.
        protect: |counter, data| {
            let rest = [&[counter & 15], data].concat();
            let all = [&[0x23, 0x01], &rest[..]].concat();
            let crc = value("width=8,poly=1d", &all);
            [&[crc as u8], &rest[..]].concat()
        },
    },
    Profile {
        name: "P02",
        at: 0,
        bytes: 1,
        protect: |counter, data| {
            let rest = [&[counter & 15], data].concat();
            let id = [7, 200, 31, 99, 5, 180, 61, 77, 17, 2, 250, 130, 43, 90, 111, 222];
            let all = [&rest[..], &[id[usize::from(counter & 15)]]].concat();
            [&[value("crc-8/autosar", &all) as u8], &rest[..]].concat()
        },
    },
    Profile {
        name: "P04",
        at: 8,
        bytes: 4,
        protect: |counter, data| {
            let head = [0, data.len() as u8 + 12, 0, counter, 0x0a, 0x0b, 0x0c, 0x0d];
            let crc = value("crc-32/autosar", &[&head[..], data].concat()) as u32;
            [&head[..], &crc.to_be_bytes(), data].concat()
        },
    },
    Profile {
        name: "P05",
        at: 0,
        bytes: 2,
        protect: |counter, data| {
            let rest = [&[counter], data].concat();
            let crc = value("crc-16/ibm-3740", &[&rest[..], &[0x34, 0x12]].concat()) as u16;
            [&crc.to_le_bytes(), &rest[..]].concat()
        },
    },
    Profile {
        name: "P06",
        at: 0,
        bytes: 2,
        protect: |counter, data| {
            let rest = [&[0, data.len() as u8 + 5, counter], data].concat();
            let crc = value("crc-16/ibm-3740", &[&rest[..], &[0x12, 0x34]].concat()) as u16;
            [&crc.to_be_bytes(), &rest[..]].concat()
        },
    },
    Profile {
        name: "P07",
        at: 0,
        bytes: 8,
        protect: |counter, data| {
            let length = data.len() as u8 + 20;
            let head = [0, 0, 0, length, 0, 0, 0, counter, 0x0a, 0x0b, 0x0c, 0x0d];
            let rest = [&head[..], data].concat();
            [&(value("crc-64/xz", &rest) as u64).to_be_bytes(), &rest[..]].concat()
        },
    },
];

fn messages(profile: &Profile, lengths: &[usize], random: &mut Random) -> Vec<Vec<u8>> {
    let protect =
        |(counter, &length): (u8, &usize)| (profile.protect)(counter, &random.bytes(length));
    (0..).zip(lengths).map(protect).collect()
}

const LENGTHS: [&[usize]; 2] = [
    &[7; 40],
    &[
        7, 9, 12, 7, 7, 8, 15, 20, 7, 30, 7, 7, 7, 7, 9, 9, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
        7, 7, 7, 7,
    ],
];

#[test]
fn samples_of_every_profile() {
    let mut random = Random(1);
    for profile in &PROFILES {
        for lengths in LENGTHS {
            let list = messages(profile, lengths, &mut random).into_iter().map(|mut message| {
                let value = message.drain(profile.at..profile.at + profile.bytes);
                let value = value.fold(0, |value, byte| value << 8 | u128::from(byte));
                Sample { message, value }
            });
            let samples = Samples::new(list.collect(), 8 * profile.bytes as u32, true).unwrap();
            let report = identify(&samples, &Options::default()).unwrap();
            assert_eq!(report.certainty(), Certainty::Found, "{}: {report:?}", profile.name);
            for mut message in messages(profile, &[7; 16], &mut random) {
                let value = message.drain(profile.at..profile.at + profile.bytes);
                let value = value.fold(0, |value, byte| value << 8 | u128::from(byte));
                let found = report.hits[0].field(&message, samples.bits());
                assert_eq!(found, Some(value), "{}: {:?}", profile.name, report.hits[0]);
            }
        }
    }
}

#[test]
#[ignore = "long"]
fn frames_of_every_profile() {
    let mut random = Random(2);
    for profile in &PROFILES {
        for lengths in LENGTHS {
            let located = locate(&messages(profile, lengths, &mut random), false).unwrap();
            assert!(located.convincing(), "{}: {located:?}", profile.name);
            for message in messages(profile, &[7; 16], &mut random) {
                let value = &message[profile.at..profile.at + profile.bytes];
                let value = value.iter().fold(0, |value, &byte| value << 8 | u128::from(byte));
                let spot = &located.spots[0];
                assert_eq!(spot.expected(&message), Some(value), "{}: {spot:?}", profile.name);
            }
        }
    }
}

/// A value that is combined with a counter, which the message holds.
#[test]
fn a_value_exclusive_or_a_counter() {
    let mut random = Random(3);
    for (code, bits) in [("crc-8/smbus", 8), ("sum-8", 8), ("crc-16/xmodem", 16)] {
        for half in [0xff, 0x0f] {
            let sample = |counter: u8| {
                let message = [&random.bytes(6)[..], &[counter.wrapping_mul(7)]].concat();
                let value = value(code, &message) ^ u128::from(message[6] & half);
                Sample { message, value }
            };
            let samples = Samples::new((1..20).map(sample).collect(), bits, false).unwrap();
            let report = identify(&samples, &Options::default()).unwrap();
            assert_eq!(report.certainty(), Certainty::Found, "{code} {half:x}: {report:?}");
            let message = random.bytes(7);
            let right = value(code, &message) ^ u128::from(message[6] & half);
            assert_eq!(report.hits[0].field(&message, bits), Some(right), "{code} {half:x}");
        }
    }
}
