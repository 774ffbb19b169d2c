//! Link-layer headers other than Ethernet's.

use crate::ip::{V4, V6};
use crate::{Case, tcp};
use residue_net::pcap::LinkType;

/// Returns a Linux "cooked" header: received from an Ethernet.
#[must_use]
pub fn sll(ether_type: u16, payload: &[u8]) -> Vec<u8> {
    let header = [0, 0, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0];
    [&header[..], &ether_type.to_be_bytes(), payload].concat()
}

/// Returns a Linux "cooked" header of version 2.
#[must_use]
pub fn sll2(ether_type: u16, payload: &[u8]) -> Vec<u8> {
    let rest = [0, 0, 0, 0, 0, 3, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0];
    [&ether_type.to_be_bytes()[..], &rest, payload].concat()
}

/// Returns BSD's loopback header: the address family in a little-endian host's byte order.
#[must_use]
pub fn null(family: u32, payload: &[u8]) -> Vec<u8> {
    [&family.to_le_bytes()[..], payload].concat()
}

/// Returns OpenBSD's loopback header: the address family in network byte order.
#[must_use]
pub fn loopback(family: u32, payload: &[u8]) -> Vec<u8> {
    [&family.to_be_bytes()[..], payload].concat()
}

/// Cases of link types.
pub(crate) fn cases() -> Vec<Case> {
    let (four, six) = (tcp::segment(V4), tcp::segment(V6));
    let (packet, packet6) = (V4.packet(6, &four), V6.packet(6, &six));
    let cooked2 = sll2(0x0800, &packet);
    vec![
        tcp::case("sll-tcp", "Linux cooked", sll(0x0800, &packet), &four).link(LinkType::LINUX_SLL),
        tcp::case("sll2-tcp", "Linux cooked, version 2", cooked2, &four).link(LinkType::LINUX_SLL2),
        tcp::case("raw-tcp", "raw IP", packet.clone(), &four).link(LinkType::RAW),
        tcp::case("null-tcp", "BSD loopback", null(2, &packet), &four).link(LinkType::NULL),
        tcp::case("loop-tcp", "OpenBSD loopback", loopback(24, &packet6), &six)
            .link(LinkType::LOOP),
        tcp::case("null-windows-tcp", "BSD loopback, of Windows", null(23, &packet6), &six)
            .link(LinkType::NULL),
        tcp::case("raw6-tcp", "raw IP, version 6", packet6.clone(), &six).link(LinkType::RAW),
        tcp::case("ipv4-tcp", "link type IPv4", packet, &four).link(LinkType::IPV4),
        tcp::case("ipv6-tcp", "link type IPv6", packet6, &six).link(LinkType::IPV6),
    ]
}
