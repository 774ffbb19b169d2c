//! Cisco Discovery Protocol.

use super::Field;
use crate::check::{Presence, Protocol, Rule, Span};
use crate::frame::Walk;

/// Checksum over the message. An odd last byte is added as a signed number.
pub static CDP: Protocol =
    Protocol { name: "cdp", title: "CDP", source: "Cisco; odd lengths as its routers send them" };

const CHECKSUM: Field = 2..4;

/// Walks a message from the version on.
pub fn walk(walk: &mut Walk, span: Span) {
    let field = span.field(CHECKSUM);
    walk.check(&CDP, Rule::Cdp, field, None, span, Presence::Present);
}
