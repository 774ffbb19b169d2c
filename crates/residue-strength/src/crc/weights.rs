//! Counts the undetected errors of each number of bits.
//!
//! A_w is the number of codewords of w bits among n = data + r. All of them together are 2^data,
//! too many to enumerate. Three methods count them:
//!
//! - *Few data bits* (to 32): the codewords are enumerated after all (`spectrum`).
//! - *The dual code* (r to 32): it has only 2^r words, the combinations of the r rows of the check
//!   matrix. The weights of its words give those of the code (`dual`); they are counted by a window
//!   that slides over a sequence, where the generator is primitive or x + 1 times a primitive one
//!   (`windows`), and else by a transform (`spectrum`).
//! - *Few bits set*: the codewords themselves (`lightest`). One with span s stands at n - s + 1
//!   places.

mod dual;
mod spectrum;
mod windows;

use super::Generator;
use super::codewords::lightest;
use crate::field::{factor, gf2};
use crate::{Effort, Error};
use num_bigint::BigUint;

/// The largest number of rows, or data bits, whose combinations are tried.
const DIMENSIONS: u32 = 32;

/// The longest codeword whose weights are counted by the dual code, in bits.
const LONGEST: u64 = 1 << 17;

/// The longest codeword for all weights; above, only the first ones are asked for.
const ALL: u64 = 1 << 15;

/// The largest number of codewords that are counted one by one.
const MANY: f64 = 1e7;

/// The most codewords of two bits for which heavier ones are counted one by one.
const PAIRS: u32 = 1000;

/// The most heavier codewords that are made of such pairs.
const OF_PAIRS: f64 = 1e5;

/// The numbers of undetected errors by weight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    /// The generator.
    pub generator: Generator,
    /// Bits of data.
    pub data: u64,
    /// The numbers A_0, A_1, A_2, ..., all exact.
    pub counts: Vec<BigUint>,
}

impl Weights {
    /// Counts the codewords of `data` bits of data of every weight to `most`, or of every weight
    /// there is.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Weights`] if that would take too long, [`Error::Time`] if it did.
    pub fn new(
        generator: &Generator,
        data: u64,
        most: Option<u32>,
        effort: &Effort<'_>,
    ) -> Result<Weights, Error> {
        let length = data.saturating_add(generator.width().into());
        let most = most.filter(|&most| u64::from(most) < length);
        let counts = match (Way::new(generator, data, most, effort), most) {
            (Some(Way::OneByOne), Some(most)) => one_by_one(generator, length, most, effort),
            (Some(Way::FewData), _) => of_few_data(generator, data as u32, effort),
            (Some(Way::Dual), _) => dual::counts(generator, length as usize, most, effort),
            _ => return Err(Error::Weights { data, width: generator.width() }),
        };
        let counts = counts.ok_or(Error::Time)?;
        let mut weights = Weights { generator: *generator, data, counts };
        if let Some(most) = most {
            weights.counts.truncate(most as usize + 1);
        }
        Ok(weights)
    }

    /// Estimates the seconds that [`Weights::new`] takes; infinite if it would refuse.
    #[must_use]
    pub fn seconds(
        generator: &Generator,
        data: u64,
        most: Option<u32>,
        effort: &Effort<'_>,
    ) -> f64 {
        let length = data.saturating_add(generator.width().into());
        let most = most.filter(|&most| u64::from(most) < length);
        let way = Way::new(generator, data, most, effort);
        if let (Some(Way::OneByOne), Some(most)) = (way, most) {
            let cost = |weight| lightest::cost(generator.width(), weight, length, effort);
            let sums = (3..=most).filter_map(cost);
            return effort.seconds(sums.sum());
        }
        if way.is_none() {
            return f64::INFINITY;
        }
        // A word of the dual takes four nanoseconds, and a column two for each table; or a window
        // of a word one and a half. A coefficient of the identity grows with the length.
        let words = f64::from(generator.width().min(DIMENSIONS).min(data.min(64) as u32)).exp2();
        let tables = words / 16384.0 * length as f64;
        let identity =
            if most.is_none() { (length as f64 / 12_000.0).powf(3.5) * 5.0 } else { 0.0 };
        let dual = match dual::sliding(generator) {
            Some(poly) => f64::from(gf2::degree(poly)).exp2() * 1.5e-9,
            None => (2.0 * words + tables) * 2e-9,
        };
        (dual + identity) / effort.threads as f64
    }

