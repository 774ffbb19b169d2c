//! IP datagrams put together from fragments, in bounded memory.

use crate::address::Address;
use crate::buffer::Places;
use crate::check::{Reason, Span};
use crate::frame::{DEEPEST, Fragment};
use crate::lru::Lru;
use crate::wire::ip::Ip;

/// Datagrams under way at a time; the oldest is given up for another.
const MOST_DATAGRAMS: usize = 4096;
/// Memory for fragments kept at a time, in bytes.
const MOST_BYTES: usize = 64 << 20;
/// What a fragment takes besides its bytes.
const PART_COST: usize = 128;
/// Fragments of one datagram. The smallest that real networks send carry 512 bytes or so of at most
/// 65535.
const MOST_PARTS: usize = 1024;

/// What identifies a datagram (RFC 791 section 2.3, RFC 8200 section 4.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    addresses: [Address; 2],
    identification: u32,
    // IPv6 leaves it out: its fragments may name different headers, and the first one's counts.
    protocol: Option<u8>,
}

#[derive(Debug)]
struct Part {
    offset: u32,
    /// Its length when it was sent.
    length: u32,
    bytes: Vec<u8>,
    places: Vec<(u32, u64)>,
}

impl Part {
    fn end(&self) -> u32 {
        self.offset + self.length
    }

    /// What was captured from a place in the datagram on.
    fn captured(&self, start: u32) -> &[u8] {
        self.bytes.get((start - self.offset) as usize..).unwrap_or_default()
    }

    /// The memory it takes, about, in bytes.
    fn cost(&self) -> usize {
        self.bytes.len() + self.places.len() * size_of::<(u32, u64)>() + PART_COST
    }
}

#[derive(Debug)]
struct Datagram {
    ip: Ip,
    /// Source and destination as the pseudo-header has them, and where they stand.
    addresses: Vec<u8>,
    places: Vec<(u32, u64)>,
    /// Ordered, without overlaps.
    parts: Vec<Part>,
    /// The payload's length, once the last part is there.
    length: Option<u32>,
    conflict: bool,
    packet: u64,
    depth: u8,
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

/// The incomplete datagrams.
#[derive(Debug)]
pub struct Datagrams {
    /// In the order in which their first fragments came.
    waiting: Lru<Key, Datagram>,
    bytes: usize,
}

impl Default for Datagrams {
    fn default() -> Self {
        Datagrams { waiting: Lru::new([MOST_DATAGRAMS]), bytes: 0 }
    }
}

impl Datagrams {
    /// Takes a fragment that stands in `buffer`, the bytes of packet number `packet`. What is
    /// complete, or has to be given up, goes to `ready`.
    pub fn take(
        &mut self,
        fragment: &Fragment,
        buffer: &[u8],
        places: &Places<'_>,
        packet: u64,
        ready: &mut Vec<Unit>,
    ) {
        if fragment.depth >= DEEPEST {
            return;
        }
        let ip = &fragment.ip;
        let (Some(source), Some(destination)) = (ip.source.of(buffer), ip.destination.of(buffer))
        else {
            return;
        };
        let start = (ip.payload.start as usize).min(buffer.len());
        let captured = &buffer[start..(ip.payload.end as usize).clamp(start, buffer.len())];
        // All parts but the last are multiples of 8 bytes; a datagram has no more than 65535 (RFC
        // 791 section 3.2).
        let length = if fragment.more { ip.payload.len() & !7 } else { ip.payload.len() };
        let Some(end) = fragment.offset.checked_add(length).filter(|&end| end <= 0xffff) else {
            return;
        };
        if length == 0 && fragment.more {
            return;
        }
        let captured = &captured[..captured.len().min(length as usize)];
        let key = Key {
            addresses: [Address::new(source), Address::new(destination)],
            identification: fragment.identification,
            protocol: (ip.version == 4).then_some(ip.protocol),
        };
        if self.waiting.get(&key).is_none() {
            let datagram = Datagram {
                ip: *ip,
                addresses: [source, destination].concat(),
                places: Vec::new(),
                parts: Vec::new(),
                length: None,
                conflict: false,
                packet,
                depth: fragment.depth,
            };
            let given_up = self.waiting.insert(key, datagram, 0);
            self.release(given_up.map(|(_, datagram)| datagram), ready);
        }
        let Some(datagram) = self.waiting.get_mut(&key) else { return };
        if fragment.offset == 0 && datagram.places.is_empty() {
            datagram.ip = *ip;
            datagram.packet = packet;
            datagram.places = places.runs(ip.source);
            let behind = ip.source.len();
            let runs = places.runs(ip.destination);
            datagram.places.extend(runs.into_iter().map(|(at, place)| (at + behind, place)));
        }
        if !fragment.more {
            datagram.conflict |= datagram.length.is_some_and(|length| length != end);
            datagram.length = datagram.length.or(Some(end));
        }
        let part = Part {
            offset: fragment.offset,
            length,
            bytes: captured.to_vec(),
            places: places.runs(Span::at(ip.payload.start, captured.len() as u32)),
        };
        self.bytes += insert(datagram, part);
        if datagram.is_complete() {
            let complete = self.waiting.remove(&key);
            self.release(complete, ready);
        }
        while self.bytes > MOST_BYTES && self.give_up(ready) {}
    }

