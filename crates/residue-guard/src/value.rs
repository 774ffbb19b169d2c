//! Check values of segments: writing and verification. [`residue_net`] defines layout and coverage.

use crate::options::{self, Options};
use crate::packet::{self, Segment, forbid_fragments, write_checksum};
use residue_net::check::{Piece, Span, Verdict};
use residue_net::frame::Ip;
use residue_net::wire::tcp;
use residue_net::wire::tcp_checksum_option::{DATA, Layout};

/// Result of the checks of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judged {
    /// All checks are right. Values 1 to 3 have one check, the others two.
    Good,
    /// Only the Internet checksum is wrong.
    OnlyTcpBad,
    /// Only the CRC is wrong: an error that TCP does not detect.
    OnlyCrcBad,
    /// Both are wrong, or the only check is.
    BothBad,
    /// The option is missing, or has another length than that of the value.
    Missing,
}

/// Returns the option for a value, with data of zeros, and its length.
fn option(layout: &Layout) -> ([u8; 8], usize) {
    let mut bytes = [0; 8];
    let length = usize::from(layout.option);
    if length > 0 {
        bytes[..2].copy_from_slice(&[DATA, layout.option]);
    }
    (bytes, length)
}

/// The reason why a value does not fit into a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoRoom {
    /// Other options fill the header.
    Options,
    /// The packet would exceed IP's length field.
    Packet,
}

/// Writes the packet into `buffer` with a check value; returns how many blocks of selective
/// acknowledgments were cut for it.
pub(crate) fn write(
    segment: &Segment,
    layout: &Layout,
    buffer: &mut Vec<u8>,
    pieces: &mut Vec<Piece>,
) -> Result<u8, NoRoom> {
    let (bytes, length) = option(layout);
    let (options, cut) =
        Options::with(segment.options(), &bytes[..length]).ok_or(NoRoom::Options)?;
    segment.rewrite(&options, true, buffer).ok_or(NoRoom::Packet)?;
    // A fragment cannot be verified. Routers report their MTU instead.
    forbid_fragments(buffer);
    let ip = grown(&segment.ip, buffer);
    // The option comes first: see `Options::with`.
    let data = Span::at(ip.payload.start + tcp::HEADER, length as u32);
    let header_length = tcp::HEADER + options.len() as u32;
    pieces.clear();
    let check = layout.check(&ip, header_length, (length > 0).then_some(data), pieces);
    if let Some(value) = check.computed(buffer, pieces) {
        check.store(buffer, value);
    }
    if layout.keeps_checksum {
        write_checksum(buffer, &ip, pieces);
    }
    Ok(cut)
}

/// Returns the IP layer of the packet after its length changed.
pub(crate) fn grown(ip: &Ip, buffer: &[u8]) -> Ip {
    Ip { payload: Span { end: buffer.len() as u32, ..ip.payload }, ..*ip }
}

/// Verifies a segment by the layout of a value.
pub(crate) fn verify(segment: &Segment, layout: &Layout, pieces: &mut Vec<Piece>) -> Judged {
    let found = options::find(segment.options(), DATA);
    let data = match (found, layout.option) {
        (_, 0) => None,
        (Some(place), length) if place.len() == usize::from(length) => {
            Some(segment.option_span(&place))
        }
        _ => return Judged::Missing,
    };
    pieces.clear();
    let check = layout.check(&segment.ip, segment.header_length() as u32, data, pieces);
    if check.stored(segment.bytes).is_none() {
        return Judged::Missing;
    }
    let good = check.verdict(segment.bytes, pieces) == Verdict::Good;
    let tcp_good = if layout.keeps_checksum { segment.checksum_is_good(pieces) } else { good };
    match (tcp_good, good) {
        (true, true) => Judged::Good,
        (false, true) => Judged::OnlyTcpBad,
        (true, false) => Judged::OnlyCrcBad,
        (false, false) => Judged::BothBad,
    }
}

/// Returns whether a packet, from its IP header on, is a segment that is right by a value of 1 to 7
/// (`residue_net::wire::tcp_checksum_option::Layout`): by all of its checks.
#[must_use]
pub fn is_right(packet: &[u8], value: u8) -> bool {
    let (segment, layout) = (packet::segment(packet), Layout::of(value));
    segment
        .zip(layout)
        .is_some_and(|(segment, layout)| verify(&segment, &layout, &mut Vec::new()) == Judged::Good)
}

/// Writes the packet into `buffer` as the sender's kernel sent it: without the option, with the
/// ordinary checksum.
pub(crate) fn strip(segment: &Segment, buffer: &mut Vec<u8>, pieces: &mut Vec<Piece>) {
    let options = match options::find(segment.options(), DATA) {
        Some(place) => Options::without(segment.options(), &place),
        None => Options::new(segment.options()),
    };
    // The packet does not grow, so it fits.
    if segment.rewrite(&options, true, buffer).is_some() {
        let ip = grown(&segment.ip, buffer);
        write_checksum(buffer, &ip, pieces);
    }
}

#[cfg(test)]
mod tests;