    /// Returns the length of a codeword in bits.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.data + u64::from(self.generator.width())
    }

    /// Returns whether all weights are counted.
    #[must_use]
    pub fn complete(&self) -> bool {
        self.counts.len() as u64 == self.length() + 1
    }

    /// Returns the number of errors of `weight` bits, detected or not: n over w.
    #[must_use]
    pub fn errors(&self, weight: u32) -> BigUint {
        (0..u64::from(weight)).fold(BigUint::from(1_u32), |product, i| {
            product * self.length().saturating_sub(i) / (i + 1)
        })
    }

    /// Returns [`Weights::errors`] of 0, 1, 2, ... bits, to all bits, each from the one before.
    pub fn all_errors(&self) -> impl Iterator<Item = BigUint> + use<> {
        let length = self.length();
        let first = Some((0_u64, BigUint::from(1_u32)));
        let next = move |(i, errors): &(u64, BigUint)| {
            (*i < length).then(|| (i + 1, errors * (length - i) / (i + 1)))
        };
        std::iter::successors(first, next).map(|(_, errors)| errors)
    }
}

/// The method that counts the weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    OneByOne,
    FewData,
    Dual,
}

impl Way {
    /// Chooses the method for all weights, or for those up to `most`; `None` if none ends in time.
    fn new(
        generator: &Generator,
        data: u64,
        most: Option<u32>,
        effort: &Effort<'_>,
    ) -> Option<Way> {
        let length = data.saturating_add(generator.width().into());
        let dual = length <= ALL || most.is_some() && length <= LONGEST;
        match most {
            _ if data == 0 => None,
            Some(most) if few_enough(generator, length, most, effort) => Some(Way::OneByOne),
            _ if data <= DIMENSIONS.into() => Some(Way::FewData),
            _ if generator.width() <= DIMENSIONS && dual => Some(Way::Dual),
            _ => None,
        }
    }
}

/// Returns whether the codewords can be counted one by one.
fn few_enough(generator: &Generator, length: u64, most: u32, effort: &Effort<'_>) -> bool {
    // The same work by the dual code, which knows no hard weights.
    let by_dual = match generator.width() {
        width @ ..=DIMENSIONS => 1 << width.saturating_sub(4),
        _ => u64::MAX,
    };
    let cost = |weight| lightest::cost(generator.width(), weight, length, effort);
    let sums = (3..=most).try_fold(0_u64, |sum, weight| sum.checked_add(cost(weight)?));
    let expected: f64 = (1..=most).map(|i| (length as f64).log2() - f64::from(i).log2()).sum();
    // Bits a multiple of the order apart look the same: then every codeword comes many times, and
    // every few pairs of bits are one.
    let pairs = u32::try_from(pairs(generator, length)).unwrap_or(u32::MAX);
    let of_pairs: f64 = (1..=most / 2).map(|i| (f64::from(pairs) / f64::from(i)).log2()).sum();
    sums.is_some_and(|sums| sums <= by_dual)
        && (expected - f64::from(generator.width())).exp2() < MANY
        && (most < 3 || pairs <= PAIRS && of_pairs.exp2() < OF_PAIRS)
}

/// Returns the number of undetected errors of two bits in `length` bits, value included.
pub(crate) fn pairs(generator: &Generator, length: u64) -> BigUint {
    let order = factor::order(&factor::factors(generator.explicit()));
    // At every multiple of the order, and every place from which it fits.
    let fit = length.saturating_sub(1) / order;
    BigUint::from(fit) * length - BigUint::from(order) * fit * (fit + 1) / 2_u32
}

fn one_by_one(
    generator: &Generator,
    length: u64,
    most: u32,
    effort: &Effort<'_>,
) -> Option<Vec<BigUint>> {
    let mut counts = vec![BigUint::ZERO; most as usize + 1];
    for (weight, count) in (0..).zip(&mut counts) {
        *count = match weight {
            0 => 1_u32.into(),
            1 => BigUint::ZERO,
            2 => pairs(generator, length),
            _ if weight % 2 == 1 && generator.has_parity() => BigUint::ZERO,
            _ => {
                let words = lightest::codewords(generator, weight, length, effort)?;
                words.iter().map(|word| length - lightest::span(word) + 1).sum::<u64>().into()
            }
        };
    }
    Some(counts)
}

