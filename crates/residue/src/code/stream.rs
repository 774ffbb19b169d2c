//! The streaming types of all families behind one face.

use crate::crc::{Crc, Digest};
use crate::fletcher::{self, Fletcher16, Fletcher32, Sums};
use crate::foil::Foiled;
use crate::{Error, adler, internet, xns};

/// The value of data that comes in pieces. Made by [`Code::stream`](super::Code::stream).
#[derive(Clone, Debug)]
pub struct Stream<'a>(State<'a>);

#[derive(Clone, Debug)]
pub(super) enum State<'a> {
    Internet(internet::Checksum),
    Xns(xns::Checksum),
    Fletcher16(Fletcher16, fn(&Fletcher16) -> u128),
    Fletcher32(Fletcher32, fn(&Fletcher32) -> u128),
    Mod256(Sums<fletcher::Bytes256>),
    Mod65536(Sums<fletcher::Words65536>),
    Adler32(adler::Adler32),
    Xor8(Foiled<true, 1>),
    Xor16(Foiled<true, 2>),
    Xor32(Foiled<true, 4>),
    Sum8(Foiled<false, 1>),
    Sum16(Foiled<false, 2>),
    Sum32(Foiled<false, 4>),
    Crc(Digest<'a>, &'a Crc),
}

/// The same expression for each kind of stream.
macro_rules! each {
    ($state:expr, $stream:ident => $body:expr) => {
        match $state {
            State::Internet($stream) => $body,
            State::Xns($stream) => $body,
            State::Fletcher16($stream, _) => $body,
            State::Fletcher32($stream, _) => $body,
            State::Mod256($stream) => $body,
            State::Mod65536($stream) => $body,
            State::Adler32($stream) => $body,
            State::Xor8($stream) => $body,
            State::Xor16($stream) => $body,
            State::Xor32($stream) => $body,
            State::Sum8($stream) => $body,
            State::Sum16($stream) => $body,
            State::Sum32($stream) => $body,
            State::Crc($stream, _) => $body,
        }
    };
}

impl<'a> Stream<'a> {
    pub(super) fn new(state: State<'a>) -> Self {
        Stream(state)
    }

    /// Adds the next bytes.
    pub fn update(&mut self, data: &[u8]) {
        each!(&mut self.0, stream => stream.update(data));
    }

    /// Adds the pieces in order, as [`Stream::update`] would their concatenation.
    pub fn update_scattered<D: core::ops::Deref<Target = [u8]>>(&mut self, pieces: &[D]) {
        each!(&mut self.0, stream => stream.update_scattered(pieces));
    }

    /// The value so far.
    #[must_use]
    pub fn value(&self) -> u128 {
        match &self.0 {
            State::Fletcher16(stream, spell) => spell(stream),
            State::Fletcher32(stream, spell) => spell(stream),
            State::Crc(digest, _) => digest.value(),
            State::Internet(stream) => stream.value().into(),
            State::Xns(stream) => stream.value().into(),
            State::Mod256(stream) => stream.value().into(),
            State::Mod65536(stream) => stream.value().into(),
            State::Adler32(stream) => stream.value().into(),
            State::Xor8(stream) => stream.value().into(),
            State::Xor16(stream) => stream.value().into(),
            State::Xor32(stream) => stream.value().into(),
            State::Sum8(stream) => stream.value().into(),
            State::Sum16(stream) => stream.value().into(),
            State::Sum32(stream) => stream.value().into(),
        }
    }

    /// Appends data that was taken in apart by the same code, as if it had followed.
    ///
    /// # Errors
    /// If this stream ends inside a word and the code's value does not tell the next one's bytes ([`Error::OddSplit`]), or
    /// if the codes differ ([`Error::UnknownCode`]).
    pub fn combine(&mut self, next: &Stream<'_>) -> Result<(), Error> {
        match (&mut self.0, &next.0) {
            (State::Internet(first), State::Internet(second)) => first.combine(second),
            (State::Adler32(first), State::Adler32(second)) => first.combine(second),
            (State::Crc(first, a), State::Crc(second, b)) if a.params() == b.params() => {
                first.combine(second)
            }
            (State::Xns(first), State::Xns(second)) => first.combine(second)?,
            (State::Fletcher16(first, _), State::Fletcher16(second, _)) => first.combine(second)?,
            (State::Fletcher32(first, _), State::Fletcher32(second, _)) => first.combine(second)?,
            (State::Mod256(first), State::Mod256(second)) => first.combine(second)?,
            (State::Mod65536(first), State::Mod65536(second)) => first.combine(second)?,
            (State::Xor8(first), State::Xor8(second)) => first.combine(second)?,
            (State::Xor16(first), State::Xor16(second)) => first.combine(second)?,
            (State::Xor32(first), State::Xor32(second)) => first.combine(second)?,
            (State::Sum8(first), State::Sum8(second)) => first.combine(second)?,
            (State::Sum16(first), State::Sum16(second)) => first.combine(second)?,
            (State::Sum32(first), State::Sum32(second)) => first.combine(second)?,
            _ => return Err(Error::UnknownCode),
        }
        Ok(())
    }
}
