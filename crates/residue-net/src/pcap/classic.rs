//! pcap: a header of 24 bytes, then records
//! (<https://www.ietf.org/archive/id/draft-ietf-opsawg-pcap-04.html>).

use super::window::Window;
use super::{ByteOrder, Format, LinkType, Next, Record};
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
    /// Unit of the second word of a time stamp, in nanoseconds.
    unit: u64,
}

/// Formats by their magic numbers.
const MAGICS: [(u32, Format); 5] = [
    (0xa1b2_c3d4, Format::Pcap),
    (0xa1b2_3c4d, Format::PcapNanoseconds),
    (0xa1b2_cd34, Format::PcapModified),
    (0x1c00_01ac, Format::PcapIxia),
    (0x1c00_01ab, Format::PcapIxia),
];

/// Returns the format and the byte order of a file by its first bytes.
pub(super) fn detect(start: [u8; 4]) -> Option<(Format, ByteOrder)> {
    [ByteOrder::Little, ByteOrder::Big].into_iter().find_map(|order| {
        let magic = order.u32(&start, 0);
        let (_, format) = MAGICS.iter().find(|(known, _)| *known == magic)?;
        Some((*format, order))
    })
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
        // Above the link type are bits of NetBSD, then a bit that is set if the top four bits are
        // the length of the frame check sequence, in 16-bit words.
        let word = order.u32(head, 20);
        let fcs = (word & 0x0400_0000 != 0).then_some((word >> 28) as u8 * 2);
        let link = LinkType(word & 0x03ff_ffff);
        window.take(length);
        let header = if format == Format::PcapModified { 24 } else { 16 };
        let unit = if format == Format::PcapNanoseconds { 1 } else { 1000 };
        Ok(Classic { format, order, link, fcs, header, unit })
    }

    /// Returns the next record.
    #[inline]
    pub fn next<R: Read>(&self, window: &mut Window<R>) -> Result<Next, Error> {
        if !window.another(self.header)? {
            return Ok(Next::End);
        }
        let head = window.peek();
        // Not mapped from an array of offsets, which the compiler turns into a call.
        let (seconds, fraction) = (self.order.u32(head, 0), self.order.u32(head, 4));
        let (captured, wire_length) = (self.order.u32(head, 8), self.order.u32(head, 12));
        if captured > self.link.longest() {
            return Err(self.too_long(window, captured));
        }
        let length = captured as usize;
        let whole = self.header + length;
        window.need(whole)?;
        let offset = window.offset() + self.header as u64;
        let start = window.take(whole) + self.header;
        let time = u64::from(seconds) * 1_000_000_000 + u64::from(fraction) * self.unit;
        let (link, fcs) = (self.link, self.fcs);
        let time = Some(time);
        Ok(Next::Packet(Record { start, length, offset, link, wire_length, fcs, time }))
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
