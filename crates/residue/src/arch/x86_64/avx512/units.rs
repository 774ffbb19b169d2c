//! Dot products of bytes and of words, and the sums of short data: exact weights, and no loop.

use super::super::Avx512Vnni;
use super::super::clmul::LAST;
use super::dot::{Dot, descending};
use super::lanes::{both32, four};
use crate::arch::ops;
use crate::arch::sums::{Bytes, Load, Unit, Weighted, Words, weights};
use core::arch::x86_64::*;

impl Dot for Bytes {
    const PER_STEP: u32 = 256;
    const BIAS: i64 = 0;
    /// The weights then range from 127 down to -128, which just fits signed bytes.
    const CENTRE: i32 = 129;
    const STEPS: usize = 1024;
    const APART_TO: usize = 1 << 16;
    const WEIGHTS: [__m512i; 4] = {
        const BYTES: [[i8; 64]; 4] = weights!(256, 129, i8, 64);
        // SAFETY: any bytes make a vector, and the sizes are equal.
        unsafe { core::mem::transmute::<[[i8; 64]; 4], [__m512i; 4]>(BYTES) }
    };
    descending!(i8, 64);

    /// Only two lengths, those of numbers and of addresses. Words are there sooner than vectors,
    /// but where lengths vary, each branch on them mispredicts.
    ///
    /// With words for all of 8 to 16 bytes, Adler-32 of 1 to 20 bytes took 9.6 ns on Zen 4
    /// (2026-11-28), without any 5.1; one call of 8 bytes after another took 5.2 with words, each
    /// waiting for the one before, and 11.3 without.
    const ONE_OR_TWO_WORDS: bool = true;

    #[inline(always)]
    fn one_or_two(proof: Avx512Vnni, data: &[u8]) -> Option<(u32, u32)> {
        Some(if data.len() <= 64 { masked(proof, data) } else { ends(proof, data) })
    }

    #[inline(always)]
    fn three_or_four(proof: Avx512Vnni, data: &[u8]) -> (u32, u32) {
        long_ends(proof, data)
    }

    /// Takes the last 64 bytes, which are there sooner than bytes under a mask register.
    #[inline(always)]
    fn last(proof: Avx512Vnni, data: &[u8], from: usize, _: __m512i) -> (__m512i, __m512i) {
        let bytes = data.len().wrapping_sub(from);
        let last = proof.load(data.last_chunk().unwrap_or(&[0; 64]));
        let kept = proof.load(LAST[bytes..].first_chunk().unwrap_or(&[0; 64]));
        // SAFETY: the marker proves AVX-512.
        (unsafe { _mm512_and_si512(last, kept) }, Self::weights(proof, 0))
    }

    ops! {
        fn ones(_proof: Avx512Vnni) -> __m512i { _mm512_set1_epi8(1) }
        fn plain(_proof: Avx512Vnni, units: __m512i) -> __m512i {
            _mm512_sad_epu8(units, _mm512_setzero_si512())
        }
        fn dot(_proof: Avx512Vnni, lanes: __m512i, units: __m512i, weights: __m512i) -> __m512i {
            _mm512_dpbusd_epi32(lanes, units, weights)
        }
    }

    #[inline(always)]
    fn biased(_proof: Avx512Vnni, v: __m512i) -> __m512i {
        v
    }
}

impl Dot for Words {
    const PER_STEP: u32 = 128;
    const BIAS: i64 = 32768;
    const CENTRE: i32 = 64;
    const STEPS: usize = 128;
    const APART_TO: usize = 1 << 11;
    const WEIGHTS: [__m512i; 4] = {
        const WORDS: [[i16; 32]; 4] = weights!(128, 64, i16, 32);
        // SAFETY: any bytes make a vector, and the sizes are equal.
        unsafe { core::mem::transmute::<[[i16; 32]; 4], [__m512i; 4]>(WORDS) }
    };
    descending!(i16, 32);

    #[inline(always)]
    fn three_or_four(proof: Avx512Vnni, data: &[u8]) -> (u32, u32) {
        let vectors = proof.load_3_or_4(data);
        Weighted::<Words>::few(proof, vectors, data.len().div_ceil(Self::BYTES))
    }

    ops! {
        fn ones(_proof: Avx512Vnni) -> __m512i { _mm512_set1_epi16(1) }
        fn plain(_proof: Avx512Vnni, units: __m512i) -> __m512i {
            _mm512_dpwssd_epi32(_mm512_setzero_si512(), units, _mm512_set1_epi16(1))
        }
        fn biased(_proof: Avx512Vnni, v: __m512i) -> __m512i {
            _mm512_xor_si512(v, _mm512_set1_epi16(i16::MIN))
        }
        fn dot(_proof: Avx512Vnni, lanes: __m512i, units: __m512i, weights: __m512i) -> __m512i {
            _mm512_dpwssd_epi32(lanes, units, weights)
        }
    }
}

