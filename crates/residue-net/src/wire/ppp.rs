//! PPP (RFC 1661), in HDLC's framing (RFC 1662) and over Ethernet (RFC 2516).

use super::{ipv4, ipv6, llc, mpls};
use crate::check::Span;
use crate::frame::Walk;
use crate::unfollowed::Numbering;

/// Fields of PPP over Ethernet.
const SESSION_LENGTH: u32 = 4;
const SESSION_HEADER: u32 = 6;
/// Fields of Cisco's HDLC.
const HDLC_TYPE: u32 = 2;
const HDLC_HEADER: u32 = 4;

/// Walks a frame from the protocol on, or from HDLC's address and control bytes on.
pub fn walk(walk: &mut Walk, span: Span) {
    let span = if walk.array(span, 0) == Some([0xff, 3]) { span.skip(2) } else { span };
    let Some(first) = walk.u8(span, 0) else { return };
    // RFC 1661 section 6.5: protocol field compression. The last byte of a number is odd.
    let (protocol, inner) = if first & 1 != 0 {
        (u16::from(first), span.skip(1))
    } else {
        let Some(number) = walk.u16(span, 0) else { return };
        (number, span.skip(2))
    };
    match protocol {
        0x0021 => ipv4::walk(walk, inner),
        0x0023 => llc::osi(walk, inner),
        0x0057 => ipv6::walk(walk, inner),
        0x0281 | 0x0283 => mpls::walk(walk, inner),
        number => walk.unfollowed(Numbering::Ppp, number),
    }
}

/// Walks a packet of a PPPoE session: version and type, code, session, length.
pub fn over_ethernet(walk: &mut Walk, span: Span) {
    if let (Some([0x11, 0]), Some(length)) = (walk.array(span, 0), walk.u16(span, SESSION_LENGTH)) {
        self::walk(walk, span.skip(SESSION_HEADER).take(u32::from(length)));
    }
}

/// Walks Cisco's HDLC: address, control, EtherType.
pub fn cisco_hdlc(walk: &mut Walk, frame: Span) {
    match walk.u16(frame, HDLC_TYPE) {
        // OSI, after a byte of padding.
        Some(0xfefe) => llc::osi(walk, frame.skip(HDLC_HEADER + 1)),
        Some(number) => super::ether_type(walk, number, frame.skip(HDLC_HEADER)),
        None => {}
    }
}
