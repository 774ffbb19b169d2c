//! CAPWAP (RFC 5415) and LWAPP (RFC 5412), its predecessor: frames between wireless access points
//! and their controller, IEEE 802.11 or Ethernet. Control messages hold no check value.

use super::{ethernet, wlan};
use crate::check::Span;
use crate::frame::Walk;
use crate::unfollowed::Numbering;

/// Bits of the three bytes after the preamble.
const LENGTH_SHIFT: u32 = 19;
const BINDING_SHIFT: u32 = 9;
const NATIVE: u32 = 1 << 8;
const FRAGMENT: u32 = 1 << 7;
const KEEP_ALIVE: u32 = 1 << 3;

const HEADER: u32 = 8;
/// The wireless binding of IEEE 802.11 (RFC 5416).
const WLAN: u32 = 1;

/// Reasons why a packet cannot be followed, as numbers of [`Numbering::Capwap`].
pub(crate) const ENCRYPTED: u64 = 1;
pub(crate) const PARTS: u64 = 2;
pub(crate) const OTHER_RADIO: u64 = 3;

/// Walks a packet of the data channel from the preamble on.
pub fn data(walk: &mut Walk, span: Span) {
    let Some(word) = clear(walk, span) else { return };
    let length = (word >> LENGTH_SHIFT & 31) * 4;
    if length < HEADER || length > span.len() || word & KEEP_ALIVE != 0 {
        return;
    }
    if word & FRAGMENT != 0 {
        return walk.unfollowed(Numbering::Capwap, PARTS);
    }
    let inner = span.skip(length);
    match word & NATIVE {
        0 => ethernet::walk(walk, inner, None),
        _ if word >> BINDING_SHIFT & 31 == WLAN => wlan::tunnelled(walk, inner),
        _ => walk.unfollowed(Numbering::Capwap, OTHER_RADIO),
    }
}

/// Walks a packet of the control channel from the preamble on.
pub fn control(walk: &mut Walk, span: Span) {
    clear(walk, span);
}

/// Returns the bits after the preamble, unless DTLS follows.
fn clear(walk: &mut Walk, span: Span) -> Option<u32> {
    let [preamble, bits @ ..] = walk.array::<4>(span, 0)?;
    match preamble {
        0 => Some(u32::from_be_bytes([0, bits[0], bits[1], bits[2]])),
        // Three reserved bytes, then a record of DTLS: its type and version.
        1 if matches!(walk.array(span, 4), Some([20..=24, 0xfe])) => {
            walk.unfollowed(Numbering::Capwap, ENCRYPTED);
            None
        }
        _ => None,
    }
}

/// Walks an LWAPP packet from the version on.
pub fn lwapp(walk: &mut Walk, span: Span) {
    const VERSION: u8 = 0xc0;
    const CONTROL: u8 = 4;
    const FRAGMENT: u8 = 2;
    const NOT_LAST: u8 = 1;
    const HEADER: u32 = 6;
    let (Some(flags), Some(length)) = (walk.u8(span, 0), walk.u16(span, 2)) else { return };
    let inner = span.skip(HEADER);
    if flags & (VERSION | CONTROL) != 0 || u32::from(length) != inner.len() {
        return;
    }
    if flags & (FRAGMENT | NOT_LAST) != 0 {
        return walk.unfollowed(Numbering::Capwap, PARTS);
    }
    wlan::tunnelled(walk, inner);
}
