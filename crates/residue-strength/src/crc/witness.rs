//! Undetected errors, as proof.
//!
//! A witness is verified with the library's own CRC, not with the arithmetic that found it: the
//! data bits of the error are a message, and its check value must be the error's remaining bits.
//! Long errors have few bits set, far apart, so each bit is a message of one byte followed by
//! zeros, which [`Crc::combine`] skips in logarithmic time.

use super::Generator;
use residue::crc::Crc;

/// An error that a CRC does not detect: the powers of x whose bits are wrong, in rising order from
/// 0.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Witness {
    places: Vec<u64>,
}

impl Witness {
    /// Creates a witness if the code by `generator` does not detect these wrong bits.
    ///
    /// They may be in any order, and are moved so that the last place is 0.
    #[must_use]
    pub fn new(generator: &Generator, places: &[u64]) -> Option<Witness> {
        let least = *places.iter().min()?;
        let mut places: Vec<u64> = places.iter().map(|place| place - least).collect();
        places.sort_unstable();
        let distinct = places.windows(2).all(|pair| pair[0] < pair[1]);
        (distinct && undetected(&generator.crc(), generator.width(), &places))
            .then_some(Witness { places })
    }

    /// Returns the wrong bits, as powers of x in rising order from 0.
    #[must_use]
    pub fn places(&self) -> &[u64] {
        &self.places
    }

    /// Returns the number of wrong bits.
    #[must_use]
    pub fn weight(&self) -> u32 {
        self.places.len() as u32
    }

    /// Returns the bits from the first wrong one to the last: the shortest codeword the error fits
    /// in.
    ///
    /// Above 64 bits wide it takes a `u128`: two places may be 2^64 - 1 apart.
    #[must_use]
    pub fn span(&self) -> u128 {
        self.places.last().map_or(0, |&top| u128::from(top) + 1)
    }
}

/// Returns whether `crc`, of initial value 0, gives the data bits of the error the check value that
/// its other bits are.
fn undetected(crc: &Crc, width: u32, places: &[u64]) -> bool {
    places.iter().fold(0, |sum, &place| {
        sum ^ match place.checked_sub(width.into()) {
            // `second` is the value of zeros, which is 0, like the initial value.
            Some(bit) => crc.combine(crc.checksum(&[1 << (bit % 8)]), 0, bit / 8),
            None => 1 << place,
        }
    }) == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes::Undetected;
    use crate::crc::named;

    #[test]
    fn published_witnesses() {
        // Data bits from the first, and the check value in a register that shifts to the right.
        // Koopman's programs run the mirrored polynomial, as computing the errors from these shows.
        for (name, length, data, check) in [
            ("crc-32", 91_608, &[0, 41_678][..], 0x8000_0000_u32),
            ("crc-32", 2975, &[0, 2215, 2866], 0x8000_0000),
            ("crc-32", 172, &[0, 79, 85, 123], 0x8000_4000),
            ("crc-32c", 5244, &[0, 2751, 4508], 0x8000_0000),
            ("koopman:ba0dc66b", 16_361, &[0, 7], 0x8100_0000),
        ] {
            let generator = Generator::parse(name, None).unwrap().0.reciprocal();
            let mut places: Vec<u64> = data.iter().map(|bit| length - 1 - bit + 32).collect();
            places.extend((0..32).filter(|i| check.reverse_bits() >> i & 1 == 1));
            let witness =
                Witness::new(&generator, &places).unwrap_or_else(|| panic!("{name} {length}"));
            assert_eq!(witness.span(), u128::from(length) + 32);
            let (name, code) = named("", &generator);
            let error = Undetected::of(&witness, (&name, &code), length).unwrap();
            assert_eq!(error.data(), data);
            assert_eq!(error.check(), format!("{:08x}", check.reverse_bits()));
            places[0] -= 1;
            assert_eq!(Witness::new(&generator, &places), None, "{name}");
        }
    }

    #[test]
    fn far_apart() {
        let (nvme, _) = Generator::parse("crc-64/nvme", None).unwrap();
        assert_eq!(Witness::new(&nvme, &[0, u64::MAX]).unwrap().span(), 1 << 64);
        assert_eq!(Witness::new(&nvme, &[0, u64::MAX - 1]), None);
        // Its shortest of four bits, as both methods found it (see docs/strength.md).
        let four = Witness::new(&nvme, &[0, 1_188_938, 1_422_297, 3_838_780]).unwrap();
        assert_eq!(four.span() - 64, 3_838_717);
        assert_eq!(Witness::new(&nvme, &[]), None);
        assert_eq!(Witness::new(&nvme, &[5, 5]), None);
    }
}
