//! Shares of undetected errors, by counting pairs.

use serde::Serialize;

use super::constants::{constants, counted};
use crate::codes::additive::{Additive, Group, Kind, Work};
use crate::field::integer;

/// A share as an exact fraction.
///
/// Counts are scaled where probabilities are halves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Share {
    /// The undetected errors.
    pub missed: f64,
    /// All errors.
    pub of: f64,
    /// The quotient of both.
    pub share: f64,
}

impl Share {
    fn new(missed: f64, of: f64) -> Share {
        Share { missed, of, share: if of > 0.0 { missed / of } else { 0.0 } }
    }
}

/// Counts the undetected pairs of wrong bits in `bytes` bytes of uniform data, a multiple of four.
///
/// Of pairs with constants c and d half are undetected if c = d (one bit was set, the other was
/// not), and half if c = -d. The check value is right.
#[must_use]
pub fn two_bits(code: &Additive, bytes: usize) -> Share {
    struct Count(Vec<u32>);
    impl Work for Count {
        type Output = f64;
        fn run<G: Group>(self, group: G) -> f64 {
            let counts = counted(self.0.into_iter());
            let mut twice = 0;
            for (&constant, &count) in &counts {
                twice += count * (count - 1) / 2;
                let opposite = group.sub(0, constant);
                // Each two different ones are met twice; what is its own opposite, once.
                twice += if opposite == constant {
                    count * (count - 1) / 2
                } else if constant < opposite {
                    count * counts.get(&opposite).copied().unwrap_or(0)
                } else {
                    0
                };
            }
            twice as f64 / 2.0
        }
    }
    let bits = 8.0 * bytes as f64;
    Share::new(code.within(Count(constants(code, bytes))), bits * (bits - 1.0) / 2.0)
}

/// Counts the undetected pairs of wrong bits in `data`, a multiple of four bytes long.
#[must_use]
pub fn two_bits_of(code: &Additive, data: &[u8]) -> Share {
    struct Count<'a>(Vec<u32>, &'a [u8]);
    impl Work for Count<'_> {
        type Output = f64;
        fn run<G: Group>(self, group: G) -> f64 {
            let Count(constants, data) = self;
            let set = |place: usize| data[place / 8] << (place % 8) & 0x80 != 0;
            // What flipping the bit adds.
            let added = |(place, &constant): (usize, &u32)| {
                if set(place) { group.sub(0, constant) } else { constant }
            };
            let counts = counted(constants.iter().enumerate().map(added));
            let mut missed = 0;
            for (&change, &count) in &counts {
                let opposite = group.sub(0, change);
                missed += if opposite == change {
                    count * (count - 1) / 2
                } else if change < opposite {
                    count * counts.get(&opposite).copied().unwrap_or(0)
                } else {
                    0
                };
            }
            missed as f64
        }
    }
    let bits = 8.0 * data.len() as f64;
    Share::new(code.within(Count(constants(code, data.len()), data)), bits * (bits - 1.0) / 2.0)
}

/// The effect of exchanging two units at a distance.
struct Exchange {
    /// Bytes of a unit.
    unit: usize,
    modulus: u64,
    /// Returns the factor of the units' difference in the change, from their distance and the
    /// modulus.
    factor: fn(u64, u64) -> u64,
}

/// Returns the effect for a code; `None` for CRCs.
fn exchange(code: &Additive) -> Option<Exchange> {
    let bytes = code.width() as usize / 8;
    type Factor = fn(u64, u64) -> u64;
    let none: Factor = |_, _| 0;
    let distance: Factor = |distance, _| distance;
    let power: Factor = |distance, modulus| {
        (0..distance % 16).fold(1, |power, _| 2 * power % modulus) + modulus - 1
    };
    let scaled: Factor =
        |distance, modulus| (0..distance).fold(1, |power, _| 256 * power % modulus) + modulus - 1;
    let (unit, modulus, factor) = match code.kind {
        Kind::Bits if code.crc() => return None,
        Kind::Bits => (bytes, 1 << code.width(), none),
        Kind::Residues(modulus, _) if code.scaled() => (1, modulus, scaled),
        Kind::Residues(modulus, 1) => (bytes, modulus, none),
        Kind::Residues(modulus, _) => (2, modulus, power),
        Kind::Pairs(modulus, unit, _) => (unit as usize, modulus.into(), distance),
    };
    Some(Exchange { unit, modulus, factor })
}

