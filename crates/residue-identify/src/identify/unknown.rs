//! CRCs by a generator without a name.
//!
//! Each sample says that A + I x^n + X is a multiple of the generator P, where A = M x^w + V comes
//! from the message M of n bits and its value V. Sums of such multiples are multiples. The sum of
//! two messages of one length is without I and X. The sum of two of different lengths is without X,
//! B = (x^n + x^m) I mod P; and of two such sums, each multiplied with the other's factor of I,
//! without I too. (That factor without x^m is x^(n-m) + 1, and what the two have in common, x^g + 1
//! with the greatest common divisor g of the exponents, is left out.) The greatest common divisor
//! of what is left is P times a chance factor, mostly a small one.
//!
//! Where both I and X are zero or all ones, as in most CRCs, each sample itself is a multiple, and
//! two samples are enough.

use super::catalogue::REFLECTIONS;
use super::family::{Equation, Family, Modulus, reflect};
use super::found::Tally;
use super::polynomial::Polynomial;
use super::sample::Query;
use super::sums::gcd;

/// The degree of the narrowest unknown generator that is looked for: below, everything fits
/// something.
pub const NARROWEST: u32 = 3;
/// The number of multiples that are examined; more rule out nothing further.
const MOST_MULTIPLES: usize = 64;
/// Common divisors of a higher degree are not factored: samples that have them are nearly the same.
const MOST_DEGREE: usize = 4096;
/// The number of generators that are tried for one way to read the samples.
const MOST_GENERATORS: usize = 64;
/// Steps of 64-bit words that a search may take, about two seconds.
const MOST_STEPS: u64 = 1 << 31;

/// Returns how many of the readings, of messages of this length in bytes, can be searched in
/// reasonable time.
pub(super) fn affordable(bytes: usize, forms: usize) -> usize {
    let bits = 8 * bytes as u64 + 256;
    // Euclid takes a step for each bit, of as many words; 5 divisors are tried for each order of
    // bits and each form.
    let one = (bits * bits / 32).saturating_mul(20 * forms as u64);
    usize::try_from(MOST_STEPS / one).unwrap_or(usize::MAX)
}

/// Finds generators from 3 bits to the whole field, and notes the widths at which the samples rule
/// out too little.
pub(super) fn search(query: Query, tally: &mut Tally) {
    let Query { samples, bits, reads, forms } = query;
    if samples.len() < 2 || reads.is_empty() {
        tally.undecided.extend(NARROWEST..=bits);
        return;
    }
    for read in reads {
        let lengths: Vec<usize> = read.messages.iter().map(|message| 8 * message.len()).collect();
        let sums = plan(&lengths);
        let messages = |refin| -> Vec<Polynomial> {
            read.messages.iter().map(|message| Polynomial::of_message(message, refin)).collect()
        };
        let both = [messages(false), messages(true)];
        for (refin, refout) in REFLECTIONS {
            for &form in forms {
                for width in NARROWEST..=bits {
                    let values = samples.iter().map(|sample| {
                        let value = form.value(sample.value, bits, width)?;
                        Some(if refout { reflect(value, width) } else { value })
                    });
                    let Some(values) = values.collect::<Option<Vec<u128>>>() else { continue };
                    tally.tried += 1.0;
                    let multiples: Vec<Polynomial> = both[usize::from(refin)]
                        .iter()
                        .zip(&values)
                        .map(|(message, &value)| {
                            message.shifted(width as usize).plus(&Polynomial::of(value), 0)
                        })
                        .collect();
                    let known = Known { lengths: &lengths, multiples: &multiples, width };
                    let Candidates { generators, all } = known.generators(&sums);
                    let weak = tally.weak;
                    for modulus in generators {
                        let equations = known.equations(modulus);
                        let family = Family::fit(modulus, (refin, refout), &equations);
                        if let Some(family) = family {
                            tally.family(family, samples.len(), width, read, form);
                        }
                    }
                    if !all || tally.weak > weak {
                        tally.undecided.insert(width);
                    }
                }
            }
        }
    }
}

/// A sum of samples in which neither I nor X is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sum {
    /// Two of one length.
    Same(usize, usize),
    /// Two, each with the first, all of different lengths.
    Across(usize, usize),
}

/// Plans the sums of samples of these lengths, which ascend.
fn plan(lengths: &[usize]) -> Vec<Sum> {
    let mut sums = Vec::new();
    let mut firsts: Vec<usize> = Vec::new();
    for (i, length) in lengths.iter().enumerate() {
        match firsts.last() {
            Some(&first) if lengths[first] == *length => sums.push(Sum::Same(first, i)),
            _ => firsts.push(i),
        }
    }
    for (i, &b) in firsts.iter().enumerate().skip(2) {
        sums.extend(firsts[1..i].iter().map(|&a| Sum::Across(a, b)));
    }
    sums.truncate(MOST_MULTIPLES);
    sums
}

/// The samples' data for one width.
struct Known<'a> {
    /// Bits of each message.
    lengths: &'a [usize],
    /// M x^w + V of each.
    multiples: &'a [Polynomial],
    width: u32,
}

/// Generators that may be meant, each of which must be tried on the samples.
struct Candidates {
    generators: Vec<Modulus>,
    /// Whether no other generator of the width can have given the values.
    all: bool,
}

