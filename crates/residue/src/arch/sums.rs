//! The operations that the kernels of sums need.

use crate::body::Tier;
use crate::cpu::ReadAhead;
use crate::words::short_word;

/// Vectors of bytes.
pub(crate) trait Load: Tier {
    /// A vector.
    type V: Copy;
    /// The bytes of one vector.
    type Block: Copy + 'static;
    /// Vector size in bytes.
    const BYTES: usize;
    /// Whether a load can leave out any bytes; short data then need no other load.
    const MASKS: bool;
    /// The length up to which no loop is needed: eight vectors.
    ///
    /// Masks are made of numbers below 256, so with them the limit is a byte lower.
    const STRAIGHT_TO: usize = 8 * Self::BYTES - Self::MASKS as usize;
    /// The way in which [`Load::prefetch`] prefetches; `None` for tiers for which no way was
    /// measured.
    const AHEAD: Option<ReadAhead> = None;
    /// Prefetches a block.
    #[inline(always)]
    fn prefetch<B>(self, _block: &B) {}
    /// Splits `data` into whole vectors and the bytes after them.
    fn blocks(self, data: &[u8]) -> (&[Self::Block], &[u8]);
    fn load(self, block: &Self::Block) -> Self::V;
    /// Returns a vector of zero bytes.
    fn null(self) -> Self::V;
    /// Loads the bytes of `data` from `from` on, as many as fit, with zeros behind them.
    ///
    /// At most 255 bytes may remain. There is no loop, and no branch if the data are as long as a
    /// vector or masks leave out any bytes.
    fn load_low(self, data: &[u8], from: usize) -> Self::V;

    /// Loads four consecutive vectors, each as [`Load::load_low`] does.
    #[inline(always)]
    fn load_step(self, data: &[u8], from: usize) -> [Self::V; 4] {
        // Not by `map`, which is not inlined, nor are the loads in it.
        [
            self.load_low(data, from),
            self.load_low(data, from + Self::BYTES),
            self.load_low(data, from + 2 * Self::BYTES),
            self.load_low(data, from + 3 * Self::BYTES),
        ]
    }

    /// Loads the bytes of [`Load::load_low`] with their 16-bit words in any order; a single last
    /// byte is a word with zero.
    #[inline(always)]
    fn load_rest(self, data: &[u8], from: usize) -> Self::V {
        self.load_low(data, from)
    }

    /// Loads four consecutive vectors, each as [`Load::load_rest`] does.
    #[inline(always)]
    fn load_rest_step(self, data: &[u8], from: usize) -> [Self::V; 4] {
        self.load_step(data, from)
    }

    /// Loads vector `index` of `data`, which must be there; by default as [`Load::load_low`] does.
    #[inline(always)]
    fn load_whole(self, data: &[u8], index: usize) -> Self::V {
        match self.blocks(data).0.get(index) {
            Some(block) => self.load(block),
            None => self.load_low(data, index * Self::BYTES),
        }
    }

    /// Loads the first four vectors of `data`, which must have as many.
    #[inline(always)]
    fn load_four(self, data: &[u8]) -> [Self::V; 4] {
        [
            self.load_whole(data, 0),
            self.load_whole(data, 1),
            self.load_whole(data, 2),
            self.load_whole(data, 3),
        ]
    }

    /// Loads more than two vectors and at most four, filled up with zeros.
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

/// Returns the data after the first `bytes` bytes.
///
/// An empty rest is placed at the *start* of `data`: a load without any byte then has an address
/// inside, because one in an absent page is slow even if nothing is read from it.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
#[inline(always)]
pub(crate) fn after(data: &[u8], bytes: usize) -> &[u8] {
    data.get(bytes..).unwrap_or(&data[..0])
}

/// Sums of 16-bit words in 32-bit lanes.
///
/// Where the instructions take signed words, a word w counts as w - 32768, and the caller adds the
/// bias.
pub(crate) trait WordSum: Load {
    /// The bias of a word: 32768 where the instructions take signed words, else 0.
    const BIAS: i32;
    /// The length up to which one sum of 64-bit words is faster than these vectors.
    const WORDS_TO: usize;
    /// A vector of 32-bit lanes, one for every two words.
    type Lanes: Copy;
    /// The tier of vectors of half the size, or this tier if there is none.
    type Narrow: WordSum;
    /// Whether there is one.
    const NARROWS: bool = false;
    /// Whether long data may be summed in two streams. No CPU without vectors of 64 bytes was
    /// measured.
    const IN_STREAMS: bool = false;
    /// Returns the marker of the narrower tier.
    fn narrow(self) -> Self::Narrow;
    /// Returns lanes that all hold one number.
    fn lanes(self, each: i32) -> Self::Lanes;
    /// Adds the little-endian words, each less the bias, two to a lane.
    ///
    /// If `twice`, which must be constant, the first of the two counts twice.
    fn sum(self, lanes: Self::Lanes, words: Self::V, twice: bool) -> Self::Lanes;
    /// Adds lane by lane.
    fn add(self, a: Self::Lanes, b: Self::Lanes) -> Self::Lanes;
    /// Returns the sum of all lanes, which must not be negative and must add up to less than 2^32.
    ///
    /// The result may be two numbers in the two halves whose sum it is.
    fn packed(self, lanes: Self::Lanes) -> u64;
    /// Returns the sum of all lanes, which must not be negative.
    fn total(self, lanes: Self::Lanes) -> u64;
    /// Returns the sum of all lanes times 4^(7 - i), where i counts the lanes of 32 bytes of data
    /// from 0 to 7.
    ///
    /// The lanes are those of vectors with an even and with an odd index, and must not be negative.
    fn columns(self, even: Self::Lanes, odd: Self::Lanes) -> u64;
}

/// A unit of the weighted sums.
pub(crate) trait Unit: 'static {
    /// The bytes of a unit.
    const BYTES: usize;
    /// The largest value of a unit.
    const MAX: u64;
    /// The most 64-bit words whose sums [`Unit::of_words`] finds sooner than vectors do.
    ///
    /// Measured on a Xeon (Emerald Rapids) on 2026-11-23.
    const WORDS: usize;
    /// The units at even places in a 64-bit word.
    const EVEN: u64;

