//! What is known of a connection.

use crate::memory::Step;
use crate::negotiate::{Offer, Values};
use std::time::Duration;

/// The classes of the table, which have limits and timeouts of their own.
pub(crate) const OPENING: usize = 0;
pub(crate) const ANSWERING: usize = 1;
pub(crate) const ESTABLISHED: usize = 2;
pub(crate) const CLOSING: usize = 3;
pub(crate) const CLASSES: usize = 4;

/// As many failures before anything good was received show that the path does not let the value
/// through.
pub(crate) const MOST_FAILURES: u8 = 4;

/// How far the negotiation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// This host has sent a SYN; the peer's, if both open at once, asked for this.
    Opening { peer: Option<u8> },
    /// The peer's SYN asked for this. How it understands the answer shows in its first segment.
    Answering { peer: u8 },
    /// Every segment but SYN and RST has this value.
    Agreed { value: u8 },
    /// Another guard, nearer to the application, has asked: what comes is left to it.
    Theirs,
}

/// A connection that has, or may get, a check value. Regular connections are not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Connection {
    pub(crate) phase: Phase,
    /// What this host asks for.
    pub(crate) offer: Offer,
    /// What was left to ask for when it did; unknown of connections that were resumed.
    pub(crate) step: Option<Step>,
    /// Initial sequence numbers, as far as SYNs were seen.
    pub(crate) own_isn: Option<u32>,
    pub(crate) peer_isn: Option<u32>,
    /// A SYN of the peer's with another sequence number, and what it asked for. It counts when this
    /// host answers it.
    pub(crate) pending: Option<(u32, Option<u8>)>,
    /// The value in this host's SYN-ACK.
    pub(crate) answer: u8,
    /// SYNs, or SYN-ACKs, sent.
    pub(crate) tries: u8,
    /// Has the kernel sent a segment on it? Forgers do not get so far.
    pub(crate) confirmed: bool,
    /// Has anything good been received?
    pub(crate) proven: bool,
    /// Failures before anything good was received.
    pub(crate) failures: u8,
    /// Has this host sent its first byte?
    pub(crate) first_sent: bool,
    /// The last acknowledgment number that this host sent: where a RST must stand (RFC 5961 section
    /// 3.2).
    pub(crate) acknowledged: Option<u32>,
    /// Whose FIN was seen: this host's, the peer's.
    pub(crate) fins: [bool; 2],
    /// Was a RST seen?
    pub(crate) reset: bool,
    /// When it was last kept.
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

    /// The values it may have.
    pub(crate) fn values(&self) -> Values {
        match self.phase {
            Phase::Opening { peer: None } | Phase::Theirs => Values::NONE,
            Phase::Opening { peer: Some(peer) } | Phase::Answering { peer } => {
                self.offer.agreement(peer)
            }
            Phase::Agreed { value } => Values::one(value),
        }
    }

    /// Returns whether `acknowledgment` acknowledges this host's SYN, and nothing behind it.
    pub(crate) fn acknowledges_syn(&self, acknowledgment: u32) -> bool {
        self.own_isn.is_some_and(|own| own.wrapping_add(1) == acknowledgment)
    }
}
