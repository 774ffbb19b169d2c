//! The Internet Datagram Protocol of Xerox Network Systems (XSIS 028112).

use super::Field;
use crate::check::{Presence, Protocol, Rule, Span};
use crate::frame::Walk;

/// Checksum over the packet after it, and over the byte after that if its length is odd. FFFF means
/// none.
pub static IDP: Protocol = Protocol { name: "xns.idp", title: "XNS IDP", source: "XSIS 028112" };

const CHECKSUM: Field = 0..2;
const LENGTH: u32 = 2;
const HEADER: u16 = 30;

/// Walks a packet from the checksum on.
pub fn walk(walk: &mut Walk, span: Span) {
    let (Some(checksum), Some(length)) = (walk.u16(span, CHECKSUM.start), walk.u16(span, LENGTH))
    else {
        return;
    };
    let cover = Span::at(span.start, u32::from(length).next_multiple_of(2));
    let presence = match length {
        ..HEADER => Presence::LengthConflict,
        _ if checksum == 0xffff => Presence::Absent,
        _ => Presence::Present,
    };
    walk.check(&IDP, Rule::Xns, span.field(CHECKSUM), None, cover, presence);
}
