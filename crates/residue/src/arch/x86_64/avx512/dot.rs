//! Dot products of bytes, and of words, with weights.

use super::super::Avx512Vnni;
use super::super::clmul::LAST;
use super::short::{ends, long_ends, masked};
use crate::arch::ops;
use crate::arch::sums::{Bytes, Load, Unit, Weighted, Words, weights};
use core::arch::x86_64::*;

/// A dot product with small weights, added to 32-bit lanes.
pub(crate) trait Dot: Unit {
    const PER_STEP: u32;
    const BIAS: i64;
    const CENTRE: i32;
    const STEPS: usize;
    const APART_TO: usize;
    const WEIGHTS: [__m512i; 4];
    /// The units of a vector.
    const PER_VECTOR: usize = 64 / Self::BYTES;
    fn ones(proof: Avx512Vnni) -> __m512i;
    /// Returns the sums of units, in the form that the dot product takes, in some lanes.
    fn plain(proof: Avx512Vnni, units: __m512i) -> __m512i;
    /// Returns the weights of a vector: they go down from `PER_VECTOR` - `zeros`. There are fewer
    /// zeros than units in two vectors.
    fn weights(proof: Avx512Vnni, zeros: usize) -> __m512i;
    /// The most bytes that are summed as 64-bit words.
    const WORDS_TO: usize = 8 * Self::WORDS;
    /// Returns S and W of up to two vectors if there is a faster way than vectors under masks.
    #[inline(always)]
    fn one_or_two(_proof: Avx512Vnni, _data: &[u8]) -> Option<(u32, u32)> {
        None
    }
    /// Returns S and W of more than two vectors and at most four.
    fn three_or_four(proof: Avx512Vnni, data: &[u8]) -> (u32, u32);
    /// Returns the bytes of `data` from `from` on, 1 to 64 of more than 64, among zeros; and their
    /// weights, which are `weights` where the zeros are behind them.
    #[inline(always)]
    fn last(proof: Avx512Vnni, data: &[u8], from: usize, weights: __m512i) -> (__m512i, __m512i) {
        (proof.load_low(data, from), weights)
    }
    /// Converts units to the form that the dot product takes.
    fn biased(proof: Avx512Vnni, v: __m512i) -> __m512i;
    fn dot(proof: Avx512Vnni, lanes: __m512i, units: __m512i, weights: __m512i) -> __m512i;
}

/// Defines [`Dot::weights`]: a load from a table of descending numbers, whose address depends on
/// the length alone.
macro_rules! descending {
    ($int:ty, $per_vector:literal) => {
        #[inline(always)]
        fn weights(_proof: Avx512Vnni, zeros: usize) -> __m512i {
            #[repr(align(64))]
            struct Table([$int; 3 * $per_vector]);
            static TABLE: Table = {
                let mut table = [0; 3 * $per_vector];
                let mut i = 0;
                while i < table.len() {
                    table[i] = ($per_vector - i as i32) as $int;
                    i += 1;
                }
                Table(table)
            };
            debug_assert!(zeros < 2 * $per_vector);
            let from = &TABLE.0[zeros % (2 * $per_vector)..];
            // SAFETY: the marker proves AVX-512, and a vector's numbers or more are behind the
            // first two vectors'.
            unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
        }
    };
}

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
    const WORDS_TO: usize = 16;

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
