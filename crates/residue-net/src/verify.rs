//! Verdicts: packets in, findings out.

use crate::Error;
use crate::check::{Check, Piece, Presence, Reason, Span, Verdict};
use crate::datagram::Datagrams;
use crate::frame::{Found, Walk};
use crate::pcap::compressed::Compression;
use crate::pcap::{Format, Packet, Reader};
use crate::stream::{Pdu, Streams};
use crate::unfollowed::Numbering;
use crate::wire;
use crate::wire::ip::Ip;
use crate::wire::tcp_checksum_option::Agreements;
use residue::internet::Checksum;
use std::io;

/// Where in the file the bytes of a buffer stand.
#[derive(Clone, Copy, Debug)]
pub enum Places<'a> {
    /// One behind the other from this offset.
    Contiguous(u64),
    /// In runs, each from its offset in the buffer to the next, at an offset in the file; ordered.
    Runs(&'a [(u32, u64)]),
}

impl Places<'_> {
    /// The offset in the file of the buffer's byte `at`; `None` if it stands in no file.
    #[must_use]
    pub fn offset(&self, at: u32) -> Option<u64> {
        match self {
            Places::Contiguous(start) => Some(start + u64::from(at)),
            Places::Runs(runs) => {
                let next = runs.partition_point(|run| run.0 <= at);
                let (start, place) = runs.get(next.checked_sub(1)?)?;
                Some(place + u64::from(at - start))
            }
        }
    }

    /// The runs of a part of the buffer, counted from its start.
    #[must_use]
    pub fn runs(&self, span: Span) -> Vec<(u32, u64)> {
        if span.is_empty() {
            return Vec::new();
        }
        let mut runs: Vec<_> =
            self.offset(span.start).map(|place| (0, place)).into_iter().collect();
        if let Places::Runs(all) = self {
            let inside = all.iter().filter(|(at, _)| span.start < *at && *at < span.end);
            runs.extend(inside.map(|&(at, place)| (at - span.start, place)));
        }
        runs
    }
}

/// A datagram put together from several packets.
#[derive(Debug)]
pub struct Unit {
    /// The packet that the findings are counted for.
    pub packet: u64,
    /// Addresses, then payload.
    pub bytes: Vec<u8>,
    /// Where they stand in the file, as of [`Places::Runs`].
    pub places: Vec<(u32, u64)>,
    /// The network layer, with the spans of this buffer.
    pub ip: Ip,
    /// Where the payload ends, with what is missing.
    pub sent: u32,
    /// Why bytes are missing, if there are any.
    pub missing: Reason,
    /// Why nothing in it can be judged.
    pub doubt: Option<Reason>,
    /// How many headers, as [`crate::frame::Walk`] counts them, are around it.
    pub depth: u8,
    /// If the first fragment is missing, and with it the header: how many others there are.
    pub headless: Option<u64>,
}

/// Bytes that were walked through, a packet's or those of several put together, and what was found in them.
#[derive(Clone, Copy, Debug)]
pub struct Buffer<'a> {
    /// The packet that the findings are counted for: the one it is, or the first one of those it comes from.
    pub packet: u64,
    /// The bytes.
    pub bytes: &'a [u8],
    /// Where they stand in the file.
    pub places: Places<'a>,
    /// What is in them.
    pub found: &'a Found,
    /// Does the capture hold less of the packet than was sent?
    pub is_cut: bool,
    /// Why nothing in it can be judged, if so.
    pub doubt: Option<Reason>,
    /// If it is a PDU of a TCP stream: its number among those that its sender sent, from 1.
    pub pdu: Option<u64>,
}

impl Buffer<'_> {
    /// The verdicts on all its checks, outer before inner.
    pub fn findings(&self) -> impl Iterator<Item = Finding<'_>> {
        self.found.checks.iter().map(|check| {
            let verdict = match self.doubt {
                Some(reason) if check.presence == Presence::Present => {
                    Verdict::Unverifiable(reason)
                }
                _ => judge(check, self.bytes, &self.found.pieces),
            };
            Finding { buffer: self, check, verdict }
        })
    }
}

/// One check with its verdict.
#[derive(Clone, Copy, Debug)]
pub struct Finding<'a> {
    /// What it is in.
    pub buffer: &'a Buffer<'a>,
    /// The check.
    pub check: &'a Check,
    /// What it turned out to be.
    pub verdict: Verdict,
}

