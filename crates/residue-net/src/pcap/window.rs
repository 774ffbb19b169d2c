//! The bytes of a capture that were read but not yet used.

#[cfg(test)]
mod tests;

use super::ahead::{Ahead, CHUNKS};
use super::blocks::ReadAt;
use super::compressed::{Compression, Decompressed};
use crate::Error;
use std::io::{self, ErrorKind, Read};
use std::sync::Arc;

/// Number of bytes to read at a time: few enough that they are used while they are in the
/// second-level cache.
const SIZE: usize = 256 * 1024;

/// Alignment of reads. Some CPUs copy a page at a third of the speed to 16 bytes after a page
/// boundary, where allocators place large vectors.
const PAGE: usize = 4096;

/// A buffer, and the unused bytes in it.
///
/// `size` and `page` never change while there are bytes, and `bytes` only grows. Therefore `size`
/// bytes always fit before `page`, and as many after it, and no read returns more.
pub(super) struct Chunk {
    bytes: Vec<u8>,
    size: usize,
    /// Offset of reads; earlier bytes are placed before it.
    page: usize,
    /// Bytes before this offset were used; bytes from `end` on were not read.
    start: usize,
    end: usize,
}

impl Chunk {
    /// Creates an empty chunk for reads of `size` bytes, with its `page` aligned.
    pub fn new(size: usize) -> Chunk {
        let bytes = vec![0; size + PAGE + size];
        // Reading is slower if the allocator does not report it.
        let place = bytes[size..].as_ptr().align_offset(PAGE);
        Chunk { bytes, size, page: 0, start: 0, end: 0 }.paged(place)
    }

    /// Creates an empty chunk for blocks of `size` bytes, which has its room behind them. It cannot
    /// be joined with others.
    pub fn block(size: usize) -> Chunk {
        let mut chunk = Chunk::new(size);
        chunk.page = chunk.bytes.as_ptr().align_offset(PAGE).min(PAGE);
        chunk.clear();
        chunk
    }

    /// Drops all bytes.
    fn clear(&mut self) {
        (self.start, self.end) = (self.page, self.page);
    }

    /// Moves the `page` of an empty chunk to this many bytes after its smallest offset, up to
    /// `PAGE`.
    pub fn paged(mut self, place: usize) -> Chunk {
        self.page = self.size + place.min(PAGE);
        self.clear();
        self
    }

    #[inline]
    fn len(&self) -> usize {
        self.end - self.start
    }