/// The common divisors of polynomials.
enum Common {
    /// Nothing of the wanted degree.
    Nothing,
    /// Their greatest common divisor.
    Divisor(Polynomial),
    /// Anything: they are too few, or nearly the same.
    Anything,
}

impl Known<'_> {
    fn generators(&self, sums: &[Sum]) -> Candidates {
        let mut found = Candidates { generators: Vec::new(), all: false };
        found.all = self.take(sums.iter().map(|&sum| self.sum(sum)), &mut found.generators);
        // These hold for any I and X: where they say what can be, no I and X adds to it.
        if !found.all {
            let ones = Polynomial::of(self.mask());
            let zero = Polynomial::zero();
            for init in [&zero, &ones] {
                for xorout in [&zero, &ones] {
                    let each = self.multiples.iter().zip(self.lengths);
                    let each =
                        each.map(|(a, &length)| a.clone().plus(init, length).plus(xorout, 0));
                    self.take(each.take(MOST_MULTIPLES), &mut found.generators);
                }
            }
        }
        found
    }

    /// Takes the generators that divide all of these; returns whether no others do.
    fn take(
        &self,
        multiples: impl Iterator<Item = Polynomial>,
        generators: &mut Vec<Modulus>,
    ) -> bool {
        let common = match self.common(multiples) {
            Common::Nothing => return true,
            Common::Anything => return false,
            Common::Divisor(common) => common,
        };
        let divisors = common.divisors(self.width as usize, MOST_GENERATORS);
        for divisor in &divisors {
            let modulus = Modulus { width: self.width, poly: divisor.low() & self.mask() };
            if !generators.contains(&modulus) {
                generators.push(modulus);
            }
        }
        divisors.len() < MOST_GENERATORS
    }

    fn mask(&self) -> u128 {
        u128::MAX >> (128 - self.width)
    }

    fn sum(&self, sum: Sum) -> Polynomial {
        let of = |a: usize, b: usize| self.multiples[a].clone().plus(&self.multiples[b], 0);
        match sum {
            Sum::Same(a, b) => of(a, b),
            Sum::Across(a, b) => {
                let [da, db] = [a, b].map(|i| self.lengths[i] - self.lengths[0]);
                let g = gcd(da as u128, db as u128) as usize;
                let (by_b, by_a) =
                    (of(0, a).times_series(g, db / g), of(0, b).times_series(g, da / g));
                by_b.plus(&by_a, 0)
            }
        }
    }

    /// Finds the common divisor of two or more polynomials, without x.
    fn common(&self, multiples: impl Iterator<Item = Polynomial>) -> Common {
        let mut divisor = Polynomial::zero();
        let mut count = 0;
        for multiple in multiples.map(Polynomial::without_x).filter(|multiple| !multiple.is_zero())
        {
            count += 1;
            divisor = divisor.gcd(multiple);
            if divisor.degree() < Some(self.width as usize) {
                return Common::Nothing;
            }
        }
        if count > 1 && divisor.degree() <= Some(MOST_DEGREE) {
            Common::Divisor(divisor)
        } else {
            Common::Anything
        }
    }

    fn equations(&self, modulus: Modulus) -> Vec<Equation> {
        let top = Polynomial::of(1).shifted(self.width as usize);
        let generator = top.plus(&Polynomial::of(modulus.poly), 0);
        let each = self.multiples.iter().zip(self.lengths);
        each.map(|(a, &bits)| Equation {
            bits: bits as u64,
            rest: a.clone().modulo(&generator).low(),
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue::crc::catalog;

    #[test]
    fn sums_of_samples() {
        use Sum::{Across, Same};
        assert_eq!(plan(&[8, 8, 16]), [Same(0, 1)]);
        assert_eq!(plan(&[8, 16, 24, 40]), [Across(1, 2), Across(1, 3), Across(2, 3)]);
        assert_eq!(plan(&[8, 16, 16, 24]), [Same(1, 2), Across(1, 3)]);
        assert_eq!(plan(&[8]), []);
    }

    #[test]
    fn every_sum_is_a_multiple_of_the_generator() {
        let messages: [&[u8]; 5] = [b"", b"a", b"bcd", b"efghijk", b"lmnopqr"];
        for params in catalog::ALL {
            let width = usize::from(params.width);
            let multiple = |message: &&[u8]| {
                let value = params.reference(message);
                let value = if params.refout { params.reflect(value) } else { value };
                let message = Polynomial::of_message(message, params.refin);
                message.shifted(width).plus(&Polynomial::of(value), 0)
            };
            let multiples: Vec<Polynomial> = messages.iter().map(multiple).collect();
            let lengths = messages.map(|message| 8 * message.len());
            let known =
                Known { lengths: &lengths, multiples: &multiples, width: params.width.into() };
            let generator = Polynomial::of(1).shifted(width).plus(&Polynomial::of(params.poly), 0);
            let sums = plan(&lengths);
            assert_eq!(sums.len(), 4);
            for sum in sums {
                assert!(known.sum(sum).modulo(&generator).is_zero(), "{params:?} {sum:?}");
            }
            let modulus = Modulus { width: params.width.into(), poly: params.poly };
            assert!(known.generators(&plan(&lengths)).generators.contains(&modulus), "{params:?}");
        }
    }
}
