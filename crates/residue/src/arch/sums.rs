//! What the kernels of sums ask of a CPU.

use super::Tier;

/// Sums of 16-bit words: vectors of words, accumulators of 32-bit lanes.
///
/// The multiply-add works on signed words, so words are loaded with their top bit flipped: a word w counts as
/// w - 32768, and the caller adds the bias back.
pub(crate) trait WordDot: Tier {
    /// A vector of words, and of 32-bit lanes.
    type V: Copy;
    /// The bytes of one vector.
    type Block: 'static;
    /// Words in a vector.
    const WORDS: usize;
    fn blocks(self, data: &[u8]) -> (&[Self::Block], &[u8]);
    fn zero(self) -> Self::V;
    /// The little-endian words of a block, each less 32768.
    fn load(self, block: &Self::Block) -> Self::V;
    /// Adds the words to the lanes, two to a lane.
    fn sum(self, lanes: Self::V, words: Self::V) -> Self::V;
    /// The same with weights: the first word `WORDS` times, the last once.
    fn weigh(self, lanes: Self::V, words: Self::V) -> Self::V;
    /// Adds lane by lane.
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    /// The sum of all lanes.
    fn total(self, lanes: Self::V) -> i64;
}

/// Sums of bytes: vectors of bytes, accumulators wide enough for 2048 steps.
pub(crate) trait ByteDot: Tier {
    /// A vector of bytes.
    type V: Copy;
    /// Lanes that hold sums.
    type Lanes: Copy;
    /// The bytes of one vector.
    type Block: 'static;
    /// Bytes in a vector.
    const BYTES: usize;
    fn blocks(self, data: &[u8]) -> (&[Self::Block], &[u8]);
    fn zero(self) -> Self::Lanes;
    fn load(self, block: &Self::Block) -> Self::V;
    /// Adds the bytes to the lanes.
    fn sum(self, lanes: Self::Lanes, bytes: Self::V) -> Self::Lanes;
    /// The same with weights: the first byte `BYTES` times, the last once.
    fn weigh(self, lanes: Self::Lanes, bytes: Self::V) -> Self::Lanes;
    /// Adds lane by lane, where both are results of `sum`.
    fn add(self, a: Self::Lanes, b: Self::Lanes) -> Self::Lanes;
    /// The sum of all lanes of a result of `sum` or `add`.
    fn sum_total(self, lanes: Self::Lanes) -> u64;
    /// The sum of all lanes of a result of `weigh`.
    fn weigh_total(self, lanes: Self::Lanes) -> u64;
}