    /// Gives up the oldest datagram. Returns whether there was one.
    pub fn give_up(&mut self, ready: &mut Vec<Unit>) -> bool {
        let oldest = self.waiting.pop(0).map(|(_, datagram)| datagram);
        self.release(oldest, ready)
    }

    /// Hands on a datagram that waits no longer. Returns whether there was one.
    fn release(&mut self, datagram: Option<Datagram>, ready: &mut Vec<Unit>) -> bool {
        let Some(datagram) = datagram else { return false };
        self.bytes -= datagram.cost();
        ready.push(datagram.unit());
        true
    }
}

/// What is there already stays; the part fills the gaps. Says how much more memory is now taken.
fn insert(datagram: &mut Datagram, part: Part) -> usize {
    let mut kept = 0;
    let mut from = part.offset;
    let mut gaps = Vec::new();
    let first = datagram.parts.partition_point(|old| old.end() <= part.offset);
    for old in &datagram.parts[first..] {
        if old.offset >= part.end() {
            break;
        }
        if old.offset > from {
            gaps.push((from, old.offset));
        }
        // Both start where the later one does, and compare as far as both were captured.
        let start = old.offset.max(part.offset);
        let (one, other) = (old.captured(start), part.captured(start));
        let both = one.len().min(other.len());
        datagram.conflict |= one[..both] != other[..both];
        from = from.max(old.end());
    }
    if from < part.end() || part.length == 0 && datagram.parts.is_empty() {
        gaps.push((from, part.end()));
    }
    for (start, end) in gaps {
        if datagram.parts.len() >= MOST_PARTS {
            break;
        }
        let inside = |at: u32| ((at - part.offset) as usize).min(part.bytes.len());
        let piece = Part {
            offset: start,
            length: end - start,
            bytes: part.bytes[inside(start)..inside(end)].to_vec(),
            places: Places::Runs(&part.places)
                .runs(Span { start: start - part.offset, end: end - part.offset }),
        };
        kept += piece.cost();
        let place = datagram.parts.partition_point(|old| old.offset < start);
        datagram.parts.insert(place, piece);
    }
    kept
}

impl Datagram {
    fn cost(&self) -> usize {
        self.parts.iter().map(Part::cost).sum()
    }

    fn is_complete(&self) -> bool {
        let mut reached = 0;
        for part in &self.parts {
            if part.offset > reached {
                return false;
            }
            reached = reached.max(part.end());
        }
        self.length.is_some_and(|length| reached >= length)
    }

    /// The addresses and as much of the payload as there is without a gap.
    fn unit(self) -> Unit {
        let complete = self.is_complete();
        // Without the first part there is no transport header.
        let has_header = self.parts.first().is_some_and(|part| part.offset == 0);
        let headless = (!has_header).then_some(self.parts.len() as u64);
        let half = self.addresses.len() as u32 / 2;
        let mut ip = self.ip;
        ip.source = Span::at(0, half);
        ip.destination = Span::at(half, half);
        let mut bytes = self.addresses;
        let mut places = self.places;
        let mut missing = Reason::Fragment;
        let mut reached = 0;
        for part in &self.parts {
            if part.offset != reached {
                break;
            }
            let at = bytes.len() as u32;
            places.extend(part.places.iter().map(|&(run, place)| (at + run, place)));
            bytes.extend_from_slice(&part.bytes);
            if part.bytes.len() < part.length as usize {
                missing = Reason::Cut;
                break;
            }
            reached = part.end();
        }
        let there = bytes.len() as u32;
        let end = match self.length {
            Some(length) => half * 2 + length,
            // How much is missing is unknown.
            None => u32::MAX,
        };
        ip.payload = Span { start: half * 2, end: if complete { end } else { end.max(there + 1) } };
        ip.length_zero = false;
        Unit {
            packet: self.packet,
            sent: ip.payload.end,
            doubt: self.conflict.then_some(Reason::Overlap),
            bytes,
            places,
            missing,
            ip,
            depth: self.depth + 1,
            headless,
        }
    }
}
