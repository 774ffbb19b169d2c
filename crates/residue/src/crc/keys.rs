//! The constants of folding: factors that move lanes forward, and those of the reduction.
//!
//! Folding computes a CRC without tables, 16 bytes or more at a time (V. Gopal et al., *Fast CRC
//! Computation for Generic Polynomials Using PCLMULQDQ*, 2009). A bytewise kernel waits for one
//! look-up before it starts the next. Folding shortens the message instead: it removes lanes at the
//! front, and compensates for each of them in a lane further on.
//!
//! **Identity.** A lane V that is D bits ahead of another lane contributes V x^D to the message. By
//! rule 1 of [`gf2`], V can be removed if something with the remainder of V x^D is added to the
//! other lane. With the halves of the lane, V = H x^64 + L,
//!
//! ```text
//! V x^D = H x^(D+64) + L x^D = H (x^(D+64) mod P) + L (x^D mod P)   modulo P
//! ```
//!
//! Both factors in brackets are constants, so a lane costs two carry-less products. Each of them
//! has less than 128 bits and fits a lane. With four accumulators A of one lane each, D is 512
//! bits:
//!
//! ```text
//! for each 64 bytes of data:
//!     A[i] = H(A[i]) (x^576 mod P) ^ L(A[i]) (x^512 mod P) ^ data[i]   for i = 0, 1, 2, 3
//! ```
//!
//! The four do not wait for each other. At the end the first three are moved onto the last.
//!
//! **By hand**, at a sixteenth of the size: lanes of 8 bits, halves of 4, P = 13. The lane b2 is
//! folded onto 4d, which follows it, so D is 8:
//!
//! ```text
//! b f = 69      H (x^12 mod P)
//! 2 5 = 0a      L (x^8 mod P)
//! 69 ^ 0a ^ 4d = 2e
//! ```
//!
//! The message 2e has the remainder of b2 4d, which is 8.
//!
//! **Reduction.** One lane is left, and the register is that lane times x^64 mod P. A product moves
//! its upper half down: U = H (x^128 mod P) + L x^64 has 128 bits. Call its halves U1 and U0.
//! Barrett's method finds the quotient q of U by P without a division, from the constant mu =
//! floor(x^128 / P). With r the remainder of that division,
//!
//! ```text
//! x^128 = mu P + r,   hence   U1 x^64 / P = U1 mu / x^64 + U1 r / (x^64 P)
//! q = floor(U1 mu / x^64)
//! register = U ^ q P
//! ```
//!
//! U1 r has fewer bits than x^64 P, so the last term of the first line does not reach the quotient;
//! neither does U0, which has fewer bits than P. Between integers such terms can carry into the
//! quotient, and Barrett's method needs a correction. Without carries it is exact. By hand, x^8 / P
//! has the quotient mu = 13, and the lane 2e gives
//!
//! ```text
//! 2 5 ^ e0 = ea                U = H (x^8 mod P) + L x^4
//! e 13 >> 4 = f2 >> 4 = f      q = floor(U1 mu / x^4)
//! ea ^ f 13 = ea ^ e1 = 0b     U ^ q P
//! ```
//!
//! and b is the CRC of b2 4d.
//!
//! **Program.** CRC-64/ECMA-182 starts from zero, reads the highest bit first and has 64 bits, so
//! the formulas can be copied. A kernel takes the powers and mu from constants.
//!
//! ```rust
//! /// P without its term x^64.
//! const POLY: u64 = 0x42f0_e1eb_a9ea_3693;
//!
//! /// The carry-less product, an instruction in the kernels.
//! fn product(a: u64, b: u64) -> u128 {
//!     (0..64).filter(|&i| b >> i & 1 == 1).fold(0, |sum, i| sum ^ u128::from(a) << i)
//! }
//!
//! /// a x mod P.
//! fn times_x(a: u64) -> u64 {
//!     a << 1 ^ if a >> 63 == 1 { POLY } else { 0 }
//! }
//!
//! /// x^n mod P.
//! fn power(n: u32) -> u64 {
//!     (0..n).fold(1, |a, _| times_x(a))
//! }
//!
//! /// floor(x^128 / P) without its term x^64, by long division: x^128 ^ x^64 P is `POLY` x^64.
//! fn mu() -> u64 {
//!     (0..64).fold((0, POLY), |(q, rest), _| (q << 1 | rest >> 63, times_x(rest))).0
//! }
//!
//! /// Moves a lane forward by a number of bits.
//! fn fold(lane: u128, bits: u32) -> u128 {
//!     product((lane >> 64) as u64, power(bits + 64)) ^ product(lane as u64, power(bits))
//! }
//!
//! fn crc64(data: &[u8]) -> u64 {
//!     // Zero bytes in front have no effect: they make the steps whole.
//!     let mut padded = vec![0; data.len().next_multiple_of(64) - data.len()];
//!     padded.extend(data);
//!     let mut a = [0; 4];
//!     for step in padded.chunks(64) {
//!         for (a, lane) in a.iter_mut().zip(step.as_chunks().0) {
//!             *a = fold(*a, 512) ^ u128::from_be_bytes(*lane);
//!         }
//!     }
//!     let lane = fold(a[0], 384) ^ fold(a[1], 256) ^ fold(a[2], 128) ^ a[3];
//!     let u = product((lane >> 64) as u64, power(128)) ^ lane << 64;
//!     let (u1, u0) = ((u >> 64) as u64, u as u64);
//!     let q = u1 ^ (product(u1, mu()) >> 64) as u64;
//!     u0 ^ product(q, POLY) as u64
//! }
//!
//! assert_eq!(crc64(b"123456789"), 0x6c40_df5f_0b49_7347);
//! let code: residue::Code = "crc-64/ecma-182".parse().unwrap();
//! let data: Vec<u8> = (0..=255).cycle().take(1000).collect();
//! assert_eq!(u128::from(crc64(&data)), code.value(&data));
//! ```
//!
//!
//! **In the kernels** one body serves every polynomial of up to 64 bits.
//!
//! - *Width.* A polynomial of w < 64 bits is normalised to 64: M x^64 mod P x^(64-w) is (M x^w mod
//!   P) x^(64-w), the register moved to the top of 64 bits.
//! - *Reflected CRCs.* A lane is loaded little-endian, and its bit i is the coefficient of
//!   x^(127-i). The product of two reversed words of 64 bits is their product reversed in 127 bits.
//!   Read as a lane of 128, it has one factor x too many: rev(a) rev(b) = rev(a b x). Hence the
//!   constants are x^(D+63) mod P and x^(D-1) mod P, reversed.
//! - *More lanes.* Eight accumulators move by 1024 bits, vectors of two and four lanes by 1024 and
//!   2048. At the end every lane is moved to the position of the last one by a factor of its own,
//!   all at once.

