//! The length of data that arrives in pieces.

use crate::Error;

/// A number of bytes that additions do not wrap.
///
/// Only a stream that continues after a length given by the caller can reach 2^64 bytes. It then
/// keeps the place in a word, on which values depend, and no other stream is combined with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Length(u64);

impl Length {
    /// The first of the lengths that also stand for all longer data: a whole number of words.
    const LAST_WORD: u64 = u64::MAX - 7;

    pub(crate) const fn new(bytes: u64) -> Length {
        Length(bytes)
    }

    /// Returns the number of bytes, of 2^64 bytes and more one of the eight largest.
    pub(crate) const fn get(self) -> u64 {
        self.0
    }

    /// Adds the length of a piece.
    #[inline(always)]
    pub(crate) const fn add(&mut self, bytes: usize) {
        // No branch: this is in the path of every short piece.
        let (sum, wrapped) = self.0.overflowing_add(bytes as u64);
        self.0 = sum | (wrapped as u64).wrapping_neg() & Self::LAST_WORD;
    }

    /// Returns the length of this data followed by data of the length `next`.
    ///
    /// # Errors
    /// [`Error::TooLong`] for 2^64 bytes and more, or if `next` may stand for so many.
    pub(crate) const fn followed_by(self, next: Length) -> Result<Length, Error> {
        match self.0.checked_add(next.0) {
            Some(_) if next.0 >= Self::LAST_WORD && self.0 != 0 => Err(Error::TooLong),
            Some(total) => Ok(Length(total)),
            None => Err(Error::TooLong),
        }
    }
}
