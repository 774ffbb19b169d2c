//! Bytes of a capture, as they are read: buffers, and what they are read from.

use std::io::{self, ErrorKind, Read};
use std::sync::Arc;

/// A source of bytes that can be read from any offset, by several threads at the same time.
pub trait ReadAt: Send + Sync {
    /// Reads bytes from this offset on; returns their number, which is 0 only at the end or for an
    /// empty buffer.
    ///
    /// # Errors
    ///
    /// If they cannot be read. The buffer's contents are then undefined.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;
}

#[cfg(any(unix, windows))]
impl ReadAt for std::fs::File {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        #[cfg(unix)]
        return std::os::unix::fs::FileExt::read_at(self, buffer, offset);
        #[cfg(windows)]
        return std::os::windows::fs::FileExt::seek_read(self, buffer, offset);
    }
}

impl ReadAt for Vec<u8> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(self.len());
        (&self[start..]).read(buffer)
    }
}

impl<T: ReadAt> ReadAt for Arc<T> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        T::read_at(self, buffer, offset)
    }
}

/// Alignment of reads. Some CPUs copy a page at a third of the speed to 16 bytes after a page
/// boundary, where allocators place large vectors.
const PAGE: usize = 4096;

/// A buffer, and the unused bytes in it.
///
/// `size` and `page` never change while there are bytes, and `bytes` only grows. Therefore `size`
/// bytes always fit before `page`, and as many after it, and no read returns more.
pub(super) struct Chunk {
    bytes: Vec<u8>,
    pub size: usize,
    /// Offset of reads; earlier bytes are placed before it.
    page: usize,
    /// Bytes before this offset were used; bytes from `end` on were not read.
    pub start: usize,
    pub end: usize,
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
    pub fn clear(&mut self) {
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
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    #[inline]
    pub fn used(&self) -> &[u8] {
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
    pub fn append(&mut self, input: &dyn ReadAt, offset: u64, count: usize) -> io::Result<bool> {
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
    pub fn begin(&mut self, bytes: &[u8]) {
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
    pub fn join(&mut self, next: &mut Chunk) {
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

#[cfg(test)]
mod tests;
