//! Packets of a capture as they are compared: from the IP header on, fragments reassembled.

use super::layer::Layer;
use crate::Error;
use crate::copies::{self, Copies};
use crate::lru::Lru;
use crate::pcap::{self, Reader};
use crate::verify::{Buffer, Places, Verifier};
use std::collections::VecDeque;
use std::io::Read;

/// Largest number of first fragments whose header is kept.
const MOST_HEADERS: usize = 4096;

/// Time in nanoseconds that a number stands for where packets have no time.
const STEP: i64 = 1_000_000;

/// A packet to compare.
#[derive(Clone, Debug)]
pub struct Packet {
    /// Number in the capture; of the first fragment, if it was reassembled.
    pub number: u64,
    /// Time of capture in nanoseconds; of the last fragment.
    pub time: Option<u64>,
    /// The captured bytes from the outermost IP header on.
    pub bytes: Vec<u8>,
    /// Length of these bytes when they were sent.
    pub sent: usize,
    /// The outermost network layer, then the innermost, if it is in a tunnel.
    pub layers: Vec<Layer>,
    /// Whether it was reassembled from fragments, so that its IP header is made up.
    pub reassembled: bool,
    /// Whether it is a copy of the packet before, if that is looked at.
    pub is_copy: bool,
}

impl Packet {
    /// Returns the time of a packet, or its number as a time.
    pub fn time_or_number(&self, timed: bool) -> i64 {
        match self.time {
            Some(time) if timed => i64::try_from(time).unwrap_or(i64::MAX),
            _ => i64::try_from(self.number).unwrap_or(i64::MAX).saturating_mul(STEP),
        }
    }
}

/// What a capture holds beside packets to compare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All packets.
    pub packets: u64,
    /// Packets without an IP header that was captured.
    pub without_ip: u64,
    /// Fragments.
    pub fragments: u64,
    /// Datagrams reassembled from fragments.
    pub reassembled: u64,
    /// Datagrams of which fragments are missing or contradict each other.
    pub incomplete: u64,
    /// Packets of which the capture holds less than was sent.
    pub cut: u64,
    /// Packets that were left out because the capture holds every packet twice.
    pub copies: u64,
}

/// Reads the packets of a capture.
pub struct Intake<R: Read> {
    reader: Option<Reader<R>>,
    verifier: Verifier,
    headers: Lru<u64, (u8, Vec<u8>)>,
    ready: VecDeque<Packet>,
    /// Finds copies, as long as these matter.
    pub copies: Option<Copies>,
    /// Whether copies are left out.
    drops: bool,
    /// Numbers of packets so far.
    pub counts: Counts,
    /// Why reading ended early, if it did.
    pub error: Option<Error>,
}

impl<R: Read> Intake<R> {
    pub fn new(reader: Reader<R>) -> Intake<R> {
        Intake {
            reader: Some(reader),
            verifier: Verifier::new(),
            headers: Lru::new([MOST_HEADERS]),
            ready: VecDeque::new(),
            copies: None,
            drops: false,
            counts: Counts::default(),
            error: None,
        }
    }

    /// Finds copies of packets; with `drops`, these are left out.
    pub fn with_copies(self, drops: bool) -> Intake<R> {
        Intake { copies: Some(Copies::default()), drops, ..self }
    }

    /// Returns the next packet without removing it; `None` at the end.
    pub fn peek(&mut self) -> Option<&Packet> {
        while self.ready.is_empty() {
            let Intake { reader, verifier, headers, ready, copies, drops, counts, error } = self;
            let drops = *drops;
            let next = match reader.as_mut()?.next() {
                Ok(Some(packet)) => {
                    counts.packets += 1;
                    counts.cut += u64::from(packet.bytes.len() < packet.wire_length as usize);
                    let of = Some(packet);
                    let mut take = Taking { headers, ready, copies, drops, counts, packet: of };
                    verifier.packet(&packet, |buffer| take.buffer(buffer));
                    continue;
                }
                Ok(None) => None,
                Err(found) => Some(found),
            };
            *error = next;
            *reader = None;
            let mut take = Taking { headers, ready, copies, drops, counts, packet: None };
            verifier.finish(|buffer| take.buffer(buffer));
        }
        self.ready.front()
    }

    /// Returns the next packet.
    pub fn next(&mut self) -> Option<Packet> {
        self.peek()?;
        self.ready.pop_front()
    }
}

struct Taking<'a> {
    headers: &'a mut Lru<u64, (u8, Vec<u8>)>,
    ready: &'a mut VecDeque<Packet>,
    copies: &'a mut Option<Copies>,
    drops: bool,
    counts: &'a mut Counts,
    packet: Option<pcap::Packet<'a>>,
}

