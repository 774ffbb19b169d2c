//! The state of a connection.

use crate::memory::Step;
use crate::negotiate::{Offer, Values};
use crate::options;
use crate::packet::{FIN, Segment};
use std::time::Duration;

/// Classes of the table, each with its own limit and timeout.
pub(crate) const OPENING: usize = 0;
pub(crate) const ANSWERING: usize = 1;
pub(crate) const ESTABLISHED: usize = 2;
pub(crate) const CLOSING: usize = 3;
pub(crate) const REGULAR: usize = 4;
pub(crate) const CLAIMED: usize = 5;
pub(crate) const CLASSES: usize = 6;

/// Number of failures, before any good segment, after which the path is taken to block the value.
pub(crate) const MOST_FAILURES: u8 = 4;

/// Largest difference of sequence numbers within a connection at one moment: the data on the way,
/// which receive windows limit.
const MOST_IN_FLIGHT: u32 = 1 << 24;
/// Largest distances of a claim ([`Phase::Claimed`]) from the numbers of the kernel: of the peer's
/// data to the kernel's acknowledgment, which follows it closely, and of its acknowledgment to the
/// kernel's data. A guessed pair is right in one of 2^26 cases.
const NEAR_ACKNOWLEDGMENT: u32 = 1 << 16;
const NEAR_SEQUENCE: u32 = 1 << 20;
/// Largest progress of a connection since it was saved: what passes through a guard in seconds.
const MOST_PROGRESS: u32 = 1 << 27;
/// Receive window of a host that has not announced one yet: the largest without scaling.
const FIRST_WINDOW: u32 = u16::MAX as u32;

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
    /// Regular TCP: by negotiation, which is final, or because nothing is known of the connection.
    Regular { negotiated: bool },
    /// A segment of an unknown connection had a right check value: the end of its data, and its
    /// acknowledgment number. It may be forged; the kernel's own numbers show whether it is.
    Claimed { value: u8, end: u32, acknowledgment: u32 },
}

/// Number of [`Answered`] handshakes that a connection remembers.
const MOST_ANSWERED: usize = 2;

/// A SYN that this host has answered, and that another SYN with the same ports has replaced. A
/// kernel that answers with cookies completes whichever handshake the peer acknowledges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answered {
    own_isn: u32,
    peer_isn: u32,
    /// The value that the SYN requested, and that of the answer.
    peer: u8,
    answer: u8,
}

