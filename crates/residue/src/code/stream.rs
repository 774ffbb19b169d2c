//! One interface to the streaming types of all families.

use super::Code;
use super::families::State;
use crate::Error;
use crate::code::partial::Partial;
use crate::kernel::copy::Destination;
use crate::length::Length;
use crate::streaming::streaming;

/// The value of data that arrives in pieces, made by [`Code::stream`].
#[derive(Clone, Debug, PartialEq)]
pub struct Stream<'a> {
    code: &'a Code,
    state: State<'a>,
    bytes: Length,
}

impl<'a> Stream<'a> {
    pub(super) fn new(code: &'a Code) -> Self {
        let state = match code {
            Code::Crc(crc) => State::Crc(crc.digest()),
            Code::Sum(sum) => State::new(sum.family()),
        };
        Stream { code, state, bytes: Length::new(0) }
    }

    pub(super) fn resume(code: &'a Code, value: u128, bytes: u64) -> Result<Self, Error> {
        let value = Partial::new(code, value, bytes)?.value();
        let state = match code {
            Code::Crc(crc) => State::Crc(crc.resume(value, bytes)),
            Code::Sum(sum) => {
                // In one's complement, the value distinguishes zero data from other multiples of
                // the modulus, the family's does not.
                let nonzero = value != 0;
                State::resume(sum.family(), sum.decode(value as u32, bytes), bytes, nonzero)?
            }
        };
        Ok(Stream { code, state, bytes: Length::new(bytes) })
    }

    /// Returns the code.
    #[must_use]
    pub const fn code(&self) -> &'a Code {
        self.code
    }

    /// Returns the number of bytes added, those of a resumed value included. Past 2^64 - 1 it stays
    /// within the last eight numbers below 2^64.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes.get()
    }

    /// Adds the next bytes.
    pub fn update(&mut self, data: &[u8]) {
        self.state.update(data);
        self.bytes.add(data.len());
    }

    /// Adds the next bytes and copies them to `to`, in one pass.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn update_copying(&mut self, from: &[u8], to: &mut (impl Destination + ?Sized)) {
        self.state.update_copying(from, to);
        self.bytes.add(from.len());
    }

    /// Starts again with the value of the empty message.
    pub fn reset(&mut self) {
        *self = self.code.stream();
    }

    /// Adds the pieces in order, as [`Stream::update`] would their concatenation.
    pub fn update_scattered<D: core::ops::Deref<Target = [u8]>>(&mut self, pieces: &[D]) {
        pieces.iter().for_each(|piece| self.update(piece));
    }

    /// Returns the value of the data added up to now.
    #[must_use]
    pub fn value(&self) -> u128 {
        let value = self.state.value();
        match self.code {
            Code::Crc(_) => value,
            Code::Sum(sum) => {
                sum.encode(value as u32, self.bytes(), || self.state.nonzero()).into()
            }
        }
    }

    /// Returns the current value and length, for combination with those of other data.
    ///
    /// Meaningful for less than 2^64 bytes; see [`Stream::bytes`].
    #[must_use]
    pub fn partial(&self) -> Partial<'a> {
        Partial::of(self)
    }

    /// Appends data that a separate stream of the same code took in.
    ///
    /// This stream may then continue inside a word, where a [`Partial`] could not.
    ///
    /// # Errors
    /// [`Error::OddSplit`] if this stream ends inside a word and the code's value does not
    /// determine the bytes of the next one; [`Error::DifferentCodes`] if the codes differ;
    /// [`Error::TooLong`] for 2^64 bytes and more.
    pub fn combine(&mut self, next: &Stream<'_>) -> Result<(), Error> {
        if self.code != next.code {
            return Err(Error::DifferentCodes);
        }
        let bytes = self.bytes.followed_by(next.bytes)?;
        self.state.combine(&next.state)?;
        self.bytes = bytes;
        Ok(())
    }
}

streaming!(['a] Stream<'a>);
