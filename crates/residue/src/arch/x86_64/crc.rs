//! The CRC-32C instruction and carry-less products.

use super::{Avx2Vpclmul, Avx512Vpclmul, Pclmul, Sse42, Sse42Pclmul, ops};
use crate::arch::{CarryLess, CarryLessWide, Crc32cStep};
use core::arch::x86_64::*;

macro_rules! crc32c_step {
    ($tier:ty) => {
        impl Crc32cStep for $tier {
            ops! {
                fn step8(self, state: u32, word: u64) -> u32 { _mm_crc32_u64(u64::from(state), word) as u32 }
                fn step4(self, state: u32, word: u32) -> u32 { _mm_crc32_u32(state, word) }
                fn step2(self, state: u32, word: u16) -> u32 { _mm_crc32_u16(state, word) }
                fn step1(self, state: u32, byte: u8) -> u32 { _mm_crc32_u8(state, byte) }
            }
        }
    };
}

crc32c_step!(Sse42);
crc32c_step!(Sse42Pclmul);

macro_rules! carry_less {
    ($tier:ty) => {
        impl CarryLess for $tier {
            type V = __m128i;
            ops! {
                fn load(self, bytes: &[u8; 16]) -> __m128i { _mm_loadu_si128(bytes.as_ptr().cast()) }
                fn lane_of(self, lane: u128) -> __m128i { _mm_set_epi64x((lane >> 64) as i64, lane as i64) }
                fn bits_of(self, lane: __m128i) -> u128 {
                    let low = _mm_cvtsi128_si64(lane) as u64;
                    let high = _mm_cvtsi128_si64(_mm_unpackhi_epi64(lane, lane)) as u64;
                    u128::from(high) << 64 | u128::from(low)
                }
                fn xor(self, a: __m128i, b: __m128i) -> __m128i { _mm_xor_si128(a, b) }
                fn fold(self, v: __m128i, key: __m128i, data: __m128i) -> __m128i {
                    let low = _mm_clmulepi64_si128::<0x00>(v, key);
                    let high = _mm_clmulepi64_si128::<0x11>(v, key);
                    _mm_xor_si128(_mm_xor_si128(low, high), data)
                }
                fn reverse(self, v: __m128i) -> __m128i {
                    _mm_shuffle_epi8(v, _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
                }
                fn shuffle(self, v: __m128i, index: &[u8; 16]) -> __m128i {
                    _mm_shuffle_epi8(v, _mm_loadu_si128(index.as_ptr().cast()))
                }
                fn mul(self, a: u64, b: u64) -> u128 {
                    let product = _mm_clmulepi64_si128::<0x00>(_mm_cvtsi64_si128(a as i64), _mm_cvtsi64_si128(b as i64));
                    self.bits_of(product)
                }
            }
        }
    };
}

carry_less!(Pclmul);
carry_less!(Sse42Pclmul);
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
