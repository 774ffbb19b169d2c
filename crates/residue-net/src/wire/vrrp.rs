//! VRRP (RFC 3768, RFC 9568), and CARP, which has its format.

use super::Field;
use crate::check::{Presence, Protocol, Rule};
use crate::frame::{Ip, Walk};

/// Checksum over the message; over IPv6 with a pseudo-header. For version 3 over IPv4, RFC 5798
/// requires one, too, and RFC 9568 none.
pub static VRRP: Protocol =
    Protocol { name: "vrrp", title: "VRRP", source: "RFC 9568 section 5.2.8, RFC 5798" };

const CHECKSUM: Field = 6..8;

/// Walks a message from the version on.
pub fn walk(walk: &mut Walk, ip: &Ip) {
    let span = ip.payload;
    let Some(first) = walk.u8(span, 0) else { return };
    let field = span.field(CHECKSUM);
    match (first >> 4, ip.version) {
        (3, 4) => {
            let readings = [(Rule::Internet, Some(ip), span), (Rule::Internet, None, span)];
            walk.check_any(&VRRP, field, &readings);
        }
        (_, version) => {
            let pseudo = (version == 6).then_some(ip);
            walk.check(&VRRP, Rule::Internet, field, pseudo, span, Presence::Present);
        }
    }
}
