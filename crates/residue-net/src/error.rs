//! What can go wrong: with reading captures, and with changing them.

use crate::pcap::compressed::Compression;
use std::fmt;
use std::io;

/// The error of this crate. Offsets count bytes from the start of the capture, decompressed if it
/// was compressed; packets are counted from 1.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The system could not do something.
    Io {
        /// What was tried, as in `read the capture`.
        doing: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// Compressed data is damaged or cut short.
    Decompress {
        /// How it is compressed.
        compression: Compression,
        /// How many bytes came out of it before.
        offset: u64,
        /// What the decompressor says.
        source: io::Error,
    },
    /// There is nothing in the file.
    Empty,
    /// The file begins like no format that is read here.
    NotACapture {
        /// Its first bytes; zeros where it has fewer.
        start: [u8; 4],
    },
    /// A version of the format that is not known.
    Version {
        /// The format.
        format: &'static str,
        /// The version's first number.
        major: u16,
        /// Its second number.
        minor: u16,
        /// Where the header with it begins.
        offset: u64,
    },
    /// The file ends inside a header, a record or a block.
    Truncated {
        /// How many packets came before.
        packets: u64,
        /// Where the record begins.
        offset: u64,
        /// How many bytes it has by its own account; that of its header, if that is cut already.
        wanted: u64,
        /// How many are left in the file.
        found: u64,
    },
    /// A record or block contradicts itself or the rest of the file.
    Malformed {
        /// How many packets came before.
        packets: u64,
        /// Where the record or block begins.
        offset: u64,
        /// What is wrong with it.
        what: String,
    },
    /// The file is not what it was when the edits were found.
    Changed {
        /// Where other bytes stand than expected, or none.
        offset: u64,
    },
    /// Two edits want to change the same byte.
    Overlap {
        /// Where the second of them begins.
        offset: u64,
    },
    /// A compressed file cannot be changed in place.
    InPlace {
        /// How it is compressed.
        compression: Compression,
    },
}

impl Error {
    /// For `map_err`: the system could not do something.
    pub(crate) fn io(doing: &'static str) -> impl FnOnce(io::Error) -> Error {
        move |source| Error::Io { doing, source }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io { doing, source } => write!(f, "cannot {doing}: {source}"),
            Error::Decompress { compression, offset, source } => write!(
                f,
                "the {compression} data is damaged or cut short: only {offset} bytes come out of \
                 it ({source}); packets before are complete"
            ),
            Error::Empty => write!(f, "the file is empty: no capture, not even a header"),
            Error::NotACapture { start: [a, b, c, d] } => write!(
                f,
                "not a capture: it begins with the bytes {a:02x} {b:02x} {c:02x} {d:02x}; pcap \
                 and pcapng are read, plain or compressed by gzip or zstd (editcap converts other \
                 formats)"
            ),
            Error::Version { format, major, minor, offset } => write!(
                f,
                "the header at byte {offset} is of {format} version {major}.{minor}, which is not \
                 known here; editcap may convert it"
            ),
            Error::Truncated { packets, offset, wanted, found } => write!(
                f,
                "the file ends inside the record at byte {offset}, after packet {packets}: \
                 {found} of {wanted} bytes are there; packets before are complete"
            ),
            Error::Malformed { packets, offset, what } => write!(
                f,
                "the file is damaged at byte {offset}, after packet {packets}: {what}; packets \
                 before are complete, what follows cannot be found"
            ),
            Error::Changed { offset } => write!(
                f,
                "the bytes at {offset} are not those that were read before: the file has changed \
                 meanwhile; run again"
            ),
            Error::Overlap { offset } => {
                write!(
                    f,
                    "two edits want to change the byte at {offset}; nothing was changed there"
                )
            }
            Error::InPlace { compression } => write!(
                f,
                "a file compressed by {compression} cannot be changed in place; write another file"
            ),
        }
    }
}

// Without a source: the text has it already.
impl std::error::Error for Error {}
