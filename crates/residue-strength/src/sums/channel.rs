//! The probability of an undetected error of a sum, where each bit of uniform data is wrong with
//! probability e and the check value arrives as it was sent.
//!
//! A wrong bit adds its constant c or subtracts it, in uniform data equally often. Let chi be a
//! character of the group, a map to the unit circle that turns sums into products. Its mean over
//! what a bit adds is 1 - e + e Re chi(c), and as bits are independent, their means multiply.
//! Nothing is added in all with the mean probability over the characters:
//!
//! P(e) = 1/|G| sum over chi of the product of (1 - e + e Re chi(c)) over all bits, less (1 - e)^n
//! for no error.
//!
//! A polynomial in e / (1 - e), this sum has the mean numbers A_w of undetected errors of w
//! bits as its coefficients, as MacWilliams' identity has for linear codes. Characters that meet
//! the constants in the same way are taken together: the Internet checksum has 65,535, of two
//! thousand kinds.
//!
//! Groups of 32 bits have too many characters. There pairs and triples of bits are counted, and P
//! is known as a bound.

use std::collections::HashMap;
use std::f64::consts::TAU;

use super::constants::{Counts, constants};
use super::few::{Triples, choose, pairs, triples_of_powers};
use crate::Kind as Figure;
use crate::codes::additive::{Additive, Group, Kind, Work};

/// The size of the largest group whose characters are all evaluated.
const CHARACTERS: f64 = 65536.0;

/// The largest weight w whose A_w are computed by characters.
const HEAVIEST: usize = 8;

/// The mean number of wrong bits up to which the first weights determine the probability.
const FEW: f64 = 0.05;

/// The most distinct constants whose triples are counted: half a billion pairs.
const TRIPLES: usize = 1 << 15;

/// The longest data, in bytes.
pub const LONGEST: usize = 1 << 20;

/// The undetected errors of a sum among independent wrong bits in uniform data of one length.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Bits of data.
    bits: f64,
    /// The mean numbers of undetected errors of 0, 1, 2, ... bits, as far as they are known.
    counts: Vec<f64>,
    /// The kinds of characters, with the number of each; none if there are too many.
    characters: Vec<Character>,
}

/// Characters with equal numbers of bits for each real part.
#[derive(Clone, Debug)]
struct Character {
    alike: f64,
    /// Re chi(c), and the number of bits with it.
    parts: Vec<(f64, f64)>,
}

impl Channel {
    /// Analyses a code for `bytes` bytes of data, from 1 to [`LONGEST`]; `None` outside.
    #[must_use]
    pub fn new(code: &Additive, bytes: usize) -> Option<Channel> {
        if !(1..=LONGEST).contains(&bytes) {
            return None;
        }
        let constants = bits(code, bytes);
        let unlike = code.within(Unlike(constants.clone()));
        let bits = 8.0 * bytes as f64;
        // The characters of a sum in which every bit counts differently have nothing in common.
        if code.elements() > CHARACTERS || code.scaled() && code.width() > 8 {
            let powers = if code.scaled() { &constants[..] } else { &[] };
            let counts = code.within(Counted { powers, unlike: &unlike });
            return Some(Channel { bits, counts, characters: Vec::new() });
        }
        let characters = characters(code, &unlike);
        let mut counts = [0.0; HEAVIEST + 1];
        for character in &characters {
            let terms = character.elementary();
            counts.iter_mut().zip(terms).for_each(|(sum, term)| *sum += character.alike * term);
        }
        let mut errors = 1.0;
        for (weight, count) in (0..).zip(&mut counts) {
            // The rest of numbers that cancel is nothing: shares are multiples of 1/65536, or far
            // above.
            *count /= code.elements();
            if count.abs() < errors * 1e-11 {
                *count = 0.0;
            }
            errors *= (bits - f64::from(weight)).max(0.0) / f64::from(weight + 1);
        }
        Some(Channel { bits, counts: counts.to_vec(), characters })
    }

