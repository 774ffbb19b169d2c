//! pcapng: sections of blocks (<https://www.ietf.org/archive/id/draft-ietf-opsawg-pcapng-03.html>).
//! Blocks without packets or interfaces are skipped.

use super::item::{ByteOrder, LinkType, Next, Record};
use super::window::Window;
use crate::Error;
use std::io::Read;

/// Type of the block that begins a section, equal in both byte orders.
pub(crate) const SECTION: u32 = 0x0a0d_0d0a;
pub(super) const INTERFACE: u32 = 1;
pub(super) const OLD_PACKET: u32 = 2;
pub(crate) const SIMPLE_PACKET: u32 = 3;
pub(super) const ENHANCED_PACKET: u32 = 6;

/// Magic number in the first block of a section, after its length, which shows the byte order.
pub(crate) const ORDER_MAGIC: u32 = 0x1a2b_3c4d;

/// Options of an interface: the unit of its times, and the length of the frame check sequence.
pub(crate) const RESOLUTION: u16 = 9;
pub(crate) const FCS_LENGTH: u16 = 13;

/// Length of a block's type and length in bytes.
const HEAD: usize = 8;
const TAIL: usize = 4;
/// Length of the shortest block that begins a section, without options.
const SHORTEST_SECTION: usize = 28;

/// Largest block to read: no packet, with all its options, and no interface needs more. Longer
/// blocks are skipped.
const LONGEST_BLOCK: u32 = 129 << 20;

/// Largest number of stored interfaces; no host has more.
const MOST_INTERFACES: usize = 1 << 16;

/// A pcapng file, between two blocks.
#[derive(Debug)]
pub(super) struct Ng {
    /// Byte order of the section.
    pub order: ByteOrder,
    interfaces: Vec<Interface>,
    passing: Option<Passing>,
}

/// A block that is being skipped, which may be longer than the memory in use.
#[derive(Clone, Copy, Debug)]
struct Passing {
    offset: u64,
    length: u32,
    /// Number of bytes before its second length.
    left: u64,
}

/// The common properties of packets of an interface.
#[derive(Clone, Copy, Debug)]
struct Interface {
    link: LinkType,
    /// Largest number of captured bytes of a packet; 0 for all.
    snaplen: u32,
    fcs: Option<u8>,
    resolution: Resolution,
    /// Seconds to add to time stamps.
    base: i64,
}

/// The unit of an interface's time stamps.
#[derive(Clone, Copy, Debug)]
enum Resolution {
    /// Units of this many nanoseconds.
    Nanoseconds(u64),
    /// Units of which this many make a nanosecond.
    PartOfNanosecond(u128),
    /// Seconds divided by this power of two.
    Binary(u8),
}

impl Resolution {
    /// Parses the value of the option: a negative power of ten, or of two if the top bit is set.
    fn of(value: u8) -> Resolution {
        let power = u32::from(value & 0x7f);
        if value & 0x80 != 0 {
            Resolution::Binary(value & 0x7f)
        } else if power <= 9 {
            Resolution::Nanoseconds(10_u64.pow(9 - power))
        } else {
            Resolution::PartOfNanosecond(10_u128.checked_pow(power - 9).unwrap_or(u128::MAX))
        }
    }

    /// Converts a time stamp to nanoseconds.
    #[inline]
    fn nanoseconds(self, stamp: u64) -> u64 {
        match self {
            Resolution::Nanoseconds(unit) => stamp.saturating_mul(unit),
            Resolution::PartOfNanosecond(parts) => (u128::from(stamp) / parts) as u64,
            Resolution::Binary(power) => {
                let nanoseconds = (u128::from(stamp) * 1_000_000_000) >> power;
                u64::try_from(nanoseconds).unwrap_or(u64::MAX)
            }
        }
    }
}

impl Interface {
    #[inline]
    fn time(&self, stamp: u64) -> u64 {
        let time = self.resolution.nanoseconds(stamp);
        if self.base == 0 {
            return time;
        }
        let time = i128::from(time) + i128::from(self.base) * 1_000_000_000;
        u64::try_from(time.max(0)).unwrap_or(u64::MAX)
    }
}

impl Ng {
    /// Begins a file with the first block of a section.
    pub fn begin<R: Read>(window: &mut Window<R>) -> Result<Self, Error> {
        let mut ng = Ng { order: ByteOrder::Little, interfaces: Vec::new(), passing: None };
        ng.section(window)?;
        Ok(ng)
    }

