//! Sums of packets side by side.

use super::{Avx2, Avx512Vnni};
use crate::arch::PacketSums;
use crate::arch::ops;
use crate::arch::sums::{Load, WordSum, low_words};
use core::arch::x86_64::*;

/// For each r to 32, the index of a byte shuffle that keeps the last r bytes of a vector.
///
/// For an odd r, the bytes are not aligned with the words: neighbours are swapped, which puts each
/// into its half of a word.
static LAST: [[u8; 32]; 33] = {
    let mut table = [[0x80; 32]; 33];
    let mut r = 0;
    while r <= 32 {
        let mut place = 32 - r;
        while place < 32 {
            table[r][place ^ (r & 1)] = place as u8 % 16;
            place += 1;
        }
        r += 1;
    }
    table
};

/// Words are biased by -32768, to be signed; each packet counts as the 32 words of two vectors,
/// whose bias is removed at the end: 65536 per lane.
impl PacketSums<2> for Avx2 {
    type Lanes = __m256i;
    type Four = __m256i;
    const SHORTEST: usize = 16;
    const LONGEST: usize = 512;

    #[inline(always)]
    fn quick(self, packet: &[u8]) -> Option<__m256i> {
        let (first, last) = (packet.first_chunk()?, packet.last_chunk()?);
        Some(self.sum_of_ends(first, last, LAST.get(packet.len() - 32)?))
    }

    #[inline(always)]
    fn brief(self, packet: &[u8]) -> Option<__m256i> {
        let (first, last) = (packet.first_chunk()?, packet.last_chunk()?);
        // Half vectors, side by side.
        Some(self.sum_of_halves(first, last, LAST.get(..=16)?.get(packet.len() - 16)?))
    }

    #[inline(always)]
    fn lanes(self, packet: &[u8]) -> __m256i {
        if let (Some(first), Some(last)) = (packet.first_chunk(), packet.last_chunk()) {
            let (blocks, rest) = packet[32..].as_chunks();
            let mut lanes = self.sum_of_ends(first, last, &LAST[rest.len()]);
            for block in blocks {
                lanes = self.add_block(lanes, block);
            }
            lanes
        } else if let Some(lanes) = self.brief(packet) {
            lanes
        } else {
            self.sum_of_words(low_words(packet, 0))
        }
    }

    #[inline(always)]
    fn lone(self, sum: u16) -> __m256i {
        self.sum_of_words([sum.into(), 0])
    }

    ops! {
        fn none(self) -> __m256i { _mm256_set1_epi32(-4 * 32768) }
        fn four(self, packets: [__m256i; 4]) -> __m256i {
            let [a, b, c, d] = packets;
            let ab = _mm256_add_epi32(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
            let cd = _mm256_add_epi32(_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
            _mm256_add_epi32(_mm256_unpacklo_epi64(ab, cd), _mm256_unpackhi_epi64(ab, cd))
        }
        fn checksums(self, fours: [__m256i; 2]) -> [[u16; 4]; 2] {
            let [low, high] = fours;
            let sum = _mm256_add_epi32(
                _mm256_permute2x128_si256::<0x20>(low, high),
                _mm256_permute2x128_si256::<0x31>(low, high),
            );
            let sum = _mm256_add_epi32(sum, _mm256_set1_epi32(32 * 32768));
            let low = _mm256_and_si256(sum, _mm256_set1_epi32(0xffff));
            let sum = _mm256_add_epi32(low, _mm256_srli_epi32::<16>(sum));
            let sum = _mm256_add_epi32(sum, _mm256_srli_epi32::<16>(sum));
            let not = _mm256_xor_si256(sum, _mm256_set1_epi32(-1));
            // Moves the lower half of each lane, its bytes swapped, into the first eight bytes.
            let gather = _mm_set_epi8(-1, -1, -1, -1, -1, -1, -1, -1, 12, 13, 8, 9, 4, 5, 0, 1);
            let words = _mm256_shuffle_epi8(not, _mm256_broadcastsi128_si256(gather));
            let words = _mm256_castsi256_si128(_mm256_permute4x64_epi64::<0b1000>(words));
            let mut out = [[0; 4]; 2];
            _mm_storeu_si128(out.as_mut_ptr().cast(), words);
            out
        }
    }
}

impl Avx2 {
    ops! {
        /// Adds the words of each 32-bit lane.
        fn sum_of_pairs(self, v: __m256i) -> __m256i {
            let words = _mm256_xor_si256(v, _mm256_set1_epi16(i16::MIN));
            _mm256_madd_epi16(words, _mm256_set1_epi16(1))
        }
        /// Adds all words of `first`, and the bytes of `last` that `keep` keeps.
        fn sum_of_ends(self, first: &[u8; 32], last: &[u8; 32], keep: &[u8; 32]) -> __m256i {
            let first = self.sum_of_pairs(_mm256_loadu_si256(first.as_ptr().cast()));
            let keep = _mm256_loadu_si256(keep.as_ptr().cast());
            let last = _mm256_shuffle_epi8(_mm256_loadu_si256(last.as_ptr().cast()), keep);
            _mm256_add_epi32(first, self.sum_of_pairs(last))
        }
        fn add_block(self, lanes: __m256i, block: &[u8; 32]) -> __m256i {
            let sum = self.sum_of_pairs(_mm256_loadu_si256(block.as_ptr().cast()));
            _mm256_add_epi32(_mm256_add_epi32(lanes, sum), _mm256_set1_epi32(2 * 32768))
        }
        /// Adds all words of `first`, and the bytes of `last` that the second half of `keep` keeps.
        fn sum_of_halves(self, first: &[u8; 16], last: &[u8; 16], keep: &[u8; 32]) -> __m256i {
            let keep = _mm256_extracti128_si256::<1>(_mm256_loadu_si256(keep.as_ptr().cast()));
            let last = _mm_shuffle_epi8(_mm_loadu_si128(last.as_ptr().cast()), keep);
            let first = _mm_loadu_si128(first.as_ptr().cast());
            let both = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(first), last);
            _mm256_sub_epi32(self.sum_of_pairs(both), _mm256_set1_epi32(2 * 32768))
        }
        fn sum_of_words(self, words: [u64; 2]) -> __m256i {
            let words = _mm256_zextsi128_si256(_mm_set_epi64x(words[1] as i64, words[0] as i64));
            _mm256_sub_epi32(self.sum_of_pairs(words), _mm256_set1_epi32(2 * 32768))
        }
    }
}

/// Words are biased by -32768, to be signed; 65536 per lane corrects it, also in lanes without
/// loaded words.
impl PacketSums<4> for Avx512Vnni {
    type Lanes = __m512i;
    type Four = __m512i;
    const SHORTEST: usize = 0;
    const LONGEST: usize = 1024;

