//! The Mobility Header of Mobile IPv6 (RFC 6275).

use super::Field;
use crate::check::{Presence, Protocol, Rule, Span};
use crate::frame::{Ip, Walk};

/// Checksum over pseudo-header and Mobility Header.
pub static MOBILITY: Protocol =
    Protocol { name: "mip6", title: "Mobility Header", source: "RFC 6275 section 6.1.1" };

/// Offset of the length in units of 8 bytes, less 1.
const LENGTH: u32 = 1;
const CHECKSUM: Field = 4..6;

/// Walks a header from the payload protocol on.
pub fn walk(walk: &mut Walk, ip: &Ip) {
    let Some(length) = walk.u8(ip.payload, LENGTH) else { return };
    let cover = Span::at(ip.payload.start, (u32::from(length) + 1) * 8);
    let field = cover.field(CHECKSUM);
    walk.check(&MOBILITY, Rule::Internet, field, Some(ip), cover, Presence::Present);
}
