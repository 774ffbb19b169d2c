//! What batches of packets ask of a CPU.

use super::Tier;

/// Sums of the 16-bit words of packets, `N` times four at once.
pub(crate) trait PacketSums<const N: usize>: Tier {
    /// 32-bit lanes.
    type Lanes: Copy;
    /// The lanes of four packets, added up in part.
    type Four: Copy;
    /// The longest packet, in bytes, whose lanes cannot overflow. The Internet checksum's own
    /// kernel takes longer ones.
    const LONGEST: usize;
    /// Lanes of nothing.
    fn none(self) -> Self::Lanes;
    /// Lanes whose total is the sum of the packet's little-endian words, an odd last byte before a
    /// zero byte; for packets of the lengths that take no branch.
    fn quick(self, packet: &[u8]) -> Option<Self::Lanes>;
    /// As [`PacketSums::quick`], for other lengths that take no branch.
    fn brief(self, packet: &[u8]) -> Option<Self::Lanes>;
    /// The lanes of any packet of at most [`PacketSums::LONGEST`] bytes.
    fn lanes(self, packet: &[u8]) -> Self::Lanes;
    /// Lanes whose total is `sum`.
    fn lone(self, sum: u16) -> Self::Lanes;
    /// Four packets' lanes in the room of one's.
    fn four(self, packets: [Self::Lanes; 4]) -> Self::Four;
    /// The Internet checksum of each packet: total of its lanes, end-around, complemented, bytes
    /// swapped.
    fn checksums(self, fours: [Self::Four; N]) -> [[u16; 4]; N];
}
