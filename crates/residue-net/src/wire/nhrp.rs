//! NHRP (RFC 2332).

use crate::check::{Presence, Protocol, Rule, Span};
use crate::frame::Walk;

/// The checksum: the packet, as long as it says.
pub static NHRP: Protocol =
    Protocol { name: "nhrp", title: "NHRP", source: "RFC 2332 section 5.1" };

/// From the address family on.
pub fn walk(walk: &mut Walk, span: Span) {
    let Some(size) = walk.u16(span, 10) else { return };
    let cover = Span::at(span.start, u32::from(size));
    let field = Span::at(span.start + 12, 2);
    walk.check(&NHRP, Rule::Internet, field, None, cover, Presence::Present);
}
