//! Copies of captures from which packets are left out, or in which they get comments.

use super::tee::{CHUNK, Shared, Tee};
use crate::Error;
use crate::pcap::compressed::Decompressed;
use crate::pcap::write::{BlockOption, COMMENT, NgWriter};
use crate::pcap::{ByteOrder, Format, LinkType, Packet, Reader, Step};
use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{self, Read};
use std::rc::Rc;

/// Types of blocks of pcapng, and the place of the length of a section.
const SECTION: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];
const ORDER_MAGIC: u32 = 0x1a2b_3c4d;
const SIMPLE_PACKET: u32 = 3;
const SECTION_LENGTH: std::ops::Range<usize> = 16..24;
/// Options of an interface: the unit of its times, and the length of the frame check sequence.
const RESOLUTION: u16 = 9;
const FCS_LENGTH: u16 = 13;
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
    shared: Rc<RefCell<Shared<R>>>,
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
        let input = Decompressed::new(input).map_err(Error::io("read the capture"))?;
        let shared = Rc::new(RefCell::new(Shared { input, pending: Vec::new(), start: 0 }));
        let reader = Reader::new(Tee(Rc::clone(&shared)))?;
        let converts = to_pcapng && reader.format() != Format::PcapNg;
        Ok(Editor {
            reader: Some(reader),
            shared,
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
            if self.ready.len() >= CHUNK {
                return Ok(true);
            }
        }
        self.rest()?;
        Ok(!self.ready.is_empty())
    }

    /// Copies an item of the capture, up to `end`.
    fn item(
        &mut self,
        packet: Option<(Packet<'_>, usize)>,
        order: Option<ByteOrder>,
        end: u64,
    ) -> Result<(), Error> {
        let shared = &mut *self.shared.borrow_mut();
        let raw: Vec<u8> = shared.pending.drain(..(end - shared.start) as usize).collect();
        let start = std::mem::replace(&mut shared.start, end);
        let Some((packet, length)) = packet else {
            if self.converted.is_none() {
                let at = self.ready.len();
                self.ready.extend(raw);
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
            Some(order) if !notes.is_empty() && order.u32(&raw, 0) == SIMPLE_PACKET => {
                self.without_place += 1;
                self.ready.extend(raw);
            }
            Some(order) if !notes.is_empty() => {
                noted(&raw, at, length, order, &notes, &mut self.ready)
            }
            _ => self.ready.extend(raw),
        }
        Ok(())
    }

    /// Copies what cannot be read as packets.
    fn rest(&mut self) -> Result<(), Error> {
        let shared = &mut *self.shared.borrow_mut();
        if self.converted.is_some() {
            return Ok(());
        }
        if shared.pending.is_empty() {
            let mut chunk = vec![0; CHUNK];
            let count = shared.input.read(&mut chunk).map_err(Error::io("read the capture"))?;
            shared.pending.extend_from_slice(&chunk[..count]);
        }
        shared.start += shared.pending.len() as u64;
        self.ready.append(&mut shared.pending);
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
    is_magic && block.starts_with(&SECTION) && block.len() >= SECTION_LENGTH.end
}

/// Appends a packet block of pcapng with further comments, before its other options.
fn noted(
    raw: &[u8],
    at: usize,
    length: usize,
    order: ByteOrder,
    notes: &[String],
    out: &mut Vec<u8>,
) {
    let begin = out.len();
    let options = (at + length).next_multiple_of(4).min(raw.len() - 4);
    out.extend_from_slice(&raw[..options]);
    for note in notes {
        option(COMMENT, note.as_bytes(), order, out);
    }
    let others = &raw[options..raw.len() - 4];
    if others.is_empty() {
        out.extend([0; 4]);
    }
    out.extend_from_slice(others);
    let length = order.bytes32((out.len() - begin + 4) as u32);
    out[begin + 4..begin + 8].copy_from_slice(&length);
    out.extend(length);
}

fn option(code: u16, value: &[u8], order: ByteOrder, out: &mut Vec<u8>) {
    let length = value.len().min(usize::from(u16::MAX));
    out.extend(order.bytes16(code));
    out.extend(order.bytes16(length as u16));
    out.extend_from_slice(&value[..length]);
    out.resize(out.len().next_multiple_of(4), 0);
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
                let fcs = packet.fcs.map(|length| [length]);
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
