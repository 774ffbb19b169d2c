//! Tests of translated captures.

use residue_fixtures::{Case, Format};
use residue_net::check::Verdict;
use residue_net::nat::{End, Mapping, translate};
use residue_net::verify;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

fn verdicts(file: &[u8]) -> Vec<(u64, &'static str, Verdict)> {
    let mut verdicts = Vec::new();
    verify::capture(file, |buffer| {
        verdicts.extend(
            buffer
                .findings()
                .map(|finding| (buffer.packet, finding.check.protocol.name, finding.verdict)),
        );
    })
    .unwrap();
    verdicts
}

/// Returns mappings of every end to another one.
fn of_every_end(file: &[u8]) -> Vec<Mapping> {
    let mut ends = BTreeSet::new();
    verify::capture(file, |buffer| {
        for network in &buffer.found.networks {
            ends.extend(network.map(|span| span.of(buffer.bytes).unwrap().to_vec()));
        }
    })
    .unwrap();
    let end = |bytes: &[u8]| {
        let address = match <[u8; 4]>::try_from(bytes) {
            Ok(four) => IpAddr::from(four),
            Err(_) => IpAddr::from(<[u8; 16]>::try_from(bytes).unwrap()),
        };
        End { address, port: None }
    };
    let other = |bytes: &[u8]| bytes.iter().map(|byte| byte ^ 0xa5).collect::<Vec<u8>>();
    ends.iter().map(|from| Mapping { from: end(from), to: end(&other(from)) }).collect()
}

fn translated(file: &[u8], mappings: &[Mapping]) -> Vec<u8> {
    let mut edits = BTreeMap::new();
    verify::capture(file, |buffer| {
        edits.extend(translate(buffer, mappings).into_iter().map(|(at, _, new)| (at, new)));
    })
    .unwrap();
    let mut file = file.to_vec();
    for (at, new) in edits {
        file[at as usize] = new;
    }
    file
}

/// Right values stay right and wrong ones wrong after any translation: each update equals a new
/// computation.
#[test]
fn verdicts_stay() {
    let mut changed = 0;
    for case in residue_fixtures::cases() {
        for frames in [&case.good, &case.bad] {
            let mut file = Vec::new();
            let plain = Case { format: Format::PcapNanoseconds, ..case.clone() };
            residue_fixtures::file::write(&mut file, &plain, frames).unwrap();
            let mappings = of_every_end(&file);
            let before = verdicts(&file);
            let translated = translated(&file, &mappings);
            changed += usize::from(translated != file);
            assert_eq!(verdicts(&translated), before, "{}", case.name);
        }
    }
    assert!(changed > 200, "{changed}");
}

/// They stay as well where the file claims a frame check sequence that its frames lack.
#[test]
fn verdicts_of_data_stay_beside_a_claimed_check_sequence() {
    let inside = |file: &[u8]| {
        let mut verdicts = verdicts(file);
        verdicts.retain(|(_, name, _)| !["eth.fcs", "wlan.fcs"].contains(name));
        verdicts
    };
    for case in residue_fixtures::cases() {
        let fcs = case.fcs.or(Some(4));
        let plain = Case { format: Format::Pcap, fcs, ..case.clone() };
        let mut file = Vec::new();
        residue_fixtures::file::write(&mut file, &plain, &case.good).unwrap();
        let translated = translated(&file, &of_every_end(&file));
        assert_eq!(inside(&translated), inside(&file), "{}", case.name);
    }
}

/// A header checksum of zero was left to the network card, which computes it after the translation.
#[test]
fn header_checksums_left_to_the_card_stay_zero() {
    let mut zeros = 0;
    for case in residue_fixtures::cases() {
        let plain = Case { format: Format::PcapNanoseconds, ..case.clone() };
        let mut file = Vec::new();
        residue_fixtures::file::write(&mut file, &plain, &case.bad).unwrap();
        let left = |file: &[u8]| {
            let mut left = Vec::new();
            verify::capture(file, |buffer| {
                let stored = buffer.findings().map(|finding| {
                    (finding.check.protocol.name, finding.check.stored(buffer.bytes))
                });
                left.extend(stored.map(|it| it == ("ip", Some(0))));
            })
            .unwrap();
            left
        };
        let before = left(&file);
        zeros += before.iter().filter(|&&zero| zero).count();
        assert_eq!(left(&translated(&file, &of_every_end(&file))), before, "{}", case.name);
    }
    assert!(zeros >= 3, "{zeros}");
}

/// Options with a check value of every length, also lengths that leave part of the value outside of
/// the option or of the header: what no receiver reads as a value is left alone, so that the way
/// back restores the capture.
#[test]
fn options_of_every_length_come_back() {
    let (mut options, mut conflicts) = (0, 0);
    for case in residue_fixtures::cases() {
        let mut file = Vec::new();
        let plain = Case { format: Format::PcapNanoseconds, ..case.clone() };
        residue_fixtures::file::write(&mut file, &plain, &case.good).unwrap();
        let mut lengths = BTreeSet::new();
        verify::capture(&file[..], |buffer| {
            for check in buffer.findings().map(|finding| finding.check) {
                if check.protocol.name == "tcp.alternate" && check.field[0].len() > 2 {
                    lengths.extend(buffer.places.offset(check.field[0].start - 1));
                }
            }
        })
        .unwrap();
        let mappings = of_every_end(&file);
        let back: Vec<Mapping> =
            mappings.iter().map(|&Mapping { from, to }| Mapping { from: to, to: from }).collect();
        for at in lengths {
            options += 1;
            let right = file[at as usize];
            for length in 0..=12 {
                file[at as usize] = length;
                let is_conflict = |verdict: &(_, _, _)| verdict.2 == Verdict::LengthConflict;
                conflicts += verdicts(&file).iter().filter(|it| is_conflict(it)).count();
                let there = translated(&file, &mappings);
                assert_ne!(there, file);
                let changed: Vec<usize> = translated(&there, &back)
                    .iter()
                    .zip(&file)
                    .enumerate()
                    .filter_map(|(at, (new, old))| (new != old).then_some(at))
                    .collect();
                assert!(changed.is_empty(), "{}: length {length}: {changed:?}", case.name);
            }
            file[at as usize] = right;
        }
    }
    assert!(options > 3 && conflicts > 20, "{options} {conflicts}");
}
