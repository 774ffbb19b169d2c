//! VXLAN (RFC 7348), and its generic extension, which says what is inside.

use super::{ethernet, ipv4, ipv6, nsh};
use crate::check::Span;
use crate::frame::Walk;

/// From the flags on.
pub fn walk(walk: &mut Walk, span: Span) {
    let Some(header) = walk.array::<8>(span, 0) else { return };
    let inner = span.skip(8);
    // The P flag of draft-ietf-nvo3-vxlan-gpe: the fourth byte is the next protocol.
    match if header[0] & 4 != 0 { header[3] } else { 3 } {
        1 => ipv4::walk(walk, inner),
        2 => ipv6::walk(walk, inner),
        3 => ethernet::walk(walk, inner, None),
        4 => nsh::walk(walk, inner),
        _ => {}
    }
}
