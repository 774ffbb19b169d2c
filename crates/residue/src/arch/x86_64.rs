//! x86-64: markers and their operations.

use super::{ByteDot, CarryLess, Crc32cStep, WordDot, needs, tier};
#[cfg(not(miri))]
use core::arch::asm;
use core::arch::x86_64::*;

mod wide;
pub(crate) use wide::{Avx2Vpclmul, Avx512Vnni, Avx512Vpclmul};

tier!(
    /// The x86-64 baseline.
    Sse2, needs::Sse2, "sse2"
);
tier!(
    /// The CRC-32C instruction.
    Sse42, needs::Sse42, "sse4.2"
);
tier!(
    /// Carry-less products, with the byte shuffles of SSSE3.
    Pclmul, needs::Pclmul, "sse2,ssse3,pclmulqdq"
);
tier!(
    /// The CRC-32C instruction beside carry-less products.
    Sse42Pclmul,
    needs::Sse42Pclmul,
    "sse2,ssse3,sse4.2,pclmulqdq"
);
tier!(
    /// 32-byte integer vectors.
    Avx2, needs::Avx2, "avx2,bmi2"
);

/// XCR0: which registers the operating system saves. Bits 1 and 2: ymm; 5, 6 and 7: zmm. Zero without XGETBV.
#[cfg(not(miri))]
pub(crate) fn saved_state() -> u64 {
    let osxsave = __cpuid(1).ecx >> 27 & 1 == 1;
    if !osxsave {
        return 0;
    }
    let (low, high): (u32, u32);
    // SAFETY: OSXSAVE says that the CPU has XGETBV and the operating system has switched it on; register 0 always exists.
    // It reads ecx and writes the two outputs, nothing else.
    unsafe {
        asm!(
            "xgetbv",
            in("ecx") 0, out("eax") low, out("edx") high,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    u64::from(high) << 32 | u64::from(low)
}

/// Methods whose body is one `unsafe` expression of intrinsics the marker proves.
macro_rules! ops {
    ($($(#[$attr:meta])* fn $name:ident($this:ident $(, $arg:ident: $ty:ty)*) -> $ret:ty { $($body:tt)* })*) => {
        $($(#[$attr])* #[inline(always)]
        fn $name($this $(, $arg: $ty)*) -> $ret {
            // SAFETY: the marker exists, so the CPU has the features of its tier, which the intrinsics below need; memory
            // is read only through the reference given, which covers what the load reads.
            unsafe { $($body)* }
        })*
    };
}
use ops;

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
use crc32c_step;

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
use carry_less;

carry_less!(Pclmul);
carry_less!(Sse42Pclmul);

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
