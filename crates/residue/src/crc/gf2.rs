//! Arithmetic of polynomials over GF(2), at compile time or at run time.
//!
//! All widths up to 64 share one embedding (a CRC of width w by P is a 64-bit CRC by P x^(64-w)
//! whose register is R x^(64-w)), so all constants are computed modulo that 64-bit polynomial. It
//! is written here without its x^64 term; bit i of a `u64` is the coefficient of x^i.

/// Returns a x mod p.
pub(crate) const fn mulx(a: u64, p: u64) -> u64 {
    let carry = a >> 63;
    (a << 1) ^ (p & carry.wrapping_neg())
}

/// Returns a b mod p.
pub(crate) const fn mul(a: u64, b: u64, p: u64) -> u64 {
    let (mut product, mut bit) = (0, 64);
    while bit > 0 {
        bit -= 1;
        product = mulx(product, p) ^ (a & (b >> bit & 1).wrapping_neg());
    }
    product
}

/// Returns x^n mod p, bit by bit: tests compare [`Multiples::xpow`] with it.
#[cfg(test)]
pub(crate) const fn xpow(n: u64, p: u64) -> u64 {
    let (mut power, mut bit) = (1, 64 - n.leading_zeros());
    while bit > 0 {
        bit -= 1;
        power = mul(power, power, p);
        if n >> bit & 1 == 1 {
            power = mulx(power, p);
        }
    }
    power
}

/// The multiples of P by every polynomial of degree below 8, to multiply by x^8 in one step.
///
/// With it the constants of a CRC take a few microseconds, where bit by bit they take tens.
pub(crate) struct Multiples([u64; 256]);

impl Multiples {
    /// Computes the multiples of x^64 + p, each without its terms from x^64 up.
    pub(crate) const fn new(p: u64) -> Multiples {
        let (mut multiples, mut single) = ([0; 256], p);
        let mut i = 1usize;
        while i < 256 {
            multiples[i] = if i.is_power_of_two() {
                let multiple = single;
                single = mulx(single, p);
                multiple
            } else {
                let lowest = i & i.wrapping_neg();
                multiples[lowest] ^ multiples[i ^ lowest]
            };
            i += 1;
        }
        Multiples(multiples)
    }

    /// Returns the remainder of `byte` x^64.
    pub(crate) const fn remainder(&self, byte: u8) -> u64 {
        self.0[byte as usize]
    }

    /// Returns a x^(8 bytes) mod P.
    pub(crate) const fn shift(&self, a: u64, bytes: u64) -> u64 {
        let (mut a, mut left) = (a, bytes);
        while left > 0 {
            a = a << 8 ^ self.0[(a >> 56) as usize];
            left -= 1;
        }
        a
    }

    /// Returns x^n mod P.
    pub(crate) const fn xpow(&self, n: u64) -> u64 {
        let (mut power, mut bit) = (1, 64 - n.leading_zeros());
        while bit > 0 {
            bit -= 1;
            power = self.square(power);
            if n >> bit & 1 == 1 {
                power = mulx(power, self.0[1]);
            }
        }
        power
    }

    /// Returns a^2 mod P: bit i becomes bit 2 i.
    pub(crate) const fn square(&self, a: u64) -> u64 {
        self.shift(spread((a >> 32) as u32), 8) ^ spread(a as u32)
    }
}

/// Moves bit i to bit 2 i.
const fn spread(a: u32) -> u64 {
    let a = a as u64;
    let a = (a | a << 16) & 0x0000_ffff_0000_ffff;
    let a = (a | a << 8) & 0x00ff_00ff_00ff_00ff;
    let a = (a | a << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    let a = (a | a << 2) & 0x3333_3333_3333_3333;
    (a | a << 1) & 0x5555_5555_5555_5555
}

/// Divides x^128 by x^64 + p and returns the quotient without its x^64 term, which is always
/// present.
pub(crate) const fn quotient128(p: u64) -> u64 {
    // After the first step of the long division the remainder's upper 64 bits are p.
    let (mut remainder, mut quotient, mut bit) = (p, 0, 64);
    while bit > 0 {
        bit -= 1;
        quotient |= (remainder >> 63) << bit;
        remainder = mulx(remainder, p);
    }
    quotient
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CRC-32's polynomial in the embedding.
    const P: u64 = 0x04c1_1db7 << 32;

    #[test]
    fn published_powers() {
        // Bit-reversed x^n mod P of CRC-32, as published folding implementations list them.
        for (n, reversed) in
            [(63, 0xb8bc_6765_u32), (95, 0xccaa_009e), (543, 0x8f35_2d95), (2015, 0xe95c_1271)]
        {
            assert_eq!(((xpow(n + 32, P) >> 32) as u32).reverse_bits(), reversed);
        }
    }

    #[test]
    fn multiples_step_by_bytes() {
        for p in [P, 0xad93_d235_94c9_3659, 1 << 63, 0, 3] {
            let multiples = Multiples::new(p);
            for a in [0, 1, 0x80, u64::MAX, 0x0123_4567_89ab_cdef] {
                assert_eq!(multiples.square(a), mul(a, a, p));
                for bytes in 0..20 {
                    assert_eq!(multiples.shift(a, bytes), mul(a, xpow(8 * bytes, p), p));
                }
            }
            for n in [0, 1, 63, 64, 127, 4160, 7744, 8256] {
                assert_eq!(multiples.xpow(n), xpow(n, p));
            }
            for byte in 0..=255 {
                assert_eq!(multiples.remainder(byte), multiples.shift(u64::from(byte) << 56, 1));
            }
        }
    }

    #[test]
    fn quotient_times_divisor_is_the_dividend() {
        for p in [P, 0xad93_d235_94c9_3659, 1 << 63, 0] {
            // (x^64 + q)(x^64 + p) must be x^128 + something of degree below 64.
            let q = quotient128(p);
            let mut product = 0u128;
            for bit in 0..64 {
                if q >> bit & 1 == 1 {
                    product ^= u128::from(p) << bit;
                }
            }
            let upper = (product >> 64) as u64 ^ q ^ p;
            assert_eq!(upper, 0);
        }
    }
}
