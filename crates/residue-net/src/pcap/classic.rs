//! pcap: a header of 24 bytes, then records
//! (<https://www.ietf.org/archive/id/draft-ietf-opsawg-pcap-04.html>), and the variants of other
//! systems, not all of which have a magic number of their own.

use super::item::{ByteOrder, Format, LinkType, Next, Record};
use super::window::Window;
use crate::Error;
use std::io::Read;

/// The header of the file, which applies to all records.
#[derive(Debug)]
pub(super) struct Classic {
    pub format: Format,
    pub order: ByteOrder,
    link: LinkType,
    fcs: Option<u8>,
    /// Length of the header of a record, in bytes.
    header: usize,
    /// Number of bytes between the header of a record and its packet, which its length counts.
    padding: usize,
    /// Unit of the second word of a time stamp, in nanoseconds.
    unit: u64,
    lengths: Lengths,
    /// Variants that the first records must tell apart; none after the first record.
    variants: &'static [(Format, usize)],
}

/// The order of the two lengths of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lengths {
    /// The captured length comes first.
    CapturedFirst,
    /// The length on the wire comes first: before version 2.3, and in DG/UX.
    WireFirst,
    /// The larger one is that on the wire: version 2.3, in which both orders were written.
    Either,
}

/// Formats by their magic numbers.
const MAGICS: [(u32, Format); 5] = [
    (0xa1b2_c3d4, Format::Pcap),
    (0xa1b2_3c4d, Format::PcapNanoseconds),
    (0xa1b2_cd34, Format::PcapModified),
    (0x1c00_01ac, Format::PcapIxia),
    (0x1c00_01ab, Format::PcapIxia),
];

/// Formats with one magic number, and the lengths of their records' headers, by probability. Red
/// Hat's and SuSE's add an interface, a protocol and a packet type (24), and two CPUs with padding
/// (28); Nokia's four bytes of unknown meaning.
const STANDARD: &[(Format, usize)] =
    &[(Format::Pcap, HEADER), (Format::PcapRedHat, 24), (Format::PcapNokia, 20)];
const MODIFIED: &[(Format, usize)] = &[(Format::PcapModified, 24), (Format::PcapSuse, 28)];

/// Length of the header of a record in bytes, without additions.
const HEADER: usize = 16;
/// Number of records that are looked at to find out the variant.
const TRIED: usize = 3;
/// Length of Ethernet's header.
const ETHERNET: usize = 14;

/// Returns the format and the byte order of a file by its first bytes.
pub(super) fn detect(start: [u8; 4]) -> Option<(Format, ByteOrder)> {
    [ByteOrder::Little, ByteOrder::Big].into_iter().find_map(|order| {
        let magic = order.u32(&start, 0);
        let (_, format) = MAGICS.iter().find(|(known, _)| *known == magic)?;
        Some((*format, order))
    })
}

/// Returns whether the header of a record is rather that of a file: its time would be a magic
/// number and a version, and its packet empty.
#[cold]
fn is_file_header(bytes: &[u8]) -> bool {
    let Some(&[a, b, c, d, e, f, g, h, ref rest @ ..]) = bytes.first_chunk::<16>() else {
        return false;
    };
    let version = |order: ByteOrder| [order.u16(&[e, f], 0), order.u16(&[g, h], 0)];
    detect([a, b, c, d]).is_some_and(|(_, order)| version(order) == [2, 4]) && *rest == [0; 8]
}

