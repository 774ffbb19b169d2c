//! One direction of a TCP connection: bytes in order, and PDUs.

use super::pdu::Pdu;
use super::session::{Frame, LONGEST_PDU, Proof, Session};
use crate::buffer::{Origin, Places};
use crate::check::Span;
use crate::frame::{Found, Header};
use crate::wire::pdu::Layout;
use std::collections::{BTreeMap, VecDeque};

/// Largest number of bytes that wait for earlier ones, before these are given up.
const MOST_PENDING: usize = 4 << 20;
/// Largest number of waiting segments.
const MOST_SEGMENTS: usize = 4096;
/// Memory of a segment beside its bytes.
const SEGMENT_COST: usize = 128;
/// Memory that a direction retains for later bytes.
const MOST_IDLE: usize = 16 << 10;
/// Number of bytes to search for the beginning of a PDU before digests are assumed to be absent.
const LONGEST_SEARCH: u64 = 4 << 20;
/// Largest number of bytes stored during a search.
const MOST_SEARCHED: usize = 2 << 20;
/// Largest number of candidates during a search, for which more bytes decide.
const MOST_CANDIDATES: usize = 8;
/// Largest distance of sequence numbers: more than any window (RFC 7323 section 2.3).
const FURTHEST: i64 = 1 << 30;

/// Bytes that are contiguous in the file.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// Position of the first byte in the stream.
    position: u64,
    /// Offset in the file.
    place: Option<u64>,
    /// The packet.
    origin: Origin,
}

/// The data of a segment.
#[derive(Debug)]
struct Data {
    bytes: Vec<u8>,
    runs: Vec<Run>,
}

impl Data {
    fn cost(&self) -> usize {
        self.bytes.len() + self.runs.len() * size_of::<Run>() + SEGMENT_COST
    }
}

#[derive(Debug)]
enum State {
    /// A PDU begins at the next byte.
    Framed,
    /// Bytes before `scanned` were searched; PDUs may begin at `candidates`.
    Searching { scanned: u64, candidates: Vec<u64> },
    /// The stream has no digests.
    Plain,
}

/// The connection around a direction.
pub struct Around<'a> {
    /// State of both directions.
    pub session: &'a mut Session,
    /// Number of this direction.
    pub side: usize,
    /// Source and destination address.
    pub addresses: [&'a [u8]; 2],
    /// Source and destination port.
    pub ports: [u16; 2],
    /// Receiver of PDUs.
    pub ready: &'a mut dyn FnMut(Pdu),
}

/// The data of an arriving segment.
pub struct Arrived<'a> {
    /// Sequence number of the first byte of data.
    pub sequence: u32,
    /// Captured data.
    pub bytes: &'a [u8],
    /// Number of bytes sent.
    pub sent: u32,
    /// Places of the bytes in the file.
    pub places: Places<'a>,
    /// The packet.
    pub origin: Origin,
    /// Whether the stream ends after these bytes.
    pub finish: bool,
}

/// One direction of a stream. Positions count from [`ORIGIN`].
#[derive(Debug)]
pub struct Direction {
    /// Sequence number of position [`ORIGIN`].
    origin: Option<u32>,
    /// Position after all bytes in order.
    next: u64,
    /// The position of the first byte of `buffer`.
    start: u64,
    /// Bytes from `start` to `next`.
    buffer: Vec<u8>,
    /// Places of these bytes in the file.
    runs: VecDeque<Run>,
    /// Number of remaining bytes of a processed PDU.
    skip: u64,
    pending: BTreeMap<u64, Data>,
    pending_cost: usize,
    state: State,
    searched: u64,
    /// Number of PDUs so far.
    number: u64,
    end: Option<u64>,
    /// Whether the beginning of the stream was captured.
    begun: bool,
    /// First packet with data, and number of such packets.
    packets: (Option<Origin>, u64),
}

/// Position of the beginning of a stream: retransmissions from before the capture have lower ones.
const ORIGIN: u64 = 1 << 40;

