//! Link-layer headers, by their number in the capture file.

use super::{ethernet, ipv4, ipv6, llc, ppi, ppp, tag, wlan};
use crate::check::Span;
use crate::frame::Walk;
use crate::pcap::LinkType;
use crate::unfollowed::Numbering;

const SLL_HARDWARE: u32 = 2;
const SLL_PROTOCOL: u32 = 14;
const SLL_HEADER: u32 = 16;
const SLL2_PROTOCOL: u32 = 0;
const SLL2_HARDWARE: u32 = 8;
const SLL2_HEADER: u32 = 20;
const ENCRYPTION_HEADER: u32 = 12;
const IPNET_FAMILY: u32 = 1;
const IPNET_HEADER: u32 = 24;
const INFINIBAND_TYPE: u32 = 40;
const INFINIBAND_HEADER: u32 = 44;

/// Walks a frame by its link type.
pub fn walk(walk: &mut Walk, link: LinkType, frame: Span, fcs: Option<u8>) {
    match link.0 {
        0 | 108 => null(walk, frame),
        1 => ethernet::walk(walk, frame, fcs),
        // Token Ring, without source routes; FDDI.
        6 => llc::walk(walk, frame.skip(14)),
        10 => llc::walk(walk, frame.skip(13)),
        9 | 50 => hdlc(walk, frame),
        // OpenBSD used raw IP's number for its loopback.
        12 if walk.u8(frame, 0) == Some(0) => null(walk, frame),
        12 | 14 | 101 => raw(walk, frame),
        51 => ppp::over_ethernet(walk, frame),
        // RFC 2684's LLC over ATM.
        11 | 100 => llc::walk(walk, frame),
        104 => hdlc(walk, frame),
        105 => wlan::walk(walk, frame, matches!(fcs, Some(4 | 32)), false),
        107 => frame_relay(walk, frame),
        // OpenBSD's packets before or after IPsec: family, association, flags.
        109 => family(walk, family_number(walk, frame), frame.skip(ENCRYPTION_HEADER)),
        113 => {
            if let (Some(protocol), Some(hardware)) =
                (walk.u16(frame, SLL_PROTOCOL), walk.u16(frame, SLL_HARDWARE))
            {
                cooked(walk, hardware, protocol, frame.skip(SLL_HEADER));
            }
        }
        119 | 163 => wlan::prism(walk, frame),
        127 => wlan::radiotap(walk, frame),
        129 => arcnet(walk, frame),
        178 => juniper_ethernet(walk, frame),
        192 => ppi::walk(walk, frame),
        // Solaris's IPNET.
        226 => family(walk, walk.u8(frame, IPNET_FAMILY).map(u32::from), frame.skip(IPNET_HEADER)),
        // IP over InfiniBand.
        242 => {
            if let Some(protocol) = walk.u16(frame, INFINIBAND_TYPE) {
                super::ether_type(walk, protocol, frame.skip(INFINIBAND_HEADER));
            }
        }
        228 => ipv4::walk(walk, frame),
        229 => ipv6::walk(walk, frame),
        239 => nflog(walk, frame),
        // 149 was Apple's number before 258 was assigned.
        149 | 258 => packet_tap(walk, frame, fcs),
        276 => {
            if let (Some(protocol), Some(hardware)) =
                (walk.u16(frame, SLL2_PROTOCOL), walk.u16(frame, SLL2_HARDWARE))
            {
                cooked(walk, hardware, protocol, frame.skip(SLL2_HEADER));
            }
        }
        // Tags of switch chips: Broadcom's behind the addresses or before them, Marvell's.
        281 | 284 => tag::switch(walk, frame, 16),
        282 => ethernet::walk(walk, frame.skip(4), fcs),
        285 => tag::switch(walk, frame, 20),
        number => walk.unfollowed(Numbering::LinkType, number),
    }
}

/// Walks an IP packet by the version in its first four bits.
pub fn raw(walk: &mut Walk, span: Span) {
    match walk.u8(span, 0).map(|byte| byte >> 4) {
        Some(4) => ipv4::walk(walk, span),
        Some(6) => ipv6::walk(walk, span),
        Some(version) => walk.unfollowed(Numbering::IpVersion, version),
        None => {}
    }
}

/// Walks a loopback frame. Some systems write an EtherType, and some PPP, in the place of the
/// address family.
fn null(walk: &mut Walk, frame: Span) {
    let inner = frame.skip(4);
    match family_number(walk, frame) {
        Some(number @ 0x600..=0xffff) => super::ether_type(walk, number as u16, inner),
        _ if walk.array(frame, 0) == Some([0xff, 3]) => ppp::walk(walk, frame),
        number => family(walk, number, inner),
    }
}

