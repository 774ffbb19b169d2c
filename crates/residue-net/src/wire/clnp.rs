//! OSI's network layer: CLNP (ISO 8473) and ES-IS (ISO 9542).

use super::cotp;
use crate::check::{Presence, Protocol, Rule, Span};
use crate::frame::Walk;

/// CLNP's Fletcher checksum: the header. 0 in both octets means none.
pub static CLNP: Protocol =
    Protocol { name: "clnp", title: "CLNP header", source: "ISO/IEC 8473-1 section 6.11" };

/// ES-IS's Fletcher checksum: the PDU, all of which is header. 0 in both octets means none.
pub static ES_IS: Protocol = Protocol { name: "esis", title: "ES-IS", source: "ISO 9542" };

const DATA: u8 = 0x1c;
const SEGMENTATION_PERMITTED: u8 = 0x80;
const MORE_SEGMENTS: u8 = 0x40;

/// CLNP, from the network layer protocol identifier on.
pub fn walk(walk: &mut Walk, span: Span) {
    let (Some(length), Some(kind), Some(segment)) =
        (walk.u8(span, 1), walk.u8(span, 4), walk.u16(span, 5))
    else {
        return;
    };
    header(walk, &CLNP, span, length);
    let Some([destination]) = walk.array::<1>(span, 9) else { return };
    let source = 10 + u32::from(destination);
    let Some(source_length) = walk.u8(span, source) else { return };
    let parts = source + 1 + u32::from(source_length);
    let whole = kind & SEGMENTATION_PERMITTED == 0
        || kind & MORE_SEGMENTS == 0 && walk.u16(span, parts + 2) == Some(0);
    if kind & 31 == DATA && whole {
        let end = span.take(u32::from(segment));
        cotp::walk(walk, end.skip(u32::from(length)));
    }
}

/// ES-IS, from the network layer protocol identifier on.
pub fn end_system(walk: &mut Walk, span: Span) {
    if let Some(length) = walk.u8(span, 1) {
        header(walk, &ES_IS, span, length);
    }
}

fn header(walk: &mut Walk, protocol: &'static Protocol, span: Span, length: u8) {
    let field = Span::at(span.start + 7, 2);
    let cover = Span::at(span.start, u32::from(length));
    let presence = match walk.u16(span, 7) {
        _ if length < 9 => Presence::LengthConflict,
        Some(0) => Presence::Absent,
        _ => Presence::Present,
    };
    walk.check(protocol, Rule::CheckOctets, field, None, cover, presence);
}
