//! DNP3 (IEEE 1815): frames of a header and blocks of 16 bytes, each with a CRC.

use crate::check::{Presence, Protocol, Rule, Span};
use crate::frame::Walk;

/// CRC of the header, over start, length, control and addresses.
pub static HEADER: Protocol =
    Protocol { name: "dnp3.header", title: "DNP3 header", source: "IEEE 1815, data link layer" };

/// CRC of a data block of 16 bytes, except for the last.
pub static DATA: Protocol =
    Protocol { name: "dnp3.data", title: "DNP3 data block", source: "IEEE 1815, data link layer" };

/// The first two bytes of a frame.
pub const START: u16 = 0x0564;

const LENGTH: u32 = 2;
/// Length of the header in bytes, including its CRC.
const HEADER_BLOCK: u32 = 10;
/// Number of bytes of the header that the length field counts.
const COUNTED: u8 = 5;
/// Length of a data block in bytes.
const DATA_BLOCK: u32 = 16;
const CRC: u32 = 2;

/// Walks frames from the start bytes on. Frames that continue in another segment are judged only in
/// this one.
pub fn walk(walk: &mut Walk, span: Span) {
    let mut rest = span;
    while walk.u16(rest, 0) == Some(START) {
        let Some(length) = walk.u8(rest, LENGTH).filter(|&length| length >= COUNTED) else {
            return;
        };
        block(walk, &HEADER, rest.take(HEADER_BLOCK));
        rest = rest.skip(HEADER_BLOCK);
        let mut left = u32::from(length - COUNTED);
        while left > 0 && !rest.is_empty() {
            let data = left.min(DATA_BLOCK);
            block(walk, &DATA, Span::at(rest.start, data + CRC));
            rest = rest.skip(data + CRC);
            left -= data;
        }
    }
}

fn block(walk: &mut Walk, protocol: &'static Protocol, span: Span) {
    if span.len() > CRC {
        let field = Span { start: span.end - CRC, end: span.end };
        let cover = Span { start: span.start, end: field.start };
        walk.check(protocol, Rule::Dnp3, field, None, cover, Presence::Present);
    }
}
