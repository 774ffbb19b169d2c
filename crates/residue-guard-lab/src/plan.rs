//! The parameters and the result of a simulation.

use crate::fault::Fault;
use residue_guard::Counters;
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
