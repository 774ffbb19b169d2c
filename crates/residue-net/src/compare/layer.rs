//! The network layers of a packet: what identifies it at both points, and what a device may change.

use crate::address::Address;
use crate::wire::{checksum, has_ports};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::ops::Range;

/// Number of bytes of the transport layer that identify a packet that a capture cut.
const HEAD: usize = 40;

/// A flow: protocol, addresses and ports, source first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flow {
    /// Protocol number of IP.
    pub protocol: u8,
    /// Source and destination address.
    pub addresses: [Address; 2],
    /// Source and destination port; the identifier of an ICMP query, then 0; otherwise 0.
    pub ports: [u16; 2],
}

impl Flow {
    /// Returns the flow of the answers.
    #[must_use]
    pub fn turned(self) -> Flow {
        let Flow { protocol, addresses: [a, b], ports: [c, d] } = self;
        let ports = if has_ports(protocol) { [d, c] } else { [c, d] };
        Flow { protocol, addresses: [b, a], ports }
    }

    /// Returns whether no router forwards its packets: an address is of one link alone (RFC 3927,
    /// 5771 and 4291).
    #[must_use]
    pub fn is_of_one_link(&self) -> bool {
        self.addresses.iter().any(|address| match *address.bytes() {
            [169, 254, ..] | [224, 0, 0, _] | [255, 255, 255, 255] => true,
            [0xfe, second, ..] => second & 0xc0 == 0x80,
            [0xff, second, ..] if address.bytes().len() == 16 => matches!(second & 15, 1 | 2),
            _ => false,
        })
    }

    /// Returns the number of bits in which the addresses and ports of two flows differ; `None` if
    /// they are of different IP versions.
    #[must_use]
    pub fn distance(&self, other: &Flow) -> Option<u32> {
        let mut bits = 0;
        for (one, two) in self.addresses.iter().zip(&other.addresses) {
            if one.bytes().len() != two.bytes().len() {
                return None;
            }
            let pairs = one.bytes().iter().zip(two.bytes());
            bits += pairs.map(|(a, b)| (a ^ b).count_ones()).sum::<u32>();
        }
        let ports = self.ports.iter().zip(&other.ports);
        Some(bits + ports.map(|(a, b)| (a ^ b).count_ones()).sum::<u32>())
    }
}

/// Returns the range of the check value in a transport header.
fn check_value(protocol: u8) -> Option<Range<usize>> {
    checksum(protocol).map(|field| field.start as usize..field.end as usize)
}

/// Ranges of a transport header that a device may change, in order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Masks {
    ranges: [(u32, u32); 6],
    length: usize,
}

impl Masks {
    fn push(&mut self, range: Range<usize>) {
        if let Some(place) = self.ranges.get_mut(self.length) {
            *place = (range.start as u32, range.end as u32);
            self.length += 1;
        }
    }

    /// Returns the ranges, counted from the transport header.
    pub fn iter(&self) -> impl Iterator<Item = Range<usize>> {
        let ranges = &self.ranges[..self.length];
        ranges.iter().map(|&(start, end)| start as usize..end as usize)
    }

    /// Returns the masks of a transport header and its data: ports, the check value, the identifier
    /// of an ICMP query, what NAT translates in the packet that an ICMP error quotes, and the
    /// largest segment size of a SYN.
    pub fn of(protocol: u8, bytes: &[u8]) -> Masks {
        let mut masks = Masks::default();
        if has_ports(protocol) {
            masks.push(0..4);
        }
        if let Some(range) = check_value(protocol) {
            masks.push(range);
        }
        match (protocol, bytes.first()) {
            (6, _) => {
                if let Some(place) = segment_size(bytes) {
                    masks.push(place..place + 2);
                }
            }
            (1 | 58, _) if query(protocol, bytes) => masks.push(4..6),
            (1, Some(3 | 4 | 5 | 11 | 12)) => {
                for range in [9..10, 16..17, 18..28] {
                    masks.push(range);
                }
                if let (Some(&first), Some(&inner)) = (bytes.get(8), bytes.get(17)) {
                    masks.quoted(8 + usize::from(first & 15) * 4, inner);
                }
            }
            (58, Some(1..=4)) => {
                masks.push(8..10);
                masks.push(15..48);
                if let Some(&inner) = bytes.get(14) {
                    masks.quoted(48, inner);
                }
            }
            _ => {}
        }
        masks
    }

    fn quoted(&mut self, start: usize, protocol: u8) {
        if has_ports(protocol) {
            self.push(start..start + 4);
        } else if matches!(protocol, 1 | 58) {
            self.push(start + 4..start + 6);
        }
        if let Some(range) = check_value(protocol) {
            self.push(start + range.start..start + range.end);
        }
    }
}

/// Returns whether an ICMP message is a query or an answer to one, with an identifier.
fn query(protocol: u8, bytes: &[u8]) -> bool {
    matches!((protocol, bytes.first()), (1, Some(0 | 8 | 13..=18)) | (58, Some(128 | 129)))
}

