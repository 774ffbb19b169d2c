//! Sums of words and of bytes in 16-byte vectors.

use super::Sse2;
use super::words::weighted_words;
use crate::arch::sums::{Load, Weighted, WordSum, Words, few32, low_words, weights};
use crate::arch::{ops, vectors};
use core::arch::x86_64::*;

impl Load for Sse2 {
    vectors!(
        __m128i, 16, false; _mm_setzero_si128(); |block| _mm_loadu_si128(block.as_ptr().cast())
    );

    #[inline(always)]
    fn load_low(self, data: &[u8], from: usize) -> __m128i {
        let [low, high] = low_words(data, from);
        // SAFETY: the marker proves SSE2.
        unsafe { _mm_set_epi64x(high as i64, low as i64) }
    }
}

/// Measured on a Zen 3 core on 2026-11-21, by throughput and by latency, and for random lengths.
///
/// Commands: `residue bench -a internet -k adc,sse2,avx2 --sizes 96,128,160,192,224,255`, and with
/// `--mode latency`, and with `--mixed 128..256`.
const WORDS_TO: usize = 192;

impl WordSum for Sse2 {
    type Lanes = __m128i;
    const BIAS: i32 = 32768;
    const WORDS_TO: usize = WORDS_TO;
    type Narrow = Self;

    #[inline(always)]
    fn narrow(self) -> Self {
        self
    }

    ops! {
        fn lanes(self, each: i32) -> __m128i { _mm_set1_epi32(each) }
        fn sum(self, lanes: __m128i, words: __m128i, twice: bool) -> __m128i {
            let weights = _mm_set1_epi32(if twice { 0x0001_0002 } else { 0x0001_0001 });
            _mm_add_epi32(lanes, _mm_madd_epi16(biased(self, words), weights))
        }
        fn add(self, a: __m128i, b: __m128i) -> __m128i { _mm_add_epi32(a, b) }
        fn packed(self, lanes: __m128i) -> u64 {
            _mm_cvtsi128_si64(_mm_add_epi32(lanes, _mm_unpackhi_epi64(lanes, lanes))) as u64
        }
        fn total(self, lanes: __m128i) -> u64 {
            let wide = wide(self, lanes);
            _mm_cvtsi128_si64(_mm_add_epi64(wide, _mm_unpackhi_epi64(wide, wide))) as u64
        }
        fn columns(self, even: __m128i, odd: __m128i) -> u64 {
            let high = _mm_srli_epi64::<32>;
            let first = _mm_mul_epu32(even, _mm_setr_epi32(1 << 14, 0, 1 << 10, 0));
            let second = _mm_mul_epu32(high(even), _mm_setr_epi32(1 << 12, 0, 1 << 8, 0));
            let third = _mm_mul_epu32(odd, _mm_setr_epi32(1 << 6, 0, 1 << 2, 0));
            let fourth = _mm_mul_epu32(high(odd), _mm_setr_epi32(1 << 4, 0, 1, 0));
            let sum = _mm_add_epi64(_mm_add_epi64(first, second), _mm_add_epi64(third, fourth));
            _mm_cvtsi128_si64(_mm_add_epi64(sum, _mm_unpackhi_epi64(sum, sum))) as u64
        }
    }
}

/// Returns words, each less 32768.
#[inline(always)]
fn biased(_proof: Sse2, words: __m128i) -> __m128i {
    // SAFETY: the marker proves SSE2.
    unsafe { _mm_xor_si128(words, _mm_set1_epi16(i16::MIN)) }
}

/// Adds four signed 32-bit lanes to two of 64 bits with the same sum.
#[inline(always)]
fn wide(_proof: Sse2, lanes: __m128i) -> __m128i {
    // SAFETY: the marker proves SSE2.
    unsafe {
        let sign = _mm_srai_epi32::<31>(lanes);
        _mm_add_epi64(_mm_unpacklo_epi32(lanes, sign), _mm_unpackhi_epi32(lanes, sign))
    }
}

/// Returns the sums of all 32-bit lanes of two vectors, by one tree for both.
#[inline(always)]
fn both32(_proof: Sse2, a: __m128i, b: __m128i) -> [u32; 2] {
    // SAFETY: the marker proves SSE2.
    let both = unsafe {
        let mixed = _mm_add_epi32(_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b));
        _mm_cvtsi128_si64(_mm_add_epi32(mixed, _mm_unpackhi_epi64(mixed, mixed))) as u64
    };
    [both as u32, (both >> 32) as u32]
}

/// Returns the sums of all 64-bit lanes of two vectors, by one tree for both.
#[inline(always)]
fn both64(_proof: Sse2, a: __m128i, b: __m128i) -> [i64; 2] {
    // SAFETY: the marker proves SSE2.
    unsafe {
        let both = _mm_add_epi64(_mm_unpacklo_epi64(a, b), _mm_unpackhi_epi64(a, b));
        [_mm_cvtsi128_si64(both), _mm_cvtsi128_si64(_mm_unpackhi_epi64(both, both))]
    }
}

/// The sums of a step and of the steps before it.
#[derive(Clone, Copy)]
pub(crate) struct Sums {
    plain: __m128i,
    earlier: __m128i,
    weighted: __m128i,
}

weighted_words!(
    Sse2, __m128i, 32 - 16, 8, 5;
    _mm_setzero_si128 _mm_madd_epi16 _mm_set1_epi16 _mm_add_epi32 _mm_add_epi64 _mm_slli_epi32
    _mm_slli_epi64
);
