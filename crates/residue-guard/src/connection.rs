//! The state of a connection.

use crate::memory::Step;
use crate::negotiate::{Offer, Values};
use std::time::Duration;

/// Classes of the table, each with its own limit and timeout.
pub(crate) const OPENING: usize = 0;
pub(crate) const ANSWERING: usize = 1;
pub(crate) const ESTABLISHED: usize = 2;
pub(crate) const CLOSING: usize = 3;
pub(crate) const CLASSES: usize = 4;

/// Number of failures, before any good segment, after which the path is taken to block the value.
pub(crate) const MOST_FAILURES: u8 = 4;

/// State of the negotiation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// This host has sent a SYN. In a simultaneous open, the peer's SYN requested `peer`.
    Opening { peer: Option<u8> },
    /// The peer's SYN requested `peer`. Its first segment shows how it understands the answer.
    Answering { peer: u8 },
    /// Every segment except SYN and RST has this value.
    Agreed { value: u8 },
    /// Another guard, nearer to the application, has sent a request: incoming segments are left to
    /// it.
    Theirs,
}

/// A connection that has or may get a check value. Regular connections are not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Connection {
    pub(crate) phase: Phase,
    /// The offer of this host.
    pub(crate) offer: Offer,
    /// What was left to request when this host did; `None` for resumed connections.
    pub(crate) step: Option<Step>,
    /// Initial sequence numbers, if the SYNs were seen.
    pub(crate) own_isn: Option<u32>,
    pub(crate) peer_isn: Option<u32>,
    /// A SYN of the peer with another sequence number, and its request. It counts once this host
    /// answers it.
    pub(crate) pending: Option<(u32, Option<u8>)>,
    /// The value in this host's SYN-ACK.
    pub(crate) answer: u8,
    /// Number of SYNs, or SYN-ACKs, sent.
    pub(crate) tries: u8,
    /// Whether the kernel has sent a segment, which a forged SYN does not achieve.
    pub(crate) confirmed: bool,
    /// Whether a good segment has been received.
    pub(crate) proven: bool,
    /// Number of failures before the first good segment.
    pub(crate) failures: u8,
    /// Whether this host has sent its first byte.
    pub(crate) first_sent: bool,
    /// The last acknowledgment number that this host sent, which a RST must match (RFC 5961 section
    /// 3.2).
    pub(crate) acknowledged: Option<u32>,
    /// Whether the FINs of this host and of the peer were seen.
    pub(crate) fins: [bool; 2],
    /// Whether a RST was seen.
    pub(crate) reset: bool,
    /// Time of the last update.
    pub(crate) used: Duration,
}

impl Connection {
    pub(crate) fn new(phase: Phase, offer: Offer, step: Option<Step>) -> Connection {
        Connection {
            phase,
            offer,
            step,
            own_isn: None,
            peer_isn: None,
            pending: None,
            answer: offer.value,
            tries: 0,
            confirmed: false,
            proven: false,
            failures: 0,
            first_sent: false,
            acknowledged: None,
            fins: [false; 2],
            reset: false,
            used: Duration::ZERO,
        }
    }

    pub(crate) fn class(&self) -> usize {
        match self.phase {
            Phase::Opening { .. } => OPENING,
            _ if self.reset || self.fins == [true; 2] => CLOSING,
            Phase::Agreed { .. } | Phase::Theirs if self.confirmed => ESTABLISHED,
            _ => ANSWERING,
        }
    }

    /// Returns the values that the connection may have.
    pub(crate) fn values(&self) -> Values {
        match self.phase {
            Phase::Opening { peer: None } | Phase::Theirs => Values::NONE,
            Phase::Opening { peer: Some(peer) } | Phase::Answering { peer } => {
                self.offer.agreement(peer)
            }
            Phase::Agreed { value } => Values::one(value),
        }
    }

    /// Returns whether `acknowledgment` acknowledges this host's SYN, and nothing after it.
    pub(crate) fn acknowledges_syn(&self, acknowledgment: u32) -> bool {
        self.own_isn.is_some_and(|own| own.wrapping_add(1) == acknowledgment)
    }
}
