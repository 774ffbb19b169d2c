//! Sums of bytes in 16-byte vectors, by SSSE3's multiply-add.

use super::Ssse3;
use crate::arch::sums::{Bytes, Load, Weighted, few32, low_words, weights};
use crate::arch::{ops, vectors};
use core::arch::x86_64::*;

impl Load for Ssse3 {
    vectors!(
        __m128i, 16, false; _mm_setzero_si128(); |block| _mm_loadu_si128(block.as_ptr().cast())
    );

    /// Loads the vector at `from`, or the last one of the data if that comes earlier, moved down by
    /// a shuffle.
    #[inline(always)]
    fn load_low(self, data: &[u8], from: usize) -> __m128i {
        let start = from.min(data.len().wrapping_sub(16));
        match data.get(start..).and_then(|rest| rest.first_chunk()) {
            Some(block) => {
                let down = (from - start).min(16) as i8;
                // SAFETY: the marker proves SSSE3. Places from 16 on have the top bit set, which
                // makes a shuffle write zero.
                unsafe {
                    let places =
                        _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
                    let places = _mm_add_epi8(places, _mm_set1_epi8(0x70));
                    let places = _mm_add_epi8(places, _mm_set1_epi8(down));
                    _mm_shuffle_epi8(self.load(block), places)
                }
            }
            None => {
                let [low, high] = low_words(data, from);
                // SAFETY: the marker proves SSE2.
                unsafe { _mm_set_epi64x(high as i64, low as i64) }
            }
        }
    }
}

/// The sums of a step and of the steps before it.
///
/// All but the weighted sums have 64-bit lanes (`psadbw`).
#[derive(Clone, Copy)]
pub(crate) struct Sums {
    plain: __m128i,
    earlier: __m128i,
    weighted: __m128i,
}

impl Weighted<Bytes> for Ssse3 {
    type Sums = Sums;
    const BIAS: i64 = 0;
    const CENTRE: i32 = 32;
    const STEPS: usize = {
        const STEPS: usize = 16384;
        // A lane takes four bytes of each vector; the absolute values of their weights add up to
        // 256 at most.
        assert!(255 * 256 * STEPS as u64 <= i32::MAX as u64);
        STEPS
    };

    ops! {
        fn zero(self) -> Sums {
            let zero = _mm_setzero_si128();
            Sums { plain: zero, earlier: zero, weighted: zero }
        }
        fn step(self, sums: Sums, v: [__m128i; 4]) -> Sums {
            let [plain, weighted] = bytes(self, v);
            Sums {
                plain: _mm_add_epi64(sums.plain, plain),
                earlier: _mm_add_epi64(sums.earlier, sums.plain),
                weighted: _mm_add_epi32(sums.weighted, weighted),
            }
        }
        fn totals64(self, sums: Sums) -> [i64; 2] {
            let sign = _mm_srai_epi32::<31>(sums.weighted);
            let weighted = _mm_add_epi64(
                _mm_unpacklo_epi32(sums.weighted, sign),
                _mm_unpackhi_epi32(sums.weighted, sign),
            );
            let weighted = _mm_add_epi64(weighted, _mm_slli_epi64::<6>(sums.earlier));
            let both = _mm_add_epi64(
                _mm_unpacklo_epi64(sums.plain, weighted),
                _mm_unpackhi_epi64(sums.plain, weighted),
            );
            [_mm_cvtsi128_si64(both), _mm_cvtsi128_si64(_mm_unpackhi_epi64(both, both))]
        }
    }

    #[inline(always)]
    fn totals32(self, sums: Sums) -> [u32; 2] {
        self.totals64(sums).map(|sum| sum as u32)
    }

    #[inline(always)]
    fn few<const K: usize>(self, vectors: [__m128i; K], units: usize) -> (u32, u32) {
        let [plain, weighted] = bytes(self, vectors);
        let totals = self.totals32(Sums { plain, weighted, earlier: self.null() });
        few32::<Self, Bytes, K>(totals, units)
    }
}

/// Returns the plain (64-bit lanes) and the weighted sums (32-bit lanes) of the last `K` vectors of
/// a step.
#[inline(always)]
fn bytes<const K: usize>(proof: Ssse3, v: [__m128i; K]) -> [__m128i; 2] {
    const BYTES: [[i8; 16]; 4] = weights!(64, 32, i8, 16);
    // SAFETY: any bytes make a vector, and the sizes are equal.
    const WEIGHTS: [__m128i; 4] =
        unsafe { core::mem::transmute::<[[i8; 16]; 4], [__m128i; 4]>(BYTES) };
    // Products are added by pairs in 16 bits, which hold those of all four vectors: of the positive
    // weights, and of the negative.
    const _: () = assert!(255 * (32 + 31 + 16 + 15) <= i16::MAX as i32);
    const _: () = assert!(255 * (14 + 15 + 30 + 31) <= i16::MAX as i32);
    let (mut plain, mut pairs) = (proof.null(), proof.null());
    for j in 0..K {
        // SAFETY: the marker proves SSSE3.
        unsafe {
            plain = _mm_add_epi64(plain, _mm_sad_epu8(v[j], _mm_setzero_si128()));
            pairs = _mm_add_epi16(pairs, _mm_maddubs_epi16(v[j], WEIGHTS[4 - K + j]));
        }
    }
    // SAFETY: as above.
    [plain, unsafe { _mm_madd_epi16(pairs, _mm_set1_epi16(1)) }]
}