    /// Returns the exact share of pairs of wrong bits that are undetected in `bytes` bytes of data,
    /// at least 1, without any other analysis.
    #[must_use]
    pub fn share_of_pairs(code: &Additive, bytes: usize) -> f64 {
        let unlike = code.within(Unlike(bits(code, bytes)));
        code.within(OfTwo(&unlike)) / choose(8 * bytes as u64, 2)
    }

    /// Returns the exact share of errors of `weight` bits that are undetected; `None` if it is not
    /// counted, or the data are too short.
    #[must_use]
    pub fn share(&self, weight: u32) -> Option<f64> {
        let errors: f64 =
            (0..weight).map(|i| (self.bits - f64::from(i)).max(0.0) / f64::from(i + 1)).product();
        let count = self.counts.get(weight as usize)?;
        (errors > 0.0).then_some(count / errors)
    }

    /// Returns whether [`Channel::at`] is exact, or a lower bound.
    #[must_use]
    pub fn kind(&self) -> Figure {
        if self.characters.is_empty() { Figure::AtLeast } else { Figure::Exact }
    }

    /// Returns the probability of an undetected error at a bit error rate from 0 to 1/2; `None` if
    /// it is unknown.
    #[must_use]
    pub fn at(&self, rate: f64) -> Option<f64> {
        let right = (-rate).ln_1p();
        if self.characters.is_empty() || self.bits * rate < FEW {
            let term = |(weight, count): (f64, &f64)| {
                count * (weight * rate.ln() + (self.bits - weight) * right).exp()
            };
            let weights = (0..).map(f64::from);
            let known: f64 = weights.zip(&self.counts).skip(1).map(term).sum();
            return (known > 0.0 || !self.characters.is_empty()).then_some(known);
        }
        let mean = |character: &Character| {
            // A product of numbers that may be negative, or 0 at a rate of 1/2.
            let part = |&(real, bits): &(f64, f64)| (1.0 - rate * (1.0 - real)).max(0.0).powf(bits);
            character.alike * character.parts.iter().map(part).product::<f64>()
        };
        let all: f64 = self.characters.iter().map(|character| character.alike).sum();
        let unseen = self.characters.iter().map(mean).sum::<f64>() / all;
        Some(unseen - (self.bits * right).exp())
    }
}

impl Character {
    /// Returns the elementary symmetric polynomials of all real parts, by Newton's identities.
    fn elementary(&self) -> [f64; HEAVIEST + 1] {
        let power = |k: usize| {
            let powers = self.parts.iter().map(|&(real, bits)| bits * real.powi(k as i32));
            powers.sum::<f64>()
        };
        let powers: [f64; HEAVIEST + 1] = std::array::from_fn(power);
        let mut terms = [1.0; HEAVIEST + 1];
        for k in 1..=HEAVIEST {
            let signed = |i: usize| if i % 2 == 1 { powers[i] } else { -powers[i] };
            terms[k] = (1..=k).map(|i| signed(i) * terms[k - i]).sum::<f64>() / k as f64;
        }
        terms
    }
}

/// Returns what each bit of the data adds.
///
/// Data that end within a unit are padded with zeros, as every code here does.
pub(super) fn bits(code: &Additive, bytes: usize) -> Vec<u32> {
    let mut all = constants(code, bytes.next_multiple_of(code.unit_bits().div_ceil(8)));
    all.truncate(8 * bytes);
    all
}

/// Constants, and the number of bits with each constant or its opposite.
struct Unlike(Vec<u32>);

impl Work for Unlike {
    type Output = Vec<(u32, u64)>;
    fn run<G: Group>(self, group: G) -> Vec<(u32, u64)> {
        let mut counts = Counts::default();
        for constant in self.0 {
            *counts.entry(constant.min(group.sub(0, constant))).or_insert(0) += 1;
        }
        let mut unlike: Vec<(u32, u64)> = counts.into_iter().collect();
        unlike.sort_unstable();
        unlike
    }
}

/// Computes whether the doubles of all constants are the same constants, as often each.
struct Doubled<'a>(&'a [(u32, u64)]);

impl Work for Doubled<'_> {
    type Output = bool;
    fn run<G: Group>(self, group: G) -> bool {
        let counts: Counts = self.0.iter().copied().collect();
        self.0.iter().all(|&(constant, count)| {
            let double = group.add(constant, constant);
            counts.get(&double.min(group.sub(0, double))) == Some(&count)
        })
    }
}

