//! Partial results: the value and length of a piece of data, for combination with other pieces.
//!
//! A [`Partial`] is a code, the value of some data, and the data's length. Partials alone
//! determine, in time logarithmic in the lengths, the values of data concatenated, split, extended
//! or changed in the middle. The names are those of Abseil's CRC library:
//!
//! | from the partials of | method | gives that of |
//! |---|---|---|
//! | A and B | [`Partial::concat`] | AB |
//! | AB and A | [`Partial::remove_prefix`] | B |
//! | AB and B | [`Partial::remove_suffix`] | A |
//! | A | [`Partial::extend_by_zeroes`] | A and n zero bytes |
//! | AXB, X and Y, as long as X | [`Partial::replace`] | AYB |
//!
//! (zlib's `crc32_combine` and `adler32_combine` are `concat`.) Either removal splits data, and the
//! value of any range follows from those of two prefixes. A partial is written as one line of text,
//! which [`parse`] reads.
//!
//! ```
//! use residue::Code;
//! let code: Code = "crc32c".parse()?;
//! let (a, b) = (code.partial(b"12345"), code.partial(b"6789"));
//! let whole = a.concat(&b)?;
//! assert_eq!((whole.value(), whole.bytes()), (0xe306_9283, 9));
//! assert_eq!(whole.remove_prefix(&a)?, b);
//! assert_eq!(whole.remove_suffix(&b)?, a);
//! assert_eq!(a.extend_by_zeroes(3)?, code.partial(b"12345\0\0\0"));
//! assert_eq!(whole.replace(5, &b, &code.partial(b"abcd"))?, code.partial(b"12345abcd"));
//! assert_eq!(whole.to_string(), "crc-32/iscsi:e3069283:9");
//! # Ok::<(), residue::Error>(())
//! ```
//!
//! # Where words are cut
//! Codes of words longer than a byte (XNS, Fletcher-32, the sums of words) cannot compute the
//! contribution of B after an A that ends inside a word: that is [`Error::OddSplit`], unless one of
//! the two is empty. The Internet checksum can, because it swaps bytes.
//!
//! # The two zeros of one's complement
//! In `internet`, `rfc1146-8` and `rfc1146-16` the value of all-zero data differs from that of
//! other data whose sum is a multiple of the modulus. `concat` and `extend_by_zeroes` are exact.
//! When non-zero data is removed or replaced and the remaining sum is a multiple of the modulus,
//! the result is the partial of data that is not all zero, as in [`Code::update`]: the values do
//! not distinguish the two.
//!
//! # Idea
//! Every code is a state s, an element of a group, with s(AB) = T^|B| (s(A) - s(empty)) + s(B),
//! where T can be undone. A CRC's state is its register, + is exclusive or, and T multiplies by x^8
//! modulo P; Fletcher's and Adler's is (A, B), and T adds A to B; T of a one's-complement sum is a
//! rotation.

use crate::Error;
use crate::code::Code;
use core::fmt;

/// A code, and the value and the length of some data.
///
/// Made by [`Code::partial`], [`Stream::partial`](crate::Stream::partial) or [`Partial::new`]. Two
/// partials are equal if their codes, values and lengths are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partial<'a> {
    code: &'a Code,
    value: u128,
    bytes: u64,
}

impl Code {
    /// Returns the value and the length of `data`, for combination with those of other data.
    #[must_use]
    pub fn partial(&self, data: &[u8]) -> Partial<'_> {
        Partial::read(self, self.value(data), data.len() as u64)
    }
}

