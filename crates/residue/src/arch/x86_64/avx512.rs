//! Sums of words and of bytes in 64-byte vectors.

use super::clmul::{LAST, read_ahead};
use super::{Avx512Vnni, ops};
use crate::arch::sums::{Bytes, Load, Unit, Weighted, WordSum, Words, after, weights};
use crate::cpu::ReadAhead;
use core::arch::x86_64::*;
use short::{Few, ends, long_ends, masked};

mod short;

impl Load for Avx512Vnni {
    type V = __m512i;
    type Block = [u8; 64];
    const BYTES: usize = 64;
    const MASKS: bool = true;
    const AHEAD: Option<ReadAhead> = Some(ReadAhead::Cached);

    #[inline(always)]
    fn read_ahead<B>(self, block: &B) {
        read_ahead(block, ReadAhead::Cached);
    }

    #[inline(always)]
    fn blocks(self, data: &[u8]) -> (&[[u8; 64]], &[u8]) {
        data.as_chunks()
    }

    ops! {
        fn null(self) -> __m512i { _mm512_setzero_si512() }
        fn load(self, block: &[u8; 64]) -> __m512i { _mm512_loadu_si512(block.as_ptr().cast()) }
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

/// Adds sixteen 32-bit lanes to two: those of even number, and those of odd number.
#[inline(always)]
fn halved(_proof: Avx512Vnni, lanes: __m512i) -> __m128i {
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
fn both32(proof: Avx512Vnni, a: __m512i, b: __m512i) -> [u32; 2] {
    // SAFETY: the marker proves AVX-512.
    let both = unsafe {
        let mixed = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
        _mm_cvtsi128_si64(halved(proof, mixed)) as u64
    };
    [both as u32, (both >> 32) as u32]
}

/// Returns the sums of all lanes of three vectors, by one tree for all.
#[inline(always)]
fn three32(_proof: Avx512Vnni, a: __m512i, b: __m512i, c: __m512i) -> [i32; 3] {
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
fn both64(_proof: Avx512Vnni, a: __m512i, b: __m512i) -> [i64; 2] {
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
fn four(_proof: Avx512Vnni, v: [__m512i; 4]) -> __m512i {
    // SAFETY: the marker proves AVX-512.
    unsafe { _mm512_add_epi32(_mm512_add_epi32(v[0], v[1]), _mm512_add_epi32(v[2], v[3])) }
}

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
    const WORDS_TO: usize = U::WORDS_TO;

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
        let mut sums = Few::new::<U>(self, places - units);
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
        let mut sums = Few::new::<U>(self, places - units);
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

/// Adds sixteen signed 32-bit lanes to eight of 64 bits with the same sum.
#[inline(always)]
fn wide(_proof: Avx512Vnni, lanes: __m512i) -> __m512i {
    // SAFETY: the marker proves AVX-512.
    unsafe {
        let low = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(lanes));
        let high = _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64::<1>(lanes));
        _mm512_add_epi64(low, high)
    }
}
