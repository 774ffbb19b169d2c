//! Target `fix`.

use crate::captures;
use residue_net::check::Verdict;
use residue_net::fix::{Policy, Repairer};
use residue_net::pcap::Reader;
use residue_net::rewrite::Rewriter;
use std::io::Read;

fn fixed(file: &[u8], policy: &Policy) -> Vec<u8> {
    let repairer =
        Repairer::new(|| Reader::new(file), policy.clone(), |_| ()).expect("it was read before");
    let mut rewriter = Rewriter::new(file, &repairer.across(), |buffer, edits| {
        for repair in repairer.repairs(buffer) {
            edits.extend(repair.edits());
        }
    })
    .expect("it was read before");
    let mut output = Vec::new();
    rewriter.read_to_end(&mut output).expect("repairs do not contradict each other");
    output
}

/// Returns whether a check value is wrong or offloaded.
fn is_wrong(file: &[u8]) -> bool {
    let mut wrong = false;
    captures::buffers(file, |buffer| {
        let is_wrong = |verdict| matches!(verdict, Verdict::Bad | Verdict::Offloaded);
        wrong |= buffer.findings().any(|finding| is_wrong(finding.verdict));
    });
    wrong
}

/// Any capture: a repair changes only bytes of check values, and leaves a good capture unchanged.
pub fn fix(input: &[u8]) {
    let Some(file) = captures::of(input) else { return };
    if Reader::new(&*file).is_err() {
        return;
    }
    let (fields, wrong) = (captures::fields(&file), is_wrong(&file));
    for policy in [Policy::default(), Policy { tso: true, ..Policy::all() }] {
        let output = fixed(&file, &policy);
        assert_eq!(output.len(), file.len());
        for (at, (old, new)) in (0..).zip(file.iter().zip(&output)) {
            assert!(old == new || fields.contains(&at), "byte {at} is not part of a check value");
        }
        assert!(wrong || output == *file, "a good capture was changed");
    }
}
