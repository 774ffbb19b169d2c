//! Sparse multiples of a generator, by which the bytes of a message are replaced by copies of them
//! further behind, so that a CRC needs no products and no tables but for the end of the message.

use super::Generator;
use super::codewords::lightest;
use super::witness::Witness;
use crate::field::Notation;
use crate::{Effort, Error};
use serde::Serialize;

/// A sparse multiple of a generator.
///
/// If g divides 1 + x^a + x^b + ..., it divides its eighth power, which over GF(2) is 1 + x^(8a) +
/// x^(8b) + ...: what holds for bits holds for bytes. So a byte of a message can be replaced by
/// copies of it at these distances behind it, and the CRC stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Multiple {
    /// The distances in bytes, in rising order.
    pub distances: Vec<u64>,
}

impl Multiple {
    /// Takes an undetected error, which a [`Witness`] has verified with the CRC itself.
    fn of(witness: &Witness) -> Multiple {
        let places = witness.places();
        let last = places.last().copied().unwrap_or(0);
        let distances = places.iter().rev().skip(1).map(|place| last - place).collect();
        Multiple { distances }
    }
}

/// The most distances of a multiple.
pub const MOST_DISTANCES: u32 = lightest::HEAVIEST as u32 - 1;

/// The largest distance.
pub const MOST: u64 = 1 << 30;

/// Returns the largest distance within which one multiple is to be expected.
#[must_use]
pub fn expected(generator: &Generator, distances: u32) -> u64 {
    lightest::expected_span(generator, distances + 1) as u64
}

/// Returns the sums of powers that a search takes; `None` if that is beyond `effort`.
#[must_use]
pub fn cost(generator: &Generator, distances: u32, most: u64, effort: &Effort<'_>) -> Option<u64> {
    lightest::cost(generator.width(), distances + 1, most + 1, effort)
}

/// Finds all multiples with this number of `distances`, 2 to [`MOST_DISTANCES`], in bytes, the
/// first of them from `least` on, the last up to `most`; those with the shortest last one first.
///
/// # Errors
/// [`Error::Multiples`] if the search takes more time or memory than `effort` allows,
/// [`Error::Unconfirmed`] if the CRC itself contradicts one.
pub fn multiples(
    generator: &Generator,
    distances: u32,
    (least, most): (u64, u64),
    effort: &Effort<'_>,
) -> Result<Vec<Multiple>, Error> {
    let (weight, length) = (distances + 1, most + 1);
    let words = cost(generator, distances, most, effort)
        .and_then(|_| lightest::codewords(generator, weight, length, effort))
        .ok_or(Error::Multiples { distances, most })?;
    let multiple = |word: &lightest::Word| {
        let places: Vec<u64> = word[..weight as usize].iter().map(|&place| place.into()).collect();
        let witness = Witness::new(generator, &places);
        let name = || generator.digits(Notation::Normal);
        witness.map(|it| Multiple::of(&it)).ok_or_else(|| Error::Unconfirmed(name()))
    };
    let mut list: Vec<Multiple> = words.iter().map(multiple).collect::<Result<_, _>>()?;
    list.retain(|multiple| multiple.distances.first().is_some_and(|&first| first >= least));
    list.sort_by_key(|multiple| multiple.distances.iter().rev().copied().collect::<Vec<_>>());
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, distances: u32, limits: (u64, u64)) -> Vec<Vec<u64>> {
        let generator = Generator::parse(name, None).unwrap().0;
        let list = multiples(&generator, distances, limits, &Effort::new()).unwrap();
        list.into_iter().map(|multiple| multiple.distances).collect()
    }

    #[test]
    fn the_recurrence_keeps_the_value() {
        for (name, distances, limits) in [
            ("crc-32", 2, (0, 92_000)),
            ("crc-16/xmodem", 3, (0, 100)),
            ("crc-32", 3, (1000, 6000)),
            ("crc-32c", 3, (1000, 6000)),
            ("crc-24/openpgp", 5, (0, 60)),
        ] {
            let code: residue::Code = name.parse().unwrap();
            let all = found(name, distances, limits);
            assert!(!all.is_empty(), "{name}");
            for distances in all.iter().take(5) {
                let last = *distances.last().unwrap() as usize;
                // Its initial value and its final exclusive or do not matter to a difference.
                let zeros = vec![0; last + 50];
                let mut copied = zeros.clone();
                copied[3] ^= 0xa7;
                for &distance in distances {
                    copied[3 + distance as usize] ^= 0xa7;
                }
                assert_eq!(code.value(&zeros), code.value(&copied), "{name} {distances:?}");
                copied[3 + last] ^= 1;
                assert_ne!(code.value(&zeros), code.value(&copied), "{name} {distances:?}");
            }
        }
    }

    #[test]
    fn all_of_them_in_order() {
        let all = found("crc-32", 3, (0, 5000));
        assert!(all.contains(&vec![1927, 2181, 4018]) && all.contains(&vec![1837, 3200, 4949]));
        assert!(all.is_sorted_by_key(|distances| distances[2]));
        // CRC-32C's generator has the factor x + 1: no multiple has an odd number of terms.
        assert_eq!(found("crc-32c", 4, (0, 2000)), Vec::<Vec<u64>>::new());
        assert_eq!(found("crc-32", 3, (1900, 4018)), [[1927, 2181, 4018]]);
    }

    #[test]
    fn too_much_work_is_refused() {
        let generator = Generator::parse("crc-64/nvme", None).unwrap().0;
        let effort = Effort { sums: 1 << 20, ..Effort::new() };
        let error = multiples(&generator, 7, (0, 2000), &effort).unwrap_err();
        assert_eq!(error, Error::Multiples { distances: 7, most: 2000 });
    }
}
