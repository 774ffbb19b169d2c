//! Sums of words and of bytes. Products are unsigned here: words need no bias, and weights no
//! centre.

use super::Neon;
use crate::arch::sums::{Bytes, Load, Weighted, WordSum, Words, few32, low_words, weights};
use crate::arch::{ops, vectors};
use core::arch::aarch64::*;

impl Load for Neon {
    vectors!(
        uint8x16_t, 16, false; vdupq_n_u8(0); |block| vld1q_u8(block.as_ptr())
    );

    /// Loads the vector at `from`, or the last one of the data if that comes earlier.
    ///
    /// A table look-up, which writes zero for places from 16 on, moves it down.
    #[inline(always)]
    fn load_low(self, data: &[u8], from: usize) -> uint8x16_t {
        const PLACES: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
        let start = from.min(data.len().wrapping_sub(16));
        match data.get(start..).and_then(|rest| rest.first_chunk()) {
            Some(block) => {
                let down = (from - start).min(16) as u8;
                // SAFETY: the marker proves NEON.
                unsafe {
                    let places = vaddq_u8(self.load(&PLACES), vdupq_n_u8(down));
                    vqtbl1q_u8(self.load(block), places)
                }
            }
            None => {
                let [low, high] = low_words(data, from);
                // SAFETY: the marker proves NEON.
                unsafe { vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(low), vcreate_u64(high))) }
            }
        }
    }
}

impl WordSum for Neon {
    type Lanes = uint32x4_t;
    const BIAS: i32 = 0;
    /// The limit is not measured.
    const WORDS_TO: usize = 24;
    type Narrow = Self;

    #[inline(always)]
    fn narrow(self) -> Self {
        self
    }

    ops! {
        fn lanes(self, each: i32) -> uint32x4_t { vdupq_n_u32(each as u32) }
        fn sum(self, lanes: uint32x4_t, words: uint8x16_t, twice: bool) -> uint32x4_t {
            let lanes = vpadalq_u16(lanes, vreinterpretq_u16_u8(words));
            if twice {
                let first = vandq_u32(vreinterpretq_u32_u8(words), vdupq_n_u32(0xffff));
                vaddq_u32(lanes, first)
            } else {
                lanes
            }
        }
        fn add(self, a: uint32x4_t, b: uint32x4_t) -> uint32x4_t { vaddq_u32(a, b) }
        fn packed(self, lanes: uint32x4_t) -> u64 { vaddlvq_u32(lanes) }
        fn total(self, lanes: uint32x4_t) -> u64 { vaddlvq_u32(lanes) }
        fn columns(self, even: uint32x4_t, odd: uint32x4_t) -> u64 {
            const WEIGHTS: [u32; 8] =
                [1 << 14, 1 << 12, 1 << 10, 1 << 8, 1 << 6, 1 << 4, 1 << 2, 1];
            let (first, second) = (vld1q_u32(WEIGHTS.as_ptr()), vld1q_u32(WEIGHTS[4..].as_ptr()));
            let sum = vmull_u32(vget_low_u32(even), vget_low_u32(first));
            let sum = vmlal_high_u32(sum, even, first);
            let sum = vmlal_u32(sum, vget_low_u32(odd), vget_low_u32(second));
            vaddvq_u64(vmlal_high_u32(sum, odd, second))
        }
    }
}

/// The sums of a step and of the steps before it, in 32-bit lanes.
#[derive(Clone, Copy)]
pub(crate) struct Sums {
    plain: uint32x4_t,
    earlier: uint32x4_t,
    weighted: uint32x4_t,
}

/// Adds the plain and the weighted sums of some vectors to the sums before.
#[inline(always)]
fn stepped(_proof: Neon, sums: Sums, [plain, weighted]: [uint32x4_t; 2]) -> Sums {
    // SAFETY: the marker proves NEON.
    unsafe {
        Sums {
            plain: vaddq_u32(sums.plain, plain),
            earlier: vaddq_u32(sums.earlier, sums.plain),
            weighted: vaddq_u32(sums.weighted, weighted),
        }
    }
}

/// Returns S, and the earlier sums times the units of a step plus the weighted sum.
#[inline(always)]
fn totals(_proof: Neon, sums: Sums, per_step: i64) -> [i64; 2] {
    // SAFETY: the marker proves NEON.
    unsafe {
        let earlier = vaddlvq_u32(sums.earlier) as i64;
        [vaddlvq_u32(sums.plain) as i64, per_step * earlier + vaddlvq_u32(sums.weighted) as i64]
    }
}

