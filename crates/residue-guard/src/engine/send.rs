//! Packets from the kernel.

use super::{Engine, Outcome, Reason};
use crate::connection::{Connection, Phase};
use crate::options::{self, Options};
use crate::packet::{ACK, FIN, Key, RST, SYN, Segment, write_checksum};
use crate::value::{self, NoRoom};
use residue_net::wire::tcp_checksum_option::{Layout, REQUEST};
use std::time::Duration;

impl Engine {
    pub(super) fn send(&mut self, segment: &Segment, now: Duration) -> Outcome {
        let key = Key::of_sent(segment.ends());
        let flags = segment.flags();
        if flags & RST != 0 {
            if let Some(connection) = self.table.get(&key).copied() {
                self.keep(key, Connection { reset: true, ..connection }, now);
            }
            return Outcome::Pass;
        }
        if flags & SYN == 0 {
            return self.send_segment(&key, segment, now);
        }
        if options::is_signed(segment.options()) {
            self.table.remove(&key);
            return Outcome::Pass;
        }
        if options::find(segment.options(), REQUEST).is_some() {
            if let Some(theirs) = self.new_connection(Phase::Theirs, &key) {
                self.keep(key, theirs, now);
            }
            return Outcome::Pass;
        }
        if flags & ACK == 0 {
            self.send_syn(key, segment, now)
        } else {
            self.send_syn_ack(key, segment, now)
        }
    }

    fn send_syn(&mut self, key: Key, segment: &Segment, now: Duration) -> Outcome {
        let isn = Some(segment.sequence());
        let known = self.table.get(&key).copied().filter(|connection| {
            connection.own_isn == isn && matches!(connection.phase, Phase::Opening { .. })
        });
        let fresh = || self.new_connection(Phase::Opening { peer: None }, &key);
        let Some(mut connection) = known.or_else(fresh) else {
            self.table.remove(&key);
            return self.unprotected(segment);
        };
        connection.own_isn = isn;
        connection.tries = connection.tries.saturating_add(1);
        let outcome = self.ask(&connection, connection.offer.value, segment);
        match outcome {
            Outcome::Replace => self.keep(key, connection, now),
            _ => drop(self.table.remove(&key)),
        }
        outcome
    }

    fn send_syn_ack(&mut self, key: Key, segment: &Segment, now: Duration) -> Outcome {
        let own = Some(segment.sequence());
        let peer_isn = segment.acknowledgment().wrapping_sub(1);
        let Some(mut connection) = self.table.get(&key).copied() else {
            return self.unprotected(segment);
        };
        let answered = match connection.phase {
            // A repeated SYN, or a simultaneous open.
            _ if connection.own_isn == own => match connection.phase {
                Phase::Opening { peer: Some(peer) } => {
                    connection.answer = connection.offer.answer(peer);
                    true
                }
                Phase::Opening { peer: None } | Phase::Theirs => false,
                Phase::Answering { .. } | Phase::Agreed { .. } => true,
            },
            Phase::Answering { peer }
                if connection.own_isn.is_none() && connection.peer_isn == Some(peer_isn) =>
            {
                connection.own_isn = own;
                connection.answer = connection.offer.answer(peer);
                true
            }
            // The kernel accepts a SYN that came while an older connection was known: that one is
            // over.
            _ => match connection.pending {
                Some((isn, Some(peer))) if isn == peer_isn => {
                    match self.new_answer(&key, isn, peer) {
                        Some(new) => {
                            connection = new;
                            connection.own_isn = own;
                            connection.answer = connection.offer.answer(peer);
                            true
                        }
                        None => false,
                    }
                }
                _ => false,
            },
        };
        if !answered {
            self.table.remove(&key);
            return self.unprotected(segment);
        }
        connection.tries = connection.tries.saturating_add(1);
        let outcome = self.ask(&connection, connection.answer, segment);
        if outcome == Outcome::Pass {
            self.table.remove(&key);
        } else {
            self.keep(key, connection, now);
        }
        outcome
    }

    /// Returns an entry for a SYN that requests `peer`, if an agreement is possible.
    pub(super) fn new_answer(&self, key: &Key, isn: u32, peer: u8) -> Option<Connection> {
        let mut connection = self.new_connection(Phase::Answering { peer }, key)?;
        connection.peer_isn = Some(isn);
        connection.values().iter().next()?;
        Some(connection)
    }

    /// Sends a SYN or SYN-ACK with option 14, or without it after several without an answer.
    fn ask(&mut self, connection: &Connection, value: u8, segment: &Segment) -> Outcome {
        let mut plain = Options::new(segment.options());
        let fast_open = plain.blank_fast_open() || !segment.payload().is_empty();
        let is_agreed = matches!(connection.phase, Phase::Agreed { .. });
        let silent = connection.tries > self.config.tries && !is_agreed && !self.is_required();
        let options = if silent {
            self.counters.silent += 1;
            Some(plain)
        } else {
            Options::with(&plain, &[REQUEST, 3, value]).map(|(options, _)| options)
        };
        // Shorter than before, or four bytes longer: a SYN fits.
        let written =
            options.and_then(|options| segment.rewrite(&options, false, &mut self.buffer));
        if written.is_none() {
            self.counters.no_room += 1;
            return if self.is_required() { Outcome::Drop(Reason::NoRoom) } else { Outcome::Pass };
        }
        self.counters.fast_open_removed += u64::from(fast_open);
        let ip = value::grown(&segment.ip, &self.buffer);
        write_checksum(&mut self.buffer, &ip, &mut self.pieces);
        Outcome::Replace
    }

    fn send_segment(&mut self, key: &Key, segment: &Segment, now: Duration) -> Outcome {
        let Some(mut connection) = self.table.get(key).copied() else {
            return self.unprotected(segment);
        };
        let value = match connection.phase {
            Phase::Agreed { value } => value,
            Phase::Theirs => {
                self.keep(*key, Connection { confirmed: true, ..connection }, now);
                return Outcome::Pass;
            }
            // The kernel had a connection before the SYN came, which it has not taken: one that is
            // not known.
            Phase::Answering { .. } if connection.own_isn.is_none() => {
                self.table.remove(key);
                return self.unprotected(segment);
            }
            // Acknowledgments of early segments. They can wait until it is known how the peer
            // understands the answer.
            _ => match connection.values().single() {
                Some(value) => value,
                None => return self.unprotected(segment),
            },
        };
        let Some(layout) = Layout::of(value) else { return Outcome::Pass };
        if matches!(connection.phase, Phase::Agreed { .. }) {
            connection.confirmed = true;
            connection.reset = false;
            connection.acknowledged = Some(segment.acknowledgment());
            connection.fins[0] |= segment.flags() & FIN != 0;
            let first = connection.own_isn.map(|isn| isn.wrapping_add(1));
            if !segment.payload().is_empty() && first == Some(segment.sequence()) {
                if connection.first_sent {
                    self.record_failure(key, &mut connection, now);
                }
                connection.first_sent = true;
            }
            self.keep(*key, connection, now);
        }
        match value::write(segment, &layout, &mut self.buffer, &mut self.pieces) {
            Ok(cut) => {
                self.counters.sack_blocks_cut += u64::from(cut);
                self.counters.sent[usize::from(value)] += 1;
                Outcome::Replace
            }
            Err(NoRoom::Options | NoRoom::Packet) => {
                self.counters.no_room += 1;
                Outcome::Drop(Reason::NoRoom)
            }
        }
    }
}
