//! RoCEv2: InfiniBand's transport over UDP, with the invariant CRC at its end.

use super::{ipv4, ipv6, udp};
use crate::check::{Piece, Presence, Protocol, Rule, Span};
use crate::frame::{Ip, Walk};

/// Invariant CRC over eight bytes FF in place of the absent local route header, then over the
/// packet from its IP header on, with ones in place of the fields that routers change: traffic
/// class, flow label, time to live, both checksums, and a reserved byte.
pub static ICRC: Protocol = Protocol {
    name: "roce.icrc",
    title: "RoCEv2 invariant CRC",
    source: "InfiniBand architecture, annex A17",
};

/// Offset of a byte of the base transport header that routers may change.
const RESERVED: u32 = 4;
const TRANSPORT_HEADER: u32 = 12;
const CRC: u32 = 4;

/// Walks a packet from the base transport header on.
pub fn walk(walk: &mut Walk, span: Span, ip: &Ip) {
    if span.len() < TRANSPORT_HEADER + CRC || ip.payload.start + udp::HEADER != span.start {
        return;
    }
    // A datagram reassembled from fragments has no header.
    let before = if ip.version == 4 { ipv4::SOURCE.start } else { ipv6::SOURCE.start };
    let Some(start) = ip.source.start.checked_sub(before) else { return };
    // The bytes of ones, and the spans between them.
    let (ones, masked): ([u8; 12], &[(u32, u32)]) = if ip.version == 4 {
        let Some(first) = walk.bytes.get(start as usize) else { return };
        if start + u32::from(first & 15) * 4 != ip.payload.start {
            return;
        }
        ([0xff; 12], &[(1, 1), (8, 1), (10, 2)])
    } else {
        if start + ipv6::HEADER > ip.payload.start {
            return;
        }
        let mut ones = [0xff; 12];
        ones[8] = 0x6f;
        (ones, &[(0, 4), (7, 1)])
    };
    let first = walk.found.pieces.len() as u32;
    let pieces = &mut walk.found.pieces;
    pieces.push(Piece::given(&ones[..8]));
    let mut at = start;
    let checksum = (ip.payload.start + udp::CHECKSUM.start - start, 2);
    let reserved = (span.start + RESERVED - start, 1);
    for &(offset, length) in masked.iter().chain(&[checksum, reserved]) {
        pieces.push(Piece::Bytes(Span { start: at, end: start + offset }));
        pieces.push(Piece::given(if length == 4 { &ones[8..] } else { &ones[..length as usize] }));
        at = start + offset + length;
    }
    let field = Span { start: span.end - CRC, end: span.end };
    pieces.push(Piece::Bytes(Span { start: at, end: field.start }));
    walk.check_pieces(&ICRC, Rule::Crc32, [field, Span::default()], first, 0, Presence::Present);
}
