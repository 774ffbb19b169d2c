//! Carry-less products and bit-matrix products.

use super::{Avx2Pclmul, Avx2Vpclmul, Avx512Vpclmul, Pclmul, Sse42Pclmul};
use crate::arch::ops;
use crate::arch::{ByteMatrix, CarryLess, CarryLessMasked, CarryLessWide, Head, clmul::one_lane};
use crate::cpu::ReadAhead;
use core::arch::x86_64::*;

macro_rules! carry_less {
    ($($tier:ty),*) => {$(
        impl CarryLess for $tier {
            type V = __m128i;
            ops! {
                fn load(self, bytes: &[u8; 16]) -> __m128i {
                    _mm_loadu_si128(bytes.as_ptr().cast())
                }
                fn lane_of(self, lane: u128) -> __m128i {
                    _mm_set_epi64x((lane >> 64) as i64, lane as i64)
                }
                fn xor(self, a: __m128i, b: __m128i) -> __m128i { _mm_xor_si128(a, b) }
                fn shuffle(self, v: __m128i, index: &[u8; 16]) -> __m128i {
                    _mm_shuffle_epi8(v, _mm_loadu_si128(index.as_ptr().cast()))
                }
                fn high_down(self, v: __m128i) -> __m128i { _mm_srli_si128::<8>(v) }
                fn low_up(self, v: __m128i) -> __m128i { _mm_slli_si128::<8>(v) }
                fn low_of(self, v: __m128i) -> u64 { _mm_cvtsi128_si64(v) as u64 }
            }

            #[inline(always)]
            fn constant(self, lane: u128) -> __m128i {
                #[cfg_attr(miri, expect(unused_mut, reason = "Miri runs no assembly"))]
                let mut v = self.lane_of(lane);
                // SAFETY: the assembly is empty: it reads and writes one register and nothing else.
                #[cfg(not(miri))]
                unsafe {
                    core::arch::asm!(
                        "/* {0} */",
                        inout(xmm_reg) v,
                        options(pure, nomem, nostack, preserves_flags)
                    );
                }
                v
            }

            #[inline(always)]
            fn product<const HALVES: i32>(self, a: __m128i, b: __m128i) -> __m128i {
                // SAFETY: the marker proves carry-less products.
                unsafe { _mm_clmulepi64_si128::<HALVES>(a, b) }
            }
        }
    )*};
}
carry_less!(Pclmul, Sse42Pclmul, Avx2Pclmul, Avx2Vpclmul, Avx512Vpclmul);

/// Returns the index of a shuffle that reverses a lane's bytes.
#[inline(always)]
fn reversed(_proof: impl CarryLess) -> __m128i {
    // SAFETY: SSE2, which every tier of carry-less products has.
    unsafe { _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) }
}

/// Prefetches as many cache lines as a block has; into all caches only the first half of them.
///
/// On Intel's cores the other half comes with it. Prefetching each line cost up to 7 % where data
/// are in a cache (Emerald Rapids, 2026-11-29, docs/speed/peers.md).
#[inline(always)]
pub(super) fn prefetch<B: ?Sized>(block: &B, way: ReadAhead) {
    let start = core::ptr::from_ref(block).cast::<i8>();
    let bytes = match way {
        ReadAhead::NonTemporal => size_of_val(block),
        ReadAhead::Cached => size_of_val(block) / 2,
    };
    for line in 0..bytes.div_ceil(64) {
        let line = start.wrapping_add(64 * line);
        match way {
            // SAFETY: every x86-64 CPU has SSE, and a prefetch accepts any address.
            ReadAhead::NonTemporal => unsafe { _mm_prefetch::<_MM_HINT_NTA>(line) },
            ReadAhead::Cached => crate::arch::prefetch(line.cast()),
        }
    }
}

macro_rules! lanes {
    ($($tier:ty),*) => {$(
        impl CarryLessWide for $tier {
            one_lane!();
            /// Eight are faster by a fifteenth for CRC-32 at 4 and 64 KiB, built with four and with
            /// eight, on a Zen 3 core on 2026-11-22.
            const EIGHT: bool = true;
            const AHEAD: Option<ReadAhead> = Some(ReadAhead::NonTemporal);

            #[inline(always)]
            fn prefetch<B: ?Sized>(self, block: &B) {
                prefetch(block, ReadAhead::NonTemporal);
            }

            ops! {
                fn fold(self, v: __m128i, key: __m128i, data: __m128i) -> __m128i {
                    let (low, high) = (self.product::<0x00>(v, key), self.product::<0x11>(v, key));
                    _mm_xor_si128(_mm_xor_si128(low, high), data)
                }
                fn reverse(self, v: __m128i) -> __m128i { _mm_shuffle_epi8(v, reversed(self)) }
            }
        }
    )*};
}
lanes!(Pclmul, Sse42Pclmul, Avx2Pclmul);

