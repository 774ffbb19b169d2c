//! Sums of words and of bytes in 64-byte vectors.

use super::{Avx2, Avx512Vnni, Avx512Vnni32};
use super::clmul::prefetch;
use crate::arch::sums::{Load, Weighted, WordSum, after};
use crate::arch::{ops, vectors};
use crate::cpu::ReadAhead;
use core::arch::x86_64::*;
use dot::{Dot, ExactSums};
use lanes::{both32, both64, four, halved, three32, wide};

mod dot;
mod lanes;
mod units;

impl Load for Avx512Vnni {
    vectors!(
        __m512i, 64, true; _mm512_setzero_si512(); |block| _mm512_loadu_si512(block.as_ptr().cast())
    );
    const AHEAD: Option<ReadAhead> = Some(ReadAhead::Cached);

    #[inline(always)]
    fn prefetch<B>(self, block: &B) {
        prefetch(block, ReadAhead::Cached);
    }

    #[inline(always)]
    fn load_low(self, data: &[u8], from: usize) -> __m512i {
        let data = after(data, from);
        debug_assert!(data.len() < 256);
        // SAFETY: the marker proves BMI2 and AVX-512. BZHI takes the length's lowest eight bits and
        // leaves that many ones, 64 at most: never more than there are bytes, and a load under a
        // mask reads no others.
        unsafe {
            let mask = _bzhi_u64(u64::MAX, data.len() as u32);
            _mm512_maskz_loadu_epi8(mask, data.as_ptr().cast())
        }
    }
}

impl WordSum for Avx512Vnni {
    type Lanes = __m512i;
    const BIAS: i32 = 32768;
    /// The limit, measured on a Xeon (Emerald Rapids) on 2026-11-23.
    ///
    /// Up to this length 64-bit words have a little more than half of the latency of vectors under
    /// masks, which are faster for random lengths.
    const WORDS_TO: usize = 96;
    type Narrow = Avx512Vnni32;
    const NARROWS: bool = true;
    const IN_STREAMS: bool = true;

    #[inline(always)]
    fn narrow(self) -> Avx512Vnni32 {
        Avx512Vnni32::within(self)
    }

    ops! {
        fn lanes(self, each: i32) -> __m512i { _mm512_set1_epi32(each) }
        fn sum(self, lanes: __m512i, words: __m512i, twice: bool) -> __m512i {
            let words = _mm512_xor_si512(words, _mm512_set1_epi16(i16::MIN));
            let weights = _mm512_set1_epi32(if twice { 0x0001_0002 } else { 0x0001_0001 });
            _mm512_dpwssd_epi32(lanes, words, weights)
        }
        fn add(self, a: __m512i, b: __m512i) -> __m512i { _mm512_add_epi32(a, b) }
        fn packed(self, lanes: __m512i) -> u64 { _mm_cvtsi128_si64(halved(self, lanes)) as u64 }
        fn total(self, lanes: __m512i) -> u64 {
            _mm512_reduce_add_epi64(wide(self, lanes)) as u64
        }
        fn columns(self, even: __m512i, odd: __m512i) -> u64 {
            let lanes = _mm512_add_epi32(even, odd);
            let even = _mm512_set4_epi64(1 << 2, 1 << 6, 1 << 10, 1 << 14);
            let odd = _mm512_set4_epi64(1, 1 << 4, 1 << 8, 1 << 12);
            let even = _mm512_mul_epu32(lanes, even);
            let odd = _mm512_mul_epu32(_mm512_srli_epi64::<32>(lanes), odd);
            _mm512_reduce_add_epi64(_mm512_add_epi64(even, odd)) as u64
        }
    }
}

impl Load for Avx512Vnni32 {
    vectors!(
        __m256i, 32, false; _mm256_setzero_si256();
        |block| _mm256_loadu_si256(block.as_ptr().cast())
    );

    #[inline(always)]
    fn load_low(self, data: &[u8], from: usize) -> __m256i {
        Avx2::within(self).load_low(data, from)
    }

    #[inline(always)]
    fn load_rest(self, data: &[u8], from: usize) -> __m256i {
        Avx2::within(self).load_rest(data, from)
    }
}

impl WordSum for Avx512Vnni32 {
    type Lanes = __m256i;
    const BIAS: i32 = <Avx2 as WordSum>::BIAS;
    const WORDS_TO: usize = <Avx2 as WordSum>::WORDS_TO;
    type Narrow = Self;
    const IN_STREAMS: bool = true;

    #[inline(always)]
    fn narrow(self) -> Self {
        self
    }

    ops! {
        fn lanes(self, each: i32) -> __m256i { _mm256_set1_epi32(each) }
        fn sum(self, lanes: __m256i, words: __m256i, twice: bool) -> __m256i {
            let words = _mm256_xor_si256(words, _mm256_set1_epi16(i16::MIN));
            let weights = _mm256_set1_epi32(if twice { 0x0001_0002 } else { 0x0001_0001 });
            _mm256_dpwssd_epi32(lanes, words, weights)
        }
        fn add(self, a: __m256i, b: __m256i) -> __m256i { _mm256_add_epi32(a, b) }
    }

    #[inline(always)]
    fn packed(self, lanes: __m256i) -> u64 {
        Avx2::within(self).packed(lanes)
    }

    #[inline(always)]
    fn total(self, lanes: __m256i) -> u64 {
        WordSum::total(Avx2::within(self), lanes)
    }

