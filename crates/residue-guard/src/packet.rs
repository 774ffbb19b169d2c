//! TCP segments in IP packets: their parts, and packets rewritten with other options.

use crate::options::Options;
use residue_net::Address;
use residue_net::check::{Piece, Span, Verdict};
use residue_net::frame::Ip;
use residue_net::wire::{Field, tcp};
use std::ops::Range;

/// Flags of the TCP header (RFC 9293 section 3.1).
pub(crate) const FIN: u8 = 1;
pub const SYN: u8 = 2;
pub(crate) const RST: u8 = 4;
pub(crate) const PSH: u8 = 8;
pub(crate) const ACK: u8 = 16;

const ICMP: u8 = 1;
const TCP: u8 = 6;
const ICMP_V6: u8 = 58;
/// Offset of the MTU in an ICMP header.
const MTU: usize = 6;
/// Offset of the receive window in a TCP header.
const WINDOW: usize = 14;
/// Length of the TCP header without options.
const HEADER: usize = tcp::HEADER as usize;
/// Largest number of IPv6 extension headers: more than occur in practice.
const MOST_HEADERS: usize = 8;

/// An end of a connection.
pub type End = (Address, u16);

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
    TooBig(TooBig<'a>),
    /// Not TCP, or not a segment that a receiver would accept.
    Other,
}

/// A segment whose header is complete.
#[derive(Clone, Copy, Debug)]
pub struct Segment<'a> {
    /// The packet, with the length that IP states.
    pub bytes: &'a [u8],
    pub ip: Ip,
    header_length: usize,
    /// Flags that [`rewrite`](Segment::rewrite) clears, and the number of bytes of data that it
    /// leaves out at the start.
    cleared: u8,
    skipped: usize,
}

/// A router's report that a packet of this host was too big (ICMP, type 3, code 4; ICMPv6, type 2).
#[derive(Clone, Copy, Debug)]
pub(crate) struct TooBig<'a> {
    /// The packet, with the length that IP states.
    pub(crate) bytes: &'a [u8],
    /// The connection of the reported packet, and its sequence number.
    pub(crate) key: Key,
    pub(crate) sequence: u32,
    /// The MTU of the path.
    pub(crate) mtu: u16,
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

    fn payload(bytes: &'a [u8], ip: Ip, is_fragment: bool) -> Option<Packet<'a>> {
        if matches!(ip.protocol, ICMP | ICMP_V6) && !is_fragment {
            return TooBig::parse(bytes, &ip).map(Packet::TooBig);
        }
        if ip.protocol != TCP {
            return None;
        }
        if is_fragment {
            return Some(Packet::Fragment(ends(bytes, &ip)?));
        }
        let segment = ip.payload.of(bytes)?;
        let header_length = usize::from(segment.get(tcp::DATA_OFFSET)? >> 4) * 4;
        let whole = (HEADER..=segment.len()).contains(&header_length);
        whole.then_some(Packet::Segment(Segment {
            bytes,
            ip,
            header_length,
            cleared: 0,
            skipped: 0,
        }))
    }
}

/// Returns the segment in a packet, if it holds one.
pub fn segment(packet: &[u8]) -> Option<Segment<'_>> {
    match Packet::parse(packet) {
        Packet::Segment(segment) => Some(segment),
        _ => None,
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
        0 => Packet::payload(bytes, ip, false),
        0x2000 => Packet::payload(bytes, ip, true),
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
            TCP | ICMP_V6 => break,
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
    Packet::payload(bytes, ip, is_fragment)
}

