//! IPv4 and IPv6.

use super::link;
use residue::internet::{Checksum, checksum};

/// The two ends of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// Source and destination address of IPv4.
    V4([[u8; 4]; 2]),
    /// Source and destination address of IPv6.
    V6([[u8; 16]; 2]),
}

/// 192.0.2.1 to 192.0.2.2 (RFC 5737).
pub const V4: Ends = Ends::V4([[192, 0, 2, 1], [192, 0, 2, 2]]);
/// 2001:db8::1 to 2001:db8::2 (RFC 3849).
pub const V6: Ends = Ends::V6([documentation(1), documentation(2)]);

/// The IPv6 address 2001:db8::`last`.
#[must_use]
pub const fn documentation(last: u8) -> [u8; 16] {
    [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last]
}

impl Ends {
    /// The EtherType of its packets.
    #[must_use]
    pub fn ether_type(self) -> u16 {
        match self {
            Ends::V4(_) => 0x0800,
            Ends::V6(_) => 0x86dd,
        }
    }

    /// The pseudo-header's sum for `length` bytes of `protocol`.
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

    /// The pseudo-header's bytes.
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

    /// The other way.
    #[must_use]
    pub fn turned(self) -> Ends {
        match self {
            Ends::V4([source, destination]) => Ends::V4([destination, source]),
            Ends::V6([source, destination]) => Ends::V6([destination, source]),
        }
    }

    /// A packet without options or extension headers.
    #[must_use]
    pub fn packet(self, protocol: u8, payload: &[u8]) -> Vec<u8> {
        match self {
            Ends::V4(ends) => ipv4(ends, protocol, &[], payload),
            Ends::V6(ends) => ipv6(ends, protocol, payload),
        }
    }

    /// The packet in an Ethernet frame.
    #[must_use]
    pub fn frame(self, protocol: u8, payload: &[u8]) -> Vec<u8> {
        link::ethernet(self.ether_type(), &self.packet(protocol, payload))
    }
}

/// Writes a checksum into the two bytes at `offset`.
pub fn store(bytes: &mut [u8], offset: usize, value: u16) {
    if let Some(place) = bytes.get_mut(offset..offset + 2) {
        place.copy_from_slice(&value.to_be_bytes());
    }
}

/// An IPv4 packet. The length of `options` is a multiple of four.
#[must_use]
pub fn ipv4(ends: [[u8; 4]; 2], protocol: u8, options: &[u8], payload: &[u8]) -> Vec<u8> {
    let header_length = 20 + options.len();
    let total = ((header_length + payload.len()) as u16).to_be_bytes();
    let fixed = [0x40 | (header_length / 4) as u8, 0, total[0], total[1]];
    // Identification, no flags, time to live, protocol.
    let rest = [0x4a, 0x11, 0, 0, 64, protocol, 0, 0];
    let mut packet = [&fixed[..], &rest, ends.as_flattened(), options, payload].concat();
    seal_ipv4(&mut packet);
    packet
}

/// Computes an IPv4 packet's header checksum again, after a change.
pub fn seal_ipv4(packet: &mut [u8]) {
    store(packet, 10, 0);
    let length = usize::from(packet.first().copied().unwrap_or(0) & 15) * 4;
    let value = checksum(packet.get(..length).unwrap_or_default());
    store(packet, 10, value);
}

/// The packets of an IPv4 datagram whose payload is cut at `cut`, a multiple of eight.
#[must_use]
pub fn ipv4_fragments(
    ends: [[u8; 4]; 2],
    protocol: u8,
    payload: &[u8],
    cut: usize,
) -> [Vec<u8>; 2] {
    let (first, second) = payload.split_at(cut.min(payload.len()));
    let piece = |part: &[u8], flags_and_offset: u16| {
        let mut packet = ipv4(ends, protocol, &[], part);
        packet[6..8].copy_from_slice(&flags_and_offset.to_be_bytes());
        seal_ipv4(&mut packet);
        packet
    };
    [piece(first, 0x2000), piece(second, (cut / 8) as u16)]
}

/// The option of a loose source route with one address (RFC 791), padded. `pointer` is 4 before that stop, 8 after it.
#[must_use]
pub fn loose_source_route(pointer: u8, stop: [u8; 4]) -> Vec<u8> {
    [&[131, 7, pointer][..], &stop, &[0]].concat()
}

/// An IPv6 packet.
#[must_use]
pub fn ipv6(ends: [[u8; 16]; 2], next: u8, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u16).to_be_bytes();
    let fixed = [0x60, 0, 0, 0, length[0], length[1], next, 64];
    [&fixed[..], ends.as_flattened(), payload].concat()
}

/// A hop-by-hop or destination options header before `payload`, whose number is `next`. Padded.
#[must_use]
pub fn ipv6_options(next: u8, options: &[u8], payload: &[u8]) -> Vec<u8> {
    let mut header = [&[next, 0], options].concat();
    match header.len() % 8 {
        0 => {}
        7 => header.push(0),
        over => {
            let pad = 8 - over;
            header.extend([1, pad as u8 - 2]);
            header.resize(header.len() + pad - 2, 0);
        }
    }
    header[1] = (header.len() / 8 - 1) as u8;
    [&header, payload].concat()
}

/// The destination option that names a mobile node's home address (RFC 6275 section 6.3).
#[must_use]
pub fn home_address(address: [u8; 16]) -> Vec<u8> {
    // Padded so that the address stands at 8n+6.
    [&[1, 2, 0, 0, 201, 16][..], &address].concat()
}

/// A routing header of type 0, 2 or 4 before `payload`, whose number is `next`.
#[must_use]
pub fn routing(kind: u8, left: u8, stops: &[[u8; 16]], next: u8, payload: &[u8]) -> Vec<u8> {
    // Type 4 (RFC 8754) gives the index of the last stop, the others have a reserved word there.
    let last = if kind == 4 { stops.len() as u8 - 1 } else { 0 };
    let header = [next, 2 * stops.len() as u8, kind, left, last, 0, 0, 0];
    [&header[..], stops.as_flattened(), payload].concat()
}

/// The packets of an IPv6 datagram whose payload is cut at `cut`, a multiple of eight.
#[must_use]
pub fn ipv6_fragments(ends: [[u8; 16]; 2], next: u8, payload: &[u8], cut: usize) -> [Vec<u8>; 2] {
    let (first, second) = payload.split_at(cut.min(payload.len()));
    let piece = |part: &[u8], offset_and_more: u16| {
        let [high, low] = offset_and_more.to_be_bytes();
        let header = [next, 0, high, low, 0, 0, 0x4a, 0x11];
        ipv6(ends, 44, &[&header[..], part].concat())
    };
    [piece(first, 1), piece(second, cut as u16)]
}

/// An authentication header before `payload`, whose number is `next` (RFC 4302). Its authenticity is not meant.
#[must_use]
pub fn authentication(next: u8, payload: &[u8]) -> Vec<u8> {
    let mut header = [0x11; 24];
    header[..12].copy_from_slice(&[next, 4, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
    [&header[..], payload].concat()
}