    #[inline(always)]
    fn columns(self, even: __m256i, odd: __m256i) -> u64 {
        Avx2::within(self).columns(even, odd)
    }
}

/// The sums of a step's four vectors, kept apart.
///
/// An instruction then waits for that of the vector one step before, four dot products back.
#[derive(Clone, Copy)]
pub(crate) struct Sums {
    plain: [__m512i; 4],
    earlier: [__m512i; 4],
    weighted: [__m512i; 4],
}

impl<U: Dot> Weighted<U> for Avx512Vnni {
    type Sums = Sums;
    const BIAS: i64 = U::BIAS;
    const CENTRE: i32 = U::CENTRE;
    const STEPS: usize = U::STEPS;
    const TWO_STREAMS: bool = true;
    const APART_TO: usize = U::APART_TO;
    /// Eleven vectors: then B fits 32 bits, also that of words.
    const SHORT_TO: usize = 704;
    /// A vector is as fast as the branches on fewer than eight bytes.
    const BY_WORDS: [usize; 2] = [8, 8 * U::WORDS];
    const ONE_OR_TWO_WORDS: bool = U::ONE_OR_TWO_WORDS;

    #[inline(always)]
    fn zero(self) -> Sums {
        let zero = [WordSum::lanes(self, 0); 4];
        Sums { plain: zero, earlier: zero, weighted: zero }
    }

    #[inline(always)]
    fn step(self, mut sums: Sums, vectors: [__m512i; 4]) -> Sums {
        for (j, v) in vectors.into_iter().enumerate() {
            let units = U::biased(self, v);
            sums.earlier[j] = self.add(sums.earlier[j], sums.plain[j]);
            sums.plain[j] = U::dot(self, sums.plain[j], units, U::ones(self));
            sums.weighted[j] = U::dot(self, sums.weighted[j], units, U::WEIGHTS[j]);
        }
        sums
    }

    #[inline(always)]
    fn totals32(self, sums: Sums) -> [u32; 2] {
        let earlier = four(self, sums.earlier);
        // SAFETY: the marker proves AVX-512.
        let earlier =
            unsafe { _mm512_sll_epi32(earlier, _mm_cvtsi32_si128(U::PER_STEP.ilog2() as i32)) };
        both32(self, four(self, sums.plain), self.add(four(self, sums.weighted), earlier))
    }

    #[inline(always)]
    fn totals_apart(self, sums: Sums) -> [i64; 2] {
        let plain = four(self, sums.plain);
        let weighted = four(self, sums.weighted);
        let sums = three32(self, plain, weighted, four(self, sums.earlier));
        let [plain, weighted, earlier] = sums.map(i64::from);
        [plain, weighted + i64::from(U::PER_STEP) * earlier]
    }

    #[inline(always)]
    fn totals64(self, sums: Sums) -> [i64; 2] {
        let plain = wide(self, four(self, sums.plain));
        let weighted = wide(self, four(self, sums.weighted));
        let earlier = wide(self, four(self, sums.earlier));
        // SAFETY: the marker proves AVX-512.
        let weighted = unsafe {
            let earlier = _mm512_sll_epi64(earlier, _mm_cvtsi32_si128(U::PER_STEP.ilog2() as i32));
            _mm512_add_epi64(weighted, earlier)
        };
        both64(self, plain, weighted)
    }

    #[inline(always)]
    fn one_or_two(self, data: &[u8]) -> (u32, u32) {
        let units = data.len().div_ceil(U::BYTES);
        if let Some(sums) = U::one_or_two(self, data) {
            sums
        } else if data.len() <= 64 {
            Weighted::<U>::few(self, [self.load_low(data, 0)], units)
        } else {
            Weighted::<U>::few(self, [self.load_whole(data, 0), self.load_low(data, 64)], units)
        }
    }

    #[inline(always)]
    fn three_or_four(self, data: &[u8]) -> (u32, u32) {
        U::three_or_four(self, data)
    }

    #[inline(always)]
    fn few<const K: usize>(self, vectors: [__m512i; K], units: usize) -> (u32, u32) {
        let places = K * U::PER_VECTOR;
        let mut sums = ExactSums::new::<U>(self, places - units);
        for (j, v) in vectors.into_iter().enumerate() {
            sums.add::<U>(self, j, v);
        }
        sums.totals::<U>(self, places, units)
    }

    /// Adds up one vector after the other: exact weights save the correction of the sums.
    #[inline(always)]
    fn several(self, data: &[u8]) -> (u32, u32) {
        let whole = (data.len() - 1) / 64;
        let (places, units) = ((whole + 1) * U::PER_VECTOR, data.len().div_ceil(U::BYTES));
        let mut sums = ExactSums::new::<U>(self, places - units);
        let (vectors, _) =
            data.split_at_checked(64 * whole).unwrap_or_default().0.as_chunks::<64>();
        let (steps, single) = vectors.as_chunks::<4>();
        for step in steps {
            for (j, block) in step.iter().enumerate() {
                sums.add::<U>(self, j, self.load(block));
            }
        }
        if let Some(first) = single.first() {
            sums.add::<U>(self, 0, self.load(first));
            if let Some(second) = single.get(1) {
                sums.add::<U>(self, 1, self.load(second));
                if let Some(third) = single.get(2) {
                    sums.add::<U>(self, 2, self.load(third));
                }
            }
        }
        let (last, weights) = U::last(self, data, 64 * whole, sums.weights);
        sums.weights = weights;
        sums.add::<U>(self, 3, last);
        sums.totals::<U>(self, places, units)
    }
}
