//! The engine: maps packets to packets. Opens no sockets and reads no clock; its caller does.

mod path;
mod receive;
mod send;
mod state;

pub use state::StateError;

use crate::config::{Config, Policy};
use crate::connection::{
    ANSWERING, CLAIMED, CLASSES, CLOSING, Connection, ESTABLISHED, MOST_FAILURES, OPENING, Phase,
    REGULAR,
};
use crate::counters::Counters;
use crate::memory::{Destination, Failure, Memory, Step};
use crate::options;
use crate::packet::{Key, Packet, Segment};
use residue_net::Address;
use residue_net::check::Piece;
use residue_net::lru::Lru;
use residue_net::wire::tcp_checksum_option::{Layout, REQUEST};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// An action for a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action<'a> {
    /// Pass the packet unchanged.
    Pass,
    /// Replace the packet by these bytes, a whole IP packet. They belong to the engine, and are
    /// valid until its next call.
    Replace(&'a [u8]),
    /// Drop the packet. TCP retransmits it if needed.
    Drop(Reason),
}

/// A reason for dropping a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Reason {
    /// The Internet checksum of a SYN is wrong, or that of a segment whose CRC is right.
    Checksum,
    /// The CRC is wrong, but the Internet checksum is right.
    Crc,
    /// Both are wrong, or the only check is.
    Both,
    /// The segment has no option, but its connection has a value.
    Missing,
    /// The segment belongs to no known connection, and its option is right for no value.
    Orphan,
    /// The connection has a value, but other options leave no room for it.
    NoRoom,
    /// The segment is not the first one after the handshake, which has not arrived. A kernel that
    /// answers SYNs with cookies resets the connection on such a segment.
    Early,
    /// The packet is a fragment of a connection with a value.
    Fragment,
    /// Protection is required, but the peer does not support it.
    Refused,
    /// A SYN-ACK whose SYN a flood of others has displaced from memory. The peer repeats its SYN.
    Displaced,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Checksum => "Internet checksum wrong",
            Reason::Crc => "CRC wrong, Internet checksum right",
            Reason::Both => "check value wrong",
            Reason::Missing => "option missing",
            Reason::Orphan => "option of no known connection",
            Reason::NoRoom => "no room for the option",
            Reason::Early => "before the first segment of its connection",
            Reason::Fragment => "fragment",
            Reason::Refused => "unprotected, but protection is required",
            Reason::Displaced => "handshake displaced by a flood",
        })
    }
}

/// An [`Action`] whose bytes are in the buffer of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Pass,
    Replace,
    Drop(Reason),
}

/// Numbers of entries in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entries {
    /// Connections that this host is opening.
    pub opening: usize,
    /// Connections that others are opening.
    pub answering: usize,
    /// Connections with a check value.
    pub established: usize,
    /// Connections that both ends have closed.
    pub closing: usize,
    /// Destinations for which a value failed.
    pub destinations: usize,
    /// Regular connections: unprotected now.
    #[serde(default)]
    pub regular: usize,
}

/// Time after a loss of packets before they reached the engine, during which failures show nothing
/// about the path.
const AFTER_LOSS: Duration = Duration::from_secs(10);
/// Time for which SYNs keep the option, at least, if a value worked with that peer lately. The
/// fifth SYN comes after 15 seconds, or after 4 (Linux 6.5 and later), and then the eighth after 11
/// and the ninth after 19.
const KNOWN_SILENCE: Duration = Duration::from_secs(12);
/// Largest number of connections resumed in a second.
const MOST_RESUMED: u32 = 1000;

/// Adds check values to a host's TCP connections, and verifies those of its peers.
///
/// Packets are whole IPv4 or IPv6 packets, beginning with the IP header, with complete checksums:
/// the network card must not segment outgoing packets or compute their checksums later, and
/// received packets must not be merged. All packets of a connection, in both directions, pass
/// through one engine, those of a direction in order: sent ones behind any source translation of
/// the host itself, received ones before its connection tracking, which treats segments of value 3
/// as invalid. A received packet is processed before what the kernel sends in return; others that
/// it sent before may come later. `now` is the time since any fixed start, and never decreases.
///
/// ```
/// use residue_guard::{Action, Config, Engine};
/// use std::time::Duration;
///
/// let mut engine = Engine::new(Config::offering(5, 5));
/// // Not a segment.
/// assert_eq!(engine.egress(b"?", Duration::ZERO), Action::Pass);
/// ```
#[derive(Debug)]
pub struct Engine {
    config: Config,
    table: Lru<Key, Connection, CLASSES>,
    memory: Memory,
    /// MTUs of paths that routers have reported, and when.
    paths: Lru<Address, (u16, Duration)>,
    /// Until then, failures do not count.
    disturbed_until: Duration,
    /// Until then, handshakes that are not known may have been displaced by others.
    displaced_until: Duration,
    /// A second, and the number of connections resumed in it.
    resumed: (u64, u32),
    counters: Counters,
    buffer: Vec<u8>,
    /// The second part of a segment that was split, or the copy of a SYN without the option, if
    /// there is one.
    rest: Vec<u8>,
    has_rest: bool,
    pieces: Vec<Piece>,
}

