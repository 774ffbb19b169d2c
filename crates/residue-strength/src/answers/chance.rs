//! Estimates the probability of an undetected error, at any length and without long counting.
//!
//! The undetected errors of few bits are counted where that takes a moment. Errors of more bits are
//! taken as undetected in the share of random data: 2^-width, or of a sum one of all its values. At
//! low bit error rates the counted ones are nearly all.

use super::compare::Known;
use crate::codes::additive::Additive;
use crate::crc::{Generator, Weights, probability, weights};
use crate::sums::Channel;
use crate::{Effort, Kind};
use num_bigint::BigUint;
use std::f64::consts::LN_2;

/// The name of the kind of figures that assume what is not counted.
pub const ESTIMATE: &str = "estimate";

/// Seconds that the counting for one code and length may take.
const MOMENT: f64 = 0.1;

/// The largest number of errors that are counted one by one, of codes wider than this.
const MANY: f64 = 1e6;
const NARROW: u32 = 16;

/// The largest numbers of bits of errors that are counted, first of those of few bits.
const MOST: [u32; 5] = [3, 4, 6, 8, 12];

/// The share of the probability that may be left to errors which are not counted.
const NO_DIFFERENCE: f64 = 1e-3;

/// The longest data, in bytes, for which sums are analysed, and for which their undetected pairs of
/// bits are counted. In longer data the shares are about the same.
const LONGEST_SUM: u64 = 1 << 11;
const LONGEST_PAIRS: u64 = 1 << 18;

/// The undetected errors of a code at one length.
#[derive(Clone, Debug)]
pub struct Chance {
    /// Bits that may be wrong.
    bits: f64,
    /// Weights, with the natural logarithm of the number of undetected errors of so many bits.
    counted: Vec<(u32, f64)>,
    /// The first weight that is not counted.
    above: u32,
    /// The undetected share of errors of that many bits and more.
    share: f64,
    /// Whether all errors of an odd number of bits are detected.
    even: bool,
    /// The exact probabilities of a sum.
    exact: Option<Channel>,
}

impl Chance {
    /// Examines a CRC of `data` bits, which is known to detect all errors of fewer than `distance`
    /// bits, for bit error rates of up to `rate`, at most 1/2.
    ///
    /// Errors of more and more bits are counted, until those that are not, by the share of random
    /// data, are a thousandth of them at that rate, or the counting takes too long.
    #[must_use]
    pub fn crc(
        generator: &Generator,
        data: u64,
        distance: u32,
        rate: f64,
        effort: &Effort<'_>,
    ) -> Chance {
        let length = data.saturating_add(generator.width().into());
        let seconds = |most: u32| Weights::seconds(generator, data, Some(most), effort);
        let fits = |most: &u32| {
            let expected = choose(length as f64, *most) - f64::from(generator.width()) * LN_2;
            (generator.width() <= NARROW || expected < MANY.ln()) && seconds(*most) <= MOMENT
        };
        let mut all = MOST.into_iter().filter(fits).peekable();
        let mut chance = None;
        while let Some(most) = all.next() {
            // The dual code counts errors of more bits in the same time.
            if all.peek().is_some_and(|&next| seconds(next) < 2.0 * seconds(most)) {
                continue;
            }
            let Ok(weights) = Weights::new(generator, data, Some(most), effort) else { break };
            let counted = Chance::of_counts(generator, length, &weights.counts, distance);
            let (few, many) = counted.parts(rate);
            chance = Some(counted);
            if many <= NO_DIFFERENCE * few {
                break;
            }
        }
        chance.unwrap_or_else(|| {
            let counts = [1_u32.into(), BigUint::ZERO, weights::pairs(generator, length)];
            Chance::of_counts(generator, length, &counts, distance)
        })
    }

    fn of_counts(generator: &Generator, length: u64, counts: &[BigUint], distance: u32) -> Chance {
        let complete = counts.len() as u64 > length;
        let counted = (0..).zip(counts).skip(1).filter(|(_, count)| **count != BigUint::ZERO);
        Chance {
            bits: length as f64,
            counted: counted
                .map(|(weight, count)| (weight, probability::logarithm(count)))
                .collect(),
            above: (counts.len() as u32).max(distance),
            share: if complete { 0.0 } else { (-f64::from(generator.width())).exp2() },
            even: generator.has_parity(),
            exact: None,
        }
    }

    /// Examines a sum, in uniform data.
    #[must_use]
    pub fn sum(code: &Additive, data: u64) -> Chance {
        let bytes = data.div_ceil(8);
        let channel = Channel::new(code, bytes.clamp(1, LONGEST_SUM) as usize);
        let share = |weight| Some((weight, channel.as_ref()?.share(weight)?));
        let mut shares: Vec<(u32, f64)> = (1..).map_while(share).collect();
        let bound = channel.as_ref().is_some_and(|channel| channel.kind() != Kind::Exact);
        if bytes > LONGEST_SUM && bound {
            let pairs = Channel::share_of_pairs(code, bytes.min(LONGEST_PAIRS) as usize);
            shares.iter_mut().filter(|it| it.0 == 2).for_each(|it| it.1 = pairs);
        }
        let bits = 8.0 * bytes as f64;
        let number = |&(weight, share): &(u32, f64)| {
            (share > 0.0).then(|| (weight, choose(bits, weight) + share.ln()))
        };
        Chance {
            bits,
            counted: shares.iter().filter_map(number).collect(),
            above: shares.last().map_or(2, |last| last.0 + 1),
            share: 1.0 / code.elements(),
            even: false,
            exact: channel.filter(|it| it.kind() == Kind::Exact && bytes <= LONGEST_SUM),
        }
    }

