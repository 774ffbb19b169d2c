//! Probabilities that explanations fit by chance.
//!
//! The assumption to be refuted is that the stored values are random: then an explanation that
//! allows one of 65535 values fits once in 65535 values. Logarithms are used throughout, because
//! thousands of values that agree leave probabilities that no floating-point number can hold.

use std::f64::consts::PI;
use std::fmt;

/// The probability that an explanation fits by chance as often as it does.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Chance {
    /// Decimal logarithm; at most 0.
    log10: f64,
}

impl Chance {
    /// A certain event.
    pub const CERTAIN: Chance = Chance { log10: 0.0 };

    /// Probability above which an explanation is not named.
    pub const LIMIT: Chance = Chance { log10: -3.0 };

    /// Returns the probability that at least `fits` explanations fit if `expected` do on average
    /// (Poisson's distribution).
    #[must_use]
    pub fn of_fits(expected: f64, fits: u64) -> Chance {
        if fits == 0 || expected <= 0.0 {
            return if fits == 0 { Chance::CERTAIN } else { Chance { log10: f64::NEG_INFINITY } };
        }
        // The terms from `fits` on, in units of the first.
        let (mut term, mut sum, mut count) = (1.0, 1.0, fits as f64);
        while term > 1e-9 * sum {
            count += 1.0;
            term *= expected / count;
            sum += term;
            if sum > 1e100 {
                return Chance::CERTAIN;
            }
        }
        let first = -expected + fits as f64 * expected.ln() - ln_factorial(fits as f64);
        Chance::of_ln(first + sum.ln())
    }

    /// Returns a bound on the probability that explanations fit at least `fits` of `values` values
    /// if they fit `expected` on average (the binomial distribution, which bounds that of unequal
    /// probabilities: Hoeffding 1956, theorem 5).
    #[must_use]
    pub fn of_fits_among(values: u64, expected: f64, fits: u64) -> Chance {
        let (all, some) = (values.max(fits) as f64, fits as f64);
        let share = expected / all;
        if fits > 0 && expected <= 0.0 {
            return Chance { log10: f64::NEG_INFINITY };
        }
        if fits == 1 {
            return Chance::of_ln(expected.ln());
        }
        // The theorem's condition.
        if some < expected + 1.0 || share >= 1.0 {
            return Chance::CERTAIN;
        }
        // The terms from `fits` on, in units of the first.
        let (mut term, mut sum, mut count) = (1.0, 1.0, some);
        while count < all && term > 1e-9 * sum {
            term *= (all - count) / (count + 1.0) * share / (1.0 - share);
            sum += term;
            count += 1.0;
        }
        let choices = ln_factorial(all) - ln_factorial(some) - ln_factorial(all - some);
        let first = choices + some * share.ln() + (all - some) * (-share).ln_1p();
        Chance::of_ln(first + sum.ln())
    }

    /// Returns a bound on the probability that at least `equal` of `values` random amounts, each
    /// one of `possible`, are equal.
    #[must_use]
    pub fn of_equal(values: u64, equal: u64, possible: f64) -> Chance {
        if equal < 2 {
            return Chance::CERTAIN;
        }
        let (all, some) = (values.max(equal) as f64, equal as f64);
        let choices = ln_factorial(all) - ln_factorial(some) - ln_factorial(all - some);
        Chance::of_ln(choices - (some - 1.0) * possible.ln())
    }

    fn of_ln(ln: f64) -> Chance {
        Chance { log10: (ln / std::f64::consts::LN_10).min(0.0) }
    }

    /// Returns whether the probability is so small that the explanation counts.
    #[must_use]
    pub fn is_small(self) -> bool {
        self <= Chance::LIMIT
    }

    /// Returns the decimal logarithm of the probability; never less than -9999.
    #[must_use]
    pub fn log10(self) -> f64 {
        self.log10.max(-9999.0)
    }

    /// Returns the probability of both of two independent events.
    #[must_use]
    pub fn and(self, other: Chance) -> Chance {
        Chance { log10: self.log10 + other.log10 }
    }

    /// Returns a bound on the probability of at least one of `count` events of this probability.
    #[must_use]
    pub fn times(self, count: f64) -> Chance {
        Chance { log10: (self.log10 + count.log10()).min(0.0) }
    }

    /// Returns the larger of two probabilities.
    #[must_use]
    pub fn max(self, other: Chance) -> Chance {
        if self < other { other } else { self }
    }
}

/// Returns the natural logarithm of a factorial, by Stirling's series from 20 on.
fn ln_factorial(n: f64) -> f64 {
    if n < 20.0 {
        return (2..=n as u32).map(|factor| f64::from(factor).ln()).sum();
    }
    let correction = 1.0 / (12.0 * n) - 1.0 / (360.0 * n * n * n);
    n * n.ln() - n + 0.5 * (2.0 * PI * n).ln() + correction
}

