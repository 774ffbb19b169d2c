//! MPLS (RFC 3032): labels, then a packet whose type only its receiver knows.

use super::{ipv4, ipv6, pseudowire};
use crate::check::Span;
use crate::frame::Walk;

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
                GENERIC_ASSOCIATED_CHANNEL => pseudowire::channel(walk, inner),
                _ => pseudowire::walk(walk, inner),
            };
        }
    }
}
