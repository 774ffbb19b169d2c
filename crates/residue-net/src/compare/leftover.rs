//! Partners for packets without an unaltered one: by header if the data was altered, by data if the
//! header was.

use super::clocks::Clocks;
use super::flows::Flows;
use super::judge::View;
use super::layer::{Flow, Layer, Masks, same_content};
use super::pattern::Toward;
use super::side::{Side, Waiting};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Largest number of candidates that one key gives to a packet.
const MOST_CANDIDATES: usize = 32;
/// Score from which on two packets are taken for one.
const ENOUGH: f64 = 8.0;
/// Number of bytes at the end that identify a packet.
const TAIL: usize = 24;

/// A proposed pair: indices of the packets at both points, and of their layers.
#[derive(Clone, Copy, Debug)]
pub struct Proposal {
    pub ids: [u64; 2],
    pub layers: [usize; 2],
    score: f64,
    apart: u64,
}

/// Returns pairs of leftover packets, the most certain first. A packet may be in several.
pub fn proposals(
    sides: &[Side; 2],
    ids: &[Vec<u64>; 2],
    flows: &Flows,
    clocks: &Clocks,
    window: i64,
) -> Vec<Proposal> {
    let mut index: HashMap<u64, Vec<(u64, usize)>> = HashMap::new();
    for &id in &ids[1] {
        let Some(waiting) = sides[1].get(id) else { continue };
        for (place, layer) in waiting.packet.layers.iter().enumerate() {
            for key in keys(layer, &waiting.packet.bytes, layer.flow) {
                index.entry(key).or_default().push((id, place));
            }
        }
    }
    let mut found = Vec::new();
    for &id in &ids[0] {
        let Some(one) = sides[0].get(id) else { continue };
        let mut seen = std::collections::HashSet::new();
        for (place, layer) in one.packet.layers.iter().enumerate() {
            let flow = flows.translation(0, &layer.flow).unwrap_or(layer.flow);
            for key in keys(layer, &one.packet.bytes, flow) {
                let all = index.get(&key).map(Vec::as_slice).unwrap_or_default();
                for &(other, theirs) in nearest(all, one.time, &sides[1]) {
                    let Some(two) = sides[1].get(other) else { continue };
                    if !seen.insert((place, other, theirs)) {
                        continue;
                    }
                    let proposal = Proposal {
                        ids: [id, other],
                        layers: [place, theirs],
                        score: score(one, place, two, theirs, flows),
                        apart: one.time.abs_diff(two.time),
                    };
                    let layers = [layer, &two.packet.layers[theirs]];
                    if proposal.score >= ENOUGH
                        && proposal.apart <= window.unsigned_abs()
                        && is_possible([one, two], layers, flows, clocks)
                    {
                        found.push(proposal);
                    }
                }
            }
        }
    }
    found.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then(a.apart.cmp(&b.apart)).then(a.ids.cmp(&b.ids))
    });
    found
}

/// Returns the direction of a packet: that of others of its flow, or by its time to live.
pub fn toward(layers: [&Layer; 2], flows: &Flows) -> Toward {
    let [one, two] = layers;
    let known = flows.direction(0, &one.flow).or_else(|| flows.direction(1, &two.flow));
    known.unwrap_or_else(|| Toward::by_hops([one.ttl, two.ttl]))
}

/// Returns whether the times of two packets allow that they are one.
pub fn is_possible(
    both: [&Waiting; 2],
    layers: [&Layer; 2],
    flows: &Flows,
    clocks: &Clocks,
) -> bool {
    clocks.allow(both.map(|it| it.time), toward(layers, flows))
}

/// Returns the candidates around a time; they are in order of time.
fn nearest<'a>(all: &'a [(u64, usize)], time: i64, side: &Side) -> &'a [(u64, usize)] {
    if all.len() <= MOST_CANDIDATES {
        return all;
    }
    let at = all.partition_point(|&(id, _)| side.get(id).is_some_and(|it| it.time < time));
    let start = at.saturating_sub(MOST_CANDIDATES / 2).min(all.len() - MOST_CANDIDATES);
    &all[start..start + MOST_CANDIDATES]
}

