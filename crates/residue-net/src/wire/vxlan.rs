//! VXLAN (RFC 7348), and its generic extension, which states the type of its payload.

use super::{ethernet, ipv4, ipv6, mpls, nsh};
use crate::check::Span;
use crate::frame::Walk;
use crate::unfollowed::Numbering;

const HEADER: u32 = 8;

/// Walks a packet from the flags on. RFC 7348 section 5: receivers ignore reserved bits, and the
/// payload is always a frame.
pub fn walk(walk: &mut Walk, span: Span) {
    ethernet::walk(walk, span.skip(HEADER), None);
}

/// Walks a packet of the generic extension (draft-ietf-nvo3-vxlan-gpe) from the flags on, on its
/// port.
pub fn generic(walk: &mut Walk, span: Span) {
    const VERSION: u8 = 0x30;
    const NEXT_PROTOCOL: u8 = 4;
    let Some([flags, _, _, next]) = walk.array(span, 0) else { return };
    if flags & VERSION != 0 {
        return walk.unfollowed(Numbering::Vxlan, next);
    }
    let inner = span.skip(HEADER);
    match if flags & NEXT_PROTOCOL != 0 { next } else { 3 } {
        1 => ipv4::walk(walk, inner),
        2 => ipv6::walk(walk, inner),
        3 => ethernet::walk(walk, inner, None),
        4 => nsh::walk(walk, inner),
        5 => mpls::walk(walk, inner),
        next => walk.unfollowed(Numbering::Vxlan, next),
    }
}
