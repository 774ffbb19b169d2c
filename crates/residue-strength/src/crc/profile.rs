//! The lengths up to which each Hamming distance holds.
//!
//! Let s(w) be the span of the shortest codeword of w bits. HD h holds for codewords shorter than
//! all of s(2), ..., s(h-1).
//! - s(2) is one more than the generator's order: bits as far apart as the order look the same.
//! - s(w) is infinite for odd w if x + 1 divides the generator, as every codeword then has an even
//!   weight; and for some odd w if another small polynomial does (`odd`).
//! - Some s(w) of generators of a small order are beyond the order, by the roots of their
//!   polynomials (`cyclic`).
//! - The other s(w) are looked for among all codewords of up to 22 data bits first (`short`), then
//!   by meeting in the middle (`lightest`), or for four bits far apart by logarithms (`logarithm`).
//!
//! The search for all s(w) goes round by round (`shortest`), and in each no farther than those of
//! fewer bits have come, so that it never examines codewords much longer than the one it finds.
//! Where it is ended the limit is a bound: it is proved up to there, and not known beyond.

mod shortest;

use super::codewords::short::Short;
use super::codewords::{cyclic, lightest, logarithm, odd};
use super::{Generator, Witness};
use crate::field::{Factor, factor};
use crate::{Effort, Kind};
use shortest::Shortest;

/// The longest data for which a Hamming distance holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The Hamming distance.
    pub distance: u32,
    /// The longest data, in bits.
    pub data: u64,
    /// Whether the length is the exact limit, or a lower bound.
    pub kind: Kind,
    /// An undetected error of fewer bits than `distance` in data one bit longer; of an exact limit
    /// only.
    pub witness: Option<Witness>,
}

/// The strength of a generator: its factors, its order and the limits of its Hamming distances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The generator.
    pub generator: Generator,
    /// Its irreducible factors.
    pub factors: Vec<Factor>,
    /// The least e with x^e = 1: e + 1 bits hold an undetected error of two bits.
    pub order: u64,
    /// The limits from Hamming distance 3 to the last that holds for one bit of data.
    pub limits: Vec<Limit>,
}

impl Profile {
    /// Finds all limits, as far as the budget allows.
    #[must_use]
    pub fn new(generator: &Generator, effort: &Effort<'_>) -> Profile {
        Profile::to(generator, u32::MAX, effort)
    }

    /// Finds the limits of Hamming distances up to `most`, which is less work.
    ///
    /// The profile has no larger distances then.
    #[must_use]
    pub fn to(generator: &Generator, most: u32, effort: &Effort<'_>) -> Profile {
        let factors = factor::factors(generator.explicit());
        let order = factor::order(&factors);
        let limits = limits(generator, order, most, effort);
        Profile { generator: *generator, factors, order, limits }
    }

    /// Returns the limits, in bits of data.
    #[must_use]
    pub fn lengths(&self) -> Vec<u64> {
        self.limits.iter().map(|limit| limit.data).collect()
    }

    /// Returns the Hamming distance of `data` bits, at least 1, as far as the limits show it, and
    /// whether it is exact.
    #[must_use]
    pub fn distance(&self, data: u64) -> (u32, Kind) {
        let holds = self.limits.iter().rev().find(|limit| limit.data >= data);
        let distance = holds.map_or(2, |limit| limit.distance);
        let next = self.limits.iter().find(|limit| limit.distance == distance + 1);
        (distance, next.map_or(Kind::Exact, |next| next.kind))
    }
}

/// The Hamming distance of data of one length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distance {
    /// The Hamming distance.
    pub distance: u32,
    /// Whether the distance is exact, or a lower bound.
    pub kind: Kind,
    /// An undetected error of `distance` bits, if it is exact.
    pub witness: Option<Witness>,
}

impl Distance {
    /// Computes the Hamming distance of `data` bits, at least 1: the minimum weight of the
    /// codewords that fit.
    #[must_use]
    pub fn new(generator: &Generator, data: u64, effort: &Effort<'_>) -> Distance {
        let order = factor::order(&factor::factors(generator.explicit()));
        let length = data.saturating_add(generator.width().into());
        let exactly = |distance, places: &[u64]| {
            let witness = Witness::new(generator, places);
            let kind = if witness.is_some() { Kind::Exact } else { Kind::AtLeast };
            Distance { distance, kind, witness }
        };
        if length > order {
            return exactly(2, &[0, order]);
        }
        // The generator itself fits, so that the search ends at its weight.
        let most = generator.explicit().count_ones();
        for mut shortest in Shortest::of_all(generator, order, most) {
            shortest.search_to(length, effort);
            let distance = shortest.weight();
            match shortest.places().filter(|places| places.last().is_some_and(|&top| top < length))
            {
                Some(places) => return exactly(distance, places),
                None if shortest.is_open(length) => {
                    return Distance { distance, kind: Kind::AtLeast, witness: None };
                }
                None => {}
            }
        }
        Distance { distance: most, kind: Kind::AtLeast, witness: None }
    }
}

