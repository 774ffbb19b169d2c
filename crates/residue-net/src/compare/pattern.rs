//! Patterns of altered packets, and their groups.

use super::judge::Outcome;
use super::layer::{Field, Flow};
use crate::survey::{Damage, Shape};
use std::collections::{BTreeMap, BTreeSet};

/// Size in bytes of the blocks of caches and buses, modulo which offsets are compared.
pub const BLOCK: usize = 64;

/// The point toward which a packet travelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Toward {
    /// Toward the second capture.
    #[default]
    After,
    /// Toward the first capture.
    Before,
}

impl Toward {
    /// Returns the direction in which the time to live became smaller between the first and the
    /// second capture.
    #[must_use]
    pub fn by_hops(ttls: [u8; 2]) -> Toward {
        if ttls[1] > ttls[0] { Toward::Before } else { Toward::After }
    }

    /// Returns the other direction.
    #[must_use]
    pub fn opposite(self) -> Toward {
        match self {
            Toward::After => Toward::Before,
            Toward::Before => Toward::After,
        }
    }

    /// Returns the name for reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Toward::After => "after",
            Toward::Before => "before",
        }
    }
}

/// An altered packet.
#[derive(Clone, Debug)]
pub struct Altered {
    /// Numbers in the first and in the second capture.
    pub packets: [u64; 2],
    /// Flow in the capture where it came from.
    pub flow: Flow,
    /// Direction.
    pub toward: Toward,
    /// Altered fields, at most 8.
    pub fields: Vec<Field>,
    /// Shape of the difference, with offset and length.
    pub damage: Damage,
    /// Number of altered bytes.
    pub bytes: usize,
    /// Number of altered bits.
    pub bits: u32,
    /// Change of the length.
    pub grown: i64,
    /// Position of the altered bit in its bytes (0 is the lowest) and its new value, if they are
    /// equal in all altered bytes.
    pub bit: Option<(u8, Option<bool>)>,
    /// Offsets of altered bytes modulo [`BLOCK`], if they are all equal: from the IP header, and
    /// from the data.
    pub lane: Option<[u8; 2]>,
    /// Unit of a swap in bytes; distance of a swap or of a repeated block.
    pub moved: Option<(usize, i64)>,
    /// How the check values turned out.
    pub outcome: Outcome,
    /// The check values behind it.
    pub checks: BTreeSet<&'static str>,
    /// Whether addresses or ports were translated.
    pub translated: bool,
    /// Reduction of the time to live.
    pub hops: u8,
    /// An excerpt.
    pub example: Example,
}

/// Largest number of fields listed for a packet.
pub const MOST_FIELDS: usize = 8;

/// An excerpt of an altered packet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Example {
    /// Offset of the first byte from the IP header.
    pub offset: usize,
    /// The bytes as they should be.
    pub expected: Vec<u8>,
    /// The bytes as they arrived.
    pub arrived: Vec<u8>,
}

/// Number of bytes of an excerpt.
const EXCERPT: usize = 48;

impl Example {
    /// Returns the excerpt around the first altered byte.
    pub fn of(expected: &[u8], arrived: &[u8], first: usize) -> Example {
        let offset = first & !15;
        let part = |bytes: &[u8]| {
            let end = (offset + EXCERPT).min(bytes.len());
            bytes.get(offset..end).unwrap_or_default().to_vec()
        };
        Example { offset, expected: part(expected), arrived: part(arrived) }
    }
}

/// Returns the bit that all altered bytes have in common, and its new value.
pub fn common_bit(expected: &[u8], arrived: &[u8], places: &[usize]) -> Option<(u8, Option<bool>)> {
    let flipped = |at: usize| expected[at] ^ arrived[at];
    let bit = flipped(*places.first()?);
    if !bit.is_power_of_two() || places.iter().any(|&at| flipped(at) != bit) {
        return None;
    }
    let value = arrived[places[0]] & bit != 0;
    let stuck = places.iter().all(|&at| (arrived[at] & bit != 0) == value);
    Some((bit.trailing_zeros() as u8, stuck.then_some(value)))
}

/// Returns the unit and distance of a swap, or the distance to the original of a repeated block.
pub fn moved(
    damage: Damage,
    expected: &[u8],
    arrived: &[u8],
    places: &[usize],
) -> Option<(usize, i64)> {
    let (first, length) = (damage.offset as usize, damage.length as usize);
    match damage.shape {
        Shape::Swap => {
            let other = places[places.len() / 2];
            let adjacent = places.len() == 2 && other == first + 1;
            Some((if adjacent { 1 } else { 2 }, (other - first) as i64))
        }
        Shape::Stale => {
            let run = arrived.get(first..first + length)?;
            let place = expected.windows(length).position(|window| window == run)?;
            Some((length, place as i64 - first as i64))
        }
        _ => None,
    }
}

