//! Teredo (RFC 4380): IPv6 over UDP through address translators.

use super::ipv6;
use crate::check::Span;
use crate::frame::Walk;

const IDENTIFIER_LENGTH: u32 = 2;
const VALUE_LENGTH: u32 = 3;
/// Length of an authentication without identifier and value.
const AUTHENTICATION: u32 = 13;
/// Length of an origin.
const ORIGIN: u32 = 8;

/// Walks a packet from the first indicator on, or from the IPv6 header on.
pub fn walk(walk: &mut Walk, span: Span) {
    let mut span = span;
    // Authentication: identifier and value, a nonce of 8 bytes, a confirmation.
    if walk.u16(span, 0) == Some(1) {
        let (Some(identifier), Some(value)) =
            (walk.u8(span, IDENTIFIER_LENGTH), walk.u8(span, VALUE_LENGTH))
        else {
            return;
        };
        span = span.skip(AUTHENTICATION + u32::from(identifier) + u32::from(value));
    }
    // Origin: port and address.
    if walk.u16(span, 0) == Some(0) {
        span = span.skip(ORIGIN);
    }
    ipv6::walk(walk, span);
}
