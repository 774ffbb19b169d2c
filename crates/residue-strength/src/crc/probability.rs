//! The probability of an undetected error.
//!
//! Where each bit is wrong with probability e, independently of the others (the binary symmetric
//! channel), an undetected error happens with probability P(e) = sum over w > 0 of A_w e^w (1 -
//! e)^(n - w).
//!
//! For e = p / 10^d that is a fraction with the denominator 10^(d n), computed whole: no digit is
//! lost, however small it is. For curves, and to look for the worst e, logarithms in floating point
//! do.
//!
//! At e = 1/2 all words are alike, and P = 2^-r - 2^-n. A code is *good* if P is nowhere larger up
//! to there (many are not: Wolf, Michelson and Levesque 1982), and *proper* if P never falls on the
//! way.

use super::Weights;
use crate::Error;
use num_bigint::BigUint;

/// Points at which a curve is examined.
const POINTS: u32 = 4000;

/// Returns P at the bit error rate written as a decimal number (`0.01`, `1e-6`), rounded to
/// `digits` digits: `1.976E-15`.
///
/// # Errors
///
/// Returns [`Error::BitErrorRate`] if the text is no such number between 0 and 1, or has more than
/// 18 digits, and [`Error::Incomplete`] if not all weights are known.
pub fn exactly(weights: &Weights, rate: &str, digits: usize) -> Result<String, Error> {
    let (p, places) =
        decimal(rate).ok_or_else(|| Error::BitErrorRate(rate.escape_debug().to_string()))?;
    if !weights.complete() {
        return Err(Error::Incomplete);
    }
    let right = 10_u64.pow(places) - p;
    // Horner's rule for both powers at once.
    let (mut sum, mut wrong) = (BigUint::ZERO, BigUint::from(1_u32));
    for count in weights.counts.iter().skip(1) {
        wrong *= p;
        sum *= right;
        if *count != BigUint::ZERO {
            sum += count * &wrong;
        }
    }
    Ok(scientific(&sum, u64::from(places) * weights.length(), digits))
}

/// Parses a bit error rate.
///
/// # Errors
/// Returns [`Error::BitErrorRate`].
pub fn rate(text: &str) -> Result<f64, Error> {
    let fault = || Error::BitErrorRate(text.escape_debug().to_string());
    decimal(text).ok_or_else(fault).and_then(|_| text.trim().parse().map_err(|_| fault()))
}

/// Parses a decimal number from 0 to 1 as p / 10^places.
fn decimal(text: &str) -> Option<(u64, u32)> {
    let lower = text.trim().to_ascii_lowercase();
    let (mantissa, exponent) = match lower.split_once('e') {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (lower.as_str(), 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|c| c.is_ascii_digit()) {
        return None;
    }
    let mut p: u64 = digits.parse().ok()?;
    let mut places = i64::try_from(fraction.len()).ok()? - i64::from(exponent);
    while places > 0 && p.is_multiple_of(10) && p > 0 {
        p /= 10;
        places -= 1;
    }
    while places < 0 {
        p = p.checked_mul(10)?;
        places += 1;
    }
    let places = u32::try_from(places).ok()?;
    (p <= 10_u64.checked_pow(places)?).then_some((p, places))
}

/// Writes `value` / 10^`places` with this many digits.
fn scientific(value: &BigUint, places: u64, digits: usize) -> String {
    let all = value.to_string();
    if all == "0" {
        return all;
    }
    let mut exponent = all.len() as i128 - 1 - i128::from(places);
    let digits = digits.max(1);
    let mut shown = all.clone();
    if all.len() > digits {
        let up = all.as_bytes()[digits] >= b'5';
        let kept: BigUint = all[..digits].parse().unwrap_or_default();
        shown = (kept + u32::from(up)).to_string();
        exponent += (shown.len() - digits) as i128;
    }
    shown.truncate(digits);
    let rest = if shown.len() > 1 { format!(".{}", &shown[1..]) } else { String::new() };
    format!("{}{rest}E{exponent}", &shown[..1])
}

/// P as a function, in floating point, precise to about 12 digits.
#[derive(Clone, Debug)]
pub struct Curve {
    length: f64,
    /// Weights whose count is not 0, and the natural logarithm of the count.
    terms: Vec<(f64, f64)>,
}

/// The shape of the curve between 0 and 1/2, at a finite number of points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// The rate from 0 to 1/2 at which an undetected error is most probable.
    pub worst_rate: f64,
    /// The probability at the worst rate.
    pub worst: f64,
    /// The probability at a rate of 1/2.
    pub half: f64,
    /// Whether P is nowhere larger than at 1/2.
    pub good: bool,
    /// Whether P never falls.
    pub proper: bool,
}

impl Curve {
    /// Creates the curve of these weights.
    ///
    /// If not all weights are known, the curve is a lower bound.
    #[must_use]
    pub fn new(weights: &Weights) -> Curve {
        let counts = weights.counts.iter().enumerate().skip(1);
        let terms = counts
            .filter(|(_, count)| **count != BigUint::ZERO)
            .map(|(weight, count)| (weight as f64, logarithm(count)))
            .collect();
        Curve { length: weights.length() as f64, terms }
    }