impl Classic {
    /// Reads the header of a file.
    pub fn begin<R: Read>(
        window: &mut Window<R>,
        format: Format,
        order: ByteOrder,
    ) -> Result<Self, Error> {
        // Ixia's header ends with the length of all records.
        let length = if format == Format::PcapIxia { 28 } else { 24 };
        window.need(length)?;
        let head = window.peek();
        let (major, minor) = (order.u16(head, 4), order.u16(head, 6));
        if major < 2 {
            return Err(Error::Version { format: "pcap", major, minor, offset: 0 });
        }
        let word = order.u32(head, 20);
        window.take(length);
        let lengths = match (major, minor) {
            (2, 0..=2) | (543, _) => Lengths::WireFirst,
            (2, 3) => Lengths::Either,
            _ => Lengths::CapturedFirst,
        };
        // Above the link type are bits of NetBSD, then a bit that is set if the top four bits are
        // the length of the frame check sequence, in 16-bit words.
        let fcs = (word & 0x0400_0000 != 0).then_some((word >> 28) as u8 * 2);
        let mut classic = Classic {
            format,
            order,
            link: LinkType(word & 0x03ff_ffff),
            fcs,
            header: HEADER,
            padding: 0,
            unit: if format == Format::PcapNanoseconds { 1 } else { 1000 },
            lengths,
            variants: match format {
                Format::Pcap => STANDARD,
                Format::PcapModified => MODIFIED,
                _ => &[],
            },
        };
        if format == Format::PcapModified {
            classic.header = 24;
        }
        if format == Format::Pcap && (major, minor) == (2, 2) {
            classic.aix(word);
        }
        Ok(classic)
    }

    /// Adopts the numbers of AIX, whose files have this version: types of interfaces (RFC 1573) in
    /// the place of link types, nanoseconds, and FDDI frames after three bytes. Old files of other
    /// systems have this version, too, but not these numbers, except for 9 (PPP).
    fn aix(&mut self, interface: u32) {
        let link = match interface {
            6 => LinkType::ETHERNET,
            9 => LinkType(6),
            15 => LinkType(10),
            24 => LinkType::NULL,
            _ => return,
        };
        self.format = Format::PcapAix;
        self.link = link;
        self.unit = 1;
        self.padding = if interface == 15 { 3 } else { 0 };
        self.variants = &[];
    }

    /// Returns the next record.
    #[inline]
    pub fn next<R: Read>(&mut self, window: &mut Window<R>) -> Result<Next, Error> {
        if !window.another(self.header)? {
            return Ok(Next::End);
        }
        if !self.variants.is_empty() {
            self.decide(window)?;
            window.need(self.header)?;
        }
        let (captured, _) = self.lengths(window.peek());
        if captured > self.link.longest() {
            return Err(self.too_long(window, captured));
        }
        if captured == 0 && is_file_header(window.peek()) {
            return Err(Error::Another { packets: window.packets, offset: window.offset() });
        }
        let whole = self.header + captured as usize;
        window.need(whole)?;
        let offset = window.offset();
        let record = self.record(window.peek(), offset, 0);
        Ok(Next::Packet(Record { start: record.start + window.take(whole), ..record }))
    }

    /// Appends the next records that are whole in the buffer and begin before the offset `end`,
    /// once the first record of the file was returned. Leaves those with errors to
    /// [`Classic::next`].
    pub fn gather<R: Read>(&self, window: &mut Window<R>, end: u64, records: &mut Vec<Record>) {
        let (bytes, offset, start) = (window.peek(), window.offset(), window.place());
        let (longest, before) = (self.link.longest(), records.len());
        let mut used = 0;
        while offset + (used as u64) < end
            && let rest = &bytes[used..]
            && let Some(room) = rest.len().checked_sub(self.header)
            && let (captured, _) = self.lengths(rest)
            && captured <= longest
            && captured as usize <= room
            && !(captured == 0 && is_file_header(rest))
        {
            records.push(self.record(rest, offset + used as u64, start + used));
            used += self.header + captured as usize;
        }
        window.packets += (records.len() - before) as u64;
        window.take(used);
    }