    /// Returns the next block, or a part of one without a packet.
    pub fn next<R: Read>(&mut self, window: &mut Window<R>) -> Result<Next, Error> {
        if let Some(passing) = self.passing {
            return self.go_on(window, passing).map(|()| Next::Passed);
        }
        if !window.another(HEAD + TAIL)? {
            return Ok(Next::End);
        }
        let kind = self.order.u32(window.peek(), 0);
        if kind == SECTION {
            return self.section(window).map(|()| Next::Passed);
        }
        let length = self.length(window)?;
        if !matches!(kind, INTERFACE | OLD_PACKET | SIMPLE_PACKET | ENHANCED_PACKET) {
            self.pass_over(window, length);
            return Ok(Next::Passed);
        }
        if length > LONGEST_BLOCK {
            let what = format!("a block of {length} bytes");
            return Err(window.malformed(window.offset(), what));
        }
        let length = length as usize;
        window.need(length)?;
        let block = &window.peek()[..length];
        let again = self.order.u32(block, length - TAIL) as usize;
        if again != length {
            let what = format!("a block is {length} bytes long by its start, {again} by its end");
            return Err(window.malformed(window.offset(), what));
        }
        let body = &block[HEAD..length - TAIL];
        let found = match kind {
            INTERFACE => self.interface(body).map(|()| None),
            SIMPLE_PACKET => self.simple(body).map(Some),
            _ => self.packet(kind, body).map(Some),
        };
        let record = match found {
            Ok(record) => record,
            Err(what) => return Err(window.malformed(window.offset(), what)),
        };
        let offset = window.offset();
        let start = window.take(length);
        Ok(record.map_or(Next::Passed, |mut record| {
            record.offset = offset + record.start as u64;
            record.start += start;
            Next::Packet(record)
        }))
    }

    /// Returns whether these bytes, the next ones, hold what [`Ng::next`] reads.
    #[inline]
    pub fn is_ready(&self, bytes: &[u8]) -> bool {
        if self.passing.is_some() {
            return bytes.len() >= TAIL;
        }
        if bytes.len() < SHORTEST_SECTION {
            return false;
        }
        let is_read = matches!(
            self.order.u32(bytes, 0),
            INTERFACE | OLD_PACKET | SIMPLE_PACKET | ENHANCED_PACKET
        );
        !is_read || self.order.u32(bytes, 4) as usize <= bytes.len()
    }

    /// Returns the length of the next block.
    #[inline]
    fn length<R: Read>(&self, window: &Window<R>) -> Result<u32, Error> {
        let length = self.order.u32(window.peek(), 4);
        if length < (HEAD + TAIL) as u32 || !length.is_multiple_of(4) {
            let what = format!("a block of {length} bytes: not a multiple of 4 from 12 on");
            return Err(window.malformed(window.offset(), what));
        }
        Ok(length)
    }

    /// Begins to skip the next block.
    fn pass_over<R: Read>(&mut self, window: &Window<R>, length: u32) {
        let left = u64::from(length) - TAIL as u64;
        self.passing = Some(Passing { offset: window.offset(), length, left });
    }

    /// Skips the part of a block that is in memory, or its end.
    fn go_on<R: Read>(&mut self, window: &mut Window<R>, passing: Passing) -> Result<(), Error> {
        let Passing { offset, length, left } = passing;
        self.passing = None;
        if !window.has(if left > 0 { 1 } else { TAIL })? {
            let found = window.offset() + window.peek().len() as u64 - offset;
            return Err(window.truncated(offset, length.into(), found));
        }
        if left > 0 {
            let step = left.min(window.peek().len() as u64);
            window.take(step as usize);
            self.passing = Some(Passing { left: left - step, ..passing });
            return Ok(());
        }
        let again = self.order.u32(window.peek(), 0);
        if again != length {
            let what = format!("a block is {length} bytes long by its start, {again} by its end");
            return Err(window.malformed(offset, what));
        }
        window.take(TAIL);
        Ok(())
    }

    /// Reads the block that begins a section: byte order, version, and no interfaces yet.
    fn section<R: Read>(&mut self, window: &mut Window<R>) -> Result<(), Error> {
        window.need(SHORTEST_SECTION)?;
        let head = window.peek();
        let orders = [ByteOrder::Little, ByteOrder::Big];
        let Some(order) = orders.into_iter().find(|order| order.u32(head, 8) == ORDER_MAGIC) else {
            let what = "a section without the number that shows its byte order".to_owned();
            return Err(window.malformed(window.offset(), what));
        };
        self.order = order;
        self.interfaces.clear();
        let length = self.length(window)?;
        if length < SHORTEST_SECTION as u32 {
            let what =
                format!("a section's first block of {length} bytes, less than {SHORTEST_SECTION}");
            return Err(window.malformed(window.offset(), what));
        }
        // Some writers give 1.2 for 1.0.
        let (major, minor) = (order.u16(window.peek(), 12), order.u16(window.peek(), 14));
        if !matches!((major, minor), (1, 0 | 2)) {
            let offset = window.offset();
            return Err(Error::Version { format: "pcapng", major, minor, offset });
        }
        self.pass_over(window, length);
        Ok(())
    }