impl Direction {
    /// Creates a direction without data.
    pub fn new() -> Self {
        Direction {
            origin: None,
            next: ORIGIN,
            start: ORIGIN,
            buffer: Vec::new(),
            runs: VecDeque::new(),
            skip: 0,
            pending: BTreeMap::new(),
            pending_cost: 0,
            state: searching(ORIGIN),
            searched: 0,
            number: 0,
            end: None,
            begun: false,
            packets: (None, 0),
        }
    }

    /// Returns the first packet and the number of packets if there was data but no PDU, and the
    /// beginning was not captured.
    pub fn unfollowed(&self) -> Option<(Origin, u64)> {
        let (first, count) = self.packets;
        first.filter(|_| self.number == 0 && !self.begun).map(|first| (first, count))
    }

    /// Returns whether a SYN with this sequence number begins another stream than the known one.
    pub fn is_other(&self, sequence: u32) -> bool {
        self.origin.is_some_and(|origin| origin != sequence.wrapping_add(1))
    }

    /// Begins the stream after a SYN with this sequence number, if it has not begun.
    pub fn begin(&mut self, sequence: u32) {
        if self.origin.is_none() {
            self.origin = Some(sequence.wrapping_add(1));
            self.state = State::Framed;
            self.begun = true;
        }
    }

    /// Returns the approximate memory in bytes.
    pub fn cost(&self) -> usize {
        self.buffer.capacity() + self.runs.capacity() * size_of::<Run>() + self.pending_cost
    }

    /// Returns whether the stream has ended, with all its bytes.
    pub fn is_over(&self) -> bool {
        self.end.is_some_and(|end| end <= self.next)
    }

    /// Adds a segment.
    pub fn take(&mut self, around: &mut Around<'_>, arrived: &Arrived<'_>) {
        let &Arrived { sequence, bytes, sent, places, origin, finish } = arrived;
        if !bytes.is_empty() {
            let (first, count) = self.packets;
            self.packets = (first.or(Some(origin)), count + 1);
        }
        let start = *self.origin.get_or_insert(sequence);
        let expected = start.wrapping_add(self.next.wrapping_sub(ORIGIN) as u32);
        let ahead = i64::from(sequence.wrapping_sub(expected) as i32);
        if ahead.abs() > FURTHEST {
            self.give_up(around);
            self.number_from(sequence);
        }
        let ahead = if ahead.abs() > FURTHEST { 0 } else { ahead };
        let position = self.next.saturating_add_signed(ahead);
        let sent_end = position + u64::from(sent).max(bytes.len() as u64);
        if finish {
            self.end = Some(sent_end);
        }
        let end = position + bytes.len() as u64;
        if end > self.next {
            let runs = runs(position, bytes.len(), places, origin);
            if position > self.next {
                self.keep(position, bytes, runs);
            } else {
                self.append(position, bytes, runs);
                self.drain();
                self.advance(around, false);
            }
        }
        if end == self.next && end < sent_end {
            // Bytes that the capture cut off are in no other packet.
            self.gap(around, sent_end);
        }
        while self.pending_cost > MOST_PENDING || self.pending.len() > MOST_SEGMENTS {
            self.skip_gap(around);
        }
        if self.is_over() {
            self.give_up(around);
        }
    }

    /// Restarts at a sequence number.
    fn number_from(&mut self, sequence: u32) {
        let passed = self.next.wrapping_sub(ORIGIN) as u32;
        self.origin = Some(sequence.wrapping_sub(passed));
        self.end = None;
        self.skip = 0;
        self.search_from(self.next);
    }

    /// Processes all waiting segments, despite gaps.
    pub fn give_up(&mut self, around: &mut Around<'_>) {
        while !self.pending.is_empty() {
            self.skip_gap(around);
        }
        self.gap(around, self.next);
    }

    /// Stores a segment after a gap.
    fn keep(&mut self, position: u64, bytes: &[u8], runs: Vec<Run>) {
        if matches!(self.state, State::Plain) {
            // It holds nothing to verify, and a gap does no harm.
            return;
        }
        if self.pending.get(&position).is_some_and(|data| data.bytes.len() >= bytes.len()) {
            return;
        }
        let data = Data { bytes: bytes.to_vec(), runs };
        self.pending_cost += data.cost();
        if let Some(shorter) = self.pending.insert(position, data) {
            self.pending_cost -= shorter.cost();
        }
    }