/// Estimates the sums of powers that [`Profile::to`] will take.
#[must_use]
pub fn sums_to(generator: &Generator, most: u32, effort: &Effort<'_>) -> u64 {
    let order = factor::order(&factor::factors(generator.explicit()));
    weights(generator, order)
        .take_while(|&weight| weight < most)
        .scan(order, |to, weight| {
            let sums = cost(generator, weight, *to, effort);
            // Heavier codewords matter where they are shorter.
            *to = (*to).min((1.5 * lightest::expected_span(generator, weight)) as u64);
            Some(sums)
        })
        .fold(0, u64::saturating_add)
}

/// Estimates the sums of powers that [`Distance::new`] will take at `data` bits.
#[must_use]
pub fn sums_at(generator: &Generator, data: u64, effort: &Effort<'_>) -> u64 {
    let length = data.saturating_add(generator.width().into());
    let order = factor::order(&factor::factors(generator.explicit()));
    // The distance is known as soon as some codeword fits.
    let fits = |weight: &u32| lightest::expected_span(generator, *weight) < length as f64;
    let last = weights(generator, order).find(fits).unwrap_or(u32::MAX);
    weights(generator, order)
        .take_while(|&weight| weight <= last)
        .map(|weight| cost(generator, weight, length, effort))
        .fold(0, u64::saturating_add)
}

/// Returns the weights above two of which codewords are searched.
fn weights(generator: &Generator, order: u64) -> impl Iterator<Item = u32> {
    let odd = odd::least_weight(generator);
    (cyclic::least_weight(generator, order).max(3)..=lightest::HEAVIEST as u32)
        .filter(move |weight| weight % 2 == 0 || odd.is_some_and(|odd| *weight >= odd))
}

/// Estimates the sums of the search for the shortest codeword of a weight.
fn cost(generator: &Generator, weight: u32, to: u64, effort: &Effort<'_>) -> u64 {
    if to <= Short::reach(generator, weight) {
        return 0;
    }
    let reached = (lightest::expected_span(generator, 4) * 1.5) as u64;
    if weight == 4 && logarithm::preferred(generator, to.min(reached)) {
        logarithm::expected_cost(generator, to, effort)
    } else {
        lightest::expected_cost(generator, to, weight, effort)
    }
}

/// Searches the shortest codewords of all weights below `most`, as far as the budget allows.
fn searched<'a>(
    generator: &'a Generator,
    order: u64,
    most: u32,
    effort: &Effort<'_>,
) -> Vec<Shortest<'a>> {
    // The generator has as many terms at most as its width and one.
    let heaviest = most.min(generator.width() + 2) - 1;
    if heaviest < 3 {
        return Vec::new();
    }
    let mut all: Vec<Shortest<'a>> = Shortest::of_all(generator, order, heaviest).collect();
    for sums in effort.rounds() {
        // What is not known of fewer bits is no use to know of more.
        let (mut to, mut open) = (order, false);
        let held: u64 = all.iter().map(Shortest::memory).sum();
        for (rank, shortest) in all.iter_mut().enumerate() {
            // Few bits limit the longest data: their searches may take more.
            let sums = sums.checked_shr(rank as u32 / 2).unwrap_or(0);
            let memory = effort.memory.saturating_sub(held - shortest.memory());
            shortest.advance(to, &Effort { sums, memory, ..*effort });
            open |= shortest.weight() as usize <= lightest::HEAVIEST && shortest.is_open(to);
            to = to.min(shortest.none_to());
        }
        if !open || effort.is_spent() {
            break;
        }
    }
    all
}

fn limits(generator: &Generator, order: u64, most: u32, effort: &Effort<'_>) -> Vec<Limit> {
    let width = u64::from(generator.width());
    let mut searched = searched(generator, order, most, effort).into_iter().peekable();
    let mut limits = Vec::new();
    // Codewords of up to `proved` bits have the distance; the shortest that is known not to is the
    // witness.
    let mut proved = order;
    let mut witness = Witness::new(generator, &[0, order]);
    for distance in 3..=most {
        if proved <= width {
            break;
        }
        let exact = witness.as_ref().is_some_and(|w| w.span() == u128::from(proved) + 1);
        limits.push(Limit {
            distance,
            data: proved - width,
            kind: if exact { Kind::Exact } else { Kind::AtLeast },
            witness: witness.clone().filter(|_| exact),
        });
        // The next distance fails with the shortest codeword of as many bits as this one has.
        if let Some(shortest) = searched.next_if(|shortest| shortest.weight() == distance)
            && shortest.none_to() < proved
        {
            proved = shortest.none_to();
            witness = shortest.places().and_then(|places| Witness::new(generator, places));
        }
    }
    limits
}

#[cfg(test)]
mod tests;
