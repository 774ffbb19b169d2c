//! Ethernet (IEEE 802.3): the frame check sequence, lengths and types.

use super::Field;
use crate::check::{Protocol, Span};
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
/// Smaller numbers in the place of the type are lengths.
const FIRST_TYPE: u16 = 0x600;

/// Walks a frame from the destination address on. `fcs` is the length of a frame check sequence at
/// the end.
pub fn walk(walk: &mut Walk, frame: Span, fcs: Option<u8>) {
    let inside = |walk: &mut Walk, frame: Span| {
        if let Some(number) = walk.u16(frame, TYPE) {
            note_addresses(walk, frame);
            typed(walk, number, frame.skip(HEADER));
        }
    };
    // Some files state the length in bits.
    match fcs {
        Some(4 | 32) => {
            let length = walk.u16(frame, TYPE).filter(|&number| number < FIRST_TYPE);
            let claimed = length.map_or(0, |length| HEADER + u32::from(length));
            walk.check_frame(&FCS, frame, HEADER, claimed, inside);
        }
        _ => inside(walk, frame),
    }
}

/// Notes the addresses at the start of a frame for filters.
#[inline]
pub fn note_addresses(walk: &mut Walk, frame: Span) {
    walk.note(Header::Ethernet([frame.field(SOURCE), frame.field(DESTINATION)]));
}

/// Walks the payload of a type-or-length field.
pub fn typed(walk: &mut Walk, type_or_length: u16, span: Span) {
    if type_or_length >= FIRST_TYPE {
        super::ether_type(walk, type_or_length, span);
    } else {
        super::llc::walk(walk, span.take(u32::from(type_or_length)));
    }
}
