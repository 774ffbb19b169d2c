//! IEEE 802.2 logical link control, its SNAP extension, and OSI's network layer identifiers.

use super::{cdp, clnp, ethernet, ipv4, ipv6, isis};
use crate::check::Span;
use crate::frame::Walk;
use crate::unfollowed::Numbering;

const SNAP_NUMBER: u32 = 3;
const SNAP_HEADER: u32 = 5;

/// Walks a frame from the destination service access point on.
pub fn walk(walk: &mut Walk, span: Span) {
    let inner = span.skip(3);
    match walk.array::<3>(span, 0) {
        Some([0xaa, 0xaa, 3]) => snap(walk, inner),
        Some([6, 6, 3]) => ipv4::walk(walk, inner),
        Some([0xfe, 0xfe, 3]) => osi(walk, inner),
        // The last bit marks a group address.
        Some([destination, ..]) => match destination {
            0xff => walk.unfollowed(Numbering::Llc, destination),
            _ => walk.unfollowed(Numbering::Llc, destination & 0xfe),
        },
        None => {}
    }
}

/// Walks SNAP from the number of the organization on.
pub fn snap(walk: &mut Walk, span: Span) {
    let (Some(organization), Some(number)) =
        (walk.array::<3>(span, 0), walk.u16(span, SNAP_NUMBER))
    else {
        return;
    };
    let inner = span.skip(SNAP_HEADER);
    match (organization, number) {
        ([0, 0, 0] | [0, 0, 0xf8], _) => super::ether_type(walk, number, inner),
        ([0, 0, 0x0c], 0x2000) => cdp::walk(walk, inner),
        // RFC 2684 section 5.2: bridged Ethernet, with or without its frame check sequence, after
        // padding.
        ([0, 0x80, 0xc2], 1) => walk.deeper(|walk| ethernet::walk(walk, inner.skip(2), Some(4))),
        ([0, 0x80, 0xc2], 7) => walk.deeper(|walk| ethernet::walk(walk, inner.skip(2), None)),
        ([a, b, c], _) => {
            let organization = u32::from_be_bytes([0, a, b, c]);
            walk.unfollowed(Numbering::Snap, u64::from(organization) << 16 | u64::from(number));
        }
    }
}

/// Walks by the network layer protocol identifier (ISO/IEC TR 9577), which is the first byte of
/// OSI's own headers.
pub fn osi(walk: &mut Walk, span: Span) {
    match walk.u8(span, 0) {
        Some(0x80) => walk.deeper(|walk| snap(walk, span.skip(1))),
        Some(0x81) => clnp::walk(walk, span),
        Some(0x82) => clnp::end_system(walk, span),
        Some(0x83) => isis::walk(walk, span),
        Some(0x8e) => ipv6::walk(walk, span.skip(1)),
        Some(0xcc) => ipv4::walk(walk, span.skip(1)),
        Some(number) => walk.unfollowed(Numbering::NetworkLayer, number),
        None => {}
    }
}
