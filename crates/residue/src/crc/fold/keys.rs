//! The constants of folding: factors that move lanes forward, and those of the reduction.

use crate::arch::CarryLessWide;
use crate::crc::gf2::{self, Multiples};

/// The constants of folding and reduction.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    /// The factors that move a lane forward by 16, 15, ..., 1 lanes of 128 bits, of its low and its
    /// high 64 bits. Zeros follow, for the lane all others move to.
    pub(super) lanes: [u128; 17],
    /// x^128 (normal) or x^127 (reflected): brings the upper 64 bits of a lane down.
    pub(super) half: u128,
    /// The quotient x^128 / P without its top term, x^64.
    pub(super) barrett: u128,
    /// Whether P has a constant term, which the reflected form of the reduction does not store. It
    /// has one only at 64 bits.
    pub(super) odd: bool,
}

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
    pub(in crate::crc) const fn word_after_vectors(
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
    pub(in crate::crc) const fn of_window(
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
    pub(in crate::crc) const fn step(&self, lanes: usize, reflected: bool) -> u64 {
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
    pub(in crate::crc) const fn distance(
        bits: u64,
        multiples: &Multiples,
        reflected: bool,
    ) -> u128 {
        let (low, high) = if reflected { (bits + 63, bits - 1) } else { (bits, bits + 64) };
        key(multiples.xpow(low), multiples.xpow(high), reflected)
    }

    /// Returns the factors that move a vector forward by `vectors` vectors of `LANES` lanes, 16
    /// lanes at most.
    #[inline(always)]
    pub(in crate::crc) fn vectors<T: CarryLessWide>(&self, tier: T, vectors: usize) -> T::W {
        tier.key(self.lanes[16 - vectors * T::LANES])
    }
}

const fn key(low: u64, high: u64, reflected: bool) -> u128 {
    (orient(high, reflected) as u128) << 64 | orient(low, reflected) as u128
}

const fn orient(a: u64, reflected: bool) -> u64 {
    if reflected { a.reverse_bits() } else { a }
}
