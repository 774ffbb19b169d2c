//! Arithmetic of polynomials over GF(2) as integers: bit i of a `u128` is the coefficient of x^i.
//!
//! Moduli have at most degree 64, so that a residue fits a `u64` and a product of two residues a
//! `u128`.

/// Returns the degree; 0 for constants, the zero polynomial among them.
pub(super) const fn degree(a: u128) -> u32 {
    (a | 1).ilog2()
}

/// Returns the quotient and the remainder.
///
/// Division by zero returns the dividend.
pub(super) const fn divide(mut a: u128, b: u128) -> (u128, u128) {
    let mut quotient = 0;
    while b != 0 && a != 0 && degree(a) >= degree(b) {
        let shift = degree(a) - degree(b);
        quotient |= 1 << shift;
        a ^= b << shift;
    }
    (quotient, a)
}

/// Returns the greatest common divisor (Euclid).
pub(super) const fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, divide(a, b).1);
    }
    a
}

/// Returns a b, of degrees that add up to less than 128.
pub(super) const fn product(a: u128, b: u128) -> u128 {
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
pub(super) const fn multiply(mut a: u128, b: u128, f: u128) -> u128 {
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
pub(super) const fn power(a: u128, n: u128, f: u128) -> u128 {
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
pub(super) fn powers(f: u128, start: u64) -> impl Iterator<Item = u64> {
    let (top, low) = (degree(f) - 1, f as u64);
    let mask = u64::MAX >> (63 - top);
    std::iter::successors(Some(start), move |&a| {
        let carry = a >> top & 1;
        Some((a << 1 ^ low & carry.wrapping_neg()) & mask)
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
        for (n, value) in powers(CRC_32, 1).enumerate().take(200) {
            assert_eq!(value, power_of_x(n as u64, CRC_32), "{n}");
        }
        let widest = 1 << 64 | 0xad93_d235_94c9_3659;
        for (n, value) in powers(widest, 1).enumerate().take(200) {
            assert_eq!(value, power_of_x(n as u64, widest), "{n}");
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
