//! The protocols, one file each. The `walk` of a file parses its header, reports its checks, and
//! passes its payload on.

pub mod ayiya;
pub mod capwap;
pub mod cdp;
pub mod clnp;
pub mod cotp;
pub mod dccp;
pub mod dnp3;
pub mod eigrp;
pub mod ethernet;
pub mod geneve;
pub mod gre;
pub mod gtp;
pub mod gue;
pub mod icmp;
pub mod icmp_extension;
pub mod idp;
pub mod igmp;
pub mod ip;
pub mod ipv4;
pub mod ipv6;
pub mod iscsi;
pub mod isis;
pub mod l2tp;
pub mod link;
pub mod lisp;
pub mod llc;
pub mod lmp;
pub mod macsec;
pub mod mobility;
pub mod mpls;
pub mod mptcp;
pub mod nhrp;
pub mod nsh;
pub mod nvme_tcp;
pub mod ospf;
pub mod pdu;
pub mod pim;
pub mod ppi;
pub mod ppp;
pub mod pseudowire;
pub mod roce;
pub mod sctp;
pub mod storage;
pub mod stun;
pub mod tag;
pub mod tcp;
pub mod tcp_checksum_option;
pub mod teredo;
pub mod udp;
pub mod udp_lite;
pub mod vrrp;
pub mod vxlan;
pub mod wlan;

use crate::check::Span;
use crate::frame::{Header, Ip, Walk};
use crate::pcap::LinkType;
use crate::unfollowed::Numbering;
use std::ops::Range;

/// The range of a field in its header, in bytes.
pub type Field = Range<u32>;

/// Returns the number in a field of a header, highest byte first.
#[inline]
fn number(header: &[u8], field: Field) -> u32 {
    let bytes = header.get(field.start as usize..field.end as usize).unwrap_or_default();
    bytes.iter().fold(0, |number, &byte| number << 8 | u32::from(byte))
}

/// Returns the source and the destination port, with which every transport header begins.
#[inline]
fn ports(header: &[u8]) -> [u16; 2] {
    [number(header, 0..2) as u16, number(header, 2..4) as u16]
}

/// Returns whether headers of an IP protocol begin with two ports: TCP, UDP, DCCP, SCTP, UDP-Lite.
#[must_use]
pub fn has_ports(protocol: u8) -> bool {
    matches!(protocol, 6 | 17 | 33 | 132 | 136)
}

/// Returns the range of the check value in the transport header of an IP protocol.
#[must_use]
pub fn checksum(protocol: u8) -> Option<Field> {
    match protocol {
        1 | 58 => Some(icmp::CHECKSUM),
        6 => Some(tcp::CHECKSUM),
        17 => Some(udp::CHECKSUM),
        33 => Some(dccp::CHECKSUM),
        132 => Some(sctp::CHECKSUM),
        136 => Some(udp_lite::CHECKSUM),
        _ => None,
    }
}

/// Walks a packet from its link-layer header on. `fcs` is the length of the frame check sequence at
/// its end, in bytes.
pub fn walk(walk: &mut Walk, link: LinkType, fcs: Option<u8>) {
    link::walk(walk, link, Span { start: 0, end: walk.sent }, fcs);
}

/// Notes the payload of an IP header for filters. Only the first fragment of a datagram has its
/// ports.
#[inline]
fn note_payload(walk: &mut Walk, ip: &Ip, is_first: bool) {
    if walk.found.headers.are_wanted {
        let start = walk.array::<4>(ip.payload, 0);
        let start = start.filter(|_| is_first && has_ports(ip.protocol));
        let ports = start.map(|[a, b, c, d]| [[a, b], [c, d]].map(u16::from_be_bytes));
        walk.note(Header::Payload { version: ip.version, protocol: ip.protocol, ports });
    }
}

/// Walks the payload of an EtherType.
pub fn ether_type(walk: &mut Walk, ether_type: u16, span: Span) {
    payload(walk, Numbering::EtherType, ether_type, span);
}

