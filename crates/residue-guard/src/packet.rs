//! TCP segments in IP packets: their parts, and packets rewritten with other options.

use crate::options::Options;
use residue_net::Address;
use residue_net::check::{Piece, Span, Verdict};
use residue_net::wire::ip::Ip;
use residue_net::wire::{Field, tcp};
use std::ops::Range;

/// Flags of the TCP header (RFC 9293 section 3.1).
pub(crate) const FIN: u8 = 1;
pub(crate) const SYN: u8 = 2;
pub(crate) const RST: u8 = 4;
pub(crate) const ACK: u8 = 16;

const TCP: u8 = 6;
/// Length of the TCP header without options.
const HEADER: usize = tcp::HEADER as usize;
/// Largest number of IPv6 extension headers: more than occur in practice.
const MOST_HEADERS: usize = 8;

/// An end of a connection.
pub(crate) type End = (Address, u16);

/// The ends of a connection as this host sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) local: End,
    pub(crate) remote: End,
}

impl Key {
    pub(crate) fn of_sent([source, destination]: [End; 2]) -> Key {
        Key { local: source, remote: destination }
    }

    pub(crate) fn of_received([source, destination]: [End; 2]) -> Key {
        Key { local: destination, remote: source }
    }
}

/// The kinds of packets that the guard distinguishes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Packet<'a> {
    Segment(Segment<'a>),
    /// The first fragment of a segment: source and destination.
    Fragment([End; 2]),
    /// Not TCP, or not a segment that a receiver would accept.
    Other,
}

/// A segment whose header is complete.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment<'a> {
    /// The packet, with the length that IP states.
    pub(crate) bytes: &'a [u8],
    pub(crate) ip: Ip,
    header_length: usize,
}

impl<'a> Packet<'a> {
    pub(crate) fn parse(packet: &'a [u8]) -> Packet<'a> {
        let parsed = match packet.first().map(|byte| byte >> 4) {
            Some(4) => ipv4(packet),
            Some(6) => ipv6(packet),
            _ => None,
        };
        parsed.unwrap_or(Packet::Other)
    }

    fn tcp(bytes: &'a [u8], ip: Ip, is_fragment: bool) -> Option<Packet<'a>> {
        if ip.protocol != TCP {
            return None;
        }
        if is_fragment {
            return Some(Packet::Fragment(ends(bytes, &ip)?));
        }
        let segment = ip.payload.of(bytes)?;
        let header_length = usize::from(segment.get(tcp::DATA_OFFSET)? >> 4) * 4;
        let whole = (HEADER..=segment.len()).contains(&header_length);
        whole.then_some(Packet::Segment(Segment { bytes, ip, header_length }))
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]))
}

fn ends(bytes: &[u8], ip: &Ip) -> Option<[End; 2]> {
    let start = ip.payload.start as usize;
    let end = |address: Span, at| Some((Address::new(address.of(bytes)?), number(bytes, at)?));
    Some([end(ip.source, start)?, end(ip.destination, start + 2)?])
}

fn ipv4(packet: &[u8]) -> Option<Packet<'_>> {
    let header = usize::from(packet[0] & 15) * 4;
    let length = usize::from(number(packet, 2)?);
    if header < 20 || length < header {
        return None;
    }
    let bytes = packet.get(..length)?;
    let ip = Ip {
        version: 4,
        source: Span::at(12, 4),
        destination: Span::at(16, 4),
        protocol: bytes[9],
        payload: Span { start: header as u32, end: length as u32 },
        ..Ip::default()
    };
    // More fragments, or an offset.
    match number(bytes, 6)? & 0x3fff {
        0 => Packet::tcp(bytes, ip, false),
        0x2000 => Packet::tcp(bytes, ip, true),
        _ => None,
    }
}

fn ipv6(packet: &[u8]) -> Option<Packet<'_>> {
    let length = usize::from(number(packet, 4)?);
    // 0 is a jumbogram (RFC 2675), which holds no TCP segment with 16-bit lengths.
    let bytes = packet.get(..40 + length).filter(|_| length != 0)?;
    let mut ip = Ip {
        version: 6,
        source: Span::at(8, 16),
        destination: Span::at(24, 16),
        protocol: bytes[6],
        payload: Span { start: 40, end: bytes.len() as u32 },
        ..Ip::default()
    };
    let mut is_fragment = false;
    for _ in 0..MOST_HEADERS {
        let header = ip.payload.of(bytes)?;
        let size = match ip.protocol {
            TCP => break,
            // Hop-by-hop and destination options.
            0 | 60 => (usize::from(*header.get(1)?) + 1) * 8,
            // On its way through other hosts, the packet's final destination, which the
            // pseudo-header covers, is not in the IPv6 header.
            43 if *header.get(3)? == 0 => (usize::from(*header.get(1)?) + 1) * 8,
            44 => {
                match number(header, 2)? & 0xfff9 {
                    0 => {}
                    1 => is_fragment = true,
                    _ => return None,
                }
                8
            }
            _ => return None,
        };
        ip.protocol = *header.first()?;
        if size > header.len() {
            return None;
        }
        ip.payload = ip.payload.skip(size as u32);
    }
    Packet::tcp(bytes, ip, is_fragment)
}

