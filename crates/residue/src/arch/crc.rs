//! What the kernels of CRCs ask of a CPU.

use super::Tier;

/// Carry-less arithmetic on 16-byte lanes, for CRCs.
///
/// A lane holds a polynomial of degree below 128: little-endian with bit i as the coefficient of x^(127-i) for a
/// reflected CRC, of x^i for a normal one (after [`CarryLess::reverse`]).
pub(crate) trait CarryLess: Tier {
    type V: Copy;
    fn load(self, bytes: &[u8; 16]) -> Self::V;
    fn lane_of(self, lane: u128) -> Self::V;
    fn bits_of(self, lane: Self::V) -> u128;
    fn xor(self, a: Self::V, b: Self::V) -> Self::V;
    /// low(v) * low(key) + high(v) * high(key) + data.
    fn fold(self, v: Self::V, key: Self::V, data: Self::V) -> Self::V;
    /// The bytes of the lane in opposite order.
    fn reverse(self, v: Self::V) -> Self::V;
    /// Byte i of the result is byte `index[i]` of `v`, or zero where `index[i]` is 0x80.
    fn shuffle(self, v: Self::V, index: &[u8; 16]) -> Self::V;
    /// The 127-bit carry-less product.
    fn mul(self, a: u64, b: u64) -> u128;
}

/// The same on vectors of several lanes, each of which is a lane of its own.
pub(crate) trait CarryLessWide: CarryLess {
    type W: Copy;
    /// The bytes of one vector.
    type Block: 'static;
    /// Lanes in a vector: 2 or 4.
    const LANES: usize;
    fn blocks(self, data: &[u8]) -> (&[Self::Block], &[u8]);
    fn load_wide(self, block: &Self::Block) -> Self::W;
    /// The lane, before zero lanes.
    fn first_lane(self, lane: Self::V) -> Self::W;
    /// The lane in every place.
    fn all_lanes(self, lane: Self::V) -> Self::W;
    fn xor_wide(self, a: Self::W, b: Self::W) -> Self::W;
    /// [`CarryLess::fold`] in every lane.
    fn fold_wide(self, v: Self::W, key: Self::W, data: Self::W) -> Self::W;
    /// [`CarryLess::reverse`] in every lane.
    fn reverse_wide(self, v: Self::W) -> Self::W;
    /// Lane `index`, which is below [`CarryLessWide::LANES`].
    fn lane(self, v: Self::W, index: usize) -> Self::V;
}

/// The CRC-32C instruction.
pub(crate) trait Crc32cStep: Tier {
    /// The state after the eight bytes of `word`, lowest first.
    fn step8(self, state: u32, word: u64) -> u32;
    /// The state after the four bytes of `word`, lowest first.
    fn step4(self, state: u32, word: u32) -> u32;
    /// The state after the two bytes of `word`, lowest first.
    fn step2(self, state: u32, word: u16) -> u32;
    /// The state after one byte.
    fn step1(self, state: u32, byte: u8) -> u32;
}