/// The kind of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// One bit of a block is always altered to one value.
    Stuck {
        /// Whether offsets count from the data, not from the IP header.
        from_data: bool,
        /// Offset modulo [`BLOCK`].
        offset: u8,
        /// Position of the bit; 0 is the lowest.
        bit: u8,
        /// Its value.
        value: bool,
    },
    /// A shape.
    Shape(Shape),
}

/// A group of altered packets with one pattern.
#[derive(Clone, Debug)]
pub struct Group {
    /// The kind.
    pub kind: Kind,
    /// Direction.
    pub toward: Toward,
    /// How the check values turned out.
    pub outcomes: BTreeMap<Outcome, u64>,
    /// Indices of the altered packets.
    pub members: Vec<usize>,
    /// Altered fields with their frequency.
    pub fields: BTreeMap<Field, u64>,
    /// Positions of a single altered bit.
    pub bits: BTreeMap<u8, u64>,
    /// New values of a single altered bit.
    pub values: BTreeMap<bool, u64>,
    /// Offsets of the first altered byte modulo [`BLOCK`], from the IP header.
    pub offsets: BTreeMap<u8, u64>,
    /// Lengths from the first to the last altered byte.
    pub lengths: BTreeMap<u32, u64>,
    /// Units and distances of swaps and repeated blocks.
    pub moves: BTreeMap<(usize, i64), u64>,
    /// Reductions of the time to live.
    pub hops: BTreeMap<u8, u64>,
    /// Number of packets with translated addresses or ports.
    pub translated: u64,
}

/// Most probable chance for a lane that is named a stuck bit, after all lanes were tried.
const CHANCE: f64 = 1e-4;

/// A lane: direction, whether from the data, offset, bit, value.
type Lane = (Toward, bool, u8, u8, bool);

/// Groups altered packets, the largest group first.
#[must_use]
pub fn groups(altered: &[Altered]) -> Vec<Group> {
    let stuck = stuck_lanes(altered);
    let mut groups: BTreeMap<(Toward, Kind, Option<Outcome>, bool), Group> = BTreeMap::new();
    for (index, it) in altered.iter().enumerate() {
        let lane = lanes(it).into_iter().find(|lane| stuck.contains(lane));
        let key = match lane {
            Some((toward, from_data, offset, bit, value)) => {
                (toward, Kind::Stuck { from_data, offset, bit, value }, None, false)
            }
            None => {
                let data = it.fields.iter().any(|field| field.name == "data");
                (it.toward, Kind::Shape(it.damage.shape), Some(it.outcome), data)
            }
        };
        let group = groups.entry(key).or_insert_with(|| Group {
            kind: key.1,
            toward: key.0,
            outcomes: BTreeMap::new(),
            members: Vec::new(),
            fields: BTreeMap::new(),
            bits: BTreeMap::new(),
            values: BTreeMap::new(),
            offsets: BTreeMap::new(),
            lengths: BTreeMap::new(),
            moves: BTreeMap::new(),
            hops: BTreeMap::new(),
            translated: 0,
        });
        group.add(index, it);
    }
    let mut groups: Vec<Group> = groups.into_values().collect();
    for group in &mut groups {
        group.members.sort_by_key(|&member| altered[member].packets);
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.members.len()));
    groups
}

/// Returns the lanes in which a packet may show a stuck bit.
fn lanes(it: &Altered) -> Vec<Lane> {
    match (it.bit, it.lane) {
        (Some((bit, Some(value))), Some([packet, data])) => {
            vec![(it.toward, true, data, bit, value), (it.toward, false, packet, bit, value)]
        }
        _ => Vec::new(),
    }
}

/// Returns the lanes with more altered bytes than chance explains. Lanes with more bytes come
/// first, as one from the data may also show, less often, from the IP header.
fn stuck_lanes(altered: &[Altered]) -> BTreeSet<Lane> {
    let mut counts: BTreeMap<Lane, u64> = BTreeMap::new();
    let mut bytes = 0;
    for it in altered {
        let lanes = lanes(it);
        bytes += if lanes.is_empty() { 0 } else { it.bytes as u64 };
        lanes.into_iter().for_each(|lane| *counts.entry(lane).or_default() += it.bytes as u64);
    }
    const LANES: f64 = (2 * BLOCK * 8 * 2) as f64;
    let mean = bytes as f64 / (LANES / 2.0);
    let mut unlikely: Vec<(Lane, u64)> =
        counts.into_iter().filter(|&(_, count)| tail(mean, count) * LANES < CHANCE).collect();
    unlikely.sort_by_key(|&(lane, count)| (std::cmp::Reverse(count), lane));
    // Bytes count for their largest lane only.
    let mut stuck = BTreeSet::new();
    for (lane, _) in unlikely {
        let own = altered.iter().filter(|it| {
            let all = lanes(it);
            all.contains(&lane) && all.iter().all(|other| !stuck.contains(other))
        });
        let own: u64 = own.map(|it| it.bytes as u64).sum();
        if tail(mean, own) * LANES < CHANCE {
            stuck.insert(lane);
        }
    }
    stuck
}

