//! IEEE 802.11: the frame check sequence, and LLC in data frames that are not encrypted, also in
//! several that were aggregated.

use super::llc;
use crate::check::{Protocol, Span};
use crate::frame::Walk;
use crate::unfollowed::Numbering;

/// Frame check sequence: CRC-32 from frame control on, lowest byte first.
pub static FCS: Protocol = Protocol {
    name: "wlan.fcs",
    title: "IEEE 802.11 frame check sequence",
    source: "IEEE 802.11 section 9.2.4",
};

const SHORTEST_HEADER: u32 = 10;

/// Fields of a frame in an aggregate.
const PART_LENGTH: u32 = 12;
const PART_HEADER: u32 = 14;
/// Service access points of SNAP, with which nearly all payloads begin.
pub(crate) const SNAP: [u8; 3] = [0xaa, 0xaa, 3];

/// Bit of the quality of service control of a data frame.
const AGGREGATED: u8 = 0x80;

/// Walks a frame from frame control on. `fcs`: it ends with a frame check sequence; `padded`: the
/// length of the header is rounded up to a multiple of 4.
pub fn walk(walk: &mut Walk, frame: Span, fcs: bool, padded: bool) {
    let inside = |walk: &mut Walk, frame: Span| {
        if let Some(control) = walk.array(frame, 0) {
            data(walk, frame, control, padded);
        }
    };
    if fcs {
        walk.check_frame(&FCS, frame, SHORTEST_HEADER, 0, inside);
    } else {
        inside(walk, frame);
    }
}

/// Walks a frame in a tunnel between access point and controller, without frame check sequence.
/// Cisco's exchange the two bytes of frame control, which shows in the version: it is always 0.
pub fn tunnelled(walk: &mut Walk, frame: Span) {
    const VERSION: u8 = 3;
    match walk.array(frame, 0) {
        Some([flags, control]) if flags & VERSION != 0 && control & VERSION == 0 => {
            data(walk, frame, [control, flags], false);
        }
        Some(control) => data(walk, frame, control, false),
        None => {}
    }
}

/// Flag of frame control: the payload is encrypted.
const PROTECTED: u8 = 0x40;

/// Returns whether a frame has data.
fn has_data(control: u8) -> bool {
    const NO_DATA: u8 = 0x40;
    control & (0x0f | NO_DATA) == 8
}

/// Returns the length of the header before quality of service, and that with it.
fn header_lengths([control, flags]: [u8; 2]) -> (u32, u32) {
    let (both_systems, ordered) = (flags & 3 == 3, flags & 0x80 != 0);
    let base = if both_systems { 30 } else { 24 };
    let quality_of_service = if control & 0x80 == 0 {
        0
    } else if ordered {
        6
    } else {
        2
    };
    (base, base + quality_of_service)
}

/// Returns the length of the header of a data frame whose payload is flagged as encrypted; `None`
/// for others.
pub(crate) fn protected_header(control: [u8; 2]) -> Option<usize> {
    let is_protected = has_data(control[0]) && control[1] & PROTECTED != 0;
    is_protected.then(|| header_lengths(control).1 as usize)
}

/// Walks the payload of a data frame.
fn data(walk: &mut Walk, frame: Span, control: [u8; 2], padded: bool) {
    if !has_data(control[0]) {
        return;
    }
    if control[1] & PROTECTED != 0 {
        return walk.unfollowed(Numbering::Wlan, PROTECTED);
    }
    let (base, mut length) = header_lengths(control);
    let mut aggregated = false;
    if length > base {
        let Some(control) = walk.u8(frame, base) else { return };
        aggregated = control & AGGREGATED != 0;
    }
    if padded {
        length = length.next_multiple_of(4);
    }
    let payload = frame.skip(length);
    // Some drivers take aggregates apart and leave the bit.
    if aggregated && walk.array(payload, 0) != Some(SNAP) {
        parts(walk, payload);
    } else {
        llc::walk(walk, payload);
    }
}

/// Walks the frames of an aggregate (IEEE 802.11 section 9.3.2.2): destination, source, length,
/// LLC, padding to a multiple of 4 bytes.
fn parts(walk: &mut Walk, payload: Span) {
    let mut rest = payload;
    while let Some(length) = walk.u16(rest, PART_LENGTH).map(u32::from) {
        llc::walk(walk, rest.skip(PART_HEADER).take(length));
        rest = rest.skip((PART_HEADER + length).next_multiple_of(4));
    }
}

/// Walks the header of AVS or of Prism's cards before a frame; both state their length, Prism's in
/// the byte order of the capturing host.
pub fn prism(walk: &mut Walk, frame: Span) {
    const AVS: u32 = 0x8021_1000;
    const LONGEST: u32 = 0xffff;
    if let (Some(first), Some(length)) = (walk.u32(frame, 0), walk.u32(frame, 4)) {
        let is_swapped = first & !0xff != AVS && length > LONGEST;
        let length = if is_swapped { length.swap_bytes() } else { length };
        if (8..=LONGEST).contains(&length) {
            self::walk(walk, frame.skip(length), false, false);
        }
    }
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
