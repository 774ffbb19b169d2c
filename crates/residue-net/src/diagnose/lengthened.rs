//! Lengths in headers that were changed after the value was computed, with bytes at the end that
//! were added.

use crate::buffer::Finding;
use crate::check::{Piece, Span};
use crate::wire::{ipv4, ospf};

/// Messages whose headers hold a length end at multiples of so many bytes.
const UNIT: u16 = 4;
/// Largest number of units that were added or removed.
const MOST_UNITS: u16 = 16;

/// How the length of a message is covered.
struct Length {
    /// Offset of the two bytes.
    at: u32,
    /// Whether the message itself is covered, not the header alone.
    is_whole: bool,
    /// Whether a part at the end of the message may count its own length.
    has_inner: bool,
}

/// Returns the number of other lengths tested, and that for which the stored value would be right:
/// of IPv4 headers longer and shorter ones, of OSPF's packets and advertisements shorter ones. A
/// length that differs by a power of two is left to flipped bits if the header alone is covered.
pub fn of(finding: &Finding<'_>, stored: u64) -> (f64, Option<u32>) {
    let Some(length) = covered_length(finding) else { return (0.0, None) };
    let Some(own) = Span::at(length.at, 2).of(finding.buffer.bytes) else { return (0.0, None) };
    let own = u16::from_be_bytes([own[0], own[1]]);
    let (mut tried, mut found) = (0, None);
    for difference in (1..=MOST_UNITS).map(|units| units * UNIT) {
        if !length.is_whole && difference.is_power_of_two() {
            continue;
        }
        let shorter = own.checked_sub(difference);
        let longer = own.checked_add(difference).filter(|_| !length.is_whole);
        for other in [shorter, longer].into_iter().flatten() {
            let Some(value) = value(finding, &length, other, difference) else { continue };
            let inner = length.has_inner.then(|| (value + u64::from(difference)) % 0xffff);
            tried += 1 + usize::from(length.has_inner);
            if found.is_none() && (value == stored || inner == Some(stored)) {
                found = Some(other.into());
            }
        }
    }
    (tried as f64, found)
}

/// Returns how the length of the message is covered by a value.
fn covered_length(finding: &Finding<'_>) -> Option<Length> {
    let protocol = finding.check.protocol;
    let field = finding.check.field[0].start;
    let [is_ip, is_ospf, is_lsa] =
        [&ipv4::HEADER, &ospf::OSPF, &ospf::LSA].map(|known| std::ptr::eq(known, protocol));
    let at = match () {
        () if is_ip => field.checked_sub(8)?,
        () if is_ospf => field.checked_sub(10)?,
        () if is_lsa => field + 2,
        () => return None,
    };
    Some(Length { at, is_whole: !is_ip, has_inner: is_ospf })
}

/// Computes the value for another length, of a message without the last `difference` bytes if it is
/// covered itself.
fn value(finding: &Finding<'_>, length: &Length, other: u16, difference: u16) -> Option<u64> {
    let at = Span::at(length.at, 2);
    let mut pieces = Vec::with_capacity(finding.cover().len() + 2);
    for &piece in finding.cover() {
        match piece {
            Piece::Bytes(span) if span.start <= at.start && at.end <= span.end => {
                pieces.push(Piece::Bytes(Span { start: span.start, end: at.start }));
                pieces.push(Piece::given(&other.to_be_bytes()));
                pieces.push(Piece::Bytes(Span { start: at.end, end: span.end }));
            }
            Piece::PseudoHeader(header) if length.is_whole => {
                pieces.push(Piece::PseudoHeader(header.with_length(other.into())));
            }
            piece => pieces.push(piece),
        }
    }
    if length.is_whole {
        let Some(Piece::Bytes(last)) = pieces.last_mut() else { return None };
        let end = last.end.checked_sub(difference.into())?;
        if end < last.start.max(finding.check.field[0].end) {
            return None;
        }
        last.end = end;
    }
    finding.check.rule.compute(finding.buffer.bytes, &pieces, &finding.check.field)
}
