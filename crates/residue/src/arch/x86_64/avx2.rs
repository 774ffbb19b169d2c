//! Sums of words and of bytes in 32-byte vectors.

use super::Avx2;
use super::words::weighted_words;
use crate::arch::sums::{Bytes, Load, Weighted, WordSum, Words, after, few32, last_word, weights};
use crate::arch::{ops, vectors};
use core::arch::x86_64::*;

impl Load for Avx2 {
    vectors!(
        __m256i, 32, false; _mm256_setzero_si256();
        |block| _mm256_loadu_si256(block.as_ptr().cast())
    );

    #[inline(always)]
    fn load_low(self, data: &[u8], from: usize) -> __m256i {
        low(self, data, from, 0)
    }

    #[inline(always)]
    fn load_step(self, data: &[u8], from: usize) -> [__m256i; 4] {
        [
            low(self, data, from, 0),
            low(self, data, from, 1),
            low(self, data, from, 2),
            low(self, data, from, 3),
        ]
    }

    /// Loads the rest; if there is a single last byte, the words do not fill the window, so it has
    /// room.
    #[inline(always)]
    fn load_rest(self, data: &[u8], from: usize) -> __m256i {
        match window_of_words(self, data, from) {
            Some([v]) => v,
            None => self.load_low(data, from),
        }
    }

    #[inline(always)]
    fn load_rest_step(self, data: &[u8], from: usize) -> [__m256i; 4] {
        window_of_words(self, data, from).unwrap_or_else(|| self.load_step(data, from))
    }

    #[inline(always)]
    fn load_3_or_4(self, data: &[u8]) -> [__m256i; 4] {
        [
            self.load_whole(data, 0),
            self.load_whole(data, 1),
            low(self, data, 64, 0),
            low(self, data, 64, 1),
        ]
    }
}

/// Returns the last `K` vectors of `data`, at most four, with zeros in place of the bytes before
/// `from`.
///
/// Returns `None` if the data are shorter than that.
#[inline(always)]
fn window<const K: usize>(_proof: Avx2, data: &[u8], from: usize) -> Option<[__m256i; K]> {
    /// A mask for each number of bytes to keep: the window that begins so many bytes behind the
    /// start.
    #[repr(align(64))]
    struct Masks([u8; 256]);
    static KEEP: Masks = {
        let mut keep = [0; 256];
        let mut i = 128;
        while i < 256 {
            keep[i] = 0xff;
            i += 1;
        }
        Masks(keep)
    };
    let vectors = data.as_rchunks::<32>().1.last_chunk::<K>()?;
    let kept = (data.len() - from).min(32 * K);
    let masks = KEEP.0[128 - 32 * K + kept..].as_chunks::<32>().0.first_chunk::<K>()?;
    // SAFETY: the marker proves AVX2; each load reads the 32 bytes of its block.
    let mut window = [unsafe { _mm256_setzero_si256() }; K];
    for i in 0..K {
        // SAFETY: as above.
        window[i] = unsafe {
            let mask = _mm256_loadu_si256(masks[i].as_ptr().cast());
            _mm256_and_si256(_mm256_loadu_si256(vectors[i].as_ptr().cast()), mask)
        };
    }
    Some(window)
}

/// Returns the window of whole words; a single byte behind them becomes a word of its own among the
/// zeros.
#[inline(always)]
fn window_of_words<const K: usize>(proof: Avx2, data: &[u8], from: usize) -> Option<[__m256i; K]> {
    let (words, last) = data.as_chunks::<2>();
    let mut window = window::<K>(proof, words.as_flattened(), from)?;
    let last = last.first().map_or(0, |byte| i32::from(*byte));
    // SAFETY: the marker proves AVX2.
    window[0] =
        unsafe { _mm256_or_si256(window[0], _mm256_zextsi128_si256(_mm_cvtsi32_si128(last))) };
    Some(window)
}

