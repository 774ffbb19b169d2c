//! Reassembly of IP datagrams from fragments, in bounded memory.

use crate::address::Address;
use crate::buffer::{Copied, Origin, Places};
use crate::check::{Reason, Span};
use crate::frame::{DEEPEST, Fragment, Ip};
use crate::lru::Lru;

/// Largest number of incomplete datagrams; the oldest is given up for another.
const MOST_DATAGRAMS: usize = 4096;
/// Largest amount of memory for fragments, in bytes.
const MOST_BYTES: usize = 64 << 20;
/// Memory of a fragment beside its bytes.
const PART_COST: usize = 128;
/// Largest number of fragments of a datagram. The smallest in real networks have about 512 bytes of
/// at most 65535.
const MOST_PARTS: usize = 1024;

/// The identification of a datagram (RFC 791 section 2.3, RFC 8200 section 4.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    addresses: [Address; 2],
    identification: u32,
    // `None` for IPv6, whose fragments may name different headers: that of the first counts.
    protocol: Option<u8>,
}

#[derive(Debug)]
struct Part {
    offset: u32,
    /// Length when it was sent.
    length: u32,
    bytes: Vec<u8>,
    places: Vec<(u32, u64)>,
}

impl Part {
    fn end(&self) -> u32 {
        self.offset + self.length
    }

    /// Returns the captured bytes from an offset in the datagram on.
    fn captured(&self, start: u32) -> &[u8] {
        self.bytes.get((start - self.offset) as usize..).unwrap_or_default()
    }

    /// Returns the approximate memory in bytes.
    fn cost(&self) -> usize {
        self.bytes.len() + self.places.len() * size_of::<(u32, u64)>() + PART_COST
    }
}

#[derive(Debug)]
struct Datagram {
    ip: Ip,
    /// Source and destination of the pseudo-header, and their places.
    addresses: Vec<u8>,
    places: Vec<(u32, u64)>,
    /// Parts in order, without overlaps.
    parts: Vec<Part>,
    /// Bytes that arrived once more, by their offsets in the payload.
    copies: Vec<Copied>,
    /// Length of the payload, once the last part has arrived.
    length: Option<u32>,
    conflict: bool,
    origin: Origin,
    depth: u8,
}

/// A datagram reassembled from several packets.
#[derive(Debug)]
pub struct Unit {
    /// The packet for which findings are counted.
    pub origin: Origin,
    /// Addresses, followed by the payload.
    pub bytes: Vec<u8>,
    /// Places of the bytes in the file, as in [`Places::Runs`].
    pub places: Vec<(u32, u64)>,
    /// Further places of bytes.
    pub copies: Vec<Copied>,
    /// The network layer, with spans of this buffer.
    pub ip: Ip,
    /// End of the payload, including missing bytes.
    pub sent: u32,
    /// Why bytes are missing, if any are.
    pub missing: Reason,
    /// Why nothing in it can be judged.
    pub doubt: Option<Reason>,
    /// Number of headers around it, as [`crate::frame::Walk`] counts them.
    pub depth: u8,
    /// Number of other fragments if the first one is missing, and with it the header.
    pub headless: Option<u64>,
}

/// Incomplete datagrams.
#[derive(Debug)]
pub struct Datagrams {
    /// In the order of their first fragments.
    waiting: Lru<Key, Datagram>,
    bytes: usize,
}

impl Default for Datagrams {
    fn default() -> Self {
        Datagrams { waiting: Lru::new([MOST_DATAGRAMS]), bytes: 0 }
    }
}

impl Datagrams {
    /// Adds a fragment in `buffer`, the bytes of the packet `origin`. Appends complete
    /// datagrams, and those given up, to `ready`.
    pub fn take(
        &mut self,
        fragment: &Fragment,
        buffer: &[u8],
        places: &Places<'_>,
        origin: Origin,
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
        // All parts except the last are multiples of 8 bytes; a datagram has at most 65535 (RFC 791
        // section 3.2).
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
                copies: Vec::new(),
                length: None,
                conflict: false,
                origin,
                depth: fragment.depth,
            };
            let given_up = self.waiting.insert(key, datagram, 0);
            self.release(given_up.map(|(_, datagram)| datagram), ready);
        }
        let Some(datagram) = self.waiting.get_mut(&key) else { return };
        if fragment.offset == 0 && datagram.places.is_empty() {
            datagram.ip = *ip;
            datagram.origin = origin;
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

    /// Gives up the oldest datagram; returns whether there was one.
    pub fn give_up(&mut self, ready: &mut Vec<Unit>) -> bool {
        let oldest = self.waiting.pop(0).map(|(_, datagram)| datagram);
        self.release(oldest, ready)
    }

    /// Appends a datagram to `ready`; returns whether there was one.
    fn release(&mut self, datagram: Option<Datagram>, ready: &mut Vec<Unit>) -> bool {
        let Some(datagram) = datagram else { return false };
        self.bytes -= datagram.cost();
        ready.push(datagram.unit());
        true
    }
}

/// Inserts a part into the gaps between existing parts. Returns the additional memory.
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
        // Compares the captured bytes from the start of the later one on.
        let start = old.offset.max(part.offset);
        let (one, other) = (old.captured(start), part.captured(start));
        let both = one.len().min(other.len());
        datagram.conflict |= one[..both] != other[..both];
        if datagram.copies.len() < MOST_PARTS {
            let copied = copies(&part, Span::at(start, both as u32));
            kept += copied.len() * size_of::<Copied>();
            datagram.copies.extend(copied);
        }
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

/// Returns the places of these bytes of the payload in a part.
fn copies(part: &Part, span: Span) -> Vec<Copied> {
    let inside = Span { start: span.start - part.offset, end: span.end - part.offset };
    let runs = Places::Runs(&part.places).runs(inside);
    let ends = runs.iter().skip(1).map(|&(at, _)| at).chain([span.len()]);
    let copied = |(&(at, place), end)| Copied { at: span.start + at, length: end - at, place };
    runs.iter().zip(ends).map(copied).collect()
}

impl Datagram {
    fn cost(&self) -> usize {
        let copies = self.copies.len() * size_of::<Copied>();
        self.parts.iter().map(Part::cost).sum::<usize>() + copies
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

    /// Returns the addresses, and the payload up to its first gap.
    fn unit(self) -> Unit {
        let complete = self.is_complete();
        // The transport header is in the first part.
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
        let mut copies = self.copies;
        copies.iter_mut().for_each(|copy| copy.at += half * 2);
        let there = bytes.len() as u32;
        let end = match self.length {
            Some(length) => half * 2 + length,
            // The length is unknown.
            None => u32::MAX,
        };
        ip.payload = Span { start: half * 2, end: if complete { end } else { end.max(there + 1) } };
        ip.length_zero = false;
        Unit {
            origin: self.origin,
            sent: ip.payload.end,
            doubt: self.conflict.then_some(Reason::Overlap),
            bytes,
            places,
            copies,
            missing,
            ip,
            depth: self.depth + 1,
            headless,
        }
    }
}
