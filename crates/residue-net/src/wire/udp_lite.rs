//! UDP-Lite (RFC 3828): the checksum, over as many bytes as the sender selects.

use super::{Field, number, ports};
use crate::check::{Piece, Presence, Protocol, Rule, Span};
use crate::frame::{Ip, Walk};

/// Checksum over the pseudo-header with the full length, then over the first bytes of header and
/// data. A computed 0 is sent as FFFF.
pub static UDP_LITE: Protocol =
    Protocol { name: "udplite", title: "UDP-Lite", source: "RFC 3828 section 3.1" };

const COVERAGE: Field = 4..6;
pub(super) const CHECKSUM: Field = 6..8;
const HEADER: u32 = 8;

/// Walks a datagram from the source port on.
pub fn walk(walk: &mut Walk, ip: &Ip) {
    let span = ip.payload;
    let Some(header) = walk.array::<8>(span, 0) else { return };
    let ports = ports(&header);
    let coverage = number(&header, COVERAGE);
    let presence = match coverage {
        1..8 => Presence::Illegal,
        _ if number(&header, CHECKSUM) == 0 => Presence::Illegal,
        _ if coverage > span.len() => Presence::LengthConflict,
        _ => Presence::Present,
    };
    let cover = if coverage == 0 { span } else { span.take(coverage) };
    let start = walk.found.pieces.len() as u32;
    ip.pseudo_header(span.len(), &mut walk.found.pieces);
    let pseudo = walk.found.pieces.len() as u32 - start;
    walk.found.pieces.push(Piece::Bytes(cover));
    let field = [span.field(CHECKSUM), Span::default()];
    let rule = Rule::InternetNeverZero;
    if let Some(check) = walk.check_pieces(&UDP_LITE, rule, field, start, pseudo as u8, presence) {
        check.ports = Some(ports);
    }
    super::udp_port(walk, ports, span.skip(HEADER), ip);
}