impl Engine {
    /// Creates an engine without connections.
    #[must_use]
    pub fn new(config: Config) -> Engine {
        let limits = config.limits;
        let mut most = [0; CLASSES];
        most[OPENING] = limits.opening;
        most[ANSWERING] = limits.answering;
        most[ESTABLISHED] = limits.established;
        most[CLOSING] = limits.closing;
        most[REGULAR] = limits.regular;
        most[CLAIMED] = limits.answering;
        Engine {
            config,
            table: Lru::new(most),
            memory: Memory::new(limits.destinations, config.timeouts.failed),
            paths: Lru::new([limits.destinations]),
            disturbed_until: Duration::ZERO,
            displaced_until: Duration::ZERO,
            resumed: (0, 0),
            counters: Counters::default(),
            buffer: Vec::new(),
            rest: Vec::new(),
            has_rest: false,
            pieces: Vec::new(),
        }
    }

    /// Processes a packet that the kernel sends.
    pub fn egress(&mut self, packet: &[u8], now: Duration) -> Action<'_> {
        self.has_rest = false;
        self.expire(now);
        let outcome = match Packet::parse(packet) {
            Packet::Segment(segment) => self.send(&segment, now),
            Packet::Fragment(ends) => self.fragment(&Key::of_sent(ends)),
            Packet::TooBig(_) | Packet::Other => Outcome::Pass,
        };
        self.action(outcome)
    }

    /// Returns what must follow the last sent segment, once: its second part, if the path required
    /// to split it, or the copy of a SYN without the option. It is a whole IP packet. If it is not
    /// sent, TCP retransmits it. It may pass through [`Engine::egress`], which does not change it.
    pub fn rest(&mut self) -> Option<&[u8]> {
        std::mem::take(&mut self.has_rest).then_some(&*self.rest)
    }

    /// Processes a packet from the network, before the kernel receives it.
    pub fn ingress(&mut self, packet: &[u8], now: Duration) -> Action<'_> {
        self.expire(now);
        let outcome = match Packet::parse(packet) {
            Packet::Segment(segment) => self.receive(&segment, now),
            Packet::Fragment(ends) => self.fragment(&Key::of_received(ends)),
            Packet::TooBig(report) => self.too_big(&report, now),
            Packet::Other => Outcome::Pass,
        };
        self.action(outcome)
    }

    /// Returns the counts since the start.
    #[must_use]
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Returns the numbers of entries in use.
    #[must_use]
    pub fn entries(&self) -> Entries {
        Entries {
            opening: self.table.len(OPENING),
            answering: self.table.len(ANSWERING),
            established: self.table.len(ESTABLISHED),
            closing: self.table.len(CLOSING),
            destinations: self.memory.len(),
            regular: self.table.len(REGULAR),
        }
    }

    /// Returns the destinations for which a value failed, at most `most`.
    #[must_use]
    pub fn destinations(&self, now: Duration, most: usize) -> Vec<Destination> {
        self.config.offer.map_or_else(Vec::new, |own| self.memory.destinations(own, now, most))
    }

    /// Forgets all destinations for which a value failed; returns their number.
    pub fn forget(&mut self) -> usize {
        self.memory.clear()
    }

    /// Notes that packets were lost before they reached the engine. For some seconds, missing
    /// answers show nothing about the path, and do not weaken a request.
    pub fn packets_were_lost(&mut self, now: Duration) {
        self.disturbed_until = now + AFTER_LOSS;
    }

    fn is_disturbed(&self, now: Duration) -> bool {
        now < self.disturbed_until
    }

    fn action(&mut self, outcome: Outcome) -> Action<'_> {
        match outcome {
            Outcome::Pass => {
                self.counters.passed += 1;
                Action::Pass
            }
            Outcome::Replace => Action::Replace(&self.buffer),
            Outcome::Drop(reason) => Action::Drop(reason),
        }
    }

    fn expire(&mut self, now: Duration) {
        let timeouts = self.config.timeouts;
        for (class, timeout) in [
            (OPENING, timeouts.handshake),
            (ANSWERING, timeouts.handshake),
            (ESTABLISHED, timeouts.idle),
            (CLOSING, timeouts.closing),
            (REGULAR, timeouts.idle),
            (CLAIMED, timeouts.handshake),
        ] {
            let time = now.saturating_sub(timeout);
            while self.table.pop_if(class, |connection| connection.used < time).is_some() {
                self.counters.expired += 1;
            }
        }
        self.memory.expire(now);
    }

    /// Returns whether so many SYNs with the option got no answer that a copy without it follows
    /// the next one.
    fn is_silent(&self, key: &Key, connection: &Connection, now: Duration) -> bool {
        let is_known = self.memory.is_known(&key.remote.0, now);
        let (times, least) = if is_known { (2, KNOWN_SILENCE) } else { (1, Duration::ZERO) };
        // In a simultaneous open, the SYN-ACK is one more: the peer's SYN has arrived.
        let more = u8::from(matches!(connection.phase, Phase::Opening { peer: Some(_) }));
        connection.tries > self.config.tries.saturating_mul(times).saturating_add(more)
            && now.saturating_sub(connection.since) >= least
            && !self.is_required()
            && !self.is_disturbed(now)
    }

    /// Returns whether a handshake with this peer, which has a guard, may have been displaced by a
    /// flood of others.
    fn may_be_displaced(&self, key: &Key, now: Duration) -> bool {
        now < self.displaced_until && self.memory.is_known(&key.remote.0, now)
    }

    fn is_required(&self) -> bool {
        self.config.policy == Policy::Require
    }

    /// Passes or drops a segment without a check value, as the policy says. A signature (MD5,
    /// TCP-AO) is protection, too.
    fn unprotected(&mut self, segment: &Segment) -> Outcome {
        if self.is_required() && !options::is_signed(segment.options()) {
            self.counters.refused += 1;
            Outcome::Drop(Reason::Refused)
        } else {
            Outcome::Pass
        }
    }

    /// Drops the first fragment of a guarded connection, which cannot be verified. Without it, the
    /// others are useless to the receiver.
    fn fragment(&mut self, key: &Key) -> Outcome {
        let agreed = |connection: &Connection| matches!(connection.phase, Phase::Agreed { .. });
        if self.table.get(key).is_some_and(agreed) {
            self.counters.fragments += 1;
            return Outcome::Drop(Reason::Fragment);
        }
        Outcome::Pass
    }

    /// Stores the state of a connection.
    fn keep(&mut self, key: Key, connection: Connection, now: Duration) {
        let connection = Connection { used: now, ..connection };
        let evicted = self.table.insert(key, connection, connection.class());
        self.counters.evicted += u64::from(evicted.is_some());
        if evicted.is_some_and(|(_, evicted)| evicted.class() == ANSWERING) {
            self.displaced_until = now + AFTER_LOSS;
        }
    }

    /// Records that a value seems to fail on this path. The connection stays as it is; the record
    /// helps the next one.
    fn record_failure(&mut self, key: &Key, connection: &mut Connection, now: Duration) {
        if connection.proven || connection.failures >= MOST_FAILURES || self.is_disturbed(now) {
            return;
        }
        connection.failures += 1;
        if connection.failures == MOST_FAILURES {
            self.failed(key, connection, Failure::NothingGood, now);
        }
    }

    /// Records that a connection failed.
    fn failed(&mut self, key: &Key, connection: &Connection, failure: Failure, now: Duration) {
        if let (Some(step), Some(own)) = (connection.step, self.config.offer) {
            let request = (step, connection.since);
            let is_new = self.memory.failed(key.remote.0, request, own, failure, now);
            self.counters.failed_destinations += u64::from(is_new);
        }
    }

    /// Notes a good segment of a connection.
    fn works(&mut self, key: &Key, connection: &mut Connection, now: Duration) {
        if !connection.proven
            && let Some(step) = connection.step
        {
            self.memory.worked(&key.remote.0, step, now);
        }
        connection.proven = true;
    }

    /// Returns whether another connection may be resumed now.
    fn may_resume(&mut self, now: Duration) -> bool {
        if self.resumed.0 != now.as_secs() {
            self.resumed = (now.as_secs(), 0);
        }
        self.resumed.1 += 1;
        self.resumed.1 <= MOST_RESUMED
    }

    /// Returns the state of a new connection to this peer, with its offer.
    fn new_connection(&mut self, phase: Phase, key: &Key, now: Duration) -> Option<Connection> {
        let (own, peer) = (self.config.offer?, &key.remote.0);
        let opens = matches!(phase, Phase::Opening { .. });
        let mut step = self.memory.step(peer, own, opens, now);
        if step == Step::Nothing && self.is_required() {
            step = Step::Four;
        }
        let offer = Memory::offer(step, own, self.is_required())?;
        let connection = Connection::new(phase, offer, Some(step));
        Some(Connection { since: now, ..connection })
    }
}

/// Returns the value that a SYN requests.
fn request(segment: &Segment) -> Option<u8> {
    let options = segment.options();
    let place = options::find(options, REQUEST).filter(|place| place.len() == 3)?;
    options.get(place.start + 2).copied()
}

/// Returns the largest number of bytes by which these values enlarge a segment.
fn growth(values: crate::negotiate::Values) -> u16 {
    let each = values.iter().filter_map(Layout::of);
    each.map(|layout| u16::from(layout.option).next_multiple_of(4)).max().unwrap_or(0)
}

#[cfg(test)]
mod tests;
