//! Where a message holds its value, and which of its bytes the value covers.

use crate::identify::sample::Sample;
use std::fmt;

/// A place in messages of any length, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Anchor {
    /// This many bytes after the start.
    Start(usize),
    /// This many bytes before the end.
    End(usize),
}

impl Anchor {
    /// Returns the place in a message of this length; `None` if the message is too short.
    #[must_use]
    pub fn at(self, length: usize) -> Option<usize> {
        match self {
            Anchor::Start(bytes) => (bytes <= length).then_some(bytes),
            Anchor::End(bytes) => length.checked_sub(bytes),
        }
    }
}

impl fmt::Display for Anchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Anchor::Start(0) => f.write_str("the start"),
            Anchor::Start(bytes) => write!(f, "offset {bytes}"),
            Anchor::End(0) => f.write_str("the end"),
            Anchor::End(bytes) => write!(f, "offset -{bytes}"),
        }
    }
}

/// What stands in the place of the value while it is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Own {
    /// The value is not among the bytes that it covers.
    Outside,
    /// Zeros.
    Zero,
    /// Nothing: the bytes after the value follow those before it.
    Excluded,
}

/// Where messages hold their value, and what it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The first byte of the value.
    pub value: Anchor,
    /// Bytes of the value, 1 to 16.
    pub bytes: usize,
    /// The first byte covered.
    pub start: Anchor,
    /// The end of what is covered: the first byte after it.
    pub end: Anchor,
    /// What stands in the place of the value.
    pub own: Own,
}

impl Layout {
    /// Takes a message apart; `None` if it is too short, or its places contradict the layout.
    #[must_use]
    pub fn sample(&self, message: &[u8]) -> Option<Sample> {
        let length = message.len();
        let at = self.value.at(length)?;
        let after = at.checked_add(self.bytes)?;
        let value = message.get(at..after)?;
        let (start, end) = (self.start.at(length)?, self.end.at(length)?);
        let covered = message.get(start..end)?;
        let message = match self.own {
            Own::Outside => (end <= at || start >= after).then(|| covered.to_vec())?,
            Own::Zero | Own::Excluded if start > at || end < after => return None,
            Own::Zero => {
                let mut bytes = covered.to_vec();
                bytes[at - start..after - start].fill(0);
                bytes
            }
            Own::Excluded => [&message[start..at], &message[after..end]].concat(),
        };
        let value = value.iter().fold(0, |value, &byte| value << 8 | u128::from(byte));
        Some(Sample { message, value })
    }

    /// Returns how unusual it is: of layouts that fit equally well, the least unusual is shown.
    pub(super) fn unusual(&self) -> usize {
        let value = match self.value {
            Anchor::End(bytes) if bytes == self.bytes => 0,
            Anchor::End(_) => 2,
            Anchor::Start(_) => 1,
        };
        let after = match self.value {
            Anchor::Start(bytes) => Anchor::Start(bytes + self.bytes),
            Anchor::End(bytes) => Anchor::End(bytes.saturating_sub(self.bytes)),
        };
        let start = match self.start {
            Anchor::Start(0) => 0,
            start if start == after => 1,
            Anchor::Start(_) => 2,
            Anchor::End(_) => 8,
        };
        let end = match self.end {
            end if end == self.value => 0,
            Anchor::End(0) => 0,
            Anchor::End(_) => 2,
            Anchor::Start(_) => 6,
        };
        let own = match self.own {
            Own::Outside => 0,
            Own::Zero => 1,
            Own::Excluded => 2,
        };
        // Words begin at even places in most formats.
        let (Anchor::Start(place) | Anchor::End(place)) = self.value;
        let odd = usize::from(self.bytes.is_multiple_of(2) && !place.is_multiple_of(2));
        value + start + end + own + odd
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = if self.bytes == 1 { "" } else { "s" };
        let to =
            if self.end == self.value { "the value".to_string() } else { self.end.to_string() };
        write!(
            f,
            "the value of {} byte{s} at {} covers the bytes from {} to {to}",
            self.bytes, self.value, self.start
        )?;
        f.write_str(match self.own {
            Own::Outside => "",
            Own::Zero => ", with zeros in place of the value",
            Own::Excluded => ", without the value",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_taken_apart() {
        use {Anchor::*, Own::*};
        let message = [1, 2, 3, 4, 5, 6];
        let taken = |value, bytes, start, end, own| {
            let sample = Layout { value, bytes, start, end, own }.sample(&message)?;
            Some((sample.value, sample.message))
        };
        assert_eq!(taken(End(2), 2, Start(0), End(2), Outside), Some((0x0506, vec![1, 2, 3, 4])));
        assert_eq!(taken(Start(1), 1, Start(2), End(0), Outside), Some((2, vec![3, 4, 5, 6])));
        assert_eq!(taken(Start(1), 2, Start(0), End(1), Zero), Some((0x0203, vec![1, 0, 0, 4, 5])));
        assert_eq!(taken(Start(1), 2, Start(0), End(1), Excluded), Some((0x0203, vec![1, 4, 5])));
        assert_eq!(taken(Start(1), 2, Start(0), End(0), Outside), None);
        assert_eq!(taken(Start(1), 2, Start(2), End(0), Zero), None);
        assert_eq!(taken(Start(5), 2, Start(0), Start(5), Outside), None);
        assert_eq!(taken(End(7), 2, Start(0), Start(5), Outside), None);
        assert_eq!(taken(End(2), 2, Start(4), Start(3), Outside), None);
    }
}
