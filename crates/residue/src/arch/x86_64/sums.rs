//! Sums of words and of bytes.

use super::{Avx2, Avx512Vnni, Sse2, ops};
use crate::arch::{ByteDot, WordDot};
use core::arch::x86_64::*;

impl WordDot for Sse2 {
    type V = __m128i;
    type Block = [u8; 16];
    const WORDS: usize = 8;

    #[inline(always)]
    fn blocks(self, data: &[u8]) -> (&[[u8; 16]], &[u8]) {
        data.as_chunks()
    }

    ops! {
        fn zero(self) -> __m128i { _mm_setzero_si128() }
        fn load(self, block: &[u8; 16]) -> __m128i {
            _mm_xor_si128(_mm_loadu_si128(block.as_ptr().cast()), _mm_set1_epi16(i16::MIN))
        }
        fn sum(self, lanes: __m128i, words: __m128i) -> __m128i {
            _mm_add_epi32(lanes, _mm_madd_epi16(words, _mm_set1_epi16(1)))
        }
        fn weigh(self, lanes: __m128i, words: __m128i) -> __m128i {
            _mm_add_epi32(lanes, _mm_madd_epi16(words, _mm_set_epi16(1, 2, 3, 4, 5, 6, 7, 8)))
        }
        fn add(self, a: __m128i, b: __m128i) -> __m128i { _mm_add_epi32(a, b) }
        fn total(self, lanes: __m128i) -> i64 {
            // Widened before they are added: two lanes near their bound would overflow.
            let sign = _mm_srai_epi32::<31>(lanes);
            let wide = _mm_add_epi64(_mm_unpacklo_epi32(lanes, sign), _mm_unpackhi_epi32(lanes, sign));
            _mm_cvtsi128_si64(_mm_add_epi64(wide, _mm_unpackhi_epi64(wide, wide)))
        }
    }
}

impl WordDot for Avx2 {
    type V = __m256i;
    type Block = [u8; 32];
    const WORDS: usize = 16;

    #[inline(always)]
    fn blocks(self, data: &[u8]) -> (&[[u8; 32]], &[u8]) {
        data.as_chunks()
    }

    ops! {
        fn zero(self) -> __m256i { _mm256_setzero_si256() }
        fn load(self, block: &[u8; 32]) -> __m256i {
            _mm256_xor_si256(_mm256_loadu_si256(block.as_ptr().cast()), _mm256_set1_epi16(i16::MIN))
        }
        fn sum(self, lanes: __m256i, words: __m256i) -> __m256i {
            _mm256_add_epi32(lanes, _mm256_madd_epi16(words, _mm256_set1_epi16(1)))
        }
        fn weigh(self, lanes: __m256i, words: __m256i) -> __m256i {
            let weights = _mm256_set_epi16(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
            _mm256_add_epi32(lanes, _mm256_madd_epi16(words, weights))
        }
        fn add(self, a: __m256i, b: __m256i) -> __m256i { _mm256_add_epi32(a, b) }
        fn total(self, lanes: __m256i) -> i64 {
            let low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(lanes));
            let high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256::<1>(lanes));
            total64(self, _mm256_add_epi64(low, high)) as i64
        }
    }
}

impl ByteDot for Avx2 {
    type V = __m256i;
    type Lanes = __m256i;
    type Block = [u8; 32];
    const BYTES: usize = 32;

    #[inline(always)]
    fn blocks(self, data: &[u8]) -> (&[[u8; 32]], &[u8]) {
        data.as_chunks()
    }

