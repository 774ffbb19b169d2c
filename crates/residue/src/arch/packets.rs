//! The operations that batches of packets need. Their last step is the Internet checksum's own,
//! because it takes place in vectors, too.

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
    const LONGEST: usize;
    /// Returns zero lanes.
    fn none(self) -> Self::Lanes;
    /// Returns lanes whose total is the sum of the packet's little-endian words, an odd last byte
    /// followed by a zero byte; `None` unless the length is one that takes no branch.
    fn quick(self, packet: &[u8]) -> Option<Self::Lanes>;
    /// Does what [`PacketSums::quick`] does, for a second range of lengths.
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