use super::gf2::{self, Multiples};
use crate::arch::CarryLessWide;

/// The constants of folding and reduction.
///
/// In this order each four of `lanes` that a vector of 64 bytes takes lie in one cache line.
#[derive(Clone, Debug)]
#[cfg_attr(target_arch = "x86_64", repr(C, align(64)))]
pub(crate) struct Keys {
    /// x^128 (normal) or x^127 (reflected): brings the upper 64 bits of a lane down.
    pub(super) half: u128,
    /// The quotient x^128 / P without its top term, x^64.
    pub(super) barrett: u128,
    /// Whether P has a constant term, which the reflected form of the reduction does not store. It
    /// has one only at 64 bits.
    pub(super) odd: bool,
    /// The factors that move a lane forward by 16, 15, ..., 1 lanes of 128 bits, of its low and its
    /// high 64 bits. Zeros follow, for the lane all others move to.
    pub(super) lanes: [u128; 17],
}

#[cfg(target_arch = "x86_64")]
const _: () = assert!(core::mem::offset_of!(Keys, lanes) % 64 == 48);

impl Keys {
    pub(crate) const fn new(poly: u64, multiples: &Multiples, reflected: bool) -> Keys {
        // x^(64 i), for a reflected CRC x^(64 i - 1): an even one is the square of the one at i/2,
        // an odd one eight bytes beyond the one before. Such short chains overlap on the CPU.
        let mut words = [poly; 34];
        if reflected {
            words[1] = 1 << 63;
        }
        let mut i = 2;
        while i < 34 {
            let square = multiples.square(words[i / 2]);
            words[i] = if reflected { gf2::mulx(square, poly) } else { square };
            words[i + 1] = multiples.shift(words[i], 8);
            i += 2;
        }
        // The factors' exponents grow by 128 from lane to lane: (191, 127) or (128, 192).
        let mut lanes = [0; 17];
        let mut i = 1;
        while i < 17 {
            let (even, odd) = (words[2 * i], words[2 * i + 1]);
            let (low, high) = if reflected { (odd, even) } else { (even, odd) };
            lanes[16 - i] = key(low, high, reflected);
            i += 1;
        }
        let half = words[2];
        let quotient = gf2::quotient128(poly);
        // Divided by x when reflected, which makes room for the term x^64 at the other end.
        const TOP: u64 = 1 << 63;
        Keys {
            lanes,
            half: orient(half, reflected) as u128,
            barrett: if reflected {
                key(TOP | quotient >> 1, TOP | poly >> 1, true)
            } else {
                key(quotient, poly, false)
            },
            odd: poly & 1 == 1,
        }
    }