/// Returns all characters of a code's group, equal ones together.
fn characters(code: &Additive, unlike: &[(u32, u64)]) -> Vec<Character> {
    let (modulus, last) = match code.kind {
        Kind::Bits => (2, (1 << code.width()) - 1),
        Kind::Residues(modulus, _) => (modulus as u32, modulus as u32 - 1),
        Kind::Pairs(modulus, ..) => (modulus, modulus * modulus - 1),
    };
    // Where the doubles of all constants are these constants again, a character is like its double.
    let doubles = modulus % 2 == 1 && code.within(Doubled(unlike));
    let double = |character: u32| {
        let half = |half: u32| 2 * half % modulus;
        half(character / modulus) * modulus + half(character % modulus)
    };
    let mut kinds: HashMap<Vec<(u32, u32)>, u64> = HashMap::new();
    let mut bits = vec![0_u32; modulus as usize / 2 + 1];
    for character in 0..=last {
        let mut alike = 1;
        if doubles {
            let others =
                std::iter::successors(Some(double(character)), |&other| Some(double(other)));
            let others = others.take_while(|&other| other != character);
            // One stands for all: the least.
            match others.clone().all(|other| other > character) {
                true => alike += others.count() as u64,
                false => continue,
            }
        }
        let (lower, upper) = (character % modulus, character / modulus);
        let mut met = Vec::new();
        for &(constant, count) in unlike {
            // The angle of chi(c), in turns of which the modulus is one.
            let angle = match code.kind {
                Kind::Bits => (character & constant).count_ones() % 2,
                Kind::Residues(..) => {
                    (u64::from(character) * u64::from(constant) % u64::from(modulus)) as u32
                }
                Kind::Pairs(..) => {
                    (lower * (constant & 0xffff) + upper * (constant >> 16)) % modulus
                }
            };
            // Angles that differ in sign have one real part.
            let angle = angle.min(modulus - angle);
            if bits[angle as usize] == 0 {
                met.push(angle);
            }
            bits[angle as usize] += count as u32;
        }
        met.sort_unstable();
        let kind = met.iter().map(|&angle| (angle, std::mem::take(&mut bits[angle as usize])));
        *kinds.entry(kind.collect()).or_insert(0) += alike;
    }
    let part = |(angle, bits): (u32, u32)| {
        ((TAU * f64::from(angle) / f64::from(modulus)).cos(), f64::from(bits))
    };
    let mut all: Vec<(Vec<(u32, u32)>, u64)> = kinds.into_iter().collect();
    // Sums of floating point must come out the same every time.
    all.sort_unstable();
    all.into_iter()
        .map(|(kind, alike)| Character {
            alike: alike as f64,
            parts: kind.into_iter().map(part).collect(),
        })
        .collect()
}

/// A_0 to A_3, or to A_2 if there are too many triples, by counting.
///
/// Each set of bits counts with the share of the signs for which its constants add up to nothing.
struct Counted<'a> {
    /// What each bit adds, if each adds twice what the next one does; else nothing.
    powers: &'a [u32],
    unlike: &'a [(u32, u64)],
}

impl Work for Counted<'_> {
    type Output = Vec<f64>;
    fn run<G: Group>(self, group: G) -> Vec<f64> {
        let Counted { powers, unlike } = self;
        let mut counts = vec![1.0, 0.0, pairs(group, unlike)];
        if unlike.len() <= TRIPLES {
            let triples = triples_of_powers(group, powers);
            counts.push(triples.unwrap_or_else(|| Triples::new(group, unlike).count()));
        }
        counts
    }
}

/// A_2, by counting.
struct OfTwo<'a>(&'a [(u32, u64)]);

