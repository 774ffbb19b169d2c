//! The bytes of a capture that are read as packets, and kept to be returned.

use crate::Error;
use crate::pcap::Reader;
use crate::pcap::compressed::Decompressed;
use std::cell::RefCell;
use std::io::{self, Read};
use std::rc::Rc;

/// Number of bytes to process before they are returned.
pub const CHUNK: usize = 1 << 20;

/// Bytes that were read but not yet returned.
pub struct Shared<R: Read> {
    input: Decompressed<R>,
    pub pending: Vec<u8>,
    /// Offset of the first of them.
    pub start: u64,
}

/// The bytes, and the reader that adds to them.
pub type Pending<R> = Rc<RefCell<Shared<R>>>;

/// A reader that keeps the bytes read through it.
pub struct Tee<R: Read>(Pending<R>);

/// Begins to read packets; returns the bytes behind them, too.
pub fn open<R: Read>(input: R) -> Result<(Reader<Tee<R>>, Pending<R>), Error> {
    let input = Decompressed::new(input).map_err(Error::io("read the capture"))?;
    let shared = Rc::new(RefCell::new(Shared { input, pending: Vec::new(), start: 0 }));
    Ok((Reader::new(Tee(Rc::clone(&shared)))?, shared))
}

impl<R: Read> Shared<R> {
    /// Reads on without looking for packets, if nothing is pending; returns where the pending bytes
    /// end.
    pub fn rest(&mut self) -> Result<u64, Error> {
        if self.pending.is_empty() {
            self.pending.resize(CHUNK, 0);
            let read = self.input.read(&mut self.pending);
            self.pending.truncate(*read.as_ref().unwrap_or(&0));
            read.map_err(Error::io("read the capture"))?;
        }
        Ok(self.start + self.pending.len() as u64)
    }
}

impl<R: Read> Read for Tee<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let shared = &mut *self.0.borrow_mut();
        let count = shared.input.read(buffer)?;
        shared.pending.extend_from_slice(&buffer[..count]);
        Ok(count)
    }
}
