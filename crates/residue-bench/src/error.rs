//! Errors of this crate.

use residue_report::names;
use std::fmt;

/// A reason why there is no measurement.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A code of this name is not known, or its parameters are wrong.
    Code(String, residue::Error),
    /// No kernel is left to be timed: none has this name on this CPU.
    NoKernel(String),
    /// A kernel gave a wrong answer; nothing it does is worth timing.
    WrongAnswer {
        /// The code.
        code: String,
        /// The kernel.
        kernel: String,
        /// The number of bytes it was given.
        bytes: usize,
    },
    /// The thread could not be bound to a core.
    Pin(String),
    /// A packet ended before its length said so (Sklower's "out of data").
    TooFewBytes {
        /// Bytes its segments held.
        have: usize,
        /// Bytes that were asked for.
        want: usize,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Code(_, residue::Error::UnknownCode(name)) => f.write_str(&names::unknown(name)),
            Error::Code(name, error) => write!(f, "`{name}`: {error}"),
            Error::NoKernel(names) => write!(
                f,
                "no kernel to measure: this CPU has none named `{names}` for these codes; \
                 `residue list CODE` names them"
            ),
            Error::WrongAnswer { code, kernel, bytes } => write!(
                f,
                "kernel `{kernel}` of `{code}` gives a wrong value for {bytes} bytes; nothing was \
                 timed; please report it"
            ),
            Error::Pin(why) => write!(f, "cannot stay on one core: {why}; leave out --pin"),
            Error::TooFewBytes { have, want } => {
                write!(
                    f,
                    "the packet's segments hold {have} bytes, fewer than its length of {want}"
                )
            }
        }
    }
}

impl std::error::Error for Error {}
