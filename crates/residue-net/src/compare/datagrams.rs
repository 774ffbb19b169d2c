//! UDP datagrams that the two points cut differently: segmentation offload of UDP (`UDP_SEGMENT`
//! and `UDP_GRO` of Linux) gives a point one large datagram, and the other its parts.
//!
//! Datagrams have no sequence numbers. Those of the first point, one after the other, number the
//! bytes; those of the second are found among them by their own bytes, and altered ones by their
//! neighbours.

use super::flows::Flows;
use super::segments::{self, Joined, Piece};
use super::side::Side;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

/// Number of bytes by which a datagram is found; fewer are in many places.
const FOUND_BY: usize = 16;
/// Number of bytes behind and before its place in which a datagram is searched.
const NEAR: usize = 1 << 17;
/// Number of bytes in which flows without a known translation are searched at a time.
const MOST_TRANSLATED: usize = 1 << 22;

/// Finds datagrams at both points that hold the same bytes with different boundaries.
pub fn joined(sides: &[Side; 2], ids: &[Vec<u64>; 2], flows: &Flows) -> Vec<Joined> {
    let mut found = Vec::new();
    let all = segments::by_flow(sides, ids, flows, Piece::of_datagram);
    for pieces in translated(all.into_values().collect()) {
        let [ones, twos] = &pieces;
        // Without a difference of boundaries, there is nothing to do here.
        if ones.is_empty() || twos.is_empty() {
            continue;
        }
        let (mut stream, mut numbered) = (Stream::default(), Vec::new());
        for one in ones {
            numbered.push(one.starting_at(stream.bytes.len() as u32));
            stream.push(one);
        }
        let origin = flows.direction(0, &ones[0].flow()).unwrap_or_default() as usize;
        let placed = stream.placed(twos);
        // Where the capture lacks bytes, parts may be anywhere: nothing is said of them.
        let is_unsure = placed.len() < twos.len() && stream.known.contains(&false);
        if is_unsure {
            let places: HashSet<u64> = placed.iter().map(|piece| piece.id).collect();
            let others = twos.iter().map(|two| two.id).filter(|id| !places.contains(id));
            let ids = [Vec::new(), others.collect()];
            found.push(Joined { ids, at_once: true, ..Joined::default() });
        }
        found.extend(parts([numbered, placed]).into_iter().filter_map(|part| {
            let mut joined = segments::of_pieces(0, &part, &Default::default(), origin, true)?;
            if is_unsure {
                joined.alone = Default::default();
            }
            Some(Joined { at_once: true, ..joined })
        }));
    }
    found.sort_by_key(|joined| joined.ids.clone());
    found
}

/// Unites flows of the points whose translation is not known, as all their datagrams differ: those
/// where datagrams of the second point begin within those of the first.
fn translated<'a>(all: Vec<[Vec<Piece<'a>>; 2]>) -> Vec<[Vec<Piece<'a>>; 2]> {
    let (twos, mut ones): (Vec<_>, Vec<_>) = all.into_iter().partition(|it| it[0].is_empty());
    let mut twos: Vec<Vec<Piece<'a>>> = twos.into_iter().map(|[_, twos]| twos).collect();
    let mut by_start: HashMap<&[u8], usize> = HashMap::new();
    for (j, pieces) in twos.iter().enumerate() {
        by_start.extend(pieces.iter().filter_map(|two| Some((two.data.get(..FOUND_BY)?, j))));
    }
    let mut left = MOST_TRANSLATED;
    for [one, two] in ones.iter_mut().filter(|[_, two]| two.is_empty()) {
        let mut stream = Stream::default();
        for piece in one.iter() {
            if stream.bytes.len() < NEAR {
                stream.push(piece);
            }
        }
        let bytes = &stream.bytes[..stream.bytes.len().min(left)];
        left -= bytes.len();
        let found = bytes.windows(FOUND_BY).filter_map(|window| by_start.get(window));
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        found.for_each(|&j| *counts.entry(j).or_default() += 1);
        if let Some((j, _)) = counts.into_iter().max_by_key(|(_, count)| *count) {
            *two = std::mem::take(&mut twos[j]);
        }
    }
    ones
}

