//! snoop (RFC 1761): a header of 16 bytes, then records, all numbers with their highest byte first.
//! Shomiti's analysers write the same with other numbers of links, and longer padding.

use super::item::{ByteOrder, Format, LinkType, Next, Record};
use super::window::Window;
use crate::Error;
use std::io::Read;

/// The first bytes of a file.
pub(super) const MAGIC: &[u8; 8] = b"snoop\0\0\0";

const FILE_HEADER: usize = 16;
const VERSION: usize = 8;
const LINK: usize = 12;

/// Fields of the header of a record.
const WIRE_LENGTH: usize = 0;
const CAPTURED: usize = 4;
const RECORD: usize = 8;
const SECONDS: usize = 16;
const MICROSECONDS: usize = 20;
const HEADER: usize = 24;

/// Length of what Shomiti's hardware appends to a packet: RFC 1761 pads with fewer bytes.
const SHOMITI: u32 = 16;
/// Largest padding.
const LONGEST_PADDING: u32 = 4096;

/// Marks the numbers of links that no pcap link type corresponds to.
const OWN_NUMBER: u32 = 0x0100_0000;

/// A snoop file, between two records.
#[derive(Debug)]
pub(super) struct Snoop {
    pub format: Format,
    /// Number of the link in the file.
    number: u32,
    /// Type of the link, which only the first record shows.
    link: Option<LinkType>,
}

impl Snoop {
    /// Reads the header of a file.
    pub fn begin<R: Read>(window: &mut Window<R>) -> Result<Self, Error> {
        window.need(FILE_HEADER)?;
        let head = window.peek();
        let (version, number) = (ByteOrder::Big.u32(head, VERSION), ByteOrder::Big.u32(head, LINK));
        let format = match version {
            2 => Format::Snoop,
            3..=5 => Format::Shomiti,
            _ => {
                let major = version.try_into().unwrap_or(u16::MAX);
                return Err(Error::Version { format: "snoop", major, minor: 0, offset: 0 });
            }
        };
        window.take(FILE_HEADER);
        Ok(Snoop { format, number, link: None })
    }

    /// Returns whether these bytes, the next ones, hold the next record.
    #[inline]
    pub fn is_ready(&self, bytes: &[u8]) -> bool {
        bytes.len() >= HEADER && ByteOrder::Big.u32(bytes, RECORD) as usize <= bytes.len()
    }

    /// Returns the next record.
    pub fn next<R: Read>(&mut self, window: &mut Window<R>) -> Result<Next, Error> {
        if !window.another(HEADER)? {
            return Ok(Next::End);
        }
        let head = window.peek();
        let word = |place| ByteOrder::Big.u32(head, place);
        let (captured, record, wire_length) = (word(CAPTURED), word(RECORD), word(WIRE_LENGTH));
        let (seconds, microseconds) = (word(SECONDS), word(MICROSECONDS));
        let padding = record.checked_sub(HEADER as u32).and_then(|rest| rest.checked_sub(captured));
        let padding = padding.filter(|&padding| padding <= LONGEST_PADDING);
        let Some(padding) = padding.filter(|_| captured <= LinkType::ETHERNET.longest()) else {
            let what = format!("a record of {record} bytes with a packet of {captured}");
            return Err(window.malformed(window.offset(), what));
        };
        let link = *self.link.get_or_insert_with(|| {
            if padding >= SHOMITI {
                self.format = Format::Shomiti;
            }
            link(self.number, self.format)
        });
        window.need(record as usize)?;
        let offset = window.offset() + HEADER as u64;
        let start = window.take(record as usize) + HEADER;
        let time = u64::from(seconds) * 1_000_000_000 + u64::from(microseconds) * 1000;
        let (length, time) = (captured as usize, Some(time));
        Ok(Next::Packet(Record { start, length, offset, link, wire_length, fcs: None, time }))
    }
}

/// Returns the link type of a number in a file of RFC 1761, of Solaris (`sys/dlpi.h`), or of
/// Shomiti.
fn link(number: u32, format: Format) -> LinkType {
    LinkType(match (number, format) {
        (0 | 4, _) | (10 | 12 | 19, Format::Shomiti) => 1,
        (2, _) | (11 | 13 | 14, Format::Shomiti) => 6,
        (8, _) => 10,
        (14, Format::Snoop) => 0,
        (16, Format::Snoop) => 122,
        (18, Format::Snoop) => 123,
        (0x8000_0004, Format::Snoop) => 105,
        (0x8000_0005, Format::Snoop) => 226,
        _ => OWN_NUMBER | number & (OWN_NUMBER - 1),
    })
}