    /// Appends the new bytes of a segment that begins at `position`.
    fn append(&mut self, position: u64, bytes: &[u8], runs: Vec<Run>) {
        let old = self.next - position;
        let Some(new) = bytes.get(old as usize..) else { return };
        self.buffer.extend_from_slice(new);
        let first = runs.partition_point(|run| run.position <= self.next).saturating_sub(1);
        for mut run in runs.into_iter().skip(first) {
            let passed = self.next.saturating_sub(run.position);
            run.position += passed;
            run.place = run.place.map(|place| place + passed);
            self.runs.push_back(run);
        }
        self.next += new.len() as u64;
    }

    /// Appends the waiting segments that are next.
    fn drain(&mut self) {
        while let Some(entry) = self.pending.first_entry()
            && *entry.key() <= self.next
        {
            let (position, data) = entry.remove_entry();
            self.pending_cost -= data.cost();
            if position + data.bytes.len() as u64 > self.next {
                self.append(position, &data.bytes, data.runs);
            }
        }
    }

    /// Gives up the gap before the first waiting segment.
    fn skip_gap(&mut self, around: &mut Around<'_>) {
        let Some((&position, _)) = self.pending.first_key_value() else { return };
        self.gap(around, position);
        self.drain();
        self.advance(around, false);
    }

    /// Continues at position `to`; bytes before it are missing.
    fn gap(&mut self, around: &mut Around<'_>, to: u64) {
        self.advance(around, true);
        let missing = to.saturating_sub(self.next);
        if missing <= self.skip {
            self.skip -= missing;
        } else {
            self.skip = 0;
            self.search_from(to);
        }
        self.forget(self.buffer.len());
        self.next = self.next.max(to);
        self.start = self.next;
        if matches!(self.state, State::Searching { .. }) {
            self.search_from(self.next);
        }
    }

    /// Begins to search for the next PDU.
    fn search_from(&mut self, position: u64) {
        if !matches!(self.state, State::Plain) {
            self.state = searching(position);
        }
    }

    /// Extracts PDUs from the buffer; `last`: the missing bytes of one will not come.
    fn advance(&mut self, around: &mut Around<'_>, last: bool) {
        let mut at = 0;
        loop {
            if around.session.is_plain() {
                self.state = State::Plain;
            }
            let skipped = self.skip.min((self.buffer.len() - at) as u64);
            self.skip -= skipped;
            at += skipped as usize;
            let rest = &self.buffer[at..];
            if rest.is_empty() || self.skip > 0 {
                break;
            }
            match self.state {
                State::Plain => at = self.buffer.len(),
                State::Searching { .. } => {
                    at = self.search(around, at);
                    if matches!(self.state, State::Searching { .. }) {
                        break;
                    }
                }
                State::Framed => match around.session.frame(around.side, rest, last) {
                    Frame::More => break,
                    Frame::Lost => self.state = searching(self.start + at as u64),
                    Frame::Header(layout) => {
                        let end = (at + layout.whole as usize).min(self.buffer.len());
                        self.emit(around, at, end, &layout);
                        at += around.session.kind().least();
                        self.state = searching(self.start + at as u64);
                    }
                    Frame::Pdu(layout) => {
                        let whole = layout.whole as usize;
                        if rest.len() < whole && !last && layout.whole <= LONGEST_PDU {
                            break;
                        }
                        let end = at + whole.min(rest.len());
                        if end - at == whole {
                            around.session.learn(around.side, &rest[..whole], &layout);
                        }
                        self.emit(around, at, end, &layout);
                        self.skip = (whole - (end - at)) as u64;
                        at = end;
                    }
                },
            }
        }
        self.forget(at);
    }

    /// Drops the first `count` bytes of the buffer.
    fn forget(&mut self, count: usize) {
        self.buffer.drain(..count);
        self.start += count as u64;
        while self.runs.get(1).is_some_and(|run| run.position <= self.start)
            || (self.buffer.is_empty() && !self.runs.is_empty())
        {
            self.runs.pop_front();
        }
        // Releases the memory of a long PDU.
        if self.buffer.capacity() > 4 * self.buffer.len() + MOST_IDLE {
            self.buffer.shrink_to(2 * self.buffer.len());
            self.runs.shrink_to(2 * self.runs.len());
        }
    }

