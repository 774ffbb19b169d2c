//! TCP (RFC 9293): the checksum.

use super::storage::Kind;
use super::tcp_checksum_option;
use super::{Field, number, ports};
use crate::check::{Check, Piece, Presence, Protocol, Rule, Span};
use crate::frame::{Ip, Segment, Walk};

/// Checksum over pseudo-header, header and data.
pub static TCP: Protocol = Protocol { name: "tcp", title: "TCP", source: "RFC 9293 section 3.1" };

/// Range of the sequence number.
pub const SEQUENCE: Field = 4..8;
/// Range of the acknowledgment number.
pub const ACKNOWLEDGMENT: Field = 8..12;
/// Offset of the length of the header in units of 4 bytes, in the upper half.
pub const DATA_OFFSET: usize = 12;
/// Offset of the flags.
pub const FLAGS: usize = 13;
/// Range of the checksum.
pub const CHECKSUM: Field = 16..18;
/// Length of the header without options.
pub const HEADER: u32 = 20;

/// Walks a segment from the source port on.
#[inline]
pub fn walk(walk: &mut Walk, ip: &Ip) {
    let span = ip.payload;
    let Some(header) = walk.array::<{ HEADER as usize }>(span, 0) else {
        return;
    };
    walk.agreements.are_asked = true;
    let ports = ports(&header);
    let header_length = u32::from(header[DATA_OFFSET] >> 4) * 4;
    let options = span.take(header_length).skip(HEADER);
    if options.is_empty() && walk.agreements.is_empty()
        || !tcp_checksum_option::walk(walk, ip, &header, options)
    {
        checksum(walk, ip, ports);
    }
    let payload = span.skip(header_length);
    if !options.is_empty() {
        super::mptcp::walk(walk, options, payload, ports);
    }
    super::tcp_port(walk, ports, payload);
    if header_length >= HEADER && carries_checks(walk, ports, payload) {
        let sequence = number(&header, SEQUENCE);
        let flags = header[FLAGS];
        walk.found.segments.push(Segment { ip: *ip, ports, sequence, flags, payload });
    }
}

/// First bytes of the usual options of a segment: a time stamp after padding (RFC 7323 appendix A);
/// and the length of a header with no other options, in bytes.
const TIME_STAMP: [u8; 4] = [1, 1, 8, 10];
const TIME_STAMP_HEADER: usize = 32;

/// Returns whether a segment has its checksum, be it right or wrong, and nothing else to verify or
/// to remember, as [`walk`] would find out if nothing is known of any connection.
#[inline]
pub(crate) fn is_plain(segment: &[u8]) -> bool {
    let Some(header) = segment.first_chunk::<{ HEADER as usize }>() else { return false };
    let header_length = usize::from(header[DATA_OFFSET] >> 4) * 4;
    let has_time_stamp = || {
        header_length == TIME_STAMP_HEADER
            && segment[header.len()..].first_chunk() == Some(&TIME_STAMP)
    };
    let ports = ports(header);
    (header_length == header.len() || has_time_stamp())
        && Kind::of_ports(ports).is_none()
        && segment.get(header_length..).is_some_and(|data| {
            super::is_plain_stream(ports, data) && Kind::of_start(data).is_none()
        })
}

/// Returns the check of the ordinary checksum of a segment of `ip`, and appends its pieces.
#[must_use]
pub fn check(ip: &Ip, pieces: &mut Vec<Piece>) -> Check {
    let start = pieces.len() as u32;
    ip.pseudo_header(ip.payload.len(), pieces);
    let pseudo = pieces.len() as u32 - start;
    pieces.push(Piece::Bytes(ip.payload));
    let cover = Span { start, end: pieces.len() as u32 };
    let field = [ip.payload.field(CHECKSUM), Span::default()];
    let addresses = [ip.source, ip.destination];
    Check::present(&TCP, Rule::Internet, field, (cover, pseudo as u8), addresses)
}

/// Reports the ordinary checksum.
#[inline]
pub(super) fn checksum(walk: &mut Walk, ip: &Ip, ports: [u16; 2]) {
    let field = ip.payload.field(CHECKSUM);
    if let Some(check) =
        walk.check(&TCP, Rule::Internet, field, Some(ip), ip.payload, Presence::Present)
    {
        check.ports = Some(ports);
    }
}

/// Returns whether the stream between these ports carries check values of its own.
#[inline]
fn carries_checks(walk: &mut Walk, ports: [u16; 2], payload: Span) -> bool {
    if Kind::of_ports(ports).is_some() {
        return true;
    }
    if Kind::of_start(walk.captured(payload)).is_some() {
        // The ports alone do not show which end is the server: both are stored.
        walk.agreements.storage_ports.extend(ports);
        return true;
    }
    let storage_ports = &walk.agreements.storage_ports;
    !storage_ports.is_empty() && ports.iter().any(|port| storage_ports.contains(port))
}
