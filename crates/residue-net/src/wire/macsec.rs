//! MACsec (IEEE 802.1AE) without encryption. Its integrity value cannot be verified without a key.

use super::ethernet;
use crate::check::Span;
use crate::frame::Walk;
use crate::unfollowed::Numbering;

const ENCRYPTED_OR_CHANGED: u8 = 0x0c;
const CHANNEL: u8 = 0x20;

/// Walks a frame from the tag control information on.
pub fn walk(walk: &mut Walk, span: Span) {
    let Some([control, short_length]) = walk.array(span, 0) else { return };
    if control & ENCRYPTED_OR_CHANGED != 0 {
        return walk.unfollowed(Numbering::EtherType, 0x88e5u16);
    }
    let inner = span.skip(if control & CHANNEL != 0 { 14 } else { 6 });
    // Short frames state their length; padding follows the integrity value of 16 bytes.
    let inner = match u32::from(short_length & 63) {
        0 => inner.take(inner.len().saturating_sub(16)),
        length => inner.take(length),
    };
    if let Some(number) = walk.u16(inner, 0) {
        ethernet::typed(walk, number, inner.skip(2));
    }
}