impl CarryLessWide for Avx2Vpclmul {
    type W = __m256i;
    type Narrow = Self;
    type Block = [u8; 32];
    const LANES: usize = 2;
    // Each of the two is faster by a tenth: `cargo xtask rivals --code crc-32 --sizes
    // 20,40,64,80,128,160,256 --modes throughput`, on a Zen 3 core on 2026-11-22.
    //
    // A head of two lanes takes eight operations. 64 bytes need none.
    const BY_LANE_TO: usize = 63;
    const LEAVES_REST: bool = true;

    const AHEAD: Option<ReadAhead> = Some(ReadAhead::NonTemporal);

    #[inline(always)]
    fn prefetch<B: ?Sized>(self, block: &B) {
        prefetch(block, ReadAhead::NonTemporal);
    }

    #[inline(always)]
    fn narrow(self) -> Self {
        self
    }

    #[inline(always)]
    fn blocks(self, data: &[u8]) -> (&[[u8; 32]], &[u8]) {
        data.as_chunks()
    }

    ops! {
        fn load_wide(self, block: &[u8; 32]) -> __m256i {
            _mm256_loadu_si256(block.as_ptr().cast())
        }
        fn keys(self, table: &[u128; 17], first: usize) -> __m256i {
            let keys: &[u128; 2] = table[first..].first_chunk().unwrap_or(&[0; 2]);
            _mm256_loadu_si256(keys.as_ptr().cast())
        }
        fn key(self, key: u128) -> __m256i { _mm256_broadcastsi128_si256(self.lane_of(key)) }
        fn xor_wide(self, a: __m256i, b: __m256i) -> __m256i { _mm256_xor_si256(a, b) }
        fn fold(self, v: __m256i, key: __m256i, data: __m256i) -> __m256i {
            let low = _mm256_clmulepi64_epi128::<0x00>(v, key);
            let high = _mm256_clmulepi64_epi128::<0x11>(v, key);
            _mm256_xor_si256(_mm256_xor_si256(low, high), data)
        }
        fn reverse(self, v: __m256i) -> __m256i {
            _mm256_shuffle_epi8(v, _mm256_broadcastsi128_si256(reversed(self)))
        }
        fn last_lane(self, v: __m256i) -> __m256i {
            _mm256_blend_epi32::<0xf0>(_mm256_setzero_si256(), v)
        }
        fn sum_lanes(self, v: __m256i) -> __m128i {
            _mm_xor_si128(_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v))
        }
        fn head(self, data: &[u8], register: __m128i) -> Head<__m256i> {
            let first = self.load_wide(data.first_chunk().unwrap_or(&[0; 32]));
            Head {
                first: _mm256_xor_si256(first, _mm256_zextsi128_si256(register)),
                spill: _mm256_setzero_si256(),
                bytes: 32,
            }
        }
    }
}

/// The places of a vector's bytes, twice. From place n on: the index of a permutation that moves a
/// vector's first n bytes to its end, and all others to its start.
static PLACES: [u8; 128] = {
    let mut places = [0; 128];
    let mut i = 0;
    while i < 128 {
        places[i] = i as u8 % 64;
        i += 1;
    }
    places
};

/// 64 zeros, then ones. From place n on: the mask of a vector's last n bytes.
pub(super) static LAST: [u8; 128] = {
    let mut last = [0; 128];
    let mut i = 64;
    while i < 128 {
        last[i] = 0xff;
        i += 1;
    }
    last
};

/// The four lanes of a vector, in one cache line.
#[repr(align(64))]
struct Lanes([u128; 4]);

/// The mask of a vector's last lane.
static LAST_LANE: Lanes = Lanes([0, 0, 0, u128::MAX]);

impl CarryLessWide for Avx512Vpclmul {
    type W = __m512i;
    type Narrow = Avx2Vpclmul;
    type Block = [u8; 64];
    const LANES: usize = 4;
    // If each call waits for the one before, 64 bytes take 11.1 ns in vectors of two lanes and 13.4
    // in one of four, 96 bytes 11.8 and 15.7 (Zen 4, 2026-11-24). Otherwise 80 and 96 bytes take 16
    // cycles and 20 on Sapphire Rapids (2026-11-22), and equal times on Zen 4.
    const NARROW_TO: usize = 96;
    const TAILS: bool = true;
    const AHEAD: Option<ReadAhead> = Some(ReadAhead::Cached);

