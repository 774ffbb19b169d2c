//! Captures of which any part can be read, so that several threads read at the same time.

use super::Reader;
use super::batch::Batch;
use super::chunk::ReadAt;
use super::window::Window;
use crate::Error;
use std::io::{self, Read};
use std::sync::Arc;

/// Reads a source from its first byte on.
struct FromStart {
    input: Arc<dyn ReadAt>,
    offset: u64,
}

impl Read for FromStart {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read_at(buffer, self.offset)?;
        self.offset += count as u64;
        Ok(count)
    }
}

/// The blocks of a capture: parts of equal size, which threads read by themselves.
pub(crate) struct Blocks {
    input: Arc<dyn ReadAt>,
    /// Offset of block 0.
    start: u64,
    size: u64,
}

impl Blocks {
    /// Reads block `number` into a batch.
    pub fn read(&self, number: u64, batch: &mut Batch) {
        batch.chunk.read_block(&*self.input, self.offset(number));
    }

    fn offset(&self, number: u64) -> u64 {
        self.start.saturating_add(number.saturating_mul(self.size))
    }
}

impl<'a> Reader<Box<dyn Read + Send + 'a>> {
    /// Creates a reader of a source that several threads can read at the same time, as
    /// [`counted`](crate::verify::counted) and [`wrong`](crate::verify::wrong) do.
    ///
    /// # Errors
    ///
    /// As [`Reader::new`].
    pub fn random_access(input: impl ReadAt + 'static) -> Result<Self, Error> {
        Reader::of_blocks(Arc::new(input), Window::new)
    }

    /// Creates a reader like [`Reader::random_access`], with blocks of `size` bytes.
    #[doc(hidden)]
    pub fn random_access_in_blocks(
        input: impl ReadAt + 'static,
        size: usize,
    ) -> Result<Self, Error> {
        Reader::of_blocks(Arc::new(input), |input| Window::of_size(input, size.max(1)))
    }

    fn of_blocks(
        input: Arc<dyn ReadAt>,
        window: impl FnOnce(
            Box<dyn Read + Send + 'a>,
        ) -> Result<Window<Box<dyn Read + Send + 'a>>, Error>,
    ) -> Result<Self, Error> {
        let sequence = FromStart { input: Arc::clone(&input), offset: 0 };
        let mut reader = Reader::of(window(Box::new(sequence))?)?;
        reader.window.random_access(input);
        Ok(reader)
    }
}

impl<R: Read> Reader<R> {
    /// Begins to take the packets from blocks, by [`Reader::batch_of`] alone; `None` if the source
    /// cannot be read so.
    pub(crate) fn blocks(&mut self) -> Option<Blocks> {
        let input = self.window.begin_blocks()?;
        let size = self.window.size() as u64;
        // Blocks of whole pages.
        let start = self.window.offset() / size * size;
        Some(Blocks { input, start, size })
    }

    /// Replaces the packets of `batch`, into which block `number` was read, with those that begin
    /// in it. The blocks must come in order. Returns `false` at the end of the capture, after which
    /// no packet follows those of the batch.
    ///
    /// # Errors
    ///
    /// As [`Reader::next`]. The batch then has the packets before the error.
    pub(crate) fn batch_of(
        &mut self,
        blocks: &Blocks,
        number: u64,
        batch: &mut Batch,
    ) -> Result<bool, Error> {
        self.window.lend(&mut batch.chunk, blocks.offset(number));
        let end = blocks.offset(number + 1);
        let result = self.gather(batch, end, |_| true);
        self.window.give_back(&mut batch.chunk);
        result
    }
}