macro_rules! weighted {
    ($unit:ty, $per_step:literal, $steps:literal, $of:ident,
     $largest_plain:expr, $largest_weighted:expr) => {
        impl Weighted<$unit> for Neon {
            type Sums = Sums;
            const BIAS: i64 = 0;
            const CENTRE: i32 = 0;
            const STEPS: usize = {
                // The growth of one lane in a step.
                let (m, limit) = ($steps as u64, u32::MAX as u64);
                assert!(
                    $largest_plain * m * (m - 1) / 2 <= limit && $largest_weighted * m <= limit
                );
                $steps
            };

            #[inline(always)]
            fn zero(self) -> Sums {
                let zero = self.lanes(0);
                Sums { plain: zero, earlier: zero, weighted: zero }
            }

            #[inline(always)]
            fn step(self, sums: Sums, vectors: [uint8x16_t; 4]) -> Sums {
                stepped(self, sums, $of(self, vectors))
            }

            #[inline(always)]
            fn totals32(self, sums: Sums) -> [u32; 2] {
                totals(self, sums, $per_step).map(|sum| sum as u32)
            }

            #[inline(always)]
            fn totals64(self, sums: Sums) -> [i64; 2] {
                totals(self, sums, $per_step)
            }

            #[inline(always)]
            fn few<const K: usize>(self, vectors: [uint8x16_t; K], units: usize) -> (u32, u32) {
                let [plain, weighted] = $of(self, vectors);
                // SAFETY: the marker proves NEON.
                let totals = unsafe { [vaddvq_u32(plain), vaddvq_u32(weighted)] };
                few32::<Self, $unit, K>(totals, units)
            }
        }
    };
}

// Four bytes of each of the four vectors, with weights up to 64, 48, 32 and 16.
weighted!(Bytes, 64, 1024, bytes, 16 * 255, 4 * 255 * (64 + 48 + 32 + 16));
// Two words of each vector, with weights up to 32, 24, 16 and 8.
weighted!(Words, 32, 128, words, 8 * 65535, 2 * 65535 * (32 + 24 + 16 + 8));

/// Returns the plain and the weighted sums of the last `K` vectors of a step.
#[inline(always)]
fn bytes<const K: usize>(_proof: Neon, v: [uint8x16_t; K]) -> [uint32x4_t; 2] {
    const WEIGHTS: [[u8; 16]; 4] = weights!(64, 0, u8, 16);
    // The products of a column are added in 16 bits.
    const _: () = assert!(255 * (64 + 48 + 32 + 16) <= u16::MAX as u32);
    // SAFETY: the marker proves NEON; the loads read whole rows of weights.
    unsafe {
        let mut plain = vdupq_n_u16(0);
        let (mut low, mut high) = (plain, plain);
        for j in 0..K {
            let weights = vld1q_u8(WEIGHTS[4 - K + j].as_ptr());
            plain = vpadalq_u8(plain, v[j]);
            low = vmlal_u8(low, vget_low_u8(v[j]), vget_low_u8(weights));
            high = vmlal_high_u8(high, v[j], weights);
        }
        [vpaddlq_u16(plain), vpadalq_u16(vpaddlq_u16(low), high)]
    }
}

/// Returns the plain and the weighted sums of the words of the last `K` vectors of a step.
#[inline(always)]
fn words<const K: usize>(_proof: Neon, v: [uint8x16_t; K]) -> [uint32x4_t; 2] {
    const WEIGHTS: [[u16; 8]; 4] = weights!(32, 0, u16, 8);
    // SAFETY: the marker proves NEON; the loads read whole rows of weights.
    unsafe {
        let mut plain = vdupq_n_u32(0);
        let (mut low, mut high) = (plain, plain);
        for j in 0..K {
            let words = vreinterpretq_u16_u8(v[j]);
            let weights = vld1q_u16(WEIGHTS[4 - K + j].as_ptr());
            plain = vpadalq_u16(plain, words);
            low = vmlal_u16(low, vget_low_u16(words), vget_low_u16(weights));
            high = vmlal_high_u16(high, words, weights);
        }
        [plain, vaddq_u32(low, high)]
    }
}