    /// Searches the buffer from `at` on for the beginning of a PDU; returns the offset before which
    /// nothing needs to be kept.
    fn search(&mut self, around: &mut Around<'_>, at: usize) -> usize {
        let State::Searching { scanned, candidates } = &mut self.state else { return at };
        let Around { session, side, .. } = around;
        let least = session.kind().least() as u64;
        let from = *scanned;
        let runs = &self.runs;
        let starts =
            |position: u64| runs.binary_search_by_key(&position, |run| run.position).is_ok();
        let mut found = None;
        candidates.retain(|&position| {
            let bytes = &self.buffer[(position - self.start) as usize..];
            if found.is_some() {
                return false;
            }
            let proof = session.proof(*side, bytes, starts(position));
            if proof == Proof::Yes {
                found = Some(position);
            }
            matches!(proof, Proof::Wait(_))
        });
        while found.is_none() && *scanned + least <= self.next {
            let position = *scanned;
            *scanned += 1;
            let bytes = &self.buffer[(position - self.start) as usize..];
            match session.proof(*side, bytes, starts(position)) {
                Proof::No => {}
                Proof::Yes => found = Some(position),
                Proof::Wait(_) if candidates.len() < MOST_CANDIDATES => candidates.push(position),
                Proof::Wait(_) => {}
            }
        }
        if let Some(found) = found {
            self.state = State::Framed;
            return (found - self.start) as usize;
        }
        self.searched += *scanned - from;
        if self.searched > LONGEST_SEARCH && !session.has_digests() {
            self.state = State::Plain;
            self.pending.clear();
            self.pending_cost = 0;
            return self.buffer.len();
        }
        if self.buffer.len() > MOST_SEARCHED {
            candidates.clear();
        }
        let kept = candidates.first().map_or(*scanned, |&first| first.min(*scanned));
        ((kept - self.start) as usize).max(at)
    }

    /// Passes on the PDU in the buffer from `at` to `end`, if it has digests.
    fn emit(&mut self, around: &mut Around<'_>, at: usize, end: usize, layout: &Layout) {
        self.number += 1;
        if layout.parts() == [None; 2] {
            return;
        }
        let first = self.start + at as u64;
        let begin = self.runs.partition_point(|run| run.position <= first).saturating_sub(1);
        let Some(origin) = self.runs.get(begin).map(|run| run.origin) else { return };
        let [source, destination] = around.addresses;
        let base = (source.len() + destination.len()) as u32;
        let behind = self.start + end as u64;
        let places = self
            .runs
            .range(begin..)
            .take_while(|run| run.position < behind)
            .filter_map(|run| {
                let passed = first.saturating_sub(run.position);
                let offset = (run.position + passed - first) as u32 + base;
                Some((offset, run.place? + passed))
            })
            .collect();
        let bytes = &self.buffer[at..end];
        let mut found = Found::default();
        around.session.report(bytes, layout, base, &mut found);
        found.headers.list.extend(Header::of_tcp(around.addresses, around.ports));
        let middle = source.len() as u32;
        for check in &mut found.checks {
            check.addresses = [Span::at(0, middle), Span { start: middle, end: base }];
            check.ports = Some(around.ports);
        }
        let bytes = [source, destination, bytes].concat();
        let is_cut = (bytes.len() as u64) < u64::from(base) + u64::from(layout.whole);
        (around.ready)(Pdu { origin, number: self.number, bytes, places, found, is_cut });
    }
}

fn searching(scanned: u64) -> State {
    State::Searching { scanned, candidates: Vec::new() }
}

/// Returns the runs of the first `length` bytes of a buffer with these places.
fn runs(position: u64, length: usize, places: Places<'_>, origin: Origin) -> Vec<Run> {
    let span = Span { start: 0, end: length as u32 };
    let mut runs: Vec<Run> = places
        .runs(span)
        .into_iter()
        .map(|(at, place)| Run { position: position + u64::from(at), place: Some(place), origin })
        .collect();
    if runs.first().is_none_or(|run| run.position != position) {
        runs.insert(0, Run { position, place: None, origin });
    }
    runs
}
