//! What the kernels of sums ask of a CPU.

use super::Tier;
use crate::words::short_word;

/// Vectors of bytes.
pub(crate) trait Load: Tier {
    /// A vector.
    type V: Copy;
    /// The bytes of one.
    type Block: 'static;
    /// Vector size in bytes.
    const BYTES: usize;
    /// Whether a load can leave out any bytes: then short data need nothing else.
    const MASKS: bool;
    /// The length to which no loop is needed: eight vectors. Masks are made of numbers below 256,
    /// so that with them it is a byte less.
    const STRAIGHT_TO: usize = 8 * Self::BYTES - Self::MASKS as usize;
    /// The whole vectors of `data`, and the bytes after them.
    fn blocks(self, data: &[u8]) -> (&[Self::Block], &[u8]);
    fn load(self, block: &Self::Block) -> Self::V;
    /// Zero bytes.
    fn null(self) -> Self::V;
    /// The bytes of `data` from `from` on, as many as fit, with zeros behind them. At most 255 are
    /// left. No loop; and no branch, if the data are as long as a vector or masks leave out any
    /// bytes.
    fn load_low(self, data: &[u8], from: usize) -> Self::V;

    /// Loads four consecutive vectors, each as [`Load::load_low`] does.
    #[inline(always)]
    fn load_step(self, data: &[u8], from: usize) -> [Self::V; 4] {
        // Not by `map`: it is not inlined, and neither are the loads in it.
        [
            self.load_low(data, from),
            self.load_low(data, from + Self::BYTES),
            self.load_low(data, from + 2 * Self::BYTES),
            self.load_low(data, from + 3 * Self::BYTES),
        ]
    }

    /// What [`Load::load_low`] loads, but in any order of its 16-bit words; a single last byte is a
    /// word with zero.
    #[inline(always)]
    fn load_rest(self, data: &[u8], from: usize) -> Self::V {
        self.load_low(data, from)
    }

    /// Loads four consecutive vectors, each as [`Load::load_rest`] does.
    #[inline(always)]
    fn load_rest_step(self, data: &[u8], from: usize) -> [Self::V; 4] {
        self.load_step(data, from)
    }

    /// Vector `index` of `data`, which is known to be there: else it is read as [`Load::load_low`]
    /// does.
    #[inline(always)]
    fn load_whole(self, data: &[u8], index: usize) -> Self::V {
        match self.blocks(data).0.get(index) {
            Some(block) => self.load(block),
            None => self.load_low(data, index * Self::BYTES),
        }
    }

    /// The first four vectors of `data`, which has as many.
    #[inline(always)]
    fn load_four(self, data: &[u8]) -> [Self::V; 4] {
        [
            self.load_whole(data, 0),
            self.load_whole(data, 1),
            self.load_whole(data, 2),
            self.load_whole(data, 3),
        ]
    }

    /// More than two vectors and at most four, filled up with zeros.
    #[inline(always)]
    fn load_3_or_4(self, data: &[u8]) -> [Self::V; 4] {
        [
            self.load_whole(data, 0),
            self.load_whole(data, 1),
            self.load_low(data, 2 * Self::BYTES),
            self.load_low(data, 3 * Self::BYTES),
        ]
    }
}

/// What follows the first `bytes` bytes. Nothing is at the *start* of `data`: a load without any
/// byte then has an address inside, for one in an absent page is slow even if nothing is read from
/// it.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
#[inline(always)]
pub(crate) fn after(data: &[u8], bytes: usize) -> &[u8] {
    data.get(bytes..).unwrap_or(&data[..0])
}

/// Sums of 16-bit words in 32-bit lanes.
///
/// Where the instructions take signed words, a word w counts as w - 32768, and the caller adds the
/// bias back.
pub(crate) trait WordSum: Load {
    /// 32768 there, else 0.
    const BIAS: i32;
    /// The length to which the Internet checksum's 64-bit words win over these vectors.
    const WORDS_TO: usize;
    /// 32-bit lanes, one for every two words.
    type Lanes: Copy;
    /// Lanes that all hold one number.
    fn lanes(self, each: i32) -> Self::Lanes;
    /// Adds the little-endian words, each less the bias, two to a lane; `twice` the first of the
    /// two. `twice` is constant.
    fn sum(self, lanes: Self::Lanes, words: Self::V, twice: bool) -> Self::Lanes;
    /// Adds lane by lane.
    fn add(self, a: Self::Lanes, b: Self::Lanes) -> Self::Lanes;
    /// The sum of all lanes, which are not negative and add up to less than 2^32; or two numbers in
    /// the two halves whose sum it is.
    fn packed(self, lanes: Self::Lanes) -> u64;
    /// The sum of all lanes, which are not negative.
    fn total(self, lanes: Self::Lanes) -> u64;
    /// From the lanes of vectors with an even and with an odd index, which are not negative, the
    /// sum of all lanes times 4^(7
    /// - i): i counts the lanes of 32 bytes of data from 0 to 7.
    fn columns(self, even: Self::Lanes, odd: Self::Lanes) -> u64;
}

/// What is summed with weights.
pub(crate) trait Unit: 'static {
    /// Its bytes.
    const BYTES: usize;
    /// The largest.
    const MAX: u64;
    /// Of the units of a little-endian word, the sum, and the sum with weights that go down to 1.
    fn of_word(word: u64) -> [u32; 2];
}

/// Bytes.
#[derive(Debug)]
pub(crate) struct Bytes;

