//! What the kernels of sums ask of a CPU.

use super::Tier;

/// Vectors of bytes.
pub(crate) trait Load: Tier {
    /// A vector.
    type V: Copy;
    /// The bytes of one.
    type Block: 'static;
    /// How many they are.
    const BYTES: usize;
    /// What [`Load::load_low`] can tell apart: whole multiples of so many bytes. It divides `BYTES`.
    const GRAIN: usize;
    /// The whole vectors of `data`, and the bytes after them.
    fn blocks(self, data: &[u8]) -> (&[Self::Block], &[u8]);
    fn load(self, block: &Self::Block) -> Self::V;
    /// The first `BYTES` bytes of `data`, of which there are a multiple of `GRAIN`, and at most 255; zeros from its end
    /// on. No branch on the length where the CPU has loads with a mask.
    fn load_low(self, data: &[u8]) -> Self::V;

    /// Vector `index` of `data`, which is known to be there: else it is read as [`Load::load_low`] does.
    #[inline(always)]
    fn load_whole(self, data: &[u8], index: usize) -> Self::V {
        match self.blocks(data).0.get(index) {
            Some(block) => self.load(block),
            None => self.load_low(after(data, index * Self::BYTES)),
        }
    }

    /// More than two vectors and at most four, filled up with zeros.
    #[inline(always)]
    fn load_3_or_4(self, data: &[u8]) -> [Self::V; 4] {
        [
            self.load_whole(data, 0),
            self.load_whole(data, 1),
            self.load_low(after(data, 2 * Self::BYTES)),
            self.load_low(after(data, 3 * Self::BYTES)),
        ]
    }

    /// At most four vectors, filled up with zeros.
    #[inline(always)]
    fn load_step(self, data: &[u8]) -> [Self::V; 4] {
        // Not by `map`: it is not inlined, and neither are the loads in it.
        [
            self.load_low(data),
            self.load_low(after(data, Self::BYTES)),
            self.load_low(after(data, 2 * Self::BYTES)),
            self.load_low(after(data, 3 * Self::BYTES)),
        ]
    }
}

/// What follows the first `bytes` bytes. Nothing is at the *start* of `data`: a load without any byte then has an address
/// inside, for one in an absent page is slow even if nothing is read from it.
#[inline(always)]
pub(crate) fn after(data: &[u8], bytes: usize) -> &[u8] {
    data.get(bytes..).unwrap_or(&data[..0])
}

/// Sums of 16-bit words in 32-bit lanes.
///
/// The multiply-add works on signed words, so a word w counts as w - 32768, and the caller adds the bias back.
pub(crate) trait WordSum: Load {
    /// 32-bit lanes, one for every two words.
    type Lanes: Copy;
    /// The same number in all lanes.
    fn lanes(self, each: i32) -> Self::Lanes;
    /// Adds the little-endian words, each less 32768, two to a lane.
    fn sum(self, lanes: Self::Lanes, words: Self::V) -> Self::Lanes;
    /// Adds lane by lane.
    fn add(self, a: Self::Lanes, b: Self::Lanes) -> Self::Lanes;
    /// The sum of the lanes of even number, and of those of odd number in the upper half: both taken as unsigned, and both
    /// must fit.
    fn packed(self, lanes: Self::Lanes) -> u64;
    /// The sum of all lanes, signed.
    fn total(self, lanes: Self::Lanes) -> i64;
}

/// What is summed with weights.
pub(crate) trait Unit: 'static {
    /// Its bytes.
    const BYTES: usize;
    /// What vectors take from each.
    const BIAS: i64;
    /// The largest.
    const MAX: u64;
}

/// Bytes.
#[derive(Debug)]
pub(crate) struct Bytes;

impl Unit for Bytes {
    const BYTES: usize = 1;
    const BIAS: i64 = 0;
    const MAX: u64 = 0xff;
}

/// Little-endian 16-bit words, each less 32768.
#[derive(Debug)]
pub(crate) struct Words;

impl Unit for Words {
    const BYTES: usize = 2;
    const BIAS: i64 = 32768;
    const MAX: u64 = 0xffff;
}

/// Sums of units and sums weighted by place, in steps of four vectors.
///
/// A step holds N units; unit e of it (0 to N - 1) is weighted N - e - `CENTRE`, which halves the size of the weights.
pub(crate) trait Weighted<U: Unit>: Load {
    /// Three sums over the steps: of the units; of what that sum was before each step; and of the weighted units.
    type Sums: Copy;
    const CENTRE: i32;
    /// The most steps that no lane overflows in.
    const STEPS: usize;
    fn zero(self) -> Self::Sums;
    fn step(self, sums: Self::Sums, vectors: [Self::V; 4]) -> Self::Sums;
    /// S, and N times the earlier sums plus the weighted sum; modulo 2^32.
    fn totals32(self, sums: Self::Sums) -> [u32; 2];
    /// The same in full.
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

/// At most seven bytes as a little-endian word, by loads that overlap: `|` joins them, for what they share is equal.
#[inline(always)]
pub(crate) fn short_word(data: &[u8]) -> u64 {
    let n = data.len();
    debug_assert!(n < 8);
    if let (Some(first), Some(last)) = (data.first_chunk::<4>(), data.last_chunk::<4>()) {
        let [first, last] = [first, last].map(|four| u64::from(u32::from_le_bytes(*four)));
        return first | last << (8 * (n - 4));
    }
    match data {
        [] => 0,
        _ => {
            let byte = |i: usize| u64::from(data[i]) << (8 * i);
            byte(0) | byte(n / 2) | byte(n - 1)
        }
    }
}

/// At most fifteen bytes as two words, filled up with zeros.
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))]
#[inline(always)]
pub(crate) fn low_words(data: &[u8]) -> [u64; 2] {
    let n = data.len();
    match (data.first_chunk::<8>(), data.last_chunk::<8>()) {
        (Some(first), Some(last)) => {
            // For eight bytes, a shift by 64 leaves nothing of the second word.
            let high = u128::from(u64::from_le_bytes(*last)) >> (8 * (16 - n));
            [u64::from_le_bytes(*first), high as u64]
        }
        _ => [short_word(data), 0],
    }
}
