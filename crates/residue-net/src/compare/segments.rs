//! TCP data that the two points cut differently: where a network card cuts large segments after the
//! first capture, or joins small ones before the second, the packets differ and the bytes do not.
//!
//! Of the packets of a connection without a partner, the bytes of both points are laid side by side
//! by their sequence numbers. Bytes at both points are compared, whatever packets carried them. Of
//! the others, those that no packet with a partner carried either are lost, or came from nowhere.

use super::again::Stretch;
use super::flows::Flows;
use super::intake::Packet;
use super::judge;
use super::layer::{Flow, Layer};
use super::side::{Side, Waiting};
use crate::lru::Lru;
use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;

/// Largest number of connections whose bytes are remembered, and of segments of each.
const MOST_FLOWS: usize = 1 << 12;
const MOST_SEGMENTS: usize = 128;

/// Data in a packet.
#[derive(Clone, Copy)]
pub struct Piece<'a> {
    pub id: u64,
    waiting: &'a Waiting,
    /// Place of the layer in the packet.
    layer: usize,
    /// Number of the first byte.
    pub sequence: u32,
    /// The data, as far as they were captured.
    pub data: &'a [u8],
    /// Bytes that were sent.
    pub sent: usize,
}

impl<'a> Piece<'a> {
    /// Returns the TCP data of a packet.
    fn new(id: u64, waiting: &'a Waiting) -> Option<Piece<'a>> {
        let piece = Piece::of(id, waiting, 6)?;
        let numbers = waiting.packet.layers[piece.layer].numbers?;
        Some(Piece { sequence: numbers[0], ..piece })
    }

    /// Returns the data of a UDP datagram.
    pub fn of_datagram(id: u64, waiting: &'a Waiting) -> Option<Piece<'a>> {
        Piece::of(id, waiting, 17)
    }

    fn of(id: u64, waiting: &'a Waiting, protocol: u8) -> Option<Piece<'a>> {
        let packet = &waiting.packet;
        let layer = packet.layers.iter().position(|layer| layer.flow.protocol == protocol)?;
        let of = &packet.layers[layer];
        let data = of.start + of.data(&packet.bytes);
        let sent = of.end.checked_sub(data).filter(|&sent| sent > 0)?;
        let data = packet.bytes.get(data..of.end.min(packet.bytes.len())).unwrap_or_default();
        Some(Piece { id, waiting, layer, sequence: 0, data, sent })
    }

    /// Returns the same data with another number of the first byte.
    pub fn starting_at(self, sequence: u32) -> Piece<'a> {
        Piece { sequence, ..self }
    }

    pub fn flow(&self) -> Flow {
        self.waiting.packet.layers[self.layer].flow
    }

    fn layer(&self) -> &'a Layer {
        &self.waiting.packet.layers[self.layer]
    }

    fn identification(&self) -> Option<u16> {
        self.layer().identification
    }

    /// Returns the options of the TCP header, as far as they were captured.
    fn options(&self) -> &'a [u8] {
        let (layer, bytes) = (self.layer(), &self.waiting.packet.bytes);
        let end = layer.start + layer.data(bytes);
        bytes.get(layer.transport + 20..end).unwrap_or_default()
    }

    /// Returns the bytes as numbers of the connection, counted from `base`.
    pub fn range(&self, base: u32) -> Range<i64> {
        let start = i64::from(self.sequence.wrapping_sub(base) as i32);
        start..start + self.sent as i64
    }
}

/// Packets at both points with bytes in common, and different boundaries.
#[derive(Default)]
pub struct Joined {
    /// The packets of each point.
    pub ids: [Vec<u64>; 2],
    /// The stretches of bytes of each point that the other point has not.
    pub alone: [Vec<Gap>; 2],
    /// Packets that hold equal bytes in part, and differ in others.
    pub altered: Vec<Alteration>,
    /// Whether all leave with the first, because nothing is remembered of those that left.
    pub at_once: bool,
}

