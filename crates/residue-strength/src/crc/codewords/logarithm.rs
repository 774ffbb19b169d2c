//! The shortest codeword of four bits by discrete logarithms.
//!
//! Where the codeword is long, as for 64-bit CRCs, this is much faster than meeting in the middle
//! (`lightest`); elsewhere it is a second method that confirms the first.
//!
//! Let x be a generator of the field's units, that is g primitive, and L(a) the logarithm of 1 +
//! x^a (Zech's): x^L(a) = 1 + x^a. A codeword of four bits is 1 + x^a = x^b (1 + x^c), so L(a) -
//! L(c) = b: two of the n logarithms that are closer than n. Sorted, such logarithms are
//! neighbours. (Didier and Laigle-Chapuy 2007 use them to find multiples of low weight.)
//!
//! The logarithms are known modulo M, a divisor of the number of units, and what looks like a
//! codeword is tried. L(2a) = 2 L(a), so only odd a are computed.
//!
//! With a factor x + 1 beside the primitive one nothing changes, as four is even.

use super::lightest::{self, Search};
use crate::Effort;
use crate::crc::Generator;
use crate::field::logarithm::Logarithms;
use crate::field::{Factor, factor, gf2};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Logarithms that a thread takes at a time. An even number.
const PIECE: usize = 1 << 12;

/// The number of sums above which meeting in the middle takes longer than logarithms.
const MANY_SUMS: u64 = 1 << 26;

/// The cost of a logarithm, in sums.
pub(crate) const COST: u64 = 128;

/// Memory for a place: its logarithm, which is kept, and that again with its place, sorted.
const KEPT: u64 = size_of::<u64>() as u64;
const SORTED: u64 = size_of::<(u64, u32)>() as u64;

/// Returns whether this method applies to codewords of four bits within `length` bits, and is
/// faster.
pub(crate) fn preferred(generator: &Generator, length: u64) -> bool {
    lightest::sums(4, length) > MANY_SUMS.into() && primitive_factor(generator).is_some()
}

/// Estimates the sums that a search to `to` bits costs, or gives up after.
pub(crate) fn expected_cost(generator: &Generator, to: u64, effort: &Effort<'_>) -> u64 {
    let length = (lightest::expected_span(generator, 4) * 1.6) as u64;
    length.min(to).saturating_mul(COST).min(effort.sums)
}

/// Returns the generator without a factor x + 1, if what remains is primitive.
fn primitive_factor(generator: &Generator) -> Option<Factor> {
    let factors = factor::factors(generator.explicit());
    let (last, others) = factors.split_last()?;
    let simple = others.iter().all(|other| other.poly == 3 && other.times == 1);
    (simple && last.is_primitive() && last.times == 1 && last.degree() >= 3).then_some(*last)
}

/// Returns the places of the shortest codeword of four bits within `length` bits, or `Some(None)`
/// if there is none.
///
/// Returns `None` if the method does not apply (the generator is neither primitive nor that times x
/// + 1, or the number of units has too few small divisors), or time or memory do not suffice.
pub fn four_bits(
    generator: &Generator,
    length: u64,
    effort: &Effort<'_>,
) -> Option<Option<[u64; 4]>> {
    let mut search = FourBits::new(generator, effort)?;
    if search.longest(effort) < length { None } else { search.within(length, effort) }
}

/// A search for the shortest codeword of four bits, which keeps its logarithms for the next, longer
/// one.
pub(crate) struct FourBits {
    logarithms: Logarithms,
    /// The number of units.
    order: u64,
    /// L(a) for a from 1; entry 0 is 0.
    zech: Vec<u64>,
}

impl FourBits {
    /// Creates a search; `None` if the method does not apply.
    pub fn new(generator: &Generator, effort: &Effort<'_>) -> Option<FourBits> {
        let last = primitive_factor(generator)?;
        // The other half is for the logarithms themselves.
        let logarithms = Logarithms::new(last.poly, last.order, effort.memory / 2)?;
        Some(FourBits { logarithms, order: last.order, zech: Vec::new() })
    }

    /// Returns the memory that is kept for the next search, in bytes.
    pub fn memory(&self) -> u64 {
        self.logarithms.memory() + self.zech.len() as u64 * KEPT
    }

    /// Returns the length for which the memory suffices, in bits.
    fn longest(&self, effort: &Effort<'_>) -> u64 {
        effort.memory.saturating_sub(self.logarithms.memory()) / (KEPT + SORTED)
    }

    /// Searches like [`lightest::search`].
    pub fn search(&mut self, from: u64, to: u64, effort: &Effort<'_>) -> Search {
        let length = to.min(effort.sums / COST).min(self.longest(effort));
        if length <= from {
            return Search::NoneTo(from);
        }
        match self.within(length, effort) {
            Some(Some(places)) => Search::Found(places.to_vec()),
            Some(None) => Search::NoneTo(length),
            None => Search::NoneTo(from),
        }
    }

    /// Returns the places of the shortest codeword within `length` bits; `None` if the time is up
    /// before.
    fn within(&mut self, length: u64, effort: &Effort<'_>) -> Option<Option<[u64; 4]>> {
        let length = length.min(self.order);
        if !self.extend(length, effort) || effort.is_spent() {
            return None;
        }
        let mut sorted: Vec<(u64, u32)> =
            self.zech[..length as usize].iter().copied().zip(0..).skip(1).collect();
        sorted.sort_unstable();
        Some(self.nearest(&sorted, length))
    }

