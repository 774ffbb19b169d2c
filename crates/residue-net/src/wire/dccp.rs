//! DCCP (RFC 4340): the checksum, over as much data as the sender selects.

use super::{Field, ports};
use crate::check::{Piece, Presence, Protocol, Rule, Span};
use crate::frame::{Ip, Walk};

/// Checksum over the pseudo-header with the full length, the header with options, and none, all or
/// the first bytes of the data.
pub static DCCP: Protocol =
    Protocol { name: "dccp", title: "DCCP", source: "RFC 4340 section 9.1" };

const DATA_OFFSET: usize = 4;
const COVERAGE: usize = 5;
pub(super) const CHECKSUM: Field = 6..8;
const SHORTEST_HEADER: u32 = 12;

/// Walks a packet from the source port on.
pub fn walk(walk: &mut Walk, ip: &Ip) {
    let span = ip.payload;
    let Some(fixed) = walk.array::<6>(span, 0) else { return };
    let ports = ports(&fixed);
    let header = u32::from(fixed[DATA_OFFSET]) * 4;
    // RFC 4340 section 9.2: 0 is all, 1 the header, each further step four more bytes.
    let covered = match u32::from(fixed[COVERAGE] & 15) {
        0 => span.len(),
        words => header + (words - 1) * 4,
    };
    let presence = if header < SHORTEST_HEADER || header > span.len() || covered > span.len() {
        Presence::LengthConflict
    } else {
        Presence::Present
    };
    let start = walk.found.pieces.len() as u32;
    ip.pseudo_header(span.len(), &mut walk.found.pieces);
    let pseudo = walk.found.pieces.len() as u32 - start;
    walk.found.pieces.push(Piece::Bytes(span.take(covered)));
    let field = [span.field(CHECKSUM), Span::default()];
    if let Some(check) =
        walk.check_pieces(&DCCP, Rule::Internet, field, start, pseudo as u8, presence)
    {
        check.ports = Some(ports);
    }
}