    #[inline(always)]
    fn prefetch<B: ?Sized>(self, block: &B) {
        prefetch(block, ReadAhead::Cached);
    }

    #[inline(always)]
    fn narrow(self) -> Avx2Vpclmul {
        Avx2Vpclmul::within(self)
    }

    #[inline(always)]
    fn blocks(self, data: &[u8]) -> (&[[u8; 64]], &[u8]) {
        data.as_chunks()
    }

    ops! {
        fn load_wide(self, block: &[u8; 64]) -> __m512i {
            _mm512_loadu_si512(block.as_ptr().cast())
        }
        fn keys(self, table: &[u128; 17], first: usize) -> __m512i {
            let keys: &[u128; 4] = table[first..].first_chunk().unwrap_or(&[0; 4]);
            _mm512_loadu_si512(keys.as_ptr().cast())
        }
        fn key(self, key: u128) -> __m512i { _mm512_broadcast_i32x4(self.lane_of(key)) }
        fn xor_wide(self, a: __m512i, b: __m512i) -> __m512i { _mm512_xor_si512(a, b) }
        fn fold(self, v: __m512i, key: __m512i, data: __m512i) -> __m512i {
            let low = _mm512_clmulepi64_epi128::<0x00>(v, key);
            let high = _mm512_clmulepi64_epi128::<0x11>(v, key);
            // 0x96 is the exclusive or of three.
            _mm512_ternarylogic_epi64::<0x96>(low, high, data)
        }
        fn reverse(self, v: __m512i) -> __m512i {
            _mm512_shuffle_epi8(v, _mm512_broadcast_i32x4(reversed(self)))
        }
        fn last_lane(self, v: __m512i) -> __m512i {
            _mm512_and_si512(v, _mm512_loadu_si512(LAST_LANE.0.as_ptr().cast()))
        }
        fn tail(self, v: __m512i, last: &[u8; 64], bytes: usize) -> [__m512i; 2] {
            let index = self.load_wide(PLACES[bytes..].first_chunk().unwrap_or(&[0; 64]));
            let mask = self.load_wide(LAST[bytes..].first_chunk().unwrap_or(&[0; 64]));
            let moved = _mm512_permutexvar_epi8(index, v);
            // 0xca takes the bits of the second where the mask has ones, of the third elsewhere.
            let second =
                _mm512_ternarylogic_epi64::<0xca>(mask, self.load_wide(last), moved);
            [_mm512_and_si512(moved, mask), second]
        }
        fn sum_lanes(self, v: __m512i) -> __m128i {
            // Side by side: halves and then quarters would wait for each other.
            let second = _mm512_extracti32x4_epi32::<1>(v);
            let third = _mm512_extracti32x4_epi32::<2>(v);
            let fourth = _mm512_extracti32x4_epi32::<3>(v);
            let sum = _mm_ternarylogic_epi64::<0x96>(_mm512_castsi512_si128(v), second, third);
            _mm_xor_si128(sum, fourth)
        }
        fn head(self, data: &[u8], register: __m128i) -> Head<__m512i> {
            let bytes = data.len().wrapping_sub(1) % 64 + 1;
            let message = match data.first_chunk() {
                Some(message) => self.load_wide(message),
                // The mask lets through only bytes of the slice.
                None => _mm512_maskz_loadu_epi8(
                    _bzhi_u64(u64::MAX, data.len() as u32),
                    data.as_ptr().cast()
                ),
            };
            let message = _mm512_xor_si512(message, _mm512_zextsi128_si512(register));
            if bytes == 64 {
                // Nothing to move; few lengths are multiples of 64 by chance.
                return Head { first: message, spill: _mm512_setzero_si512(), bytes };
            }
            // A permutation and a mask from memory: VPEXPANDB and moves to mask registers would
            // take more of the port that multiplies.
            let index = self.load_wide(PLACES[bytes..].first_chunk().unwrap_or(&[0; 64]));
            let last = self.load_wide(LAST[bytes..].first_chunk().unwrap_or(&[0; 64]));
            let moved = _mm512_permutexvar_epi8(index, message);
            let spill = self.shifted(register, 16 + bytes.min(16));
            Head {
                first: _mm512_and_si512(moved, last),
                spill: _mm512_zextsi128_si512(spill),
                bytes,
            }
        }
    }
}

