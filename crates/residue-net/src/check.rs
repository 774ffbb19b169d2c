//! A check: one place in a packet that holds a check value, what it covers, and what it turned out
//! to be.

mod piece;
mod rule;
mod verdict;

pub use piece::{Given, Piece, PseudoHeader};
pub use rule::Rule;

use std::ops::Range;

/// A run of bytes in a buffer. Its end may lie beyond what was captured: then it is *claimed*, by a
/// length field, and the bytes are missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte; never less than `start`.
    pub end: u32,
}

impl Span {
    /// Returns `length` bytes from `start`, as far as offsets reach.
    #[must_use]
    pub const fn at(start: u32, length: u32) -> Span {
        Span { start, end: start.saturating_add(length) }
    }

    /// Returns the number of bytes.
    #[must_use]
    pub const fn len(self) -> u32 {
        self.end.saturating_sub(self.start)
    }

    /// Returns whether it has no bytes.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// Returns where a field stands whose place is counted from the span's start. It may lie beyond
    /// the span's end.
    #[must_use]
    pub const fn field(self, field: Range<u32>) -> Span {
        Span {
            start: self.start.saturating_add(field.start),
            end: self.start.saturating_add(field.end),
        }
    }

    /// Returns what follows the first `count` bytes: empty if there are no more.
    #[must_use]
    pub fn skip(self, count: u32) -> Span {
        Span { start: self.start.saturating_add(count).min(self.end), end: self.end }
    }

    /// Returns the first `count` bytes, or all if there are no more.
    #[must_use]
    pub fn take(self, count: u32) -> Span {
        Span { start: self.start, end: self.start.saturating_add(count).min(self.end) }
    }

    /// Returns what it spans, bytes or anything else, if `all` has it all.
    #[must_use]
    #[inline]
    pub fn of<T>(self, all: &[T]) -> Option<&[T]> {
        all.get(self.start as usize..self.end as usize)
    }
}

/// What a check's name is and where its rule is written. Every protocol of [`crate::wire`] has one
/// constant for each check value it carries.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Protocol {
    /// Short, lower case, as in counts and options: `tcp`.
    pub name: &'static str,
    /// As in a sentence: `TCP`.
    pub title: &'static str,
    /// The document and section that defines it.
    pub source: &'static str,
}

/// Why a check value cannot be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// The capture holds less of the packet than was sent.
    Cut,
    /// Other fragments of the datagram were not captured, or not within what is remembered.
    Fragment,
    /// Fragments of the datagram overlap with different bytes.
    Overlap,
    /// Earlier or later segments of the stream were not captured, or not within what is remembered.
    Stream,
    /// How it is computed was agreed upon in packets that were not captured.
    Agreement,
    /// The packet names an algorithm nobody has defined.
    Algorithm,
}

/// What the packet itself says about a check, before anything is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Presence {
    /// A value to be judged.
    Present,
    /// The sender left it out, as the protocol allows.
    Absent,
    /// The sender left it out, and must not have.
    Illegal,
    /// It cannot be judged.
    Unverifiable(Reason),
    /// Length fields contradict each other: what it covers is unknown.
    LengthConflict,
}

/// One place in a packet that holds a check value. Offsets are those of the buffer it was found in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    /// Whose it is.
    pub protocol: &'static Protocol,
    /// How it is computed and stored.
    pub rule: Rule,
    /// Where its value stands. The second span is empty but for values that are split in two.
    pub field: [Span; 2],
    /// What it covers: a range of [`crate::frame::Found::pieces`].
    pub pieces: Span,
    /// How many of the pieces, from the first, are a pseudo-header.
    pub pseudo: u8,
    /// Is there something to judge?
    pub presence: Presence,
    /// Source and destination of the innermost network header around it, of equal length; empty
    /// where there is none.
    pub addresses: [Span; 2],
    /// Source and destination port, where the protocol has them.
    pub ports: Option<[u16; 2]>,
    /// Was the packet's length 0, as segmentation offload leaves it, so that the cover is a guess?
    pub length_zero: bool,
}

impl Check {
    /// Returns the check of a value that is there, in a packet with these addresses. `pieces` is
    /// its range of the pieces, the first `pseudo` of which are a pseudo-header.
    #[must_use]
    #[inline]
    pub const fn present(
        protocol: &'static Protocol,
        rule: Rule,
        field: [Span; 2],
        (pieces, pseudo): (Span, u8),
        addresses: [Span; 2],
    ) -> Check {
        let presence = Presence::Present;
        let (ports, length_zero) = (None, false);
        Check { protocol, rule, field, pieces, pseudo, presence, addresses, ports, length_zero }
    }

    /// Returns the value as it stands in the packet.
    #[must_use]
    pub fn stored(&self, buffer: &[u8]) -> Option<u64> {
        let mut field = [0; 8];
        let mut length = 0;
        for span in self.field {
            let bytes = span.of(buffer)?;
            field.get_mut(length..length + bytes.len())?.copy_from_slice(bytes);
            length += bytes.len();
        }
        Some(self.rule.read(&field[..length]))
    }

    /// Returns the value that should stand there; `None` if bytes it covers are missing.
    #[must_use]
    pub fn computed(&self, buffer: &[u8], pieces: &[Piece]) -> Option<u64> {
        self.rule.compute(buffer, self.cover(pieces), &self.field)
    }

    /// Returns its own pieces of those of all checks in the buffer.
    #[must_use]
    #[inline]
    pub fn cover<'a>(&self, pieces: &'a [Piece]) -> &'a [Piece] {
        self.pieces.of(pieces).unwrap_or_default()
    }

    /// Writes a value into its field. Does nothing where the buffer is too short.
    pub fn store(&self, buffer: &mut [u8], value: u64) {
        let (bytes, length) = self.rule.write(value);
        let mut rest = &bytes[..length];
        for span in self.field {
            let (now, later) = rest.split_at((span.len() as usize).min(rest.len()));
            if let Some(place) =
                buffer.get_mut(span.start as usize..span.start as usize + now.len())
            {
                place.copy_from_slice(now);
            }
            rest = later;
        }
    }
}

/// The result of verifying a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// The value is right.
    Good,
    /// The value is wrong.
    Bad,
    /// The field holds the sum of the pseudo-header alone, for the network card to go on with: the
    /// packet was captured on its sender, before the card completed it.
    Offloaded,
    /// The sender left the value out, as the protocol allows.
    Absent,
    /// The sender left the value out, and must not have.
    Illegal,
    /// It cannot be judged.
    Unverifiable(Reason),
    /// Length fields contradict each other.
    LengthConflict,
}

impl Verdict {
    /// Returns its name, as in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Good => "good",
            Verdict::Bad => "bad",
            Verdict::Offloaded => "offloaded",
            Verdict::Absent => "absent",
            Verdict::Illegal => "illegal",
            Verdict::Unverifiable(_) => "unverifiable",
            Verdict::LengthConflict => "length conflict",
        }
    }
}

impl Reason {
    /// Returns a clause that explains it, as in reports.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Reason::Cut => "the capture cuts the packet short",
            Reason::Fragment => "fragments are missing",
            Reason::Overlap => "fragments overlap with different bytes",
            Reason::Stream => "parts of the stream are missing",
            Reason::Agreement => "how it is computed was agreed upon in packets not captured",
            Reason::Algorithm => "the packet names an unknown algorithm",
        }
    }
}
