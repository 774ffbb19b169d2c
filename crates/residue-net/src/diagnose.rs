//! Causes of wrong check values: what the sender, or a node on the path, must have computed
//! instead.
//!
//! A cause is named if it explains the stored value exactly. For 16-bit values, each tested
//! explanation fits by chance once in 65535 times; few are tested.

mod flipped_bit;
mod kind;
mod rewritten;

pub use kind::CauseKind;
pub use rewritten::{Diagnosis, Rewrite, Tally};

use crate::buffer::{Finding, Places};
use crate::check::{Check, Piece, Rule, Span, Verdict};

/// The cause of a check value that is not good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cause {
    /// The field holds the sum of the pseudo-header, for the network card to complete
    /// ([`Verdict::Offloaded`]).
    Offload,
    /// Addresses or ports were changed on the path, or by an anonymiser, without the checksum: it
    /// is wrong by an equal amount in all packets between two addresses.
    Rewritten,
    /// The field is zero.
    Zeroed,
    /// The value's bytes are in the wrong order.
    ByteSwapped,
    /// 0000 in place of FFFF: one's complement has two zeros, and an update after RFC 1141 confuses
    /// them (RFC 1624).
    NegativeZero,
    /// The value is right for this many bytes from the start of the coverage (including padding or
    /// a frame check sequence, or without some bytes).
    OtherLength(u32),
    /// The value is right for the destination in the header, but the packet is source-routed, and
    /// the final destination counts (or the reverse).
    OtherDestination,
    /// One bit was flipped.
    FlippedBit(Bit),
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
            Cause::OtherLength(length) => Some(format!("right over {length} bytes")),
            Cause::FlippedBit(Bit::At { offset, bit }) => {
                let place = places.offset(offset);
                let place = place.map_or(String::new(), |at| format!(", byte {at} of the file"));
                Some(format!("bit {bit} of byte {offset}{place}"))
            }
            Cause::FlippedBit(Bit::Weight(weight)) => {
                Some(format!("bit {weight} of a 16-bit word"))
            }
            _ => None,
        }
    }
}

/// Returns the cause by the packet alone; `None` for a check that is not bad, or without a known
/// cause. [`Diagnosis::cause`] also considers other packets.
#[must_use]
pub fn cause(finding: &Finding<'_>) -> Option<Cause> {
    match finding.verdict {
        Verdict::Offloaded => return Some(Cause::Offload),
        Verdict::Bad => {}
        _ => return None,
    }
    let (stored, computed) = (finding.stored()?, finding.computed()?);
    if stored == 0 {
        let negative = finding.check.rule.is_internet() && computed == 0xffff;
        return Some(if negative { Cause::NegativeZero } else { Cause::Zeroed });
    }
    if stored == swapped(finding.check.rule, computed) {
        return Some(Cause::ByteSwapped);
    }
    if for_header_destination(finding) == Some(stored) {
        return Some(Cause::OtherDestination);
    }
    other_length(finding, stored)
        .map(Cause::OtherLength)
        .or_else(|| flipped_bit::find(finding, stored, computed).map(Cause::FlippedBit))
}

fn swapped(rule: Rule, value: u64) -> u64 {
    let (bytes, length) = rule.write(value);
    let mut field = bytes;
    field[..length].reverse();
    rule.read(&field[..length])
}

/// Computes the value of the check over other pieces.
fn with_pieces(check: &Check, buffer: &[u8], pieces: &[Piece]) -> Option<u64> {
    check.rule.compute(buffer, pieces, &check.field)
}

/// Computes the value with the addresses of the header, if the pseudo-header has others.
fn for_header_destination(finding: &Finding<'_>) -> Option<u64> {
    let check = finding.check;
    let cover = finding.cover();
    let pseudo = cover.get(..usize::from(check.pseudo))?;
    let [source, destination] = check.addresses;
    if destination.is_empty() || pseudo.is_empty() {
        return None;
    }
    let usual = Piece::Bytes(Span { start: source.start, end: destination.end });
    if pseudo[0] == usual {
        return None;
    }
    let rest = pseudo.iter().filter(|piece| matches!(piece, Piece::PseudoHeader(_)));
    let mut pieces = vec![Piece::Bytes(source), Piece::Bytes(destination)];
    pieces.extend(rest);
    pieces.extend_from_slice(&cover[pseudo.len()..]);
    with_pieces(check, finding.buffer.bytes, &pieces)
}

/// Largest number of bytes after a shorter coverage to test: padding of a short frame, and a frame
/// check sequence. Without the limit, a packet of a thousand checks would take a thousand times its
/// length.
const BEHIND: u32 = 64;

/// Returns the length of the coverage for which the stored value would be right.
fn other_length(finding: &Finding<'_>, stored: u64) -> Option<u32> {
    let check = finding.check;
    let cover = finding.cover();
    let Some(&Piece::Bytes(last)) = cover.last() else { return None };
    let end = u32::try_from(finding.buffer.bytes.len()).ok()?;
    let fields_end = check.field.iter().map(|span| span.end).max()?;
    // With all that follows; with that except a frame check sequence; without an odd last byte;
    // without four bytes that look like a frame check sequence.
    let ends = [end, end.saturating_sub(4), last.end - last.len() % 2, last.end.saturating_sub(4)];
    ends.into_iter()
        .filter(|&end| end != last.end && end > last.start && end >= fields_end)
        .filter(|end| end.saturating_sub(last.end) <= last.len().max(BEHIND))
        .find_map(|end| {
            let mut pieces = cover.to_vec();
            *pieces.last_mut()? = Piece::Bytes(Span { start: last.start, end });
            let same_pseudo = with_pieces(check, finding.buffer.bytes, &pieces);
            let length = end - last.start;
            for piece in &mut pieces {
                if let Piece::PseudoHeader(header) = piece {
                    *header = header.with_length(length);
                }
            }
            let other_pseudo = with_pieces(check, finding.buffer.bytes, &pieces);
            // Zeros do not change a sum: in that case the length explains nothing.
            [same_pseudo, other_pseudo].contains(&Some(stored)).then_some(length)
        })
}
