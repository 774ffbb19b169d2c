//! Writers of captures: classic pcap, and the parts of pcapng that test captures need.

use super::{ByteOrder, LinkType, ng};
use std::io::{self, Write};

impl ByteOrder {
    fn bytes16(self, number: u16) -> [u8; 2] {
        match self {
            ByteOrder::Little => number.to_le_bytes(),
            ByteOrder::Big => number.to_be_bytes(),
        }
    }

    pub(crate) fn bytes32(self, number: u32) -> [u8; 4] {
        match self {
            ByteOrder::Little => number.to_le_bytes(),
            ByteOrder::Big => number.to_be_bytes(),
        }
    }
}

/// Converts a length to 32 bits.
fn length32(length: usize) -> io::Result<u32> {
    u32::try_from(length)
        .map_err(|_| io::Error::other("more bytes than a capture's record can have"))
}

/// The header of a pcap file.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// Byte order of all numbers in headers.
    pub order: ByteOrder,
    /// Whether time stamps are in nanoseconds, not microseconds.
    pub nanoseconds: bool,
    /// Type of the first header of all packets.
    pub link: LinkType,
    /// Largest number of captured bytes of a packet. The writer does not cut packets: its caller
    /// does.
    pub snaplen: u32,
    /// Length of the frame check sequence of all packets in bytes: even, at most 30; `None` to
    /// leave it out.
    pub fcs: Option<u8>,
}

impl Header {
    /// Returns a header for little-endian numbers, nanoseconds and whole packets.
    #[must_use]
    pub fn new(link: LinkType) -> Header {
        let (order, snaplen) = (ByteOrder::Little, 256 << 10);
        Header { order, nanoseconds: true, link, snaplen, fcs: None }
    }
}

/// A writer of a pcap file.
pub struct Writer<W> {
    out: W,
    header: Header,
}

impl<W: Write> Writer<W> {
    /// Creates a writer, and writes the header of the file. `out` should have a buffer.
    ///
    /// # Errors
    ///
    /// Returns the errors of `out`.
    pub fn new(mut out: W, header: Header) -> io::Result<Self> {
        let order = header.order;
        let magic = if header.nanoseconds { 0xa1b2_3c4d } else { 0xa1b2_c3d4 };
        let fcs = header.fcs.map_or(0, |length| u32::from(length / 2) << 28 | 0x0400_0000);
        out.write_all(&order.bytes32(magic))?;
        out.write_all(&order.bytes16(2))?;
        out.write_all(&order.bytes16(4))?;
        for word in [0, 0, header.snaplen, header.link.0 | fcs] {
            out.write_all(&order.bytes32(word))?;
        }
        Ok(Writer { out, header })
    }

    /// Writes a packet: its time in nanoseconds since 1970, its length on the wire, and the
    /// captured bytes. Seconds above 32 bits are cut.
    ///
    /// # Errors
    ///
    /// Returns the errors of `out`, and an error if there are more bytes than the format can count.
    pub fn packet(&mut self, time: u64, wire_length: u32, bytes: &[u8]) -> io::Result<()> {
        let unit = if self.header.nanoseconds { 1 } else { 1000 };
        let fraction = (time % 1_000_000_000 / unit) as u32;
        let words = [(time / 1_000_000_000) as u32, fraction, length32(bytes.len())?, wire_length];
        let mut head = [0; 16];
        for (place, word) in head.chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&self.header.order.bytes32(word));
        }
        self.out.write_all(&head)?;
        self.out.write_all(bytes)
    }

    /// Returns `out`. Only its own buffer may hold unwritten data.
    pub fn into_inner(self) -> W {
        self.out
    }
}

/// An option of a block: its code and value.
pub type BlockOption<'a> = (u16, &'a [u8]);

/// A comment, in any block.
pub const COMMENT: u16 = 1;

/// A writer of a pcapng file, block by block. The caller must avoid blocks that contradict each
/// other.
pub struct NgWriter<W> {
    out: W,
    order: ByteOrder,
}

impl<W: Write> NgWriter<W> {
    /// Creates a writer, and begins the first section.
    ///
    /// # Errors
    ///
    /// As [`NgWriter::block`].
    pub fn new(out: W, order: ByteOrder, options: &[BlockOption]) -> io::Result<Self> {
        let mut writer = NgWriter { out, order };
        writer.section(order, options)?;
        Ok(writer)
    }

    /// Creates a writer of blocks that follow others.
    pub(crate) fn within(out: W, order: ByteOrder) -> Self {
        NgWriter { out, order }
    }

