//! The engine's configuration.

use crate::negotiate::Offer;
use std::time::Duration;

/// What to do where a peer or the path does not take part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// Regular TCP.
    #[default]
    Prefer,
    /// No connection.
    Require,
}

/// The engine's configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// What to ask for and to answer; `None`: nothing, so that under [`Policy::Prefer`] every
    /// packet passes as it is.
    pub offer: Option<Offer>,
    /// Regular TCP, or no connection, where there is no agreement.
    pub policy: Policy,
    /// The greatest segment size that this host's kernel shall learn from peers, before room for
    /// the option is taken from it: for paths whose MTU is less than what both ends think.
    pub mss: Option<u16>,
    /// SYNs, or SYN-ACKs, sent with the option before one without it is tried (under
    /// [`Policy::Prefer`]).
    pub tries: u8,
    /// The most entries of each kind.
    pub limits: Limits,
    /// How long entries are kept.
    pub timeouts: Timeouts,
}

/// The most entries of each kind. An entry takes about 200 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections that this host is opening.
    pub opening: usize,
    /// Connections that others are opening, which may be forged: a flood of SYNs reaches this one
    /// only.
    pub answering: usize,
    /// Connections.
    pub established: usize,
    /// Connections that both ends have closed.
    pub closing: usize,
    /// Destinations for which something has failed.
    pub destinations: usize,
}

/// How long entries are kept after their last use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Until the handshake ends: longer than SYNs are repeated.
    pub handshake: Duration,
    /// Connections on which nothing happens.
    pub idle: Duration,
    /// Connections that both ends have closed: twice the maximum segment lifetime.
    pub closing: Duration,
    /// What failed with a destination.
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
                answering: 4096,
                established: 65536,
                closing: 16384,
                destinations: 4096,
            },
            timeouts: Timeouts {
                handshake: Duration::from_secs(180),
                idle: Duration::from_secs(24 * 3600),
                closing: Duration::from_secs(120),
                failed: Duration::from_secs(3600),
            },
        }
    }
}

impl Config {
    /// The default with an offer: 6 counts as `instead` for peers without 6.
    #[must_use]
    pub fn offering(value: u8, instead: u8) -> Config {
        Config { offer: Some(Offer { value, instead }), ..Config::default() }
    }
}
