//! Faults of networks.

use crate::random::Random;
use residue_net::named;
use serde::{Deserialize, Serialize};

named! {
    /// A fault of a network.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Fault {
        /// No fault.
        Nothing = "nothing",
        /// A router swaps two 16-bit words.
        WordSwap = "word-swap",
        /// A gateway swaps two adjacent bytes, once in a million bytes (Saltzer, Reed, Clark 1984).
        BytePair = "byte-pair",
        /// One bit is flipped.
        BitFlip = "bit-flip",
        /// 4 to 64 bytes are replaced.
        Burst = "burst",
        /// A network card changes data before it computes the checksum.
        Offload = "offload",
        /// A NAT translates addresses and ports correctly.
        Nat = "nat",
        /// A NAT also changes a byte, and recomputes the checksum.
        NatDamage = "nat-damage",
        /// A middlebox changes the sequence number, and recomputes the checksum.
        Sequence = "sequence",
        /// A NAT does so.
        NatSequence = "nat-sequence",
        /// A middlebox replaces option 14 by NOPs.
        NoRequest = "no-request",
        /// A middlebox replaces option 15 by NOPs.
        NoData = "no-data",
        /// Packets are lost.
        Loss = "loss",
        /// Packets overtake each other.
        Reorder = "reorder",
        /// Packets are duplicated.
        Duplicate = "duplicate",
        /// Word swaps, byte pairs, bit flips, bursts and changes before the checksum, with loss,
        /// reordering and duplicates.
        Everything = "everything",
    }
}

/// Damage to a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Harm {
    WordSwap,
    BytePair,
    BitFlip,
    Burst,
    /// A changed byte, with a checksum recomputed over it.
    BeforeChecksum,
    /// A changed sequence number, with a checksum recomputed over it.
    Sequence,
}

impl Fault {
    /// Returns the damage to a segment, if the fault damages segments.
    pub(crate) fn harm(self, random: &mut Random) -> Option<Harm> {
        const ALL: [Harm; 5] =
            [Harm::WordSwap, Harm::BytePair, Harm::BitFlip, Harm::Burst, Harm::BeforeChecksum];
        match self {
            Fault::WordSwap => Some(Harm::WordSwap),
            Fault::BytePair => Some(Harm::BytePair),
            Fault::BitFlip => Some(Harm::BitFlip),
            Fault::Burst => Some(Harm::Burst),
            Fault::Offload | Fault::NatDamage => Some(Harm::BeforeChecksum),
            Fault::Sequence | Fault::NatSequence => Some(Harm::Sequence),
            Fault::Everything => Some(ALL[random.below(5) as usize]),
            _ => None,
        }
    }

    pub(super) fn translates(self) -> bool {
        matches!(self, Fault::Nat | Fault::NatDamage | Fault::NatSequence)
    }

    pub(super) fn loses(self) -> bool {
        matches!(self, Fault::Loss | Fault::Everything)
    }

    pub(super) fn reorders(self) -> bool {
        matches!(self, Fault::Reorder | Fault::Everything)
    }

    pub(super) fn duplicates(self) -> bool {
        matches!(self, Fault::Duplicate | Fault::Everything)
    }
}

impl Harm {
    /// Changes a segment whose data, of at least 8 bytes, begin at `offset`.
    pub(super) fn apply(self, segment: &mut [u8], offset: usize, random: &mut Random) {
        let (header, data) = segment.split_at_mut(offset);
        match self {
            Harm::WordSwap => swap_words(data, offset, random),
            Harm::BytePair => {
                let at = random.below(data.len() as u64 - 1) as usize;
                data.swap(at, at + 1);
            }
            Harm::BitFlip => {
                let at = random.below(data.len() as u64 * 8) as usize;
                data[at / 8] ^= 1 << (at % 8);
            }
            Harm::Burst => {
                let length = (4 + random.below(61) as usize).min(data.len());
                let at = random.below((data.len() - length) as u64 + 1) as usize;
                data[at..at + length].fill_with(|| random.next() as u8);
            }
            Harm::BeforeChecksum => {
                let at = random.below(data.len() as u64) as usize;
                data[at] ^= 1 + random.below(255) as u8;
            }
            Harm::Sequence => {
                // The last bytes of the segment still follow those that arrived before it.
                let back = 1 + random.below(data.len() as u64 - 1) as u32;
                if let Some(number) = header.get_mut(4..).and_then(<[u8]>::first_chunk_mut) {
                    *number = u32::from_be_bytes(*number).wrapping_sub(back).to_be_bytes();
                }
            }
        }
    }
}

/// Swaps two words as the Internet checksum sees them.
fn swap_words(data: &mut [u8], offset: usize, random: &mut Random) {
    let first = offset & 1;
    let words = (data.len() - first) as u64 / 2;
    let mut place = || first + random.below(words) as usize * 2;
    let (one, other) = (place(), place());
    data.swap(one, other);
    data.swap(one + 1, other + 1);
}
