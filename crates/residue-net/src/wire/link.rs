//! Link-layer headers by their number in the capture file.

use super::{ethernet, ipv4, ipv6};
use crate::check::Span;
use crate::frame::Walk;
use crate::pcap::LinkType;

/// Goes on by link type. Types not known here carry no check that is known.
pub fn walk(walk: &mut Walk, link: LinkType, frame: Span, fcs: Option<u8>) {
    match link {
        LinkType::ETHERNET => ethernet::walk(walk, frame, fcs),
        LinkType::RAW | LinkType(12 | 14) => raw(walk, frame),
        LinkType::IPV4 => ipv4::walk(walk, frame),
        LinkType::IPV6 => ipv6::walk(walk, frame),
        LinkType::LINUX_SLL => {
            if let Some(protocol) = walk.u16(frame, 14) {
                ethernet::typed(walk, protocol, frame.skip(16));
            }
        }
        LinkType::LINUX_SLL2 => {
            if let Some(protocol) = walk.u16(frame, 0) {
                ethernet::typed(walk, protocol, frame.skip(20));
            }
        }
        LinkType::NULL | LinkType::LOOP => null(walk, frame),
        _ => {}
    }
}

/// An IP packet of the version that its first nibble says.
pub fn raw(walk: &mut Walk, span: Span) {
    match walk.u8(span, 0).map(|byte| byte >> 4) {
        Some(4) => ipv4::walk(walk, span),
        Some(6) => ipv6::walk(walk, span),
        _ => {}
    }
}

/// The address family's number differs between systems and stands in either byte order.
fn null(walk: &mut Walk, frame: Span) {
    let Some(word) = walk.u32(frame, 0) else { return };
    let family = if word > 0xffff { word.swap_bytes() } else { word };
    match family {
        2 => ipv4::walk(walk, frame.skip(4)),
        10 | 24 | 28 | 30 => ipv6::walk(walk, frame.skip(4)),
        _ => {}
    }
}