    /// Begins a section with its own byte order and interfaces.
    ///
    /// # Errors
    ///
    /// As [`NgWriter::block`].
    pub fn section(&mut self, order: ByteOrder, options: &[BlockOption]) -> io::Result<()> {
        self.order = order;
        let mut body = order.bytes32(ng::ORDER_MAGIC).to_vec();
        body.extend(order.bytes16(1));
        body.extend(order.bytes16(0));
        // The length of the section is left unspecified.
        body.extend([0xff; 8]);
        self.block(ng::SECTION, &body, options)
    }

    /// Writes the next interface of the section; interfaces are counted from 0.
    ///
    /// # Errors
    ///
    /// As [`NgWriter::block`].
    pub fn interface(
        &mut self,
        link: u16,
        snaplen: u32,
        options: &[BlockOption],
    ) -> io::Result<()> {
        let mut body = self.order.bytes16(link).to_vec();
        body.extend([0; 2]);
        body.extend(self.order.bytes32(snaplen));
        self.block(ng::INTERFACE, &body, options)
    }

    /// Writes a packet: its interface, its time in the unit of the interface, its length on the
    /// wire, and the captured bytes.
    ///
    /// # Errors
    ///
    /// As [`NgWriter::block`].
    pub fn packet(
        &mut self,
        interface: u32,
        time: u64,
        wire_length: u32,
        bytes: &[u8],
        options: &[BlockOption],
    ) -> io::Result<()> {
        let interface = self.order.bytes32(interface);
        self.packet_block(ng::ENHANCED_PACKET, interface, time, wire_length, bytes, options)
    }

    /// Writes a packet in the format before 2004: 16 bits count the packets dropped before it.
    ///
    /// # Errors
    ///
    /// As [`NgWriter::block`].
    pub fn old_packet(
        &mut self,
        interface: u16,
        time: u64,
        wire_length: u32,
        bytes: &[u8],
        options: &[BlockOption],
    ) -> io::Result<()> {
        let [first, second] = self.order.bytes16(interface);
        let interface = [first, second, 0, 0];
        self.packet_block(ng::OLD_PACKET, interface, time, wire_length, bytes, options)
    }

    fn packet_block(
        &mut self,
        kind: u32,
        interface: [u8; 4],
        time: u64,
        wire_length: u32,
        bytes: &[u8],
        options: &[BlockOption],
    ) -> io::Result<()> {
        let captured = length32(bytes.len())?;
        let mut body = Vec::with_capacity(bytes.len() + 24);
        body.extend(interface);
        for word in [(time >> 32) as u32, time as u32, captured, wire_length] {
            body.extend(self.order.bytes32(word));
        }
        body.extend(bytes);
        self.block(kind, &body, options)
    }

    /// Writes a packet of interface 0 without a time: its length on the wire, and the captured
    /// bytes.
    ///
    /// # Errors
    ///
    /// As [`NgWriter::block`].
    pub fn simple_packet(&mut self, wire_length: u32, bytes: &[u8]) -> io::Result<()> {
        let mut body = self.order.bytes32(wire_length).to_vec();
        body.extend(bytes);
        self.block(ng::SIMPLE_PACKET, &body, &[])
    }

    /// Writes any block: its type, its body (padded with zeros to a multiple of four bytes), its
    /// options.
    ///
    /// # Errors
    ///
    /// Returns the errors of `out`, and an error if a length exceeds its field.
    pub fn block(&mut self, kind: u32, body: &[u8], options: &[BlockOption]) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(body.len() + 16);
        bytes.extend(self.order.bytes32(kind));
        bytes.extend([0; 4]);
        bytes.extend(body);
        fill_up(&mut bytes);
        for &it in options {
            option(&mut bytes, self.order, it)?;
        }
        if !options.is_empty() {
            bytes.extend([0; 4]);
        }
        let length = self.order.bytes32(length32(bytes.len() + 4)?);
        bytes[4..8].copy_from_slice(&length);
        bytes.extend(length);
        self.out.write_all(&bytes)
    }

    /// Returns `out`, for example to flush it between two blocks.
    pub fn out(&mut self) -> &mut W {
        &mut self.out
    }

    /// Returns `out`.
    pub fn into_inner(self) -> W {
        self.out
    }
}

/// Appends an option of a block, which begins at a multiple of four bytes.
pub(crate) fn option(
    bytes: &mut Vec<u8>,
    order: ByteOrder,
    (code, value): BlockOption<'_>,
) -> io::Result<()> {
    let length = u16::try_from(value.len())
        .map_err(|_| io::Error::other("more than 65535 bytes in an option"))?;
    bytes.extend(order.bytes16(code));
    bytes.extend(order.bytes16(length));
    bytes.extend(value);
    fill_up(bytes);
    Ok(())
}

/// Pads with zeros to a multiple of four bytes.
fn fill_up(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(4), 0);
}
