//! What a walk finds in one buffer.

use crate::address::Address;
use crate::check::{Check, Piece, PseudoHeader, Span};
use crate::unfollowed::Unfollowed;

/// The contents found in one buffer.
#[derive(Debug, Default)]
pub struct Found {
    /// Checks, outer before inner.
    pub checks: Vec<Check>,
    /// Covered pieces; each check has a range of them.
    pub pieces: Vec<Piece>,
    /// Source and destination address of every network header, outer before inner.
    pub networks: Vec<[Span; 2]>,
    /// Fragments of datagrams, to be reassembled.
    pub fragments: Vec<Fragment>,
    /// TCP segments of connections whose stream carries check values.
    pub segments: Vec<Segment>,
    /// Protocols that are not parsed, at which the walk ended, with the numbers of packets.
    pub unfollowed: Vec<(Unfollowed, u64)>,
    /// Headers that filters ask for.
    pub headers: Headers,
}

/// A header that filters ask for, beside those of networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    /// Ethernet: source and destination address.
    Ethernet([Span; 2]),
    /// An EtherType, and its payload.
    EtherType(u16, Span),
    /// A VLAN tag: the number of the VLAN.
    Vlan(u16),
    /// The payload of IP.
    Payload {
        /// Version of IP.
        version: u8,
        /// Protocol number.
        protocol: u8,
        /// Source and destination port, if the protocol has ports and they were captured.
        ports: Option<[u16; 2]>,
    },
    /// Source and destination address of the network header, for a unit without one.
    Addresses([Address; 2]),
}

impl Header {
    /// Returns the headers of a connection, for units of its stream.
    #[must_use]
    pub fn of_tcp(addresses: [&[u8]; 2], ports: [u16; 2]) -> [Header; 2] {
        let version = if addresses[0].len() == 4 { 4 } else { 6 };
        let addresses = Header::Addresses(addresses.map(Address::new));
        [addresses, Header::Payload { version, protocol: 6, ports: Some(ports) }]
    }
}

/// The headers met in a walk, outer before inner.
#[derive(Debug, Default)]
pub struct Headers {
    /// Whether headers are noted. Verification without a filter does not need them.
    pub are_wanted: bool,
    /// The headers.
    pub list: Vec<Header>,
}

impl Found {
    /// Clears all, for the next buffer.
    #[inline]
    pub fn clear(&mut self) {
        self.checks.clear();
        self.pieces.clear();
        self.networks.clear();
        self.fragments.clear();
        self.segments.clear();
        self.unfollowed.clear();
        self.headers.list.clear();
    }
}

/// The network layer around a transport header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ip {
    /// Version of IP: 4 or 6.
    pub version: u8,
    /// Source address of the pseudo-header; the home address, if a Mobile IPv6 option has one.
    pub source: Span,
    /// Destination address of the pseudo-header; the final one, if the packet is source-routed.
    pub destination: Span,
    /// First bytes of the destination that a compressed source route leaves out (RFC 6554); empty
    /// otherwise.
    pub prefix: Span,
    /// Protocol number of the payload.
    pub protocol: u8,
    /// Payload of the protocol.
    pub payload: Span,
    /// Whether the length was 0, as segmentation offload leaves it; the payload then ends with the
    /// packet.
    pub length_zero: bool,
}

impl Ip {
    /// Appends the pseudo-header for `length` bytes of payload.
    #[inline]
    pub fn pseudo_header(&self, length: u32, pieces: &mut Vec<Piece>) {
        if !self.prefix.is_empty() {
            pieces.extend([self.source, self.prefix, self.destination].map(Piece::Bytes));
        } else if self.source.end == self.destination.start {
            pieces.push(Piece::Bytes(Span { start: self.source.start, end: self.destination.end }));
        } else {
            pieces.extend([self.source, self.destination].map(Piece::Bytes));
        }
        let rest = if self.version == 4 { PseudoHeader::ipv4 } else { PseudoHeader::ipv6 };
        pieces.push(Piece::PseudoHeader(rest(self.protocol, length)));
    }
}

/// A fragment of an IP datagram.
#[derive(Clone, Copy, Debug)]
pub struct Fragment {
    /// Network layer of the datagram: addresses, and the protocol of its payload. Its `payload` is
    /// that of this fragment.
    pub ip: Ip,
    /// Identification of the datagram.
    pub identification: u32,
    /// Offset in the payload of the datagram, in bytes.
    pub offset: u32,
    /// Whether more fragments follow.
    pub more: bool,
    /// Number of headers around it, as the walk counts them.
    pub depth: u8,
}

/// A TCP segment.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    /// Network layer around it.
    pub ip: Ip,
    /// Source and destination port.
    pub ports: [u16; 2],
    /// Sequence number of its first byte (of its SYN, if it has one).
    pub sequence: u32,
    /// Flags of the header.
    pub flags: u8,
    /// Data of the segment.
    pub payload: Span,
}
