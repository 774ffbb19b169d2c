//! The bytes of a capture between what was read and what was used.

use super::compressed::Decompressed;
use crate::Error;
use std::io::{ErrorKind, Read};

/// How many bytes are read at once. Read and used while they are in the second-level cache.
const SIZE: usize = 256 * 1024;

/// One buffer, used again and again. Records are read where they lie in it.
pub(super) struct Window<R: Read> {
    source: Decompressed<R>,
    bytes: Vec<u8>,
    /// What lies before was used, what lies from `end` on was not read.
    start: usize,
    end: usize,
    /// The file offset of the buffer's first byte.
    base: u64,
    /// Did the source end?
    ended: bool,
    /// How many packets were handed out: errors name them.
    pub packets: u64,
}

impl<R: Read> Window<R> {
    pub fn new(source: R) -> Result<Self, Error> {
        let source = Decompressed::new(source).map_err(Error::io("read the capture"))?;
        let bytes = vec![0; SIZE];
        Ok(Window { source, bytes, start: 0, end: 0, base: 0, ended: false, packets: 0 })
    }

    pub fn source(&self) -> &Decompressed<R> {
        &self.source
    }

    /// The file offset of the next byte.
    pub fn offset(&self) -> u64 {
        self.base + self.start as u64
    }

    /// Sees to it that the next `count` bytes are in the buffer; `false` if the file has not so many.
    #[inline]
    pub fn has(&mut self, count: usize) -> Result<bool, Error> {
        if self.end - self.start >= count { Ok(true) } else { self.fill(count) }
    }

    #[cold]
    #[inline(never)]
    fn fill(&mut self, count: usize) -> Result<bool, Error> {
        self.bytes.copy_within(self.start..self.end, 0);
        self.base += self.start as u64;
        self.end -= self.start;
        self.start = 0;
        while self.end < count && !self.ended {
            if self.end == self.bytes.len() {
                // A large record. The buffer grows with what is there, not with what is claimed.
                self.bytes.resize(2 * self.end, 0);
            }
            match self.source.read(&mut self.bytes[self.end..]) {
                Ok(0) => self.ended = true,
                Ok(read) => self.end += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(source) => {
                    return Err(match self.source.compression() {
                        None => Error::Io { doing: "read the capture", source },
                        Some(compression) => {
                            let offset = self.base + self.end as u64;
                            Error::Decompress { compression, offset, source }
                        }
                    });
                }
            }
        }
        Ok(self.end >= count)
    }

    /// Sees to it that the next `count` bytes, of a record that begins here, are in the buffer.
    #[inline]
    pub fn need(&mut self, count: usize) -> Result<(), Error> {
        if self.has(count)? { Ok(()) } else { Err(self.cut(count)) }
    }

    /// The same where the file may also end; says `false` if it does.
    #[inline]
    pub fn another(&mut self, count: usize) -> Result<bool, Error> {
        if self.has(count)? {
            Ok(true)
        } else if self.start == self.end {
            Ok(false)
        } else {
            Err(self.cut(count))
        }
    }

    #[cold]
    fn cut(&self, wanted: usize) -> Error {
        self.truncated(self.offset(), wanted as u64, (self.end - self.start) as u64)
    }

    /// The next bytes, without using them: as many as are in the buffer.
    #[inline]
    pub fn peek(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// Uses `count` bytes that are in the buffer, and says where they begin in it.
    #[inline]
    pub fn take(&mut self, count: usize) -> usize {
        let start = self.start;
        self.start += count;
        debug_assert!(self.start <= self.end);
        start
    }

    /// Bytes taken last, by the place that [`Window::take`] gave.
    #[inline]
    pub fn taken(&self, start: usize, length: usize) -> &[u8] {
        &self.bytes[start..start + length]
    }

    /// Ends the capture here, whatever follows.
    pub fn close(&mut self) {
        self.start = self.end;
        self.ended = true;
    }

    /// The file ends inside the record at `offset`.
    #[cold]
    pub fn truncated(&self, offset: u64, wanted: u64, found: u64) -> Error {
        Error::Truncated { packets: self.packets, offset, wanted, found }
    }

    /// The record at `offset` is wrong.
    #[cold]
    pub fn malformed(&self, offset: u64, what: String) -> Error {
        Error::Malformed { packets: self.packets, offset, what }
    }
}
