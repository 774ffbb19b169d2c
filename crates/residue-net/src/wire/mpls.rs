//! MPLS (RFC 3032): labels, then a packet whose type only its receiver knows.

use super::{ethernet, ipv4, ipv6};
use crate::check::Span;
use crate::frame::Walk;
use crate::unfollowed::Numbering;

const IPV4_EXPLICIT_NULL: u32 = 0;
const IPV6_EXPLICIT_NULL: u32 = 2;
const GENERIC_ASSOCIATED_CHANNEL: u32 = 13;

/// Walks from the first label on.
pub fn walk(walk: &mut Walk, span: Span) {
    let mut inner = span;
    loop {
        let Some(entry) = walk.u32(inner, 0) else { return };
        inner = inner.skip(4);
        if entry & 0x100 != 0 {
            return match entry >> 12 {
                IPV4_EXPLICIT_NULL => ipv4::walk(walk, inner),
                IPV6_EXPLICIT_NULL => ipv6::walk(walk, inner),
                GENERIC_ASSOCIATED_CHANNEL => {}
                _ => unlabelled(walk, inner),
            };
        }
    }
}

/// Walks the payload after the labels. IP is recognised by its first four bits, and so is an
/// associated channel (RFC 4385); other payloads are taken for a pseudowire with Ethernet (RFC
/// 4448), with or without a control word, whose first four bits are 0.
fn unlabelled(walk: &mut Walk, span: Span) {
    match walk.u8(span, 0).map(|byte| byte >> 4) {
        Some(4) => ipv4::walk(walk, span),
        Some(6) => ipv6::walk(walk, span),
        Some(0) if is_frame(walk, span.skip(4)) => ethernet::walk(walk, span.skip(4), None),
        Some(1) | None => {}
        Some(_) if is_frame(walk, span) => ethernet::walk(walk, span, None),
        Some(first) => walk.unfollowed(Numbering::Mpls, first),
    }
}

/// Returns whether it looks like an Ethernet frame.
fn is_frame(walk: &Walk, span: Span) -> bool {
    match walk.u16(span, 12) {
        Some(0x0800 | 0x0806 | 0x86dd | 0x8100 | 0x88a8 | 0x8847 | 0x8864) => true,
        Some(length) => length < 0x600 && u32::from(length) <= span.skip(14).len(),
        None => false,
    }
}
