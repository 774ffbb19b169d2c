//! PIM (RFC 7761): the checksum, and the packet in a Register.

use super::Field;
use super::link;
use crate::check::{Presence, Protocol, Rule};
use crate::frame::{Ip, Walk};

/// Checksum over the message, with a pseudo-header over IPv6; of a Register over its first 8 bytes
/// or, by old senders, over all of it.
pub static PIM: Protocol = Protocol { name: "pim", title: "PIM", source: "RFC 7761 section 4.9" };

const REGISTER: u8 = 0x21;

const REGISTER_HEADER: u32 = 8;
const CHECKSUM: Field = 2..4;

/// Walks a message from the version on.
pub fn walk(walk: &mut Walk, ip: &Ip) {
    let span = ip.payload;
    let Some(first) = walk.u8(span, 0) else { return };
    let field = span.field(CHECKSUM);
    let pseudo = (ip.version == 6).then_some(ip);
    if first == REGISTER {
        let readings =
            [(Rule::Internet, pseudo, span.take(REGISTER_HEADER)), (Rule::Internet, pseudo, span)];
        walk.check_any(&PIM, field, &readings);
        walk.deeper(|walk| link::raw(walk, span.skip(REGISTER_HEADER)));
    } else {
        walk.check(&PIM, Rule::Internet, field, pseudo, span, Presence::Present);
    }
}