    #[inline(always)]
    fn quick(self, packet: &[u8]) -> Option<__m512i> {
        let biased = WordSum::lanes(self, 65536);
        if packet.len() <= 64 {
            Some(self.sum(biased, self.load_low(packet, 0), false))
        } else {
            None
        }
    }

    #[inline(always)]
    fn brief(self, _: &[u8]) -> Option<__m512i> {
        None
    }

    #[inline(always)]
    fn lanes(self, packet: &[u8]) -> __m512i {
        let mut lanes = self.none();
        for block in packet.chunks(64) {
            let biased = self.add(lanes, WordSum::lanes(self, 65536));
            lanes = self.sum(biased, self.load_low(block, 0), false);
        }
        lanes
    }

    ops! {
        fn none(self) -> __m512i { _mm512_setzero_si512() }
        fn lone(self, sum: u16) -> __m512i {
            _mm512_zextsi128_si512(_mm_cvtsi32_si128(i32::from(sum)))
        }
        fn four(self, packets: [__m512i; 4]) -> __m512i {
            let [a, b, c, d] = packets;
            let ab = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
            let cd = _mm512_add_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
            _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd))
        }
        fn checksums(self, fours: [__m512i; 4]) -> [[u16; 4]; 4] {
            let [a, b, c, d] = fours;
            let low = _mm512_add_epi32(
                _mm512_shuffle_i32x4::<0x44>(a, b),
                _mm512_shuffle_i32x4::<0xee>(a, b),
            );
            let high = _mm512_add_epi32(
                _mm512_shuffle_i32x4::<0x44>(c, d),
                _mm512_shuffle_i32x4::<0xee>(c, d),
            );
            let sum = _mm512_add_epi32(
                _mm512_shuffle_i32x4::<0x88>(low, high),
                _mm512_shuffle_i32x4::<0xdd>(low, high),
            );
            let low = _mm512_and_si512(sum, _mm512_set1_epi32(0xffff));
            let sum = _mm512_add_epi32(low, _mm512_srli_epi32::<16>(sum));
            let sum = _mm512_add_epi32(sum, _mm512_srli_epi32::<16>(sum));
            let words = _mm512_cvtepi32_epi16(_mm512_xor_si512(sum, _mm512_set1_epi32(-1)));
            let swap = _mm_set_epi8(14, 15, 12, 13, 10, 11, 8, 9, 6, 7, 4, 5, 2, 3, 0, 1);
            let words = _mm256_shuffle_epi8(words, _mm256_broadcastsi128_si256(swap));
            let mut out = [[0; 4]; 4];
            _mm256_storeu_si256(out.as_mut_ptr().cast(), words);
            out
        }
    }
}
