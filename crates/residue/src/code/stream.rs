//! The streaming types of all families behind one face.

use super::{Code, Sum};
use crate::crc::Digest;
use crate::fletcher::{Bytes256, Fletcher16, Fletcher32, Sums, Words65536};
use crate::foil::Foiled;
use crate::{Error, Partial, adler, internet, xns};

/// The value of data that comes in pieces. Made by [`Code::stream`].
#[derive(Clone, Debug)]
pub struct Stream<'a> {
    code: &'a Code,
    state: State<'a>,
    bytes: u64,
}

#[derive(Clone, Debug)]
enum State<'a> {
    Internet(internet::Checksum),
    Xns(xns::Checksum),
    Fletcher16(Fletcher16),
    Fletcher32(Fletcher32),
    Mod256(Sums<Bytes256>),
    Mod65536(Sums<Words65536>),
    Adler32(adler::Adler32),
    Xor8(Foiled<true, 1>),
    Xor16(Foiled<true, 2>),
    Xor32(Foiled<true, 4>),
    Sum8(Foiled<false, 1>),
    Sum16(Foiled<false, 2>),
    Sum32(Foiled<false, 4>),
    Crc(Digest<'a>),
}

/// The same expression for each kind of state.
macro_rules! each {
    ($state:expr, $stream:ident => $body:expr) => {
        match $state {
            State::Internet($stream) => $body,
            State::Xns($stream) => $body,
            State::Fletcher16($stream) => $body,
            State::Fletcher32($stream) => $body,
            State::Mod256($stream) => $body,
            State::Mod65536($stream) => $body,
            State::Adler32($stream) => $body,
            State::Xor8($stream) => $body,
            State::Xor16($stream) => $body,
            State::Xor32($stream) => $body,
            State::Sum8($stream) => $body,
            State::Sum16($stream) => $body,
            State::Sum32($stream) => $body,
            State::Crc($stream) => $body,
        }
    };
}

impl<'a> Stream<'a> {
    pub(super) fn new(code: &'a Code) -> Self {
        let state = match code {
            Code::Crc(crc) => State::Crc(crc.digest()),
            Code::Sum(sum) => match sum {
                Sum::Internet => State::Internet(internet::Checksum::new()),
                Sum::Xns => State::Xns(xns::Checksum::new()),
                Sum::Fletcher16 | Sum::Rfc1146B8 | Sum::Iso8473 => State::Fletcher16(Sums::new()),
                Sum::Fletcher32 | Sum::Fletcher32Be | Sum::Rfc1146B16 | Sum::FourOctets => {
                    State::Fletcher32(Sums::new())
                }
                Sum::Fletcher16Mod256 => State::Mod256(Sums::new()),
                Sum::Fletcher32Mod65536 => State::Mod65536(Sums::new()),
                Sum::Adler32 => State::Adler32(adler::Adler32::new()),
                Sum::Xor8 => State::Xor8(Foiled::new()),
                Sum::Xor16 => State::Xor16(Foiled::new()),
                Sum::Xor32 => State::Xor32(Foiled::new()),
                Sum::Sum8 => State::Sum8(Foiled::new()),
                Sum::Sum16 => State::Sum16(Foiled::new()),
                Sum::Sum32 => State::Sum32(Foiled::new()),
            },
        };
        Stream { code, state, bytes: 0 }
    }

    /// The code.
    #[must_use]
    pub const fn code(&self) -> &'a Code {
        self.code
    }

    /// How many bytes it has seen.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Adds the next bytes.
    pub fn update(&mut self, data: &[u8]) {
        each!(&mut self.state, stream => stream.update(data));
        self.bytes += data.len() as u64;
    }

    /// Adds the pieces in order, as [`Stream::update`] would their concatenation.
    pub fn update_scattered<D: core::ops::Deref<Target = [u8]>>(&mut self, pieces: &[D]) {
        pieces.iter().for_each(|piece| self.update(piece));
    }

    /// The value so far.
    #[must_use]
    pub fn value(&self) -> u128 {
        let nonzero = match &self.state {
            State::Fletcher16(sums) => sums.nonzero(),
            State::Fletcher32(sums) => sums.nonzero(),
            _ => true,
        };
        #[allow(clippy::useless_conversion)] // Of one kind of state only.
        let value: u128 = each!(&self.state, stream => stream.value().into());
        match self.code {
            Code::Crc(_) => value,
            Code::Sum(sum) => sum.spell(value as u32, self.bytes, || nonzero).into(),
        }
    }

    /// The value so far and the length, to be put together with those of other data.
    #[must_use]
    pub fn partial(&self) -> Partial<'a> {
        Partial::of(self)
    }

    /// Appends data that was taken in apart by the same code, as if it had followed. The stream goes on after it, inside a word
    /// too, where a [`Partial`] could not.
    ///
    /// # Errors
    /// [`Error::OddSplit`] if this stream ends inside a word and the code's value does not tell the next one's bytes;
    /// [`Error::DifferentCodes`] if the codes differ.
    pub fn combine(&mut self, next: &Stream<'_>) -> Result<(), Error> {
        if self.code != next.code {
            return Err(Error::DifferentCodes);
        }
        match (&mut self.state, &next.state) {
            (State::Internet(first), State::Internet(second)) => first.combine(second),
            (State::Adler32(first), State::Adler32(second)) => first.combine(second),
            (State::Crc(first), State::Crc(second)) => first.combine(second)?,
            (State::Xns(first), State::Xns(second)) => first.combine(second)?,
            (State::Fletcher16(first), State::Fletcher16(second)) => first.combine(second)?,
            (State::Fletcher32(first), State::Fletcher32(second)) => first.combine(second)?,
            (State::Mod256(first), State::Mod256(second)) => first.combine(second)?,
            (State::Mod65536(first), State::Mod65536(second)) => first.combine(second)?,
            (State::Xor8(first), State::Xor8(second)) => first.combine(second)?,
            (State::Xor16(first), State::Xor16(second)) => first.combine(second)?,
            (State::Xor32(first), State::Xor32(second)) => first.combine(second)?,
            (State::Sum8(first), State::Sum8(second)) => first.combine(second)?,
            (State::Sum16(first), State::Sum16(second)) => first.combine(second)?,
            (State::Sum32(first), State::Sum32(second)) => first.combine(second)?,
            _ => return Err(Error::DifferentCodes),
        }
        self.bytes += next.bytes;
        Ok(())
    }
}