impl<'a> Segment<'a> {
    fn start(&self) -> usize {
        self.ip.payload.start as usize
    }

    fn tcp(&self) -> &'a [u8] {
        &self.bytes[self.start()..]
    }

    fn number32(&self, field: Field) -> u32 {
        let (tcp, at) = (self.tcp(), field.start as usize);
        u32::from_be_bytes([tcp[at], tcp[at + 1], tcp[at + 2], tcp[at + 3]])
    }

    /// Returns source and destination.
    pub(crate) fn ends(&self) -> [End; 2] {
        ends(self.bytes, &self.ip).unwrap_or_default()
    }

    pub(crate) fn sequence(&self) -> u32 {
        self.number32(tcp::SEQUENCE)
    }

    pub(crate) fn acknowledgment(&self) -> u32 {
        self.number32(tcp::ACKNOWLEDGMENT)
    }

    pub(crate) fn flags(&self) -> u8 {
        self.tcp()[tcp::FLAGS]
    }

    pub(crate) fn header_length(&self) -> usize {
        self.header_length
    }

    pub(crate) fn options(&self) -> &'a [u8] {
        &self.tcp()[HEADER..self.header_length]
    }

    pub(crate) fn payload(&self) -> &'a [u8] {
        &self.tcp()[self.header_length..]
    }

    /// Returns the span of a part of the options in the packet.
    pub(crate) fn option_span(&self, option: &Range<usize>) -> Span {
        Span::at((self.start() + HEADER + option.start) as u32, option.len() as u32)
    }

    /// Returns whether the ordinary checksum is right.
    pub(crate) fn checksum_is_good(&self, pieces: &mut Vec<Piece>) -> bool {
        pieces.clear();
        tcp::check(&self.ip, pieces).verdict(self.bytes, pieces) == Verdict::Good
    }

    /// Writes the packet into `buffer` with other options, and without its data unless `with_data`.
    /// Updates the lengths and the header checksum of IP; the TCP checksum is 0. Returns `None` if
    /// the packet would exceed IP's length field.
    pub(crate) fn rewrite(
        &self,
        options: &Options,
        with_data: bool,
        buffer: &mut Vec<u8>,
    ) -> Option<()> {
        let start = self.start();
        buffer.clear();
        buffer.extend_from_slice(&self.bytes[..start + HEADER]);
        buffer.extend_from_slice(options);
        if with_data {
            buffer.extend_from_slice(self.payload());
        }
        let length = buffer.len();
        if self.ip.version == 4 {
            let old = u16::from_be_bytes([buffer[2], buffer[3]]);
            let new = u16::try_from(length).ok()?;
            buffer[2..4].copy_from_slice(&new.to_be_bytes());
            // Updated, not recomputed, so that a wrong checksum stays wrong.
            let checksum = u16::from_be_bytes([buffer[10], buffer[11]]);
            let checksum = residue::internet::update(checksum, old, new);
            buffer[10..12].copy_from_slice(&checksum.to_be_bytes());
        } else {
            let length = u16::try_from(length - 40).ok()?;
            buffer[4..6].copy_from_slice(&length.to_be_bytes());
        }
        let offset = start + tcp::DATA_OFFSET;
        buffer[offset] = ((HEADER + options.len()) as u8 / 4) << 4 | (buffer[offset] & 15);
        let checksum = start + tcp::CHECKSUM.start as usize..start + tcp::CHECKSUM.end as usize;
        buffer[checksum].fill(0);
        Some(())
    }
}

/// Writes the ordinary checksum of a segment.
pub(crate) fn write_checksum(buffer: &mut [u8], ip: &Ip, pieces: &mut Vec<Piece>) {
    pieces.clear();
    let check = tcp::check(ip, pieces);
    if let Some(value) = check.computed(buffer, pieces) {
        check.store(buffer, value);
    }
}
