//! Copies of captures from which packets are left out, or in which they get comments.

use super::tee::{self, CHUNK, Pending, Tee};
use crate::Error;
use crate::pcap::ng::{
    FCS_LENGTH, ORDER_MAGIC, RESOLUTION, SECTION, SIMPLE_PACKET, stored_fcs_length,
};
use crate::pcap::write::{BlockOption, COMMENT, NgWriter, option};
use crate::pcap::{ByteOrder, Format, LinkType, Packet, Reader, Step};
use std::collections::HashMap;
use std::io::{self, Read};

/// The place of the length of a section in its first block.
const SECTION_LENGTH: std::ops::Range<usize> = 16..24;
/// The unit of times: a negative power of ten seconds.
const NANOSECONDS: u8 = 9;

/// What happens to a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is copied.
    Kept,
    /// It is left out.
    Dropped,
    /// It is copied with comments, in pcapng.
    Noted(Vec<String>),
}

/// A reader of a changed copy of a capture. What is no packet stays as it is, but for the lengths
/// of the blocks and sections of pcapng that grow.
pub struct Editor<R: Read, F> {
    /// `None` after the readable part of the capture.
    reader: Option<Reader<Tee<R>>>,
    shared: Pending<R>,
    /// Number of pending bytes that were copied.
    copied: usize,
    each: F,
    /// A pcapng file made of a capture in another format.
    converted: Option<Converted>,
    ready: Vec<u8>,
    taken: usize,
    error: Option<Error>,
    /// Number of packets whose blocks have no place for comments.
    without_place: u64,
}

/// The interfaces of a pcapng file that is made of another format: one for each type of packets.
#[derive(Default)]
struct Converted {
    begun: bool,
    interfaces: HashMap<(LinkType, Option<u8>), u32>,
}

impl<R: Read, F: FnMut(&Packet<'_>) -> Fate> Editor<R, F> {
    /// Creates an editor; `each` says what happens to each packet. With `to_pcapng`, captures in
    /// other formats become pcapng, as comments need.
    ///
    /// # Errors
    ///
    /// If `input` is not a capture.
    pub fn new(input: R, to_pcapng: bool, each: F) -> Result<Self, Error> {
        let (reader, shared) = tee::open(input)?;
        let converts = to_pcapng && reader.format() != Format::PcapNg;
        Ok(Editor {
            reader: Some(reader),
            shared,
            copied: 0,
            each,
            converted: converts.then(Converted::default),
            ready: Vec::new(),
            taken: 0,
            error: None,
            without_place: 0,
        })
    }

    /// Returns the error if the capture could not be read to its end, and the number of packets
    /// that have no place for their comments: simple packet blocks. Call it after reading all.
    pub fn finish(self) -> (Option<Error>, u64) {
        (self.error, self.without_place)
    }

    /// Continues until bytes can be returned; `false` at the end.
    fn go_on(&mut self) -> Result<bool, Error> {
        self.ready.clear();
        self.taken = 0;
        while let Some(reader) = &mut self.reader {
            let order = reader.byte_order();
            let packet = match reader.step() {
                Ok(Step::Packet(packet)) => {
                    let Packet { number, offset, link, bytes, wire_length, fcs, time } = packet;
                    let length = bytes.len();
                    let bytes: &[u8] = &[];
                    Some((Packet { number, offset, link, bytes, wire_length, fcs, time }, length))
                }
                Ok(Step::Passed) => None,
                end => {
                    self.error = end.err();
                    self.reader = None;
                    break;
                }
            };
            let (is_pcapng, end) = (reader.format() == Format::PcapNg, reader.position());
            self.item(packet, is_pcapng.then_some(order), end)?;
            if self.copied >= CHUNK {
                self.release();
            }
            if self.ready.len() >= CHUNK {
                return Ok(true);
            }
        }
        self.release();
        if self.converted.is_none() {
            let shared = &mut *self.shared.borrow_mut();
            shared.start = shared.rest()?;
            self.ready.append(&mut shared.pending);
        }
        Ok(!self.ready.is_empty())
    }

    /// Forgets the pending bytes that were copied: many at a time, as the others move.
    fn release(&mut self) {
        let shared = &mut *self.shared.borrow_mut();
        shared.pending.drain(..self.copied);
        shared.start += std::mem::take(&mut self.copied) as u64;
    }

    /// Copies an item of the capture, up to `end`.
    fn item(
        &mut self,
        packet: Option<(Packet<'_>, usize)>,
        order: Option<ByteOrder>,
        end: u64,
    ) -> Result<(), Error> {
        let shared = self.shared.borrow();
        let start = shared.start + self.copied as u64;
        let from = std::mem::replace(&mut self.copied, (end - shared.start) as usize);
        let raw = shared.pending.get(from..self.copied).unwrap_or_default();
        let Some((packet, length)) = packet else {
            if self.converted.is_none() {
                let at = self.ready.len();
                self.ready.extend_from_slice(raw);
                // A section that grows has no stated length.
                if order.is_some() && is_section(&self.ready[at..]) {
                    self.ready[at..][SECTION_LENGTH].fill(0xff);
                }
            }
            return Ok(());
        };
        let at = (packet.offset - start) as usize;
        let packet = Packet { bytes: raw.get(at..at + length).unwrap_or_default(), ..packet };
        let notes = match (self.each)(&packet) {
            Fate::Dropped => return Ok(()),
            Fate::Kept => Vec::new(),
            Fate::Noted(notes) => notes,
        };
        if let Some(converted) = &mut self.converted {
            return converted.packet(&packet, &notes, &mut self.ready);
        }
        match order {
            Some(order) if !notes.is_empty() && order.u32(raw, 0) != SIMPLE_PACKET => {
                noted(raw, at + length, order, &notes, &mut self.ready)
                    .map_err(Error::io("write the new capture"))?;
            }
            _ => {
                self.without_place += u64::from(!notes.is_empty());
                self.ready.extend_from_slice(raw);
            }
        }
        Ok(())
    }
}

impl<R: Read, F: FnMut(&Packet<'_>) -> Fate> Read for Editor<R, F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.ready.len() {
            if !self.go_on().map_err(io::Error::other)? {
                return Ok(0);
            }
        }
        let rest = &self.ready[self.taken..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.taken += count;
        Ok(count)
    }
}