fn of_few_data(generator: &Generator, data: u32, effort: &Effort<'_>) -> Option<Vec<BigUint>> {
    let width = generator.width() as usize;
    let powers: Vec<u128> =
        gf2::powers(generator.explicit(), 1).skip(width).take(data as usize).collect();
    // Data bit i is a word by itself: x^(r + i), and its remainder.
    let row = |place: usize| {
        powers.iter().rev().fold(0, |row, power| row << 1 | (power >> place) as u64 & 1)
    };
    let check = (0..width).map(row);
    let columns: Vec<u64> = check.chain((0..data).map(|i| 1 << i)).collect();
    let counts = spectrum::distribution(&columns, data, effort)?;
    Some(counts.into_iter().map(BigUint::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(text: &str, data: u64, most: Option<u32>) -> Weights {
        let (generator, _) = Generator::parse(text, None).unwrap();
        Weights::new(&generator, data, most, &Effort::new()).unwrap()
    }

    #[test]
    fn published_weights() {
        for (name, data, counts) in [
            ("crc-32", 2975, &[(2, 0_u64), (3, 0), (4, 1)][..]),
            ("crc-32", 4096, &[(4, 1232)]),
            ("crc-32", 8192, &[(4, 48_845)]),
            ("crc-32", 12_112, &[(2, 0), (3, 0), (4, 223_059)]),
            ("crc-32c", 8192, &[(4, 46_252)]),
            ("crc-32c", 12_112, &[(3, 0), (4, 312_496)]),
            ("crc-32", 269, &[(5, 1)]),
            ("crc-32", 172, &[(6, 1)]),
            ("crc-32c", 177, &[(6, 0)]),
            ("crc-32c", 178, &[(6, 1)]),
            ("crc-32/mef", 16_368, &[(4, 9)]),
            ("crc-32q", 12_112, &[(4, 441_437)]),
            ("crc-32/xfer", 12_112, &[(4, 232_824)]),
        ] {
            let most = counts.last().unwrap().0;
            let found = weights(name, data, Some(most as u32));
            for &(weight, count) in counts {
                assert_eq!(found.counts[weight], count.into(), "{name}, {data} bits, A{weight}");
            }
        }
    }

    #[test]
    fn published_weights_of_short_codes() {
        for (name, data, counts) in [
            ("crc-16/xmodem", 48, &[(4, 84_u64)][..]),
            ("crc-16/xmodem", 64, &[(4, 162), (6, 9828), (8, 882_397)]),
            ("crc-16/xmodem", 112, &[(4, 574), (6, 165_475), (8, 43_602_741)]),
            ("crc-16/xmodem", 1024, &[(4, 1_494_140), (6, 52_857_519_699)]),
            ("crc-16/arc", 64, &[(4, 725), (6, 32_647), (8, 1_511_054)]),
            ("crc-16/arc", 112, &[(4, 2320), (6, 306_442)]),
            ("crc-16/dnp", 64, &[(2, 0), (4, 0), (6, 9110)]),
            ("crc-16/dnp", 112, &[(6, 170_581)]),
            ("crc-16/dnp", 135, &[(2, 0), (6, 469_761)]),
            ("crc-16/dnp", 136, &[(2, 1), (6, 488_427)]),
            ("crc-16/t10-dif", 64, &[(4, 17), (5, 287), (6, 4447)]),
            ("crc-16/t10-dif", 256, &[(4, 2855), (5, 180_938), (6, 8_119_323)]),
            ("crc-16/cdma2000", 64, &[(4, 20), (5, 271), (6, 4487)]),
            ("crc-16/opensafety-b", 64, &[(4, 0), (5, 341), (6, 4759)]),
            ("crc-16/opensafety-b", 256, &[(4, 3016), (5, 173_580), (6, 8_237_073)]),
            ("crc-8/smbus", 64, &[(4, 8224), (6, 1_219_469)]),
            ("crc-8/smbus", 119, &[(2, 0), (4, 82_677), (6, 40_346_376)]),
            ("crc-8/smbus", 120, &[(2, 1), (4, 85_281), (6, 42_332_577)]),
            ("crc-8/autosar", 64, &[(4, 8210), (6, 1_219_818), (8, 93_510_080)]),
            ("normal:a801", 21_829, &[(2, 0), (3, 26_301_380)]),
        ] {
            let found = weights(name, data, None);
            for &(weight, count) in counts {
                assert_eq!(found.counts[weight], count.into(), "{name}, {data} bits, A{weight}");
            }
            assert_eq!(
                found.counts.iter().sum::<BigUint>(),
                BigUint::from(1_u32) << data,
                "{name}"
            );
            assert!(found.complete());
            if found.generator.has_parity() {
                assert!(found.counts.iter().skip(1).step_by(2).all(|odd| *odd == BigUint::ZERO));
            }
        }
    }

    /// Compares the three methods.
    #[test]
    fn ways_agree() {
        for text in
            ["normal:07", "normal:1d", "crc-16/dnp", "koopman:8d95", "normal:5", "crc-12/umts"]
        {
            let (generator, _) = Generator::parse(text, (text == "normal:5").then_some(5)).unwrap();
            for data in [1_u32, 2, 9, 20] {
                let few = of_few_data(&generator, data, &Effort::new()).unwrap();
                let length = (data + generator.width()) as usize;
                let dual = dual::counts(&generator, length, None, &Effort::new()).unwrap();
                assert_eq!(few, dual, "{text}, {data} bits");
                let some = dual::counts(&generator, length, Some(5), &Effort::new()).unwrap();
                assert_eq!(some, dual[..6]);
                let most = 8.min(length - 1);
                let listed = one_by_one(&generator, length as u64, most as u32, &Effort::new());
                assert_eq!(listed.unwrap(), dual[..=most], "{text}, {data} bits");
            }
        }
    }

    /// Every few pairs of bits a multiple of a short period apart are a codeword: too many to list.
    #[test]
    fn codewords_of_short_periods_are_not_listed() {
        let mut listed = Vec::new();
        for text in ["koopman:242c0684", "koopman:2468c69c", "crc-32"] {
            let (generator, _) = Generator::parse(text, None).unwrap();
            if few_enough(&generator, 512 + 32, 6, &Effort::new()) {
                listed.push(text);
            }
        }
        assert_eq!(listed, ["crc-32"]);
    }

    #[test]
    fn all_errors_are_those_of_each_weight() {
        let weights = weights("crc-8/smbus", 20, None);
        let all: Vec<BigUint> = weights.all_errors().collect();
        assert_eq!(all.len(), weights.counts.len());
        assert!((0..).zip(&all).all(|(weight, errors)| *errors == weights.errors(weight)));
    }

    /// Compares widths above 64 with counting the multiples of the generator.
    #[test]
    fn wide_generators_against_all_multiples() {
        for text in ["crc-82/darc", "x^70+x^5+1", "x^81+x^27+x^9+1", "x^90+x^45+1"] {
            let Ok((generator, _)) = Generator::parse(text, None) else { panic!("{text}") };
            for data in [1_u32, 2, 9, 16] {
                let length = data + generator.width();
                let mut counts = vec![BigUint::ZERO; length as usize + 1];
                for multiple in 0..1 << data {
                    let word = gf2::product(generator.explicit(), multiple);
                    counts[word.count_ones() as usize] += 1_u32;
                }
                let few = Weights::new(&generator, data.into(), None, &Effort::new()).unwrap();
                assert_eq!(few.counts, counts, "{text}, {data} bits");
                let listed = one_by_one(&generator, length.into(), 6, &Effort::new()).unwrap();
                assert_eq!(listed, counts[..=6], "{text}, {data} bits");
            }
        }
    }

    /// Of a polynomial of order 51, pairs of pairs are a million millions.
    #[test]
    fn codewords_far_beyond_the_order_are_not_listed() {
        let (generator, _) = Generator::parse("koopman:a094afb5", None).unwrap();
        assert!(pairs(&generator, 12_144) > 1_000_000_u32.into());
        for most in [3, 4] {
            let way = Way::new(&generator, 12_112, Some(most), &Effort::new());
            assert_eq!(way, Some(Way::Dual));
        }
        assert_eq!(Way::new(&generator, 12_112, Some(2), &Effort::new()), Some(Way::OneByOne));
    }

    #[test]
    fn lengths_that_are_out_of_the_question() {
        let (generator, _) = Generator::parse("crc-64/nvme", None).unwrap();
        for (data, most) in [(0, None), (33, None), (u64::MAX, Some(4)), (1 << 40, Some(3))] {
            assert!(Weights::new(&generator, data, most, &Effort::new()).is_err());
        }
        assert!(Weights::new(&generator, 12_112, Some(4), &Effort::new()).is_ok());
    }
}