// Four signed lanes are added in 32 bits before they are widened.
const _: () = {
    const fn fits(dot_by_one: u64, weighed: u64, steps: usize) -> bool {
        let m = steps as u64;
        let limit = i32::MAX as u64;
        4 * dot_by_one * m * (m - 1) / 2 <= limit
            && 4 * dot_by_one * m <= limit
            && weighed * m <= limit
    }
    // Four bytes to a lane, and in a step 4 * 4 of them with weights of at most 128.
    assert!(fits(4 * 255, 16 * 255 * 128, <Bytes as Dot>::STEPS));
    // Two words to a lane, and in a step 4 * 2 of them, with weights whose absolute values add up
    // to 256 at most.
    assert!(fits(2 * 32768, 32768 * 256, <Words as Dot>::STEPS));
};

// The sums of all lanes, of no more than `APART_TO` units.
const _: () = {
    const fn fits(plain: u64, weighed: u64, steps: usize) -> bool {
        let m = steps as u64;
        plain * m * (m - 1) / 2 <= i32::MAX as u64 && weighed * m <= i32::MAX as u64
    }
    // The weights of bytes are 127 to -128, those of words 64 to -63; a word is -32768 to 32767.
    let bytes = <Bytes as Dot>::APART_TO / <Bytes as Dot>::PER_STEP as usize;
    assert!(fits(255 * 256, 255 * (128 * 129 / 2), bytes));
    let words = <Words as Dot>::APART_TO / <Words as Dot>::PER_STEP as usize;
    assert!(fits(32768 * 128, 32768 * (64 * 65 / 2) + 32767 * (63 * 64 / 2), words));
};

/// Weights from 64 down to 1, and zeros; ones, and zeros.
///
/// From place 64 - n on, they weight n bytes.
#[repr(align(64))]
struct Halves([i8; 128]);

static DOWN: Halves = {
    let mut weights = [0; 128];
    let mut i = 0;
    while i < 64 {
        weights[i] = 64 - i as i8;
        i += 1;
    }
    Halves(weights)
};

static ONES: Halves = {
    let mut weights = [0; 128];
    let mut i = 0;
    while i < 64 {
        weights[i] = 1;
        i += 1;
    }
    Halves(weights)
};

/// Returns S and W of up to 64 bytes, loaded under masks as two vectors.
///
/// No branch depends on the length. Two vectors of 32 bytes have fewer levels of additions than one
/// of 64.
#[inline(always)]
fn masked(proof: Avx512Vnni, data: &[u8]) -> (u32, u32) {
    let n = data.len();
    debug_assert!(n <= 64);
    let from = 64_usize.wrapping_sub(n) % 64;
    // A load without any byte has an address inside, or that of the table: one in an absent page
    // would be slow.
    let first = if n == 0 { DOWN.0.as_ptr().cast() } else { data.as_ptr() };
    let second = first.wrapping_add(if n > 32 { 32 } else { 0 });
    // SAFETY: the marker proves BMI2 and AVX-512. BZHI leaves as many ones as there are bytes, and
    // loads under a mask read no others; the loads of weights read 64 of 128 from 63 at most.
    unsafe {
        let mask = _bzhi_u64(u64::MAX, n as u32);
        let down = DOWN.0.as_ptr().add(from);
        let v = _mm256_maskz_loadu_epi8(mask as u32, first.cast());
        let w = _mm256_maskz_loadu_epi8((mask >> 32) as u32, second.cast());
        let zero = _mm256_setzero_si256();
        let plain = _mm256_add_epi32(_mm256_sad_epu8(v, zero), _mm256_sad_epu8(w, zero));
        let weighted = _mm256_add_epi32(
            _mm256_dpbusd_epi32(zero, v, _mm256_loadu_si256(down.cast())),
            _mm256_dpbusd_epi32(zero, w, _mm256_loadu_si256(down.add(32).cast())),
        );
        totals(proof, plain, weighted)
    }
}

