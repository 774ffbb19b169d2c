//! Per-Packet Information (CACE, version 1.0.10): fields before a packet of any link type. Its
//! numbers are little-endian.

use super::link;
use crate::check::Span;
use crate::frame::Walk;
use crate::pcap::LinkType;

const LENGTH: u32 = 2;
const LINK: u32 = 4;
const HEADER: u32 = 8;

/// Fields of a field's header, and the type of that with the flags of an IEEE 802.11 frame.
const FIELD_LENGTH: u32 = 2;
const FIELD_HEADER: u32 = 4;
const WLAN: u16 = 2;
/// Offset of these flags after a time stamp; the first one marks a frame check sequence.
const WLAN_FLAGS: u32 = 8;
const HAS_FCS: u16 = 1;

/// Walks a packet from the version on.
pub fn walk(walk: &mut Walk, frame: Span) {
    let (Some([0, flags]), Some(length), Some(link)) =
        (walk.array(frame, 0), little(walk, frame, LENGTH), walk.u32(frame, LINK))
    else {
        return;
    };
    // The first flag: every field begins at a multiple of four bytes.
    let unit = if flags & 1 != 0 { 4 } else { 1 };
    let mut rest = frame.take(length.into()).skip(HEADER);
    let mut fcs = None;
    while let (Some(kind), Some(length)) = (little(walk, rest, 0), little(walk, rest, FIELD_LENGTH))
    {
        rest = rest.skip(FIELD_HEADER);
        if kind == WLAN {
            fcs = little(walk, rest, WLAN_FLAGS)
                .map(|flags| if flags & HAS_FCS != 0 { 4 } else { 0 });
        }
        rest = rest.skip(u32::from(length).next_multiple_of(unit));
    }
    if u32::from(length) >= HEADER {
        let link = LinkType(link.swap_bytes());
        walk.deeper(|walk| link::walk(walk, link, frame.skip(length.into()), fcs));
    }
}

fn little(walk: &Walk, span: Span, place: u32) -> Option<u16> {
    walk.array(span, place).map(u16::from_le_bytes)
}