impl Unit for Bytes {
    const BYTES: usize = 1;
    const MAX: u64 = 0xff;

    #[inline(always)]
    fn of_word(word: u64) -> [u32; 2] {
        // The top 16 bits of a product are a dot product of four fields, the second factor's in
        // reverse.
        let (even, odd) = (word & 0x00ff_00ff_00ff_00ff, word >> 8 & 0x00ff_00ff_00ff_00ff);
        let plain = (even + odd).wrapping_mul(0x0001_0001_0001_0001);
        let weighted = even.wrapping_mul(0x0008_0006_0004_0002);
        let weighted = weighted.wrapping_add(odd.wrapping_mul(0x0007_0005_0003_0001));
        [(plain >> 48) as u32, (weighted >> 48) as u32]
    }
}

/// Little-endian 16-bit words.
#[derive(Debug)]
pub(crate) struct Words;

impl Unit for Words {
    const BYTES: usize = 2;
    const MAX: u64 = 0xffff;

    #[inline(always)]
    fn of_word(word: u64) -> [u32; 2] {
        let (even, odd) = (word & 0x0000_ffff_0000_ffff, word >> 16 & 0x0000_ffff_0000_ffff);
        let plain = (even + odd).wrapping_mul(0x0000_0001_0000_0001);
        let weighted = even.wrapping_mul(0x0000_0004_0000_0002);
        let weighted = weighted.wrapping_add(odd.wrapping_mul(0x0000_0003_0000_0001));
        [(plain >> 32) as u32, (weighted >> 32) as u32]
    }
}

/// Sums of units and sums weighted by place, in steps of four vectors.
///
/// A step holds N units; unit e of it (0 to N - 1) is weighted N - e - `CENTRE`, which halves the
/// size of the weights.
pub(crate) trait Weighted<U: Unit>: Load {
    /// Three sums over the steps: of the units; of what that sum was before each step; and of the
    /// weighted units.
    type Sums: Copy;
    /// What the sums lack for each unit: 32768 where words are taken as signed, else 0.
    const BIAS: i64;
    const CENTRE: i32;
    /// The most steps that no lane overflows in.
    const STEPS: usize;
    fn zero(self) -> Self::Sums;
    fn step(self, sums: Self::Sums, vectors: [Self::V; 4]) -> Self::Sums;

    /// The sums after a last step, which has the units of `data` from `from` on, no more than fill
    /// it; and how many units of zeros stand behind them. Zeros before them, if any, count for
    /// nothing.
    #[inline(always)]
    fn last_step(self, sums: Self::Sums, data: &[u8], from: usize) -> (Self::Sums, usize) {
        let left = data.len() - from;
        // Without masks of bytes a load costs more than a branch saves.
        let vectors = if !Self::MASKS && left <= 2 * Self::BYTES {
            let second = self.load_low(data, from + Self::BYTES);
            [self.load_low(data, from), second, self.null(), self.null()]
        } else {
            self.load_step(data, from)
        };
        (self.step(sums, vectors), 4 * Self::BYTES / U::BYTES - left.div_ceil(U::BYTES))
    }
    /// S, and N times the earlier sums plus the weighted sum; modulo 2^32.
    fn totals32(self, sums: Self::Sums) -> [u32; 2];
    /// As [`Weighted::totals32`], in full.
    fn totals64(self, sums: Self::Sums) -> [i64; 2];
    /// `totals32` of one step of which only the last `K` vectors are not zero; K is 1, 2 or 4.
    fn few<const K: usize>(self, vectors: [Self::V; K]) -> [u32; 2];
}

/// The weights of a step of `N` units: N - centre, N - 1 - centre, ..., 1 - centre.
macro_rules! weights {
    ($n:literal, $centre:expr, $int:ty, $per_vector:literal) => {{
        let mut weights = [[0; $per_vector]; 4];
        let mut e = 0;
        while e < $n {
            let weight: i32 = $n - e as i32 - $centre;
            assert!(weight as $int as i32 == weight && $n == 4 * $per_vector);
            weights[e / $per_vector][e % $per_vector] = weight as $int;
            e += 1;
        }
        weights
    }};
}
pub(crate) use weights;

/// The bytes behind the last whole `grain` (at most eight), as a little-endian word.
#[inline(always)]
pub(crate) fn last_word(data: &[u8], grain: usize) -> u64 {
    let n = data.len() % grain;
    match data.last_chunk::<8>() {
        // Of no bytes, the two shifts leave nothing.
        Some(eight) => u64::from_le_bytes(*eight) >> 8 >> (8 * (7 - n)),
        None => short_word(&data[data.len() - n..]),
    }
}

/// The bytes from `from` on, at most sixteen of them, as two little-endian words filled up with
/// zeros.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
#[inline(always)]
pub(crate) fn low_words(data: &[u8], from: usize) -> [u64; 2] {
    let rest = after(data, from);
    let n = rest.len();
    let both = match (rest.first_chunk::<16>(), data.last_chunk::<16>()) {
        (Some(first), _) => u128::from_le_bytes(*first),
        // Of no bytes, the two shifts leave nothing.
        (None, Some(last)) => u128::from_le_bytes(*last) >> 8 >> (8 * (15 - n)),
        _ => match rest.first_chunk::<8>() {
            Some(first) => {
                u128::from(last_word(rest, 8)) << 64 | u128::from(u64::from_le_bytes(*first))
            }
            None => u128::from(short_word(rest)),
        },
    };
    [both as u64, (both >> 64) as u64]
}
