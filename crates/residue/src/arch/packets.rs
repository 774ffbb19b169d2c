//! The operations that batches of packets need.

use crate::body::Tier;

/// Sums of the 16-bit words of packets, `N` times four at once.
pub(crate) trait PacketSums<const N: usize>: Tier {
    /// A vector of 32-bit lanes.
    type Lanes: Copy;
    /// The partially added lanes of four packets.
    type Four: Copy;
    /// The shortest packet, in bytes, that is faster in a group than on its own.
    const SHORTEST: usize;
    /// The longest packet, in bytes, whose lanes cannot overflow.
    ///
    /// The Internet checksum's own kernel takes longer ones.
    const LONGEST: usize;
    /// Returns zero lanes.
    fn none(self) -> Self::Lanes;
    /// Returns lanes whose total is the sum of the packet's little-endian words, for lengths that
    /// take no branch.
    ///
    /// An odd last byte is followed by a zero byte. Returns `None` for other lengths.
    fn quick(self, packet: &[u8]) -> Option<Self::Lanes>;
    /// Returns the lanes for a second range of lengths that take no branch, as
    /// [`PacketSums::quick`] does.
    fn brief(self, packet: &[u8]) -> Option<Self::Lanes>;
    /// Returns the lanes of any packet of at most [`PacketSums::LONGEST`] bytes.
    fn lanes(self, packet: &[u8]) -> Self::Lanes;
    /// Returns lanes whose total is `sum`.
    fn lone(self, sum: u16) -> Self::Lanes;
    /// Adds the lanes of four packets in part, to one vector.
    fn four(self, packets: [Self::Lanes; 4]) -> Self::Four;
    /// Returns the Internet checksum of each packet: the total of its lanes, folded end-around,
    /// complemented, with bytes swapped.
    fn checksums(self, fours: [Self::Four; N]) -> [[u16; 4]; N];
}
