//! Causes of wrong check values: what the sender, or a node on the path, must have computed
//! instead.
//!
//! A cause is named if it explains the stored value exactly, and in so many packets that chance
//! does not ([`Chance`]).

mod alone;
mod chance;
mod contradiction;
mod decrypted;
mod diagnosis;
mod flipped_bit;
mod kind;
mod lengthened;
mod repeated;
mod rewritten;
mod right;
mod signature;

pub use chance::Chance;
pub use diagnosis::{Chances, Diagnosis, Tally};
pub use kind::CauseKind;
pub(crate) use rewritten::Addresses;
pub use rewritten::Rewrite;
pub(crate) use signature::is_zero_header;

use crate::buffer::Places;

/// The cause of a check value that is not good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cause {
    /// The field holds the sum of the pseudo-header, for the network card to complete
    /// ([`Verdict::Offloaded`](crate::check::Verdict::Offloaded)); or it is a zero in an IPv4
    /// header of a sender that does so.
    Offload,
    /// Addresses or ports were changed on the path, or by an anonymiser, without the checksum: it
    /// is wrong by an equal amount in all packets between two addresses.
    Rewritten,
    /// Addresses or ports were changed in packets whose checksum the network card never completed:
    /// the sum of the pseudo-header is wrong by an equal amount in all packets between two
    /// addresses.
    OffloadRewritten,
    /// The field is zero.
    Zeroed,
    /// The field has the same bytes as its surroundings: a filler was written over it.
    Filled,
    /// The sum itself is stored, not its complement.
    NotComplemented,
    /// The value's bytes are in the wrong order.
    ByteSwapped,
    /// 0000 in place of FFFF: one's complement has two zeros, and an update after RFC 1141 confuses
    /// them (RFC 1624).
    NegativeZero,
    /// The value is right for this many bytes from the start of the coverage (including padding or
    /// a frame check sequence, or without some bytes), or for a header that counts this many bytes.
    OtherLength(u32),
    /// The value is right for the destination in the header, but the packet is source-routed, and
    /// the final destination counts (or the reverse).
    OtherDestination,
    /// The value is right without the pseudo-header.
    NoPseudoHeader,
    /// Packets with other contents have the same value, which may be right in one of them: they
    /// were made from one, or changed, without computing the value again.
    Copied,
    /// The field occurs again in its packet, with the bytes before or behind it: the packet was
    /// edited after the value was computed, by copying a part of it over another.
    Repeated,
    /// A header contradicts the packet or itself: covered bytes were changed, or the bytes are no
    /// header.
    Contradiction,
    /// The receiver decrypted an IEEE 802.11 frame: the frame check sequence is that of the
    /// encrypted one.
    Decrypted,
    /// One bit was flipped.
    FlippedBit(Bit),
    /// One byte was changed: the high one of a 16-bit word, or the low one. A sum does not show
    /// which word.
    ChangedByte {
        /// Whether it is the high byte.
        high: bool,
    },
}

/// A flipped bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Bit {
    /// Bit `bit` (0 is the lowest) of the byte at this offset in the buffer.
    At {
        /// Offset of the byte.
        offset: u32,
        /// Number of the bit, 0 to 7.
        bit: u8,
    },
    /// A bit of this weight (0 to 15) in one of the 16-bit words, or in the value itself; a sum
    /// does not show which.
    Weight(u8),
}

impl Cause {
    /// Returns details of the cause, in a buffer whose bytes are at `places`.
    #[must_use]
    pub fn detail(self, places: Places<'_>) -> Option<String> {
        match self {
            Cause::OtherLength(length) => Some(format!("right for {length} bytes")),
            Cause::FlippedBit(Bit::At { offset, bit }) => {
                let place = places.offset(offset);
                let place = place.map_or(String::new(), |at| format!(", byte {at} of the file"));
                Some(format!("bit {bit} of byte {offset}{place}"))
            }
            Cause::FlippedBit(Bit::Weight(weight)) => {
                Some(format!("bit {weight} of a 16-bit word"))
            }
            Cause::ChangedByte { high } => {
                let which = if high { "high" } else { "low" };
                Some(format!("the {which} byte of a 16-bit word"))
            }
            _ => None,
        }
    }
}
