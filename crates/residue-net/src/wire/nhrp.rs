//! NHRP (RFC 2332).

use super::Field;
use crate::check::{Presence, Protocol, Rule, Span};
use crate::frame::Walk;

/// Checksum over the packet, with its stated length.
pub static NHRP: Protocol =
    Protocol { name: "nhrp", title: "NHRP", source: "RFC 2332 section 5.1" };

const SIZE: u32 = 10;
const CHECKSUM: Field = 12..14;

/// Walks a packet from the address family on.
pub fn walk(walk: &mut Walk, span: Span) {
    let Some(size) = walk.u16(span, SIZE) else { return };
    let cover = Span::at(span.start, u32::from(size));
    let field = span.field(CHECKSUM);
    walk.check(&NHRP, Rule::Internet, field, None, cover, Presence::Present);
}