impl Taking<'_> {
    fn buffer(&mut self, buffer: &Buffer<'_>) {
        match (buffer.places, self.packet) {
            (Places::Contiguous(_), Some(packet)) => self.packet(buffer, packet),
            (Places::Runs(_), _) => self.datagram(buffer),
            _ => {}
        }
    }

    fn packet(&mut self, buffer: &Buffer<'_>, packet: pcap::Packet<'_>) {
        if let Some(fragment) = buffer.found.fragments.first() {
            self.counts.fragments += 1;
            let start = buffer.start_of([fragment.ip.source, fragment.ip.destination]);
            if fragment.offset == 0
                && let Some(start) = start
                && let Some(header) = buffer.bytes.get(start..start + 20)
            {
                let header = (fragment.ip.protocol, header.to_vec());
                self.headers.insert(buffer.packet, header, 0);
            }
            return;
        }
        let networks = &buffer.found.networks;
        let start = networks.first().and_then(|network| buffer.start_of(*network));
        let Some(start) = start else {
            self.counts.without_ip += 1;
            return;
        };
        let inner = networks.last().and_then(|network| buffer.start_of(*network));
        let inner = inner.filter(|&inner| inner > start).map(|inner| inner - start);
        let sent = (packet.wire_length as usize).max(buffer.bytes.len()) - start;
        let bytes = buffer.bytes[start..].to_vec();
        self.push(packet.number, bytes, sent, inner, false);
    }

    fn datagram(&mut self, buffer: &Buffer<'_>) {
        // PDUs of streams have no network layer of their own.
        let Some(&[source, destination]) = buffer.found.networks.first() else { return };
        if source.start != 0 || destination.start != source.end || buffer.pdu.is_some() {
            return;
        }
        let header = self.headers.remove(&buffer.packet);
        let addresses = buffer.bytes.get(..destination.end as usize);
        let (Some((protocol, header)), Some(addresses), false, None) =
            (header, addresses, buffer.is_cut, buffer.doubt)
        else {
            self.counts.incomplete += 1;
            return;
        };
        self.counts.reassembled += 1;
        let payload = &buffer.bytes[addresses.len()..];
        let mut bytes = rebuilt(&header, protocol, addresses, payload.len());
        let moved = bytes.len() - addresses.len();
        bytes.extend_from_slice(payload);
        let inner = buffer.found.networks[1..].last().and_then(|inner| buffer.start_of(*inner));
        let sent = bytes.len();
        self.push(buffer.packet, bytes, sent, inner.map(|inner| inner + moved), true);
    }

    fn push(
        &mut self,
        number: u64,
        bytes: Vec<u8>,
        sent: usize,
        inner: Option<usize>,
        reassembled: bool,
    ) {
        let starts = [Some(0), inner];
        let layers = starts.into_iter().flatten();
        let layers: Vec<Layer> =
            layers.filter_map(|start| Layer::parse(&bytes, start, sent)).collect();
        if layers.is_empty() {
            self.counts.without_ip += 1;
            return;
        }
        let time = self.packet.and_then(|packet| packet.time);
        let copies = self.copies.as_mut();
        let is_copy = copies.is_some_and(|it| it.take(copies::key(&bytes, sent), time));
        if is_copy && self.drops {
            self.counts.copies += 1;
            return;
        }
        let packet = Packet { number, time, bytes, sent, layers, reassembled, is_copy };
        self.ready.push_back(packet);
    }
}

/// Returns the IP header of a reassembled datagram, from the first 20 bytes of its first fragment.
fn rebuilt(header: &[u8], protocol: u8, addresses: &[u8], payload: usize) -> Vec<u8> {
    let length = |length: usize| u16::try_from(length).unwrap_or(0).to_be_bytes();
    let mut bytes = header.to_vec();
    if addresses.len() == 8 {
        bytes[0] = 0x45;
        bytes[2..4].copy_from_slice(&length(payload + 20));
        bytes[6..8].fill(0);
        bytes[9] = protocol;
        bytes[10..12].fill(0);
        bytes[12..20].copy_from_slice(addresses);
        let sum = residue::internet::checksum(&bytes);
        bytes[10..12].copy_from_slice(&sum.to_be_bytes());
    } else {
        bytes[4..6].copy_from_slice(&length(payload));
        bytes[6] = protocol;
        bytes.truncate(8);
        bytes.extend_from_slice(addresses);
    }
    bytes
}
