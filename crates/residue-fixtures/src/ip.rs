//! Ends of packets, pseudo-headers, and IPsec's authentication header.

use crate::{Case, ethernet, ipv4, ipv6, tcp};
use residue::internet::{Checksum, checksum};

/// A source and a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// Source and destination address of IPv4.
    V4([[u8; 4]; 2]),
    /// Source and destination address of IPv6.
    V6([[u8; 16]; 2]),
}

/// The IPv4 address 192.0.2.1 (RFC 5737).
pub const A: [u8; 4] = [192, 0, 2, 1];
/// The IPv4 address 192.0.2.2.
pub const B: [u8; 4] = [192, 0, 2, 2];
/// 192.0.2.1 to 192.0.2.2.
pub const V4: Ends = Ends::V4([A, B]);
/// 2001:db8::1 to 2001:db8::2 (RFC 3849).
pub const V6: Ends = Ends::V6([documentation(1), documentation(2)]);
/// IPv4 ends of what is inside a tunnel.
pub const INNER4: Ends = Ends::V4([[10, 0, 0, 1], [10, 0, 0, 2]]);
/// IPv6 ends of what is inside a tunnel.
pub const INNER6: Ends = Ends::V6([documentation(0x11), documentation(0x12)]);
/// The IPv6 address fe80::1.
pub const LOCAL6: [u8; 16] = [0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];

/// Returns the IPv6 address 2001:db8::`last`.
#[must_use]
pub const fn documentation(last: u8) -> [u8; 16] {
    [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last]
}

/// Returns the IPv6 address of a group on the link, ff02::`last`.
#[must_use]
pub const fn multicast(last: u8) -> [u8; 16] {
    [0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last]
}

impl Ends {
    /// Returns the EtherType of its packets.
    #[must_use]
    pub fn ether_type(self) -> u16 {
        match self {
            Ends::V4(_) => 0x0800,
            Ends::V6(_) => 0x86dd,
        }
    }

    /// Returns the pseudo-header's sum for `length` bytes of `protocol`.
    #[must_use]
    pub fn pseudo(self, protocol: u8, length: usize) -> Checksum {
        match self {
            Ends::V4([source, destination]) => {
                Checksum::with_ipv4(source, destination, protocol, length as u16)
            }
            Ends::V6([source, destination]) => {
                Checksum::with_ipv6(source, destination, protocol, length as u32)
            }
        }
    }

    /// Returns the pseudo-header's bytes.
    #[must_use]
    pub fn pseudo_bytes(self, protocol: u8, length: usize) -> Vec<u8> {
        match self {
            Ends::V4(ends) => {
                [ends.as_flattened(), &[0, protocol], &(length as u16).to_be_bytes()].concat()
            }
            Ends::V6(ends) => {
                let length = (length as u32).to_be_bytes();
                [ends.as_flattened(), &length, &[0, 0, 0, protocol]].concat()
            }
        }
    }

    /// Returns the ends with source and destination exchanged.
    #[must_use]
    pub fn turned(self) -> Ends {
        match self {
            Ends::V4([source, destination]) => Ends::V4([destination, source]),
            Ends::V6([source, destination]) => Ends::V6([destination, source]),
        }
    }

    /// Returns a packet without options or extension headers.
    #[must_use]
    pub fn packet(self, protocol: u8, payload: &[u8]) -> Vec<u8> {
        match self {
            Ends::V4(ends) => ipv4::packet(ends, protocol, &[], payload),
            Ends::V6(ends) => ipv6::packet(ends, protocol, payload),
        }
    }

    /// Returns the packet in an Ethernet frame.
    #[must_use]
    pub fn frame(self, protocol: u8, payload: &[u8]) -> Vec<u8> {
        ethernet::frame(self.ether_type(), &self.packet(protocol, payload))
    }
}

/// Writes a checksum into the two bytes at `offset`.
pub fn store(bytes: &mut [u8], offset: usize, value: u16) {
    if let Some(place) = bytes.get_mut(offset..offset + 2) {
        place.copy_from_slice(&value.to_be_bytes());
    }
}
/// Fills in the checksum at `offset` of a whole message of `protocol`.
#[must_use]
pub fn seal(mut message: Vec<u8>, ends: Ends, protocol: u8, offset: usize) -> Vec<u8> {
    store(&mut message, offset, 0);
    let mut sum = ends.pseudo(protocol, message.len());
    sum.update(&message);
    store(&mut message, offset, sum.value());
    message
}

/// Fills in the checksum at `offset` of a message without pseudo-header.
#[must_use]
pub fn seal_alone(mut message: Vec<u8>, offset: usize) -> Vec<u8> {
    store(&mut message, offset, 0);
    let value = checksum(&message);
    store(&mut message, offset, value);
    message
}

/// Returns what a host hands to a network card that computes checksums: the field holds the sum of
/// the pseudo-header alone, with the length or, as large-send offload wants it, without.
#[must_use]
pub fn offloaded(
    mut message: Vec<u8>,
    ends: Ends,
    protocol: u8,
    offset: usize,
    length: bool,
) -> Vec<u8> {
    let counted = if length { message.len() } else { 0 };
    store(&mut message, offset, !ends.pseudo(protocol, counted).value());
    message
}

/// Returns an authentication header before `payload`, whose number is `next` (RFC 4302). Its
/// integrity value is arbitrary.
#[must_use]
pub fn authentication(next: u8, payload: &[u8]) -> Vec<u8> {
    let mut header = [0x11; 24];
    header[..12].copy_from_slice(&[next, 4, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
    [&header[..], payload].concat()
}

/// Cases of IPsec's authentication header.
pub(crate) fn cases() -> Vec<Case> {
    let segment = tcp::segment(V4);
    let protected = authentication(6, &segment);
    vec![tcp::case("ah-tcp", "TCP behind AH", V4.frame(51, &protected), &segment)]
}
