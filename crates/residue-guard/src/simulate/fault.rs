//! Faults of networks.

use super::Random;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A fault of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// No fault.
    Nothing,
    /// A router swaps two 16-bit words.
    WordSwap,
    /// A gateway swaps two adjacent bytes, once in a million bytes (Saltzer, Reed, Clark 1984).
    BytePair,
    /// One bit is flipped.
    BitFlip,
    /// 4 to 64 bytes are replaced.
    Burst,
    /// A network card changes data before it computes the checksum.
    Offload,
    /// A NAT translates addresses and ports correctly.
    Nat,
    /// A NAT also changes a byte, and recomputes the checksum.
    NatDamage,
    /// A middlebox replaces option 14 by NOPs.
    NoRequest,
    /// A middlebox replaces option 15 by NOPs.
    NoData,
    /// Packets are lost.
    Loss,
    /// Packets overtake each other.
    Reorder,
    /// Packets are duplicated.
    Duplicate,
    /// Word swaps, byte pairs, bit flips, bursts and changes before the checksum, with loss,
    /// reordering and duplicates.
    Everything,
}

/// Damage to the data of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Harm {
    WordSwap,
    BytePair,
    BitFlip,
    Burst,
    /// A changed byte, with a checksum recomputed over it.
    BeforeChecksum,
}

impl Fault {
    /// All faults.
    pub const ALL: [Fault; 14] = [
        Fault::Nothing,
        Fault::WordSwap,
        Fault::BytePair,
        Fault::BitFlip,
        Fault::Burst,
        Fault::Offload,
        Fault::Nat,
        Fault::NatDamage,
        Fault::NoRequest,
        Fault::NoData,
        Fault::Loss,
        Fault::Reorder,
        Fault::Duplicate,
        Fault::Everything,
    ];

    /// Returns the name of the fault in arguments and tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Fault::Nothing => "nothing",
            Fault::WordSwap => "word-swap",
            Fault::BytePair => "byte-pair",
            Fault::BitFlip => "bit-flip",
            Fault::Burst => "burst",
            Fault::Offload => "offload",
            Fault::Nat => "nat",
            Fault::NatDamage => "nat-damage",
            Fault::NoRequest => "no-request",
            Fault::NoData => "no-data",
            Fault::Loss => "loss",
            Fault::Reorder => "reorder",
            Fault::Duplicate => "duplicate",
            Fault::Everything => "everything",
        }
    }

    /// Returns the damage to the data of a segment, if the fault damages data.
    pub(crate) fn harm(self, random: &mut Random) -> Option<Harm> {
        const ALL: [Harm; 5] =
            [Harm::WordSwap, Harm::BytePair, Harm::BitFlip, Harm::Burst, Harm::BeforeChecksum];
        match self {
            Fault::WordSwap => Some(Harm::WordSwap),
            Fault::BytePair => Some(Harm::BytePair),
            Fault::BitFlip => Some(Harm::BitFlip),
            Fault::Burst => Some(Harm::Burst),
            Fault::Offload | Fault::NatDamage => Some(Harm::BeforeChecksum),
            Fault::Everything => Some(ALL[random.below(5) as usize]),
            _ => None,
        }
    }

    pub(super) fn translates(self) -> bool {
        matches!(self, Fault::Nat | Fault::NatDamage)
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

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Fault {
    type Err = String;

    fn from_str(name: &str) -> Result<Fault, String> {
        let found = Fault::ALL.into_iter().find(|fault| fault.name() == name);
        found.ok_or_else(|| {
            let names = Fault::ALL.map(Fault::name).join(", ");
            format!("no fault is called {name:?}: give one of {names}")
        })
    }
}

impl Harm {
    /// Changes data of at least 8 bytes; `offset` is the offset of the data in the segment.
    pub(super) fn apply(self, data: &mut [u8], offset: usize, random: &mut Random) {
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