/// Returns whether a block of pcapng begins a section.
fn is_section(block: &[u8]) -> bool {
    let magic = block.get(8..12).and_then(|bytes| bytes.first_chunk());
    let is_magic = magic.is_some_and(|bytes| {
        [u32::from_le_bytes(*bytes), u32::from_be_bytes(*bytes)].contains(&ORDER_MAGIC)
    });
    is_magic && block.starts_with(&SECTION.to_be_bytes()) && block.len() >= SECTION_LENGTH.end
}

/// Appends a packet block of pcapng with further comments, before its other options. `end`: of its
/// packet.
fn noted(
    raw: &[u8],
    end: usize,
    order: ByteOrder,
    notes: &[String],
    out: &mut Vec<u8>,
) -> io::Result<()> {
    let mut block = raw[..end.next_multiple_of(4).min(raw.len() - 4)].to_vec();
    let others = &raw[block.len()..raw.len() - 4];
    for note in notes {
        option(&mut block, order, (COMMENT, note.as_bytes()))?;
    }
    // The option that ends the others.
    block.extend_from_slice(if others.is_empty() { &[0; 4] } else { others });
    let length = order.bytes32(block.len() as u32 + 4);
    block[4..8].copy_from_slice(&length);
    out.append(&mut block);
    out.extend(length);
    Ok(())
}

impl Converted {
    fn packet(
        &mut self,
        packet: &Packet<'_>,
        notes: &[String],
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let write = || -> io::Result<()> {
            let mut writer = NgWriter::within(out, ByteOrder::Little);
            if !std::mem::replace(&mut self.begun, true) {
                writer.section(ByteOrder::Little, &[])?;
            }
            let key = (packet.link, packet.fcs);
            let next = self.interfaces.len() as u32;
            let interface = *self.interfaces.entry(key).or_insert(next);
            if interface == next {
                let link = u16::try_from(packet.link.0).map_err(io::Error::other)?;
                let fcs = packet.fcs.map(|length| [stored_fcs_length(length)]);
                let mut options: Vec<BlockOption<'_>> = vec![(RESOLUTION, &[NANOSECONDS])];
                options.extend(fcs.as_ref().map(|length| (FCS_LENGTH, &length[..])));
                writer.interface(link, 0, &options)?;
            }
            let notes: Vec<BlockOption<'_>> =
                notes.iter().map(|note| (COMMENT, note.as_bytes())).collect();
            let time = packet.time.unwrap_or(0);
            writer.packet(interface, time, packet.wire_length, packet.bytes, &notes)
        };
        write().map_err(Error::io("write the new capture"))
    }
}
