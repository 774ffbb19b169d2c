//! What is known of a capture beside its check values.

use crate::Error;
use crate::pcap::compressed::Compression;
use crate::pcap::{Format, LinkType, Packet, Reader};
use std::io;

/// A reader of packets for several threads.
pub type AnyReader<'a> = Reader<Box<dyn io::Read + Send + 'a>>;

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

/// Largest number of link types to report.
const MOST_LINKS: usize = 64;

/// Numbers of packets read so far.
#[derive(Default)]
pub struct Totals {
    packets: u64,
    cut_packets: u64,
    times: Option<[u64; 2]>,
    links: Vec<LinkType>,
}

impl Totals {
    #[inline]
    pub fn add(&mut self, packet: &Packet<'_>) {
        self.packets += 1;
        self.cut_packets += u64::from(packet.bytes.len() < packet.wire_length as usize);
        if let Some(time) = packet.time {
            self.times.get_or_insert([time; 2])[1] = time;
        }
        self.link(packet.link);
    }

    /// Adds the numbers of packets that follow.
    pub fn append(&mut self, later: &Totals) {
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

    pub fn read<R: io::Read>(
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
