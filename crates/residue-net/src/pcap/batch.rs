//! Packets that lie in one buffer, which can be passed to another thread.

use super::chunk::Chunk;
use super::item::{Next, Packet, Record};
use super::{Blocks, Reader};
use crate::Error;
use std::io::Read;

/// Consecutive packets of a capture, and the buffer with their bytes.
pub(crate) struct Batch {
    pub(super) chunk: Chunk,
    records: Vec<Record>,
    /// Number of packets before the first one.
    before: u64,
}

impl Batch {
    /// Returns the number of packets.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Returns a packet by its place, from 0.
    #[inline]
    pub fn packet(&self, place: usize) -> Packet<'_> {
        let number = self.before + place as u64 + 1;
        let Record { start, length, offset, link, wire_length, fcs, time } = self.records[place];
        let bytes = self.chunk.part(start, length);
        Packet { number, offset, link, bytes, wire_length, fcs, time }
    }

    /// Returns the packets in order.
    pub fn packets(&self) -> impl Iterator<Item = Packet<'_>> {
        (0..self.len()).map(|place| self.packet(place))
    }
}

impl<R: Read> Reader<R> {
    /// Creates a batch without packets.
    pub(crate) fn empty_batch(&self) -> Batch {
        Batch { chunk: self.window.empty_chunk(), records: Vec::new(), before: 0 }
    }

    /// Reads bytes once, and replaces the packets of `batch` with those that are whole in them; at
    /// least up to the next packet. Returns `false` at the end of the capture, after which no
    /// packet follows those of the batch.
    ///
    /// # Errors
    ///
    /// As [`Reader::next`]. The batch then has the packets before the error.
    pub(crate) fn batch(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        let result = self.gather(batch, u64::MAX, Reader::is_ready);
        self.window.detach(&mut batch.chunk);
        result
    }

    /// Replaces the records of `batch` with those that begin before the offset `end`: the next one,
    /// and others for as long as `goes_on` returns `true`. Returns as [`Reader::batch`].
    pub(super) fn gather(
        &mut self,
        batch: &mut Batch,
        end: u64,
        goes_on: impl Fn(&Self) -> bool,
    ) -> Result<bool, Error> {
        batch.records.clear();
        batch.before = self.window.packets;
        let mut is_first = true;
        while self.window.offset() < end && (is_first || goes_on(self)) {
            is_first = false;
            match self.advance()? {
                Next::Packet(record) => {
                    self.window.packets += 1;
                    batch.records.push(record);
                }
                Next::Passed => {}
                Next::End => return Ok(false),
            }
            if let Blocks::Classic(classic) = &self.blocks {
                classic.gather(&mut self.window, end, &mut batch.records);
            }
        }
        Ok(true)
    }

    /// Returns whether the next item can be returned without reading, which would replace the
    /// buffer.
    #[inline]
    fn is_ready(&self) -> bool {
        let bytes = self.window.peek();
        match &self.blocks {
            Blocks::Classic(classic) => classic.is_ready(bytes),
            Blocks::Ng(ng) => ng.is_ready(bytes),
            Blocks::Snoop(snoop) => snoop.is_ready(bytes),
        }
    }
}