    /// Returns the sum of the units of little-endian words, and their sum with weights that go down
    /// to 1.
    ///
    /// Units at even and at odd places are added in fields of twice their size, and so are the
    /// values of both sums before each word. Six words of bytes fit, and eight of 16-bit units.
    #[inline(always)]
    fn of_words<const K: usize>(words: [u64; K]) -> (u32, u32) {
        debug_assert!(K <= 4 + 2 * Self::BYTES);
        let (mut even, mut odd, mut before) = (0, 0, 0);
        for word in words {
            before += even + odd;
            even += word & Self::EVEN;
            odd += word >> (8 * Self::BYTES) & Self::EVEN;
        }
        Self::of_fields(even, odd, before)
    }

    /// Returns the sums of [`Unit::of_words`] from its fields.
    fn of_fields(even: u64, odd: u64, before: u64) -> (u32, u32);
}

/// Bytes.
#[derive(Debug)]
pub(crate) struct Bytes;

impl Unit for Bytes {
    const BYTES: usize = 1;
    const MAX: u64 = 0xff;
    const WORDS: usize = 4;
    const EVEN: u64 = 0x00ff_00ff_00ff_00ff;

    #[inline(always)]
    fn of_fields(even: u64, odd: u64, before: u64) -> (u32, u32) {
        // The top 16 bits of a product are a dot product of four fields, the second factor's in
        // reverse. For six words they reach 6 (8 + 7 + ... + 1) 255 = 55080.
        let sum = |fields: u64, weights| (fields.wrapping_mul(weights) >> 48) as u32;
        let weighted = even.wrapping_mul(0x0008_0006_0004_0002);
        let weighted = weighted.wrapping_add(odd.wrapping_mul(0x0007_0005_0003_0001));
        let ones = 0x0001_0001_0001_0001;
        (sum(even + odd, ones), sum(weighted, 1) + 8 * sum(before, ones))
    }
}

/// Little-endian 16-bit words.
#[derive(Debug)]
pub(crate) struct Words;

impl Unit for Words {
    const BYTES: usize = 2;
    const MAX: u64 = 0xffff;
    const WORDS: usize = 6;
    const EVEN: u64 = 0x0000_ffff_0000_ffff;

    #[inline(always)]
    fn of_fields(even: u64, odd: u64, before: u64) -> (u32, u32) {
        // Weights 4 and 3 in the lower half, 2 and 1 in the upper: those of the upper half, and two
        // more in the lower one.
        let plain = even + odd;
        let halves = plain + even + 4 * before;
        let sum = |fields: u64| (fields as u32) + (fields >> 32) as u32;
        (sum(plain), sum(halves) + 2 * plain as u32)
    }
}

/// Sums of units and sums weighted by place, in steps of four vectors.
///
/// A step holds N units; its unit e (0 to N - 1) has the weight N - e - `CENTRE`; the centre halves
/// the size of the weights.
pub(crate) trait Weighted<U: Unit>: Load {
    /// Three sums over the steps: of the units; of the values of that sum before each step; and of
    /// the weighted units.
    type Sums: Copy;
    /// The bias of a unit: 32768 where words are taken as signed, else 0.
    const BIAS: i64;
    const CENTRE: i32;
    /// The most steps without overflow in any lane.
    const STEPS: usize;
    /// Whether long data may be read in two streams: the sums of both then need registers.
    const TWO_STREAMS: bool = false;
    fn zero(self) -> Self::Sums;
    fn step(self, sums: Self::Sums, vectors: [Self::V; 4]) -> Self::Sums;