/// Loads vector `index` behind `from`, a multiple of 4, as [`Load::load_low`] does.
///
/// One comparison of the number of words with the words' places makes the mask. Masks are of 32-bit
/// words: up to three bytes behind the last whole word are inserted.
#[inline(always)]
fn low(_proof: Avx2, data: &[u8], from: usize, index: usize) -> __m256i {
    debug_assert!(from.is_multiple_of(4) && data.len() < from + 256);
    let words = (data.len() / 4) as i32 - (from / 4) as i32;
    let last = last_word(data, 4) as i32;
    let rest = after(data, from + 32 * index);
    // SAFETY: the marker proves AVX2. The mask enables the words whose number, counted from `from`,
    // is below that of the whole words there: all their bytes are in `rest`, and a load under a
    // mask reads no others.
    unsafe {
        let places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        let places = _mm256_add_epi32(places, _mm256_set1_epi32(8 * index as i32));
        let words = _mm256_set1_epi32(words);
        let v = _mm256_maskload_epi32(rest.as_ptr().cast(), _mm256_cmpgt_epi32(words, places));
        let last = _mm256_and_si256(_mm256_set1_epi32(last), _mm256_cmpeq_epi32(words, places));
        _mm256_or_si256(v, last)
    }
}

impl WordSum for Avx2 {
    type Lanes = __m256i;
    const BIAS: i32 = 32768;
    /// The limit, measured as for SSE2.
    ///
    /// 64-bit words have half the latency up to this length; for random lengths, vectors are faster
    /// by a seventh from 64 bytes on.
    const WORDS_TO: usize = 128;
    type Narrow = Self;

    #[inline(always)]
    fn narrow(self) -> Self {
        self
    }

    ops! {
        fn lanes(self, each: i32) -> __m256i { _mm256_set1_epi32(each) }
        fn sum(self, lanes: __m256i, words: __m256i, twice: bool) -> __m256i {
            let weights = _mm256_set1_epi32(if twice { 0x0001_0002 } else { 0x0001_0001 });
            _mm256_add_epi32(lanes, _mm256_madd_epi16(biased(self, words), weights))
        }
        fn add(self, a: __m256i, b: __m256i) -> __m256i { _mm256_add_epi32(a, b) }
        fn packed(self, lanes: __m256i) -> u64 {
            let half = _mm_add_epi32(
                _mm256_castsi256_si128(lanes),
                _mm256_extracti128_si256::<1>(lanes)
            );
            _mm_cvtsi128_si64(_mm_add_epi32(half, _mm_unpackhi_epi64(half, half))) as u64
        }
        fn columns(self, even: __m256i, odd: __m256i) -> u64 {
            let lanes = _mm256_add_epi32(even, odd);
            let even = _mm256_setr_epi32(1 << 14, 0, 1 << 10, 0, 1 << 6, 0, 1 << 2, 0);
            let odd = _mm256_setr_epi32(1 << 12, 0, 1 << 8, 0, 1 << 4, 0, 1, 0);
            let even = _mm256_mul_epu32(lanes, even);
            let odd = _mm256_mul_epu32(_mm256_srli_epi64::<32>(lanes), odd);
            total64(self, _mm256_add_epi64(even, odd))
        }
    }

    #[inline(always)]
    fn total(self, lanes: __m256i) -> u64 {
        total64(self, wide(self, lanes))
    }
}

/// Returns the sum of four 64-bit lanes.
#[inline(always)]
fn total64(_proof: Avx2, wide: __m256i) -> u64 {
    // SAFETY: the marker proves AVX2.
    unsafe {
        let half = _mm_add_epi64(_mm256_castsi256_si128(wide), _mm256_extracti128_si256::<1>(wide));
        _mm_cvtsi128_si64(_mm_add_epi64(half, _mm_unpackhi_epi64(half, half))) as u64
    }
}