/// Returns the number of an address family, which is in either byte order.
fn family_number(walk: &Walk, frame: Span) -> Option<u32> {
    walk.u32(frame, 0).map(|word| if word > 0xffff { word.swap_bytes() } else { word })
}

/// Walks a packet by its address family, whose number differs between systems. 23 is IPX's on BSD
/// systems, and IPv6's on Windows.
fn family(walk: &mut Walk, number: Option<u32>, span: Span) {
    match number {
        Some(2) => ipv4::walk(walk, span),
        Some(7) => llc::osi(walk, span),
        Some(10 | 24 | 26 | 28 | 30) => ipv6::walk(walk, span),
        Some(23) if walk.u8(span, 0).is_some_and(|first| first >> 4 == 6) => {
            ipv6::walk(walk, span);
        }
        Some(number) => walk.unfollowed(Numbering::AddressFamily, number),
        None => {}
    }
}

/// Walks HDLC framing of PPP or of Cisco.
fn hdlc(walk: &mut Walk, frame: Span) {
    match walk.u8(frame, 0) {
        Some(0x0f | 0x8f) => ppp::cisco_hdlc(walk, frame),
        _ => ppp::walk(walk, frame),
    }
}

/// Walks the payload of Linux's cooked headers: `protocol` is an EtherType, or a small number of
/// Linux.
fn cooked(walk: &mut Walk, hardware: u16, protocol: u16, span: Span) {
    const NETLINK: u16 = 824;
    match protocol {
        _ if hardware == NETLINK => {}
        4 => llc::walk(walk, span),
        _ => super::ether_type(walk, protocol, span),
    }
}

/// Walks frame relay: the address of Q.922, then control and network layer identifier of RFC 2427,
/// or Cisco's EtherType.
pub fn frame_relay(walk: &mut Walk, frame: Span) {
    let mut inner = frame;
    while let Some(byte) = walk.u8(inner, 0) {
        inner = inner.skip(1);
        if byte & 1 != 0 {
            break;
        }
    }
    match walk.array(inner, 0) {
        Some([3, 0]) => llc::osi(walk, inner.skip(2)),
        Some([3, _]) => llc::osi(walk, inner.skip(1)),
        Some(number) => super::ether_type(walk, u16::from_be_bytes(number), inner.skip(2)),
        None => {}
    }
}

/// Walks Linux's ARCNET: source, destination, an offset of 2 bytes, the protocol by RFC 1051, or by
/// RFC 1201 with a number for the parts of a packet, of which there is only one if its flag is 0.
fn arcnet(walk: &mut Walk, frame: Span) {
    match walk.array(frame, 4) {
        Some([0xf0, _]) => ipv4::walk(walk, frame.skip(5)),
        Some([0xd4, 0]) => ipv4::walk(walk, frame.skip(8)),
        // ARP, in both.
        Some([0xf1 | 0xd5, _]) | None => {}
        Some(_) => walk.unfollowed(Numbering::LinkType, 129u32),
    }
}

/// Walks Linux's packet log: attributes in the byte order of the logging host, one of which is the
/// packet.
fn nflog(walk: &mut Walk, frame: Span) {
    const PAYLOAD: [u8; 2] = [9, 0];
    let mut rest = frame.skip(4);
    while let Some([low, high, kind @ ..]) = walk.array::<4>(rest, 0) {
        // Only little-endian hosts: on others the length would be out of bounds.
        let length = u32::from(u16::from_le_bytes([low, high]));
        if length < 4 {
            return;
        }
        if kind == PAYLOAD {
            return raw(walk, rest.take(length).skip(4));
        }
        rest = rest.skip(length.next_multiple_of(4));
    }
}

/// Walks Apple's header, with its own length and the link type of its payload, both little-endian.
fn packet_tap(walk: &mut Walk, frame: Span, fcs: Option<u8>) {
    if let (Some(length), Some(link)) = (walk.u32(frame, 0), walk.u32(frame, 8)) {
        let (length, link) = (length.swap_bytes(), link.swap_bytes());
        if length >= 108 {
            walk.deeper(|walk| self::walk(walk, LinkType(link), frame.skip(length), fcs));
        }
    }
}

/// Walks Juniper's Ethernet: "MGC", flags, a list of attributes, then a frame, unless the flags
/// mark it as removed.
fn juniper_ethernet(walk: &mut Walk, frame: Span) {
    const NO_FRAME: u8 = 2;
    const ATTRIBUTES: u8 = 0x80;
    let Some([b'M', b'G', b'C', flags]) = walk.array(frame, 0) else { return };
    let mut inner = frame.skip(4);
    if flags & ATTRIBUTES != 0 {
        inner = inner.skip(2 + u32::from(walk.u16(frame, 4).unwrap_or(0)));
    }
    if flags & NO_FRAME == 0 {
        ethernet::walk(walk, inner, None);
    }
}