    /// Returns x^(512 v + 64) for 0 to 8 vectors of 64 bytes; bit i is the coefficient of x^i.
    pub(super) const fn word_after_vectors(
        &self,
        vectors: usize,
        multiples: &Multiples,
        reflected: bool,
    ) -> u64 {
        if vectors == 0 {
            multiples.remainder(1)
        } else if vectors <= 4 {
            self.power_of_lanes(4 * vectors, true, multiples, reflected)
        } else {
            // (x^(256 v + 32))^2.
            let half = self.power_of_lanes(2 * vectors, false, multiples, reflected);
            multiples.square(multiples.shift(half, 4))
        }
    }

    /// Returns the factors that move a lane forward by `window` vectors of 64 bytes, 16 at most,
    /// and x^(512 window + 64).
    pub(super) const fn of_window(
        &self,
        window: usize,
        multiples: &Multiples,
        reflected: bool,
    ) -> (u128, u64) {
        let poly = multiples.remainder(1);
        let (low, high) = self.factors(window, reflected);
        if reflected {
            // x^(n-1) of the lanes doubled twice: x^(2n-1) = x (x^(n-1))^2.
            let twice = gf2::mulx(multiples.square(high), poly);
            let high = gf2::mulx(multiples.square(twice), poly);
            let low = multiples.shift(high, 8);
            (key(low, high, true), gf2::mulx(low, poly))
        } else {
            let low = multiples.square(multiples.square(low));
            let high = multiples.shift(low, 8);
            (key(low, high, false), high)
        }
    }

    /// Returns x^(128 lanes), for a reflected CRC x^(128 lanes - 1), for 1 to 16 lanes.
    pub(super) const fn step(&self, lanes: usize, reflected: bool) -> u64 {
        let (low, high) = self.factors(lanes, reflected);
        if reflected { high } else { low }
    }

    /// Returns x^(128 lanes), times x^64 if `word`, for 1 to 16 lanes; bit i is the coefficient of
    /// x^i.
    const fn power_of_lanes(
        &self,
        lanes: usize,
        word: bool,
        multiples: &Multiples,
        reflected: bool,
    ) -> u64 {
        let (low, high) = self.factors(lanes, reflected);
        if reflected {
            gf2::mulx(if word { low } else { high }, multiples.remainder(1))
        } else if word {
            high
        } else {
            low
        }
    }

    /// Returns the factors that move a lane forward by 1 to 16 lanes; bit i is the coefficient of
    /// x^i.
    const fn factors(&self, lanes: usize, reflected: bool) -> (u64, u64) {
        let key = self.lanes[16 - lanes];
        (orient(key as u64, reflected), orient((key >> 64) as u64, reflected))
    }

    /// Returns the factors that move a lane forward by `bits`, at least 128.
    pub(super) const fn distance(bits: u64, multiples: &Multiples, reflected: bool) -> u128 {
        let (low, high) = if reflected { (bits + 63, bits - 1) } else { (bits, bits + 64) };
        key(multiples.xpow(low), multiples.xpow(high), reflected)
    }

    /// Returns the factors that move a vector forward by `vectors` vectors of `LANES` lanes, 16
    /// lanes at most.
    #[inline(always)]
    pub(super) fn vectors<T: CarryLessWide>(&self, tier: T, vectors: usize) -> T::W {
        tier.key(self.lanes[16 - vectors * T::LANES])
    }
}

const fn key(low: u64, high: u64, reflected: bool) -> u128 {
    (orient(high, reflected) as u128) << 64 | orient(low, reflected) as u128
}

const fn orient(a: u64, reflected: bool) -> u64 {
    if reflected { a.reverse_bits() } else { a }
}
