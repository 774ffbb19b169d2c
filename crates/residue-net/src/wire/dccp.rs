//! DCCP (RFC 4340): the checksum, over as much data as the sender says.

use super::ip::Ip;
use crate::check::{Piece, Presence, Protocol, Rule, Span};
use crate::frame::Walk;

/// The checksum: pseudo-header with the length of the whole, header and options, and none of the data, all, or the first
/// bytes.
pub static DCCP: Protocol =
    Protocol { name: "dccp", title: "DCCP", source: "RFC 4340 section 9.1" };

/// From the source port on.
pub fn walk(walk: &mut Walk, ip: &Ip) {
    let span = ip.payload;
    let Some([a, b, c, d, offset, coverage]) = walk.array::<6>(span, 0) else { return };
    let ports = [u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])];
    let header = u32::from(offset) * 4;
    // RFC 4340 section 9.2: 0 is all, 1 the header, each more another four bytes.
    let covered = match u32::from(coverage & 15) {
        0 => span.len(),
        words => header + (words - 1) * 4,
    };
    let presence = if header < 12 || header > span.len() || covered > span.len() {
        Presence::LengthConflict
    } else {
        Presence::Present
    };
    let start = walk.found.pieces.len() as u32;
    ip.pseudo_header(span.len(), &mut walk.found.pieces);
    let pseudo = walk.found.pieces.len() as u32 - start;
    walk.found.pieces.push(Piece::Bytes(span.take(covered)));
    let field = [Span::at(span.start + 6, 2), Span::default()];
    if let Some(check) =
        walk.check_pieces(&DCCP, Rule::Internet, field, start, pseudo as u8, presence)
    {
        check.ports = Some(ports);
    }
}
