//! ICMP (RFC 792) and ICMPv6 (RFC 4443).

use super::ip::Ip;
use crate::check::{Presence, Protocol, Rule, Span};
use crate::frame::Walk;

/// ICMP's checksum: the whole message.
pub static ICMP: Protocol = Protocol { name: "icmp", title: "ICMP", source: "RFC 792" };

/// ICMPv6's checksum: pseudo-header and message.
pub static ICMPV6: Protocol =
    Protocol { name: "icmpv6", title: "ICMPv6", source: "RFC 4443 section 2.3" };

/// From the type on. What a message quotes of another packet is evidence, and no packet of its own: it is not followed.
pub fn walk(walk: &mut Walk, ip: &Ip) {
    let field = Span::at(ip.payload.start + 2, 2);
    walk.check(&ICMP, Rule::Internet, field, None, ip.payload, Presence::Present);
}

/// The same for IPv6.
pub fn walk_v6(walk: &mut Walk, ip: &Ip) {
    let field = Span::at(ip.payload.start + 2, 2);
    walk.check(&ICMPV6, Rule::Internet, field, Some(ip), ip.payload, Presence::Present);
}
