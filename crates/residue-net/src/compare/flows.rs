//! What devices between the points do to flows, learned from packets that arrived unaltered.

use super::layer::{Flow, Layer};
use super::pattern::Toward;
use crate::address::Address;
use crate::lru::Lru;

/// Largest number of flows and of addresses that are remembered.
const MOST_FLOWS: usize = 1 << 16;

/// Largest number of votes for a translation: as many packets must contradict it to replace it.
const MOST_VOTES: u32 = 16;

/// The translation of a flow.
#[derive(Clone, Copy, Debug, Default)]
struct Mapping {
    to: Flow,
    /// Packets with this translation, less those with others.
    votes: u32,
    /// Packets whose identification stayed, and whose identification changed.
    identifications: [u32; 2],
}

/// Translations of flows, and directions.
#[derive(Debug)]
pub struct Flows {
    /// By the flow at each point: the flow at the other one.
    maps: [Lru<Flow, Mapping>; 2],
    /// By source address at each point: packets toward the second capture, and toward the first.
    sources: [Lru<Address, [u32; 2]>; 2],
}

impl Default for Flows {
    fn default() -> Self {
        Flows {
            maps: [const { MOST_FLOWS }; 2].map(|most| Lru::new([most])),
            sources: [const { MOST_FLOWS }; 2].map(|most| Lru::new([most])),
        }
    }
}

impl Flows {
    /// Learns from a pair of layers, of the first and of the second capture.
    pub fn learn(&mut self, layers: [&Layer; 2]) {
        for (side, map) in self.maps.iter_mut().enumerate() {
            let (flow, to) = (layers[side].flow, layers[1 - side].flow);
            if map.touch(&flow).is_none() {
                map.insert(flow, Mapping { to, ..Mapping::default() }, 0);
            }
            let Some(mapping) = map.get_mut(&flow) else { continue };
            if mapping.to == to {
                mapping.votes = (mapping.votes + 1).min(MOST_VOTES);
            } else if mapping.votes > 1 {
                mapping.votes -= 1;
            } else {
                *mapping = Mapping { to, votes: 1, ..Mapping::default() };
            }
            if let (Some(one), Some(two)) = (layers[0].identification, layers[1].identification) {
                let count = &mut mapping.identifications[usize::from(one != two)];
                *count = count.saturating_add(1);
            }
        }
        for (side, layer) in layers.iter().enumerate() {
            self.learn_direction(side, &layer.flow, [layers[0].ttl, layers[1].ttl]);
        }
    }

    /// Learns the direction of a flow at point `side` from the times to live of a packet at both.
    pub fn learn_direction(&mut self, side: usize, flow: &Flow, ttls: [u8; 2]) {
        let direction = match ttls[1].cmp(&ttls[0]) {
            std::cmp::Ordering::Less => 0,
            std::cmp::Ordering::Equal => return,
            std::cmp::Ordering::Greater => 1,
        };
        let (sources, source) = (&mut self.sources[side], flow.addresses[0]);
        if sources.touch(&source).is_none() {
            sources.insert(source, [0; 2], 0);
        }
        if let Some(counts) = sources.get_mut(&source) {
            counts[direction] = counts[direction].saturating_add(1);
        }
    }

    /// Returns the flow at the other point of a flow at point `side` (0 or 1). Of a flow that is
    /// not known, its answers may be.
    pub fn translation(&self, side: usize, flow: &Flow) -> Option<Flow> {
        if let Some(mapping) = self.maps[side].get(flow) {
            return Some(mapping.to);
        }
        self.maps[side].get(&flow.turned()).map(|mapping| mapping.to.turned())
    }

    /// Returns whether devices leave the identification of a flow at point `side`; `None` if that
    /// is not known.
    pub fn keeps_identification(&self, side: usize, flow: &Flow) -> Option<bool> {
        let [kept, changed] = self.maps[side].get(flow)?.identifications;
        (kept + changed > 0).then_some(kept >= changed)
    }

    /// Returns the direction of the packets of a flow at point `side`, as the reduction of the time
    /// to live of others from its source, or to it, shows; `None` if it is not known.
    pub fn direction(&self, side: usize, flow: &Flow) -> Option<Toward> {
        let of = |address: &Address, turned: bool| {
            let [after, before] = *self.sources[side].get(address)?;
            match (after > before) != turned {
                _ if after == before => None,
                true => Some(Toward::After),
                false => Some(Toward::Before),
            }
        };
        of(&flow.addresses[0], false).or_else(|| of(&flow.addresses[1], true))
    }
}
