//! The table of causes: what each is, its name, what shows it, and what it means.

use crate::buffer::Places;
use std::cmp::Ordering;

/// Declares [`Cause`] and [`CauseKind`] from a line for each cause: variant, name, [`Shown`], note,
/// meaning, and what to do next.
macro_rules! causes {
    ($(
        $(#[$documentation:meta])*
        $Kind:ident $(($of:ty))? $({ $(#[$what:meta])* $field:ident: $Of:ty })? = $name:literal,
        $shown:ident, $note:literal, $meaning:literal, $next:literal;
    )+) => {
        /// The cause of a check value that is not good.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Cause {
            $($(#[$documentation])* $Kind $(($of))? $({ $(#[$what])* $field: $Of })?,)+
        }

        crate::named! {
            /// A kind of cause, without details, or an unknown cause. Reports count them, and
            /// options select them. [`CauseKind::ALL`] has them in the order in which they are
            /// considered.
            ///
            /// Kinds are ordered by name, as reports list them.
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            pub enum CauseKind {
                $(#[doc = concat!("[`Cause::", stringify!($Kind), "`].")] $Kind = $name,)+
                /// No cause was found.
                Unknown = "unknown",
            }
        }

        impl CauseKind {
            /// Returns what shows the cause; `None` for the unknown one.
            #[must_use]
            pub const fn shown(self) -> Option<Shown> {
                match self {
                    $(CauseKind::$Kind => Some(Shown::$shown),)+
                    CauseKind::Unknown => None,
                }
            }

            /// Returns what the name leaves open, for lists; empty if nothing.
            #[must_use]
            pub const fn note(self) -> &'static str {
                match self {
                    $(CauseKind::$Kind => $note,)+
                    CauseKind::Unknown => "",
                }
            }

            /// Returns sentences for readers of reports: what the cause means, and whether it is
            /// damage.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self {
                    $(CauseKind::$Kind => $meaning,)+
                    CauseKind::Unknown => {
                        "No known cause gives the stored value: damage, or an unknown cause."
                    }
                }
            }
        }

        impl CauseKind {
            /// Returns sentences for readers of reports: what to do next, or whom to ask.
            #[must_use]
            pub const fn next(self) -> &'static str {
                match self {
                    $(CauseKind::$Kind => $next,)+
                    CauseKind::Unknown => {
                        "See whether the wrong values are of one sender or flow. Then capture at a \
                         second point, and compare (`residue pcap compare`): if both sides have \
                         the same wrong values, the cause is before the first point."
                    }
                }
            }
        }

        impl From<Option<Cause>> for CauseKind {
            fn from(cause: Option<Cause>) -> CauseKind {
                match cause {
                    $(Some(Cause::$Kind { .. }) => CauseKind::$Kind,)+
                    None => CauseKind::Unknown,
                }
            }
        }
    };
}

/// What shows a cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// A packet alone, by one or two values: others are not considered beside it.
    OneValue,
    /// Several packets together.
    Packets,
    /// A packet alone, by many values: it is tested only on the values that nothing before it
    /// explains.
    ManyValues,
}

// In the order in which they are considered, as in docs/packets.md.
causes! {
    /// The field holds the sum of the pseudo-header, for the network card to complete
    /// ([`Verdict::Offloaded`](crate::check::Verdict::Offloaded)); or it is a zero in an IPv4
    /// header of a sender that does so.
    Offload = "offload", Packets,
        "also a zero IPv4 header checksum of a sender that leaves others to its card",
        "The network card of the sender completes these values after the capture. They are right \
         on the wire: no damage.",
        "Nothing is wrong. To see right values, capture on the receiver or on the wire, or turn \
         the offload off (`ethtool -K eth0 tx off`).";
    /// 0000 in place of FFFF: one's complement has two zeros, and an update after RFC 1141 confuses
    /// them (RFC 1624).
    NegativeZero = "negative-zero", OneValue, "0000 for FFFF, RFC 1624",
        "0000 in place of FFFF: a device updated the value by the equation of RFC 1141, which RFC \
         1624 corrects.",
        "Show a packet to the maker of the device that updates the value, such as a translator: \
         the equation is that of RFC 1624.";
    /// The field is zero.
    Zeroed = "zeroed", OneValue, "",
        "The field is zero: its sender did not compute it, or a program cleared it.",
        "Ask who made the capture whether a program cleared the field; if none did, look at the \
         sender.";
    /// The field has the same bytes as its surroundings: a filler was written over it.
    Filled = "filled", OneValue, "the field repeats the byte around it",
        "The field repeats the byte around it: a program wrote over a part of the packet.",
        "Ask who made the capture which program wrote over the packets: they are not as they were \
         sent.";
    /// The sum itself is stored, not its complement.
    NotComplemented = "not-complemented", OneValue, "",
        "The sum was stored without its complement: an error of the sender.",
        "Show a packet to the authors of the sender; `residue conform` tests their code.";
    /// The value's bytes are in the wrong order.
    ByteSwapped = "byte-swapped", OneValue, "",
        "The bytes of the value are in the wrong order: an error of the sender.",
        "Show a packet to the authors of the sender; `residue conform` tests their code.";
    /// The value is right for the destination in the header, but the packet is source-routed, and
    /// the final destination counts (or the reverse).
    OtherDestination = "other-destination", OneValue,
        "computed with the next hop of a source route in place of the last, or vice versa",
        "The value was computed with another destination than the last one of a source route.",
        "Show a packet to the authors of the sender: the last destination counts (RFC 8200 section \
         8.1), and the home address (RFC 6275 section 6.3).";
    /// The value is right without the pseudo-header.
    NoPseudoHeader = "no-pseudo-header", OneValue, "",
        "The sum leaves out the addresses and the length: an error of the sender.",
        "Show a packet to the authors of the sender: the addresses, the protocol and the length \
         belong into the sum.";
    /// Addresses or ports were changed on the path, or by an anonymiser, without the checksum: it
    /// is wrong by an equal amount in all packets between two addresses.
    Rewritten = "rewritten", Packets,
        "addresses or ports were changed but the checksum was not: all packets between two \
         addresses are wrong by the same amount",
        "An address or a port was changed, but not the checksum: by a device on the path, or by a \
         program that anonymised the capture. Receivers drop these packets.",
        "Ask who made the capture whether it was anonymised. If not, capture on both sides of \
         each device that translates addresses, until the values are wrong on one side alone \
         (`residue pcap compare`).";
    /// Addresses or ports were changed in packets whose checksum the network card never completed:
    /// the sum of the pseudo-header is wrong by an equal amount in all packets between two
    /// addresses.
    OffloadRewritten = "offload-rewritten", Packets,
        "as rewritten, in the sum of the pseudo-header",
        "The network card had not completed these values when an address or a port was changed: \
         by a program that anonymised the capture, or by a virtual switch.",
        "Ask who made the capture whether it was anonymised, or who runs the virtual switch. \
         Whether the values were right on the wire, only a capture there shows.";
    /// Packets with other contents have the same value, which may be right in one of them: they
    /// were made from one, or changed, without computing the value again.
    Copied = "copied", Packets, "packets with other contents have the same value",
        "Packets with other contents have the same value: it was copied, not computed.",
        "Ask who made the capture: its packets were made from one another, or edited.";
    /// The value is right for this many bytes from the start of the coverage (including padding or
    /// a frame check sequence, or without some bytes), or for a header that counts this many bytes.
    OtherLength(u32) = "other-length", ManyValues,
        "right if padding or a frame check sequence is included, or some bytes are left out, or \
         for another length in the header",
        "The value is right over another number of bytes: padding or a frame check sequence was \
         summed, some bytes were left out, or the length was changed later.",
        "Compare the number of bytes with the padding and the trailer of the frame, and show a \
         packet to the authors of the sender, or of what changed the length.";
    /// The receiver decrypted an IEEE 802.11 frame: the frame check sequence is that of the
    /// encrypted one.
    Decrypted = "decrypted", ManyValues,
        "the value of an IEEE 802.11 frame before its receiver decrypted it",
        "The receiver decrypted these frames; the value is that of the encrypted ones. No damage.",
        "Nothing is wrong. To see right values, capture the encrypted frames.";
    /// The field occurs again in its packet, with the bytes before or behind it: the packet was
    /// edited after the value was computed, by copying a part of it over another.
    Repeated = "repeated", ManyValues, "the field occurs again in its packet",
        "The value is in the packet twice: a part of the packet was copied over another, as \
         programs do that make packets for tests.",
        "Ask who made the capture: its packets were edited.";
    /// One bit was flipped.
    FlippedBit(Bit) = "flipped-bit", ManyValues, "",
        "One bit was changed between the sender and the capture: damage.",
        "Capture at a second point, and compare (`residue pcap compare`): if only one side has the \
         right values, the damage is between the points. Look at the error counters of the links \
         there, and test the memory of the devices.";
    /// One byte was changed: the high one of a 16-bit word, or the low one. A sum does not show
    /// which word.
    ChangedByte {
        /// Whether it is the high byte.
        high: bool
    } = "changed-byte", ManyValues, "",
        "One byte was changed between the sender and the capture: damage.",
        "Capture at a second point, and compare (`residue pcap compare`): if only one side has the \
         right values, the damage is between the points. Look at the error counters of the links \
         there, and test the memory of the devices.";
    /// A header contradicts the packet or itself: covered bytes were changed, or the bytes are no
    /// header.
    Contradiction = "contradiction", ManyValues, "a header cannot be right",
        "A header cannot be right: it contradicts itself or the packet. Damage, or a packet made \
         for tests.",
        "See whether these bytes are a header at all: of another link type, or encrypted, they \
         are not. If they are, capture at a second point, and compare (`residue pcap compare`).";
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

impl Ord for CauseKind {
    fn cmp(&self, other: &CauseKind) -> Ordering {
        self.name().cmp(other.name())
    }
}

impl PartialOrd for CauseKind {
    fn partial_cmp(&self, other: &CauseKind) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_sorted() {
        let mut kinds = CauseKind::ALL;
        for kind in kinds {
            assert_eq!(kind.name().parse(), Ok(kind));
        }
        assert!("nothing".parse::<CauseKind>().unwrap_err().contains("zeroed"));
        kinds.sort();
        assert!(kinds.map(CauseKind::name).is_sorted());
    }

    /// The order of the table: what one value shows, what packets show, what many values show.
    #[test]
    fn causes_are_in_the_order_in_which_they_are_considered() {
        let shown = CauseKind::ALL.map(CauseKind::shown);
        assert_eq!((shown[0], shown[CauseKind::ALL.len() - 1]), (Some(Shown::Packets), None));
        let rank = |shown: &Option<Shown>| shown.expect("of a cause") as u8;
        assert!(shown[1..CauseKind::ALL.len() - 1].is_sorted_by_key(rank), "{shown:?}");
    }
}