    #[inline]
    fn used(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// Releases the memory of a large record.
    fn release(&mut self) {
        let most = self.size + PAGE + self.size;
        if self.bytes.len() > most {
            self.bytes.truncate(most);
            self.bytes.shrink_to_fit();
        }
    }

    /// Drops all bytes and reads once; `false` at the end.
    pub fn read(&mut self, input: &mut impl Read) -> io::Result<bool> {
        self.release();
        self.clear();
        self.end += input.read(&mut self.bytes[self.page..self.page + self.size])?;
        Ok(self.len() > 0)
    }

    /// Drops all bytes, and reads those of a block, from this offset on. There are fewer at the
    /// end, and before an error, which the next read meets again.
    pub fn read_block(&mut self, input: &dyn ReadAt, offset: u64) {
        self.release();
        self.clear();
        let end = self.page + self.size;
        while self.end < end {
            let place = offset.saturating_add(self.len() as u64);
            match input.read_at(&mut self.bytes[self.end..end], place) {
                Ok(count) if count > 0 => self.end += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                _ => break,
            }
        }
    }

    /// Reads behind the bytes from this offset on, for a record of `count` bytes; `false` at the
    /// end. No byte is moved within the buffer, which grows with the bytes read, not with a claimed
    /// length.
    fn append(&mut self, input: &dyn ReadAt, offset: u64, count: usize) -> io::Result<bool> {
        let missing = count.saturating_sub(self.len());
        let room = missing.clamp(self.size.min(PAGE), self.size);
        if self.bytes.len() - self.end < room {
            self.bytes.resize(self.end + room, 0);
        }
        let count = input.read_at(&mut self.bytes[self.end..self.end + room], offset)?;
        self.end += count;
        Ok(count > 0)
    }

    /// Returns a part of the bytes, used or not.
    #[inline]
    pub fn part(&self, start: usize, length: usize) -> &[u8] {
        &self.bytes[start..start + length]
    }

    /// Replaces all bytes with these.
    fn begin(&mut self, bytes: &[u8]) {
        self.release();
        if self.bytes.len() < bytes.len() {
            self.bytes.resize(bytes.len(), 0);
        }
        self.bytes[..bytes.len()].copy_from_slice(bytes);
        (self.start, self.end) = (0, bytes.len());
    }

    /// Appends the bytes of `next`, a chunk of equal size that was just filled, and leaves a
    /// reusable chunk in its place.
    ///
    /// The shorter part is moved: at most `size` bytes go before the `page` of `next`, and a record
    /// costs no more if it comes in many short reads.
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
            // A large record. The buffer grows with the bytes read, not with a claimed length.
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

/// The source of chunks.
enum Source<R: Read> {
    /// Chunks are read on demand, into the spare one.
    Direct { input: Decompressed<R>, spare: Chunk },
    /// Chunks are read ahead.
    Ahead(Ahead),
    /// Blocks are read by others; the window reads what records have behind them.
    Blocks(Arc<dyn ReadAt>),
}

/// The part of the capture in memory. Records are read in place.
pub(super) struct Window<R: Read> {
    source: Source<R>,
    compression: Option<Compression>,
    chunk: Chunk,
    /// Offset in the file of the first unused byte.
    offset: u64,
    /// Whether the source has ended.
    ended: bool,
    /// The source, if it can be read in blocks, which it is not yet.
    random_access: Option<Arc<dyn ReadAt>>,
    /// Number of returned packets, for errors.
    pub packets: u64,
}

impl<R: Read> Window<R> {
    pub fn new(input: R) -> Result<Self, Error> {
        Window::of_size(input, SIZE)
    }

    /// Creates a window that reads at most `size` bytes at a time.
    pub fn of_size(input: R, size: usize) -> Result<Self, Error> {
        Window::in_chunks(input, [(); 2].map(|()| Chunk::new(size)))
    }

    /// Creates a window with a thread that reads ahead.
    pub fn ahead(input: R) -> Result<Self, Error>
    where
        R: Send + 'static,
    {
        Window::ahead_in_chunks(input, [(); CHUNKS].map(|()| Chunk::new(SIZE)))
    }

    /// Creates a window with these chunks, of equal size.
    pub fn in_chunks(input: R, [chunk, spare]: [Chunk; 2]) -> Result<Self, Error> {
        let input = Decompressed::new(input).map_err(Error::io("read the capture"))?;
        let compression = input.compression();
        Ok(Window::of(Source::Direct { input, spare }, compression, chunk))
    }

    /// Creates a window with a thread that reads ahead into these chunks, of equal size.
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
        let random_access = None;
        Window { source, compression, chunk, offset: 0, ended: false, random_access, packets: 0 }
    }

    pub fn compression(&self) -> Option<Compression> {
        self.compression
    }

    /// Returns the offset in the file of the next byte.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Reads until the next `count` bytes are in the buffer; `false` if the file ends before.
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
                Source::Blocks(input) => {
                    let offset = self.offset + self.chunk.len() as u64;
                    self.chunk.append(&**input, offset, count)
                }
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

    /// Reads until the next `count` bytes, of a record that begins here, are in the buffer.
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

    /// Returns the next bytes in the buffer, without using them.
    #[inline]
    pub fn peek(&self) -> &[u8] {
        self.chunk.used()
    }

    /// Returns the offset in the buffer of the next byte.
    #[inline]
    pub fn place(&self) -> usize {
        self.chunk.start
    }

    /// Uses `count` bytes of the buffer; returns their offset in it.
    #[inline]
    pub fn take(&mut self, count: usize) -> usize {
        let start = self.chunk.start;
        self.chunk.start += count;
        self.offset += count as u64;
        debug_assert!(self.chunk.start <= self.chunk.end);
        start
    }

    /// Returns bytes used last, by the offset that [`Window::take`] returned.
    #[inline]
    pub fn taken(&self, start: usize, length: usize) -> &[u8] {
        self.chunk.part(start, length)
    }

    /// Returns the number of bytes to read at a time.
    pub fn size(&self) -> usize {
        self.chunk.size
    }

    /// Creates a buffer as [`Window::detach`] or [`Window::lend`] needs it.
    pub fn empty_chunk(&self) -> Chunk {
        match self.source {
            Source::Blocks(_) => Chunk::block(self.size()),
            _ => Chunk::new(self.size()),
        }
    }

    /// Notes that the input can be read in blocks. It is that of the window, from its first byte.
    pub fn random_access(&mut self, input: Arc<dyn ReadAt>) {
        self.random_access = (self.compression.is_none() && !self.ended).then_some(input);
    }

    /// Begins to use blocks, which [`Window::lend`] takes; returns the input, if it can be read so.
    pub fn begin_blocks(&mut self) -> Option<Arc<dyn ReadAt>> {
        let input = self.random_access.take()?;
        self.source = Source::Blocks(Arc::clone(&input));
        self.chunk.clear();
        self.ended = false;
        Some(input)
    }

    /// Exchanges the buffer, which is empty, for `block`, whose first byte is at `offset` in the
    /// file.
    pub fn lend(&mut self, block: &mut Chunk, offset: u64) {
        std::mem::swap(&mut self.chunk, block);
        // Looking ahead from the block before may have met the end of the file.
        self.ended = false;
        let used = usize::try_from(self.offset.saturating_sub(offset)).unwrap_or(usize::MAX);
        self.chunk.start += used.min(self.chunk.len());
    }

    /// Exchanges the buffers again.
    pub fn give_back(&mut self, block: &mut Chunk) {
        std::mem::swap(&mut self.chunk, block);
    }

    /// Exchanges the buffer for `chunk`, to which the unused bytes are copied. The used ones remain
    /// in the old buffer.
    pub fn detach(&mut self, chunk: &mut Chunk) {
        chunk.begin(self.chunk.used());
        std::mem::swap(&mut self.chunk, chunk);
    }

    /// Ends the capture here.
    pub fn close(&mut self) {
        self.offset += self.chunk.len() as u64;
        self.chunk.start = self.chunk.end;
        self.ended = true;
        self.random_access = None;
    }

    /// Returns the error that the file ends inside the record at `offset`.
    #[cold]
    pub fn truncated(&self, offset: u64, wanted: u64, found: u64) -> Error {
        Error::Truncated { packets: self.packets, offset, wanted, found }
    }

    /// Returns the error that the record at `offset` is malformed.
    #[cold]
    pub fn malformed(&self, offset: u64, what: String) -> Error {
        Error::Malformed { packets: self.packets, offset, what }
    }
}
