//! Errors of reading and changing captures.

use crate::pcap::Foreign;
use crate::pcap::compressed::Compression;
use std::fmt;
use std::io;

/// An error of this crate. Offsets are bytes from the start of the (decompressed) capture; packets
/// are counted from 1.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// An operation of the system failed.
    Io {
        /// The operation, as in `read the capture`.
        doing: &'static str,
        /// The error of the system.
        source: io::Error,
    },
    /// Compressed data is damaged or cut short.
    Decompress {
        /// Format of the compression.
        compression: Compression,
        /// Number of bytes decompressed before.
        offset: u64,
        /// The error of the decompressor.
        source: io::Error,
    },
    /// The file is empty.
    Empty,
    /// The file begins like no supported format.
    NotACapture {
        /// First bytes of the file, padded with zeros.
        start: [u8; 4],
        /// The kind of file that it is, if known.
        kind: Option<Foreign>,
    },
    /// An unknown version of the format.
    Version {
        /// Name of the format.
        format: &'static str,
        /// Major version.
        major: u16,
        /// Minor version.
        minor: u16,
        /// Offset of the header.
        offset: u64,
    },
    /// The file ends inside a header, a record or a block.
    Truncated {
        /// Number of packets before.
        packets: u64,
        /// Offset of the record.
        offset: u64,
        /// Length of the record in bytes; of its header, if that is cut.
        wanted: u64,
        /// Number of bytes left in the file.
        found: u64,
    },
    /// A record or block contradicts itself or the rest of the file.
    Malformed {
        /// Number of packets before.
        packets: u64,
        /// Offset of the record or block.
        offset: u64,
        /// Description of the contradiction.
        what: String,
    },
    /// Another capture follows, with a header of its own.
    Another {
        /// Number of packets before.
        packets: u64,
        /// Offset of its header.
        offset: u64,
    },
    /// The file changed after the edits were computed.
    Changed {
        /// Offset of unexpected or missing bytes.
        offset: u64,
    },
    /// Two edits change one byte.
    Overlap {
        /// Offset of the second edit.
        offset: u64,
    },
    /// A compressed file cannot be changed in place.
    InPlace {
        /// Format of the compression.
        compression: Compression,
    },
}

impl Error {
    /// Returns a function for `map_err`: an operation of the system failed.
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
                "the {compression} data is damaged or cut short after {offset} decompressed bytes \
                 ({source}); packets before are complete"
            ),
            Error::Empty => write!(f, "the file is empty: no capture, not even a header"),
            Error::NotACapture { kind: Some(kind), .. } => kind.fmt(f),
            Error::NotACapture { start: [a, b, c, d], kind: None } => write!(
                f,
                "not a capture: it begins with the bytes {a:02x} {b:02x} {c:02x} {d:02x}; pcap, \
                 pcapng and snoop are read, plain or compressed by gzip or zstd (editcap converts \
                 other formats)"
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
            Error::Another { packets, offset } => write!(
                f,
                "another capture begins at byte {offset}, after packet {packets}: the file is \
                 several captures, one behind the other (mergecap joins captures); packets before \
                 are complete"
            ),
            Error::Changed { offset } => write!(
                f,
                "the bytes at {offset} are not those that were read before: the file has changed \
                 meanwhile; run again"
            ),
            Error::Overlap { offset } => {
                write!(f, "two edits change the byte at {offset}; nothing was changed there")
            }
            Error::InPlace { compression } => write!(
                f,
                "a file compressed by {compression} cannot be changed in place; write another file"
            ),
        }
    }
}

// Without a source, which the text contains.
impl std::error::Error for Error {}
