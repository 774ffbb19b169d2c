//! EIGRP (RFC 7868).

use super::Field;
use crate::check::{Presence, Protocol, Rule};
use crate::frame::{Ip, Walk};

/// Checksum over the message, without a pseudo-header, also over IPv6.
pub static EIGRP: Protocol =
    Protocol { name: "eigrp", title: "EIGRP", source: "RFC 7868 section 6" };

const CHECKSUM: Field = 2..4;

/// Walks a message from the version on.
pub fn walk(walk: &mut Walk, ip: &Ip) {
    let field = ip.payload.field(CHECKSUM);
    walk.check(&EIGRP, Rule::Internet, field, None, ip.payload, Presence::Present);
}
