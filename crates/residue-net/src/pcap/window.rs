//! The bytes of a capture between what was read and what was used.

#[cfg(test)]
mod tests;

use super::ahead::{Ahead, CHUNKS};
use super::compressed::{Compression, Decompressed};
use crate::Error;
use std::io::{self, ErrorKind, Read};

/// The bytes read at once. Read and used while they are in the second-level cache.
const SIZE: usize = 256 * 1024;

/// Bytes are read to where a page begins: some CPUs copy a page three times as slowly to 16 bytes
/// behind such a place, which is where allocators put large vectors.
const PAGE: usize = 4096;

/// A buffer, and the unused bytes in it.
///
/// `size` and `page` never change while there are bytes, and `bytes` only grows. So `size` bytes
/// always fit before `page`, as many behind it, and no read gives more.
pub(super) struct Chunk {
    bytes: Vec<u8>,
    size: usize,
    /// Where bytes are read to, those before them standing in front.
    page: usize,
    /// What lies before was used, what lies from `end` on was not read.
    start: usize,
    end: usize,
}

impl Chunk {
    /// Returns an empty chunk for reads of `size` bytes, with its `page` where a page of memory
    /// begins.
    pub fn new(size: usize) -> Chunk {
        let bytes = vec![0; size + PAGE + size];
        // As far as the allocator reports it; if it does not, reading is slower.
        let place = bytes[size..].as_ptr().align_offset(PAGE);
        Chunk { bytes, size, page: 0, start: 0, end: 0 }.paged(place)
    }

    /// Moves the `page` of an empty chunk to as many bytes behind its least place, up to `PAGE`.
    pub fn paged(mut self, place: usize) -> Chunk {
        self.page = self.size + place.min(PAGE);
        (self.start, self.end) = (self.page, self.page);
        self
    }

    fn len(&self) -> usize {
        self.end - self.start
    }

    fn used(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// Forgets all bytes and reads once; `false` at the end.
    pub fn read(&mut self, input: &mut impl Read) -> io::Result<bool> {
        if self.bytes.len() > self.size + PAGE + self.size {
            // The memory that a large record took is given back.
            *self = Chunk::new(self.size);
        }
        (self.start, self.end) = (self.page, self.page);
        self.end += input.read(&mut self.bytes[self.page..self.page + self.size])?;
        Ok(self.len() > 0)
    }

    /// Adds the bytes of `next`, a chunk of the same size that was just read to, and leaves in its
    /// place a chunk to be read to again.
    ///
    /// The shorter part moves: what goes before the `page` of `next` is no more than `size`, and a
    /// record takes no longer if it comes in many short reads.
    fn join(&mut self, next: &mut Chunk) {
        let left = self.len();
        if left <= next.len() {
            let start = next.start - left;
            next.bytes[start..next.start].copy_from_slice(self.used());
            next.start = start;
            std::mem::swap(self, next);
            return;
        }
        if self.bytes.len() - self.end < next.len() {
            // A large record. The buffer grows with what is there, not with what is claimed.
            if self.start > 0 {
                self.bytes.copy_within(self.start..self.end, 0);
                (self.start, self.end) = (0, left);
            }
            self.bytes.resize(self.bytes.len().max(left + self.size), 0);
        }
        self.bytes[self.end..self.end + next.len()].copy_from_slice(next.used());
        self.end += next.len();
    }
}

/// Where chunks come from.
enum Source<R: Read> {
    /// Read when they are needed, to the spare one.
    Direct { input: Decompressed<R>, spare: Chunk },
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
        Window::in_chunks(input, [(); 2].map(|()| Chunk::new(SIZE)))
    }

    /// Reads by a thread of its own.
    pub fn ahead(input: R) -> Result<Self, Error>
    where
        R: Send + 'static,
    {
        Window::ahead_in_chunks(input, [(); CHUNKS].map(|()| Chunk::new(SIZE)))
    }

    /// Reads to the chunks given, both of one size.
    pub fn in_chunks(input: R, [chunk, spare]: [Chunk; 2]) -> Result<Self, Error> {
        let input = Decompressed::new(input).map_err(Error::io("read the capture"))?;
        let compression = input.compression();
        Ok(Window::of(Source::Direct { input, spare }, compression, chunk))
    }

    /// Reads by a thread of its own to the chunks given, all of one size.
    pub fn ahead_in_chunks(input: R, [chunk, spare @ ..]: [Chunk; CHUNKS]) -> Result<Self, Error>
    where
        R: Send + 'static,
    {
        let input = Decompressed::new(input).map_err(Error::io("read the capture"))?;
        let compression = input.compression();
        let ahead = Ahead::begin(input, spare).map_err(Error::io("start a thread that reads"))?;
        Ok(Window::of(Source::Ahead(ahead), compression, chunk))
    }

    fn of(source: Source<R>, compression: Option<Compression>, chunk: Chunk) -> Self {
        Window { source, compression, chunk, offset: 0, ended: false, packets: 0 }
    }

    pub fn compression(&self) -> Option<Compression> {
        self.compression
    }

    /// The file offset of the next byte.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Sees to it that the next `count` bytes are in the buffer; `false` if the file has not so
    /// many.
    #[inline]
    pub fn has(&mut self, count: usize) -> Result<bool, Error> {
        if self.chunk.len() >= count { Ok(true) } else { self.fill(count) }
    }

    #[cold]
    #[inline(never)]
    fn fill(&mut self, count: usize) -> Result<bool, Error> {
        while self.chunk.len() < count && !self.ended {
            let more = match &mut self.source {
                Source::Direct { input, spare } => spare.read(input).inspect(|&more| {
                    if more {
                        self.chunk.join(spare)
                    }
                }),
                Source::Ahead(ahead) => ahead.next(|next| self.chunk.join(next)),
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

    /// Fills the window where the file may also end. Returns `false` if it does.
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
