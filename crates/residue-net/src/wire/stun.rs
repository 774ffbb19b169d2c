//! STUN (RFC 8489): the fingerprint, which distinguishes it from other protocols on its port; and
//! TURN (RFC 8656), whose messages and channels carry the datagrams of others, STUN among them.

use crate::check::{Presence, Protocol, Rule, Span};
use crate::frame::Walk;
use crate::unfollowed::Numbering;

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
/// A datagram that a TURN server passes on (RFC 8656 section 18.5).
const DATA: u16 = 0x0013;

/// A channel's message (RFC 8656 section 12.4): its number, the length of the data.
const CHANNEL_LENGTH: u32 = 2;
const CHANNEL_HEADER: u32 = 4;

/// Length of the prefix of messages in TCP streams of ICE (RFC 4571, RFC 6544): the length of what
/// follows.
const PREFIX: u32 = 2;

/// Walks a datagram, which is a message or that of a channel. Does nothing without the magic
/// cookie, whatever the ports.
#[inline]
pub fn walk(walk: &mut Walk, span: Span) {
    if is_message(walk, span) {
        attributes(walk, span);
    } else if is_channel(walk, span) && is_message(walk, span.skip(CHANNEL_HEADER)) {
        channel(walk, span);
    }
}

/// Returns whether a span is a STUN message.
#[inline]
pub fn is_message(walk: &Walk, span: Span) -> bool {
    walk.u32(span, MAGIC_COOKIE) == Some(COOKIE)
        && walk.u8(span, 0).is_some_and(|first| first >> 6 == 0)
}

/// Returns whether the number of a channel comes first.
#[inline]
fn is_channel(walk: &Walk, span: Span) -> bool {
    walk.u8(span, 0).is_some_and(|first| first >> 4 == 4)
}

#[inline(never)]
fn channel(walk: &mut Walk, span: Span) {
    let length = walk.u16(span, CHANNEL_LENGTH).unwrap_or(0);
    let inner = span.skip(CHANNEL_HEADER).take(length.into());
    walk.deeper(|walk| self::walk(walk, inner));
}

#[inline(never)]
fn attributes(walk: &mut Walk, span: Span) {
    let Some(length) = walk.u16(span, LENGTH) else { return };
    let mut rest = span.take(HEADER + u32::from(length)).skip(HEADER);
    while let (Some(kind), Some(length)) =
        (walk.u16(rest, ATTRIBUTE_TYPE), walk.u16(rest, ATTRIBUTE_LENGTH))
    {
        let value = rest.skip(ATTRIBUTE_HEADER).take(length.into());
        if (kind, length) == (FINGERPRINT, 4) {
            let cover = Span { start: span.start, end: rest.start };
            if value.len() == 4 {
                walk.check(&STUN, Rule::Stun, value, None, cover, Presence::Present);
            }
            return;
        }
        if kind == DATA {
            walk.deeper(|walk| self::walk(walk, value));
        }
        rest = rest.skip(ATTRIBUTE_HEADER + u32::from(length).next_multiple_of(4));
    }
}

/// Returns whether the magic cookie is at this offset.
#[inline]
fn has_cookie(data: &[u8], offset: u32) -> bool {
    // By arrays: a comparison of slices may be a call.
    data.get(offset as usize..).and_then(|data| data.first_chunk()) == Some(&COOKIE.to_be_bytes())
}

/// Returns whether it is certain that [`walk`] does nothing with a datagram.
#[inline]
pub(crate) fn is_none(data: &[u8]) -> bool {
    !has_cookie(data, MAGIC_COOKIE) && !has_cookie(data, CHANNEL_HEADER + MAGIC_COOKIE)
}

/// Returns whether it is certain that [`stream`] does nothing with the data of a segment.
#[inline]
pub(crate) fn is_none_in_stream(data: &[u8]) -> bool {
    let Some(start) = data.first_chunk::<{ CHANNEL_HEADER as usize }>() else {
        // Too short for a cookie.
        return true;
    };
    let length = u32::from(u16::from_be_bytes([start[2], start[3]])).next_multiple_of(4);
    let is_last = data.len() < (CHANNEL_HEADER + length) as usize;
    start[0] >> 7 != 0
        || (start[0] >> 4 != 4 || is_last)
            && is_none(data)
            && !has_cookie(data, PREFIX + MAGIC_COOKIE)
}

/// Walks the data of a TCP segment that begins with a message: messages and those of channels, one
/// behind the other (RFC 8489 section 6.2.2; RFC 8656 section 12.5 pads channels), or with a length
/// before each (RFC 4571). Nothing is done unless there is a message.
#[inline]
pub fn stream(walk: &mut Walk, span: Span) {
    // Lengths and numbers of channels begin with these bits.
    if walk.u8(span, 0).is_none_or(|first| first >> 7 != 0) {
        return;
    }
    if is_message(walk, span) || is_channel(walk, span) && reaches_message(walk, span) {
        messages(walk, span);
    } else if is_message(walk, span.skip(PREFIX)) {
        prefixed(walk, span);
    }
}

/// Returns the length of the first message, or of the first one of a channel.
fn length(walk: &Walk, span: Span) -> Option<u32> {
    let length = u32::from(walk.u16(span, LENGTH)?);
    if is_message(walk, span) {
        Some(HEADER + length)
    } else if is_channel(walk, span) {
        Some(CHANNEL_HEADER + length.next_multiple_of(4))
    } else {
        None
    }
}

/// Returns whether there is a STUN message behind or in messages of channels that end exactly
/// there.
#[inline(never)]
fn reaches_message(walk: &Walk, span: Span) -> bool {
    let mut rest = span;
    while let Some(length) = length(walk, rest) {
        if is_message(walk, rest) || is_message(walk, rest.skip(CHANNEL_HEADER)) {
            return true;
        }
        if length > rest.len() {
            return false;
        }
        rest = rest.skip(length);
    }
    false
}

#[inline(never)]
fn messages(walk: &mut Walk, span: Span) {
    let mut rest = span;
    while let Some(length) = length(walk, rest) {
        if length > rest.len() {
            return walk.unfollowed(Numbering::TcpPort, 3478u16);
        }
        self::walk(walk, rest.take(length));
        rest = rest.skip(length);
    }
}

#[inline(never)]
fn prefixed(walk: &mut Walk, span: Span) {
    let mut rest = span;
    while let Some(length) = walk.u16(rest, 0).map(u32::from) {
        rest = rest.skip(PREFIX);
        if length > rest.len() {
            if is_message(walk, rest) {
                walk.unfollowed(Numbering::TcpPort, 3478u16);
            }
            return;
        }
        self::walk(walk, rest.take(length));
        rest = rest.skip(length);
    }
}