/// Returns S and W of 65 to 128 bytes: of the first 64 and of the last 64. Bytes in both count
/// once.
///
/// Vectors of 32 bytes need no masks and fewer levels of additions than longer ones. The weights of
/// the first half leave out 64, which counts once for each of its bytes.
#[inline(always)]
fn ends(proof: Avx512Vnni, data: &[u8]) -> (u32, u32) {
    let from = 128_usize.wrapping_sub(data.len()) % 64;
    let (Some(first), Some(last)) = (data.first_chunk::<64>(), data.last_chunk::<64>()) else {
        return (0, 0);
    };
    // SAFETY: the marker proves AVX-512; the loads read the 64 bytes of a half, or 64 of the 128 of
    // a table, from `from` (63 at most) or 0 on.
    unsafe {
        let (first, last) = (first.as_ptr(), last.as_ptr());
        let (down, ones) = (DOWN.0.as_ptr(), ONES.0.as_ptr());
        let zero = _mm256_setzero_si256();
        let (mut before, mut plain, mut weighted) = (zero, zero, zero);
        for at in [0, 32] {
            let v = _mm256_loadu_si256(first.add(at).cast());
            let w = _mm256_loadu_si256(last.add(at).cast());
            let ones = _mm256_loadu_si256(ones.add(from + at).cast());
            before = _mm256_add_epi32(before, _mm256_dpbusd_epi32(zero, v, ones));
            plain = _mm256_add_epi32(plain, _mm256_sad_epu8(w, zero));
            let v = _mm256_dpbusd_epi32(zero, v, _mm256_loadu_si256(down.add(from + at).cast()));
            let w = _mm256_dpbusd_epi32(zero, w, _mm256_loadu_si256(down.add(at).cast()));
            weighted = _mm256_add_epi32(weighted, _mm256_add_epi32(v, w));
        }
        weighted = _mm256_add_epi32(weighted, _mm256_slli_epi32::<6>(before));
        totals(proof, _mm256_add_epi32(plain, before), weighted)
    }
}

/// Returns S and W of 129 to 256 bytes: of the first 128 and of the last 128. Bytes in both count
/// once.
#[inline(always)]
fn long_ends(proof: Avx512Vnni, data: &[u8]) -> (u32, u32) {
    /// From place n - 128 on: ones for the bytes of the last 128 that are not among the first.
    #[repr(align(64))]
    struct Table([u8; 256]);
    static KEPT: Table = {
        let mut kept = [0; 256];
        let mut i = 128;
        while i < kept.len() {
            kept[i] = 0xff;
            i += 1;
        }
        Table(kept)
    };
    let n = data.len();
    let (Some(first), Some(last), Some(kept)) = (
        data.first_chunk::<128>(),
        data.last_chunk::<128>(),
        KEPT.0[n.wrapping_sub(128) % 129..].first_chunk::<128>(),
    ) else {
        return (0, 0);
    };
    let ([a, b], [c, d], [e, f]) = (first.as_chunks().0, last.as_chunks().0, kept.as_chunks().0)
    else {
        return (0, 0);
    };
    // The weights of the last vector, and those of the first two: a vector adds its sum besides, 64
    // times for each vector behind it.
    let (exact, early) = (
        <Bytes as Dot>::weights(proof, 0),
        <Bytes as Dot>::weights(proof, 256_usize.wrapping_sub(n)),
    );
    // SAFETY: the marker proves AVX-512.
    unsafe {
        let (a, b) = (proof.load(a), proof.load(b));
        let c = _mm512_and_si512(proof.load(c), proof.load(e));
        let d = _mm512_and_si512(proof.load(d), proof.load(f));
        let zero = _mm512_setzero_si512();
        let weighted = four(
            proof,
            [
                _mm512_dpbusd_epi32(zero, a, early),
                _mm512_dpbusd_epi32(zero, b, early),
                _mm512_dpbusd_epi32(zero, c, exact),
                _mm512_dpbusd_epi32(zero, d, exact),
            ],
        );
        let (a, b) = (_mm512_sad_epu8(a, zero), _mm512_sad_epu8(b, zero));
        let (c, d) = (_mm512_sad_epu8(c, zero), _mm512_sad_epu8(d, zero));
        // a + b; then 3 a + 2 b + c.
        let two = _mm512_add_epi32(a, b);
        let earlier = _mm512_add_epi32(_mm512_add_epi32(two, c), _mm512_add_epi32(two, a));
        let plain = _mm512_add_epi32(two, _mm512_add_epi32(c, d));
        let weighted = _mm512_add_epi32(weighted, _mm512_slli_epi32::<6>(earlier));
        let [plain, weighted] = both32(proof, plain, weighted);
        (plain, weighted)
    }
}

/// Returns the sums of all lanes of two vectors, by one tree for both.
#[inline(always)]
fn totals(_proof: Avx512Vnni, a: __m256i, b: __m256i) -> (u32, u32) {
    // SAFETY: the marker proves AVX-512.
    let both = unsafe {
        let mixed = _mm256_add_epi32(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
        let high = _mm256_extracti128_si256::<1>(mixed);
        let sum = _mm_add_epi32(_mm256_castsi256_si128(mixed), high);
        _mm_cvtsi128_si64(_mm_add_epi32(sum, _mm_unpackhi_epi64(sum, sum))) as u64
    };
    (both as u32, (both >> 32) as u32)
}
