//! Ethernet (IEEE 802.3): the frame check sequence, lengths and types.

use super::Field;
use crate::check::{Presence, Protocol, Rule, Span};
use crate::frame::{Header, Walk};

/// Frame check sequence: CRC-32 from the destination address on, lowest byte first.
pub static FCS: Protocol = Protocol {
    name: "eth.fcs",
    title: "Ethernet frame check sequence",
    source: "IEEE 802.3 section 3.2.9",
};

const DESTINATION: Field = 0..6;
const SOURCE: Field = 6..12;
const TYPE: u32 = 12;
const HEADER: u32 = 14;
const FCS_LENGTH: u32 = 4;

/// Walks a frame from the destination address on. `fcs` is the length of a frame check sequence at
/// the end.
pub fn walk(walk: &mut Walk, frame: Span, fcs: Option<u8>) {
    let mut frame = frame;
    // Some files state the length in bits.
    if let Some(4 | 32) = fcs
        && frame.len() >= FCS_LENGTH + HEADER
    {
        let cover = Span { start: frame.start, end: frame.end - FCS_LENGTH };
        let field = Span { start: cover.end, end: frame.end };
        walk.check(&FCS, Rule::Crc32, field, None, cover, Presence::Present);
        frame = cover;
    }
    if let Some(number) = walk.u16(frame, TYPE) {
        note_addresses(walk, frame);
        typed(walk, number, frame.skip(HEADER));
    }
}

/// Notes the addresses at the start of a frame for filters.
#[inline]
pub fn note_addresses(walk: &mut Walk, frame: Span) {
    walk.note(Header::Ethernet([frame.field(SOURCE), frame.field(DESTINATION)]));
}

/// Walks the payload of a type-or-length field.
pub fn typed(walk: &mut Walk, type_or_length: u16, span: Span) {
    if type_or_length >= 0x600 {
        super::ether_type(walk, type_or_length, span);
    } else {
        super::llc::walk(walk, span.take(u32::from(type_or_length)));
    }
}