/// A stretch of the bytes of a packet that the other point has not.
#[derive(Clone, Copy)]
pub struct Gap {
    pub id: u64,
    /// Whether the other point has bytes of the packet before it.
    pub within: bool,
    pub stretch: Stretch,
}

/// Bytes that differ.
pub struct Alteration {
    /// The packets of each point.
    pub ids: [u64; 2],
    pub layers: [usize; 2],
    /// The packet with fewer bytes as the other point has it, with its headers and a right
    /// checksum.
    pub other: Packet,
    /// The point with fewer bytes.
    pub small: usize,
}

/// The bytes that a packet carried which no longer waits.
#[derive(Clone, Copy)]
struct Bytes {
    sequence: u32,
    sent: u32,
    /// Whether the other point has them with other boundaries.
    joined: bool,
}

/// The bytes of connections that packets carried which no longer wait.
pub struct Carried([Lru<Flow, VecDeque<Bytes>>; 2]);

impl Default for Carried {
    fn default() -> Self {
        Carried([const { MOST_FLOWS }; 2].map(|most| Lru::new([most])))
    }
}

impl Carried {
    /// Remembers the bytes of a packet at a point. `joined`: the other point has them with other
    /// boundaries.
    pub fn add(&mut self, point: usize, waiting: &Waiting, joined: bool) {
        let Some(piece) = Piece::new(0, waiting) else { return };
        let flow = piece.flow();
        let map = &mut self.0[point];
        if map.touch(&flow).is_none() {
            map.insert(flow, VecDeque::new(), 0);
        }
        let Some(list) = map.get_mut(&flow) else { return };
        if list.len() == MOST_SEGMENTS {
            list.pop_front();
        }
        list.push_back(Bytes { sequence: piece.sequence, sent: piece.sent as u32, joined });
    }

    /// Returns the bytes of a connection at a point, counted from `base`, and whether the other
    /// point has them with other boundaries.
    fn of(&self, point: usize, flow: &Flow, base: u32) -> Vec<(Range<i64>, bool)> {
        let range = |it: &Bytes| {
            let start = i64::from(it.sequence.wrapping_sub(base) as i32);
            (start..start + i64::from(it.sent), it.joined)
        };
        self.0[point].get(flow).map(|list| list.iter().map(range).collect()).unwrap_or_default()
    }
}

