//! Arithmetic of polynomials over GF(2) as integers: bit i of a `u128` is the coefficient of x^i.
//!
//! Moduli have at most degree 100. Searches keep residues in the smaller integer that holds them
//! ([`Residue`]).

use std::ops::{BitAnd, BitXor, BitXorAssign, Shl, Shr};

/// The highest degree of a generator, which is the widest check value in bits.
///
/// Above 64 the order of x and the factors must fit 64 bits.
pub const WIDEST: u32 = 100;

/// An integer that holds residues: `u64` of moduli of up to degree 64, and `u128` of others.
pub(crate) trait Residue:
    Copy
    + Default
    + Ord
    + Send
    + Sync
    + BitAnd<Output = Self>
    + BitXor<Output = Self>
    + BitXorAssign
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// Its bits.
    const BITS: u32;
    /// Returns the lowest bits of a polynomial, as many as there is room for.
    fn of(polynomial: u128) -> Self;
    /// Returns the lowest 64 bits.
    fn low(self) -> u64;
}

impl Residue for u64 {
    const BITS: u32 = u64::BITS;

    #[inline(always)]
    fn of(polynomial: u128) -> u64 {
        polynomial as u64
    }

    #[inline(always)]
    fn low(self) -> u64 {
        self
    }
}

impl Residue for u128 {
    const BITS: u32 = u128::BITS;

    #[inline(always)]
    fn of(polynomial: u128) -> u128 {
        polynomial
    }

    #[inline(always)]
    fn low(self) -> u64 {
        self as u64
    }
}

/// Returns a word whose lowest `width` bits are set, at least one and at most all.
#[inline(always)]
pub(crate) fn ones<R: Residue>(width: u32) -> R {
    R::of(u128::MAX) >> (R::BITS - width)
}

/// Returns the degree; 0 for constants, the zero polynomial among them.
pub(crate) const fn degree(a: u128) -> u32 {
    (a | 1).ilog2()
}

/// Returns the quotient and the remainder.
///
/// Division by zero returns the dividend.
pub(crate) const fn divide(mut a: u128, b: u128) -> (u128, u128) {
    let mut quotient = 0;
    while b != 0 && a != 0 && degree(a) >= degree(b) {
        let shift = degree(a) - degree(b);
        quotient |= 1 << shift;
        a ^= b << shift;
    }
    (quotient, a)
}

/// Returns the greatest common divisor (Euclid).
pub(crate) const fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, divide(a, b).1);
    }
    a
}

/// Returns a b, of degrees that add up to less than 128.
pub(crate) const fn product(a: u128, b: u128) -> u128 {
    let (mut sum, mut bit) = (0, 0);
    while bit <= degree(b) {
        if b >> bit & 1 == 1 {
            sum ^= a << bit;
        }
        bit += 1;
    }
    sum
}

/// Returns a b mod f, of residues a and b.
pub(crate) const fn multiply(mut a: u128, b: u128, f: u128) -> u128 {
    let (top, mut product, mut bit) = (degree(f), 0, 0);
    while bit < top {
        if b >> bit & 1 == 1 {
            product ^= a;
        }
        a <<= 1;
        if a >> top & 1 == 1 {
            a ^= f;
        }
        bit += 1;
    }
    product
}

/// Returns a^n mod f.
pub(crate) const fn power(a: u128, n: u128, f: u128) -> u128 {
    let (mut result, mut bit) = (divide(1, f).1, 128 - n.leading_zeros());
    while bit > 0 {
        bit -= 1;
        result = multiply(result, result, f);
        if n >> bit & 1 == 1 {
            result = multiply(result, a, f);
        }
    }
    result
}

/// Returns `start`, x `start`, x^2 `start`, ... mod f, without end.
pub(crate) fn powers<R: Residue>(f: u128, start: R) -> impl Iterator<Item = R> {
    let (top, low) = (degree(f) - 1, R::of(f));
    let mask: R = ones(top + 1);
    std::iter::successors(Some(start), move |&a| {
        let carry = (a >> top).low() & 1;
        let taken = if carry == 1 { low } else { R::default() };
        Some((a << 1 ^ taken) & mask)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CRC_32: u128 = 0x1_04c1_1db7;

    #[test]
    fn division_of_the_literature() {
        // 11010101 and three zeros, by 1011, leaves 010, with the quotient 11110110.
        assert_eq!(divide(0b110_1010_1000, 0b1011), (0b1111_0110, 0b010));
        assert_eq!(divide(5, 0), (0, 5));
    }

    fn power_of_x(n: u64, f: u128) -> u64 {
        power(divide(2, f).1, n.into(), f) as u64
    }

    #[test]
    fn powers_agree() {
        for (n, value) in powers(CRC_32, 1_u64).enumerate().take(200) {
            assert_eq!(value, power_of_x(n as u64, CRC_32), "{n}");
        }
        let widest = 1 << 64 | 0xad93_d235_94c9_3659;
        for (n, value) in powers(widest, 1_u64).enumerate().take(200) {
            assert_eq!(value, power_of_x(n as u64, widest), "{n}");
        }
        for f in [CRC_32, widest, 1 << 82 | 0x308c_0111_0114_0144_0411, 1 << 100 | 0x25] {
            for (n, value) in (0..).zip(powers(f, 1_u128)).take(300) {
                assert_eq!(value, power(2, n, f), "{n}");
            }
        }
        assert_eq!(power_of_x(u64::from(u32::MAX), CRC_32), 1);
        assert_eq!(power_of_x(9, 3), 1);
    }

    #[test]
    fn greatest_common_divisors() {
        assert_eq!(gcd(product(0b1011, 0b111), product(0b1011, 0b11)), 0b1011);
        assert_eq!(gcd(0, 7), 7);
    }
}