    /// Computes L(a) for a from 1 to below `length` where it is missing; returns `false` if the
    /// time is up.
    fn extend(&mut self, length: u64, effort: &Effort<'_>) -> bool {
        let FourBits { logarithms, zech, .. } = self;
        // Threads meet at even places.
        let known = zech.len() & !1;
        if known as u64 >= length {
            return true;
        }
        zech.resize(length as usize, 0);
        let (next, x) = (AtomicUsize::new(0), logarithms.field.powers(2));
        let pieces: Vec<Mutex<&mut [u64]>> =
            zech[known..].chunks_mut(PIECE).map(Mutex::new).collect();
        let work = || {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(Ok(mut piece)) = pieces.get(number).map(Mutex::lock) else { return true };
                if !(effort.spend)(piece.len() as u64 * COST) {
                    return false;
                }
                let first = (known + number * PIECE) as u64;
                let powers = gf2::powers(logarithms.field.f, logarithms.field.power(&x, first));
                // Of even places below.
                for (log, power) in piece.iter_mut().zip(powers).skip(1).step_by(2) {
                    *log = logarithms.of(power ^ 1);
                }
                (effort.tell)(number as u64, pieces.len() as u64);
            }
        };
        // With one thread none is started, which some targets cannot.
        let in_time = thread::scope(|scope| {
            let others: Vec<_> = (1..effort.threads).map(|_| scope.spawn(work)).collect();
            let mine = work();
            others.into_iter().all(|other| other.join().unwrap_or(false)) && mine
        });
        if !in_time {
            zech.truncate(known);
            return false;
        }
        for a in (known.max(2)..zech.len()).step_by(2) {
            zech[a] = (2 * u128::from(zech[a / 2]) % logarithms.modulus) as u64;
        }
        true
    }

    /// Returns the places of the shortest codeword within `length` bits, from neighbours among
    /// sorted logarithms.
    fn nearest(&self, sorted: &[(u64, u32)], length: u64) -> Option<[u64; 4]> {
        let modulus = self.logarithms.modulus;
        // Once around: the first follow the last.
        let around = |i: usize| match sorted.get(i) {
            Some(&(l, a)) => (u128::from(l), a),
            None => {
                let (l, a) = sorted[i - sorted.len()];
                (u128::from(l) + modulus, a)
            }
        };
        let mut best: Option<[u64; 4]> = None;
        for i in 0..sorted.len() {
            let (low, c) = around(i);
            for (high, a) in (i + 1..i + sorted.len()).map(around) {
                let b = high - low;
                let shortest = best.map_or(length, |best| best[3]);
                if b >= shortest.into() || b >= modulus {
                    break;
                }
                let mut places = [0, a.into(), b as u64, b as u64 + u64::from(c)];
                places.sort_unstable();
                let distinct = places.windows(2).all(|pair| pair[0] < pair[1]);
                let poly = self.logarithms.field.f;
                if distinct && places[3] < shortest && is_codeword(poly, &places) {
                    best = Some(places);
                }
            }
        }
        best
    }
}

fn is_codeword(f: u128, places: &[u64]) -> bool {
    let power = |&place: &u64| gf2::power(gf2::divide(2, f).1, place.into(), f);
    places.iter().map(power).fold(0, |sum, power| sum ^ power) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_published_limits() {
        // The longest data of HD 5, and for those with x + 1 of HD 6.
        for (koopman, data) in [
            ("koopman:8d95", 62_u64),
            ("koopman:d175", 93),
            ("koopman:80000d", 509),
            ("koopman:c3267d", 517),
            ("crc-32", 2974),
        ] {
            let (generator, _) = Generator::parse(koopman, None).unwrap();
            let span = data + 1 + u64::from(generator.width());
            let found = four_bits(&generator, span + 1000, &Effort::new()).unwrap().unwrap();
            assert_eq!(found[3] + 1, span, "{koopman}");
            assert_eq!(four_bits(&generator, span - 1, &Effort::new()), Some(None), "{koopman}");
        }
        // Not primitive, and too few divisors.
        for name in ["crc-32/mef", "crc-32c"] {
            let (generator, _) = Generator::parse(name, None).unwrap();
            assert_eq!(four_bits(&generator, 10_000, &Effort::new()), None);
        }
    }

    #[test]
    fn searches_end_as_those_in_the_middle_do() {
        for (name, order) in [("crc-32", u32::MAX.into()), ("koopman:80000d", (1 << 24) - 1)] {
            let (generator, _) = Generator::parse(name, None).unwrap();
            // Each goes on with the logarithms of the one before, but for the last.
            let mut logarithms = FourBits::new(&generator, &Effort::new()).unwrap();
            for to in [399, 1001, 3006, 3007, 10_000, 500] {
                let found = logarithms.search(0, to, &Effort::new());
                let other = lightest::shortest(&generator, order, 4, 0, to, &Effort::new());
                assert_eq!(found, other, "{name} to {to}");
            }
            let little = Effort { sums: 100 * COST, ..Effort::new() };
            assert_eq!(logarithms.search(7, 3007, &little), Search::NoneTo(100));
        }
    }
}