/// Finds segments at both points that hold bytes of one connection with different boundaries.
pub fn joined(
    sides: &[Side; 2],
    ids: &[Vec<u64>; 2],
    flows: &Flows,
    carried: &Carried,
) -> Vec<Joined> {
    let of_connection = |(flow, pieces): (Flow, [Vec<Piece<'_>>; 2])| {
        let base = pieces.iter().flatten().next()?.sequence;
        let other = flows.translation(0, &flow).unwrap_or(flow);
        let gone = [carried.of(0, &flow, base), carried.of(1, &other, base)];
        let origin = flows.direction(0, &flow).unwrap_or_default() as usize;
        let renumbered = flows.keeps_identification(0, &flow) == Some(false);
        of_pieces(base, &pieces, &gone, origin, renumbered)
    };
    let connections = by_flow(sides, ids, flows, Piece::new);
    let mut all: Vec<Joined> = connections.into_iter().filter_map(of_connection).collect();
    all.sort_by_key(|joined| joined.ids.clone());
    all
}

/// Returns the data of these packets at both points, by the flow at the first one.
pub fn by_flow<'a>(
    sides: &'a [Side; 2],
    ids: &[Vec<u64>; 2],
    flows: &Flows,
    piece: impl Fn(u64, &'a Waiting) -> Option<Piece<'a>>,
) -> HashMap<Flow, [Vec<Piece<'a>>; 2]> {
    let mut all: HashMap<Flow, [Vec<Piece<'a>>; 2]> = HashMap::new();
    for point in 0..2 {
        for &id in &ids[point] {
            let Some(piece) = sides[point].get(id).and_then(|it| piece(id, it)) else { continue };
            let flow = piece.flow();
            let first = if point == 0 { None } else { flows.translation(1, &flow) };
            all.entry(first.unwrap_or(flow)).or_default()[point].push(piece);
        }
    }
    all
}

/// Lays the data of one flow side by side; numbers count from `base`. `gone`: those of packets that
/// no longer wait, and whether the other point has them with other boundaries. `origin`: the point
/// where they come from. `renumbered`: whether identifications change between the points.
pub fn of_pieces(
    base: u32,
    pieces: &[Vec<Piece<'_>>; 2],
    gone: &[Vec<(Range<i64>, bool)>; 2],
    origin: usize,
    renumbered: bool,
) -> Option<Joined> {
    let mut overlaps = Overlaps::of(base, pieces, renumbered);
    let mut used = [0, 1].map(|point| vec![false; pieces[point].len()]);
    overlaps.equal.iter().chain(&overlaps.alike).for_each(|it| it.mark(&mut used));
    // Numbers of another connection between the same ports may be alike. Where one of the packets
    // has bytes in common with others, it is this one, and the bytes are altered, unless another
    // packet has them, which may have left.
    let left = |both: &Range<i64>| gone[origin].iter().any(|(range, _)| touches(range, both));
    overlaps
        .unlike
        .retain(|Overlap { pair: [i, j], both }| (used[0][*i] || used[1][*j]) && !left(both));
    overlaps.unlike.iter().for_each(|it| it.mark(&mut used));
    // The packets of the other point may have left before.
    for point in 0..2 {
        let joined = |range: &Range<i64>| {
            let covers = |(other, joined): &(Range<i64>, bool)| {
                *joined && other != range && touches(other, range)
            };
            gone[1 - point].iter().any(covers)
        };
        for (piece, used) in pieces[point].iter().zip(&mut used[point]) {
            *used |= joined(&piece.range(base));
        }
    }
    if !used.iter().flatten().any(|used| *used) {
        return None;
    }
    let (mut ids, mut alone): ([Vec<u64>; 2], [Vec<Gap>; 2]) = Default::default();
    for point in 0..2 {
        let opposite = 1 - point;
        let waiting = pieces[opposite].iter().map(|piece| piece.range(base));
        let covered = gone[opposite].iter().map(|(range, _)| range.clone()).chain(waiting);
        let covered = united(covered.collect());
        for (piece, _) in pieces[point].iter().zip(&used[point]).filter(|(_, used)| **used) {
            ids[point].push(piece.id);
            let range = piece.range(base);
            alone[point].extend(gaps(range.clone(), &covered).into_iter().map(|gap| {
                let (id, within) = (piece.id, gap.start > range.start);
                Gap { id, within, stretch: Stretch::of_range(&gap, base) }
            }));
        }
    }
    let altered = overlaps.alterations(base, pieces, 1 - origin);
    Some(Joined { ids, alone, altered, at_once: false })
}

/// Returns whether two stretches have a byte in common.
fn touches(one: &Range<i64>, other: &Range<i64>) -> bool {
    one.start < other.end && other.start < one.end
}

/// A stretch that a packet of each point holds, by their places.
struct Overlap {
    pair: [usize; 2],
    both: Range<i64>,
}

impl Overlap {
    fn mark(&self, used: &mut [Vec<bool>; 2]) {
        (used[0][self.pair[0]], used[1][self.pair[1]]) = (true, true);
    }
}

/// What packets of the two points with other boundaries have in common.
#[derive(Default)]
struct Overlaps {
    equal: Vec<Overlap>,
    /// Where at least half of the bytes are equal, but not all.
    alike: Vec<Overlap>,
    /// Where fewer are.
    unlike: Vec<Overlap>,
}

impl Overlaps {
    fn of(base: u32, pieces: &[Vec<Piece<'_>>; 2], renumbered: bool) -> Overlaps {
        let [ones, twos] = pieces;
        let mut all = Overlaps::default();
        // In order of the bytes, so that each is compared with its neighbours only.
        let mut order: Vec<usize> = (0..twos.len()).collect();
        order.sort_by_key(|&j| twos[j].range(base).start);
        let longest = twos.iter().map(|two| two.sent as i64).max().unwrap_or(0);
        let alone = whole(base, pieces, renumbered);
        for (i, one) in ones.iter().enumerate().filter(|(i, _)| !alone[0].contains(i)) {
            let mine = one.range(base);
            let from = order.partition_point(|&j| twos[j].range(base).start < mine.start - longest);
            for &j in &order[from..] {
                let theirs = twos[j].range(base);
                if theirs.start >= mine.end {
                    break;
                }
                // Packets of equal boundaries are compared as they are.
                if !touches(&theirs, &mine) || theirs == mine || alone[1].contains(&j) {
                    continue;
                }
                let both = mine.start.max(theirs.start)..mine.end.min(theirs.end);
                let data = [bytes(one, &mine, &both), bytes(&twos[j], &theirs, &both)];
                let list = match data {
                    [one, two] if one == two => &mut all.equal,
                    _ if alike(data) => &mut all.alike,
                    _ => &mut all.unlike,
                };
                list.push(Overlap { pair: [i, j], both });
            }
        }
        all
    }

    /// Returns the packets whose bytes arrived altered at the point `destination`.
    ///
    /// What was sent again is in several packets: each byte arrived as it was in one of them, or
    /// altered, then once, from the packet nearest in time.
    fn alterations(
        self,
        base: u32,
        pieces: &[Vec<Piece<'_>>; 2],
        destination: usize,
    ) -> Vec<Alteration> {
        let of = |pair: [usize; 2]| [&pieces[0][pair[0]], &pieces[1][pair[1]]];
        // What needs no other explanation, by the packet that arrived.
        let mut explained: HashMap<usize, Vec<Range<i64>>> = HashMap::new();
        for Overlap { pair, both } in self.equal {
            explained.entry(pair[destination]).or_default().push(both);
        }
        let mut different: Vec<Overlap> = self.alike.into_iter().chain(self.unlike).collect();
        different.sort_by_key(|it| {
            let [one, two] = of(it.pair);
            one.waiting.time.abs_diff(two.waiting.time)
        });
        let mut altered: Vec<Alteration> = Vec::new();
        for Overlap { pair, both } in different {
            let explained = explained.entry(pair[destination]).or_default();
            let pair = of(pair);
            let ranges = pair.map(|piece| piece.range(base));
            let [one, two] = [0, 1].map(|point| bytes(pair[point], &ranges[point], &both));
            let differs = |(byte, at): ((&u8, &u8), i64)| (byte.0 != byte.1).then_some(at);
            let mut differing = one.iter().zip(two).zip(both.start..).filter_map(differs);
            if differing.any(|at| !explained.iter().any(|range| range.contains(&at))) {
                altered.extend(alteration(pair, [&ranges[0], &ranges[1]], &both));
                explained.push(both);
            }
        }
        altered.sort_by_key(|it: &Alteration| it.ids);
        altered
    }
}

/// Returns the segments that are at both points as they are, but for altered bytes: those with
/// equal boundaries, options (which hold a timestamp), and identification if they have one, that
/// are nearest in time. What was sent again by itself is not a part of the large segment before it,
/// and a part of that one is not what was sent again.
fn whole(base: u32, [ones, twos]: &[Vec<Piece<'_>>; 2], renumbered: bool) -> [HashSet<usize>; 2] {
    let mut by_range: HashMap<(i64, i64), Vec<usize>> = HashMap::new();
    let key = |piece: &Piece<'_>| (piece.range(base).start, piece.range(base).end);
    for (j, two) in twos.iter().enumerate() {
        by_range.entry(key(two)).or_default().push(j);
    }
    let mut pairs: Vec<(u64, usize, usize)> = Vec::new();
    for (i, one) in ones.iter().enumerate() {
        for &j in by_range.get(&key(one)).into_iter().flatten().take(MOST_SEGMENTS) {
            let two = &twos[j];
            let numbered = match (one.identification(), two.identification()) {
                (Some(one), Some(two)) => renumbered || one == two,
                _ => true,
            };
            if numbered && one.options() == two.options() {
                pairs.push((one.waiting.time.abs_diff(two.waiting.time), i, j));
            }
        }
    }
    pairs.sort_unstable();
    let mut found: [HashSet<usize>; 2] = Default::default();
    for (_, i, j) in pairs {
        if !found[0].contains(&i) && !found[1].contains(&j) {
            found[0].insert(i);
            found[1].insert(j);
        }
    }
    found
}

/// Returns the captured bytes of a stretch, both cut to where the capture ends.
fn bytes<'a>(piece: &Piece<'a>, range: &Range<i64>, both: &Range<i64>) -> &'a [u8] {
    let [start, end] = [both.start, both.end].map(|at| (at - range.start) as usize);
    let end = end.min(piece.data.len());
    piece.data.get(start.min(end)..end).unwrap_or_default()
}

/// Returns whether two captures of the same stretch have at least half of its bytes in common.
fn alike(data: [&[u8]; 2]) -> bool {
    let length = data[0].len().min(data[1].len());
    let equal = data[0].iter().zip(data[1]).filter(|(a, b)| a == b).count();
    2 * equal >= length
}

/// Returns ranges with the same numbers that ascend and do not touch each other.
fn united(mut ranges: Vec<Range<i64>>) -> Vec<Range<i64>> {
    ranges.sort_by_key(|range| range.start);
    let mut united: Vec<Range<i64>> = Vec::new();
    for range in ranges {
        match united.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => united.push(range),
        }
    }
    united
}

/// Returns the stretches of a range that nothing covers. `covered` is [`united`].
fn gaps(range: Range<i64>, covered: &[Range<i64>]) -> Vec<Range<i64>> {
    let (mut at, mut gaps) = (range.start, Vec::new());
    let first = covered.partition_point(|other| other.end <= range.start);
    for other in covered[first..].iter().take_while(|other| other.start < range.end) {
        if other.start > at {
            gaps.push(at..other.start);
        }
        at = at.max(other.end);
    }
    if at < range.end {
        gaps.push(at..range.end);
    }
    gaps
}

/// Returns the difference of two segments in a stretch, if both captured all of it.
fn alteration(
    pieces: [&Piece<'_>; 2],
    ranges: [&Range<i64>; 2],
    both: &Range<i64>,
) -> Option<Alteration> {
    let [one, two] = [0, 1].map(|point| bytes(pieces[point], ranges[point], both));
    if one.len() != two.len() {
        // One of the captures was cut: what it lacks is not known.
        let length = one.len().min(two.len());
        if one[..length] == two[..length] {
            return None;
        }
    }
    let small = usize::from(pieces[1].sent < pieces[0].sent);
    let mut other = pieces[small].waiting.packet.clone();
    let layer = &pieces[small].waiting.packet.layers[pieces[small].layer];
    let data = layer.start + layer.data(&other.bytes);
    let at = data + (both.start - ranges[small].start) as usize;
    let theirs = if small == 0 { two } else { one };
    let end = (at + theirs.len()).min(other.bytes.len());
    other.bytes[at..end].copy_from_slice(&theirs[..end - at]);
    judge::complete(&mut other.bytes[layer.start..], layer.end - layer.start);
    let ids = pieces.map(|piece| piece.id);
    Some(Alteration { ids, layers: pieces.map(|piece| piece.layer), other, small })
}
