//! The bytes of a capture between what was read and what was used.

use super::ahead::Ahead;
use super::compressed::{Compression, Decompressed};
use crate::Error;
use std::io::{self, ErrorKind, Read};

/// How many bytes are read at once. Read and used while they are in the second-level cache.
const SIZE: usize = 256 * 1024;

/// They are read to where a page begins: some CPUs copy a page three times as slowly to 16 bytes behind such a place, which
/// is where allocators put large vectors.
const PAGE: usize = 4096;

/// Room before that place, for the beginning of a record whose end is read next: that of longer ones is moved otherwise.
const ROOM: usize = 16 * 1024;

/// A buffer, and the bytes in it.
pub(super) struct Chunk {
    bytes: Vec<u8>,
    /// Where a page begins, behind room.
    page: usize,
    /// What lies before was used, what lies from `end` on was not read.
    start: usize,
    end: usize,
}

impl Chunk {
    pub fn new() -> Chunk {
        let bytes = vec![0; ROOM + PAGE + SIZE];
        // As far as the allocator tells; if it does not, reading is slower.
        let page = ROOM + bytes[ROOM..].as_ptr().align_offset(PAGE).min(PAGE);
        Chunk { bytes, page, start: 0, end: 0 }
    }

    fn len(&self) -> usize {
        self.end - self.start
    }

    fn used(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// Reads on; `false` at the end. `count` bytes are wanted in all.
    fn read(&mut self, input: &mut impl Read, count: usize) -> io::Result<bool> {
        let left = self.len();
        let place = if count <= SIZE { self.page.saturating_sub(left) } else { 0 };
        self.bytes.copy_within(self.start..self.end, place);
        self.start = place;
        self.end = place + left;
        if self.end == self.bytes.len() {
            // A large record. The buffer grows with what is there, not with what is claimed.
            self.bytes.resize(2 * self.end, 0);
        }
        // What is read at once stays in the second-level cache.
        let until = self.bytes.len().min(self.end + SIZE);
        let read = input.read(&mut self.bytes[self.end..until])?;
        self.end += read;
        Ok(read > 0)
    }

    /// Goes on with the next chunk, what is left before it; `false` at the end.
    fn join(&mut self, ahead: &Ahead) -> io::Result<bool> {
        let left = self.used().to_vec();
        if left.len() > self.page {
            // A record of several chunks.
            let Some(next) = ahead.exchange(Chunk::new())? else { return Ok(false) };
            self.bytes.copy_within(self.start..self.end, 0);
            self.bytes.truncate(left.len());
            self.bytes.extend_from_slice(next.used());
            (self.start, self.end) = (0, self.bytes.len());
            return Ok(true);
        }
        let spare = std::mem::replace(self, Chunk { bytes: Vec::new(), page: 0, start: 0, end: 0 });
        match ahead.exchange(spare)? {
            Some(next) => *self = next,
            None => *self = Chunk::new(),
        }
        let more = !self.used().is_empty();
        if !more {
            (self.start, self.end) = (self.page, self.page);
        }
        self.start -= left.len();
        self.bytes[self.start..self.start + left.len()].copy_from_slice(&left);
        Ok(more)
    }

    /// Where to read to, all else forgotten.
    pub fn room(&mut self) -> &mut [u8] {
        self.start = self.page;
        self.end = self.page;
        let end = self.bytes.len().min(self.page + SIZE);
        &mut self.bytes[self.page..end]
    }

    /// So many bytes were read to where [`Chunk::room`] said.
    pub fn filled(&mut self, count: usize) {
        self.end = self.start + count;
    }
}

/// Where chunks come from.
enum Source<R: Read> {
    /// Read when they are needed.
    Direct(Decompressed<R>),
    /// Read before.
    Ahead(Ahead),
}

/// The part of the capture that is in memory. Records are read where they lie in it.
pub(super) struct Window<R: Read> {
    source: Source<R>,
    compression: Option<Compression>,
    chunk: Chunk,
    /// The file offset of the chunk's first unused byte.
    offset: u64,
    /// Did the source end?
    ended: bool,
    /// How many packets were handed out: errors name them.
    pub packets: u64,
}

impl<R: Read> Window<R> {
    pub fn new(input: R) -> Result<Self, Error> {
        let input = Decompressed::new(input).map_err(Error::io("read the capture"))?;
        let compression = input.compression();
        Ok(Window::of(Source::Direct(input), compression))
    }

    /// The same, read by a thread of its own.
    pub fn ahead(input: R) -> Result<Self, Error>
    where
        R: Send + 'static,
    {
        let input = Decompressed::new(input).map_err(Error::io("read the capture"))?;
        let compression = input.compression();
        let ahead = Ahead::begin(input).map_err(Error::io("start a thread that reads"))?;
        Ok(Window::of(Source::Ahead(ahead), compression))
    }

    fn of(source: Source<R>, compression: Option<Compression>) -> Self {
        Window { source, compression, chunk: Chunk::new(), offset: 0, ended: false, packets: 0 }
    }

    pub fn compression(&self) -> Option<Compression> {
        self.compression
    }

    /// The file offset of the next byte.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Sees to it that the next `count` bytes are in the buffer; `false` if the file has not so many.
    #[inline]
    pub fn has(&mut self, count: usize) -> Result<bool, Error> {
        if self.chunk.len() >= count { Ok(true) } else { self.fill(count) }
    }

    #[cold]
    #[inline(never)]
    fn fill(&mut self, count: usize) -> Result<bool, Error> {
        while self.chunk.len() < count && !self.ended {
            let more = match &mut self.source {
                Source::Direct(input) => self.chunk.read(input, count),
                Source::Ahead(ahead) => self.chunk.join(ahead),
            };
            match more {
                Ok(more) => self.ended = !more,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(source) => {
                    return Err(match self.compression {
                        None => Error::Io { doing: "read the capture", source },
                        Some(compression) => {
                            let offset = self.offset + self.chunk.len() as u64;
                            Error::Decompress { compression, offset, source }
                        }
                    });
                }
            }
        }
        Ok(self.chunk.len() >= count)
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
        } else if self.chunk.len() == 0 {
            Ok(false)
        } else {
            Err(self.cut(count))
        }
    }

    #[cold]
    fn cut(&self, wanted: usize) -> Error {
        self.truncated(self.offset(), wanted as u64, self.chunk.len() as u64)
    }

    /// The next bytes, without using them: as many as are in the buffer.
    #[inline]
    pub fn peek(&self) -> &[u8] {
        self.chunk.used()
    }

    /// Uses `count` bytes that are in the buffer, and says where they begin in it.
    #[inline]
    pub fn take(&mut self, count: usize) -> usize {
        let start = self.chunk.start;
        self.chunk.start += count;
        self.offset += count as u64;
        debug_assert!(self.chunk.start <= self.chunk.end);
        start
    }

    /// Bytes taken last, by the place that [`Window::take`] gave.
    #[inline]
    pub fn taken(&self, start: usize, length: usize) -> &[u8] {
        &self.chunk.bytes[start..start + length]
    }

    /// Ends the capture here, whatever follows.
    pub fn close(&mut self) {
        self.offset += self.chunk.len() as u64;
        self.chunk.start = self.chunk.end;
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
