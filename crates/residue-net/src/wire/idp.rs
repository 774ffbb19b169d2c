//! The Internet Datagram Protocol of Xerox Network Systems (XSIS 028112).

use crate::check::{Presence, Protocol, Rule, Span};
use crate::frame::Walk;

/// The checksum: the packet behind it, and the byte behind that if its length is odd. FFFF means none.
pub static IDP: Protocol = Protocol { name: "xns.idp", title: "XNS IDP", source: "XSIS 028112" };

/// From the checksum on.
pub fn walk(walk: &mut Walk, span: Span) {
    let (Some(checksum), Some(length)) = (walk.u16(span, 0), walk.u16(span, 2)) else { return };
    let cover = Span::at(span.start, u32::from(length).next_multiple_of(2));
    let presence = match length {
        ..30 => Presence::LengthConflict,
        _ if checksum == 0xffff => Presence::Absent,
        _ => Presence::Present,
    };
    walk.check(&IDP, Rule::Xns, span.take(2), None, cover, presence);
}
