//! What plain TCP lets through a hostile network, and what each value does: two ends of a
//! connection in memory, and a link between them that damages what it carries. Nothing is random
//! but by the seed, and no clock is read.
//!
//! Only segments with data, from the opener to the answerer, are damaged, and only in their data,
//! so that every value has the same task; a swap in the header would be noticed by 3, 5 and 6, and
//! not by 4.

mod fault;
mod host;
pub(crate) mod link;
mod transfer;

pub use fault::Fault;

use crate::config::Config;
use crate::counters::Counters;
use serde::{Deserialize, Serialize};

/// What to simulate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// What the network does.
    pub fault: Fault,
    /// The value that both ends ask for; `None`: plain TCP.
    pub value: Option<u8>,
    /// 4 or 6.
    pub version: u8,
    /// Segments with data that the network carries before all ends.
    pub segments: u64,
    /// One in so many of them is damaged.
    pub one_in: u64,
    /// Where the random numbers begin.
    pub seed: u64,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// What was simulated.
    pub plan: Plan,
    /// Segments with data that the network carried.
    pub segments: u64,
    /// Those of them that it damaged.
    pub damaged: u64,
    /// Damaged ones that were dropped, by the guard or by TCP.
    pub caught: u64,
    /// Damaged ones that reached the receiving TCP with all checks right.
    pub let_through: u64,
    /// Bytes that the application was given.
    pub delivered: u64,
    /// Those of them that are not what was sent.
    pub wrong: u64,
    /// Connections opened.
    pub connections: u64,
    /// Those of them on which nothing ever arrived.
    pub hung: u64,
    /// The value of the last connection; 0: regular TCP.
    pub agreed: u8,
    /// Packets longer than the link's MTU: none, if segment sizes were lowered as they must.
    pub too_long: u64,
    /// The receiving end's counts, zero for plain TCP.
    pub counters: Counters,
}

/// Simulates one transfer.
#[must_use]
pub fn run(plan: &Plan) -> Row {
    let config = plan.value.map(|value| Config::offering(value, 5));
    transfer::Transfer::new(plan, config).run()
}

/// Every fault against plain TCP and every value.
pub fn table(
    segments: u64,
    one_in: u64,
    version: u8,
    seed: u64,
) -> impl Iterator<Item = Row> + Clone {
    let values = std::iter::once(None).chain((1..=crate::negotiate::GREATEST).map(Some));
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

    /// Less than `bound`, which is not 0.
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
