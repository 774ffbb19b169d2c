//! Factors a generator over GF(2), and computes its order.
//!
//! *Distinct degrees*: x^(2^d) + x is the product of all irreducible polynomials whose degree
//! divides d, each once. Its greatest common divisor with what is left of f, for d = 1, 2, ..., is
//! the product of f's factors of degree d. *Equal degrees*: modulo an irreducible factor of degree
//! d the trace T(a) = a + a^2 + a^4 + ... + a^(2^(d-1)) is 0 or 1. For two factors some a among x,
//! x^3, x^5, ... has different traces (Berlekamp), and gcd(T(a), f) separates them.
//!
//! *The order* of f is the least e with x^e = 1 mod f: the distance of the closest two bits whose
//! error is undetected. Modulo an irreducible p of degree d it divides 2^d - 1: primes of that
//! number are taken away as long as the power stays 1. Modulo p^m it is multiplied by the least
//! power of two that is at least m; modulo a product it is the least common multiple.

use super::gf2::{degree, divide, gcd, multiply, power};
use super::integer;

/// An irreducible factor and its multiplicity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Factor {
    /// The polynomial with its top term: bit i is the coefficient of x^i.
    pub poly: u128,
    /// Its multiplicity in the generator.
    pub times: u32,
    /// The least e with x^e = 1 modulo the factor, taken once.
    pub order: u64,
}

impl Factor {
    /// Returns its degree.
    #[must_use]
    pub fn degree(&self) -> u32 {
        degree(self.poly)
    }

    /// Returns whether the powers of x are all residues but zero.
    #[must_use]
    pub fn is_primitive(&self) -> bool {
        self.order == u64::MAX >> (64 - self.degree())
    }
}

/// Returns the irreducible factors of `f`, of degree 1 to 64 each with a constant term, ordered by
/// degree.
///
/// `f` has at most degree 64, or [`is_bounded`].
pub(crate) fn factors(f: u128) -> Vec<Factor> {
    let mut factors: Vec<Factor> = irreducible(f)
        .into_iter()
        .map(|(poly, times)| Factor { poly, times, order: order_modulo(poly) })
        .collect();
    factors.sort_by_key(|factor| (factor.degree(), factor.poly));
    factors
}

/// Returns whether the orders of `f` and of its factors fit 64 bits, of a degree to 100.
pub(crate) fn is_bounded(f: u128) -> bool {
    irreducible(f).iter().all(|&(poly, _)| degree(poly) <= 64)
        && u64::try_from(order_of(&factors(f))).is_ok()
}

/// Returns the irreducible factors of `f`, of a degree to 100 with a constant term, and how often
/// each divides it.
fn irreducible(f: u128) -> Vec<(u128, u32)> {
    let (mut left, mut found) = (f, Vec::new());
    let (mut d, mut frobenius) = (0, divide(2, f).1);
    while degree(left) > 0 {
        d += 1;
        if 2 * d > degree(left) {
            // Nothing shorter divides it.
            found.push((left, 1));
            break;
        }
        frobenius = multiply(frobenius, frobenius, left);
        let product = gcd(frobenius ^ divide(2, left).1, left);
        for poly in equal_degrees(product, d) {
            let mut times = 0;
            while let (quotient, 0) = divide(left, poly) {
                left = quotient;
                times += 1;
            }
            found.push((poly, times));
        }
        frobenius = divide(frobenius, left).1;
    }
    found
}

/// Returns the factors of a product of different irreducible polynomials of degree `d`.
fn equal_degrees(product: u128, d: u32) -> Vec<u128> {
    let mut parts = vec![product];
    parts.retain(|&part| degree(part) > 0);
    let mut exponent = 1;
    while parts.iter().any(|&part| degree(part) > d) {
        let mut finer = Vec::new();
        for part in parts {
            let mut conjugate = power(divide(2, part).1, exponent, part);
            let mut trace = 0;
            for _ in 0..d {
                trace ^= conjugate;
                conjugate = multiply(conjugate, conjugate, part);
            }
            let common = gcd(trace, part);
            if degree(common) == 0 || degree(common) == degree(part) {
                finer.push(part);
            } else {
                finer.extend([common, divide(part, common).0]);
            }
        }
        parts = finer;
        exponent += 2;
    }
    parts
}

