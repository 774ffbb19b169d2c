//! What a capture contains that two judges may count differently.

use crate::{Counts, Table};

use residue_net::agreements::Agreements;
use residue_net::check::{Piece, Reason, Verdict};
use residue_net::diagnose::Tally;
use residue_net::frame::{Found, Walk};
use residue_net::pcap::{LinkType, Reader};
use residue_net::summary::Summary;
use residue_net::verify::{Buffer, Finding, Places, Verifier};
use residue_net::wire;
use std::error::Error;
use std::fs::File;
use std::path::Path;

/// Ports of LWAPP: data and control.
const LWAPP: [u16; 2] = [12222, 12223];
/// Link type of Frame Relay.
const FRAME_RELAY: LinkType = LinkType(107);
/// Bytes of zeros behind a packet when the fields that were not captured are counted.
const BEYOND: usize = 64;

/// The counts of a capture, and of parts of it.
#[derive(Debug, Default)]
pub struct Facts {
    /// All counts.
    pub ours: Table,
    /// Causes of the values that are not good.
    pub causes: Tally,
    pub packets: u64,
    /// Packets for which the file states the length of a frame check sequence.
    pub with_fcs: u64,
    pub frame_relay: bool,
    /// Ends of walks at protocols that are not followed.
    pub not_followed: u64,
    /// Packets that carry samples of other packets: sFlow, OpenFlow.
    pub samples: u64,
    /// NHRP errors and traffic indications, which quote a packet.
    pub nhrp_errors: u64,
    /// Values in packets quoted by ICMP errors.
    pub quoted: Table,
    /// Values inside of a header whose length is 0.
    pub length_zero: Table,
    /// Values with a length conflict, and those that are cut short.
    pub conflicts: Table,
    pub cut: Table,
    /// Values of which the field, or the rest of the header, was not captured.
    pub beyond: Table,
    /// Fragments of datagrams, and values of incomplete datagrams.
    pub fragments: u64,
    pub incomplete: Table,
    /// PIM Registers as they are, and by their first 8 bytes.
    pub registers: [Counts; 2],
    /// Extensions of extended ICMP echoes as they are, and by all bytes behind them.
    pub extended: [Counts; 2],
    /// Values inside of VXLAN on its old port.
    pub old_vxlan: Table,
    /// Values inside of LWAPP, in frames whose two bytes of frame control are exchanged.
    pub exchanged: Table,
    /// UDP values whose length is less than that of the IP payload.
    pub short_udp: Counts,
    /// IPv4 headers whose total length is less than their own.
    pub short_ipv4: Counts,
}

