//! The bytes of a capture that are read as packets, and kept to be returned.

use crate::pcap::compressed::Decompressed;
use std::cell::RefCell;
use std::io::{self, Read};
use std::rc::Rc;

/// Number of bytes to process before they are returned.
pub const CHUNK: usize = 1 << 20;

/// Bytes that were read but not yet returned.
pub struct Shared<R: Read> {
    pub input: Decompressed<R>,
    pub pending: Vec<u8>,
    /// Offset of the first of them.
    pub start: u64,
}

/// A reader that keeps the bytes read through it.
pub struct Tee<R: Read>(pub Rc<RefCell<Shared<R>>>);

impl<R: Read> Read for Tee<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let shared = &mut *self.0.borrow_mut();
        let count = shared.input.read(buffer)?;
        shared.pending.extend_from_slice(&buffer[..count]);
        Ok(count)
    }
}
