//! The protocols, one file each. A file's `walk` reads its header, reports its checks and hands on what is inside.

pub mod ethernet;
pub mod icmp;
pub mod ip;
pub mod ipv4;
pub mod ipv6;
pub mod iscsi;
pub mod link;
pub mod nvme_tcp;
pub mod pdu;
pub mod tcp;
pub mod tcp_checksum_option;
pub mod udp;

use crate::check::Span;
use crate::frame::Walk;
use ip::Ip;

/// Goes on by EtherType.
pub fn ether_type(walk: &mut Walk, ether_type: u16, span: Span) {
    walk.deeper(|walk| match ether_type {
        0x0800 => ipv4::walk(walk, span),
        0x86dd => ipv6::walk(walk, span),
        0x8100 | 0x88a8 | 0x9100 | 0x9200 => ethernet::vlan(walk, span),
        _ => {}
    });
}

/// Goes on by IP protocol number. `ip.payload` is what has that number.
#[inline]
pub fn ip_protocol(walk: &mut Walk, ip: &Ip) {
    match ip.protocol {
        1 => icmp::walk(walk, ip),
        6 => tcp::walk(walk, ip),
        17 => udp::walk(walk, ip),
        58 => icmp::walk_v6(walk, ip),
        _ => {}
    }
}

/// Goes on by UDP port. `payload` is what follows the UDP header.
pub fn udp_port(_walk: &mut Walk, _ports: [u16; 2], _payload: Span, _ip: &Ip) {}