    fn interface(&mut self, body: &[u8]) -> Result<(), String> {
        let order = self.order;
        if body.len() < 8 {
            return Err("an interface without link type".to_owned());
        }
        if self.interfaces.len() == MOST_INTERFACES {
            return Err(format!("more than {MOST_INTERFACES} interfaces"));
        }
        let mut interface = Interface {
            link: LinkType(order.u16(body, 0).into()),
            snaplen: order.u32(body, 4),
            fcs: None,
            resolution: Resolution::of(6),
            base: 0,
        };
        for (code, value) in options(order, &body[8..]) {
            match (code, value) {
                (RESOLUTION, &[value]) => interface.resolution = Resolution::of(value),
                (FCS_LENGTH, &[value]) => interface.fcs = Some(fcs_length(value)),
                (14, value) if value.len() == 8 => interface.base = order.u64(value, 0) as i64,
                _ => {}
            }
        }
        self.interfaces.push(interface);
        Ok(())
    }

    #[inline]
    fn interface_of(&self, number: u32) -> Result<&Interface, String> {
        self.interfaces.get(number as usize).ok_or_else(|| {
            let count = self.interfaces.len();
            format!("a packet of interface {number}, where the section has described {count}")
        })
    }

    /// Reads an enhanced packet block, or the old packet block, which has 16 bits for the interface
    /// and 16 for drops.
    #[inline]
    fn packet(&self, kind: u32, body: &[u8]) -> Result<Record, String> {
        const FIXED: usize = 20;
        let order = self.order;
        if body.len() < FIXED {
            return Err("a packet block that is too short for its fields".to_owned());
        }
        let number = match kind {
            OLD_PACKET => order.u16(body, 0).into(),
            _ => order.u32(body, 0),
        };
        let interface = self.interface_of(number)?;
        let [high, low, captured, wire_length] = [4, 8, 12, 16].map(|place| order.u32(body, place));
        let length = self.fits(interface, captured, &body[FIXED..])?;
        let stamp = u64::from(high) << 32 | u64::from(low);
        let mut fcs = interface.fcs;
        let rest = body.get(FIXED + length.next_multiple_of(4)..).unwrap_or_default();
        for (code, value) in options(order, rest) {
            // Bits 5 to 8 of the flags; 0 means unknown.
            if code == 2 && value.len() == 4 && order.u32(value, 0) >> 5 & 15 != 0 {
                fcs = Some((order.u32(value, 0) >> 5 & 15) as u8);
            }
        }
        let time = Some(interface.time(stamp));
        let link = interface.link;
        Ok(Record { start: HEAD + FIXED, length, offset: 0, link, wire_length, fcs, time })
    }

    /// Reads a packet of the first interface, without a time.
    fn simple(&self, body: &[u8]) -> Result<Record, String> {
        const FIXED: usize = 4;
        if body.len() < FIXED {
            return Err("a packet block that is too short for its fields".to_owned());
        }
        let interface = self.interface_of(0)?;
        let wire_length = self.order.u32(body, 0);
        let captured = match interface.snaplen {
            0 => wire_length,
            snaplen => wire_length.min(snaplen),
        };
        let length = self.fits(interface, captured, &body[FIXED..])?;
        let (link, fcs) = (interface.link, interface.fcs);
        Ok(Record { start: HEAD + FIXED, length, offset: 0, link, wire_length, fcs, time: None })
    }

    /// Returns the length of a packet, if its block holds it.
    #[inline]
    fn fits(&self, interface: &Interface, captured: u32, room: &[u8]) -> Result<usize, String> {
        let longest = interface.link.longest();
        if captured as usize > room.len() {
            let room = room.len();
            return Err(format!("a packet of {captured} bytes in a block that has {room} for it"));
        }
        if captured > longest {
            return Err(format!(
                "a packet of {captured} bytes, more than the {longest} that the link type allows"
            ));
        }
        Ok(captured as usize)
    }
}

/// Returns the length of the frame check sequence in bytes, from the option of an interface. The
/// document says bits, but its example is 4, and Wireshark reads bytes: a value too large for bytes
/// is bits.
fn fcs_length(value: u8) -> u8 {
    if value >= 8 { value / 8 } else { value }
}

/// Returns the value of the option for a length in bytes, as it is read.
pub(crate) fn stored_fcs_length(bytes: u8) -> u8 {
    if bytes >= 8 { bytes.saturating_mul(8) } else { bytes }
}

/// Returns the codes and values of the complete options of a block.
fn options(order: ByteOrder, mut rest: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        if rest.len() < 4 {
            return None;
        }
        let (code, length) = (order.u16(rest, 0), usize::from(order.u16(rest, 2)));
        let value = rest.get(4..4 + length)?;
        rest = rest.get(4 + length.next_multiple_of(4)..).unwrap_or_default();
        (code != 0).then_some((code, value))
    })
}