impl<'a> TooBig<'a> {
    fn parse(bytes: &'a [u8], ip: &Ip) -> Option<TooBig<'a>> {
        let icmp = ip.payload.of(bytes)?;
        // Bytes 4 and 5 are unused, or the upper half of ICMPv6's MTU.
        let is_too_big = match ip.version {
            4 => ip.protocol == ICMP && icmp.starts_with(&[3, 4]),
            _ => ip.protocol == ICMP_V6 && icmp.starts_with(&[2, 0]) && number(icmp, 4)? == 0,
        };
        if !is_too_big {
            return None;
        }
        let mtu = number(icmp, MTU)?;
        // The packet that was too big: its IP header, and at least 8 bytes of the segment.
        let inner = icmp.get(8..)?;
        let (length, protocol, addresses) = match ip.version {
            4 => (usize::from(*inner.first()? & 15) * 4, *inner.get(9)?, [12..16, 16..20]),
            _ => (40, *inner.get(6)?, [8..24, 24..40]),
        };
        let is_whole = inner[0] >> 4 == ip.version && length >= 20 && protocol == TCP;
        let segment = inner.get(length..).filter(|_| is_whole)?;
        let [source, destination] = addresses.map(|span| inner.get(span).map(Address::new));
        let local = (source?, number(segment, 0)?);
        let remote = (destination?, number(segment, 2)?);
        let sequence = u32::from_be_bytes(*segment.get(4..)?.first_chunk()?);
        Some(TooBig { bytes, key: Key { local, remote }, sequence, mtu })
    }
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
    pub fn ends(&self) -> [End; 2] {
        ends(self.bytes, &self.ip).unwrap_or_default()
    }

    pub(crate) fn sequence(&self) -> u32 {
        self.number32(tcp::SEQUENCE)
    }

    pub(crate) fn acknowledgment(&self) -> u32 {
        self.number32(tcp::ACKNOWLEDGMENT)
    }

    pub fn flags(&self) -> u8 {
        self.tcp()[tcp::FLAGS]
    }

    pub(crate) fn window(&self) -> u16 {
        u16::from_be_bytes([self.tcp()[WINDOW], self.tcp()[WINDOW + 1]])
    }

    /// Returns the length in sequence numbers.
    pub(crate) fn length(&self) -> u32 {
        let flags = (self.flags() & (SYN | FIN)).count_ones();
        (self.bytes.len() - self.start() - self.header_length) as u32 + flags
    }

    /// Returns the segment in two parts, the second with the last `by` bytes of data; `None` if it
    /// has no more. Only the second part has FIN and PSH.
    pub(crate) fn split(&self, by: usize) -> Option<[Segment<'a>; 2]> {
        let first = self.payload().len().checked_sub(by).filter(|&first| first > 0)?;
        let length = self.bytes.len() - by;
        let payload = Span { end: length as u32, ..self.ip.payload };
        let bytes = &self.bytes[..length];
        let ip = Ip { payload, ..self.ip };
        Some([
            Segment { bytes, ip, cleared: FIN | PSH, ..*self },
            Segment { skipped: first, ..*self },
        ])
    }

    pub(crate) fn header_length(&self) -> usize {
        self.header_length
    }

    pub fn options(&self) -> &'a [u8] {
        &self.tcp()[HEADER..self.header_length]
    }

    pub fn payload(&self) -> &'a [u8] {
        &self.tcp()[self.header_length..]
    }

    /// Returns the span of a part of the options in the packet.
    pub fn option_span(&self, option: &Range<usize>) -> Span {
        Span::at((self.start() + HEADER + option.start) as u32, option.len() as u32)
    }

    /// Returns whether the ordinary checksum is right.
    pub fn checksum_is_good(&self, pieces: &mut Vec<Piece>) -> bool {
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
            buffer.extend_from_slice(&self.payload()[self.skipped..]);
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
        buffer[start + tcp::FLAGS] &= !self.cleared;
        let sequence = self.sequence().wrapping_add(self.skipped as u32).to_be_bytes();
        let field = start + tcp::SEQUENCE.start as usize;
        buffer[field..field + sequence.len()].copy_from_slice(&sequence);
        let checksum = start + tcp::CHECKSUM.start as usize..start + tcp::CHECKSUM.end as usize;
        buffer[checksum].fill(0);
        Some(())
    }
}

/// Asks routers not to fragment an IPv4 packet. Updates the header checksum.
pub(crate) fn forbid_fragments(packet: &mut [u8]) {
    const DONT_FRAGMENT: u16 = 0x4000;
    if packet.first().is_none_or(|byte| byte >> 4 != 4) || packet.len() < 20 {
        return;
    }
    let old = u16::from_be_bytes([packet[6], packet[7]]);
    let checksum = u16::from_be_bytes([packet[10], packet[11]]);
    let checksum = residue::internet::update(checksum, old, old | DONT_FRAGMENT);
    packet[6..8].copy_from_slice(&(old | DONT_FRAGMENT).to_be_bytes());
    packet[10..12].copy_from_slice(&checksum.to_be_bytes());
}

/// Writes the ordinary checksum of a segment.
pub fn write_checksum(buffer: &mut [u8], ip: &Ip, pieces: &mut Vec<Piece>) {
    pieces.clear();
    let check = tcp::check(ip, pieces);
    if let Some(value) = check.computed(buffer, pieces) {
        check.store(buffer, value);
    }
}
