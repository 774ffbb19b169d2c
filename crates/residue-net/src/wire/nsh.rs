//! Network service header (RFC 8300).

use super::{ethernet, ipv4, ipv6, mpls};
use crate::check::Span;
use crate::frame::Walk;
use crate::unfollowed::Numbering;

/// Walks a packet from the version on.
pub fn walk(walk: &mut Walk, span: Span) {
    let Some([_, length, _, next]) = walk.array(span, 0) else { return };
    let inner = span.skip(u32::from(length & 63) * 4);
    if length & 63 < 2 {
        return;
    }
    walk.deeper(|walk| match next {
        1 => ipv4::walk(walk, inner),
        2 => ipv6::walk(walk, inner),
        3 => ethernet::walk(walk, inner, None),
        4 => self::walk(walk, inner),
        5 => mpls::walk(walk, inner),
        next => walk.unfollowed(Numbering::Nsh, next),
    });
}