/// Returns words, each less 32768.
#[inline(always)]
fn biased(_proof: Avx2, words: __m256i) -> __m256i {
    // SAFETY: the marker proves AVX2.
    unsafe { _mm256_xor_si256(words, _mm256_set1_epi16(i16::MIN)) }
}

/// Adds eight signed 32-bit lanes to four of 64 bits with the same sum.
#[inline(always)]
fn wide(_proof: Avx2, lanes: __m256i) -> __m256i {
    // SAFETY: the marker proves AVX2.
    unsafe {
        let low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(lanes));
        let high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256::<1>(lanes));
        _mm256_add_epi64(low, high)
    }
}

/// Returns the sums of all 32-bit lanes of two vectors, by one tree for both.
#[inline(always)]
fn both32(_proof: Avx2, a: __m256i, b: __m256i) -> [u32; 2] {
    // SAFETY: the marker proves AVX2.
    let both = unsafe {
        let mixed = _mm256_add_epi32(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
        let half =
            _mm_add_epi32(_mm256_castsi256_si128(mixed), _mm256_extracti128_si256::<1>(mixed));
        _mm_cvtsi128_si64(_mm_add_epi32(half, _mm_unpackhi_epi64(half, half))) as u64
    };
    [both as u32, (both >> 32) as u32]
}

/// Returns the sums of all 64-bit lanes of two vectors, by one tree for both.
#[inline(always)]
fn both64(_proof: Avx2, a: __m256i, b: __m256i) -> [i64; 2] {
    // SAFETY: the marker proves AVX2.
    unsafe {
        let mixed = _mm256_add_epi64(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
        let half =
            _mm_add_epi64(_mm256_castsi256_si128(mixed), _mm256_extracti128_si256::<1>(mixed));
        [_mm_cvtsi128_si64(half), _mm_extract_epi64::<1>(half)]
    }
}

/// The sums of a step and of the steps before it.
///
/// An addition takes one cycle, so one accumulator of each suffices.
#[derive(Clone, Copy)]
pub(crate) struct Sums {
    plain: __m256i,
    earlier: __m256i,
    weighted: __m256i,
}

/// The plain and the earlier sums have 64-bit lanes (`psadbw`), the weighted 32-bit ones.
impl Weighted<Bytes> for Avx2 {
    type Sums = Sums;
    const BIAS: i64 = 0;
    const CENTRE: i32 = 64;
    // On a Zen 3 core on 2026-11-23, dependent calls of Adler-32 of 40 bytes take 29 ticks by
    // words, the best rival's 44; by vectors they took a tenth longer than that.
    const BY_WORDS: [usize; 2] = [0, 48];
    const STEPS: usize = {
        // A lane takes four bytes of each vector; the absolute values of their weights add up to
        // 512 at most.
        const STEPS: usize = 16384;
        assert!(255 * 512 * STEPS as u64 <= i32::MAX as u64);
        STEPS
    };

    ops! {
        fn zero(self) -> Sums {
            let zero = _mm256_setzero_si256();
            Sums { plain: zero, earlier: zero, weighted: zero }
        }
        fn step(self, sums: Sums, v: [__m256i; 4]) -> Sums {
            let [plain, weighted] = bytes(self, v);
            Sums {
                plain: _mm256_add_epi64(sums.plain, plain),
                earlier: _mm256_add_epi64(sums.earlier, sums.plain),
                weighted: _mm256_add_epi32(sums.weighted, weighted),
            }
        }
        fn totals32(self, sums: Sums) -> [u32; 2] {
            both32(
                self,
                sums.plain,
                _mm256_add_epi32(sums.weighted, _mm256_slli_epi32::<7>(sums.earlier))
            )
        }
        fn totals64(self, sums: Sums) -> [i64; 2] {
            let earlier = _mm256_slli_epi64::<7>(sums.earlier);
            both64(self, sums.plain, _mm256_add_epi64(wide(self, sums.weighted), earlier))
        }
    }

    /// Computes the step from the window of the last bytes.
    ///
    /// The weights are exact for these bytes, and for the bytes before the window too large by its
    /// zeros.
    #[inline(always)]
    fn last_step(self, sums: Sums, data: &[u8], from: usize) -> (Sums, usize) {
        /// With at most this many steps before it, the weighted sums have room for the effect of
        /// the zeros: a lane takes eight bytes a vector.
        const STEPS: usize = 64;
        const {
            assert!(8 * 4 * 255 * 127 * STEPS as u64 + 255 * 512 * STEPS as u64 <= i32::MAX as u64);
        }
        let zeros = 128 - (data.len() - from);
        let window = if from <= 128 * STEPS { window(self, data, from) } else { None };
        let Some(window) = window else {
            return (Weighted::<Bytes>::step(self, sums, self.load_step(data, from)), zeros);
        };
        let mut next = Weighted::<Bytes>::step(self, sums, window);
        // SAFETY: the marker proves AVX2.
        next.weighted = unsafe {
            let less = _mm256_mullo_epi32(sums.plain, _mm256_set1_epi32(zeros as i32));
            _mm256_sub_epi32(next.weighted, less)
        };
        (next, 0)
    }

    #[inline(always)]
    fn few<const K: usize>(self, vectors: [__m256i; K], units: usize) -> (u32, u32) {
        let [plain, weighted] = bytes(self, vectors);
        few32::<Self, Bytes, K>(both32(self, plain, weighted), units)
    }
}

/// Returns the plain (64-bit lanes) and the weighted sums (32-bit lanes) of the last `K` vectors of
/// a step.
#[inline(always)]
fn bytes<const K: usize>(_proof: Avx2, v: [__m256i; K]) -> [__m256i; 2] {
    const BYTES: [[i8; 32]; 4] = weights!(128, 64, i8, 32);
    // SAFETY: any bytes make a vector, and the sizes are equal.
    const WEIGHTS: [__m256i; 4] =
        unsafe { core::mem::transmute::<[[i8; 32]; 4], [__m256i; 4]>(BYTES) };
    /// Products are added by pairs in 16 bits, saturating.
    ///
    /// The pairs of two vectors may be added as well if their weights have opposite signs: vectors
    /// 0 (weights 64 to 33) and 3 (-32 to -63), 1 (32 to 1) and 2 (0 to -31).
    const _: () = assert!(255 * (64 + 63) <= i16::MAX as i32);
    // SAFETY: the marker proves AVX2.
    unsafe {
        let zero = _mm256_setzero_si256();
        let ones = _mm256_set1_epi16(1);
        let sad = |j: usize| _mm256_sad_epu8(v[j], zero);
        let pairs = |j: usize| _mm256_maddubs_epi16(v[j], WEIGHTS[4 - K + j]);
        let widened = |pairs: __m256i| _mm256_madd_epi16(pairs, ones);
        match K {
            1 => [sad(0), widened(pairs(0))],
            2 => [
                _mm256_add_epi64(sad(0), sad(1)),
                _mm256_add_epi32(widened(pairs(0)), widened(pairs(1))),
            ],
            4 => [
                _mm256_add_epi64(
                    _mm256_add_epi64(sad(0), sad(1)),
                    _mm256_add_epi64(sad(2), sad(3)),
                ),
                _mm256_add_epi32(
                    widened(_mm256_add_epi16(pairs(0), pairs(3))),
                    widened(_mm256_add_epi16(pairs(1), pairs(2))),
                ),
            ],
            _ => unreachable!(),
        }
    }
}

weighted_words!(
    Avx2, __m256i, 64 - 32, 16, 6;
    _mm256_setzero_si256 _mm256_madd_epi16 _mm256_set1_epi16 _mm256_add_epi32 _mm256_add_epi64
    _mm256_slli_epi32 _mm256_slli_epi64
);