    /// Returns a record whose header is at this offset in the file and at this place in the buffer.
    #[inline]
    fn record(&self, header: &[u8], offset: u64, place: usize) -> Record {
        // Not mapped from an array of offsets, which the compiler turns into a call.
        let (seconds, fraction) = (self.order.u32(header, 0), self.order.u32(header, 4));
        let (captured, wire_length) = self.lengths(header);
        let length = captured as usize;
        let padding = self.padding.min(length);
        let time = u64::from(seconds) * 1_000_000_000 + u64::from(fraction) * self.unit;
        Record {
            start: place + self.header + padding,
            length: length - padding,
            offset: offset + (self.header + padding) as u64,
            link: self.link,
            wire_length: wire_length.saturating_sub(padding as u32),
            fcs: self.fcs,
            time: Some(time),
        }
    }

    /// Returns whether these bytes, the next ones, hold the next record.
    #[inline]
    pub fn is_ready(&self, bytes: &[u8]) -> bool {
        let Some(room) = bytes.len().checked_sub(self.header) else { return false };
        self.variants.is_empty() && self.lengths(bytes).0 as usize <= room
    }

    /// Returns the captured length of a record and that on the wire.
    #[inline]
    fn lengths(&self, head: &[u8]) -> (u32, u32) {
        let (first, second) = (self.order.u32(head, 8), self.order.u32(head, 12));
        let exchanged = match self.lengths {
            Lengths::CapturedFirst => false,
            Lengths::WireFirst => true,
            Lengths::Either => first > second,
        };
        if exchanged { (second, first) } else { (first, second) }
    }

    /// Finds out the variant by the first records. Where the first packet is an ordinary one of the
    /// first variant, nothing more is read: a program that writes to a pipe may wait before the
    /// second.
    #[cold]
    #[inline(never)]
    fn decide<R: Read>(&mut self, window: &mut Window<R>) -> Result<(), Error> {
        let variants = std::mem::take(&mut self.variants);
        if self.link.longest() > LinkType::ETHERNET.longest()
            || self.is_usual(window, self.header)?
        {
            return Ok(());
        }
        for &(format, header) in variants {
            if self.fits(window, header)? {
                (self.format, self.header) = (format, header);
                break;
            }
        }
        Ok(())
    }

    /// Returns whether a packet of a known protocol follows a first header of this length.
    fn is_usual<R: Read>(&self, window: &mut Window<R>, header: usize) -> Result<bool, Error> {
        let (captured, _) = self.lengths(window.peek());
        if (captured as usize) < ETHERNET || !window.has(header + ETHERNET)? {
            return Ok(false);
        }
        let packet = &window.peek()[header..];
        Ok(match self.link.0 {
            1 => matches!(
                packet[12..14],
                [0x08, 0x00 | 0x06] | [0x81, 0x00] | [0x86, 0xdd] | [0x88, _]
            ),
            12 | 14 | 101 | 228 | 229 => matches!(packet[0] >> 4, 4 | 6),
            0 | 6 | 9 | 10 => false,
            // The systems with variants had none of these links.
            _ => true,
        })
    }

    /// Returns whether the first records make sense with headers of this length.
    fn fits<R: Read>(&self, window: &mut Window<R>, header: usize) -> Result<bool, Error> {
        let mut at = 0;
        for record in 0..TRIED {
            if !window.has(at + header)? {
                let ends_here = window.peek().len() == at;
                return Ok(record > 1 || record == 1 && ends_here && self.is_usual(window, header)?);
            }
            let head = &window.peek()[at..];
            if is_file_header(head) {
                return Ok(true);
            }
            let (captured, wire_length) = self.lengths(head);
            let longest = self.link.longest();
            if captured > wire_length
                || wire_length > longest
                || self.order.u32(head, 4) >= 1_000_000
            {
                return Ok(false);
            }
            at += header + captured as usize;
        }
        Ok(true)
    }

    #[cold]
    fn too_long<R: Read>(&self, window: &Window<R>, captured: u32) -> Error {
        let longest = self.link.longest();
        let what = format!(
            "a packet of {captured} bytes, more than the {longest} that the link type allows"
        );
        window.malformed(window.offset(), what)
    }
}
