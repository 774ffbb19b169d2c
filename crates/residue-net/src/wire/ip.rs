//! What IPv4 and IPv6 have in common for the layers above.

use crate::check::{Piece, PseudoHeader, Span};
use crate::frame::Walk;

/// The network layer around a transport header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ip {
    /// 4 or 6.
    pub version: u8,
    /// The source address of the pseudo-header: the home address, where a Mobile IPv6 option gives
    /// one.
    pub source: Span,
    /// The destination address of the pseudo-header: the last one, if the packet is routed by its
    /// source.
    pub destination: Span,
    /// The destination's first bytes, if a compressed source route left them out of it (RFC 6554);
    /// empty otherwise.
    pub prefix: Span,
    /// The number of the payload's protocol.
    pub protocol: u8,
    /// What the protocol has.
    pub payload: Span,
    /// Was the length 0, as segmentation offload leaves it? Then it ends where the packet does.
    pub length_zero: bool,
}

impl Ip {
    /// Pushes the pseudo-header of `length` bytes of payload.
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

/// The authentication header's fields. Its length is in units of 4 bytes, less 2.
const NEXT_HEADER: u32 = 0;
const LENGTH: u32 = 1;

/// The authentication header of IPsec (RFC 4302), and what it protects. Its integrity value takes a
/// key to check.
pub fn authentication(walk: &mut Walk, ip: &Ip) {
    if let (Some(next), Some(length)) =
        (walk.u8(ip.payload, NEXT_HEADER), walk.u8(ip.payload, LENGTH))
    {
        let payload = ip.payload.skip((u32::from(length) + 2) * 4);
        super::ip_protocol(walk, &Ip { protocol: next, payload, ..*ip });
    }
}
