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
mod plan;
mod random;
#[cfg(target_os = "linux")]
mod router;
mod transfer;

pub use fault::Fault;
pub use plan::{Plan, Row};
#[cfg(target_os = "linux")]
pub use router::Router;

use residue_guard::Config;
use residue_guard::negotiate::GREATEST;

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

#[cfg(test)]
mod tests;
