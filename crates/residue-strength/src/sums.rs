//! Computes the errors that sums do not detect, exactly.
//!
//! A bit of the data that is flipped from 0 to 1 adds a constant c of its place to the code's
//! element (see [`additive`](crate::additive)), from 1 to 0 it subtracts c. An error is undetected
//! if its bits add up to zero. Detection therefore depends on the data, unlike with a CRC, where c
//! and -c are equal; and every count here follows from the list of the c.
//!
//! The Hamming distance is the least number of wrong bits, in the data or in the check value after
//! them, that are undetected for *some* data.
//!
//! Uses `codes` and `field`.

mod burst;
mod channel;
mod constants;
mod distance;
mod few;
mod pairs;

use serde::Serialize;

use crate::Error;
use crate::codes::additive::Additive;
pub use burst::{Burst, burst};
pub use channel::{Channel, LONGEST};
pub use distance::{Distance, distance};
pub use pairs::{Share, inserted, swapped, two_bits, two_bits_of};

/// The sums that are reported if none are named.
pub const SUMS: [&str; 24] = [
    "xor-8",
    "xor-16",
    "xor-32",
    "sum-8",
    "sum-16",
    "sum-32",
    "internet",
    "xns",
    "fletcher-16",
    "fletcher-16/mod256",
    "rfc1146-8",
    "iso-8473",
    "fletcher-32",
    "fletcher-32/be",
    "fletcher-32/mod65536",
    "rfc1146-16",
    "four-octets",
    "adler-32",
    "koopman-8",
    "koopman-16",
    "koopman-32",
    "dual-16",
    "dual-32",
    "crc-16/arc",
];

/// The strength of a sum.
#[derive(Clone, Debug, Serialize)]
pub struct Sum {
    /// Its name.
    pub code: String,
    /// Bits of its value.
    pub width: u32,
    /// Bytes of the data that the shares are for.
    pub bytes: usize,
    /// Its Hamming distance; `None` for CRCs, which [`Profile`](crate::Profile) covers.
    pub distance: Option<Distance>,
    /// Undetected pairs of wrong bits in uniform data.
    pub two_bits: Share,
    /// Undetected pairs of wrong bits in data that are all zero.
    pub two_bits_of_zeros: Share,
    /// Undetected bursts of one bit more than a byte, a word and two words, by where they begin.
    pub bursts: Vec<Burst>,
    /// Undetected exchanges, among all pairs of unequal units of uniform data.
    pub swapped: Option<Share>,
    /// Undetected insertions of a zero unit, at any place but the end, into uniform data.
    pub inserted: Option<Share>,
}

/// Computes the strength of a code for data of `bytes` bytes, a multiple of four.
///
/// # Errors
///
/// Returns [`Error::Unconfirmed`] if the code contradicts the computation.
pub fn sum(code: &Additive, bytes: usize) -> Result<Sum, Error> {
    Ok(Sum {
        code: code.name().into(),
        width: code.width(),
        bytes,
        distance: distance(code)?,
        two_bits: two_bits(code, bytes),
        two_bits_of_zeros: two_bits_of(code, &vec![0; bytes]),
        bursts: [9, 16, 17, 33].into_iter().map(|bits| burst(code, bits)).collect(),
        swapped: swapped(code, bytes),
        inserted: inserted(code, bytes),
    })
}

#[cfg(test)]
mod tests {
    use super::SUMS;
    use crate::codes::additive::Additive;
    use residue::Code;

    #[test]
    fn every_sum_is_listed() {
        for code in Code::all() {
            if let Code::Sum(_) = code {
                assert!(Additive::of(&code, code.name()).is_some(), "{}", code.name());
                assert!(SUMS.contains(&code.name()), "{}", code.name());
            }
        }
    }
}
