//! ICMP (RFC 792) and ICMPv6 (RFC 4443).

use super::Field;
use super::icmp_extension::{self, Place};
use crate::check::{Presence, Protocol, Rule};
use crate::frame::{Ip, Walk};

/// Checksum of ICMP, over the message.
pub static ICMP: Protocol = Protocol { name: "icmp", title: "ICMP", source: "RFC 792" };

/// Checksum of ICMPv6, over pseudo-header and message.
pub static ICMPV6: Protocol =
    Protocol { name: "icmpv6", title: "ICMPv6", source: "RFC 4443 section 2.3" };

pub(super) const CHECKSUM: Field = 2..4;

/// Walks a message from the type on. A quoted packet is not parsed, as it is not a packet of its
/// own.
pub fn walk(walk: &mut Walk, ip: &Ip) {
    let field = ip.payload.field(CHECKSUM);
    walk.check(&ICMP, Rule::Internet, field, None, ip.payload, Presence::Present);
    match walk.array(ip.payload, 0) {
        // Destination unreachable, time exceeded, parameter problem: the length in units of 4
        // bytes.
        Some([3 | 11 | 12, _, _, _, _, length]) => {
            icmp_extension::walk(walk, ip.payload, Place::Quote(u32::from(length) * 4));
        }
        Some([42, ..]) => icmp_extension::walk(walk, ip.payload, Place::Header),
        _ => {}
    }
}

/// Walks an ICMPv6 message from the type on.
pub fn walk_v6(walk: &mut Walk, ip: &Ip) {
    let field = ip.payload.field(CHECKSUM);
    walk.check(&ICMPV6, Rule::Internet, field, Some(ip), ip.payload, Presence::Present);
    match walk.array(ip.payload, 0) {
        // Destination unreachable, time exceeded: the length in units of 8 bytes.
        Some([1 | 3, _, _, _, length, _]) => {
            icmp_extension::walk(walk, ip.payload, Place::Quote(u32::from(length) * 8));
        }
        Some([160, ..]) => icmp_extension::walk(walk, ip.payload, Place::Header),
        _ => {}
    }
}
