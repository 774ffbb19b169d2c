//! GTP-U (3GPP TS 29.281) and version 0 of GTP (GSM 09.60): tunnels of mobile networks. GTP' (TS
//! 32.295), on the port of version 0, carries charging records, which have no check value.

use super::link;
use crate::check::Span;
use crate::frame::Walk;

const EXTENSION: u8 = 4;
const USER_PACKET: u8 = 255;

/// Walks a packet from the version on.
pub fn walk(walk: &mut Walk, span: Span) {
    let Some([flags, USER_PACKET, a, b]) = walk.array(span, 0) else { return };
    // Version 1 of GTP, not of GTP'.
    if flags >> 4 != 3 {
        return;
    }
    let mut inner = span.skip(8).take(u32::from(u16::from_be_bytes([a, b])));
    if flags & 7 != 0 {
        // Sequence number, N-PDU number and next extension are present together if any of them is
        // used.
        let mut next = if flags & EXTENSION != 0 { walk.u8(inner, 3).unwrap_or(0) } else { 0 };
        inner = inner.skip(4);
        while next != 0 {
            let Some(length) = walk.u8(inner, 0).filter(|&length| length > 0) else { return };
            let length = u32::from(length) * 4;
            let Some(after) = walk.u8(inner, length - 1) else { return };
            next = after;
            inner = inner.skip(length);
        }
    }
    link::raw(walk, inner);
}

/// Walks a packet of version 0, or of GTP', from the version on.
pub fn version_0(walk: &mut Walk, span: Span) {
    const HEADER: u32 = 20;
    /// Version 0, the type of GTP, and three spare bits that are 1; not the flag of a number
    /// before the tunnel's identifier, whose place is there in any case.
    const FLAGS: u8 = 0x1e;
    if let Some([flags, USER_PACKET, a, b]) = walk.array(span, 0)
        && flags & !1 == FLAGS
    {
        link::raw(walk, span.skip(HEADER).take(u32::from(u16::from_be_bytes([a, b]))));
    }
}
