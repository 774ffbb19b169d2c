//! Vectors of 32 and 64 bytes that need more than AVX2.

use super::{carry_less, crc32c_step, ops};
use crate::arch::{ByteDot, CarryLess, CarryLessWide, Crc32cStep, WordDot, needs, tier};
use core::arch::x86_64::*;

tier!(
    /// Carry-less products of two lanes at once.
    Avx2Vpclmul,
    needs::Avx2Vpclmul,
    "avx2,bmi2,ssse3,sse4.2,pclmulqdq,vpclmulqdq"
);
tier!(
    /// Carry-less products of four lanes at once.
    Avx512Vpclmul,
    needs::Avx512Vpclmul,
    "avx2,bmi2,ssse3,sse4.2,pclmulqdq,vpclmulqdq,avx512f,avx512bw,avx512dq,avx512vl"
);
tier!(
    /// Dot products in 64-byte vectors.
    Avx512Vnni,
    needs::Avx512Vnni,
    "avx2,bmi2,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni"
);

carry_less!(Avx2Vpclmul);
carry_less!(Avx512Vpclmul);
crc32c_step!(Avx2Vpclmul);
crc32c_step!(Avx512Vpclmul);

impl CarryLessWide for Avx2Vpclmul {
    type W = __m256i;
    type Block = [u8; 32];
    const LANES: usize = 2;

    #[inline(always)]
    fn blocks(self, data: &[u8]) -> (&[[u8; 32]], &[u8]) {
        data.as_chunks()
    }

    ops! {
        fn load_wide(self, block: &[u8; 32]) -> __m256i { _mm256_loadu_si256(block.as_ptr().cast()) }
        fn first_lane(self, lane: __m128i) -> __m256i { _mm256_zextsi128_si256(lane) }
        fn all_lanes(self, lane: __m128i) -> __m256i { _mm256_broadcastsi128_si256(lane) }
        fn xor_wide(self, a: __m256i, b: __m256i) -> __m256i { _mm256_xor_si256(a, b) }
        fn fold_wide(self, v: __m256i, key: __m256i, data: __m256i) -> __m256i {
            let low = _mm256_clmulepi64_epi128::<0x00>(v, key);
            let high = _mm256_clmulepi64_epi128::<0x11>(v, key);
            _mm256_xor_si256(_mm256_xor_si256(low, high), data)
        }
        fn reverse_wide(self, v: __m256i) -> __m256i {
            let index = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            _mm256_shuffle_epi8(v, _mm256_broadcastsi128_si256(index))
        }
        fn lane(self, v: __m256i, index: usize) -> __m128i {
            if index == 0 { _mm256_castsi256_si128(v) } else { _mm256_extracti128_si256::<1>(v) }
        }
    }
}

impl CarryLessWide for Avx512Vpclmul {
    type W = __m512i;
    type Block = [u8; 64];
    const LANES: usize = 4;

    #[inline(always)]
    fn blocks(self, data: &[u8]) -> (&[[u8; 64]], &[u8]) {
        data.as_chunks()
    }

    ops! {
        fn load_wide(self, block: &[u8; 64]) -> __m512i { _mm512_loadu_si512(block.as_ptr().cast()) }
        fn first_lane(self, lane: __m128i) -> __m512i { _mm512_zextsi128_si512(lane) }
        fn all_lanes(self, lane: __m128i) -> __m512i { _mm512_broadcast_i32x4(lane) }
        fn xor_wide(self, a: __m512i, b: __m512i) -> __m512i { _mm512_xor_si512(a, b) }
        fn fold_wide(self, v: __m512i, key: __m512i, data: __m512i) -> __m512i {
            let low = _mm512_clmulepi64_epi128::<0x00>(v, key);
            let high = _mm512_clmulepi64_epi128::<0x11>(v, key);
            // 0x96 is the exclusive or of three.
            _mm512_ternarylogic_epi64::<0x96>(low, high, data)
        }
        fn reverse_wide(self, v: __m512i) -> __m512i {
            let index = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            _mm512_shuffle_epi8(v, _mm512_broadcast_i32x4(index))
        }
        fn lane(self, v: __m512i, index: usize) -> __m128i {
            match index {
                0 => _mm512_castsi512_si128(v),
                1 => _mm512_extracti32x4_epi32::<1>(v),
                2 => _mm512_extracti32x4_epi32::<2>(v),
                _ => _mm512_extracti32x4_epi32::<3>(v),
            }
        }
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
