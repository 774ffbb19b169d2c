//! Arithmetic of polynomials over GF(2), at compile time or at run time.
//!
//! # CRCs as remainders
//!
//! This is the algebra that the derivations of [`fold`](super::fold), [`taps`](super::taps) and
//! [`steps`](super::steps) need, for readers who know a bytewise CRC. In the examples, messages,
//! products and remainders are hexadecimal.
//!
//! Read the bits of a message as the coefficients of a polynomial, the first bit as the highest. To
//! add two polynomials is to xor them; to multiply by x is to shift left by one; x^n is a one
//! followed by n zeros. The product a b is the xor of copies of a, one shifted to each bit that is
//! set in b: the *carry-less product* of `pclmulqdq` and `pmull`. P is the polynomial of the CRC
//! with its top term x^w, where w is the width. To compute A mod P, clear the highest set bit of A
//! by xoring P, shifted so that x^w meets that bit, until no more than w bits are left. The bitwise
//! loop of a CRC, which shifts one bit out and xors the polynomial if the bit was set, does this to
//! the message M with w zero bits appended. From a register of zero,
//!
//! ```text
//! register = M x^w mod P
//! ```
//!
//! Four rules follow.
//!
//! 1. *Replacement.* A part of the message can be replaced by anything with an equal remainder:
//!    that adds a multiple of P, which has no effect. 2. *Addition.* If two messages of equal
//!    length are xored, so are their remainders, and their registers from zero. 3. *Zeros.* Zero
//!    bytes before a message have no effect. n zero bytes after it multiply its remainder by
//!    x^(8n). A register other than zero is xored into the first w bits of the message, and then
//!    *is* zero. 4. *Constants.* x^n mod P is a number of w bits that depends on P and n only.
//!
//! With P = x^4 + x + 1, or 13, everything can be done by hand:
//!
//! ```text
//! n           0  1  2  3  4  5  6  7  8  9  10  11  12  13
//! x^n mod P   1  2  4  8  3  6  c  b  5  a   7   e   f   d
//! ```
//!
//! The message b2 4d, with this CRC of four bits, serves as the example:
//!
//! ```rust
//! /// a b, without carries.
//! fn product(a: u128, b: u128) -> u128 {
//!     (0..64).filter(|&i| b >> i & 1 == 1).fold(0, |sum, i| sum ^ a << i)
//! }
//!
//! /// a mod P.
//! fn remainder(mut a: u128) -> u128 {
//!     for i in (4..128).rev() {
//!         if a >> i & 1 == 1 {
//!             a ^= 0x13 << (i - 4);
//!         }
//!     }
//!     a
//! }
//!
//! let code = "width=4,poly=3,init=0,refin=false,refout=false,xorout=0";
//! let code: residue::Code = code.parse().unwrap();
//! let crc = |message: &[u8]| code.value(message);
//!
//! assert_eq!(crc(&[0xb2, 0x4d]), 0xb);
//! assert_eq!(remainder(0xb24d << 4), 0xb); // M x^4 mod P
//! assert_eq!(crc(&[0xb2, 0]) ^ crc(&[0, 0x4d]), 0xb); // addition
//! assert_eq!(crc(&[0, 0, 0xb2, 0x4d]), 0xb); // zeros before the message
//! // A zero byte after the message: x^8 mod P is 5.
//! assert_eq!(crc(&[0xb2, 0]), remainder(product(crc(&[0xb2]), 5)));
//! ```
//!
//! Reflected CRCs, such as CRC-32, begin with the lowest bit of each byte. That changes how
//! polynomials are stored, not the rules, so the derivations use the other order, highest bit
//! first.
//!
//! # Embedding
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