/// Returns the place of the largest segment size in a SYN.
fn segment_size(bytes: &[u8]) -> Option<usize> {
    const SYN: u8 = 2;
    if bytes.get(13)? & SYN == 0 {
        return None;
    }
    let end = usize::from(bytes.get(12)? >> 4) * 4;
    let mut at = 20;
    while at < end {
        match bytes.get(at)? {
            0 => return None,
            1 => at += 1,
            2 => return (bytes.get(at + 1) == Some(&4)).then_some(at + 2),
            _ => at += usize::from(*bytes.get(at + 1)?).max(2),
        }
    }
    None
}

/// A network layer of a packet.
#[derive(Clone, Copy, Debug)]
pub struct Layer {
    /// Offset of the IP header in the packet.
    pub start: usize,
    /// Offset of the transport header.
    pub transport: usize,
    /// End of the payload when it was sent, by the length in the header.
    pub end: usize,
    /// Version of IP.
    pub version: u8,
    /// Addresses and ports.
    pub flow: Flow,
    /// Identification of an IPv4 packet, unless it is 0.
    pub identification: Option<u16>,
    /// Time to live, or hop limit.
    pub ttl: u8,
    /// Whether all of it was captured.
    pub whole: bool,
    /// Hash of the transport layer without what devices change: of all of it, or of its captured
    /// bytes.
    pub content: u64,
    /// Hash of the first bytes, if they were captured.
    pub head: Option<u64>,
    /// Sequence and acknowledgment number of a TCP segment.
    pub numbers: Option<[u32; 2]>,
}

impl Layer {
    /// Returns whether it is a message to neighbours, which no router forwards: multicast listener
    /// discovery, neighbour discovery (RFC 3810 and 4861), or any between addresses of one link.
    #[must_use]
    pub fn is_of_one_link(&self, bytes: &[u8]) -> bool {
        let neighbours = self.flow.protocol == 58
            && matches!(self.payload(bytes).first(), Some(130..=137 | 143));
        neighbours || self.flow.is_of_one_link()
    }

    /// Parses the layer whose IP header is at `start` in `bytes`, of which `sent` were sent.
    #[must_use]
    pub fn parse(bytes: &[u8], start: usize, sent: usize) -> Option<Layer> {
        let header = bytes.get(start..)?;
        let version = header.first()? >> 4;
        let word = |at: usize| Some(u16::from_be_bytes(*header.get(at..)?.first_chunk()?));
        let (transport, length, protocol) = match version {
            4 => {
                let length = usize::from(header[0] & 15) * 4;
                (length.max(20), usize::from(word(2)?), *header.get(9)?)
            }
            6 => {
                let (transport, protocol) = extensions(header)?;
                let length = usize::from(word(4)?);
                (transport, if length == 0 { 0 } else { length + 40 }, protocol)
            }
            _ => return None,
        };
        let (ttl, addresses) = if version == 4 {
            (*header.get(8)?, [header.get(12..16)?, header.get(16..20)?])
        } else {
            (*header.get(7)?, [header.get(8..24)?, header.get(24..40)?])
        };
        let end = if length == 0 { sent } else { start.saturating_add(length).min(sent) };
        let transport = (start + transport).min(bytes.len());
        let end = end.max(transport);
        let payload = &bytes[transport..end.min(bytes.len())];
        let ports = match payload {
            [a, b, c, d, ..] if has_ports(protocol) => {
                [u16::from_be_bytes([*a, *b]), u16::from_be_bytes([*c, *d])]
            }
            [_, _, _, _, a, b, ..] if query(protocol, payload) => [u16::from_be_bytes([*a, *b]), 0],
            _ => [0; 2],
        };
        let flow = Flow { protocol, addresses: addresses.map(Address::new), ports };
        let identification =
            if version == 4 { word(4).filter(|&number| number != 0) } else { None };
        let whole = end <= bytes.len();
        let masks = Masks::of(protocol, payload);
        let hash = |part: &[u8]| digest(protocol, end - transport, part, &masks);
        let head = payload.get(..HEAD).or(whole.then_some(payload));
        let number = |at: usize| Some(u32::from_be_bytes(*payload.get(at..)?.first_chunk()?));
        Some(Layer {
            start,
            transport,
            end,
            version,
            flow,
            identification,
            ttl,
            whole,
            content: hash(payload),
            head: head.map(hash),
            numbers: if protocol == 6 { number(4).zip(number(8)).map(Into::into) } else { None },
        })
    }

    /// Returns the captured bytes from the IP header to the end of its payload.
    #[must_use]
    pub fn captured<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        bytes.get(self.start..self.end.min(bytes.len())).unwrap_or_default()
    }

    /// Returns the captured bytes of the transport layer.
    #[must_use]
    pub fn payload<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        bytes.get(self.transport..self.end.min(bytes.len())).unwrap_or_default()
    }

    /// Returns the length of the transport layer when it was sent.
    #[must_use]
    pub fn payload_length(&self) -> usize {
        self.end - self.transport
    }
}

