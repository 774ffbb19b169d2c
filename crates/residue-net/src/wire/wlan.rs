//! IEEE 802.11: the frame check sequence, and LLC in data frames that are not encrypted.

use super::llc;
use crate::check::{Presence, Protocol, Rule, Span};
use crate::frame::Walk;
use crate::unfollowed::Numbering;

/// Frame check sequence: CRC-32 from frame control on, lowest byte first.
pub static FCS: Protocol = Protocol {
    name: "wlan.fcs",
    title: "IEEE 802.11 frame check sequence",
    source: "IEEE 802.11 section 9.2.4",
};

const FCS_LENGTH: u32 = 4;
const SHORTEST_HEADER: u32 = 10;

/// Bit of the quality of service control of a data frame.
const AGGREGATED: u8 = 0x80;

/// Walks a frame from frame control on. `fcs`: it ends with a frame check sequence; `padded`: the
/// length of the header is rounded up to a multiple of 4.
pub fn walk(walk: &mut Walk, frame: Span, fcs: bool, padded: bool) {
    let mut frame = frame;
    if fcs && frame.len() >= FCS_LENGTH + SHORTEST_HEADER {
        let cover = Span { start: frame.start, end: frame.end - FCS_LENGTH };
        let field = Span { start: cover.end, end: frame.end };
        walk.check(&FCS, Rule::Crc32, field, None, cover, Presence::Present);
        frame = cover;
    }
    data(walk, frame, padded);
}

/// Walks the payload of a data frame.
fn data(walk: &mut Walk, frame: Span, padded: bool) {
    let Some([control, flags]) = walk.array(frame, 0) else { return };
    let (is_data, quality_of_service, empty) =
        (control & 0x0f == 8, control & 0x80, control & 0x40);
    let (both_systems, protected, ordered) = (flags & 3 == 3, flags & 0x40, flags & 0x80);
    if !is_data || empty != 0 {
        return;
    }
    if protected != 0 {
        return walk.unfollowed(Numbering::Wlan, protected);
    }
    let mut length = if both_systems { 30 } else { 24 };
    if quality_of_service != 0 {
        // Aggregated frames have their own headers.
        let Some(control) = walk.u8(frame, length) else { return };
        if control & AGGREGATED != 0 {
            return walk.unfollowed(Numbering::Wlan, AGGREGATED);
        }
        length += if ordered != 0 { 6 } else { 2 };
    }
    if padded {
        length = length.next_multiple_of(4);
    }
    llc::walk(walk, frame.skip(length));
}

/// Walks radiotap's header (radiotap.org), whose numbers are little-endian. Its second field shows
/// whether there is a frame check sequence, and padding.
pub fn radiotap(walk: &mut Walk, frame: Span) {
    const LENGTH: u32 = 2;
    const PRESENT: u32 = 4;
    const TIME: u32 = 1;
    const FLAGS: u32 = 2;
    const MORE: u32 = 1 << 31;
    let (Some(length), Some(present)) = (walk.array(frame, LENGTH), walk.u32(frame, PRESENT))
    else {
        return;
    };
    let length = u32::from(u16::from_le_bytes(length));
    let present = present.swap_bytes();
    let mut at = 8;
    let mut word = present;
    while word & MORE != 0 {
        let Some(next) = walk.u32(frame, at) else { return };
        word = next.swap_bytes();
        at += 4;
    }
    if present & TIME != 0 {
        at = at.next_multiple_of(8) + 8;
    }
    let flags = if present & FLAGS != 0 { walk.u8(frame, at).unwrap_or(0) } else { 0 };
    self::walk(walk, frame.skip(length), flags & 0x10 != 0, flags & 0x20 != 0);
}
