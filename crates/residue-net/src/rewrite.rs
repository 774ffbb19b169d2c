//! Copies of captures with changes, packet by packet, in constant memory.

mod editor;
mod tee;

pub use editor::{Editor, Fate};

use crate::Error;
use crate::buffer::{Buffer, Places};
use crate::pcap::patch::{self, Edit};
use crate::pcap::{Reader, Step};
use crate::verify::Verifier;
use std::io::{self, Read};
use tee::{CHUNK, Pending, Tee};

/// A reader of the decompressed capture with changed packets. All other bytes are returned
/// unchanged, also where the input is not a readable capture.
pub struct Rewriter<R: Read, F> {
    /// `None` after the readable part of the capture.
    reader: Option<Reader<Tee<R>>>,
    shared: Pending<R>,
    verifier: Verifier,
    each: F,
    /// Changes of packets whose bytes are not yet returned.
    edits: Vec<Edit>,
    /// Changes known from the start, last ones first.
    across: Vec<Edit>,
    ready: Vec<u8>,
    taken: usize,
    error: Option<Error>,
}

impl<R: Read, F: FnMut(&Buffer<'_>, &mut Vec<Edit>)> Rewriter<R, F> {
    /// Creates a rewriter. `each` is called with every packet, and adds its changes; `across` are
    /// sorted changes known before, as those in fragments and streams.
    ///
    /// # Errors
    ///
    /// If `input` is not a capture.
    pub fn new(input: R, across: &[Edit], each: F) -> Result<Self, Error> {
        let (reader, shared) = tee::open(input)?;
        Ok(Rewriter {
            reader: Some(reader),
            shared,
            verifier: Verifier::new(),
            each,
            edits: Vec::new(),
            across: across.iter().rev().copied().collect(),
            ready: Vec::new(),
            taken: 0,
            error: None,
        })
    }

    /// Returns the error if the capture could not be read to its end. Call it after reading all.
    pub fn error(self) -> Option<Error> {
        self.error
    }

    /// Continues until bytes can be returned; `false` at the end.
    fn go_on(&mut self) -> Result<bool, Error> {
        self.ready.clear();
        self.taken = 0;
        while let Some(reader) = &mut self.reader {
            let Rewriter { verifier, each, edits, .. } = self;
            let reached = match reader.step() {
                Ok(Step::Packet(packet)) => {
                    verifier.packet(&packet, |buffer| {
                        if matches!(buffer.places, Places::Contiguous(_)) {
                            each(buffer, edits);
                        }
                    });
                    packet.offset + packet.bytes.len() as u64
                }
                Ok(Step::Passed) => reader.position(),
                end => {
                    self.error = end.err();
                    self.reader = None;
                    break;
                }
            };
            let (start, pending) = {
                let shared = self.shared.borrow();
                (shared.start, shared.pending.len())
            };
            if pending >= CHUNK && reached > start {
                self.release(reached)?;
                return Ok(true);
            }
        }
        // The rest cannot be parsed, and is returned unchanged.
        let end = self.shared.borrow_mut().rest()?;
        self.release(end)?;
        Ok(!self.ready.is_empty())
    }

    /// Releases all bytes before `end`, with their changes.
    fn release(&mut self, end: u64) -> Result<(), Error> {
        let shared = &mut *self.shared.borrow_mut();
        while let Some(edit) = self.across.pop_if(|edit| edit.offset < end) {
            self.edits.push(edit);
        }
        patch::sort(&mut self.edits)?;
        let count = (end - shared.start) as usize;
        for edit in self.edits.drain(..) {
            edit.make(&mut shared.pending, shared.start)?;
        }
        self.ready.extend(shared.pending.drain(..count));
        shared.start = end;
        Ok(())
    }
}

impl<R: Read, F: FnMut(&Buffer<'_>, &mut Vec<Edit>)> Read for Rewriter<R, F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.ready.len() && !self.go_on().map_err(io::Error::other)? {
            return Ok(0);
        }
        let rest = &self.ready[self.taken..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.taken += count;
        Ok(count)
    }
}
