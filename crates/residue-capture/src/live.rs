//! Verification of packets as they come, with what the capturing system knows about their
//! checksums.

use residue_net::check::{Check, Piece, Span, Verdict};
use residue_net::pcap::Packet;
use residue_net::select::Selection;
use residue_net::summary::Summary;
use residue_net::verify::{Buffer, Finding, Places, Verifier};

/// What the capturing system knows about the transport checksum of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Nothing: the packet comes from a capture of unknown origin.
    None,
    /// A network card has yet to complete it: the packet was captured on its sender, or merged from
    /// several on its receiver.
    Incomplete,
    /// The network card or the kernel has verified it.
    Checked,
    /// Neither: the value is the one on the wire.
    Complete,
}

/// Protocols whose checksum a network card may complete. A field of SCTP then holds 0, which no
/// value shows.
const COMPLETED: [&str; 3] = ["tcp", "udp", "sctp"];

/// A running verification of the selected packets.
#[derive(Debug, Default)]
pub struct Live {
    verifier: Verifier,
    selection: Selection,
    /// Counts of all findings, with their verdicts by the evidence.
    pub summary: Summary,
    /// Counts of packets.
    pub counts: Counts,
}

/// Numbers of packets, and of check values that need the evidence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Verified packets, selected or not.
    pub packets: u64,
    /// Selected packets; all counts of values and of wrong packets are of these.
    pub selected: u64,
    /// Bytes of the verified packets, on the wire.
    pub bytes: u64,
    /// Packets of which the capture holds less than was sent.
    pub cut_packets: u64,
    /// Packets with a wrong check value.
    pub wrong_packets: u64,
    /// Values that are the sum of the pseudo-header, which no network card will complete: their
    /// receiver rejects them. Counted as bad.
    pub never_completed: u64,
    /// Values that look bad or unfinished, and that a network card has yet to complete. Counted as
    /// offloaded.
    pub to_complete: u64,
}

impl Live {
    /// Creates a verification without packets. Of later ones, it counts what is selected.
    #[must_use]
    pub fn new(selection: Selection) -> Self {
        Live { selection, ..Live::default() }
    }

    /// Verifies the next packet. Passes to `wrong` the findings that a receiver rejects, in it and
    /// in units that it completes; returns whether there was one.
    pub fn packet(
        &mut self,
        packet: &Packet<'_>,
        evidence: Evidence,
        mut wrong: impl FnMut(&Finding<'_>),
    ) -> bool {
        let Live { verifier, selection, summary, counts } = self;
        counts.packets += 1;
        counts.bytes += u64::from(packet.wire_length);
        counts.cut_packets += u64::from(packet.bytes.len() < packet.wire_length as usize);
        let mut any = false;
        let mut each = |buffer: &Buffer<'_>| {
            any |= take(buffer, evidence, summary, counts, &mut wrong);
        };
        if selection.is_all() {
            verifier.packet(packet, each);
            counts.selected = counts.packets;
        } else {
            verifier.select(packet, selection, &mut each);
            counts.selected = selection.selected();
        }
        counts.wrong_packets += u64::from(any);
        any
    }

    /// Ends the verification: counts incomplete datagrams and streams.
    pub fn finish(&mut self) {
        let Live { verifier, selection, summary, counts } = self;
        verifier.finish_selected(selection, |buffer| {
            take(buffer, Evidence::None, summary, counts, &mut |_| {});
        });
    }
}

/// Counts the findings of a buffer; returns whether one is wrong.
fn take(
    buffer: &Buffer<'_>,
    evidence: Evidence,
    summary: &mut Summary,
    counts: &mut Counts,
    wrong: &mut impl FnMut(&Finding<'_>),
) -> bool {
    // The kernel knows about packets, not about what is reassembled from them.
    let is_packet = matches!(buffer.places, Places::Contiguous(_)) && buffer.pdu.is_none();
    let evidence = if is_packet { evidence } else { Evidence::None };
    let mut any = false;
    for mut finding in buffer.findings() {
        finding.verdict = judged(&finding, evidence, counts);
        summary.take(&finding);
        // A zero header of a sender that is known to leave checksums to its card is not wrong.
        let finding = summary.diagnosis.judged(finding);
        if matches!(finding.verdict, Verdict::Bad | Verdict::Illegal | Verdict::LengthConflict) {
            any = true;
            wrong(&finding);
        }
    }
    summary.unfollowed_in(buffer);
    any
}

/// Returns the verdict on a check by its value and the evidence.
fn judged(finding: &Finding<'_>, evidence: Evidence, counts: &mut Counts) -> Verdict {
    match (finding.verdict, evidence) {
        (Verdict::Offloaded, Evidence::Complete) => {
            counts.never_completed += 1;
            Verdict::Bad
        }
        (Verdict::Offloaded, Evidence::Incomplete) => {
            counts.to_complete += 1;
            Verdict::Offloaded
        }
        (Verdict::Bad, Evidence::Incomplete) if is_to_complete(finding) => {
            counts.to_complete += 1;
            Verdict::Offloaded
        }
        (verdict, _) => verdict,
    }
}

/// Returns whether a bad value of a packet that a network card has yet to complete is the
/// incomplete one, or covers it.
fn is_to_complete(finding: &Finding<'_>) -> bool {
    let Some(field) = incomplete(finding.buffer) else { return false };
    let covers = |piece: &Piece| matches!(piece, Piece::Bytes(span) if contains(*span, field));
    finding.check.field[0] == field || finding.cover().iter().any(covers)
}

/// Returns the field that a network card has yet to complete: the innermost one that holds the sum
/// of a pseudo-header, else the innermost bad one of a protocol that cards know.
fn incomplete(buffer: &Buffer<'_>) -> Option<Span> {
    let mut found = None;
    for Finding { check, verdict, .. } in buffer.findings() {
        let Check { field: [field, _], protocol, .. } = *check;
        match verdict {
            Verdict::Offloaded => found = Some((true, field)),
            Verdict::Bad if COMPLETED.contains(&protocol.name) => {
                found = found.filter(|(sure, _)| *sure).or(Some((false, field)));
            }
            _ => {}
        }
    }
    found.map(|(_, field)| field)
}

fn contains(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}
