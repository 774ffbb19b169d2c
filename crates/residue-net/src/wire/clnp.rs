//! OSI's network layer: CLNP (ISO 8473) and ES-IS (ISO 9542).

use super::Field;
use super::cotp;
use crate::check::{Presence, Protocol, Rule, Span};
use crate::frame::Walk;

/// Fletcher checksum of CLNP, over the header. 0 in both octets means none.
pub static CLNP: Protocol =
    Protocol { name: "clnp", title: "CLNP header", source: "ISO/IEC 8473-1 section 6.11" };

/// Fletcher checksum of ES-IS, over the PDU, which is only a header. 0 in both octets means none.
pub static ES_IS: Protocol = Protocol { name: "esis", title: "ES-IS", source: "ISO 9542" };

const DATA: u8 = 0x1c;
const SEGMENTATION_PERMITTED: u8 = 0x80;
const MORE_SEGMENTS: u8 = 0x40;

const LENGTH: u32 = 1;
const TYPE: u32 = 4;
const SEGMENT_LENGTH: u32 = 5;
const CHECKSUM: Field = 7..9;
const DESTINATION_LENGTH: u32 = 9;

/// Walks CLNP from the network layer protocol identifier on.
pub fn walk(walk: &mut Walk, span: Span) {
    let (Some(length), Some(kind), Some(segment)) =
        (walk.u8(span, LENGTH), walk.u8(span, TYPE), walk.u16(span, SEGMENT_LENGTH))
    else {
        return;
    };
    header(walk, &CLNP, span, length);
    let Some(destination_length) = walk.u8(span, DESTINATION_LENGTH) else { return };
    let source = DESTINATION_LENGTH + 1 + u32::from(destination_length);
    let Some(source_length) = walk.u8(span, source) else { return };
    let parts = source + 1 + u32::from(source_length);
    let whole = kind & SEGMENTATION_PERMITTED == 0
        || kind & MORE_SEGMENTS == 0 && walk.u16(span, parts + 2) == Some(0);
    if kind & 31 == DATA && whole {
        let end = span.take(u32::from(segment));
        cotp::walk(walk, end.skip(u32::from(length)));
    }
}

/// Walks ES-IS from the network layer protocol identifier on.
pub fn end_system(walk: &mut Walk, span: Span) {
    if let Some(length) = walk.u8(span, LENGTH) {
        header(walk, &ES_IS, span, length);
    }
}

fn header(walk: &mut Walk, protocol: &'static Protocol, span: Span, length: u8) {
    let field = span.field(CHECKSUM);
    let cover = Span::at(span.start, u32::from(length));
    let presence = match walk.u16(span, CHECKSUM.start) {
        _ if u32::from(length) < CHECKSUM.end => Presence::LengthConflict,
        Some(0) => Presence::Absent,
        _ => Presence::Present,
    };
    walk.check(protocol, Rule::CheckOctets, field, None, cover, presence);
}
