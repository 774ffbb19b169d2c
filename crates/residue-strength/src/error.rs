//! Errors of this crate.

pub mod polynomial;
pub mod search;

use residue_report::names;
use std::fmt;

/// A reason why a code's strength is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A code of this name is not known, or its parameters are wrong.
    Code(String, residue::Error),
    /// A generator polynomial cannot be read.
    Polynomial {
        /// The text as written, escaped.
        text: String,
        /// The fault.
        fault: polynomial::Fault,
    },
    /// A search for polynomials cannot be made or read.
    Search(search::Fault),
    /// Counting the weights of a code with this many data bits takes too long.
    Weights {
        /// Bits of data.
        data: u64,
        /// The generator's degree.
        width: u32,
    },
    /// Finding the multiples with so many distances up to `most` bytes takes too long.
    Multiples {
        /// The number of distances.
        distances: u32,
        /// The largest distance.
        most: u64,
    },
    /// The time for the work is up.
    Time,
    /// This text is not a bit error rate.
    BitErrorRate(String),
    /// This text is no limit on undetected errors.
    Target(String),
    /// Not all weights are known, which the computation needs.
    Incomplete,
    /// The code's value is wider than 32 bits.
    TooWide(String),
    /// A limit is wrong: this code detects the error that was to prove it, or does not detect a
    /// shorter one.
    Unconfirmed(String),
    /// Data cannot be read.
    Read {
        /// The file or folder.
        path: String,
        /// The system's message.
        why: String,
    },
    /// This source has no file with two packets of data.
    TooLittleData(String),
    /// A part of the work on this source is missing, is duplicated, or belongs to another job.
    Parts(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Code(_, residue::Error::UnknownCode(name)) => f.write_str(&names::unknown(name)),
            Error::Code(name, error) => write!(f, "`{name}`: {error}"),
            Error::TooWide(name) => write!(
                f,
                "`{name}`: wider than 32 bits: no experiment is large enough to see it miss; \
                 `residue strength CODE` computes"
            ),
            Error::Unconfirmed(name) => write!(
                f,
                "`{name}`: the code itself does not confirm the limit of its Hamming distance, \
                 which is not shown for that reason; please report this"
            ),
            Error::Read { path, why } => write!(f, "cannot read `{path}`: {why}"),
            Error::TooLittleData(name) => {
                write!(
                    f,
                    "`{name}` has no file of at least 512 bytes that can be read; name a larger \
                     tree"
                )
            }
            Error::Parts(name) => write!(
                f,
                "`{name}`: the parts of the work do not make a whole: one is missing, came twice, \
                 or is another job's"
            ),
            Error::Polynomial { text, fault } => {
                write!(f, "`{text}`: {fault}")?;
                let near = match fault {
                    polynomial::Fault::NotHexadecimal => names::near(text),
                    _ => Vec::new(),
                };
                if near.is_empty() {
                    Ok(())
                } else {
                    write!(f, "; did you mean {}?", near.join(", "))
                }
            }
            Error::Search(fault) => fault.fmt(f),
            Error::Weights { data: 0, .. } => {
                f.write_str("data of length 0 have no weights; give a length of at least one bit")
            }
            Error::Weights { data, width } => write!(
                f,
                "the weights of {data} data bits at width {width} take too long; all are counted \
                 for up to 32 data bits, or up to width 32 and 32768 bits in all; ask for fewer \
                 weights (to 4, say) beyond"
            ),
            Error::Multiples { distances, most } => write!(
                f,
                "finding all multiples with {distances} distances up to {most} bytes takes too \
                 long; allow for more (--patience, --memory), or ask for shorter distances (--most)"
            ),
            Error::Time => f.write_str(
                "the time is up, and what was counted is no result; allow for more (--patience), \
                 or ask for fewer weights or shorter data",
            ),
            Error::BitErrorRate(text) => write!(
                f,
                "`{text}` is no bit error rate; write a decimal number from 0 to 1, as 1e-6 or \
                 0.01, of at most 18 digits"
            ),
            Error::Target(text) => write!(
                f,
                "`{text}` is no limit on undetected errors; write a probability for a message as \
                 1e-15, or a number in a time as 1e-9/h or 0.01/year"
            ),
            Error::Incomplete => {
                f.write_str("not all weights are known, so the probability is not")
            }
        }
    }
}

impl std::error::Error for Error {}
