//! L2TP version 2 (RFC 2661): PPP over UDP.

use super::ppp;
use crate::check::Span;
use crate::frame::Walk;
use crate::unfollowed::Numbering;

const FLAGS: u32 = 0;
const LENGTH: u32 = 2;

const CONTROL: u16 = 0x8000;
const LENGTH_PRESENT: u16 = 0x4000;
const SEQUENCE: u16 = 0x0800;
const OFFSET: u16 = 0x0200;

/// Walks a packet from the flags on.
pub fn walk(walk: &mut Walk, span: Span) {
    let Some(flags) = walk.u16(span, FLAGS) else { return };
    if flags & CONTROL != 0 {
        return;
    }
    if flags & 15 != 2 {
        return walk.unfollowed(Numbering::UdpPort, 1701u16);
    }
    let mut span = span;
    let mut length = 6;
    if flags & LENGTH_PRESENT != 0 {
        span = span.take(u32::from(walk.u16(span, LENGTH).unwrap_or(0)));
        length += 2;
    }
    if flags & SEQUENCE != 0 {
        length += 4;
    }
    if flags & OFFSET != 0 {
        length += 2 + u32::from(walk.u16(span, length).unwrap_or(0));
    }
    ppp::walk(walk, span.skip(length));
}
