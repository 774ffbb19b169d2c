//! Reasons why input is refused, and the limits of what is taken.

use std::fmt;

/// The longest input that is explained, in bytes.
pub const LONGEST_EXPLAINED: usize = 64;

/// The longest input that is read, in bytes. Nothing else bounds what a count in a line may ask
/// for.
pub const LONGEST: usize = 1 << 24;

/// The most bytes that all messages together may have.
pub const MOST_BYTES: usize = 1 << 24;

/// A reason why there is no code, no vector or no explanation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A line of a file of vectors cannot be read.
    Vector {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// The fault.
        problem: Problem,
    },
    /// The input has this many bytes, more than [`explain::LONGEST`](crate::explain::LONGEST).
    TooLong(usize),
    /// No code can be found from the samples.
    Samples(Unusable),
    /// More bytes than 64 are to be left out at the ends of samples.
    Offset(usize),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Vector { file, line, problem } => write!(f, "{file}:{line}: {problem}"),
            Error::TooLong(bytes) => {
                write!(f, "{bytes} bytes are too many to explain; give at most {LONGEST_EXPLAINED}")
            }
            Error::Samples(unusable) => unusable.fmt(f),
            Error::Offset(bytes) => write!(
                f,
                "{bytes} bytes to leave out at each end are too many to try; give at most 64"
            ),
        }
    }
}

impl std::error::Error for Error {}

/// The fault of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The line has this many fields instead of four, or an empty one.
    Fields(usize),
    /// The name is no code's.
    Code(String),
    /// The input has none of the forms of `vectors/README.md`, or is longer than [`LONGEST`].
    Input(String),
    /// The value is not hexadecimal, has too many or too few digits, or does not fit the code's
    /// width.
    Value(String),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Fields(count) => {
                write!(f, "{count} fields; write `name | input | value | source`, none empty")
            }
            Problem::Code(name) => write!(f, "no code is named `{name}`"),
            Problem::Input(input) => write!(
                f,
                "`{input}` is no input; write `empty`, `text:abc`, `hex:00ff`, `rep:ff*9`, \
                 `ramp:251*9`, `mul:13*9`, `inc:00*9` or `dec:ff*9`, of at most {LONGEST} bytes"
            ),
            Problem::Value(value) => write!(
                f,
                "`{value}` is not a value of this code; write width / 4 hexadecimal digits, \
                 rounded up"
            ),
        }
    }
}

/// A reason why samples cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unusable {
    /// There are no samples.
    None,
    /// There are this many different messages, too few to search for the place of a value.
    Few(usize),
    /// The values have this many bits, not 1 to 128.
    Width(u32),
    /// This sample's value has more bits than the field; counted from 0.
    TooWide(usize),
    /// These two have the same message and different values; counted from 0.
    Contradiction(usize, usize),
    /// All messages together have more bytes than [`MOST_BYTES`].
    TooLong(usize),
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unusable::None => {
                f.write_str("no sample; give messages with their values, as `313233:107b2fb2`")
            }
            Unusable::Few(count) => write!(
                f,
                "{count} different message{}; give two or more of one format, better ten",
                if *count == 1 { "" } else { "s" }
            ),
            Unusable::Width(bits) => {
                write!(f, "the values have {bits} bits; codes of 1 to 128 bits can be found")
            }
            Unusable::TooWide(i) => {
                write!(f, "sample {}: the value has more bits than its field", i + 1)
            }
            Unusable::Contradiction(a, b) => write!(
                f,
                "samples {} and {} have the same message and different values: one of them is \
                 wrong, or the value is of something else too",
                a + 1,
                b + 1
            ),
            Unusable::TooLong(bytes) => write!(
                f,
                "the messages have {bytes} bytes together; give fewer or shorter ones, of at most \
                 {MOST_BYTES}"
            ),
        }
    }
}
