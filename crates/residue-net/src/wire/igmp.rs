//! IGMP (RFC 3376), with DVMRP.

use super::Field;
use super::pim;
use crate::check::{Presence, Protocol, Rule};
use crate::frame::{Ip, Walk};

/// Checksum of IGMP, over the payload of the IP packet.
pub static IGMP: Protocol =
    Protocol { name: "igmp", title: "IGMP", source: "RFC 3376 section 4.1.2" };

/// Checksum of DVMRP, over the payload of the IP packet.
pub static DVMRP: Protocol =
    Protocol { name: "dvmrp", title: "DVMRP", source: "draft-ietf-idmr-dvmrp-v3" };

const DVMRP_TYPE: u8 = 0x13;
const PIM_VERSION_1: u8 = 0x14;

const CHECKSUM: Field = 2..4;

/// Walks a message from the type on.
pub fn walk(walk: &mut Walk, ip: &Ip) {
    let Some(kind) = walk.u8(ip.payload, 0) else { return };
    let protocol = match kind {
        DVMRP_TYPE => &DVMRP,
        PIM_VERSION_1 => &pim::PIM,
        _ => &IGMP,
    };
    let field = ip.payload.field(CHECKSUM);
    walk.check(protocol, Rule::Internet, field, None, ip.payload, Presence::Present);
}
