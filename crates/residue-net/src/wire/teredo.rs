//! Teredo (RFC 4380): IPv6 over UDP through address translators.

use super::ipv6;
use crate::check::Span;
use crate::frame::Walk;

/// From the first indicator on, or from the IPv6 header.
pub fn walk(walk: &mut Walk, span: Span) {
    let mut span = span;
    // Authentication: identifier and value, a nonce of 8 bytes, a confirmation.
    if walk.u16(span, 0) == Some(1) {
        let (Some(identifier), Some(value)) = (walk.u8(span, 2), walk.u8(span, 3)) else { return };
        span = span.skip(13 + u32::from(identifier) + u32::from(value));
    }
    // Origin: port and address.
    if walk.u16(span, 0) == Some(0) {
        span = span.skip(8);
    }
    ipv6::walk(walk, span);
}