/// Walks the payload of a number that is an EtherType in the registry `numbering`.
pub fn payload(walk: &mut Walk, numbering: Numbering, number: u16, span: Span) {
    walk.note(Header::EtherType(number, span));
    walk.deeper(|walk| match number {
        0x0800 => ipv4::walk(walk, span),
        0x86dd => ipv6::walk(walk, span),
        0x0600 => idp::walk(walk, span),
        // 0x00FE: OSI after GRE and Cisco's HDLC.
        0x00fe => llc::osi(walk, span),
        0x2000 => cdp::walk(walk, span),
        0x2001 => nhrp::walk(walk, span),
        0x6558 => ethernet::walk(walk, span, None),
        0x8847 | 0x8848 => mpls::walk(walk, span),
        0x8864 => ppp::over_ethernet(walk, span),
        0x880b => ppp::walk(walk, span),
        0x8870 => llc::walk(walk, span),
        0x88e5 => macsec::walk(walk, span),
        0x894f => nsh::walk(walk, span),
        0xd28b => tag::arista(walk, span),
        _ if tag::next_type(number).is_some() => tag::walk(walk, number, span),
        _ if walk.u8(span, 0).is_some() => walk.unfollowed(numbering, number),
        _ => {}
    });
}

/// Walks `ip.payload` by its IP protocol number.
#[inline]
pub fn ip_protocol(walk: &mut Walk, ip: &Ip) {
    note_payload(walk, ip, true);
    match ip.protocol {
        6 => tcp::walk(walk, ip),
        17 => udp::walk(walk, ip),
        _ => walk.deeper(|walk| rarer_ip_protocol(walk, ip)),
    }
}

#[inline(never)]
fn rarer_ip_protocol(walk: &mut Walk, ip: &Ip) {
    let span = ip.payload;
    match ip.protocol {
        1 => icmp::walk(walk, ip),
        2 => igmp::walk(walk, ip),
        4 => ipv4::walk(walk, span),
        33 => dccp::walk(walk, ip),
        41 => ipv6::walk(walk, span),
        47 => gre::walk(walk, span),
        51 => ip::authentication(walk, ip),
        54 => nhrp::walk(walk, span),
        58 => icmp::walk_v6(walk, ip),
        80 => llc::osi(walk, span),
        88 => eigrp::walk(walk, ip),
        89 => ospf::walk(walk, ip),
        // EtherIP (RFC 3378): two bytes, then a frame. Only version 3 exists.
        97 if walk.u8(span, 0).is_some_and(|first| first >> 4 == 3) => {
            ethernet::walk(walk, span.skip(2), None);
        }
        103 => pim::walk(walk, ip),
        112 => vrrp::walk(walk, ip),
        132 => sctp::walk(walk, span),
        135 => mobility::walk(walk, ip),
        136 => udp_lite::walk(walk, ip),
        137 => mpls::walk(walk, span),
        // Ethernet in segment routing over IPv6 (RFC 8986 section 4.9).
        143 => ethernet::walk(walk, span, None),
        // Extension headers of IPv6 come here if they were cut off.
        0 | 43 | 60 if ip.version == 6 => {}
        number if walk.u8(span, 0).is_some() => walk.unfollowed(Numbering::IpProtocol, number),
        _ => {}
    }
}

/// Walks the payload of a UDP datagram by its ports.
pub fn udp_port(walk: &mut Walk, ports: [u16; 2], payload: Span, ip: &Ip) {
    stun::walk(walk, payload);
    // The destination port is that of the service, except in answers.
    for port in [ports[1], ports[0]] {
        if port == ROCE {
            return roce::walk(walk, payload, ip);
        }
        if let Some(service) = udp_service(port) {
            return walk.deeper(|walk| service(walk, payload));
        }
    }
    if ports.iter().any(|port| UNREAD_PORTS.contains(port)) {
        unread_port(walk, ports, payload);
    }
}

/// UDP port of RoCE.
const ROCE: u16 = 4791;

