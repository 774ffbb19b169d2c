//! The bytes of a capture that were read but not yet used.

use super::ahead::{Ahead, CHUNKS};
use super::chunk::{Chunk, ReadAt};
use super::compressed::{Compression, Decompressed};
use crate::Error;
use std::io::{ErrorKind, Read};
use std::sync::Arc;

/// Number of bytes to read at a time: few enough that they are used while they are in the
/// second-level cache.
const SIZE: usize = 256 * 1024;

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