impl<'a> Finding<'a> {
    /// The value in the packet.
    #[must_use]
    pub fn stored(&self) -> Option<u64> {
        self.check.stored(self.buffer.bytes)
    }

    /// The value that should be there.
    #[must_use]
    pub fn computed(&self) -> Option<u64> {
        self.check.computed(self.buffer.bytes, &self.buffer.found.pieces)
    }

    /// The pieces that the check covers.
    #[must_use]
    pub fn cover(&self) -> &'a [Piece] {
        self.check.cover(&self.buffer.found.pieces)
    }

    /// The addresses around the check, source and destination: 4 or 16 bytes each, or none.
    #[must_use]
    pub fn addresses(&self) -> [&'a [u8]; 2] {
        self.check.addresses.map(|span| span.of(self.buffer.bytes).unwrap_or_default())
    }
}

/// Goes through the packets of a capture in order. Keeps fragments, streams and agreements from packet to packet, in
/// bounded memory.
#[derive(Debug, Default)]
pub struct Verifier {
    found: Found,
    agreements: Agreements,
    waiting: Waiting,
}

impl Verifier {
    /// Nothing seen yet.
    #[must_use]
    pub fn new() -> Self {
        Verifier::default()
    }

    /// Takes the next packet, and shows it, then all that it completes, to `each`.
    #[inline]
    pub fn packet(&mut self, packet: &Packet<'_>, mut each: impl FnMut(&Buffer<'_>)) {
        self.found.clear();
        let Verifier { found, agreements, .. } = self;
        let mut walk = Walk::new(packet.bytes, packet.wire_length, Reason::Cut, found, agreements);
        walk.link(packet.link, packet.fcs);
        let buffer = Buffer {
            packet: packet.number,
            bytes: packet.bytes,
            places: Places::Contiguous(packet.offset),
            found,
            is_cut: packet.bytes.len() < packet.wire_length as usize,
            doubt: None,
            pdu: None,
        };
        each(&buffer);
        if !(found.fragments.is_empty() && found.segments.is_empty()) {
            self.waiting.take(&buffer, &mut each);
            self.completed(&mut each);
        }
    }

    /// No packet follows: what waits for others is shown as it is.
    pub fn finish(&mut self, mut each: impl FnMut(&Buffer<'_>)) {
        // What is given up may itself hold fragments.
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
                packet: unit.packet,
                bytes: &unit.bytes,
                places: Places::Runs(&unit.places),
                found,
                is_cut: unit.bytes.len() < unit.sent as usize,
                doubt: unit.doubt,
                pdu: None,
            };
            each(&buffer);
            self.waiting.take(&buffer, each);
        }
    }
}

/// What waits for other packets, and what no longer does.
#[derive(Debug, Default)]
struct Waiting {
    datagrams: Datagrams,
    streams: Streams,
    units: Vec<Unit>,
}

impl Waiting {
    fn take(&mut self, buffer: &Buffer<'_>, each: &mut impl FnMut(&Buffer<'_>)) {
        let Buffer { packet, bytes, places, found, .. } = buffer;
        for fragment in &found.fragments {
            self.datagrams.take(fragment, bytes, places, *packet, &mut self.units);
        }
        for segment in &found.segments {
            self.streams.take(segment, bytes, places, *packet, &mut |pdu| each(&pdu.buffer()));
        }
    }
}

impl Pdu {
    fn buffer(&self) -> Buffer<'_> {
        Buffer {
            packet: self.packet,
            bytes: &self.bytes,
            places: Places::Runs(&self.places),
            found: &self.found,
            is_cut: self.is_cut,
            doubt: None,
            pdu: (self.number > 0).then_some(self.number),
        }
    }
}

/// What was read of a capture.
#[derive(Debug)]
pub struct Read {
    /// What it is stored as.
    pub format: Format,
    /// How it is compressed.
    pub compression: Option<Compression>,
    /// Packets.
    pub packets: u64,
    /// Packets of which it holds less than was sent.
    pub cut_packets: u64,
    /// Where reading ended early, why.
    pub error: Option<Error>,
}

