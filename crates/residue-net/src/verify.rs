//! Verification of the packets of a capture.

mod plain;
mod threads;

use crate::Error;
use crate::check::Reason;
use crate::datagram::{Datagrams, Unit};
use crate::frame::{Found, Walk};
use crate::pcap::compressed::Compression;
use crate::pcap::{Format, LinkType, Packet, Reader};
use crate::select::Selection;
use crate::stream::{Pdu, Streams};
use crate::summary::Summary;
use crate::unfollowed::Numbering;
use crate::wire;
use crate::wire::tcp_checksum_option::Agreements;
use std::io;
use std::num::NonZero;

pub use crate::buffer::{Buffer, Finding, Origin, Places};

/// Verifies the packets of a capture in order. Keeps fragments, streams and agreements from packet
/// to packet, in bounded memory.
#[derive(Debug, Default)]
pub struct Verifier {
    found: Found,
    agreements: Agreements,
    waiting: Waiting,
}

impl Verifier {
    /// Creates a verifier without state.
    #[must_use]
    pub fn new() -> Self {
        Verifier::default()
    }

    /// Verifies the next packet; passes it, then all units that it completes, to `each`.
    #[inline]
    pub fn packet(&mut self, packet: &Packet<'_>, mut each: impl FnMut(&Buffer<'_>)) {
        let buffer = walked(packet, &mut self.found, &mut self.agreements);
        each(&buffer);
        if !(buffer.found.fragments.is_empty() && buffer.found.segments.is_empty()) {
            self.waiting.take(&buffer, &mut each);
            self.completed(&mut each);
        }
    }

    /// Verifies the next packet, as [`Verifier::packet`]; passes only what is selected to `each`.
    #[inline]
    pub fn select(
        &mut self,
        packet: &Packet<'_>,
        selection: &mut Selection,
        mut each: impl FnMut(&Buffer<'_>),
    ) {
        self.found.headers.are_wanted = selection.wants_headers();
        selection.begin(packet);
        self.packet(packet, |buffer| {
            if selection.takes(buffer) {
                each(buffer);
            }
        });
    }

    /// Ends the capture, as [`Verifier::finish`]; passes only what is selected to `each`.
    pub fn finish_selected(
        &mut self,
        selection: &mut Selection,
        mut each: impl FnMut(&Buffer<'_>),
    ) {
        selection.end();
        self.finish(|buffer| {
            if selection.takes(buffer) {
                each(buffer);
            }
        });
    }

    /// Ends the capture: passes incomplete datagrams and streams to `each`.
    pub fn finish(&mut self, mut each: impl FnMut(&Buffer<'_>)) {
        // A datagram that is given up may itself hold fragments.
        while self.waiting.datagrams.give_up(&mut self.waiting.units) {
            self.completed(&mut each);
        }
        self.waiting.streams.finish(&mut |pdu| each(&pdu.buffer()));
    }

    fn completed(&mut self, each: &mut impl FnMut(&Buffer<'_>)) {
        while let Some(unit) = self.waiting.units.pop() {
            self.found.clear();
            let Verifier { found, agreements, .. } = self;
            let mut walk = Walk::new(&unit.bytes, unit.sent, unit.missing, found, agreements);
            walk.depth = unit.depth;
            walk.addresses = [unit.ip.source, unit.ip.destination];
            walk.found.networks.push(walk.addresses);
            if let Some(fragments) = unit.headless {
                walk.unfollowed(Numbering::Fragments, unit.ip.protocol);
                walk.found.unfollowed.iter_mut().for_each(|(_, packets)| *packets = fragments);
            } else if unit.ip.version == 4 {
                wire::ip_protocol(&mut walk, &unit.ip);
            } else {
                wire::ipv6::payload(&mut walk, unit.ip);
            }
            let buffer = Buffer {
                packet: unit.origin.packet,
                link: unit.origin.link,
                time: unit.origin.time,
                bytes: &unit.bytes,
                places: Places::Runs(&unit.places),
                copies: &unit.copies,
                found,
                is_cut: unit.bytes.len() < unit.sent as usize,
                sent: unit.sent,
                doubt: unit.doubt,
                pdu: None,
            };
            each(&buffer);
            self.waiting.take(&buffer, each);
        }
    }
}

/// Walks through a packet.
#[inline]
fn walked<'a>(
    packet: &Packet<'a>,
    found: &'a mut Found,
    agreements: &mut Agreements,
) -> Buffer<'a> {
    found.clear();
    let mut walk = Walk::new(packet.bytes, packet.wire_length, Reason::Cut, found, agreements);
    walk.link(packet.link, packet.fcs);
    Buffer {
        packet: packet.number,
        link: packet.link,
        time: packet.time,
        bytes: packet.bytes,
        places: Places::Contiguous(packet.offset),
        found,
        is_cut: packet.bytes.len() < packet.wire_length as usize,
        sent: packet.wire_length,
        copies: &[],
        doubt: None,
        pdu: None,
    }
}

/// Incomplete units, and complete ones.
#[derive(Debug, Default)]
struct Waiting {
    datagrams: Datagrams,
    streams: Streams,
    units: Vec<Unit>,
}

impl Waiting {
    fn take(&mut self, buffer: &Buffer<'_>, each: &mut impl FnMut(&Buffer<'_>)) {
        let Buffer { bytes, places, found, .. } = buffer;
        let origin = buffer.origin();
        for fragment in &found.fragments {
            self.datagrams.take(fragment, bytes, places, origin, &mut self.units);
        }
        for segment in &found.segments {
            self.streams.take(segment, bytes, places, origin, &mut |pdu| each(&pdu.buffer()));
        }
    }
}

