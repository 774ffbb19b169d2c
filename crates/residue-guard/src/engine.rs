//! The engine: packets in, packets out. It opens no socket and reads no clock; whoever calls it
//! does.

mod receive;
mod send;

use crate::config::{Config, Policy};
use crate::connection::{
    ANSWERING, CLASSES, CLOSING, Connection, ESTABLISHED, MOST_FAILURES, OPENING, Phase,
};
use crate::counters::Counters;
use crate::memory::Memory;
use crate::options;
use crate::packet::{Key, Packet, Segment};
use residue_net::check::Piece;
use residue_net::lru::Lru;
use residue_net::wire::tcp_checksum_option::{Layout, REQUEST};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// What to do with a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action<'a> {
    /// Hand it on as it is.
    Pass,
    /// Hand on these bytes in its place: a whole IP packet. They are the engine's, and valid until
    /// its next call.
    Replace(&'a [u8]),
    /// Hand on nothing. TCP sends it again, if it is worth it.
    Drop(Reason),
}

/// Why a packet is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Reason {
    /// The Internet checksum of a SYN is wrong, or of a segment whose CRC is right.
    Checksum,
    /// The CRC is wrong, the Internet checksum right.
    Crc,
    /// Both are wrong, or the only one.
    Both,
    /// Its connection has a value, and it has no option.
    Missing,
    /// It has the option, but belongs to no known connection, and the option is right by no value.
    Orphan,
    /// It belongs to a connection with a value, and other options leave no room.
    NoRoom,
    /// It is a fragment of such a connection's.
    Fragment,
    /// Protection is required, and the peer does not take part.
    Refused,
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
            Reason::Fragment => "fragment",
            Reason::Refused => "unprotected, but protection is required",
        })
    }
}

/// [`Action`], its bytes still in the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Pass,
    Replace,
    Drop(Reason),
}

/// Entries in use.
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
    /// Destinations for which something has failed.
    pub destinations: usize,
}

/// Puts check values into a host's TCP connections, and judges those of its peers.
///
/// Packets are whole IPv4 or IPv6 packets, the IP header first, with complete checksums: no
/// segmentation or checksum offload may lie ahead of what is sent, and none may have merged what
/// was received. `now` is the time since any start, and never goes back.
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
    counters: Counters,
    buffer: Vec<u8>,
    pieces: Vec<Piece>,
}

impl Engine {
    /// An engine that knows no connection.
    #[must_use]
    pub fn new(config: Config) -> Engine {
        let limits = config.limits;
        let mut most = [0; CLASSES];
        most[OPENING] = limits.opening;
        most[ANSWERING] = limits.answering;
        most[ESTABLISHED] = limits.established;
        most[CLOSING] = limits.closing;
        Engine {
            config,
            table: Lru::new(most),
            memory: Memory::new(limits.destinations, config.timeouts.failed),
            counters: Counters::default(),
            buffer: Vec::new(),
            pieces: Vec::new(),
        }
    }

    /// What the kernel sends.
    pub fn egress(&mut self, packet: &[u8], now: Duration) -> Action<'_> {
        self.expire(now);
        let outcome = match Packet::parse(packet) {
            Packet::Segment(segment) => self.send(&segment, now),
            Packet::Fragment(ends) => self.fragment(&Key::of_sent(ends)),
            Packet::Other => Outcome::Pass,
        };
        self.action(outcome)
    }

    /// What comes from the network, before the kernel has it.
    pub fn ingress(&mut self, packet: &[u8], now: Duration) -> Action<'_> {
        self.expire(now);
        let outcome = match Packet::parse(packet) {
            Packet::Segment(segment) => self.receive(&segment, now),
            Packet::Fragment(ends) => self.fragment(&Key::of_received(ends)),
            Packet::Other => Outcome::Pass,
        };
        self.action(outcome)
    }

    /// Counts since the start.
    #[must_use]
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Entries in use.
    #[must_use]
    pub fn entries(&self) -> Entries {
        Entries {
            opening: self.table.len(OPENING),
            answering: self.table.len(ANSWERING),
            established: self.table.len(ESTABLISHED),
            closing: self.table.len(CLOSING),
            destinations: self.memory.len(),
        }
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
        ] {
            let time = now.saturating_sub(timeout);
            while self.table.pop_if(class, |connection| connection.used < time).is_some() {
                self.counters.expired += 1;
            }
        }
        self.memory.expire(now);
    }

    fn is_required(&self) -> bool {
        self.config.policy == Policy::Require
    }

    /// No check value protects this segment: it passes, or not. A signature (MD5, TCP-AO) is
    /// protection, too.
    fn unprotected(&mut self, segment: &Segment) -> Outcome {
        if self.is_required() && !options::is_signed(segment.options()) {
            self.counters.refused += 1;
            Outcome::Drop(Reason::Refused)
        } else {
            Outcome::Pass
        }
    }

    /// A fragment cannot be judged. Without the first one the others are of no use to the receiver.
    fn fragment(&mut self, key: &Key) -> Outcome {
        let agreed = |connection: &Connection| matches!(connection.phase, Phase::Agreed { .. });
        if self.table.get(key).is_some_and(agreed) {
            self.counters.fragments += 1;
            return Outcome::Drop(Reason::Fragment);
        }
        Outcome::Pass
    }

    /// Keeps what is now known of a connection.
    fn keep(&mut self, key: Key, connection: Connection, now: Duration) {
        let connection = Connection { used: now, ..connection };
        let evicted = self.table.insert(key, connection, connection.class());
        self.counters.evicted += u64::from(evicted.is_some());
    }

    /// It looks as if nothing gets through. The connection is kept as it is; what is remembered
    /// helps the next one.
    fn record_failure(&mut self, key: &Key, connection: &mut Connection, now: Duration) {
        if connection.proven || connection.failures >= MOST_FAILURES {
            return;
        }
        connection.failures += 1;
        if let (MOST_FAILURES, Some(step), Some(own)) =
            (connection.failures, connection.step, self.config.offer)
        {
            let is_new = self.memory.failed(key.remote.0, step, own, now);
            self.counters.failed_destinations += u64::from(is_new);
        }
    }

    /// A new connection's offer to this peer.
    fn new_connection(&self, phase: Phase, key: &Key) -> Option<Connection> {
        let (own, peer) = (self.config.offer?, &key.remote.0);
        let offer = self.memory.offer(peer, own, self.is_required())?;
        Some(Connection::new(phase, offer, Some(self.memory.step(peer))))
    }
}

/// The value that a SYN asks for.
fn request(segment: &Segment) -> Option<u8> {
    let options = segment.options();
    let place = options::find(options, REQUEST).filter(|place| place.len() == 3)?;
    options.get(place.start + 2).copied()
}

/// The most bytes that a segment grows by one of these values.
fn growth(values: crate::negotiate::Values) -> u16 {
    let each = values.iter().filter_map(Layout::of);
    each.map(|layout| u16::from(layout.option).next_multiple_of(4)).max().unwrap_or(0)
}

#[cfg(test)]
mod tests;