/// Reads a capture to its end, or as far as it can be read, and shows what is in it to `each`.
///
/// # Errors
///
/// If it cannot be read at all. An error behind the header comes with what was read before.
pub fn capture(input: impl io::Read, each: impl FnMut(&Buffer<'_>)) -> Result<Read, Error> {
    Ok(packets(Reader::new(input)?, each))
}

/// The same from a reader that has begun.
pub fn packets<R: io::Read>(mut reader: Reader<R>, mut each: impl FnMut(&Buffer<'_>)) -> Read {
    let mut verifier = Verifier::new();
    let (mut packets, mut cut_packets, mut error) = (0, 0, None);
    loop {
        match reader.next() {
            Ok(Some(packet)) => {
                packets += 1;
                cut_packets += u64::from(packet.bytes.len() < packet.wire_length as usize);
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
    let (format, compression) = (reader.format(), reader.compression());
    Read { format, compression, packets, cut_packets, error }
}

/// The verdict on one check.
#[must_use]
#[inline]
pub fn judge(check: &Check, buffer: &[u8], pieces: &[Piece]) -> Verdict {
    match check.presence {
        Presence::Present => {}
        Presence::Absent => return Verdict::Absent,
        Presence::Illegal => return Verdict::Illegal,
        Presence::Unverifiable(reason) => return Verdict::Unverifiable(reason),
        Presence::LengthConflict => return Verdict::LengthConflict,
    }
    let cover = check.cover(pieces);
    if check.rule.is_internet() {
        // As receivers do: with its field, everything adds up to ones.
        let mut sum = Sum::default();
        for piece in cover {
            let Some(bytes) = piece.of(buffer) else { return Verdict::Unverifiable(Reason::Cut) };
            sum.add(bytes);
        }
        if sum.is_ones() {
            return Verdict::Good;
        }
        return if is_offloaded(check, buffer, cover) { Verdict::Offloaded } else { Verdict::Bad };
    }
    let (Some(stored), Some(computed)) = (check.stored(buffer), check.computed(buffer, pieces))
    else {
        return Verdict::Unverifiable(Reason::Cut);
    };
    if check.rule.agrees(stored, computed) { Verdict::Good } else { Verdict::Bad }
}

/// A one's-complement sum of a few pieces, of which short ones are not worth a call.
#[derive(Default)]
struct Sum {
    sum: u64,
    odd: bool,
}

impl Sum {
    #[inline]
    fn add(&mut self, bytes: &[u8]) {
        let sum = match bytes.as_chunks::<4>() {
            (words, []) if words.len() <= 10 => {
                words.iter().map(|&word| u64::from(u32::from_be_bytes(word))).sum()
            }
            _ => u64::from(!residue::internet::checksum(bytes)),
        };
        // Behind an odd number of bytes, high and low bytes change places (RFC 1071 section 2).
        self.sum += if self.odd { sum % 65535 * 256 } else { sum };
        self.odd ^= bytes.len() % 2 == 1;
    }

    /// Is it FFFF? Only zeros sum to 0.
    fn is_ones(&self) -> bool {
        self.sum != 0 && self.sum.is_multiple_of(65535)
    }
}

/// Does the field hold the sum of the pseudo-header alone, with the length (Linux, and what NDIS calls checksum offload) or
/// without it (large-send offload)?
fn is_offloaded(check: &Check, buffer: &[u8], cover: &[Piece]) -> bool {
    let Some(stored) = check.stored(buffer) else { return false };
    let pseudo = &cover[..usize::from(check.pseudo).min(cover.len())];
    let sum = |length: bool| {
        let mut sum = Checksum::new();
        for piece in pseudo {
            match *piece {
                Piece::Given { mut bytes, length: count } if !length => {
                    without_length(&mut bytes, count);
                    sum.update(&bytes[..usize::from(count).min(16)]);
                }
                _ => sum.update(piece.of(buffer).unwrap_or_default()),
            }
        }
        u64::from(!sum.value())
    };
    !pseudo.is_empty() && (stored == sum(true) || stored == sum(false))
}

/// A pseudo-header's given part is zero, protocol and length for IPv4, length, zeros and protocol for IPv6.
fn without_length(bytes: &mut [u8; 16], count: u8) {
    if count == 4 {
        bytes[2..4].fill(0);
    } else {
        bytes[..4].fill(0);
    }
}
