//! Runs of bytes.

use std::ops::Range;

/// A run of bytes in a buffer. Its end may be beyond the captured bytes: a length field *claims*
/// it, and the bytes are missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte; never less than `start`.
    pub end: u32,
}

impl Span {
    /// Returns the span of `length` bytes from `start`, up to the largest offset.
    #[must_use]
    #[inline]
    pub const fn at(start: u32, length: u32) -> Span {
        Span { start, end: start.saturating_add(length) }
    }

    /// Returns the number of bytes.
    #[must_use]
    #[inline]
    pub const fn len(self) -> u32 {
        self.end.saturating_sub(self.start)
    }

    /// Returns whether the span is empty.
    #[must_use]
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// Returns the span of a field at an offset from the start of this span. It may be beyond the
    /// end.
    #[must_use]
    #[inline]
    pub const fn field(self, field: Range<u32>) -> Span {
        Span {
            start: self.start.saturating_add(field.start),
            end: self.start.saturating_add(field.end),
        }
    }

    /// Returns the span without its first `count` bytes, or empty if it is shorter.
    #[must_use]
    #[inline]
    pub fn skip(self, count: u32) -> Span {
        Span { start: self.start.saturating_add(count).min(self.end), end: self.end }
    }

    /// Returns the span of the first `count` bytes, or of all if it is shorter.
    #[must_use]
    #[inline]
    pub fn take(self, count: u32) -> Span {
        Span { start: self.start, end: self.start.saturating_add(count).min(self.end) }
    }

    /// Returns the elements of `all` in the span, if all of them exist.
    #[must_use]
    #[inline]
    pub fn of<T>(self, all: &[T]) -> Option<&[T]> {
        all.get(self.start as usize..self.end as usize)
    }
}
