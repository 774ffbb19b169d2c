//! Tests of translated captures.

use residue_fixtures::{Case, Format};
use residue_net::check::Verdict;
use residue_net::nat::{End, Mapping, translate};
use residue_net::verify;
use std::collections::BTreeMap;
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
            // Maps every end to another one.
            let mut ends = Vec::new();
            verify::capture(&file[..], |buffer| {
                for network in &buffer.found.networks {
                    ends.extend(network.map(|span| span.of(buffer.bytes).unwrap().to_vec()));
                }
            })
            .unwrap();
            ends.sort();
            ends.dedup();
            let mappings: Vec<Mapping> = ends
                .iter()
                .map(|end| {
                    let other: Vec<u8> = end.iter().map(|byte| byte ^ 0xa5).collect();
                    let address = |bytes: &[u8]| match <[u8; 4]>::try_from(bytes) {
                        Ok(four) => IpAddr::from(four),
                        Err(_) => IpAddr::from(<[u8; 16]>::try_from(bytes).unwrap()),
                    };
                    Mapping {
                        from: End { address: address(end), port: None },
                        to: End { address: address(&other), port: None },
                    }
                })
                .collect();
            let mut edits = BTreeMap::new();
            verify::capture(&file[..], |buffer| {
                edits
                    .extend(translate(buffer, &mappings).into_iter().map(|(at, _, new)| (at, new)));
            })
            .unwrap();
            let before = verdicts(&file);
            changed += usize::from(!edits.is_empty());
            for (at, new) in edits {
                file[at as usize] = new;
            }
            assert_eq!(verdicts(&file), before, "{}", case.name);
        }
    }
    assert!(changed > 200, "{changed}");
}
