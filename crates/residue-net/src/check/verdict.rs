//! Verdicts on checks.

use super::{Check, Piece, Presence, Reason, Verdict};
use residue::internet::Checksum;

impl Check {
    /// Returns the verdict on the check, which was found in `buffer`; `pieces` are those of all
    /// checks there.
    #[must_use]
    #[inline]
    pub fn verdict(&self, buffer: &[u8], pieces: &[Piece]) -> Verdict {
        match self.presence {
            Presence::Present => {}
            Presence::Absent => return Verdict::Absent,
            Presence::Illegal => return Verdict::Illegal,
            Presence::Unverifiable(reason) => return Verdict::Unverifiable(reason),
            Presence::LengthConflict => return Verdict::LengthConflict,
        }
        let cover = self.cover(pieces);
        if self.rule.is_internet() {
            // As receivers test it: with the field, the sum is all ones.
            let mut sum = Sum::default();
            for piece in cover {
                let Some(bytes) = piece.of(buffer) else {
                    return Verdict::Unverifiable(Reason::Cut);
                };
                sum.add(bytes);
            }
            if sum.is_ones() {
                return Verdict::Good;
            }
            return if is_offloaded(self, buffer, cover) {
                Verdict::Offloaded
            } else {
                Verdict::Bad
            };
        }
        let (Some(stored), Some(computed)) = (self.stored(buffer), self.computed(buffer, pieces))
        else {
            return Verdict::Unverifiable(Reason::Cut);
        };
        if self.rule.agrees(stored, computed) { Verdict::Good } else { Verdict::Bad }
    }
}

/// A one's-complement sum of a few pieces. Short pieces are summed without a call.
#[derive(Default)]
struct Sum {
    sum: u64,
    odd: bool,
}

impl Sum {
    #[inline]
    fn add(&mut self, bytes: &[u8]) {
        let sum = match bytes.as_chunks::<4>() {
            (words, []) if words.len() <= 10 => {
                words.iter().map(|&word| u64::from(u32::from_be_bytes(word))).sum()
            }
            _ => u64::from(!residue::internet::checksum(bytes)),
        };
        // After an odd number of bytes, high and low bytes are swapped (RFC 1071 section 2).
        self.sum += if self.odd { sum % 65535 * 256 } else { sum };
        self.odd ^= bytes.len() % 2 == 1;
    }

    /// Returns whether the sum is FFFF. Only zeros sum to 0.
    fn is_ones(&self) -> bool {
        self.sum != 0 && self.sum.is_multiple_of(65535)
    }
}

/// Returns whether the field holds the sum of the pseudo-header alone, with the length (Linux, and
/// checksum offload of NDIS) or without it (large-send offload).
fn is_offloaded(check: &Check, buffer: &[u8], cover: &[Piece]) -> bool {
    let Some(stored) = check.stored(buffer) else { return false };
    let pseudo = &cover[..usize::from(check.pseudo).min(cover.len())];
    let sum = |has_length: bool| {
        let mut sum = Checksum::new();
        for &piece in pseudo {
            let piece = match piece {
                Piece::PseudoHeader(header) if !has_length => {
                    Piece::PseudoHeader(header.with_length(0))
                }
                piece => piece,
            };
            sum.update(piece.of(buffer).unwrap_or_default());
        }
        u64::from(!sum.value())
    };
    !pseudo.is_empty() && (stored == sum(true) || stored == sum(false))
}