/// Counts the undetected exchanges of units, among all pairs of places in `bytes` bytes and all
/// pairs of unequal values.
///
/// They are undetected where the difference of the values, times the factor of the distance, is a
/// multiple of the modulus.
#[must_use]
pub fn swapped(code: &Additive, bytes: usize) -> Option<Share> {
    let Exchange { unit, modulus, factor } = exchange(code)?;
    let (units, values) = ((bytes / unit) as u64, (8.0 * unit as f64).exp2());
    let (mut missed, mut of) = (0.0, 0.0);
    for distance in 1..units {
        let change = factor(distance, modulus) % modulus;
        let step = modulus / integer::gcd(change.into(), modulus.into()) as u64;
        let places = (units - distance) as f64;
        // Pairs of values that differ by step, 2 step, ..., either way round: 2 (values -
        // difference) each.
        let (step, most) = (step as f64, ((values - 1.0) / step as f64).floor());
        missed += places * 2.0 * (most * values - step * most * (most + 1.0) / 2.0);
        of += places * values * (values - 1.0);
    }
    Some(Share::new(missed, of))
}

/// Counts the undetected insertions of a zero unit before any unit of `bytes` bytes of uniform
/// data.
///
/// An insertion is undetected if the data before it add nothing to the second sum. Returns `None`
/// for CRCs and for Adler-32, whose sums of few bytes are not uniform.
#[must_use]
pub fn inserted(code: &Additive, bytes: usize) -> Option<Share> {
    let (unit, modulus) = match code.kind {
        Kind::Bits if code.crc() => return None,
        Kind::Bits | Kind::Residues(_, 1) => return Some(Share::new(1.0, 1.0)),
        // The number before the zero byte is to be a multiple of the modulus, which 255 does not
        // share a factor with.
        Kind::Residues(modulus, _) if code.scaled() => {
            let zero = |before: usize| {
                let values = 256_f64.powi(before as i32);
                (((values - 1.0) / modulus as f64).floor() + 1.0) / values
            };
            let far = (6..bytes).len() as f64 / modulus as f64;
            let missed = (0..bytes.min(6)).map(zero).sum::<f64>() + far;
            return Some(Share::new(missed, bytes as f64));
        }
        Kind::Residues(modulus, _) => (2.0, modulus as f64),
        Kind::Pairs(65521, ..) => return None,
        Kind::Pairs(modulus, unit, _) => (f64::from(unit), f64::from(modulus)),
    };
    let (units, values) = ((bytes as f64 / unit) as i32, (8.0 * unit).exp2());
    // The first residues modulo M are those of one more value than the others. A unit is uniform
    // but for a share of `first` / values, in which it is one of the first; of one unit, one in
    // `first` of these is 0, and several units are 0 together hardly more often.
    let first = values % modulus;
    let zero = |before: i32| {
        let none = |share: f64| share.powi(before);
        let (rest, zero) = if modulus < values {
            (none(first / values), none(1.0 / values))
        } else {
            (none(0.0), none(0.0))
        };
        (1.0 - rest) / modulus + zero
    };
    Some(Share::new((0..units).map(zero).sum(), units.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_as_if_each_were_flipped() {
        let mut random = fastrand::Rng::with_seed(8);
        for name in [
            "xor-8",
            "sum-8",
            "sum-16",
            "internet",
            "xns",
            "fletcher-16/mod256",
            "crc-8/smbus",
            "crc-5/usb",
        ] {
            let code = Additive::named(name).unwrap();
            for kind in 0..3u8 {
                let mut data = [0; 36];
                match kind {
                    0 => {}
                    1 => data.fill(0xaa),
                    _ => random.fill(&mut data),
                }
                let before = code.element(&data);
                let mut missed = 0.0;
                for a in 0..8 * data.len() {
                    for b in 0..a {
                        let mut wrong = data;
                        wrong[a / 8] ^= 0x80 >> (a % 8);
                        wrong[b / 8] ^= 0x80 >> (b % 8);
                        missed += f64::from(code.element(&wrong) == before);
                    }
                }
                assert_eq!(two_bits_of(&code, &data).missed, missed, "{name} {kind}");
            }
        }
    }

    #[test]
    fn uniform_data_are_the_mean_of_all_data() {
        // 8 bits vary, which is enough to meet every pair of signs within them.
        for name in ["sum-8", "internet", "xor-8", "fletcher-16/mod256"] {
            let code = Additive::named(name).unwrap();
            let mut all = 0.0;
            let mut random = fastrand::Rng::with_seed(1);
            let rounds = 4000;
            for _ in 0..rounds {
                let mut data = [0; 32];
                random.fill(&mut data);
                all += two_bits_of(&code, &data).missed / f64::from(rounds);
            }
            let exact = two_bits(&code, 32).missed;
            assert!((all - exact).abs() < exact * 0.01 + 0.01, "{name} {all} {exact}");
        }
    }

    /// Compares the shares, with the check word as one more word, with closed forms: N/((N+1)W-1)
    /// for exclusive or, half of it for one's complement.
    #[test]
    fn closed_forms_hold() {
        let words = 32.0;
        let f = |w: f64| (words - 1.0) / (words * w - 1.0);
        let share = |name: &str, bytes| two_bits(&Additive::named(name).unwrap(), bytes).share;
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        near(share("xor-8", 32), f(8.0));
        near(share("xor-32", 128), f(32.0));
        near(share("internet", 64), f(16.0) / 2.0);
        let twos = |w: f64| f(w) * ((w - 1.0) / (2.0 * w) + 1.0 / w);
        near(share("sum-8", 32), twos(8.0));
        near(share("sum-16", 64), twos(16.0));
        assert_eq!(share("fletcher-16", 252), 0.0);
        assert!(share("fletcher-16", 256) > 0.0);
    }

    #[test]
    fn exchanges_are_counted_as_if_each_were_made() {
        for (name, unit) in [
            ("fletcher-16", 1),
            ("xor-8", 1),
            ("sum-8", 1),
            ("fletcher-16/mod256", 1),
            ("adler-32", 1),
        ] {
            let code = Additive::named(name).unwrap();
            let mut missed = 0.0;
            // Distances whose common divisors with 255 and 256 differ.
            let bytes = 20;
            for (a, b) in (0..bytes).flat_map(|a| (0..a).map(move |b| (a, b))) {
                // The value depends on the distance only.
                for (x, y) in (0..=255u8)
                    .flat_map(|x| (0..=255u8).map(move |y| (x, y)))
                    .filter(|(x, y)| x != y)
                {
                    if b > 0 {
                        break;
                    }
                    let [mut one, mut two] = [[0; 20]; 2];
                    (one[a], one[b], two[a], two[b]) = (x, y, y, x);
                    missed +=
                        f64::from(code.element(&one) == code.element(&two)) * (bytes - a) as f64;
                }
            }
            let share = swapped(&code, bytes / unit * unit).unwrap();
            assert_eq!(share.missed, missed, "{name}");
        }
    }

    #[test]
    fn xns_does_not_see_exchanges_sixteen_words_apart() {
        let code = Additive::named("xns").unwrap();
        let share = |words: usize| swapped(&code, 2 * words).unwrap();
        let mut data = vec![0; 64];
        (data[0], data[32]) = (7, 9);
        let mut other = data.clone();
        other.swap(0, 32);
        assert_eq!(code.element(&data), code.element(&other));
        // At any other distance d the difference must be a multiple of 65535 / gcd(2^d - 1, 65535).
        assert!(share(17).missed >= 65536.0 * 65535.0);
        assert!(share(16).share < share(17).share);
    }

    #[test]
    fn insertions_are_counted() {
        let share = |name: &str| inserted(&Additive::named(name).unwrap(), 4).unwrap();
        assert_eq!(share("internet").share, 1.0);
        // Before 4 bytes: always, then if the first is 0 or 255 (2 in 256), ...
        let code = Additive::named("fletcher-16").unwrap();
        let mut missed = 0.0;
        for x in 0..=255u16 {
            let [a, b] = [[x as u8, 0, 9, 9], [x as u8, 9, 9, 0]];
            // B of x 9 9 with and without a zero after x.
            missed += f64::from(code.value(&a) == code.value(&[0, b[0], b[1], b[2]]));
        }
        assert_eq!(missed, 2.0);
        let by_hand: f64 = (0..4)
            .map(|m| {
                let none = 256f64.powi(-m);
                (1.0 - none) / 255.0 + none
            })
            .sum();
        assert!((share("fletcher-16").missed - by_hand).abs() < 1e-12);
        assert!(((1.0 - 1.0 / 256.0) / 255.0 + 1.0 / 256.0 - missed / 256.0f64).abs() < 1e-12);
    }
}