impl<'a> Partial<'a> {
    /// Makes the partial of `bytes` bytes of data whose value is `value`.
    ///
    /// # Errors
    /// [`Error::ImpossibleValue`] if no data of that length has this value: it is wider than the
    /// code, or a sum is not reduced (including XNS's FFFF, which means "no checksum"), or the
    /// length is 0 and the value not that of the empty message.
    pub fn new(code: &'a Code, value: u128, bytes: u64) -> Result<Partial<'a>, Error> {
        let partial = Partial { code, value, bytes };
        let known = match code {
            Code::Crc(crc) => value & !crc.params().mask() == 0,
            // Of several encodings of one residue, a code uses one.
            Code::Sum(_) => {
                value <= u128::from(u32::MAX >> (32 - code.width()))
                    && partial.after(partial.state(), bytes, partial.nonzero()) == partial
            }
        };
        let good = known && (bytes != 0 || partial == Partial::empty(code));
        if good { Ok(partial) } else { Err(Error::ImpossibleValue { bytes }) }
    }

    /// Makes the partial of data that have been read.
    pub(super) const fn read(code: &'a Code, value: u128, bytes: u64) -> Partial<'a> {
        Partial { code, value, bytes }
    }

    /// Returns the partial of the empty message.
    #[must_use]
    pub fn empty(code: &'a Code) -> Partial<'a> {
        let empty = Partial { code, value: 0, bytes: 0 };
        empty.after(empty.start(), 0, false)
    }

    /// Returns the code.
    #[must_use]
    pub const fn code(&self) -> &'a Code {
        self.code
    }

    /// Returns the value, as [`Code::value`] gives it.
    #[must_use]
    pub const fn value(&self) -> u128 {
        self.value
    }

    /// Returns the length of the data in bytes.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the partial of this data followed by that of `next`.
    ///
    /// # Errors
    /// [`Error::DifferentCodes`]; [`Error::OddSplit`] (see the [module](self)); [`Error::TooLong`]
    /// for 2^64 bytes and more.
    pub fn concat(&self, next: &Partial<'_>) -> Result<Partial<'a>, Error> {
        self.same_code(next)?;
        let bytes = self.bytes.checked_add(next.bytes).ok_or(Error::TooLong)?;
        if next.bytes == 0 {
            return Ok(*self);
        }
        self.splits(self.bytes)?;
        let change = self.minus(self.state(), self.start());
        let state = self.plus(self.advance(change, self.bytes, bytes), next.state());
        Ok(self.after(state, bytes, self.nonzero() || next.nonzero()))
    }

    /// Returns the partial of this data followed by `count` zero bytes, as in a sparse file or
    /// padding.
    ///
    /// For zero bytes in front of data, extend [`Partial::empty`] and [`concat`](Partial::concat).
    ///
    /// # Errors
    /// [`Error::TooLong`] for 2^64 bytes and more.
    pub fn extend_by_zeroes(&self, count: u64) -> Result<Partial<'a>, Error> {
        let bytes = self.bytes.checked_add(count).ok_or(Error::TooLong)?;
        Ok(self.after(self.advance(self.state(), self.bytes, bytes), bytes, self.nonzero()))
    }

    /// Returns the partial of this data without its beginning, `prefix`.
    ///
    /// # Errors
    /// As [`concat`](Partial::concat); [`Error::PartTooLong`] if `prefix` is longer than this data;
    /// [`Error::Contradiction`] if this data cannot begin with it.
    pub fn remove_prefix(&self, prefix: &Partial<'_>) -> Result<Partial<'a>, Error> {
        let bytes = self.without(prefix)?;
        if bytes == 0 {
            return Ok(Partial::empty(self.code));
        }
        self.splits(prefix.bytes)?;
        let change = self.minus(prefix.state(), self.start());
        let state = self.minus(self.state(), self.advance(change, prefix.bytes, self.bytes));
        Ok(self.after(state, bytes, self.nonzero()))
    }

    /// Returns the partial of this data without its end, `suffix`.
    ///
    /// # Errors
    /// As [`remove_prefix`](Partial::remove_prefix).
    pub fn remove_suffix(&self, suffix: &Partial<'_>) -> Result<Partial<'a>, Error> {
        let bytes = self.without(suffix)?;
        if suffix.bytes == 0 {
            return Ok(*self);
        }
        if bytes == 0 {
            return Ok(Partial::empty(self.code));
        }
        self.splits(bytes)?;
        let change = self.minus(self.state(), suffix.state());
        let state = self.plus(self.retreat(change, bytes, self.bytes), self.start());
        Ok(self.after(state, bytes, self.nonzero()))
    }

    /// Returns the partial of this data after the range that begins at `offset`, with the partial
    /// `old`, became `new`.
    ///
    /// Both ranges must have equal lengths, because the data behind a range that changes its length
    /// moves. Keep data whose parts change in length as the partials of those parts, and
    /// concatenate them again.
    ///
    /// # Errors
    /// [`Error::DifferentCodes`]; [`Error::LengthsDiffer`]; [`Error::RangeOutside`];
    /// [`Error::OddSplit`] if the range begins inside a word; [`Error::Contradiction`] if the range
    /// cannot have the partial `old`.
    pub fn replace(
        &self,
        offset: u64,
        old: &Partial<'_>,
        new: &Partial<'_>,
    ) -> Result<Partial<'a>, Error> {
        self.same_code(old)?;
        self.same_code(new)?;
        if old.bytes != new.bytes {
            return Err(Error::LengthsDiffer { old: old.bytes, new: new.bytes });
        }
        let end = offset.checked_add(old.bytes).filter(|&end| end <= self.bytes);
        let outside = Error::RangeOutside { offset, length: old.bytes, bytes: self.bytes };
        let end = end.ok_or(outside)?;
        if old.bytes == 0 {
            return Ok(*self);
        }
        self.splits(offset)?;
        self.without(old)?;
        if old.bytes == self.bytes {
            return Ok(Partial { code: self.code, ..*new });
        }
        Ok(self.exchange(end, old, new))
    }

    /// Returns the partial of this data after `old`, which ends after `end` bytes, became `new`.
    pub(crate) fn exchange(&self, end: u64, old: &Partial<'_>, new: &Partial<'_>) -> Partial<'a> {
        let change = self.minus(new.state(), old.state());
        let state = self.plus(self.state(), self.advance(change, end, self.bytes));
        self.after(state, self.bytes, self.nonzero() || new.nonzero())
    }

    /// Parses the text of a partial (see [`parse`]) of `code`.
    ///
    /// # Errors
    /// Those of [`parse`] and [`Partial::new`]; [`Error::DifferentCodes`] if the text names another
    /// code.
    pub fn parse(code: &'a Code, text: &str) -> Result<Partial<'a>, Error> {
        let (of, value, bytes) = parse(text)?;
        if of != *code {
            return Err(Error::DifferentCodes);
        }
        Partial::new(code, value, bytes)
    }

    fn same_code(&self, other: &Partial<'_>) -> Result<(), Error> {
        if self.code == other.code { Ok(()) } else { Err(Error::DifferentCodes) }
    }

    /// Returns the number of bytes without those of `part`, if it can be part of this data.
    fn without(&self, part: &Partial<'_>) -> Result<u64, Error> {
        self.same_code(part)?;
        let too_long = Error::PartTooLong { part: part.bytes, whole: self.bytes };
        let left = self.bytes.checked_sub(part.bytes).ok_or(too_long)?;
        let whole = left == 0 && part.value != self.value;
        let zero = self.ones_complement() && part.nonzero() && !self.nonzero();
        if whole || zero { Err(Error::Contradiction) } else { Ok(left) }
    }

    /// Checks whether data may be cut after `bytes` bytes.
    fn splits(&self, bytes: u64) -> Result<(), Error> {
        match self.code {
            Code::Sum(sum) if !bytes.is_multiple_of(sum.word()) => Err(Error::OddSplit { bytes }),
            _ => Ok(()),
        }
    }

    fn ones_complement(&self) -> bool {
        matches!(self.code, Code::Sum(sum) if sum.ones_complement())
    }

    /// Returns whether a byte of the data is not zero, as far as one's-complement codes show it.
    fn nonzero(&self) -> bool {
        match self.code {
            Code::Crc(_) => self.value != 0,
            Code::Sum(sum) => self.value != sum.zero().into(),
        }
    }

    /// Returns the state of the empty message.
    fn start(&self) -> u128 {
        match self.code {
            Code::Crc(crc) => crc.start(),
            Code::Sum(sum) => sum.family().start().into(),
        }
    }

    fn state(&self) -> u128 {
        match self.code {
            Code::Crc(crc) => crc.register(self.value),
            Code::Sum(sum) => sum.state(self.value as u32, self.bytes).into(),
        }
    }

    /// Makes the partial of this state.
    fn after(&self, state: u128, bytes: u64, nonzero: bool) -> Partial<'a> {
        let value = match self.code {
            Code::Crc(crc) => crc.finish(state),
            Code::Sum(sum) => sum.value(state as u64, bytes, nonzero).into(),
        };
        Partial { code: self.code, value, bytes }
    }

    fn plus(&self, a: u128, b: u128) -> u128 {
        match self.code {
            Code::Crc(_) => a ^ b,
            Code::Sum(sum) => sum.group().plus(a as u64, b as u64).into(),
        }
    }

    fn minus(&self, a: u128, b: u128) -> u128 {
        match self.code {
            Code::Crc(_) => a ^ b,
            Code::Sum(sum) => sum.group().minus(a as u64, b as u64).into(),
        }
    }

    /// Advances the state of data that ended after `from` bytes to an end after `to`.
    fn advance(&self, state: u128, from: u64, to: u64) -> u128 {
        match self.code {
            Code::Crc(crc) => crc.advance(state, to - from),
            Code::Sum(sum) => {
                let units = sum.units(to) - sum.units(from);
                sum.group().advance(state as u64, units).into()
            }
        }
    }

    /// Undoes [`Partial::advance`].
    fn retreat(&self, state: u128, from: u64, to: u64) -> u128 {
        match self.code {
            Code::Crc(crc) => crc.retreat(state, to - from),
            Code::Sum(sum) => {
                let units = sum.units(to) - sum.units(from);
                sum.group().retreat(state as u64, units).into()
            }
        }
    }
}

/// Writes one line: the code's name, the value in hexadecimal, and the length in bytes, in decimal.
///
/// A CRC outside the catalogue is named by its parameters, in the format that is parsed. Example:
/// `crc-32/iscsi:e3069283:9`.
impl fmt::Display for Partial<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code.params() {
            Some(params) if params.name.parse() != Ok(self.code.clone()) => params.fmt(f)?,
            _ => f.write_str(self.code.name())?,
        }
        let digits = self.code.width().div_ceil(4) as usize;
        write!(f, ":{:0digits$x}:{}", self.value, self.bytes)
    }
}

/// Parses the text of a partial into code, value and length, from which [`Partial::new`] makes a
/// partial.
///
/// The code is any name or parameters that [`Code`] parses. Spaces around the text do not matter.
///
/// ```
/// use residue::partial::{self, Partial};
/// let (code, value, bytes) = partial::parse("width=7,poly=9:75:9")?;
/// assert_eq!(Partial::new(&code, value, bytes)?, code.partial(b"123456789"));
/// # Ok::<(), residue::Error>(())
/// ```
///
/// # Errors
/// [`Error::BadPartial`] if the text has another format; those of parsing a [`Code`].
pub fn parse(text: &str) -> Result<(Code, u128, u64), Error> {
    let mut fields = text.trim().rsplitn(3, ':');
    let (Some(bytes), Some(value), Some(code)) = (fields.next(), fields.next(), fields.next())
    else {
        return Err(Error::BadPartial);
    };
    // `from_str_radix` and `parse` would accept a sign.
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !digits(bytes) || !digits(value) {
        return Err(Error::BadPartial);
    }
    let bytes = bytes.parse().map_err(|_| Error::BadPartial)?;
    let value = u128::from_str_radix(value, 16).map_err(|_| Error::BadPartial)?;
    Ok((code.parse()?, value, bytes))
}