impl Facts {
    /// Reads a capture, up to its first error, as tshark does.
    pub fn of(path: &Path) -> Result<Facts, Box<dyn Error>> {
        let mut facts = Facts::default();
        let mut summary = Summary::new();
        let mut reader = Reader::new(File::open(path)?)?;
        let mut verifier = Verifier::new();
        let mut take = |facts: &mut Facts, buffer: &Buffer<'_>| {
            summary.buffer(buffer);
            facts.buffer(buffer);
        };
        while let Ok(Some(packet)) = reader.next() {
            facts.packets += 1;
            facts.with_fcs += u64::from(packet.fcs.is_some_and(|length| length > 0));
            facts.frame_relay |= packet.link == FRAME_RELAY;
            verifier.packet(&packet, |buffer| take(&mut facts, buffer));
            let sent = packet.wire_length as usize;
            let mut filled = packet.bytes.to_vec();
            filled.resize(sent.max(filled.len()) + BEYOND, 0);
            facts.beyond(packet.bytes, &filled, packet.link, packet.fcs);
        }
        verifier.finish(|buffer| take(&mut facts, buffer));
        facts.causes = summary.diagnosis.tally();
        facts.not_followed = summary.unfollowed().iter().map(|(_, packets)| packets).sum();
        let counts = summary.protocols().into_iter();
        facts.ours = counts
            .map(|(name, (_, counts))| {
                let unverified = counts.unverifiable() + counts.length_conflict;
                let bad = counts.bad + counts.offloaded;
                let counts = [counts.good, bad, unverified, counts.absent, counts.illegal];
                (name.to_string(), Counts(counts))
            })
            .collect();
        Ok(facts)
    }

    fn buffer(&mut self, buffer: &Buffer<'_>) {
        let (mut length_zero, mut old_vxlan, mut exchanged) = (false, false, false);
        self.fragments += buffer.found.fragments.len() as u64;
        for finding in buffer.findings() {
            let name = finding.check.protocol.name;
            let ports = finding.check.ports.unwrap_or_default();
            length_zero |= finding.check.length_zero;
            let inside = [
                (length_zero, &mut self.length_zero),
                (old_vxlan, &mut self.old_vxlan),
                (exchanged, &mut self.exchanged),
                (finding.verdict == Verdict::LengthConflict, &mut self.conflicts),
                (finding.verdict == Verdict::Unverifiable(Reason::Cut), &mut self.cut),
                (finding.verdict == Verdict::Unverifiable(Reason::Fragment), &mut self.incomplete),
            ];
            for (_, table) in inside.into_iter().filter(|(is_inside, _)| *is_inside) {
                table.entry(name.into()).or_default().add(finding.verdict);
            }
            old_vxlan |= name == "udp" && ports.contains(&8472);
            exchanged |= name == "udp"
                && ports.iter().any(|port| LWAPP.contains(port))
                && has_exchanged_control(&finding);
            self.samples += u64::from(match name {
                "udp" => ports.contains(&6343),
                "tcp" => ports.iter().any(|port| [6633, 6653].contains(port)),
                _ => false,
            });
            self.special(&finding, name);
        }
    }

    fn special(&mut self, finding: &Finding<'_>, name: &str) {
        let bytes = finding.buffer.bytes;
        let start = finding.check.field[0].start as usize;
        let byte = |at: usize| bytes.get(at).copied().unwrap_or_default();
        match name {
            "icmp" if [3, 4, 5, 11, 12].contains(&byte(start - 2)) => self.quoted(finding, start),
            "icmpv6" if (1..=4).contains(&byte(start - 2)) => self.quoted(finding, start),
            "nhrp" => self.nhrp_errors += u64::from([7, 8].contains(&byte(start + 5))),
            "pim" if byte(start - 2) == 0x21 => {
                self.registers[0].add(finding.verdict);
                let mut pieces = finding.cover().to_vec();
                if let Some(Piece::Bytes(span)) = pieces.last_mut() {
                    *span = span.take(8);
                }
                let check = finding.check;
                let is_right = check.rule.compute(bytes, &pieces, &check.field) == finding.stored();
                self.registers[1].add(if is_right { Verdict::Good } else { Verdict::Bad });
            }
            "icmp.ext" if [42, 160].contains(&byte(start.saturating_sub(10))) => {
                self.extended[0].add(finding.verdict);
                let is_right = residue::internet::checksum(&bytes[start - 2..]) == 0;
                self.extended[1].add(if is_right { Verdict::Good } else { Verdict::Bad });
            }
            "udp" => {
                let cover = finding.cover();
                let behind = finding.check.field[0].end.saturating_sub(8);
                let payload = ip_payload(bytes, finding, behind);
                let counted: u32 = match cover.last() {
                    Some(Piece::Bytes(span)) => span.len(),
                    _ => 0,
                };
                if payload.is_some_and(|payload| counted < payload) {
                    self.short_udp.add(finding.verdict);
                }
            }
            "ip" => {
                let header = &bytes[start - 10..];
                let total = u16::from_be_bytes([byte(start - 8), byte(start - 7)]);
                if total > 0 && total < u16::from(header[0] & 15) * 4 {
                    self.short_ipv4.add(finding.verdict);
                }
            }
            _ => {}
        }
    }

    /// Counts the values of the packet that an ICMP error quotes; `start` is the offset of its
    /// checksum.
    fn quoted(&mut self, finding: &Finding<'_>, start: usize) {
        let end = finding.check.field[0].start as usize;
        let Some(Piece::Bytes(message)) = finding.cover().last() else { return };
        let bytes = finding.buffer.bytes;
        let end = (message.end as usize).min(bytes.len()).max(end);
        let Some(quoted) = bytes.get(start + 6..end).filter(|quoted| !quoted.is_empty()) else {
            return;
        };
        let mut filled = quoted.to_vec();
        filled.resize(quoted.len() + BEYOND, 0);
        let mut add = |finding: &Finding<'_>, verdict| {
            let name = finding.check.protocol.name;
            // tshark does not judge ICMP in ICMP.
            let is_icmp = matches!(name, "icmp" | "icmpv6");
            let verdict = if is_icmp { Verdict::Unverifiable(Reason::Cut) } else { verdict };
            self.quoted.entry(name.into()).or_default().add(verdict);
        };
        judge(quoted, u32::MAX, LinkType::RAW, None, |finding| add(finding, finding.verdict));
        judge(&filled, u32::MAX, LinkType::RAW, None, |finding| {
            if finding.check.field[0].end as usize > quoted.len() {
                add(finding, Verdict::Unverifiable(Reason::Cut));
            }
        });
    }

    /// Counts the values that appear only if missing bytes are filled in with zeros.
    fn beyond(&mut self, bytes: &[u8], filled: &[u8], link: LinkType, fcs: Option<u8>) {
        let mut known = Vec::new();
        judge(bytes, 0, link, fcs, |finding| {
            known.push((finding.check.protocol.name, finding.check.field));
        });
        judge(filled, 0, link, fcs, |finding| {
            let name = finding.check.protocol.name;
            if !known.contains(&(name, finding.check.field)) {
                let unverified = Verdict::Unverifiable(Reason::Cut);
                self.beyond.entry(name.into()).or_default().add(unverified);
            }
        });
    }
}

