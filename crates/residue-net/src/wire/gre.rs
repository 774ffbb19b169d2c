//! Generic routing encapsulation (RFC 2784, RFC 2890), PPTP's (RFC 2637), and what vendors put in
//! it: Cisco's ERSPAN and WCCP, Aruba's IEEE 802.11, MikroTik's Ethernet.

use super::{Field, ethernet, link, ppp, wlan};
use crate::check::{Presence, Protocol, Rule, Span};
use crate::frame::Walk;
use crate::unfollowed::Numbering;

/// Checksum over the GRE header and payload.
pub static GRE: Protocol = Protocol { name: "gre", title: "GRE", source: "RFC 2784 section 2.5" };

const FLAGS: u32 = 0;
const PROTOCOL: u32 = 2;
const CHECKSUM: Field = 4..6;
/// Offset of the key without a checksum before it.
const KEY: u32 = 4;
const MIKROTIK: u16 = 0x6400;
/// Offset of the length of a source route in its header.
const ROUTE_LENGTH: u32 = 3;

const CHECKSUM_PRESENT: u16 = 0x8000;
const ROUTING_PRESENT: u16 = 0x4000;
const KEY_PRESENT: u16 = 0x2000;
const SEQUENCE_PRESENT: u16 = 0x1000;
const ACKNOWLEDGMENT_PRESENT: u16 = 0x0080;

/// Walks a packet from the flags on.
pub fn walk(walk: &mut Walk, span: Span) {
    let (Some(flags), Some(protocol)) = (walk.u16(span, FLAGS), walk.u16(span, PROTOCOL)) else {
        return;
    };
    let version = flags & 7;
    let mut length = 4;
    if version == 0 && flags & (CHECKSUM_PRESENT | ROUTING_PRESENT) != 0 {
        if flags & CHECKSUM_PRESENT != 0 {
            let field = span.field(CHECKSUM);
            walk.check(&GRE, Rule::Internet, field, None, span, Presence::Present);
        }
        length += 4;
    }
    for (flag, allowed) in
        [(KEY_PRESENT, true), (SEQUENCE_PRESENT, true), (ACKNOWLEDGMENT_PRESENT, version == 1)]
    {
        if allowed && flags & flag != 0 {
            length += 4;
        }
    }
    if version == 0 && flags & ROUTING_PRESENT != 0 {
        // RFC 1701: source routes, the last one with length 0.
        while let Some(route) = walk.u8(span.skip(length), ROUTE_LENGTH) {
            length += 4 + u32::from(route);
            if route == 0 {
                break;
            }
        }
    }
    let inner = span.skip(length);
    match (version, protocol) {
        (1, 0x880b) => ppp::walk(walk, inner),
        // MikroTik's Ethernet over IP: the first half of the key is the length.
        (1, MIKROTIK) if flags & KEY_PRESENT != 0 => {
            let length = walk.u16(span, KEY).unwrap_or(0);
            walk.deeper(|walk| ethernet::walk(walk, inner.take(length.into()), None));
        }
        // Aruba's access points: IEEE 802.11, one number for each radio and network.
        (0, 0x8200..=0x837f) => walk.deeper(|walk| wlan::tunnelled(walk, inner)),
        (0, 0x6559) => walk.deeper(|walk| link::frame_relay(walk, inner)),
        (0, 0x88be) if flags & SEQUENCE_PRESENT == 0 => {
            walk.deeper(|walk| ethernet::walk(walk, inner, None));
        }
        (0, 0x88be | 0x22eb) => walk.deeper(|walk| erspan(walk, inner)),
        // Cisco's WCCP: a redirect header of four bytes, unless the version of an IP packet is in
        // its place.
        (0, 0x883e) => walk.deeper(|walk| {
            let redirected = walk.u8(inner, 0).is_some_and(|byte| byte >> 4 != 4);
            link::raw(walk, inner.skip(if redirected { 4 } else { 0 }));
        }),
        // Cisco's metadata, here beginning with the type.
        (0, 0x8909) => {
            if let Some(number) = walk.u16(inner, 0) {
                super::ether_type(walk, number, inner.skip(8));
            }
        }
        (0, _) => super::payload(walk, Numbering::Gre, protocol, inner),
        _ => walk.unfollowed(Numbering::Gre, protocol),
    }
}

/// Walks mirrored Ethernet frames (draft-foschiano-erspan) after a version and a header of 8 bytes
/// (type II), or of 12 and 8 optional ones (type III).
fn erspan(walk: &mut Walk, span: Span) {
    let length = match walk.u8(span, 0).map(|byte| byte >> 4) {
        Some(1) => 8,
        Some(2) if walk.u8(span, 11).is_some_and(|byte| byte & 1 != 0) => 20,
        Some(2) => 12,
        Some(_) => return walk.unfollowed(Numbering::Gre, 0x88beu16),
        None => return,
    };
    ethernet::walk(walk, span.skip(length), None);
}
