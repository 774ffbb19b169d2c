//! Errors of the library.

use core::fmt;

/// The reason why a value could not be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// Two parts cannot be combined: the first ends inside a word, so the words of the second
    /// straddle, and its value does not determine their bytes.
    OddSplit {
        /// The length of the first part in bytes.
        bytes: u64,
    },
    /// Two parts of different codes cannot be combined.
    DifferentCodes,
    /// No data of this length has this value.
    ImpossibleValue {
        /// The length in bytes.
        bytes: u64,
    },
    /// Data of 2^64 bytes or more.
    TooLong,
    /// The part to remove is longer than the data.
    PartTooLong {
        /// The length of the part in bytes.
        part: u64,
        /// The length of the data in bytes.
        whole: u64,
    },
    /// The value of a part contradicts that of the whole.
    Contradiction,
    /// The replacement is not as long as the data it replaces.
    LengthsDiffer {
        /// The length of the replaced data in bytes.
        old: u64,
        /// The length of the replacement in bytes.
        new: u64,
    },
    /// A range to be replaced reaches past the end of the data.
    RangeOutside {
        /// The start of the range in bytes.
        offset: u64,
        /// The length of the range in bytes.
        length: u64,
        /// The length of the data in bytes.
        bytes: u64,
    },
    /// The text is not that of a partial result.
    BadPartial,
    /// No code has this name.
    UnknownCode(UnknownName),
    /// The CRC's parameters lack the named one.
    MissingParameter(&'static str),
    /// The text is not a parameter of a CRC, or its value is not a number (hexadecimal; the width
    /// decimal; `true` or `false`).
    BadParameter,
    /// A CRC's width is not within 1 to 128 bits.
    Width(u32),
    /// The named parameter of a CRC has bits above its width.
    TooWide(&'static str),
    /// A CRC's polynomial lacks its constant term: the code would ignore its last bits.
    EvenPolynomial,
    /// The code has no kernel of this name.
    UnknownKernel,
    /// The parameters define another CRC than the `check` or `residue` given with them.
    WrongCheck,
    /// The number of places for values differs from the number of packets in the batch.
    BatchLength {
        /// The number of packets.
        packets: usize,
        /// The number of places.
        values: usize,
    },
    /// A span of a batch reaches past the end of its buffer.
    SpanOutside {
        /// The index of the span, from 0.
        index: usize,
        /// The start of the span in bytes.
        start: u32,
        /// The length of the span in bytes.
        length: u32,
        /// The length of the buffer in bytes.
        bytes: u64,
    },
    /// This CPU lacks a feature that the kernel needs.
    UnsupportedKernel(&'static str),
}

/// A name that no code has, and those that may have been meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownName {
    /// Its first bytes, whole characters of UTF-8, and their number.
    start: [u8; Self::START],
    length: u8,
    is_whole: bool,
    near: [Option<&'static str>; Self::NEAR],
}

impl UnknownName {
    /// The bytes of a name that are kept.
    const START: usize = 32;
    /// The most names that may have been meant.
    pub(crate) const NEAR: usize = 3;

    pub(crate) fn new(name: &str, near: [Option<&'static str>; Self::NEAR]) -> UnknownName {
        let length = name.floor_char_boundary(Self::START);
        let mut start = [0; Self::START];
        start[..length].copy_from_slice(&name.as_bytes()[..length]);
        UnknownName { start, length: length as u8, is_whole: length == name.len(), near }
    }

    /// Returns the names and aliases that may have been meant, nearest first; three at most.
    pub fn near(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.near.into_iter().flatten()
    }

    /// Returns the name as it was given, or its first 32 bytes at most.
    #[must_use]
    pub fn given(&self) -> &str {
        core::str::from_utf8(&self.start[..usize::from(self.length)]).unwrap_or_default()
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let more = if self.is_whole { "" } else { "..." };
        write!(f, "no code has the name `{}{more}`; ", self.given().escape_debug())?;
        let mut near = self.near().peekable();
        if near.peek().is_none() {
            return f.write_str("see the list of codes");
        }
        f.write_str("did you mean ")?;
        while let Some(name) = near.next() {
            f.write_str(name)?;
            f.write_str(if near.peek().is_some() { ", " } else { "?" })?;
        }
        Ok(())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::OddSplit { bytes } => write!(
                f,
                "cannot combine: the first part's {bytes} bytes end inside a word; \
                 split the data at a whole word"
            ),
            Error::DifferentCodes => f.write_str("cannot combine values of different codes"),
            Error::ImpossibleValue { bytes } => write!(
                f,
                "no data of {bytes} bytes has this value by this code; \
                 is it of another code, or another length?"
            ),
            Error::TooLong => f.write_str("the data would be 2^64 bytes or longer"),
            Error::PartTooLong { part, whole } => {
                write!(f, "cannot remove a part of {part} bytes from data of {whole}")
            }
            Error::Contradiction => f.write_str(
                "the part's value contradicts that of the whole: it is not what stands there",
            ),
            Error::LengthsDiffer { old, new } => write!(
                f,
                "{old} bytes cannot be replaced by {new}; \
                 keep the values of the parts, and put them together anew"
            ),
            Error::RangeOutside { offset, length, bytes } => write!(
                f,
                "the range of {length} bytes at byte {offset} reaches past the data's {bytes} bytes"
            ),
            Error::BadPartial => f.write_str(
                "not a partial result; write CODE:VALUE:BYTES, as crc-32/iscsi:e3069283:9 \
                 (value hexadecimal, bytes decimal)",
            ),
            Error::UnknownCode(name) => name.fmt(f),
            Error::MissingParameter(name) => write!(f, "the CRC's parameters lack `{name}`"),
            Error::BadParameter => f.write_str(
                "not a CRC's parameters; \
                 write width=16,poly=1021,init=ffff,refin=true,refout=true,xorout=0 \
                 (hexadecimal but for the width)",
            ),
            Error::Width(width) => write!(f, "a CRC's width is 1 to 128 bits, not {width}"),
            Error::TooWide(name) => write!(f, "`{name}` has bits above the CRC's width"),
            Error::EvenPolynomial => f.write_str(
                "the polynomial has no constant term; write it highest power first \
                 without its top term (normal notation, as 04c11db7)",
            ),
            Error::WrongCheck => f.write_str(
                "the parameters do not give the `check` or `residue` written with them; \
                 is one mistyped?",
            ),
            Error::BatchLength { packets, values } => write!(
                f,
                "a batch of {packets} packets needs {packets} places for their values, not {values}"
            ),
            Error::SpanOutside { index, start, length, bytes } => write!(
                f,
                "span {index} ({length} bytes at byte {start}) \
                 reaches past its buffer of {bytes} bytes"
            ),
            Error::UnknownKernel => f.write_str("the code has no kernel of this name"),
            Error::UnsupportedKernel(name) => {
                write!(f, "this CPU lacks what the kernel `{name}` needs, or RESIDUE_CPU masks it")
            }
        }
    }
}

impl core::error::Error for Error {}