    /// Returns P at a bit error rate between 0 and 1.
    #[must_use]
    pub fn at(&self, rate: f64) -> f64 {
        let (wrong, right) = (rate.ln(), (-rate).ln_1p());
        let term = |&(w, count): &(f64, f64)| (count + w * wrong + (self.length - w) * right).exp();
        self.terms.iter().map(term).sum()
    }

    /// Evaluates many rates, evenly spread by their logarithms and by themselves.
    #[must_use]
    pub fn shape(&self) -> Shape {
        let steps = f64::from(POINTS);
        let mut rates: Vec<f64> = (1..=POINTS)
            .flat_map(|i| [0.5 * f64::from(i) / steps, 0.5 * 1e-6_f64.powf(f64::from(i) / steps)])
            .collect();
        rates.sort_by(f64::total_cmp);
        let half = self.at(0.5);
        let (mut worst_rate, mut worst, mut before, mut proper) = (0.5, half, 0.0, true);
        // Rounding may make a difference in the last digits; that is none of the code.
        let slack = 1.0 + 1e-9;
        for rate in rates {
            let p = self.at(rate);
            proper &= p * slack >= before;
            before = p;
            if p > worst * slack {
                (worst_rate, worst) = (rate, p);
            }
        }
        Shape { worst_rate, worst, half, good: worst <= half, proper }
    }
}

/// Returns a quotient of two whole numbers, the second not 0; 0 only of 0.
pub(crate) fn quotient(count: &BigUint, of: &BigUint) -> f64 {
    if *count == BigUint::ZERO { 0.0 } else { (logarithm(count) - logarithm(of)).exp() }
}

/// Returns the natural logarithm.
pub(crate) fn logarithm(value: &BigUint) -> f64 {
    let spare = value.bits().saturating_sub(64);
    let top = (value >> spare).iter_u64_digits().next().unwrap_or(0);
    (top as f64).ln() + spare as f64 * std::f64::consts::LN_2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Effort;
    use crate::crc::Generator;

    fn weights(text: &str, data: u64) -> Weights {
        let (generator, _) = Generator::parse(text, None).unwrap();
        Weights::new(&generator, data, None, &Effort::new()).unwrap()
    }

    #[test]
    fn published_probabilities() {
        for (name, data, expected) in [
            (
                "crc-16/xmodem",
                64,
                ["1.619876884715E-22", "1.607735031876E-14", "7.594415426260E-7"],
            ),
            (
                "crc-16/xmodem",
                1024,
                ["1.492592924540E-18", "1.347565257663E-10", "1.521374653180E-5"],
            ),
            ("crc-16/dnp", 64, ["9.109325885493E-33", "9.042840285552E-21", "4.373653049646E-9"]),
            ("crc-16/arc", 64, ["7.249449020988E-22", "7.195109356885E-14", "3.393227632893E-6"]),
            ("crc-8/smbus", 64, ["8.223440787953E-21", "8.168275845710E-13", "4.215494683974E-5"]),
        ] {
            let weights = weights(name, data);
            let curve = Curve::new(&weights);
            for (rate, expected) in ["1e-6", "0.0001", "1.0e-2"].into_iter().zip(expected) {
                assert_eq!(exactly(&weights, rate, 13).unwrap(), expected, "{name} {rate}");
                let (near, exact): (f64, f64) =
                    (curve.at(rate.parse().unwrap()), expected.parse().unwrap());
                assert!((near / exact - 1.0).abs() < 1e-11, "{name} {rate}");
            }
            let r = weights.generator.width() as i32;
            let half = 0.5_f64.powi(r) - 0.5_f64.powi(r + data as i32);
            let exact: f64 = exactly(&weights, "0.5", 17).unwrap().parse().unwrap();
            assert!((exact / half - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn rates() {
        assert_eq!(decimal("1e-6"), Some((1, 6)));
        assert_eq!(decimal("0.50"), Some((5, 1)));
        assert_eq!(decimal("0"), Some((0, 0)));
        assert_eq!(decimal("1"), Some((1, 0)));
        assert_eq!(decimal(".25E0"), Some((25, 2)));
        for wrong in ["", "e", "2", "1e", "-0.1", "1e-400", "nan", "1.1", "0x1", "1e99999999999"] {
            assert_eq!(decimal(wrong), None, "{wrong}");
        }
        assert_eq!(scientific(&9996_u32.into(), 10, 3), "1.00E-6");
        assert_eq!(scientific(&7_u32.into(), 0, 3), "7E0");
    }

    #[test]
    fn good_and_proper() {
        // The sum of all bits alone would be proper; CCITT at 112 bits is not even good (Wolf and
        // Blakeney).
        let proper = Curve::new(&weights("crc-8/smbus", 119)).shape();
        assert!(proper.good && proper.proper, "{proper:?}");
        let bad = Curve::new(&weights("crc-16/arc", 16)).shape();
        assert!(!bad.good && !bad.proper && bad.worst > bad.half, "{bad:?}");
        // What is good is not always proper, but what is proper is good.
        for data in [8, 16, 24, 40, 64] {
            let shape = Curve::new(&weights("crc-16/ibm-3740", data)).shape();
            assert!(shape.good || !shape.proper);
        }
    }
}