impl Pdu {
    fn buffer(&self) -> Buffer<'_> {
        Buffer {
            packet: self.origin.packet,
            link: self.origin.link,
            time: self.origin.time,
            bytes: &self.bytes,
            places: Places::Runs(&self.places),
            copies: &[],
            found: &self.found,
            is_cut: self.is_cut,
            sent: u32::try_from(self.bytes.len()).unwrap_or(u32::MAX),
            doubt: None,
            pdu: (self.number > 0).then_some(self.number),
        }
    }
}

/// The result of reading a capture.
#[derive(Debug)]
pub struct Read {
    /// Format of the capture.
    pub format: Format,
    /// Compression of the capture.
    pub compression: Option<Compression>,
    /// Number of packets.
    pub packets: u64,
    /// Number of packets of which the capture holds less than was sent.
    pub cut_packets: u64,
    /// Number of selected packets, if not all are.
    pub selected: Option<u64>,
    /// Times of the first and the last packet with a time, in nanoseconds since 1970.
    pub times: Option<[u64; 2]>,
    /// Link types of the packets, in the order in which they appear; the first 64.
    pub links: Vec<LinkType>,
    /// Why reading ended early, if it did.
    pub error: Option<Error>,
}

/// Verifies a capture to its end, or up to an error; passes its packets and reassembled units to
/// `each`.
///
/// # Errors
///
/// If the capture cannot be read at all. An error after the header is part of the result.
pub fn capture(input: impl io::Read, each: impl FnMut(&Buffer<'_>)) -> Result<Read, Error> {
    Ok(packets(Reader::new(input)?, each))
}

/// Verifies the remaining packets of a reader, as [`capture`].
pub fn packets<R: io::Read>(mut reader: Reader<R>, mut each: impl FnMut(&Buffer<'_>)) -> Read {
    let mut verifier = Verifier::new();
    let (mut totals, mut error) = (Totals::default(), None);
    loop {
        match reader.next() {
            Ok(Some(packet)) => {
                totals.add(&packet);
                verifier.packet(&packet, &mut each);
            }
            Ok(None) => break,
            Err(found) => {
                error = Some(found);
                break;
            }
        }
    }
    verifier.finish(&mut each);
    totals.read(&reader, None, error)
}

/// A reader of packets for several threads.
pub type AnyReader<'a> = Reader<Box<dyn io::Read + Send + 'a>>;

/// Verifies the remaining packets of a reader on this many threads, and counts all findings in
/// `summary`, with the results of one thread. Passes to `each`, in order, all packets and
/// reassembled units with a value that is wrong or offloaded, and perhaps others.
///
/// The types are not generic, so that all of it is optimised as this crate is.
pub fn counted(
    reader: AnyReader<'_>,
    threads: NonZero<usize>,
    summary: &mut Summary,
    each: &mut dyn FnMut(&Buffer<'_>),
) -> Read {
    if threads.get() > 1 {
        return threads::run(reader, threads.get(), Some(summary), each);
    }
    packets(reader, |buffer| {
        summary.buffer(buffer);
        each(buffer);
    })
}

/// Verifies the remaining packets of a reader on this many threads. Passes to `each`, in order, all
/// packets and reassembled units with a value that is wrong or offloaded, and perhaps others.
pub fn wrong(
    reader: AnyReader<'_>,
    threads: NonZero<usize>,
    each: &mut dyn FnMut(&Buffer<'_>),
) -> Read {
    match threads.get() {
        1 => packets(reader, each),
        threads => threads::run(reader, threads, None, each),
    }
}

/// Verifies the remaining packets of a reader; passes only selected ones to `each`, and units that
/// belong to them.
pub fn selected<R: io::Read>(
    mut reader: Reader<R>,
    selection: &mut Selection,
    mut each: impl FnMut(&Buffer<'_>),
) -> Read {
    if selection.is_all() {
        return packets(reader, each);
    }
    let mut verifier = Verifier::new();
    let (mut totals, mut error) = (Totals::default(), None);
    loop {
        match reader.next() {
            Ok(Some(packet)) => {
                totals.add(&packet);
                verifier.select(&packet, selection, &mut each);
            }
            Ok(None) => break,
            Err(found) => {
                error = Some(found);
                break;
            }
        }
    }
    verifier.finish_selected(selection, each);
    totals.read(&reader, Some(selection.selected()), error)
}

/// Largest number of link types to report.
const MOST_LINKS: usize = 64;

/// Numbers of packets read so far.
#[derive(Default)]
struct Totals {
    packets: u64,
    cut_packets: u64,
    times: Option<[u64; 2]>,
    links: Vec<LinkType>,
}

impl Totals {
    #[inline]
    fn add(&mut self, packet: &Packet<'_>) {
        self.packets += 1;
        self.cut_packets += u64::from(packet.bytes.len() < packet.wire_length as usize);
        if let Some(time) = packet.time {
            self.times.get_or_insert([time; 2])[1] = time;
        }
        self.link(packet.link);
    }

    /// Adds the numbers of packets that follow.
    fn append(&mut self, later: &Totals) {
        self.packets += later.packets;
        self.cut_packets += later.cut_packets;
        if let Some([first, last]) = later.times {
            self.times = Some([self.times.map_or(first, |[first, _]| first), last]);
        }
        for &link in &later.links {
            self.link(link);
        }
    }

    #[inline]
    fn link(&mut self, link: LinkType) {
        // Compared with few, because pcapng allows each interface a type of its own.
        if self.links.len() < MOST_LINKS && !self.links.contains(&link) {
            self.links.push(link);
        }
    }

    fn read<R: io::Read>(
        self,
        reader: &Reader<R>,
        selected: Option<u64>,
        error: Option<Error>,
    ) -> Read {
        let (format, compression) = (reader.format(), reader.compression());
        let Totals { packets, cut_packets, times, links } = self;
        Read { format, compression, packets, cut_packets, selected, times, links, error }
    }
}
