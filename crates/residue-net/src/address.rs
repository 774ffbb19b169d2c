//! Network addresses, as packets store them.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

/// An address of 4 or 16 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address {
    bytes: [u8; 16],
    length: u8,
}

impl Address {
    /// Creates an address from bytes; those after the sixteenth are ignored.
    #[must_use]
    #[inline]
    pub fn new(source: &[u8]) -> Address {
        let mut bytes = [0; 16];
        // The two usual lengths, without a call.
        if let Ok(sixteen) = source.try_into() {
            bytes = sixteen;
        } else if let Ok([a, b, c, d]) = <[u8; 4]>::try_from(source) {
            bytes[..4].copy_from_slice(&[a, b, c, d]);
        } else {
            let length = source.len().min(16);
            bytes[..length].copy_from_slice(&source[..length]);
        }
        Address { bytes, length: source.len().min(16) as u8 }
    }

    /// Returns the bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }

    /// Returns the address as text; `None` if it is empty.
    #[must_use]
    pub fn shown(&self) -> Option<String> {
        (self.length > 0).then(|| self.to_string())
    }

    /// Returns the sum of its 16-bit words modulo 65535.
    #[must_use]
    pub fn sum(&self) -> u64 {
        let word = |pair: &[u8]| u64::from(pair[0]) << 8 | u64::from(pair[1]);
        self.bytes.chunks_exact(2).map(word).sum::<u64>() % 65535
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self.bytes() {
            [a, b, c, d] => Ipv4Addr::new(a, b, c, d).fmt(f),
            _ if self.length == 16 => Ipv6Addr::from(self.bytes).fmt(f),
            ref bytes => bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}")),
        }
    }
}