/// Exponent from which on a probability is only bounded in text.
const TINY: f64 = 300.0;

/// One in how many: `1 in 2000`, `1 in 10^29`, `less than 1 in 10^300`.
impl fmt::Display for Chance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exponent = -self.log10();
        if exponent > TINY {
            return write!(f, "less than 1 in 10^{TINY}");
        }
        if exponent >= 6.0 {
            return write!(f, "1 in 10^{exponent:.0}");
        }
        let one_in = 10f64.powf(exponent);
        if one_in < 10.0 {
            return write!(f, "1 in {one_in:.1}");
        }
        // Two significant digits.
        let unit = 10f64.powf(one_in.log10().floor() - 1.0);
        write!(f, "1 in {:.0}", (one_in / unit).round() * unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_near(chance: Chance, probability: f64) {
        let found = 10f64.powf(chance.log10());
        assert!((found / probability - 1.0).abs() < 1e-6, "{found} is not {probability}");
    }

    #[test]
    fn tails_of_poisson() {
        is_near(Chance::of_fits(1e-6, 1), 1.0 - (-1e-6f64).exp());
        is_near(Chance::of_fits(1.0, 1), 1.0 - (-1.0f64).exp());
        is_near(Chance::of_fits(1.0, 2), 1.0 - 2.0 * (-1.0f64).exp());
        is_near(Chance::of_fits(3.0, 3), 1.0 - 8.5 * (-3.0f64).exp());
        assert_eq!(Chance::of_fits(0.5, 0), Chance::CERTAIN);
        assert_eq!(Chance::of_fits(1e6, 3), Chance::CERTAIN);
        assert!(Chance::of_fits(1e-4, 1_000_000).is_small());
        assert!(Chance::of_fits(0.0, 1).is_small());
        assert_eq!(Chance::of_fits(0.0, 1).log10(), -9999.0);
    }

    #[test]
    fn tails_of_the_binomial_distribution() {
        is_near(Chance::of_fits_among(1, 0.25, 1), 0.25);
        is_near(Chance::of_fits_among(100, 0.25, 1), 0.25);
        is_near(Chance::of_fits_among(3, 0.03, 2), 3.0 * 1e-4 * 0.99 + 1e-6);
        is_near(Chance::of_fits_among(2, 0.02, 2), 1e-4);
        // Many values: as Poisson's distribution.
        let (many, poisson) = (Chance::of_fits_among(1 << 30, 0.5, 3), Chance::of_fits(0.5, 3));
        assert!((many.log10() - poisson.log10()).abs() < 1e-3, "{many:?} {poisson:?}");
        for (values, expected, fits) in [(9, 0.5, 0), (9, 3.0, 3), (1, 1.0, 1), (0, 0.5, 0)] {
            assert_eq!(Chance::of_fits_among(values, expected, fits), Chance::CERTAIN);
        }
        assert!(Chance::of_fits_among(1 << 50, 1e6, 2_000_000).is_small());
        assert_eq!(Chance::of_fits_among(1, 0.0, 1).log10(), -9999.0);
    }

    #[test]
    fn equal_amounts() {
        is_near(Chance::of_equal(2, 2, 65535.0), 1.0 / 65535.0);
        is_near(Chance::of_equal(300, 2, 65535.0), 44850.0 / 65535.0);
        is_near(Chance::of_equal(25, 22, 1000.0), 2300.0 / 1e63);
        assert_eq!(Chance::of_equal(9, 1, 65535.0), Chance::CERTAIN);
        assert_eq!(Chance::of_equal(100_000, 2, 65535.0), Chance::CERTAIN);
    }

    #[test]
    fn chances_are_combined() {
        let one = Chance::of_equal(2, 2, 65535.0);
        is_near(one.and(one), 1.0 / 65535.0 / 65535.0);
        is_near(one.times(100.0), 100.0 / 65535.0);
        assert_eq!(one.times(1e6), Chance::CERTAIN);
        assert_eq!(one.max(Chance::CERTAIN), Chance::CERTAIN);
    }

    #[test]
    fn factorials_join() {
        let sum: f64 = (2..=20).map(|factor| f64::from(factor).ln()).sum();
        assert!((ln_factorial(20.0) - sum).abs() < 1e-9);
    }

    #[test]
    fn text() {
        let text = |expected, fits| Chance::of_fits(expected, fits).to_string();
        assert_eq!(text(32.0 / 65535.0, 1), "1 in 2000");
        assert_eq!(text(1.0 / 65535.0, 1), "1 in 66000");
        assert_eq!(text(1.0 / 65535.0, 8), "1 in 10^43");
        assert_eq!(text(1.0, 1), "1 in 1.6");
        assert_eq!(Chance::CERTAIN.to_string(), "1 in 1.0");
        assert_eq!(Chance::of_fits(0.0, 1).to_string(), "less than 1 in 10^300");
    }
}
