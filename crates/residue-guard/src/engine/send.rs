//! Packets from the kernel.

use super::{Engine, Outcome, Reason};
use crate::connection::{Connection, Phase};
use crate::options::{self, Options};
use crate::packet::{ACK, Key, RST, SYN, Segment, write_checksum};
use crate::value::{self, Judged, NoRoom};
use residue_net::wire::tcp_checksum_option::{DATA, Layout, REQUEST};
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
        if self.is_copy(&key, segment, now) {
            return Outcome::Pass;
        }
        if options::find(segment.options(), REQUEST).is_some() {
            if let Some(theirs) = self.new_connection(Phase::Theirs, &key, now) {
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
        let known = self.table.get(&key).copied().filter(|connection| connection.own_isn == isn);
        let mut connection = match known {
            // Repeated, and in a queue when the answer came, which stands.
            Some(agreed @ Connection { phase: Phase::Agreed { .. }, .. }) => {
                return self.ask(&key, &agreed, agreed.offer.value, segment, now);
            }
            Some(Connection { phase: Phase::Regular { .. }, .. }) => {
                return self.unprotected(segment);
            }
            Some(opening @ Connection { phase: Phase::Opening { .. }, .. }) => opening,
            _ => match self.new_connection(Phase::Opening { peer: None }, &key, now) {
                Some(new) => new,
                None => {
                    self.table.remove(&key);
                    return self.unprotected(segment);
                }
            },
        };
        connection.own_isn = isn;
        connection.opens(segment);
        let outcome = self.ask(&key, &connection, connection.offer.value, segment, now);
        connection.copy_due = self.has_rest;
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
            if self.may_be_displaced(&key, now) {
                // Without the option it would make the connection regular.
                return Outcome::Drop(Reason::Displaced);
            }
            return self.unprotected(segment);
        };
        let answered = match connection.phase {
            // A repeated SYN, or a simultaneous open.
            _ if connection.own_isn == own => match connection.phase {
                Phase::Opening { peer: Some(peer) } => {
                    connection.answer = connection.offer.answer(peer);
                    true
                }
                Phase::Opening { peer: None }
                | Phase::Theirs
                | Phase::Regular { .. }
                | Phase::Claimed { .. } => false,
                Phase::Answering { .. } | Phase::Agreed { .. } => true,
            },
            // The first answer to a SYN, or another one to the same: a kernel that begins to answer
            // with cookies gives it a new number.
            Phase::Answering { peer } if connection.peer_isn == Some(peer_isn) => {
                connection.earlier = connection.replaced();
                connection.own_isn = own;
                connection.answer = connection.offer.answer(peer);
                true
            }
            // The kernel accepts a SYN that came while an older connection was known: that one is
            // over.
            _ => match connection.pending {
                Some((isn, Some(peer))) if isn == peer_isn => {
                    match self.new_answer(&key, isn, peer, now) {
                        Some(mut new) => {
                            new.earlier = connection.replaced();
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
        connection.opens(segment);
        let outcome = self.ask(&key, &connection, connection.answer, segment, now);
        connection.copy_due = self.has_rest;
        if outcome == Outcome::Pass {
            self.table.remove(&key);
        } else {
            self.keep(key, connection, now);
        }
        outcome
    }

    /// Returns an entry for a SYN that requests `peer`, if an agreement is possible.
    pub(super) fn new_answer(
        &mut self,
        key: &Key,
        isn: u32,
        peer: u8,
        now: Duration,
    ) -> Option<Connection> {
        let mut connection = self.new_connection(Phase::Answering { peer }, key, now)?;
        connection.peer_isn = Some(isn);
        connection.values().iter().next()?;
        Some(connection)
    }

    /// Returns whether this is the engine's own copy of a SYN, which the raw socket sends through
    /// the queue.
    fn is_copy(&mut self, key: &Key, segment: &Segment, now: Duration) -> bool {
        let is_it = |known: &Connection| {
            known.copy_due
                && known.own_isn == Some(segment.sequence())
                && options::find(segment.options(), REQUEST).is_none()
        };
        let Some(known) = self.table.get(key).copied().filter(is_it) else { return false };
        self.keep(*key, Connection { copy_due: false, ..known }, now);
        true
    }

    /// Sends a SYN or SYN-ACK with option 14; after several without an answer, followed by a copy
    /// without it. On a path that loses the option, the copy opens a regular connection; after an
    /// outage, the first one opens a guarded connection.
    fn ask(
        &mut self,
        key: &Key,
        connection: &Connection,
        value: u8,
        segment: &Segment,
        now: Duration,
    ) -> Outcome {
        let mut plain = Options::new(segment.options());
        let fast_open = plain.blank_fast_open() || !segment.payload().is_empty();
        let is_agreed = matches!(connection.phase, Phase::Agreed { .. });
        let silent = !is_agreed && self.is_silent(key, connection, now);
        let options = Options::with(&plain, &[REQUEST, 3, value]).map(|(options, _)| options);
        // Four bytes longer: a SYN fits.
        let written =
            options.and_then(|options| segment.rewrite(&options, false, &mut self.buffer));
        if written.is_none() {
            self.counters.no_room += 1;
            return if self.is_required() { Outcome::Drop(Reason::NoRoom) } else { Outcome::Pass };
        }
        self.counters.fast_open_removed += u64::from(fast_open);
        let ip = value::grown(&segment.ip, &self.buffer);
        write_checksum(&mut self.buffer, &ip, &mut self.pieces);
        if silent && segment.rewrite(&plain, false, &mut self.rest).is_some() {
            let ip = value::grown(&segment.ip, &self.rest);
            write_checksum(&mut self.rest, &ip, &mut self.pieces);
            self.has_rest = true;
            self.counters.silent += 1;
        }
        Outcome::Replace
    }

    fn send_segment(&mut self, key: &Key, segment: &Segment, now: Duration) -> Outcome {
        let Some(mut connection) = self.table.get(key).copied() else {
            return self.send_unknown(key, segment, now);
        };
        let value = match connection.phase {
            Phase::Agreed { .. } if connection.restored && !connection.continues(segment) => {
                return self.send_unknown(key, segment, now);
            }
            Phase::Agreed { value } => value,
            Phase::Regular { .. } => {
                connection.sent(segment);
                self.keep(*key, connection, now);
                return self.unprotected(segment);
            }
            Phase::Claimed { value, end, acknowledgment } => {
                connection.sent(segment);
                if !connection.fits(end, acknowledgment) || !self.may_resume(now) {
                    return self.send_unknown(key, segment, now);
                }
                self.resume(*key, connection, value, false, now);
                value
            }
            Phase::Theirs => {
                self.keep(*key, Connection { confirmed: true, ..connection }, now);
                return Outcome::Pass;
            }
            // The kernel had a connection before the SYN came, which it has not taken: one that is
            // not known.
            Phase::Answering { .. } if connection.own_isn.is_none() => {
                return self.send_unknown(key, segment, now);
            }
            // Acknowledgments of early segments. They can wait until it is known how the peer
            // understands the answer.
            _ => match connection.values().single() {
                Some(value) => value,
                None => return self.unprotected(segment),
            },
        };
        let Some(layout) = Layout::of(value) else { return Outcome::Pass };
        // The second part of a split segment.
        if options::find(segment.options(), DATA).is_some()
            && value::verify(segment, &layout, &mut self.pieces) == Judged::Good
        {
            return Outcome::Pass;
        }
        if matches!(connection.phase, Phase::Agreed { .. }) {
            (connection.confirmed, connection.restored) = (true, false);
            connection.sent(segment);
            let first = connection.own_isn.map(|isn| isn.wrapping_add(1));
            if !segment.payload().is_empty() && first == Some(segment.sequence()) {
                if connection.first_sent {
                    self.record_failure(key, &mut connection, now);
                }
                connection.first_sent = true;
            }
            self.keep(*key, connection, now);
        }
        let parts = self.parts(&connection, segment, now);
        let first = match &parts {
            Some([first, second]) => {
                let rest = value::write(second, &layout, &mut self.rest, &mut self.pieces);
                self.has_rest = rest.is_ok();
                first
            }
            None => segment,
        };
        match value::write(first, &layout, &mut self.buffer, &mut self.pieces) {
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

    /// Passes a segment of an unknown connection, and remembers what it shows.
    fn send_unknown(&mut self, key: &Key, segment: &Segment, now: Duration) -> Outcome {
        self.table.remove(key);
        let outcome = self.unprotected(segment);
        if let Some(offer) = self.config.offer
            && outcome == Outcome::Pass
            && !options::is_signed(segment.options())
        {
            let mut connection = Connection::new(Phase::Regular { negotiated: false }, offer, None);
            connection.sent(segment);
            self.keep(*key, connection, now);
        }
        outcome
    }
}