/// Returns the walk of the service on a UDP port.
#[inline]
fn udp_service(port: u16) -> Option<fn(&mut Walk, Span)> {
    Some(match port {
        701 => lmp::walk,
        1701 => l2tp::walk,
        2152 => gtp::walk,
        3386 => gtp::version_0,
        3544 => teredo::walk,
        4341 => lisp::data,
        4342 => lisp::control,
        4754 => gre::walk,
        4789 | 8472 => vxlan::walk,
        4790 => vxlan::generic,
        5072 => ayiya::walk,
        5246 => capwap::control,
        5247 => capwap::data,
        6080 => gue::walk,
        6081 => geneve::walk,
        6635 => mpls::walk,
        9899 => sctp::walk,
        12222 | 12223 => capwap::lwapp,
        DNP3 => dnp3::walk,
        _ => return None,
    })
}

/// Returns whether it is certain that [`udp_port`] does nothing with the data of a datagram.
#[inline]
fn is_plain_datagram(ports: [u16; 2], data: &[u8]) -> bool {
    let is_read =
        |port| port == ROCE || udp_service(port).is_some() || UNREAD_PORTS.contains(&port);
    !ports.into_iter().any(is_read) && stun::is_none(data)
}

/// UDP ports of tunnels, and of protocols with check values, that are not parsed.
const UNREAD_PORTS: [u16; 7] = [C1222, 2268, 4500, 4713, 5050, 37008, 51820];

/// Reports what is not parsed. Clients may use the ports for something else, so the beginning of
/// the message must match, too.
fn unread_port(walk: &mut Walk, ports: [u16; 2], payload: Span) {
    let Some(start) = walk.array::<4>(payload, 0) else { return };
    for port in ports {
        let carries = match port {
            // AMT's multicast data.
            2268 => start[0] == 6,
            // RFC 3948: zeros where ESP has its index mark a key exchange.
            4500 => start != [0; 4],
            // TZSP: version 1, a packet received or sent, of Ethernet, IEEE 802.11 or with radio
            // headers.
            37008 => matches!(start, [1, 0 | 1, 0, 1 | 18 | 119 | 127]),
            // WireGuard's transport data.
            51820 => start == [4, 0, 0, 0],
            C1222 => start[0] == ACSE,
            4713 => is_synchrophasor(start, payload.len()),
            // Ether-S-Bus: the length of the telegram.
            5050 => u32::from_be_bytes(start) == payload.len(),
            _ => false,
        };
        if carries {
            return walk.unfollowed(Numbering::UdpPort, port);
        }
    }
}

/// Walks the data of a TCP segment by its ports. Checks that span segments are not found here.
#[inline]
pub fn tcp_port(walk: &mut Walk, ports: [u16; 2], payload: Span) {
    if ports.contains(&DNP3) {
        dnp3::walk(walk, payload);
        if walk.u16(payload, 0).is_some_and(|start| start != dnp3::START) {
            walk.unfollowed(Numbering::TcpPort, DNP3);
        }
    }
    if let Some(start) = walk.array::<4>(payload, 0) {
        let is_it = |port: &u16| match *port {
            C1222 => start[0] == ACSE,
            PHASORS => is_synchrophasor(start, payload.len()),
            _ => false,
        };
        if let Some(port) = ports.into_iter().find(is_it) {
            return walk.unfollowed(Numbering::TcpPort, port);
        }
    }
    stun::stream(walk, payload);
}

/// TCP and UDP port of ANSI C12.22, and the first byte of its messages (IEEE 1703, RFC 6142).
const C1222: u16 = 1153;
const ACSE: u8 = 0x60;
/// TCP port of synchrophasors (IEEE C37.118.2).
const PHASORS: u16 = 4712;

/// Returns whether a message begins with the synchronization word and the length of a frame of
/// synchrophasors.
fn is_synchrophasor(start: [u8; 4], length: u32) -> bool {
    let size = u32::from(u16::from_be_bytes([start[2], start[3]]));
    start[0] == 0xaa && start[1] >> 4 <= 5 && (1..=3).contains(&(start[1] & 15)) && size <= length
}

/// TCP and UDP port of DNP3.
const DNP3: u16 = 20000;

/// Returns whether it is certain that [`tcp_port`] does nothing with the data of a segment.
#[inline]
fn is_plain_stream(ports: [u16; 2], data: &[u8]) -> bool {
    let is_read = |port| matches!(port, DNP3 | C1222 | PHASORS);
    !ports.into_iter().any(is_read) && stun::is_none_in_stream(data)
}
