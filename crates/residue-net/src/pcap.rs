//! Captures in pcap, pcapng and snoop: reading record by record, writing, and changes in place.
//!
//! [`Reader`] reads any format from any [`std::io::Read`]; [`write`](mod@write) creates captures;
//! [`patch`] changes bytes of existing ones and leaves all others unchanged.

mod ahead;
pub(crate) mod batch;
pub(crate) mod blocks;
mod chunk;
mod classic;
pub mod compressed;
mod foreign;
mod item;
mod names;
pub(crate) mod ng;
pub mod patch;
mod snoop;
mod window;
pub mod write;

use crate::Error;
use ahead::CHUNKS;
use chunk::Chunk;
use compressed::Compression;
use item::{Next, Record};
use std::io::Read;
use window::Window;

pub use chunk::ReadAt;
pub use foreign::Foreign;
pub use item::{ByteOrder, Format, LinkType, Packet};

/// The result of [`Reader::step`].
pub(crate) enum Step<'a> {
    /// A packet.
    Packet(Packet<'a>),
    /// Items without a packet, up to [`Reader::position`].
    Passed,
    /// The end of the capture.
    End,
}

/// Reads a capture of any format, packet by packet, in constant memory.
pub struct Reader<R: Read> {
    window: Window<R>,
    blocks: Blocks,
}

enum Blocks {
    Classic(classic::Classic),
    Ng(ng::Ng),
    Snoop(snoop::Snoop),
}

impl<R: Read> Reader<R> {
    /// Creates a reader, and reads the header, which determines the format. `input` needs no
    /// buffer.
    ///
    /// # Errors
    ///
    /// Returns the errors of `input`, and an error if it is not a capture.
    pub fn new(input: R) -> Result<Self, Error> {
        Reader::of(Window::new(input)?)
    }

    /// Creates a reader with a thread that reads and decompresses ahead: for captures from some
    /// megabytes on.
    ///
    /// # Errors
    ///
    /// As [`Reader::new`], and if the thread cannot be started.
    pub fn ahead(input: R) -> Result<Self, Error>
    where
        R: Send + 'static,
    {
        Reader::of(Window::ahead(input)?)
    }

    /// Creates a reader like [`Reader::new`] that reads at most `size` bytes at a time, into
    /// buffers at `places` bytes (at most 4096) after the smallest offset. Small captures thus test
    /// what otherwise only large ones do.
    #[doc(hidden)]
    pub fn in_chunks(input: R, size: usize, places: [usize; 2]) -> Result<Self, Error> {
        let chunks = places.map(|place| Chunk::new(size.max(1)).paged(place));
        Reader::of(Window::in_chunks(input, chunks)?)
    }

    /// Creates a reader like [`Reader::ahead`], with buffers as in `Reader::in_chunks`.
    #[doc(hidden)]
    pub fn ahead_in_chunks(input: R, size: usize, places: [usize; CHUNKS]) -> Result<Self, Error>
    where
        R: Send + 'static,
    {
        let chunks = places.map(|place| Chunk::new(size.max(1)).paged(place));
        Reader::of(Window::ahead_in_chunks(input, chunks)?)
    }

    fn of(mut window: Window<R>) -> Result<Self, Error> {
        if !window.has(4)? && window.peek().is_empty() {
            return Err(Error::Empty);
        }
        let mut start = [0; 4];
        for (place, byte) in start.iter_mut().zip(window.peek()) {
            *place = *byte;
        }
        let blocks = if start == ng::SECTION.to_be_bytes() {
            Blocks::Ng(ng::Ng::begin(&mut window)?)
        } else if let Some((format, order)) = classic::detect(start) {
            Blocks::Classic(classic::Classic::begin(&mut window, format, order)?)
        } else if window.has(snoop::MAGIC.len())? && window.peek().starts_with(snoop::MAGIC) {
            Blocks::Snoop(snoop::Snoop::begin(&mut window)?)
        } else {
            window.has(foreign::ENOUGH)?;
            let kind = foreign::name(window.peek());
            return Err(Error::NotACapture { start, kind });
        };
        Ok(Reader { window, blocks })
    }

    /// Returns the next packet; `None` at the end.
    ///
    /// # Errors
    ///
    /// If reading fails, or the input ends inside a record or contradicts itself. All packets
    /// before have been returned, and none follows: the next call returns `None`.
    #[inline]
    #[expect(clippy::should_implement_trait, reason = "an iterator cannot lend its buffer")]
    pub fn next(&mut self) -> Result<Option<Packet<'_>>, Error> {
        loop {
            match self.advance()? {
                Next::Packet(record) => return Ok(Some(self.packet(record))),
                Next::Passed => {}
                Next::End => return Ok(None),
            }
        }
    }

    /// Returns the next packet, or stops after skipping items that may be long.
    pub(crate) fn step(&mut self) -> Result<Step<'_>, Error> {
        Ok(match self.advance()? {
            Next::Packet(record) => Step::Packet(self.packet(record)),
            Next::Passed => Step::Passed,
            Next::End => Step::End,
        })
    }

    #[inline]
    fn advance(&mut self) -> Result<Next, Error> {
        let window = &mut self.window;
        let next = match &mut self.blocks {
            Blocks::Classic(classic) => classic.next(window),
            Blocks::Ng(ng) => ng.next(window),
            Blocks::Snoop(snoop) => snoop.next(window),
        };
        if next.is_err() {
            window.close();
        }
        next
    }

    #[inline]
    fn packet(&mut self, record: Record) -> Packet<'_> {
        self.window.packets += 1;
        let Record { start, length, offset, link, wire_length, fcs, time } = record;
        let (number, bytes) = (self.window.packets, self.window.taken(start, length));
        Packet { number, offset, link, bytes, wire_length, fcs, time }
    }

    /// Returns the format of the capture.
    pub fn format(&self) -> Format {
        match &self.blocks {
            Blocks::Classic(classic) => classic.format,
            Blocks::Ng(_) => Format::PcapNg,
            Blocks::Snoop(snoop) => snoop.format,
        }
    }

    /// Returns the byte order of the headers; for pcapng, of the current section.
    pub fn byte_order(&self) -> ByteOrder {
        match &self.blocks {
            Blocks::Classic(classic) => classic.order,
            Blocks::Ng(ng) => ng.order,
            Blocks::Snoop(_) => ByteOrder::Big,
        }
    }

    /// Returns the compression of the input, if any.
    pub fn compression(&self) -> Option<Compression> {
        self.window.compression()
    }

    /// Returns the number of (decompressed) bytes of the capture read so far.
    pub fn position(&self) -> u64 {
        self.window.offset()
    }
}
