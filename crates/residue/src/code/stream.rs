//! One interface to the streaming types of all families.

use super::Code;
use super::families::State;
use crate::Error;
use crate::code::partial::Partial;
use crate::kernel::copy::Destination;
use crate::length::Length;
use crate::streaming::streaming;

/// A multiple of the length of every code's word, and of the cache line.
pub(crate) const GRAIN: u64 = 64;

/// The value of data that arrives in pieces, made by [`Code::stream`].
#[derive(Clone, Debug, PartialEq)]
pub struct Stream<'a> {
    code: &'a Code,
    state: State<'a>,
    bytes: Length,
}

impl Code {
    /// Starts the value of data that arrives in pieces.
    #[must_use]
    pub fn stream(&self) -> Stream<'_> {
        let state = match self {
            Code::Crc(crc) => State::Crc(crc.digest()),
            Code::Sum(sum) => State::new(sum.family()),
        };
        Stream { code: self, state, bytes: Length::new(0) }
    }

    /// Continues after `bytes` bytes of data that have the value `value`.
    ///
    /// ```
    /// use residue::Code;
    /// let code: Code = "internet".parse()?;
    /// let mut stream = code.resume(code.value(b"12345"), 5)?;
    /// stream.update(b"6789");
    /// assert_eq!(stream.value(), code.value(b"123456789"));
    /// # Ok::<(), residue::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::ImpossibleValue`] if no data of that length has this value;
    /// [`Error::OddSplit`] if the data end inside a word and the value does not determine its
    /// bytes.
    pub fn resume(&self, value: u128, bytes: u64) -> Result<Stream<'_>, Error> {
        let value = Partial::new(self, value, bytes)?.value();
        let state = match self {
            Code::Crc(crc) => State::Crc(crc.resume(value, bytes)),
            Code::Sum(sum) => {
                // In one's complement, the value distinguishes zero data from other multiples of
                // the modulus, the family's does not.
                let nonzero = value != 0;
                State::resume(sum.family(), sum.decode(value as u32, bytes), bytes, nonzero)?
            }
        };
        Ok(Stream { code: self, state, bytes: Length::new(bytes) })
    }

    /// Returns the value after the bytes `old`, at `offset` in data of `length` bytes, became
    /// `new`.
    ///
    /// The rest of the data is not needed. Returns `None` if the lengths of `old` and `new` differ,
    /// the change reaches past `length`, or no data of that length has this value
    /// ([`Partial::new`]). For one's-complement codes (`internet`, `rfc1146-8`, `rfc1146-16`), the
    /// value does not distinguish new data that is all zero from other multiples of the modulus;
    /// the result is then the value of the other multiples.
    #[must_use]
    pub fn update(
        &self,
        value: u128,
        length: u64,
        offset: u64,
        old: &[u8],
        new: &[u8],
    ) -> Option<u128> {
        let end = offset.checked_add(old.len() as u64)?;
        if end > length || old.len() != new.len() {
            return None;
        }
        let whole = Partial::new(self, value, length).ok()?;
        // Starts at a word boundary: leading zeros change neither value.
        let before = match self {
            Code::Crc(_) => 0,
            Code::Sum(sum) => (offset % sum.word()) as usize,
        };
        let part = |data| {
            let mut stream = self.stream();
            stream.update_scattered(&[&[0; 4][..before], data]);
            stream.partial()
        };
        Some(whole.exchange(end, &part(old), &part(new)).value())
    }
}

impl<'a> Stream<'a> {
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

    /// Adds `count` zero bytes, as the hole of a sparse file has, in time logarithmic in `count`.
    ///
    /// ```
    /// let code: residue::Code = "crc32c".parse()?;
    /// let mut stream = code.stream();
    /// stream.update(b"123");
    /// stream.extend_by_zeroes(1 << 40)?;
    /// assert_eq!(stream.bytes(), 3 + (1 << 40));
    /// # Ok::<(), residue::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooLong`] for 2^64 bytes and more; nothing is added then.
    pub fn extend_by_zeroes(&mut self, count: u64) -> Result<(), Error> {
        self.bytes().checked_add(count).ok_or(Error::TooLong)?;
        // Inside a word, a value does not determine the state of every code.
        let first = count.min(self.bytes().wrapping_neg() % GRAIN);
        let last = (count - first) % GRAIN;
        let zeros = [0; GRAIN as usize];
        self.update(&zeros[..first as usize]);
        let whole = count - first - last;
        if whole > 0 {
            let all = self.partial().extend_by_zeroes(whole)?;
            *self = self.code.resume(all.value(), all.bytes())?;
        }
        self.update(&zeros[..last as usize]);
        Ok(())
    }

    /// Starts again with the value of the empty message.
    pub fn reset(&mut self) {
        *self = self.code.stream();
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
        Partial::read(self.code, self.value(), self.bytes())
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
