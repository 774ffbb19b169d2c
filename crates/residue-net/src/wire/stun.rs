//! STUN (RFC 8489): the fingerprint that tells it from other protocols on the same port.

use crate::check::{Presence, Protocol, Rule, Span};
use crate::frame::Walk;

/// The fingerprint: CRC-32 of the message up to it, exclusive-or "STUN".
pub static STUN: Protocol =
    Protocol { name: "stun", title: "STUN fingerprint", source: "RFC 8489 section 14.7" };

const COOKIE: u32 = 0x2112_a442;
const FINGERPRINT: u16 = 0x8028;

/// From the message type on: does nothing if it is not STUN, which its magic cookie tells, on any port.
#[inline]
pub fn walk(walk: &mut Walk, span: Span) {
    if is_message(walk, span) {
        attributes(walk, span);
    }
}

/// Is it a STUN message?
#[inline]
pub fn is_message(walk: &Walk, span: Span) -> bool {
    walk.u32(span, 4) == Some(COOKIE) && walk.u8(span, 0).is_some_and(|first| first >> 6 == 0)
}

fn attributes(walk: &mut Walk, span: Span) {
    let Some(length) = walk.u16(span, 2) else { return };
    let mut rest = span.take(20 + u32::from(length)).skip(20);
    while let (Some(kind), Some(length)) = (walk.u16(rest, 0), walk.u16(rest, 2)) {
        if (kind, length) == (FINGERPRINT, 4) {
            let cover = Span { start: span.start, end: rest.start };
            let field = rest.skip(4).take(4);
            if field.len() == 4 {
                walk.check(&STUN, Rule::Stun, field, None, cover, Presence::Present);
            }
            return;
        }
        rest = rest.skip(4 + u32::from(length).next_multiple_of(4));
    }
}
