//! Captures in pcap, pcapng and snoop: reading record by record, writing, and changes in place.
//!
//! [`Reader`] reads any format from any [`std::io::Read`]; [`write`](mod@write) creates captures;
//! [`patch`] changes bytes of existing ones and leaves all others unchanged.

mod ahead;
pub(crate) mod batch;
pub(crate) mod blocks;
mod classic;
pub mod compressed;
mod foreign;
mod names;
mod ng;
pub mod patch;
mod snoop;
mod window;
pub mod write;

use crate::Error;
use ahead::CHUNKS;
use compressed::Compression;
use std::io::Read;
use window::{Chunk, Window};

pub use blocks::ReadAt;
pub use foreign::Foreign;

/// A captured packet.
#[derive(Clone, Copy, Debug)]
pub struct Packet<'a> {
    /// Number of the packet in the capture, from 1.
    pub number: u64,
    /// Offset of its bytes in the (decompressed) file.
    pub offset: u64,
    /// Type of its first header.
    pub link: LinkType,
    /// Captured bytes.
    pub bytes: &'a [u8],
    /// Length of the packet on the wire in bytes: more than `bytes` has if it was cut. From the
    /// file, which may be wrong.
    pub wire_length: u32,
    /// Length of the frame check sequence at the end of the packet in bytes, if the file states
    /// that there is one.
    pub fcs: Option<u8>,
    /// Time of capture in nanoseconds since 1970, limited to the largest possible value.
    pub time: Option<u64>,
}

/// A link-layer header type, as numbered by <https://www.tcpdump.org/linktypes.html>.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LinkType(pub u32);

impl LinkType {
    /// Ethernet.
    pub const ETHERNET: LinkType = LinkType(1);
    /// BSD loopback: an address family in the byte order of the capturing host, then a packet.
    pub const NULL: LinkType = LinkType(0);
    /// BSD loopback with the family in network byte order.
    pub const LOOP: LinkType = LinkType(108);
    /// PPP, with or without HDLC's address and control bytes.
    pub const PPP: LinkType = LinkType(9);
    /// PPP in HDLC framing, address and control bytes first.
    pub const PPP_HDLC: LinkType = LinkType(50);
    /// IPv4 or IPv6, by the version field.
    pub const RAW: LinkType = LinkType(101);
    /// Linux "cooked" header.
    pub const LINUX_SLL: LinkType = LinkType(113);
    /// Linux "cooked" header, version 2.
    pub const LINUX_SLL2: LinkType = LinkType(276);
    /// IPv4.
    pub const IPV4: LinkType = LinkType(228);
    /// IPv6.
    pub const IPV6: LinkType = LinkType(229);

    /// Returns the largest size of a packet in bytes, as in libpcap. Messages of some software are
    /// longer than packets of any network.
    #[inline]
    pub(crate) fn longest(self) -> u32 {
        match self.0 {
            // USB of four systems, D-Bus, and the Elektrobit bus format.
            189 | 220 | 249 | 266 | 231 | 279 => 128 << 20,
            _ => 256 << 10,
        }
    }
}

/// The byte order of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    /// Least significant first.
    Little,
    /// Most significant first.
    Big,
}

/// Functions that read a number at an offset; 0 where there are too few bytes.
macro_rules! numbers {
    ($($number:ident)*) => {
        impl ByteOrder {
            $(
                #[inline]
                pub(crate) fn $number(self, bytes: &[u8], place: usize) -> $number {
                    // By an array: a copy of a slice may be a call.
                    let number = bytes.get(place..).and_then(|bytes| bytes.first_chunk());
                    let number = number.copied().unwrap_or_default();
                    match self {
                        ByteOrder::Little => $number::from_le_bytes(number),
                        ByteOrder::Big => $number::from_be_bytes(number),
                    }
                }
            )*
        }
    };
}
numbers!(u16 u32 u64);

crate::named! {
    /// A format of captures.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Format {
        /// pcap, time stamps in microseconds.
        Pcap = "pcap",
        /// pcap, time stamps in nanoseconds.
        PcapNanoseconds = "pcap with nanoseconds",
        /// pcap with A. Kuznetzov's longer record headers.
        PcapModified = "modified pcap",
        /// pcap of Red Hat 6.1: as [`Format::PcapModified`], under the ordinary magic number.
        PcapRedHat = "pcap of Red Hat 6.1",
        /// pcap of SuSE 6.3, with even longer record headers.
        PcapSuse = "pcap of SuSE 6.3",
        /// pcap of Nokia's firewalls.
        PcapNokia = "Nokia pcap",
        /// pcap of AIX.
        PcapAix = "AIX pcap",
        /// pcap of Ixia's testers.
        PcapIxia = "Ixia pcap",
        /// snoop of Solaris (RFC 1761).
        Snoop = "snoop",
        /// snoop of Shomiti's (later Finisar's) analysers.
        Shomiti = "Shomiti snoop",
        /// pcapng.
        PcapNg = "pcapng",
    }
}

/// A packet whose bytes are still in the window, as the formats return it.
#[derive(Clone, Copy)]
struct Record {
    start: usize,
    length: usize,
    offset: u64,
    link: LinkType,
    wire_length: u32,
    fcs: Option<u8>,
    time: Option<u64>,
}

/// The next item of a file.
enum Next {
    Packet(Record),
    /// An item without a packet.
    Passed,
    End,
}

/// The result of [`Reader::step`].
pub(crate) enum Step<'a> {
    /// A packet.
    Packet(Packet<'a>),
    /// Items without a packet, up to [`Reader::position`].
    Passed,
    /// The end of the capture.
    End,
}

