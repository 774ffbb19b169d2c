//! Target `nat`.

use crate::captures;
use residue_net::check::Verdict;
use residue_net::nat::{self, End, Mapping};
use residue_net::pcap::Reader;
use residue_net::rewrite::Rewriter;
use std::collections::BTreeSet;
use std::io::Read;
use std::net::IpAddr;

/// Largest number of mappings.
const MOST: usize = 4;

fn translated(file: &[u8], mappings: &[Mapping]) -> Vec<u8> {
    let across = nat::across(Reader::new(file).expect("it was read before"), mappings);
    let mut rewriter = Rewriter::new(file, &across, |buffer, edits| {
        edits.extend(residue_net::fix::edits(&nat::translate(buffer, mappings)));
    })
    .expect("it was read before");
    let mut output = Vec::new();
    rewriter.read_to_end(&mut output).expect("changes do not contradict each other");
    output
}

/// Returns the number of values that look as an offloading sender leaves them.
fn offloaded(file: &[u8]) -> usize {
    let mut count = 0;
    captures::buffers(file, |buffer| {
        count += buffer.findings().filter(|it| it.verdict == Verdict::Offloaded).count();
    });
    count
}

/// Any capture: addresses translated into others and back give the original bytes, except for check
/// values with two representations of zero, and for wrong ones that the translation happens to turn
/// into the sum of the pseudo-header, which an offloading sender would have left.
pub fn nat(input: &[u8]) {
    let Some(file) = captures::of(input) else { return };
    if Reader::new(&*file).is_err() {
        return;
    }
    let mut ends = BTreeSet::new();
    captures::buffers(&file, |buffer| {
        for network in &buffer.found.networks {
            ends.extend(network.iter().filter_map(|span| Some(span.of(buffer.bytes)?.to_vec())));
        }
    });
    let address = |bytes: &[u8]| match (<[u8; 4]>::try_from(bytes), <[u8; 16]>::try_from(bytes)) {
        (Ok(four), _) => Some(IpAddr::from(four)),
        (_, Ok(sixteen)) => Some(IpAddr::from(sixteen)),
        _ => None,
    };
    let other = |end: &[u8]| end.iter().map(|byte| byte ^ 0xa5).collect::<Vec<u8>>();
    let end = |address| End { address, port: None };
    let mappings: Vec<Mapping> = ends
        .iter()
        .filter(|end| !ends.contains(&other(end)))
        .filter_map(|from| {
            Some(Mapping { from: end(address(from)?), to: end(address(&other(from))?) })
        })
        .take(MOST)
        .collect();
    let back: Vec<Mapping> =
        mappings.iter().map(|&Mapping { from, to }| Mapping { from: to, to: from }).collect();
    let there = translated(&file, &mappings);
    assert_eq!(there.len(), file.len());
    let again = translated(&there, &back);
    assert_eq!(again.len(), file.len());
    let fields = captures::fields(&file);
    let mut zeros = false;
    let mut changed = false;
    for (at, (&old, &new)) in (0..).zip(file.iter().zip(&again)) {
        if old != new {
            assert!(
                fields.contains(&at),
                "byte {at} is not part of a check value: {old} became {new}"
            );
            // One zero became the other; a value that covers it, as a frame check sequence,
            // follows.
            zeros |= [0, 0xff].contains(&old) && [0, 0xff].contains(&new);
            changed = true;
        }
    }
    let mistaken = offloaded(&there) > offloaded(&file);
    assert!(zeros || mistaken || !changed, "a value with only one zero changed");
}
