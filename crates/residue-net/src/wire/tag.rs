//! Tags of Ethernet: bytes between the addresses of a frame and its type, or around a whole frame.
//!
//! They may be stacked without limit. Each is passed by its length alone, so that a packet of
//! nothing but tags costs no more than its bytes.

use super::ethernet;
use crate::check::Span;
use crate::frame::{Header, Walk};

/// Returns the offset of the next type after a tag with this EtherType; `None` if it is no tag.
#[must_use]
pub fn next_type(ether_type: u16) -> Option<u32> {
    Some(match ether_type {
        // VLAN tag (IEEE 802.1Q section 9.6) and its older numbers: control information.
        0x8100 | 0x88a8 | 0x9100 | 0x9200 => 2,
        // Cisco's VN-tag, of which 802.1BR was made: direction and two ports.
        0x8926 => 4,
        // E-tag (IEEE 802.1BR section 7.5): priority, and the numbers of two port extenders.
        0x893f => 6,
        // HSR (IEC 62439-3): path, size, sequence number.
        0x892f => 4,
        // Cisco's metadata tag: version, length, an option.
        0x8909 => 6,
        // Provider backbone bridges (IEEE 802.1Q section 9.7): the instance tag, then the
        // customer's frame with its two addresses.
        0x88e7 => 4 + ADDRESSES,
        // Cisco's FabricPath: forwarding tag and time to live between the addresses of switches
        // and the frame.
        0x8903 => 2 + ADDRESSES,
        _ => return None,
    })
}

/// Length of the destination and the source address of a frame.
const ADDRESSES: u32 = 12;

/// Walks from the first byte after the EtherType of a tag on: this tag, all that follow, and what
/// they are around.
pub fn walk(walk: &mut Walk, ether_type: u16, span: Span) {
    let (mut number, mut rest) = (ether_type, span);
    while let Some(place) = next_type(number) {
        let Some(next) = walk.u16(rest, place) else { return };
        note(walk, number, rest, place);
        if number != ether_type || rest != span {
            walk.note(Header::EtherType(number, rest));
        }
        (number, rest) = (next, rest.skip(place + 2));
    }
    ethernet::typed(walk, number, rest);
}

/// Notes a tag for filters: the number of a VLAN, the addresses of a frame inside.
#[inline]
fn note(walk: &mut Walk, ether_type: u16, span: Span, place: u32) {
    if matches!(ether_type, 0x8100 | 0x88a8 | 0x9100 | 0x9200) {
        if let Some(control) = walk.u16(span, 0) {
            walk.note(Header::Vlan(control & 0xfff));
        }
    } else if place >= ADDRESSES {
        ethernet::note_addresses(walk, span.skip(place - ADDRESSES));
    }
}

/// Walks a time stamp that Arista's switches put before the type: a subtype, a version, seconds and
/// nanoseconds with 32 or 16 bits for the former.
pub fn arista(walk: &mut Walk, span: Span) {
    const TIME: u16 = 1;
    let (Some(TIME), Some(version)) = (walk.u16(span, 0), walk.u16(span, 2)) else { return };
    let place = match version & 0xff {
        0x10 => 12,
        0x20 => 10,
        _ => return walk.unfollowed(crate::unfollowed::Numbering::EtherType, 0xd28bu16),
    };
    if let Some(number) = walk.u16(span, place) {
        ethernet::typed(walk, number, span.skip(place + 2));
    }
}

/// Walks a frame in which the tag of a switch chip (Broadcom; Marvell's DSA and EDSA) is between
/// the addresses and the type, which is at `place`.
pub fn switch(walk: &mut Walk, frame: Span, place: u32) {
    if let Some(number) = walk.u16(frame, place) {
        ethernet::note_addresses(walk, frame);
        ethernet::typed(walk, number, frame.skip(place + 2));
    }
}