    /// Returns the sums after a last step, and the number of zero units behind its data.
    ///
    /// The step takes the units of `data` from `from` on, at most as many as fill it. Zeros before
    /// them change nothing.
    #[inline(always)]
    fn last_step(self, sums: Self::Sums, data: &[u8], from: usize) -> (Self::Sums, usize) {
        let left = data.len() - from;
        // Without byte masks a load costs more than a branch saves.
        let vectors = if !Self::MASKS && left <= 2 * Self::BYTES {
            let second = self.load_low(data, from + Self::BYTES);
            [self.load_low(data, from), second, self.null(), self.null()]
        } else {
            self.load_step(data, from)
        };
        (self.step(sums, vectors), 4 * Self::BYTES / U::BYTES - left.div_ceil(U::BYTES))
    }
    /// Returns S, and N times the earlier sums plus the weighted sum, modulo 2^32.
    fn totals32(self, sums: Self::Sums) -> [u32; 2];
    /// Returns the totals of [`Weighted::totals32`] in full.
    fn totals64(self, sums: Self::Sums) -> [i64; 2];
    /// The most units for which each of the three sums fits a signed 32-bit lane.
    const APART_TO: usize = 0;

    /// Returns the totals of [`Weighted::totals64`], of no more than `APART_TO` units.
    #[inline(always)]
    fn totals_apart(self, sums: Self::Sums) -> [i64; 2] {
        self.totals64(sums)
    }

    /// Returns S and W of `units` units in `K` vectors, 1, 2 or 4, with zeros behind them.
    fn few<const K: usize>(self, vectors: [Self::V; K], units: usize) -> (u32, u32);

    /// The fewest bytes that are summed as 64-bit words, none or a word, and the most.
    const BY_WORDS: [usize; 2] = [0, 8 * U::WORDS];
    /// Whether data of 8 and of 16 bytes are summed as 64-bit words, and no others.
    const ONE_OR_TWO_WORDS: bool = false;

    /// Returns S and W of data no longer than two vectors.
    #[inline(always)]
    fn one_or_two(self, data: &[u8]) -> (u32, u32) {
        let (n, units) = (data.len(), data.len().div_ceil(U::BYTES));
        if n <= Self::BYTES {
            self.few([self.load_low(data, 0)], units)
        } else {
            self.few([self.load_whole(data, 0), self.load_low(data, Self::BYTES)], units)
        }
    }

    /// Returns S and W of data longer than two vectors, and no longer than four.
    #[inline(always)]
    fn three_or_four(self, data: &[u8]) -> (u32, u32) {
        self.few(self.load_3_or_4(data), data.len().div_ceil(U::BYTES))
    }

    /// The length up to which [`Weighted::several`] serves.
    const SHORT_TO: usize = Self::STRAIGHT_TO;

    /// Returns S and W of data longer than four vectors, and no longer than `SHORT_TO`.
    #[inline(always)]
    fn several(self, data: &[u8]) -> (u32, u32) {
        let sums = self.step(self.zero(), self.load_four(data));
        let (sums, zeros) = self.last_step(sums, data, 4 * Self::BYTES);
        corrected32::<Self, U>(self.totals32(sums), 8 * Self::BYTES / U::BYTES, zeros)
    }
}

/// Converts the totals of a step whose first 4 - `K` vectors are zero to S and W, for
/// [`Weighted::few`].
#[inline(always)]
pub(crate) fn few32<T: Weighted<U>, U: Unit, const K: usize>(
    totals: [u32; 2],
    units: usize,
) -> (u32, u32) {
    let places = K * T::BYTES / U::BYTES;
    corrected32::<T, U>(totals, places, places - units)
}

/// Corrects S and W modulo 2^32 to their true values.
///
/// It adds back the bias of each of `units` units and the centre, and subtracts the effect of the
/// `zeros` units that fill up the last step.
#[inline(always)]
pub(crate) fn corrected32<T: Weighted<U>, U: Unit>(
    [plain, weighted]: [u32; 2],
    units: usize,
    zeros: usize,
) -> (u32, u32) {
    let weights = units * (units + 1) / 2;
    let s = plain.wrapping_add((T::BIAS as usize * units) as u32);
    // One factor of the product with the plain sum does not depend on the vectors.
    let more = (T::CENTRE as u32).wrapping_sub(zeros as u32);
    let bias = (T::BIAS as usize).wrapping_mul(weights.wrapping_sub(zeros * units)) as u32;
    (s, weighted.wrapping_add(more.wrapping_mul(plain)).wrapping_add(bias))
}

/// Lists the weights of a step of `N` units: N - centre, N - 1 - centre, ..., 1 - centre.
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

/// Returns the bytes behind the last whole `grain` (at most eight), as a little-endian word.
#[inline(always)]
pub(crate) fn last_word(data: &[u8], grain: usize) -> u64 {
    let n = data.len() % grain;
    match data.last_chunk::<8>() {
        // If there are no bytes, the two shifts leave zero.
        Some(eight) => u64::from_le_bytes(*eight) >> 8 >> (8 * (7 - n)),
        None => short_word(&data[data.len() - n..]),
    }
}

/// Returns the bytes from `from` on, at most sixteen, as two little-endian words filled up with
/// zeros.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
#[inline(always)]
pub(crate) fn low_words(data: &[u8], from: usize) -> [u64; 2] {
    let rest = after(data, from);
    let n = rest.len();
    let both = match (rest.first_chunk::<16>(), data.last_chunk::<16>()) {
        (Some(first), _) => u128::from_le_bytes(*first),
        // If there are no bytes, the two shifts leave zero.
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