impl CarryLessMasked for Avx512Vpclmul {
    ops! {
        // Vectors of 32 bytes: their masked loads, products and moves are there sooner than those
        // of one of 64.
        fn dot(self, data: &[u8], register: __m128i, factors: &[u8; 64]) -> __m128i {
            let n = data.len();
            debug_assert!((1..=64).contains(&n));
            // BZHI leaves as many ones as there are bytes, and loads under a mask read no others.
            // A second load without any byte has an address inside: one in an absent page would be
            // slow.
            let mask = _bzhi_u64(u64::MAX, n as u32);
            let second = data.as_ptr().wrapping_add(n.wrapping_sub(1) & 32);
            let v = _mm256_maskz_loadu_epi8(mask as u32, data.as_ptr().cast());
            let v = _mm256_xor_si256(v, _mm256_zextsi128_si256(register));
            let w = _mm256_maskz_loadu_epi8((mask >> 32) as u32, second.cast());
            let factors = factors.as_ptr();
            let first = _mm256_loadu_si256(factors.cast());
            let second = _mm256_loadu_si256(factors.add(32).cast());
            let low = _mm256_clmulepi64_epi128::<0x00>(v, first);
            let high = _mm256_clmulepi64_epi128::<0x11>(v, first);
            let low2 = _mm256_clmulepi64_epi128::<0x00>(w, second);
            let high2 = _mm256_clmulepi64_epi128::<0x11>(w, second);
            // 0x96 is the exclusive or of three.
            let sum = _mm256_ternarylogic_epi64::<0x96>(low, high, low2);
            let sum = _mm256_xor_si256(sum, high2);
            _mm_xor_si128(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum))
        }
    }
}

/// The constant added to each product. Bochs 2.7, on which `cargo xtask cross` tests this tier,
/// returns the products' complements.
const ADDED: i32 = if cfg!(residue_bochs) { 0xff } else { 0 };

impl ByteMatrix for Avx512Vpclmul {
    ops! {
        fn matrix(self, rows: u64) -> __m512i { _mm512_set1_epi64(rows as i64) }
        fn multiply(self, v: __m512i, matrix: __m512i) -> __m512i {
            _mm512_gf2p8affine_epi64_epi8::<ADDED>(v, matrix)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::Portable;
    use crate::body::{Body, Edges, Tier};
    use crate::cpu;
    use crate::kernel::Kernel;

    /// The product of 64 bytes with a matrix, as a kernel, because only kernels run on a marker.
    struct Product;

    #[derive(Debug)]
    struct Bytes;

    impl crate::body::Family for Bytes {
        type Context = [u8; 64];
        type State = u64;
        type Value = u64;
        fn start(_: &[u8; 64]) -> u64 {
            0
        }
        fn finish(_: &[u8; 64], state: u64) -> u64 {
            state
        }
    }

    impl<T: ByteMatrix<Block = [u8; 64]>> Body<T> for Product {
        type Family = Bytes;
        const EDGES: Edges = Edges::NONE;
        #[inline(always)]
        fn run(tier: T, context: &[u8; 64], rows: u64, _: &[u8]) -> u64 {
            let product = tier.multiply(tier.load_wide(context), tier.matrix(rows));
            // The lanes are added with one lane counted apart; equal faults of all four lanes would
            // cancel.
            let lane = tier.sum_lanes(tier.xor_wide(product, tier.last_lane(product)));
            tier.low_of(lane) ^ tier.low_of(tier.high_down(lane)).rotate_left(1)
        }
    }

    #[test]
    fn matrix_products_are_the_definition() {
        let kernels = [
            Kernel::on::<Avx512Vpclmul, Product>("avx512"),
            Kernel::on::<Portable, Product>("portable"),
        ];
        if !cpu::features().contains(Avx512Vpclmul::NEEDS) {
            return;
        }
        let mut number = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..200 {
            let mut bytes = [0; 64];
            for byte in &mut bytes {
                number = number.rotate_left(7).wrapping_mul(0xd134_2543_de82_ef95) + 1;
                *byte = (number >> 56) as u8;
            }
            let [fast, plain] =
                [0, 1].map(|i: usize| kernels[i].force().map(|k| k.run(&bytes, number, &[])));
            assert_eq!(fast, plain, "{number:x} {bytes:x?}");
        }
    }
}