/// Returns whether the frame in a packet of LWAPP has its two bytes of frame control exchanged: the
/// version, which is 0, is then in the second one.
fn has_exchanged_control(finding: &Finding<'_>) -> bool {
    const VERSION: u8 = 3;
    const LWAPP_HEADER: usize = 6;
    let control = finding.check.field[0].end as usize + LWAPP_HEADER;
    let control = finding.buffer.bytes.get(control..).and_then(<[u8]>::first_chunk);
    control.is_some_and(|[first, second]| first & VERSION != 0 && second & VERSION == 0)
}

/// Passes the findings in some bytes, of which `sent` were sent, to a function.
fn judge(
    bytes: &[u8],
    sent: u32,
    link: LinkType,
    fcs: Option<u8>,
    mut each: impl FnMut(&Finding<'_>),
) {
    let (mut found, mut agreements) = (Found::default(), Agreements::default());
    let mut walk = Walk::new(bytes, sent, Reason::Cut, &mut found, &mut agreements);
    wire::walk(&mut walk, link, fcs);
    let buffer = Buffer {
        packet: 0,
        link,
        time: None,
        bytes,
        places: Places::Contiguous(0),
        found: &found,
        is_cut: false,
        sent,
        copies: &[],
        doubt: None,
        pdu: None,
    };
    buffer.findings().for_each(|finding| each(&finding));
}

/// Returns the length of the payload of the IP header around a finding, which begins at `start`.
fn ip_payload(bytes: &[u8], finding: &Finding<'_>, start: u32) -> Option<u32> {
    let source = finding.check.addresses[0];
    let field = |at: u32| {
        let at = at as usize;
        Some(u32::from(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?)))
    };
    let end = match source.len() {
        4 => source.start.checked_sub(12)? + field(source.start.checked_sub(10)?)?,
        16 => source.start + 32 + field(source.start.checked_sub(4)?)?,
        _ => return None,
    };
    end.checked_sub(start)
}
