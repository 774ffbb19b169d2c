//! Common parts of IPv4 and IPv6 for the layers above.

use crate::check::{Piece, PseudoHeader, Span};
use crate::frame::Walk;

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

/// A plain IP packet: without options, extension headers and fragments, its length not 0, and all
/// of it captured.
pub(crate) struct Plain<'a> {
    /// Source and destination address of equal length, and the payload behind them.
    pub bytes: &'a [u8],
    /// Number of bytes of both addresses.
    pub addresses: usize,
    /// Protocol number of the payload.
    pub protocol: u8,
}

/// Fields of the authentication header. Its length is in units of 4 bytes, less 2.
const NEXT_HEADER: u32 = 0;
const LENGTH: u32 = 1;

/// Walks the authentication header of IPsec (RFC 4302) and its payload. The integrity value cannot
/// be verified without a key.
pub fn authentication(walk: &mut Walk, ip: &Ip) {
    if let (Some(next), Some(length)) =
        (walk.u8(ip.payload, NEXT_HEADER), walk.u8(ip.payload, LENGTH))
    {
        let payload = ip.payload.skip((u32::from(length) + 2) * 4);
        super::ip_protocol(walk, &Ip { protocol: next, payload, ..*ip });
    }
}