impl Work for OfTwo<'_> {
    type Output = f64;
    fn run<G: Group>(self, group: G) -> f64 {
        pairs(group, self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::two_bits;
    use super::*;

    fn code(name: &str) -> Additive {
        Additive::named(name).unwrap()
    }

    fn near(a: f64, b: f64, what: &str) {
        assert!((a - b).abs() <= 1e-9 * b.abs(), "{what}: {a} {b}");
    }

    /// Compares what a bit adds with the library's own code, at lengths within units too.
    #[test]
    fn constants_of_every_length() {
        for name in super::super::SUMS.into_iter().filter(|name| !name.starts_with("crc")) {
            let code = code(name);
            for bytes in [1, 2, 3, 5, 7, 8, 11] {
                let zeros = code.element(&vec![0; bytes]);
                for (bit, constant) in bits(&code, bytes).into_iter().enumerate() {
                    struct Added(u32, u32, u32);
                    impl Work for Added {
                        type Output = bool;
                        fn run<G: Group>(self, group: G) -> bool {
                            group.sub(self.0, self.1) == self.2
                        }
                    }
                    let mut data = vec![0; bytes];
                    data[bit / 8] |= 0x80 >> (bit % 8);
                    let added = Added(code.element(&data), zeros, constant);
                    // Fletcher counts units from the end, so that filling up moves all alike.
                    assert!(code.within(added), "{name} {bytes} {bit}");
                }
            }
        }
    }

    /// Compares characters with counted sets, and with the pairs of [`two_bits`].
    #[test]
    fn ways_agree() {
        for name in ["xor-8", "sum-8", "xor-16", "sum-16", "internet", "xns", "fletcher-16/mod256"]
        {
            let code = code(name);
            let channel = Channel::new(&code, 64).unwrap();
            let unlike = code.within(Unlike(bits(&code, 64)));
            let counted = code.within(Counted { powers: &[], unlike: &unlike });
            for (one, other) in channel.counts.iter().zip(&counted).skip(2) {
                near(*one, *other, name);
            }
            near(channel.share(2).unwrap(), two_bits(&code, 64).share, name);
        }
    }

    /// Tries every error in every message of two bytes.
    #[test]
    fn probabilities_of_short_data_are_the_mean_of_all() {
        for name in ["sum-8", "internet", "fletcher-16", "xor-8"] {
            let code = code(name);
            let mut alike: HashMap<u32, Vec<u16>> = HashMap::new();
            for data in 0..=u16::MAX {
                alike.entry(code.element(&data.to_be_bytes())).or_default().push(data);
            }
            let mut counts = [0.0; 17];
            for data in alike.values() {
                for error in data.iter().flat_map(|a| data.iter().map(move |b| a ^ b)) {
                    counts[error.count_ones() as usize] += 1.0 / 65536.0;
                }
            }
            counts[0] = 0.0;
            let channel = Channel::new(&code, 2).unwrap();
            for rate in [1e-4_f64, 0.01, 0.3, 0.5] {
                let term =
                    |(w, count): (i32, &f64)| count * rate.powi(w) * (1.0 - rate).powi(16 - w);
                let expected: f64 = (0..).zip(&counts).map(term).sum();
                let found = channel.at(rate).unwrap();
                assert!(
                    (found - expected).abs() < 1e-7 * expected + 1e-14,
                    "{name} {rate} {found} {expected}"
                );
            }
        }
    }

    #[test]
    fn limits_of_probabilities() {
        for name in ["internet", "fletcher-16", "sum-16"] {
            let code = code(name);
            let channel = Channel::new(&code, 256).unwrap();
            near(channel.at(0.5).unwrap(), 1.0 / code.elements(), name);
            // Where one way of computing takes over from the other, it goes on as it was.
            let rate = FEW / 2048.0;
            let [below, above] =
                [0.999_999, 1.000_001].map(|factor| channel.at(rate * factor).unwrap());
            assert!((above / below - 1.0).abs() < 1e-4, "{name} {below} {above}");
            assert_eq!(channel.kind(), Figure::Exact);
        }
        assert!(Channel::new(&code("internet"), 0).is_none());
        let adler = Channel::new(&code("adler-32"), 1500).unwrap();
        assert_eq!((adler.share(2), adler.kind()), (Some(0.0), Figure::AtLeast));
        assert!(adler.share(3).unwrap() > 0.0 && adler.share(4).is_none());
    }
}