/// Returns the keys by which a layer may be found; `flow` is its flow at the second point.
fn keys(layer: &Layer, bytes: &[u8], flow: Flow) -> Vec<u64> {
    let key = |kind: u8, parts: &[u64]| {
        let mut hasher = DefaultHasher::new();
        (kind, parts).hash(&mut hasher);
        hasher.finish()
    };
    let length = layer.payload_length() as u64;
    let mut of_flow = DefaultHasher::new();
    flow.hash(&mut of_flow);
    let of_flow = of_flow.finish();
    let mut keys = vec![key(0, &[layer.content]), key(1, &[of_flow, length])];
    if let Some(number) = layer.identification {
        keys.push(key(2, &[number.into(), length]));
        keys.push(key(3, &[number.into(), of_flow]));
    }
    if let Some([sequence, acknowledgment]) = layer.numbers {
        keys.push(key(4, &[sequence.into(), acknowledgment.into()]));
        keys.push(key(5, &[sequence.into(), length]));
    }
    keys.extend(layer.head.map(|head| key(6, &[head])));
    let payload = layer.payload(bytes);
    if layer.whole && payload.len() >= 2 * TAIL {
        let mut tail = DefaultHasher::new();
        tail.write(&payload[payload.len() - TAIL..]);
        keys.push(key(7, &[tail.finish(), length]));
    }
    keys
}

/// Returns how much speaks for two layers being those of one packet.
fn score(one: &Waiting, place: usize, two: &Waiting, theirs: usize, flows: &Flows) -> f64 {
    let view = |it: &'_ Waiting, place: usize| it.packet.layers[place];
    let (a, b) = (view(one, place), view(two, theirs));
    let mut score = match flows.translation(0, &a.flow) {
        Some(flow) if flow == b.flow => 4.0,
        Some(flow) if flow.distance(&b.flow).is_some_and(|bits| bits <= 3) => 2.0,
        Some(_) => -4.0,
        // Also at the second point, it may be known as that of another.
        None => match flows.translation(1, &b.flow) {
            Some(flow) if flow.distance(&a.flow).is_some_and(|bits| bits <= 3) => 2.0,
            Some(_) => -4.0,
            None if a.flow == b.flow => 3.0,
            None => 0.0,
        },
    };
    score += match (a.identification, b.identification) {
        (Some(a), Some(b)) if a == b => 4.0,
        (Some(_), Some(_)) if flows.keeps_identification(0, &a.flow) == Some(false) => 0.0,
        (Some(_), Some(_)) => -2.0,
        _ => 0.0,
    };
    if let (Some(a), Some(b)) = (a.numbers, b.numbers) {
        score += if a[0] == b[0] { 2.0 } else { -2.0 };
        score += if a[1] == b[1] { 1.0 } else { 0.0 };
    }
    score += if a.payload_length() == b.payload_length() { 1.0 } else { -1.0 };
    let (one, two) = (a.payload(&one.packet.bytes), b.payload(&two.packet.bytes));
    let masks = Masks::of(a.flow.protocol, one);
    if a.flow.protocol == b.flow.protocol && same_content(one, two, &masks) && !one.is_empty() {
        return score + if one.len() == two.len() { 8.0 } else { 6.0 };
    }
    score + 4.0 * alike(one, two, &masks)
}

/// Returns the share of equal bits outside of the masks, above that of unrelated data, and less for
/// short data.
fn alike(one: &[u8], two: &[u8], masks: &Masks) -> f64 {
    let (mut bits, mut wrong) = (0u32, 0u32);
    for (at, (a, b)) in one.iter().zip(two).enumerate() {
        if !masks.iter().any(|range| range.contains(&at)) {
            bits += 8;
            wrong += (a ^ b).count_ones();
        }
    }
    if bits == 0 {
        return 0.0;
    }
    let share = 1.0 - 2.0 * f64::from(wrong) / f64::from(bits);
    share.max(0.0) * (f64::from(bits) / 128.0).min(1.0)
}

/// Returns the views of a pair.
pub fn views<'a>(one: &'a Waiting, two: &'a Waiting, layers: [usize; 2]) -> [View<'a>; 2] {
    let view = |it: &'a Waiting, place: usize| View {
        packet: &it.packet,
        layer: &it.packet.layers[place],
    };
    [view(one, layers[0]), view(two, layers[1])]
}
