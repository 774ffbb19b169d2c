//! The pieces that a check covers.

use super::span::Span;

/// A piece of the coverage of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Bytes of the buffer; the field of the check counts as zero.
    Bytes(Span),
    /// The part of a pseudo-header beside addresses.
    PseudoHeader(PseudoHeader),
    /// Other bytes that are in no packet.
    Given(Given),
}

impl Piece {
    /// Creates a piece of at most 8 given bytes; others are left out.
    #[must_use]
    pub fn given(source: &[u8]) -> Piece {
        let mut bytes = [0; 8];
        let length = source.len().min(8);
        bytes[..length].copy_from_slice(&source[..length]);
        Piece::Given(Given { bytes, length: length as u8 })
    }

    /// Returns the bytes, if the buffer has all of them.
    #[must_use]
    #[inline]
    pub fn of<'a>(&'a self, buffer: &'a [u8]) -> Option<&'a [u8]> {
        match self {
            Piece::Bytes(span) => span.of(buffer),
            Piece::PseudoHeader(PseudoHeader(given)) | Piece::Given(given) => Some(given.bytes()),
        }
    }

    /// Returns the number of bytes.
    #[must_use]
    pub fn len(&self) -> u32 {
        match self {
            Piece::Bytes(span) => span.len(),
            Piece::PseudoHeader(PseudoHeader(given)) | Piece::Given(given) => given.length.into(),
        }
    }

    /// Returns whether the piece is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A few bytes that are in no packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Given {
    bytes: [u8; 8],
    length: u8,
}

impl Given {
    #[inline]
    fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length).min(8)]
    }
}

/// The part of a pseudo-header beside addresses: the protocol, and the length of the covered data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PseudoHeader(Given);

impl PseudoHeader {
    /// Returns the pseudo-header of IPv4: zero, the protocol, a length of 16 bits (RFC 9293 section
    /// 3.1). The length of a larger super-packet, which segmentation offload splits, is added with
    /// 32 bits, as Linux does.
    #[must_use]
    #[inline]
    pub fn ipv4(protocol: u8, length: u32) -> PseudoHeader {
        let [a, b, c, d] = length.to_be_bytes();
        let count = if length > 0xffff { 6 } else { 4 };
        PseudoHeader(Given { bytes: [0, protocol, c, d, a, b, 0, 0], length: count })
    }

    /// Returns the pseudo-header of IPv6: a length of 32 bits, zeros, the protocol (RFC 8200
    /// section 8.1).
    #[must_use]
    #[inline]
    pub fn ipv6(protocol: u8, length: u32) -> PseudoHeader {
        let [a, b, c, d] = length.to_be_bytes();
        PseudoHeader(Given { bytes: [a, b, c, d, 0, 0, 0, protocol], length: 8 })
    }

    /// Returns the pseudo-header with another length.
    #[must_use]
    pub fn with_length(self, length: u32) -> PseudoHeader {
        let PseudoHeader(Given { bytes, length: count }) = self;
        if count < 8 {
            PseudoHeader::ipv4(bytes[1], length)
        } else {
            PseudoHeader::ipv6(bytes[7], length)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pseudo_headers_of_both_versions() {
        let bytes = |header| Piece::PseudoHeader(header).of(&[]).map(<[u8]>::to_vec);
        let (four, six) = (PseudoHeader::ipv4(6, 0x1_0203), PseudoHeader::ipv6(17, 0x0102_0304));
        assert_eq!(bytes(four), Some(vec![0, 6, 2, 3, 0, 1]));
        assert_eq!(bytes(six), Some(vec![1, 2, 3, 4, 0, 0, 0, 17]));
        assert_eq!(bytes(four.with_length(0x0506)), Some(vec![0, 6, 5, 6]));
        assert_eq!(bytes(six.with_length(0)), Some(vec![0, 0, 0, 0, 0, 0, 0, 17]));
    }

    #[test]
    fn given_bytes_are_at_most_eight() {
        let piece = Piece::given(&[1, 2, 3]);
        assert_eq!((piece.of(&[]), piece.len()), (Some(&[1, 2, 3][..]), 3));
        assert_eq!(Piece::given(&[7; 9]).of(&[]), Some(&[7; 8][..]));
        assert!(Piece::given(&[]).is_empty());
    }
}
