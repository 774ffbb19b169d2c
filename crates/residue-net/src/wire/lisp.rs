//! The Locator/ID Separation Protocol (RFC 9300, RFC 9301): packets in UDP, and control messages
//! that contain one.

use super::link;
use crate::check::Span;
use crate::frame::Walk;
use crate::unfollowed::Numbering;

/// Length of the header of a data packet.
const DATA_HEADER: u32 = 8;
/// Length of the header of an encapsulated control message.
const ENCAPSULATED_HEADER: u32 = 4;
/// Type of an encapsulated control message, and its flag of a signature between header and packet
/// (RFC 9303), whose length is not stated.
const ENCAPSULATED: u8 = 8;
const SECURED: u8 = 8;

/// Walks a data packet from the flags on.
pub fn data(walk: &mut Walk, span: Span) {
    link::raw(walk, span.skip(DATA_HEADER));
}

/// Walks a control message from the type on. An encapsulated one is an IP packet (RFC 9301 section
/// 5.8); the others hold keyed values only.
pub fn control(walk: &mut Walk, span: Span) {
    match walk.u8(span, 0) {
        Some(first) if first >> 4 != ENCAPSULATED => {}
        Some(first) if first & SECURED != 0 => walk.unfollowed(Numbering::UdpPort, 4342u16),
        Some(_) => link::raw(walk, span.skip(ENCAPSULATED_HEADER)),
        None => {}
    }
}
