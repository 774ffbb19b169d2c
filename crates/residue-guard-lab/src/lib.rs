//! Hostile networks on which [`residue_guard`] is tried.
//!
//! [`run`] simulates what plain TCP and each value deliver: two ends of a connection in memory, and
//! a link between them that damages packets. Randomness comes only from the seed, and no clock is
//! read. On Linux, [`Router`] does such damage to forwarded packets, and [`demo`] puts it between
//! two hosts in network namespaces.
//!
//! Only segments with data, from the opener to the answerer, are damaged, and only in their data,
//! so that all values have an equal task. Two faults change the sequence number instead, which
//! values 3, 5, 6 and 7 cover, but not 4.

pub mod demo;
mod fault;
mod host;
mod link;
#[cfg(target_os = "linux")]
mod router;
mod transfer;

pub use fault::Fault;
#[cfg(target_os = "linux")]
pub use router::Router;

use residue_guard::negotiate::GREATEST;
use residue_guard::{Config, Counters};
use serde::{Deserialize, Serialize};

/// Parameters of a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Fault of the network.
    pub fault: Fault,
    /// The value that both ends request; `None`: plain TCP.
    pub value: Option<u8>,
    /// IP version: 4 or 6.
    pub version: u8,
    /// Number of segments with data that the network carries until the end.
    pub segments: u64,
    /// One in this many segments is damaged.
    pub one_in: u64,
    /// Seed for the random numbers.
    pub seed: u64,
}

/// Result of a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Parameters of the simulation.
    pub plan: Plan,
    /// Segments with data that the network carried.
    pub segments: u64,
    /// Segments that the network damaged.
    pub damaged: u64,
    /// Damaged ones that were dropped, by the guard or by TCP.
    pub caught: u64,
    /// Damaged ones that reached the receiving TCP with all checks right.
    pub let_through: u64,
    /// Bytes delivered to the application.
    pub delivered: u64,
    /// Delivered bytes that differ from the bytes sent.
    pub wrong: u64,
    /// Connections opened.
    pub connections: u64,
    /// Connections on which nothing ever arrived.
    pub hung: u64,
    /// The value of the last connection; 0: regular TCP.
    pub agreed: u8,
    /// Packets longer than the MTU of the link: none, if segment sizes are lowered correctly.
    pub too_long: u64,
    /// Counters of the receiving end; zero for plain TCP.
    pub counters: Counters,
}

/// Simulates one transfer.
#[must_use]
pub fn run(plan: &Plan) -> Row {
    let config = plan.value.map(|value| Config::offering(value, 5));
    transfer::Transfer::new(plan, config).run()
}

/// Simulates every fault with plain TCP and with every value.
pub fn table(
    segments: u64,
    one_in: u64,
    version: u8,
    seed: u64,
) -> impl Iterator<Item = Row> + Clone {
    let values = std::iter::once(None).chain((1..=GREATEST).map(Some));
    Fault::ALL.into_iter().flat_map(move |fault| {
        values
            .clone()
            .map(move |value| run(&Plan { fault, value, version, segments, one_in, seed }))
    })
}

/// Sebastiano Vigna's SplitMix64.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0)
    }

    /// Returns a number less than `bound`, which must not be 0.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.below(count.max(1)) == 0
    }
}

const fn mixed(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests;
