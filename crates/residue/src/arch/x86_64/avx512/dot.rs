//! Dot products of units with weights, and the sums of a few vectors by exact weights.

use super::super::Avx512Vnni;
use super::lanes::{both32, four};
use crate::arch::sums::{Load, Unit, WordSum};
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
    /// As in [`Weighted`](crate::arch::Weighted).
    const ONE_OR_TWO_WORDS: bool = false;
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
pub(super) use descending;

/// The sums of a few vectors, whose units all have their exact weights.
///
/// The weights of a vector are those that the last one has; each vector adds the plain sums before
/// it, times its number of units.
pub(super) struct ExactSums {
    pub(super) weights: __m512i,
    plain: __m512i,
    earlier: __m512i,
    weighted: [__m512i; 4],
}

impl ExactSums {
    /// Starts the sums of vectors with `zeros` units behind the data.
    #[inline(always)]
    pub(super) fn new<U: Dot>(proof: Avx512Vnni, zeros: usize) -> ExactSums {
        let zero = WordSum::lanes(proof, 0);
        let weights = U::weights(proof, zeros);
        ExactSums { weights, plain: zero, earlier: zero, weighted: [zero; 4] }
    }

    /// Adds the next vector; the weighted sum of number `j` takes it in.
    #[inline(always)]
    pub(super) fn add<U: Dot>(&mut self, proof: Avx512Vnni, j: usize, v: __m512i) {
        let units = U::biased(proof, v);
        self.earlier = proof.add(self.earlier, self.plain);
        self.plain = proof.add(self.plain, U::plain(proof, units));
        self.weighted[j] = U::dot(proof, self.weighted[j], units, self.weights);
    }

    /// Returns S and W of `units` units in vectors with `places` of them.
    #[inline(always)]
    pub(super) fn totals<U: Dot>(
        self,
        proof: Avx512Vnni,
        places: usize,
        units: usize,
    ) -> (u32, u32) {
        // SAFETY: the marker proves AVX-512.
        let earlier = unsafe {
            let bits = _mm_cvtsi32_si128(U::PER_VECTOR.ilog2() as i32);
            _mm512_sll_epi32(self.earlier, bits)
        };
        let [plain, weighted] =
            both32(proof, self.plain, proof.add(four(proof, self.weighted), earlier));
        // The weights go on below zero for the zeros behind the data, which are biased as well.
        let weights = (places * units).wrapping_sub(places * (places - 1) / 2);
        let bias = |weights: usize| (U::BIAS as usize).wrapping_mul(weights) as u32;
        (plain.wrapping_add(bias(places)), weighted.wrapping_add(bias(weights)))
    }
}