/// Returns the order of x modulo an irreducible polynomial.
fn order_modulo(poly: u128) -> u64 {
    let group = u64::MAX >> (64 - degree(poly));
    let one = divide(1, poly).1;
    integer::prime_factors(group).into_iter().fold(group, |order, prime| {
        let shorter = order / prime;
        let x = divide(2, poly).1;
        if power(x, shorter.into(), poly) == one { shorter } else { order }
    })
}

/// Returns the order of the product of `factors`.
///
/// It is at most 2^64 - 1, of a degree to 64 as there are not more residues.
pub(crate) fn order(factors: &[Factor]) -> u64 {
    order_of(factors) as u64
}

/// Returns the order of the product of `factors`, or at least 2^64 if it does not fit 64 bits.
fn order_of(factors: &[Factor]) -> u128 {
    factors.iter().fold(1, |order: u128, factor| {
        let one = u128::from(factor.order) * u128::from(factor.times.next_power_of_two());
        (order / integer::gcd(order, one)).saturating_mul(one)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::gf2::product;

    #[test]
    fn published_orders() {
        for (explicit, degrees, e) in [
            (0x1_04c1_1db7, &[32][..], 4_294_967_295),
            (0x1_1edc_6f41, &[1, 31], 2_147_483_647),
            (0x1_741b_8cd7, &[1, 3, 28], 114_695),
            (0x1_3258_3499, &[1, 1, 30], 65_538),
            (0x1_f4ac_fb13, &[1, 1, 15, 15], 65_534),
            (0x1_a833_982b, &[32], 65_537),
            (1 << 64 | 0x42f0_e1eb_a9ea_3693, &[1, 1, 15, 15, 15, 17], 8_589_606_914),
            (1 << 64 | 0x1b, &[64], u64::MAX),
            (1 << 64 | 0xad93_d235_94c9_3659, &[64], u64::MAX),
            (1 << 64 | 0x259c_84cb_a642_6349, &[1, 1, 7, 24, 31], 1_016_812_654_788_287_630),
            (1 << 82 | 0x308c_0111_0114_0144_0411, &[1, 3, 6, 12, 12, 12, 12, 12, 12], 273),
        ] {
            let found = factors(explicit);
            let all: Vec<u32> = found
                .iter()
                .flat_map(|f| std::iter::repeat_n(f.degree(), f.times as usize))
                .collect();
            assert_eq!(all, degrees, "{explicit:x}");
            assert_eq!(order(&found), e, "{explicit:x}");
            let product = found
                .iter()
                .flat_map(|f| std::iter::repeat_n(f.poly, f.times as usize))
                .fold(1, product);
            assert_eq!(product, explicit);
        }
    }

    #[test]
    fn orders_beyond_64_bits_are_known_as_such() {
        let m31 = 1 << 31 | 0b1001;
        let bounded = [0x1_04c1_1db7, 1 << 82 | 0x308c_0111_0114_0144_0411, product(m31, m31)];
        assert!(bounded.into_iter().all(is_bounded));
        // Irreducible of degree 89, and three different ones of degrees 31, 32 and 33.
        assert!(!is_bounded(1 << 89 | 1 << 38 | 1));
        let three = product(product(m31, 0x1_04c1_1db7), 1 << 33 | 1 << 13 | 1);
        assert!(!is_bounded(three));
    }

    #[test]
    fn orders_of_all_short_generators() {
        for explicit in (3..1 << 10).step_by(2) {
            let found = factors(explicit);
            let mut x = divide(2, explicit).1;
            let one = divide(1, explicit).1;
            let mut e = 1;
            while x != one {
                x = multiply(x, divide(2, explicit).1, explicit);
                e += 1;
            }
            assert_eq!(order(&found), e, "{explicit:b}");
            let product = found
                .iter()
                .flat_map(|f| std::iter::repeat_n(f.poly, f.times as usize))
                .fold(1, product);
            assert_eq!(product, explicit);
            for factor in found {
                let lesser =
                    (2..factor.poly).filter(|&p| degree(p) < factor.degree() && degree(p) > 0);
                assert!(lesser.into_iter().all(|p| divide(factor.poly, p).1 != 0));
            }
        }
    }
}