/// A connection that has or may get a check value, or that is known to be regular.
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
    /// Handshakes that SYNs with the same ports have replaced, the last one first.
    pub(crate) earlier: [Option<Answered>; MOST_ANSWERED],
    /// The value in this host's SYN-ACK.
    pub(crate) answer: u8,
    /// Number of SYNs, or SYN-ACKs, sent.
    pub(crate) tries: u8,
    /// Whether the engine's own copy of the last one, without the option, is on its way through it.
    pub(crate) copy_due: bool,
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
    /// The sequence number after the last byte that this host sent.
    pub(crate) next: Option<u32>,
    /// The last receive window that this host announced, and its scale (RFC 7323).
    pub(crate) window: u32,
    pub(crate) scale: u8,
    /// Whether the state was saved by a previous guard, and the kernel has not sent a segment
    /// since.
    pub(crate) restored: bool,
    /// The MTU of the path that a router reported, and when.
    pub(crate) path: Option<(u16, Duration)>,
    /// Time of the first segment.
    pub(crate) since: Duration,
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
            earlier: [None; MOST_ANSWERED],
            answer: offer.value,
            tries: 0,
            copy_due: false,
            confirmed: false,
            proven: false,
            failures: 0,
            first_sent: false,
            acknowledged: None,
            next: None,
            window: FIRST_WINDOW,
            scale: 0,
            restored: false,
            path: None,
            since: Duration::ZERO,
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
            Phase::Regular { .. } => REGULAR,
            Phase::Claimed { .. } => CLAIMED,
            _ => ANSWERING,
        }
    }

    /// Returns the values that the connection may have.
    pub(crate) fn values(&self) -> Values {
        match self.phase {
            Phase::Opening { peer: None }
            | Phase::Theirs
            | Phase::Regular { .. }
            | Phase::Claimed { .. } => Values::NONE,
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

    /// Returns the handshakes to remember if another one replaces this connection's.
    pub(crate) fn replaced(&self) -> [Option<Answered>; MOST_ANSWERED] {
        let Connection { phase: Phase::Answering { peer }, answer, .. } = *self else {
            return [None; MOST_ANSWERED];
        };
        let (Some(own_isn), Some(peer_isn)) = (self.own_isn, self.peer_isn) else {
            return self.earlier;
        };
        [Some(Answered { own_isn, peer_isn, peer, answer }), self.earlier[0]]
    }

    /// Returns to the replaced handshake that `acknowledgment` completes, if there is one.
    pub(crate) fn return_to(&mut self, acknowledgment: u32) {
        let completes = |each: &&Answered| each.own_isn.wrapping_add(1) == acknowledgment;
        if let Some(&Answered { own_isn, peer_isn, peer, answer }) =
            self.earlier.iter().flatten().find(completes)
        {
            (self.own_isn, self.peer_isn) = (Some(own_isn), Some(peer_isn));
            (self.phase, self.answer) = (Phase::Answering { peer }, answer);
        }
    }

    /// Records a SYN or SYN-ACK of this host's kernel.
    pub(crate) fn opens(&mut self, segment: &Segment) {
        self.tries = self.tries.saturating_add(1);
        self.scale = options::window_scale(segment.options());
        // The windows of SYNs have no scale.
        self.window = segment.window().into();
    }

    /// Records what a segment of this host's kernel shows about its state.
    pub(crate) fn sent(&mut self, segment: &Segment) {
        let end = segment.sequence().wrapping_add(segment.length());
        // Retransmissions do not take it back.
        if self.next.is_none_or(|next| !is_within(end, next, MOST_IN_FLIGHT)) {
            self.next = Some(end);
        }
        self.acknowledged = Some(segment.acknowledgment());
        self.window = u32::from(segment.window()) << self.scale;
        self.fins[0] |= segment.flags() & FIN != 0;
        self.reset = false;
    }

    /// Returns the next byte that this host expects.
    fn expected(&self) -> Option<u32> {
        self.acknowledged.or(self.peer_isn.map(|isn| isn.wrapping_add(1)))
    }

    /// Returns whether a received segment lies in the receive window and acknowledges what this
    /// host has sent, so that the kernel would accept it. Others are late duplicates, or forged.
    pub(crate) fn expects(&self, segment: &Segment) -> bool {
        let (Some(expected), sequence) = (self.expected(), segment.sequence()) else {
            return false;
        };
        // Not wholly before the window, and not after it.
        let end = sequence.wrapping_add(segment.length());
        let is_in_window = sequence.wrapping_sub(expected) as i32 <= self.window as i32
            && end.wrapping_sub(expected) as i32 >= 0;
        is_in_window && self.acknowledges(segment.acknowledgment())
    }

    fn acknowledges(&self, acknowledgment: u32) -> bool {
        match (self.next, self.own_isn) {
            // At the start, the whole range is known.
            (next, Some(isn)) if !self.proven => {
                let first = isn.wrapping_add(1);
                is_within(first, acknowledgment, 0)
                    || next.is_some_and(|next| {
                        acknowledgment.wrapping_sub(first) <= next.wrapping_sub(first)
                    })
            }
            (Some(next), _) => is_within(acknowledgment, next, MOST_IN_FLIGHT),
            (None, _) => true,
        }
    }

    /// Returns whether a segment begins with exactly the next expected byte.
    pub(crate) fn expects_exactly(&self, segment: &Segment) -> bool {
        self.acknowledged == Some(segment.sequence()) && self.expects(segment)
    }

    /// Returns whether the peer's numbers (the end of its data, and its acknowledgment) fit those
    /// of this host's kernel.
    pub(crate) fn fits(&self, end: u32, acknowledgment: u32) -> bool {
        let (Some(expected), Some(next)) = (self.acknowledged, self.next) else { return false };
        let distance = (end.wrapping_sub(expected) as i32).unsigned_abs();
        distance <= NEAR_ACKNOWLEDGMENT.max(self.window.min(NEAR_SEQUENCE))
            && is_within(acknowledgment, next, NEAR_SEQUENCE)
    }

    /// Returns whether the numbers of a segment from the kernel continue those of a restored
    /// connection. Otherwise another connection has the ports now.
    pub(crate) fn continues(&self, segment: &Segment) -> bool {
        let near = |old: Option<u32>, new: u32| {
            old.is_some_and(|old| {
                is_within(old, new, MOST_PROGRESS) || is_within(new, old, MOST_IN_FLIGHT)
            })
        };
        near(self.next, segment.sequence()) && near(self.acknowledged, segment.acknowledgment())
    }
}

/// Returns whether `number` is at most `most` before `end`, modulo 2^32.
pub(crate) fn is_within(number: u32, end: u32, most: u32) -> bool {
    end.wrapping_sub(number) <= most
}
