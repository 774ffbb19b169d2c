//! Checks: the check values of packets, with their fields, coverage and verdicts.

mod piece;
mod rule;
mod span;
mod verdict;

pub use piece::{Given, Piece, PseudoHeader};
pub use rule::Rule;
pub use span::Span;

/// The name and the source of a kind of check. Every protocol of [`crate::wire`] has one constant
/// for each check value that it contains.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Protocol {
    /// Short name in lower case, for counts and options: `tcp`.
    pub name: &'static str,
    /// Name for sentences: `TCP`.
    pub title: &'static str,
    /// The document and section that defines it.
    pub source: &'static str,
}

/// A reason why a check value cannot be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// The capture holds less of the packet than was sent.
    Cut,
    /// Other fragments of the datagram were not captured, or arrived too late for the memory
    /// limits.
    Fragment,
    /// Fragments of the datagram overlap with different bytes.
    Overlap,
    /// Earlier or later segments of the stream were not captured, or arrived too late for the
    /// memory limits.
    Stream,
    /// Its computation was negotiated in packets that were not captured.
    Agreement,
    /// The packet names an undefined algorithm.
    Algorithm,
}

/// State of a check by the packet alone, before anything is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Presence {
    /// A value to be judged.
    Present,
    /// The sender left the value out, as the protocol allows.
    Absent,
    /// The sender left the value out, but must not.
    Illegal,
    /// The value cannot be judged.
    Unverifiable(Reason),
    /// Length fields contradict each other, so that the coverage is unknown.
    LengthConflict,
}

/// A check value in a packet. Offsets are those of the buffer in which it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    /// Protocol of the check.
    pub protocol: &'static Protocol,
    /// Rule for computing and storing the value.
    pub rule: Rule,
    /// Spans of the value. The second one is empty except for values that are split in two.
    pub field: [Span; 2],
    /// Coverage: a range of [`crate::frame::Found::pieces`].
    pub pieces: Span,
    /// Number of pieces, from the first, that form a pseudo-header.
    pub pseudo: u8,
    /// Whether there is a value to judge.
    pub presence: Presence,
    /// Source and destination of the innermost network header around it, of equal length; empty if
    /// there is none.
    pub addresses: [Span; 2],
    /// Source and destination port, if the protocol has ports.
    pub ports: Option<[u16; 2]>,
    /// Whether the length of the packet was 0, as segmentation offload leaves it, so that the
    /// coverage is a guess.
    pub length_zero: bool,
}

impl Check {
    /// Returns the check of a present value in a packet with these addresses. `pieces` is its range
    /// of the pieces, the first `pseudo` of which form a pseudo-header.
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

    /// Returns the value stored in the packet.
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

    /// Returns the right value; `None` if covered bytes are missing.
    #[must_use]
    pub fn computed(&self, buffer: &[u8], pieces: &[Piece]) -> Option<u64> {
        self.rule.compute(buffer, self.cover(pieces), &self.field)
    }

    /// Returns the pieces of this check from those of all checks in the buffer.
    #[must_use]
    #[inline]
    pub fn cover<'a>(&self, pieces: &'a [Piece]) -> &'a [Piece] {
        self.pieces.of(pieces).unwrap_or_default()
    }

    /// Writes a value into the field. Does nothing if the buffer is too short.
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
    /// The field holds the sum of the pseudo-header alone, for the network card to complete: the
    /// packet was captured on its sender before that.
    Offloaded,
    /// The sender left the value out, as the protocol allows.
    Absent,
    /// The sender left the value out, but must not.
    Illegal,
    /// The value cannot be judged.
    Unverifiable(Reason),
    /// Length fields contradict each other.
    LengthConflict,
}

impl Verdict {
    /// Returns the name for reports.
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
    /// Returns a clause of explanation for reports.
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
