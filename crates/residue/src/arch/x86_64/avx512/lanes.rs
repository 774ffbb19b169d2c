//! Sums of the lanes of vectors.

use super::super::Avx512Vnni;
use core::arch::x86_64::*;

/// Adds sixteen 32-bit lanes to two: those of even number, and those of odd number.
#[inline(always)]
pub(super) fn halved(_proof: Avx512Vnni, lanes: __m512i) -> __m128i {
    // SAFETY: the marker proves AVX-512.
    unsafe {
        let half =
            _mm256_add_epi32(_mm512_castsi512_si256(lanes), _mm512_extracti64x4_epi64::<1>(lanes));
        let quarter =
            _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half));
        _mm_add_epi32(quarter, _mm_unpackhi_epi64(quarter, quarter))
    }
}

/// Returns the sums of all lanes of two vectors, by one tree for both.
#[inline(always)]
pub(super) fn both32(proof: Avx512Vnni, a: __m512i, b: __m512i) -> [u32; 2] {
    // SAFETY: the marker proves AVX-512.
    let both = unsafe {
        let mixed = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
        _mm_cvtsi128_si64(halved(proof, mixed)) as u64
    };
    [both as u32, (both >> 32) as u32]
}

/// Returns the sums of all lanes of three vectors, by one tree for all.
#[inline(always)]
pub(super) fn three32(_proof: Avx512Vnni, a: __m512i, b: __m512i, c: __m512i) -> [i32; 3] {
    // SAFETY: the marker proves AVX-512.
    unsafe {
        let zero = _mm512_setzero_si512();
        let ab = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
        let c = _mm512_add_epi32(_mm512_unpacklo_epi32(c, zero), _mm512_unpackhi_epi32(c, zero));
        let abc = _mm512_add_epi32(_mm512_unpacklo_epi64(ab, c), _mm512_unpackhi_epi64(ab, c));
        let half =
            _mm256_add_epi32(_mm512_castsi512_si256(abc), _mm512_extracti64x4_epi64::<1>(abc));
        let quarter =
            _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half));
        let ab = _mm_cvtsi128_si64(quarter);
        [ab as i32, (ab >> 32) as i32, _mm_extract_epi32::<2>(quarter)]
    }
}

/// Returns the sums of all 64-bit lanes of two vectors, by one tree for both.
#[inline(always)]
pub(super) fn both64(_proof: Avx512Vnni, a: __m512i, b: __m512i) -> [i64; 2] {
    // SAFETY: the marker proves AVX-512.
    unsafe {
        let mixed = _mm512_add_epi64(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
        let half =
            _mm256_add_epi64(_mm512_castsi512_si256(mixed), _mm512_extracti64x4_epi64::<1>(mixed));
        let quarter =
            _mm_add_epi64(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half));
        [_mm_cvtsi128_si64(quarter), _mm_extract_epi64::<1>(quarter)]
    }
}

/// Returns the sum of four vectors of 32-bit lanes.
#[inline(always)]
pub(super) fn four(_proof: Avx512Vnni, v: [__m512i; 4]) -> __m512i {
    // SAFETY: the marker proves AVX-512.
    unsafe { _mm512_add_epi32(_mm512_add_epi32(v[0], v[1]), _mm512_add_epi32(v[2], v[3])) }
}

/// Adds sixteen signed 32-bit lanes to eight of 64 bits with the same sum.
#[inline(always)]
pub(super) fn wide(_proof: Avx512Vnni, lanes: __m512i) -> __m512i {
    // SAFETY: the marker proves AVX-512.
    unsafe {
        let low = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(lanes));
        let high = _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64::<1>(lanes));
        _mm512_add_epi64(low, high)
    }
}
