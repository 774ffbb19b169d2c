//! Cisco Discovery Protocol.

use crate::check::{Presence, Protocol, Rule, Span};
use crate::frame::Walk;

/// The checksum: the message. An odd last byte is added as a signed number.
pub static CDP: Protocol =
    Protocol { name: "cdp", title: "CDP", source: "Cisco; odd lengths as its routers send them" };

/// From the version on.
pub fn walk(walk: &mut Walk, span: Span) {
    let field = Span::at(span.start + 2, 2);
    walk.check(&CDP, Rule::Cdp, field, None, span, Presence::Present);
}