/// Reads a capture of any format, packet by packet, in constant memory.
pub struct Reader<R: Read> {
    window: Window<R>,
    blocks: Blocks,
}

enum Blocks {
    Classic(classic::Classic),
    Ng(ng::Ng),
    Snoop(snoop::Snoop),
}

impl<R: Read> Reader<R> {
    /// Creates a reader, and reads the header, which determines the format. `input` needs no
    /// buffer.
    ///
    /// # Errors
    ///
    /// Returns the errors of `input`, and an error if it is not a capture.
    pub fn new(input: R) -> Result<Self, Error> {
        Reader::of(Window::new(input)?)
    }

    /// Creates a reader with a thread that reads and decompresses ahead: for captures from some
    /// megabytes on.
    ///
    /// # Errors
    ///
    /// As [`Reader::new`], and if the thread cannot be started.
    pub fn ahead(input: R) -> Result<Self, Error>
    where
        R: Send + 'static,
    {
        Reader::of(Window::ahead(input)?)
    }

    /// Creates a reader like [`Reader::new`] that reads at most `size` bytes at a time, into
    /// buffers at `places` bytes (at most 4096) after the smallest offset. Small captures thus test
    /// what otherwise only large ones do.
    #[doc(hidden)]
    pub fn in_chunks(input: R, size: usize, places: [usize; 2]) -> Result<Self, Error> {
        let chunks = places.map(|place| Chunk::new(size.max(1)).paged(place));
        Reader::of(Window::in_chunks(input, chunks)?)
    }

    /// Creates a reader like [`Reader::ahead`], with buffers as in `Reader::in_chunks`.
    #[doc(hidden)]
    pub fn ahead_in_chunks(input: R, size: usize, places: [usize; CHUNKS]) -> Result<Self, Error>
    where
        R: Send + 'static,
    {
        let chunks = places.map(|place| Chunk::new(size.max(1)).paged(place));
        Reader::of(Window::ahead_in_chunks(input, chunks)?)
    }

    fn of(mut window: Window<R>) -> Result<Self, Error> {
        if !window.has(4)? && window.peek().is_empty() {
            return Err(Error::Empty);
        }
        let mut start = [0; 4];
        for (place, byte) in start.iter_mut().zip(window.peek()) {
            *place = *byte;
        }
        let blocks = if start == ng::SECTION.to_be_bytes() {
            Blocks::Ng(ng::Ng::begin(&mut window)?)
        } else if let Some((format, order)) = classic::detect(start) {
            Blocks::Classic(classic::Classic::begin(&mut window, format, order)?)
        } else if window.has(snoop::MAGIC.len())? && window.peek().starts_with(snoop::MAGIC) {
            Blocks::Snoop(snoop::Snoop::begin(&mut window)?)
        } else {
            window.has(foreign::ENOUGH)?;
            let kind = foreign::name(window.peek());
            return Err(Error::NotACapture { start, kind });
        };
        Ok(Reader { window, blocks })
    }

    /// Returns the next packet; `None` at the end.
    ///
    /// # Errors
    ///
    /// If reading fails, or the input ends inside a record or contradicts itself. All packets
    /// before have been returned, and none follows: the next call returns `None`.
    #[inline]
    #[expect(clippy::should_implement_trait, reason = "an iterator cannot lend its buffer")]
    pub fn next(&mut self) -> Result<Option<Packet<'_>>, Error> {
        loop {
            match self.advance()? {
                Next::Packet(record) => return Ok(Some(self.packet(record))),
                Next::Passed => {}
                Next::End => return Ok(None),
            }
        }
    }

    /// Returns the next packet, or stops after skipping items that may be long.
    pub(crate) fn step(&mut self) -> Result<Step<'_>, Error> {
        Ok(match self.advance()? {
            Next::Packet(record) => Step::Packet(self.packet(record)),
            Next::Passed => Step::Passed,
            Next::End => Step::End,
        })
    }

    #[inline]
    fn advance(&mut self) -> Result<Next, Error> {
        let window = &mut self.window;
        let next = match &mut self.blocks {
            Blocks::Classic(classic) => classic.next(window),
            Blocks::Ng(ng) => ng.next(window),
            Blocks::Snoop(snoop) => snoop.next(window),
        };
        if next.is_err() {
            window.close();
        }
        next
    }

    #[inline]
    fn packet(&mut self, record: Record) -> Packet<'_> {
        self.window.packets += 1;
        let Record { start, length, offset, link, wire_length, fcs, time } = record;
        let (number, bytes) = (self.window.packets, self.window.taken(start, length));
        Packet { number, offset, link, bytes, wire_length, fcs, time }
    }

    /// Returns the format of the capture.
    pub fn format(&self) -> Format {
        match &self.blocks {
            Blocks::Classic(classic) => classic.format,
            Blocks::Ng(_) => Format::PcapNg,
            Blocks::Snoop(snoop) => snoop.format,
        }
    }

    /// Returns the byte order of the headers; for pcapng, of the current section.
    pub fn byte_order(&self) -> ByteOrder {
        match &self.blocks {
            Blocks::Classic(classic) => classic.order,
            Blocks::Ng(ng) => ng.order,
            Blocks::Snoop(_) => ByteOrder::Big,
        }
    }

    /// Returns the compression of the input, if any.
    pub fn compression(&self) -> Option<Compression> {
        self.window.compression()
    }

    /// Returns the number of (decompressed) bytes of the capture read so far.
    pub fn position(&self) -> u64 {
        self.window.offset()
    }
}
