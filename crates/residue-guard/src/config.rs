//! Configuration of the engine.

use crate::negotiate::Offer;
use std::time::Duration;

/// Policy for peers or paths without the option.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// Fall back to regular TCP.
    #[default]
    Prefer,
    /// Refuse the connection.
    Require,
}

/// Configuration of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Values to request and to answer with. With `None`, under [`Policy::Prefer`], every packet
    /// passes unchanged.
    pub offer: Option<Offer>,
    /// Policy without an agreement: regular TCP, or no connection.
    pub policy: Policy,
    /// Largest segment size to announce to this host's kernel, before room for the option is
    /// subtracted: for paths whose MTU is smaller than both ends assume.
    pub mss: Option<u16>,
    /// Number of SYNs, or SYN-ACKs, with the option before one without it is sent (under
    /// [`Policy::Prefer`]).
    pub tries: u8,
    /// Largest numbers of entries.
    pub limits: Limits,
    /// Timeouts of entries.
    pub timeouts: Timeouts,
}

/// Largest numbers of entries of each kind. An entry takes about 300 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections that this host is opening.
    pub opening: usize,
    /// Connections that others are opening. Their SYNs may be forged: a flood of SYNs fills only
    /// this class. The default holds those of 6 seconds at the rate of SYNs that the rules let
    /// through in a flood: for so long a handshake may wait for the guard.
    pub answering: usize,
    /// Established connections.
    pub established: usize,
    /// Connections that both ends have closed.
    pub closing: usize,
    /// Destinations for which a value failed.
    pub destinations: usize,
    /// Regular connections, which are only counted.
    pub regular: usize,
}

/// Timeouts of entries, from their last use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Duration of a handshake: longer than SYNs are repeated.
    pub handshake: Duration,
    /// Idle connections.
    pub idle: Duration,
    /// Connections that both ends have closed: twice the maximum segment lifetime.
    pub closing: Duration,
    /// Longest time for which a destination gets no request before the next attempt. The first time
    /// is a tenth or a fifth of it, and each further failure doubles it. For a destination that
    /// gets a weaker request, this is the first time, and the longest is six times it.
    pub failed: Duration,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            offer: None,
            policy: Policy::Prefer,
            mss: None,
            tries: 2,
            limits: Limits {
                opening: 4096,
                answering: 131_072,
                established: 65536,
                closing: 16384,
                destinations: 4096,
                regular: 16384,
            },
            timeouts: Timeouts {
                handshake: Duration::from_secs(180),
                idle: Duration::from_secs(24 * 3600),
                closing: Duration::from_secs(120),
                failed: Duration::from_secs(600),
            },
        }
    }
}

impl Config {
    /// Returns the default configuration with an offer: 6 counts as `instead` for peers without 6.
    #[must_use]
    pub fn offering(value: u8, instead: u8) -> Config {
        Config { offer: Some(Offer { value, instead }), ..Config::default() }
    }
}
