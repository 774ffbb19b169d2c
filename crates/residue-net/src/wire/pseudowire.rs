//! Pseudowires over MPLS (RFC 4385): a frame of some link, with or without a control word before
//! it. Only the two ends know which; here the bytes must show it.

use super::{ethernet, ipv4, ipv6, ppp};
use crate::check::Span;
use crate::frame::Walk;
use crate::unfollowed::Numbering;

const CONTROL_WORD: u32 = 4;
/// First half of an associated channel's header, with version 0.
const CHANNEL_HEADER: u16 = 0x1000;
/// Channels of the associated header that carry IP (RFC 4385 section 5).
const CHANNEL_IPV4: u16 = 0x21;
const CHANNEL_IPV6: u16 = 0x57;

/// Walks what follows the last label of no special meaning.
///
/// IP packets and associated channels begin with 4, 6 and 1, and control words with 0. The address
/// of a frame without control word may begin like any of them.
pub fn walk(walk: &mut Walk, span: Span) {
    let Some(first) = walk.u8(span, 0).map(|byte| byte >> 4) else { return };
    let (bare, worded) = (likeness(walk, span), likeness(walk, span.skip(CONTROL_WORD)));
    match first {
        1 if walk.u16(span, 0) == Some(CHANNEL_HEADER) => channel(walk, span),
        4 if bare < 2 || is_ipv4(walk, span) => ipv4::walk(walk, span),
        6 if bare < 2 || is_ipv6(walk, span) => ipv6::walk(walk, span),
        0 if worded.max(bare) < 2 && is_serial(walk, span.skip(CONTROL_WORD)) => {
            serial(walk, span.skip(CONTROL_WORD));
        }
        _ if bare < 2 && is_serial(walk, span) => serial(walk, span),
        0 if worded > bare || worded > 0 && worded == bare && is_plain_word(walk, span) => {
            ethernet::walk(walk, span.skip(CONTROL_WORD), None);
        }
        _ if bare > 0 => ethernet::walk(walk, span, None),
        1 => {}
        _ => walk.unfollowed(Numbering::Mpls, first),
    }
}

/// Walks the payload of an associated channel. Most others are measurements and alarms.
pub fn channel(walk: &mut Walk, span: Span) {
    let inner = span.skip(CONTROL_WORD);
    match walk.u16(span, 2) {
        Some(CHANNEL_IPV4) => ipv4::walk(walk, inner),
        Some(CHANNEL_IPV6) => ipv6::walk(walk, inner),
        _ => {}
    }
}

/// Returns how much it looks like an Ethernet frame: 2 with a known type, 1 with a right length, 0
/// otherwise.
fn likeness(walk: &Walk, span: Span) -> u8 {
    match walk.u16(span, 12) {
        Some(
            0x0800 | 0x0806 | 0x86dd | 0x8100 | 0x88a8 | 0x8847 | 0x8848 | 0x8863 | 0x8864 | 0x88cc
            | 0x88e5 | 0x88e7 | 0x8809 | 0x8902 | 0x9000 | 0x888e,
        ) => 2,
        Some(length) if length < 0x600 && u32::from(length) <= span.skip(14).len() => 1,
        _ => 0,
    }
}

/// Returns whether the reserved bits and the flags of a control word of Ethernet (RFC 4448 section
/// 4.6) are zero.
fn is_plain_word(walk: &Walk, span: Span) -> bool {
    walk.u16(span, 0) == Some(0)
}

/// Returns whether an IPv4 packet with these lengths fills the span, but for padding. A short frame
/// is padded to 60 bytes, and may have a frame check sequence.
fn is_ipv4(walk: &Walk, span: Span) -> bool {
    const MOST_PADDING: u32 = 64;
    let (first, length) = (walk.u8(span, 0).unwrap_or(0), walk.u16(span, 2).unwrap_or(0));
    let (header, length) = (u32::from(first & 15) * 4, u32::from(length));
    let padding = span.len().checked_sub(length);
    header >= 20 && length >= header && padding.is_some_and(|padding| padding < MOST_PADDING)
}

/// Returns whether an IPv6 packet with this length fills the span. No address of one looks like a
/// type by chance but rarely.
fn is_ipv6(walk: &Walk, span: Span) -> bool {
    walk.u16(span, 4).is_some_and(|length| 40 + u32::from(length) == span.len())
}

/// Returns whether it looks like a frame of PPP or of Cisco's HDLC (RFC 4618) with IP or MPLS in
/// it.
fn is_serial(walk: &Walk, span: Span) -> bool {
    matches!(
        walk.array(span, 0),
        Some(
            [0xff, 3, 0, 0x21 | 0x57]
                | [0x0f | 0x8f, 0, 0x08, 0]
                | [0x0f | 0x8f, 0, 0x86, 0xdd]
                | [0x0f | 0x8f, 0, 0x88, 0x47]
                | [0, 0x21, 0x45..=0x4f, _]
                | [0, 0x57, 0x60..=0x6f, _]
        )
    )
}

fn serial(walk: &mut Walk, span: Span) {
    match walk.u8(span, 0) {
        Some(0x0f | 0x8f) => ppp::cisco_hdlc(walk, span),
        _ => ppp::walk(walk, span),
    }
}
