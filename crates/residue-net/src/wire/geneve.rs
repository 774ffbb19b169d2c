//! Geneve (RFC 8926).

use crate::check::Span;
use crate::frame::Walk;
use crate::unfollowed::Numbering;

const PROTOCOL: u32 = 2;
const HEADER: u32 = 8;

/// Walks a packet from the version on.
pub fn walk(walk: &mut Walk, span: Span) {
    let (Some(first), Some(protocol)) = (walk.u8(span, 0), walk.u16(span, PROTOCOL)) else {
        return;
    };
    if first >> 6 == 0 {
        let options = u32::from(first & 63) * 4;
        super::ether_type(walk, protocol, span.skip(HEADER + options));
    } else {
        walk.unfollowed(Numbering::UdpPort, 6081u16);
    }
}