/// Returns the probability of at least `count` events where `mean` are expected (Poisson).
fn tail(mean: f64, count: u64) -> f64 {
    if count as f64 <= mean {
        return 1.0;
    }
    // The first term, times the sum of a geometric series above the rest.
    let mut term = (-mean).exp();
    for k in 1..=count {
        term *= mean / k as f64;
    }
    (term / (1.0 - mean / (count as f64 + 1.0))).min(1.0)
}

impl Group {
    fn add(&mut self, index: usize, it: &Altered) {
        fn count<T: Ord>(counts: &mut BTreeMap<T, u64>, value: T) {
            *counts.entry(value).or_default() += 1;
        }
        self.members.push(index);
        count(&mut self.outcomes, it.outcome);
        it.fields.iter().for_each(|field| count(&mut self.fields, *field));
        if let Some((bit, value)) = it.bit {
            count(&mut self.bits, bit);
            value.into_iter().for_each(|value| count(&mut self.values, value));
        }
        count(&mut self.offsets, (it.damage.offset as usize % BLOCK) as u8);
        count(&mut self.lengths, it.damage.length);
        it.moved.into_iter().for_each(|moved| count(&mut self.moves, moved));
        count(&mut self.hops, it.hops);
        self.translated += u64::from(it.translated);
    }

    /// Returns the outcome of most packets.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        let most = self.outcomes.iter().max_by_key(|(_, count)| **count);
        most.map_or(Outcome::Unknown, |(outcome, _)| *outcome)
    }

    /// Returns what to do next, as a sentence without a period.
    #[must_use]
    pub fn next(&self) -> &'static str {
        match (self.outcome(), self.kind) {
            (Outcome::Recomputed, Kind::Stuck { .. }) => {
                "capture on both sides of each device between the points until the bit changes \
                 across one, and replace that device: a bit of its memory or of a bus is stuck"
            }
            (Outcome::Recomputed, _) => {
                "capture on both sides of each device between the points until the damage happens \
                 across one, and test its memory; until then no checksum of the path protects data"
            }
            (Outcome::Blind, _) => {
                "capture on both sides of each device between the points until the damage happens \
                 across one; compare data by a CRC or a hash, which this change does not escape"
            }
            (Outcome::Noticed, _) => {
                "receivers discard these packets: look for errors in the counters of the links \
                 between the points (`ethtool -S`), then capture on both sides of each device"
            }
            (Outcome::Unprotected, _) => {
                "let the sender compute the checksum, or check the data end to end, and capture on \
                 both sides of each device between the points"
            }
            (Outcome::Unknown, _) => {
                "capture whole packets (`tcpdump -s 0`), before the first device that changes them \
                 and behind the last one"
            }
        }
    }

    /// Returns the likely culprit, as a sentence without a period.
    #[must_use]
    pub fn culprit(&self) -> String {
        let all = self.members.len() as u64;
        let lowered = self.hops.iter().all(|(hops, _)| *hops > 0);
        let device = match (self.translated == all, lowered) {
            (true, true) => "the device that also translated the addresses and lowered the TTL",
            (true, false) => "the device that also translated the addresses",
            (false, true) => "the device that also lowered the TTL",
            (false, false) => "a device that leaves the TTL: a bridge, a proxy or a network card",
        };
        match self.outcome() {
            Outcome::Recomputed => format!(
                "damaged in the memory of a device between the points, and the checksum recomputed \
                 over the damage, by {device}"
            ),
            Outcome::Blind => format!(
                "changed between the points; the checksum is blind to this change, so {device} may \
                 have done it, or any memory or link whose own check it passed"
            ),
            Outcome::Noticed => "changed between the points after the checksum was computed; no \
                device computed it anew, and the receiver discards the packet"
                .into(),
            Outcome::Unprotected => {
                "changed between the points; no check value covers it, and no receiver notices"
                    .into()
            }
            Outcome::Unknown => "changed between the points; the check value was wrong before, or \
                cannot be judged"
                .into(),
        }
    }
}
