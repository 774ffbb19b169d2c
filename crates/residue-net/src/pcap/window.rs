//! The bytes of a capture between what was read and what was used.

use super::compressed::Decompressed;
use crate::Error;
use std::io::{ErrorKind, Read};

/// How many bytes are read at once. Read and used while they are in the second-level cache.
const SIZE: usize = 256 * 1024;

/// They are read to where a page begins: some CPUs copy a page three times as slowly to 16 bytes behind such a place, which
/// is where allocators put large vectors.
const PAGE: usize = 4096;

/// Room before that place, for the beginning of a record whose end is read next: that of longer ones is moved otherwise.
const ROOM: usize = 16 * 1024;

/// One buffer, used again and again. Records are read where they lie in it.
pub(super) struct Window<R: Read> {
    source: Decompressed<R>,
    bytes: Vec<u8>,
    /// Where a page begins, behind room.
    page: usize,
    /// What lies before was used, what lies from `end` on was not read.
    start: usize,
    end: usize,
    /// The file offset of the byte at `start`.
    offset: u64,
    /// Did the source end?
    ended: bool,
    /// How many packets were handed out: errors name them.
    pub packets: u64,
}

impl<R: Read> Window<R> {
    pub fn new(source: R) -> Result<Self, Error> {
        let source = Decompressed::new(source).map_err(Error::io("read the capture"))?;
        let bytes = vec![0; ROOM + PAGE + SIZE];
        // As far as the allocator tells; if it does not, reading is slower.
        let page = ROOM + bytes[ROOM..].as_ptr().align_offset(PAGE).min(PAGE);
        Ok(Window { source, bytes, page, start: 0, end: 0, offset: 0, ended: false, packets: 0 })
    }

    pub fn source(&self) -> &Decompressed<R> {
        &self.source
    }

    /// The file offset of the next byte.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Sees to it that the next `count` bytes are in the buffer; `false` if the file has not so many.
    #[inline]
    pub fn has(&mut self, count: usize) -> Result<bool, Error> {
        if self.end - self.start >= count { Ok(true) } else { self.fill(count) }
    }

    #[cold]
    #[inline(never)]
    fn fill(&mut self, count: usize) -> Result<bool, Error> {
        let left = self.end - self.start;
        let place = if count <= SIZE { self.page.checked_sub(left).unwrap_or(0) } else { 0 };
        self.bytes.copy_within(self.start..self.end, place);
        self.start = place;
        self.end = place + left;
        while self.end - self.start < count && !self.ended {
            if self.end == self.bytes.len() {
                // A large record. The buffer grows with what is there, not with what is claimed.
                self.bytes.resize(2 * self.end, 0);
            }
            // What is read at once stays in the second-level cache.
            let until = self.bytes.len().min(self.end + SIZE);
            match self.source.read(&mut self.bytes[self.end..until]) {
                Ok(0) => self.ended = true,
                Ok(read) => self.end += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(source) => {
                    return Err(match self.source.compression() {
                        None => Error::Io { doing: "read the capture", source },
                        Some(compression) => {
                            let offset = self.offset + (self.end - self.start) as u64;
                            Error::Decompress { compression, offset, source }
                        }
                    });
                }
            }
        }
        Ok(self.end - self.start >= count)
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
        self.offset += count as u64;
        debug_assert!(self.start <= self.end);
        start
    }

    /// Uses `count` bytes, however many there are; `false` if the file has not so many.
    pub fn skip(&mut self, mut count: u64) -> Result<bool, Error> {
        while count > 0 {
            if !self.has(1)? {
                return Ok(false);
            }
            let step = count.min((self.end - self.start) as u64);
            self.start += step as usize;
            self.offset += step;
            count -= step;
        }
        Ok(true)
    }

    /// Bytes taken last, by the place that [`Window::take`] gave.
    #[inline]
    pub fn taken(&self, start: usize, length: usize) -> &[u8] {
        &self.bytes[start..start + length]
    }

    /// Ends the capture here, whatever follows.
    pub fn close(&mut self) {
        self.offset += (self.end - self.start) as u64;
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
