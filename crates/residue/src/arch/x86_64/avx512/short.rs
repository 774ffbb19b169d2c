//! Sums of a few vectors of 64 bytes, and of less: exact weights, and no loop.

use super::super::Avx512Vnni;
use super::dot::Dot;
use super::lanes::{both32, four};
use crate::arch::sums::{Bytes, Load, WordSum};
use core::arch::x86_64::*;

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
pub(super) fn masked(proof: Avx512Vnni, data: &[u8]) -> (u32, u32) {
    let n = data.len();
    debug_assert!(n <= 64);
    let from = 64_usize.wrapping_sub(n) % 64;
    // A load without any byte has an address inside: one in an absent page would be slow.
    let second = data.as_ptr().wrapping_add(if n > 32 { 32 } else { 0 });
    // SAFETY: the marker proves BMI2 and AVX-512. BZHI leaves as many ones as there are bytes, and
    // loads under a mask read no others; the loads of weights read 64 of 128 from 63 at most.
    unsafe {
        let mask = _bzhi_u64(u64::MAX, n as u32);
        let down = DOWN.0.as_ptr().add(from);
        let v = _mm256_maskz_loadu_epi8(mask as u32, data.as_ptr().cast());
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
pub(super) fn ends(proof: Avx512Vnni, data: &[u8]) -> (u32, u32) {
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
pub(super) fn long_ends(proof: Avx512Vnni, data: &[u8]) -> (u32, u32) {
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
