//! Captures: pcap and pcapng, read record by record, written, and changed in place.
//!
//! [`Reader`] reads any of them from any [`std::io::Read`]; [`write`](mod@write) makes new ones;
//! [`patch`] changes bytes of existing ones and leaves all others as they are.

mod ahead;
mod classic;
pub mod compressed;
mod ng;
pub mod patch;
mod window;
pub mod write;

use crate::Error;
use ahead::CHUNKS;
use compressed::Compression;
use std::fmt;
use std::io::Read;
use window::{Chunk, Window};

/// One captured packet.
#[derive(Clone, Copy, Debug)]
pub struct Packet<'a> {
    /// Its place among the packets of the capture, from 1.
    pub number: u64,
    /// Where its bytes begin in the file (decompressed, if it was compressed).
    pub offset: u64,
    /// What its first header is.
    pub link: LinkType,
    /// The bytes captured.
    pub bytes: &'a [u8],
    /// The packet's length on the wire, in bytes: more than `bytes` has if the capture cut it. As
    /// it stands in the file, which may be wrong.
    pub wire_length: u32,
    /// The length of the frame check sequence at the packet's end, in bytes, where the file says
    /// one is there.
    pub fcs: Option<u8>,
    /// When it was captured, in nanoseconds since 1970; the last that can be expressed if it is
    /// later.
    pub time: Option<u64>,
}

/// A link-layer header type, as numbered by <https://www.tcpdump.org/linktypes.html>.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LinkType(pub u32);

impl LinkType {
    /// Ethernet.
    pub const ETHERNET: LinkType = LinkType(1);
    /// An address family in the capturing host's byte order, then its packet.
    pub const NULL: LinkType = LinkType(0);
    /// BSD loopback with the family in network byte order.
    pub const LOOP: LinkType = LinkType(108);
    /// PPP, with or without HDLC's address and control bytes.
    pub const PPP: LinkType = LinkType(9);
    /// PPP in HDLC framing, address and control bytes first.
    pub const PPP_HDLC: LinkType = LinkType(50);
    /// IPv4 or IPv6, by the version.
    pub const RAW: LinkType = LinkType(101);
    /// Linux "cooked" header.
    pub const LINUX_SLL: LinkType = LinkType(113);
    /// Linux "cooked" header, version 2.
    pub const LINUX_SLL2: LinkType = LinkType(276);
    /// IPv4.
    pub const IPV4: LinkType = LinkType(228);
    /// IPv6.
    pub const IPV6: LinkType = LinkType(229);

    /// The most bytes a packet can have, as libpcap sees it. Messages of some software are longer
    /// than any network's packets.
    #[inline]
    pub(crate) fn longest(self) -> u32 {
        match self.0 {
            // USB of four systems, D-Bus, and the Elektrobit bus format.
            189 | 220 | 249 | 266 | 231 | 279 => 128 << 20,
            _ => 256 << 10,
        }
    }
}

/// The order of a number's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    /// Least significant first.
    Little,
    /// Most significant first.
    Big,
}

/// A number at a place that is there.
macro_rules! numbers {
    ($($number:ident)*) => {
        impl ByteOrder {
            $(
                #[inline]
                pub(crate) fn $number(self, bytes: &[u8], place: usize) -> $number {
                    let mut number = [0; size_of::<$number>()];
                    number.copy_from_slice(&bytes[place..place + size_of::<$number>()]);
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

/// What a capture is stored as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// pcap, time stamps in microseconds.
    Pcap,
    /// pcap, time stamps in nanoseconds.
    PcapNanoseconds,
    /// pcap with A. Kuznetzov's longer record headers.
    PcapModified,
    /// pcap as Ixia's testers write it.
    PcapIxia,
    /// pcapng.
    PcapNg,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Pcap => "pcap",
            Format::PcapNanoseconds => "pcap with nanoseconds",
            Format::PcapModified => "modified pcap",
            Format::PcapIxia => "Ixia pcap",
            Format::PcapNg => "pcapng",
        })
    }
}

/// A packet as the formats find it: its bytes are still in the window.
struct Record {
    start: usize,
    length: usize,
    offset: u64,
    link: LinkType,
    wire_length: u32,
    fcs: Option<u8>,
    time: Option<u64>,
}

/// What comes next in a file.
enum Next {
    Packet(Record),
    /// Something without a packet.
    Passed,
    End,
}

/// What [`Reader::step`] comes to.
pub(crate) enum Step<'a> {
    /// A packet.
    Packet(Packet<'a>),
    /// Something without a packet, up to [`Reader::position`].
    Passed,
    /// The end.
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
}

impl<R: Read> Reader<R> {
    /// Reads the header, which determines the format. `input` needs no buffer of its own.
    ///
    /// # Errors
    ///
    /// If `input` has one, or holds no capture.
    pub fn new(input: R) -> Result<Self, Error> {
        Reader::of(Window::new(input)?)
    }

    /// Returns a reader whose capture is read and decompressed by a thread of its own, while the
    /// packets before are used: for captures of some megabytes and more.
    ///
    /// # Errors
    ///
    /// As [`Reader::new`], and if the system grants no thread.
    pub fn ahead(input: R) -> Result<Self, Error>
    where
        R: Send + 'static,
    {
        Reader::of(Window::ahead(input)?)
    }

    /// Reads as [`Reader::new`] does, but at most `size` bytes at once, to buffers where these go
    /// `places` bytes (4096 at most) behind the least place. So small captures test what only large
    /// ones do otherwise.
    #[doc(hidden)]
    pub fn in_chunks(input: R, size: usize, places: [usize; 2]) -> Result<Self, Error> {
        let chunks = places.map(|place| Chunk::new(size.max(1)).paged(place));
        Reader::of(Window::in_chunks(input, chunks)?)
    }

    /// Reads as [`Reader::ahead`] does, to buffers as those of `Reader::in_chunks`.
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
        } else {
            return Err(Error::NotACapture { start });
        };
        Ok(Reader { window, blocks })
    }

    /// The next packet, or `None` at the end.
    ///
    /// # Errors
    ///
    /// If the input has one, ends inside a record, or contradicts itself. All packets before have
    /// been handed out then, and none follows: the next call says `None`.
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

    /// Returns the next packet, or stops wherever much may have been passed over.
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

    /// What the capture is stored as.
    pub fn format(&self) -> Format {
        match &self.blocks {
            Blocks::Classic(classic) => classic.format,
            Blocks::Ng(_) => Format::PcapNg,
        }
    }

    /// The byte order of its headers; with pcapng, that of the section being read.
    pub fn byte_order(&self) -> ByteOrder {
        match &self.blocks {
            Blocks::Classic(classic) => classic.order,
            Blocks::Ng(ng) => ng.order,
        }
    }

    /// How the input is compressed, if it is.
    pub fn compression(&self) -> Option<Compression> {
        self.window.compression()
    }

    /// How many bytes of the capture, decompressed, were used.
    pub fn position(&self) -> u64 {
        self.window.offset()
    }
}