/// Returns the offset of the transport header behind the extension headers of IPv6, and its
/// protocol.
fn extensions(header: &[u8]) -> Option<(usize, u8)> {
    let (mut at, mut next) = (40, *header.get(6)?);
    loop {
        let length = match next {
            0 | 43 | 60 => (usize::from(*header.get(at + 1)?) + 1) * 8,
            44 => 8,
            51 => (usize::from(*header.get(at + 1)?) + 2) * 4,
            _ => return Some((at, next)),
        };
        (next, at) = (*header.get(at)?, at + length);
    }
}

/// Hashes a transport layer, or its first bytes, without the masked ranges.
fn digest(protocol: u8, length: usize, bytes: &[u8], masks: &Masks) -> u64 {
    let mut hasher = DefaultHasher::new();
    // ICMP and ICMPv6 stay apart; NAT64 changes more than a mask can cover.
    (protocol, length, bytes.len()).hash(&mut hasher);
    let mut from = 0;
    for range in masks.iter() {
        let start = range.start.min(bytes.len());
        if start > from {
            hasher.write(&bytes[from..start]);
        }
        from = range.end.min(bytes.len()).max(from);
    }
    hasher.write(&bytes[from..]);
    hasher.finish()
}

/// Returns whether the captured bytes of two transport layers are equal outside of the masks, as
/// far as both were captured.
pub fn same_content(one: &[u8], two: &[u8], masks: &Masks) -> bool {
    let length = one.len().min(two.len());
    let mut from = 0;
    for range in masks.iter() {
        let start = range.start.min(length);
        if start > from && one[from..start] != two[from..start] {
            return false;
        }
        from = range.end.min(length).max(from);
    }
    one[from..length] == two[from..length]
}

/// The protocol and the name of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Field {
    /// The protocol, as in sentences.
    pub protocol: &'static str,
    /// The field.
    pub name: &'static str,
}

impl Layer {
    /// Returns the field at an offset from the IP header.
    #[must_use]
    pub fn field(&self, bytes: &[u8], offset: usize) -> Field {
        let transport = self.transport - self.start;
        if offset < transport {
            let (protocol, fields) =
                if self.version == 4 { ("IPv4", IPV4) } else { ("IPv6", IPV6) };
            return Field { protocol, name: named(fields, offset) };
        }
        let at = offset - transport;
        let payload = self.payload(bytes);
        let (protocol, fields, header) = match self.flow.protocol {
            6 => {
                let length = payload.get(12).map_or(20, |byte| usize::from(byte >> 4) * 4);
                ("TCP", TCP, length.max(20))
            }
            17 => ("UDP", UDP, 8),
            136 => ("UDP-Lite", UDP, 8),
            132 => ("SCTP", SCTP, 12),
            1 => ("ICMP", ICMP, 8),
            58 => ("ICMPv6", ICMP, 8),
            _ => ("IP", &[][..], 0),
        };
        Field { protocol, name: if at < header { named(fields, at) } else { "data" } }
    }

    /// Returns the offset of the data of the transport layer from the IP header.
    #[must_use]
    pub fn data(&self, bytes: &[u8]) -> usize {
        let header = match self.flow.protocol {
            6 => self.payload(bytes).get(12).map_or(20, |byte| usize::from(byte >> 4) * 4).max(20),
            17 | 136 | 1 | 58 => 8,
            132 => 12,
            _ => 0,
        };
        self.transport - self.start + header
    }
}

/// The fields of a header: the end of each, and its name. Bytes behind them are options.
type Fields = &'static [(usize, &'static str)];

fn named(fields: Fields, at: usize) -> &'static str {
    fields.iter().find(|(end, _)| at < *end).map_or("options", |(_, name)| name)
}

const IPV4: Fields = &[
    (1, "version and header length"),
    (2, "type of service"),
    (4, "total length"),
    (6, "identification"),
    (8, "fragment offset"),
    (9, "time to live"),
    (10, "protocol"),
    (12, "checksum"),
    (16, "source address"),
    (20, "destination address"),
];
const IPV6: Fields = &[
    (1, "version"),
    (4, "traffic class and flow label"),
    (6, "payload length"),
    (7, "next header"),
    (8, "hop limit"),
    (24, "source address"),
    (40, "destination address"),
];
const TCP: Fields = &[
    (2, "source port"),
    (4, "destination port"),
    (8, "sequence number"),
    (12, "acknowledgment number"),
    (13, "header length"),
    (14, "flags"),
    (16, "window"),
    (18, "checksum"),
    (20, "urgent pointer"),
];
const UDP: Fields = &[(2, "source port"), (4, "destination port"), (6, "length"), (8, "checksum")];
const SCTP: Fields =
    &[(2, "source port"), (4, "destination port"), (8, "verification tag"), (12, "checksum")];
const ICMP: Fields = &[(1, "type"), (2, "code"), (4, "checksum"), (8, "rest of the header")];
