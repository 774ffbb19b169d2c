//! Target `verify`.

use crate::captures;
use cap::Cap;
use residue_net::check::Verdict;
use residue_net::filter::Filter;
use residue_net::pcap::Reader;
use residue_net::select::Selection;
use residue_net::summary::Summary;
use residue_net::verify;
use std::alloc::System;

#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, usize::MAX);

/// Memory of the reader's window, and of tables that grow by doubling, in bytes.
const LEAST: usize = 2 << 20;
/// Bytes of memory for each byte of the capture: a check takes more memory than the two bytes of
/// its field.
const FACTOR: usize = 64;

/// Any capture: the state that is kept from packet to packet (fragments, streams, agreements,
/// counts, causes) takes memory in proportion to the capture, and no check is counted twice.
pub fn verify(input: &[u8]) {
    let Some(file) = captures::of(input) else { return };
    let before = MEMORY.allocated();
    let (mut most, mut findings) = (0, 0);
    let mut summary = Summary::new();
    let read = verify::capture(&*file, |buffer| {
        for finding in buffer.findings() {
            findings += 1;
            summary.take(&finding);
            if matches!(finding.verdict, Verdict::Good | Verdict::Bad | Verdict::Offloaded) {
                assert!(finding.stored().is_some() && finding.computed().is_some());
            }
        }
        most = most.max(MEMORY.allocated().saturating_sub(before));
    });
    let limit = LEAST + FACTOR * file.len();
    assert!(most <= limit, "{most} bytes of memory for {} of a capture", file.len());
    // A filter and its negation select each finding once.
    let selected = |filter: &str| {
        let mut selection = Selection::new(Filter::parse(filter).ok(), None, None);
        let (mut count, reader) = (0, Reader::new(&*file).ok()?);
        verify::selected(reader, &mut selection, |buffer| count += buffer.findings().count());
        Some(count as u64)
    };
    let filter =
        "(tcp port 3260 or udp and net 10.0.0.0/8) and not vlan or icmp or arp host 10.1.1.1";
    if let (Some(one), Some(other)) = (selected(filter), selected(&format!("not ({filter})"))) {
        assert_eq!(one + other, findings);
    }
    if read.is_ok() {
        let total = summary.total();
        assert_eq!(total.total(), findings);
        let causes: u64 = summary.diagnosis.tally().values().sum();
        assert_eq!(causes, total.bad + total.offloaded);
        let rewrites = summary.diagnosis.rewrites();
        assert!(rewrites.iter().map(|rewrite| rewrite.packets).sum::<u64>() <= total.bad);
    }
}