    /// Returns the probability of an undetected error where each bit is wrong with probability
    /// `rate`, above 0 and at most 1/2, independently of the others.
    #[must_use]
    pub fn at(&self, rate: f64) -> Known<f64> {
        if let Some(value) = self.exact.as_ref().and_then(|channel| channel.at(rate)) {
            return Known::new(value, Kind::Exact);
        }
        let (few, many) = self.parts(rate);
        match self.share {
            0.0 => Known::new(few, Kind::Exact),
            _ => Known { value: few + many, kind: ESTIMATE },
        }
    }

    /// Returns the probability of the undetected errors that are counted, and of the others.
    fn parts(&self, rate: f64) -> (f64, f64) {
        let (wrong, right) = (rate.ln(), (-rate).ln_1p());
        let term = |&(weight, count): &(u32, f64)| {
            let weight = f64::from(weight);
            (count + weight * wrong + (self.bits - weight) * right).exp()
        };
        let many = match self.share {
            0.0 => 0.0,
            share => share * heavy(self.bits, rate, self.above, self.even),
        };
        (self.counted.iter().map(term).sum(), many)
    }
}

/// Returns the natural logarithm of `n` over `k`.
fn choose(n: f64, k: u32) -> f64 {
    (0..k).map(|i| ((n - f64::from(i)).max(0.0) / f64::from(i + 1)).ln()).sum()
}

/// Returns the probability of at least `least` wrong bits among `bits`; with `even` twice that of
/// an even number of them.
fn heavy(bits: f64, rate: f64, least: u32, even: bool) -> f64 {
    let first = least + u32::from(even && least % 2 == 1);
    if f64::from(first) > bits {
        return 0.0;
    }
    let mean = bits * rate;
    // Fewer wrong bits than this are less probable than 1 in 10^20; and an even number of them is
    // as probable as an odd one.
    if f64::from(first) < mean - 10.0 * mean.sqrt() {
        return 1.0;
    }
    let (odds, mut weight) = (rate / (1.0 - rate), f64::from(first));
    let mut term =
        (choose(bits, first) + weight * rate.ln() + (bits - weight) * (-rate).ln_1p()).exp();
    let (mut sum, mut even_sum) = (0.0, 0.0);
    while weight <= bits && (weight < mean || term > 1e-17 * sum) {
        sum += term;
        even_sum += if weight % 2.0 == 0.0 { term } else { 0.0 };
        term *= odds * (bits - weight) / (weight + 1.0);
        weight += 1.0;
    }
    if even { (2.0 * even_sum).min(1.0) } else { sum.min(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crc::probability::Curve;

    fn crc(name: &str) -> Generator {
        Generator::parse(name, None).unwrap().0
    }

    /// Compares estimates with the sum over all weights, of polynomials with large and with many
    /// small factors.
    #[test]
    fn estimates_are_near_exact_figures() {
        for (name, data) in [
            ("crc-16/xmodem", 1024),
            ("crc-16/dnp", 64),
            ("crc-8/smbus", 64),
            ("crc-12/umts", 300),
            ("crc-14/gsm", 500),
            ("explicit:10001", 200),
            ("explicit:15555", 200),
            ("explicit:1fff", 150),
        ] {
            let generator = crc(name);
            let weights = Weights::new(&generator, data, None, &Effort::new()).unwrap();
            let curve = Curve::new(&weights);
            for rate in [1e-8, 1e-6, 1e-4, 1e-2] {
                let exact = curve.at(rate);
                for most in [rate, 1e-2] {
                    let chance = Chance::crc(&generator, data, 2, most, &Effort::new());
                    let near = chance.at(rate).value;
                    assert!((near / exact - 1.0).abs() < 0.02, "{name} {rate}: {near} {exact}");
                }
            }
        }
    }

    #[test]
    fn long_data_have_estimates() {
        // Beyond the order every distance is 2.
        let generator = crc("crc-16/xmodem");
        let chance = Chance::crc(&generator, 1 << 20, 2, 1e-9, &Effort::new());
        assert!(chance.at(1e-9).value > 1e-9_f64.powi(2) * f64::from(1 << 20));
        for (name, data) in [("crc-64/nvme", 1_u64 << 33), ("crc-32/iscsi", 1 << 40)] {
            let known = Chance::crc(&crc(name), data, 3, 1e-12, &Effort::new()).at(1e-12);
            assert!(known.value > 0.0 && known.value < 1.0 && known.kind == ESTIMATE, "{name}");
        }
        let adler = Additive::named("adler-32").unwrap();
        assert!(Chance::sum(&adler, 8 << 30).at(1e-12).value < 1e-8);
        let internet = Additive::named("internet").unwrap();
        assert_eq!(Chance::sum(&internet, 12_000).at(1e-6).kind, "exact");
    }

    #[test]
    fn binomial_tails() {
        for (bits, rate, least, even, expected) in [
            (10.0, 0.5, 0, false, 1.0),
            (10.0, 0.5, 10, false, 1.0 / 1024.0),
            (10.0, 0.5, 9, false, 11.0 / 1024.0),
            (10.0, 0.5, 9, true, 2.0 / 1024.0),
            (10.0, 0.1, 11, false, 0.0),
            (1e9, 1e-3, 4, true, 1.0),
            (8_388_640.0, 1e-4, 4, true, 1.0),
            (1e6, 1e-6, 1, false, 0.632_120_7),
        ] {
            let found = heavy(bits, rate, least, even);
            assert!((found - expected).abs() < 1e-6, "{bits} {rate} {least}: {found}");
        }
    }
}