/// The data of datagrams, one after the other.
#[derive(Default)]
struct Stream {
    bytes: Vec<u8>,
    /// Whether a byte was captured.
    known: Vec<bool>,
}

impl Stream {
    fn push(&mut self, piece: &Piece<'_>) {
        let end = self.bytes.len() + piece.sent;
        self.bytes.extend(piece.data);
        self.known.resize(self.bytes.len(), true);
        self.bytes.resize(end, 0);
        self.known.resize(end, false);
    }

    /// Returns the numbers of captured bytes that are equal and that differ at a place; `None` if a
    /// datagram does not fit there.
    fn compared(&self, at: usize, piece: &Piece<'_>) -> Option<[usize; 2]> {
        let range = at..at + piece.sent;
        let (bytes, known) = (self.bytes.get(range.clone())?, self.known.get(range)?);
        let mut counts = [0; 2];
        let both = bytes.iter().zip(piece.data).zip(known);
        both.filter(|(_, known)| **known).for_each(|((a, b), _)| counts[usize::from(a != b)] += 1);
        Some(counts)
    }

    /// Returns the datagrams whose bytes are in the stream, numbered by their places.
    fn placed<'a>(&self, all: &[Piece<'a>]) -> Vec<Piece<'a>> {
        let mut places: Vec<Option<usize>> = Vec::with_capacity(all.len());
        let mut next = 0;
        for piece in all {
            // What follows may not have been captured, so that nothing contradicts it.
            let follows = self.compared(next, piece).is_some_and(|[_, wrong]| wrong == 0);
            let place = if follows { Some(next) } else { self.find(next, piece) };
            next = place.map_or(next, |place| place + piece.sent);
            places.push(place);
        }
        let mut numbered = Vec::new();
        for (j, piece) in all.iter().enumerate() {
            let place = places[j].or_else(|| {
                let before = (0..j).rev().find_map(|i| places[i].map(|at| at + all[i].sent));
                let after = places[j + 1..].iter().flatten().next();
                let ends = [before, after.and_then(|at| at.checked_sub(piece.sent))];
                // An altered one has most bytes of the place between its neighbours.
                let is_alike = |at: &usize| {
                    let counts = self.compared(*at, piece);
                    counts.is_some_and(|[equal, wrong]| equal >= wrong.max(FOUND_BY / 2))
                };
                ends.into_iter().flatten().find(is_alike)
            });
            places[j] = place;
            numbered.extend(place.map(|at| piece.starting_at(at as u32)));
        }
        numbered
    }

    /// Returns the place of a datagram near another: behind it, as parts are lost, or before it, as
    /// it was overtaken.
    fn find(&self, next: usize, piece: &Piece<'_>) -> Option<usize> {
        let start = piece.data.get(..FOUND_BY)?;
        let end = self.bytes.len().min(next + NEAR);
        [next..end, next.saturating_sub(NEAR)..next].into_iter().find_map(|near| {
            let all = memchr::memmem::find_iter(&self.bytes[near.clone()], start);
            let is_at = |at: &usize| {
                let counts = self.compared(*at, piece);
                counts.is_some_and(|[equal, wrong]| equal >= FOUND_BY && wrong == 0)
            };
            all.map(|at| near.start + at).find(is_at)
        })
    }
}

/// Cuts the datagrams of a flow where no datagram of either point goes on.
fn parts(pieces: [Vec<Piece<'_>>; 2]) -> Vec<[Vec<Piece<'_>>; 2]> {
    let mut all: Vec<(Range<i64>, usize, Piece<'_>)> = Vec::new();
    for (point, pieces) in pieces.into_iter().enumerate() {
        all.extend(pieces.into_iter().map(|piece| (piece.range(0), point, piece)));
    }
    all.sort_by_key(|(range, point, _)| (range.start, *point));
    let mut parts: Vec<[Vec<Piece<'_>>; 2]> = Vec::new();
    let mut end = 0;
    for (range, point, piece) in all {
        if range.start >= end || parts.is_empty() {
            parts.push(Default::default());
        }
        end = end.max(range.end);
        if let Some(part) = parts.last_mut() {
            part[point].push(piece);
        }
    }
    parts
}
