//! STUN (RFC 8489): the fingerprint, which distinguishes it from other protocols on its port.

use crate::check::{Presence, Protocol, Rule, Span};
use crate::frame::Walk;

/// Fingerprint: CRC-32 of the message before it, exclusive-or "STUN".
pub static STUN: Protocol =
    Protocol { name: "stun", title: "STUN fingerprint", source: "RFC 8489 section 14.7" };

const LENGTH: u32 = 2;
const MAGIC_COOKIE: u32 = 4;
const HEADER: u32 = 20;
const ATTRIBUTE_TYPE: u32 = 0;
const ATTRIBUTE_LENGTH: u32 = 2;
const ATTRIBUTE_HEADER: u32 = 4;

const COOKIE: u32 = 0x2112_a442;
const FINGERPRINT: u16 = 0x8028;

/// Walks a message from its type on. Does nothing without the magic cookie, whatever the ports.
#[inline]
pub fn walk(walk: &mut Walk, span: Span) {
    if is_message(walk, span) {
        attributes(walk, span);
    }
}

/// Returns whether a span is a STUN message.
#[inline]
pub fn is_message(walk: &Walk, span: Span) -> bool {
    walk.u32(span, MAGIC_COOKIE) == Some(COOKIE)
        && walk.u8(span, 0).is_some_and(|first| first >> 6 == 0)
}

fn attributes(walk: &mut Walk, span: Span) {
    let Some(length) = walk.u16(span, LENGTH) else { return };
    let mut rest = span.take(HEADER + u32::from(length)).skip(HEADER);
    while let (Some(kind), Some(length)) =
        (walk.u16(rest, ATTRIBUTE_TYPE), walk.u16(rest, ATTRIBUTE_LENGTH))
    {
        if (kind, length) == (FINGERPRINT, 4) {
            let cover = Span { start: span.start, end: rest.start };
            let field = rest.skip(ATTRIBUTE_HEADER).take(4);
            if field.len() == 4 {
                walk.check(&STUN, Rule::Stun, field, None, cover, Presence::Present);
            }
            return;
        }
        rest = rest.skip(ATTRIBUTE_HEADER + u32::from(length).next_multiple_of(4));
    }
}