    ops! {
        fn zero(self) -> __m256i { _mm256_setzero_si256() }
        fn load(self, block: &[u8; 32]) -> __m256i { _mm256_loadu_si256(block.as_ptr().cast()) }
        fn sum(self, lanes: __m256i, bytes: __m256i) -> __m256i {
            _mm256_add_epi64(lanes, _mm256_sad_epu8(bytes, _mm256_setzero_si256()))
        }
        fn weigh(self, lanes: __m256i, bytes: __m256i) -> __m256i {
            // Pairs of products are at most 255 * (32 + 31) = 16065: no saturation.
            let weights = _mm256_set_epi8(
                1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
                17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
            );
            let pairs = _mm256_maddubs_epi16(bytes, weights);
            _mm256_add_epi32(lanes, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
        }
        fn add(self, a: __m256i, b: __m256i) -> __m256i { _mm256_add_epi64(a, b) }
        fn weigh_total(self, lanes: __m256i) -> u64 {
            let low = _mm256_cvtepu32_epi64(_mm256_castsi256_si128(lanes));
            let high = _mm256_cvtepu32_epi64(_mm256_extracti128_si256::<1>(lanes));
            total64(self, _mm256_add_epi64(low, high))
        }
    }

    #[inline(always)]
    fn sum_total(self, lanes: __m256i) -> u64 {
        total64(self, lanes)
    }
}

/// The sum of four 64-bit lanes.
#[inline(always)]
fn total64(_proof: Avx2, lanes: __m256i) -> u64 {
    // SAFETY: the marker proves AVX2.
    unsafe {
        let half =
            _mm_add_epi64(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256::<1>(lanes));
        _mm_cvtsi128_si64(_mm_add_epi64(half, _mm_unpackhi_epi64(half, half))) as u64
    }
}

impl WordDot for Avx512Vnni {
    type V = __m512i;
    type Block = [u8; 64];
    const WORDS: usize = 32;

    #[inline(always)]
    fn blocks(self, data: &[u8]) -> (&[[u8; 64]], &[u8]) {
        data.as_chunks()
    }

    ops! {
        fn zero(self) -> __m512i { _mm512_setzero_si512() }
        fn load(self, block: &[u8; 64]) -> __m512i {
            _mm512_xor_si512(_mm512_loadu_si512(block.as_ptr().cast()), _mm512_set1_epi16(i16::MIN))
        }
        fn sum(self, lanes: __m512i, words: __m512i) -> __m512i {
            _mm512_dpwssd_epi32(lanes, words, _mm512_set1_epi16(1))
        }
        fn weigh(self, lanes: __m512i, words: __m512i) -> __m512i {
            let weights = _mm512_set_epi16(
                1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
                17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
            );
            _mm512_dpwssd_epi32(lanes, words, weights)
        }
        fn add(self, a: __m512i, b: __m512i) -> __m512i { _mm512_add_epi32(a, b) }
        fn total(self, lanes: __m512i) -> i64 {
            let low = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(lanes));
            let high = _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64::<1>(lanes));
            _mm512_reduce_add_epi64(_mm512_add_epi64(low, high))
        }
    }
}

impl ByteDot for Avx512Vnni {
    type V = __m512i;
    type Lanes = __m512i;
    type Block = [u8; 64];
    const BYTES: usize = 64;

    #[inline(always)]
    fn blocks(self, data: &[u8]) -> (&[[u8; 64]], &[u8]) {
        data.as_chunks()
    }

    ops! {
        fn zero(self) -> __m512i { _mm512_setzero_si512() }
        fn load(self, block: &[u8; 64]) -> __m512i { _mm512_loadu_si512(block.as_ptr().cast()) }
        fn sum(self, lanes: __m512i, bytes: __m512i) -> __m512i {
            _mm512_dpbusd_epi32(lanes, bytes, _mm512_set1_epi8(1))
        }
        fn weigh(self, lanes: __m512i, bytes: __m512i) -> __m512i {
            let weights = _mm512_set_epi8(
                1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
                17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
                33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48,
                49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64,
            );
            _mm512_dpbusd_epi32(lanes, bytes, weights)
        }
        fn add(self, a: __m512i, b: __m512i) -> __m512i { _mm512_add_epi32(a, b) }
        fn sum_total(self, lanes: __m512i) -> u64 {
            let low = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(lanes));
            let high = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64::<1>(lanes));
            _mm512_reduce_add_epi64(_mm512_add_epi64(low, high)) as u64
        }
    }

    #[inline(always)]
    fn weigh_total(self, lanes: __m512i) -> u64 {
        self.sum_total(lanes)
    }
}
