//! Packets from the network.

use super::{Engine, Outcome, Reason, growth, request};
use crate::connection::{Connection, Phase};
use crate::memory::{Failure, Step};
use crate::negotiate::Values;
use crate::options::{self, Options};
use crate::packet::{ACK, FIN, Key, RST, SYN, Segment, write_checksum};
use crate::value::{self, Judged};
use residue_net::wire::tcp_checksum_option::{DATA, Layout, REQUEST};
use std::time::Duration;

impl Engine {
    pub(super) fn receive(&mut self, segment: &Segment, now: Duration) -> Outcome {
        let key = Key::of_received(segment.ends());
        let flags = segment.flags();
        let known = self.table.get(&key).copied();
        if flags & RST != 0 {
            // The kernel verifies the RST: it accepts only one with this sequence number, and
            // continues otherwise (RFC 5961).
            if let Some(connection) = known
                && connection.acknowledged == Some(segment.sequence())
            {
                // A NAT that takes segments of value 3 for damaged forwards them untranslated; the
                // peer knows no such connection.
                let is_weaker = connection.step == Some(Step::Own);
                let is_agreed = matches!(connection.phase, Phase::Agreed { .. });
                if is_agreed && is_weaker && !connection.proven && !self.is_disturbed(now) {
                    self.failed(&key, &connection, Failure::Reset, now);
                }
                self.keep(key, Connection { reset: true, ..connection }, now);
            }
            return Outcome::Pass;
        }
        if known.is_some_and(|connection| connection.phase == Phase::Theirs) {
            return Outcome::Pass;
        }
        if flags & SYN == 0 {
            return self.receive_segment(key, known, segment, now);
        }
        if options::is_signed(segment.options()) {
            return Outcome::Pass;
        }
        if self.config.offer.is_some() && !segment.checksum_is_good(&mut self.pieces) {
            self.counters.bad_syns += 1;
            return Outcome::Drop(Reason::Checksum);
        }
        if flags & ACK == 0 {
            self.receive_syn(key, known, segment, now)
        } else {
            self.receive_syn_ack(key, known, segment, now)
        }
    }

    fn receive_syn(
        &mut self,
        key: Key,
        known: Option<Connection>,
        segment: &Segment,
        now: Duration,
    ) -> Outcome {
        let (isn, asked) = (segment.sequence(), request(segment));
        let Some(mut connection) = known else {
            let new = asked.and_then(|peer| self.new_answer(&key, isn, peer, now));
            let Some(connection) = new else {
                if let Some(offer) = self.config.offer.filter(|_| self.may_be_displaced(&key, now))
                {
                    // Distinguishes its SYN-ACK from that of a displaced handshake.
                    let phase = Phase::Regular { negotiated: false };
                    self.keep(key, Connection::new(phase, offer, None), now);
                }
                return self.unprotected(segment);
            };
            self.keep(key, connection, now);
            return self.without_request(&key, segment, connection.values(), now);
        };
        match connection.phase {
            // A simultaneous open.
            Phase::Opening { .. } => {
                if asked.is_none() && self.is_required() {
                    return self.unprotected(segment);
                }
                connection.peer_isn = Some(isn);
                connection.phase = Phase::Opening { peer: asked };
                self.keep(key, connection, now);
            }
            _ if connection.peer_isn == Some(isn) => {
                return self.without_request(&key, segment, connection.values(), now);
            }
            Phase::Regular { .. } if asked.is_none() => return self.unprotected(segment),
            _ => {
                // It may be late or forged. The kernel can tell, and shows it by its answer.
                self.counters.doubtful_syns += 1;
                connection.pending = Some((isn, asked));
                self.keep(key, connection, now);
            }
        }
        let values = asked.map_or(Values::NONE, |peer| connection.offer.agreement(peer));
        self.without_request(&key, segment, values, now)
    }

    fn receive_syn_ack(
        &mut self,
        key: Key,
        known: Option<Connection>,
        segment: &Segment,
        now: Duration,
    ) -> Outcome {
        let Some(mut connection) = known else { return Outcome::Pass };
        let answer = request(segment);
        let acknowledges = connection.acknowledges_syn(segment.acknowledgment());
        match connection.phase {
            Phase::Opening { .. } if acknowledges => {
                connection.peer_isn = Some(segment.sequence());
                if options::find(segment.options(), options::WINDOW_SCALE).is_none() {
                    connection.scale = 0;
                }
                match answer.and_then(|answer| connection.offer.conclusion(answer)) {
                    Some(value) => {
                        connection.phase = Phase::Agreed { value };
                        connection.confirmed = true;
                        self.counters.agreed[usize::from(value)] += 1;
                        self.keep(key, connection, now);
                        self.without_request(&key, segment, Values::one(value), now)
                    }
                    None => {
                        self.regular(&key, &connection, now);
                        self.unprotected(segment)
                    }
                }
            }
            Phase::Agreed { value }
                if acknowledges && connection.peer_isn == Some(segment.sequence()) =>
            {
                // A repeated SYN: the peer has not received, or not understood, what followed.
                self.record_failure(&key, &mut connection, now);
                self.keep(key, connection, now);
                self.without_request(&key, segment, Values::one(value), now)
            }
            _ => Outcome::Pass,
        }
    }

    /// Handles a peer that turns out not to support the option.
    fn regular(&mut self, key: &Key, connection: &Connection, now: Duration) {
        self.counters.agreed[0] += 1;
        if self.is_silent(key, connection, now) {
            self.failed(key, connection, Failure::Silence, now);
        }
        if self.is_required() {
            self.table.remove(key);
        } else {
            let phase = Phase::Regular { negotiated: true };
            self.keep(*key, Connection { phase, confirmed: true, ..*connection }, now);
        }
    }

    /// Returns a SYN for the kernel: without option 14, Fast Open and data, with a segment size
    /// that leaves room.
    fn without_request(
        &mut self,
        key: &Key,
        segment: &Segment,
        values: Values,
        now: Duration,
    ) -> Outcome {
        let all = segment.options();
        let mut options = match options::find(all, REQUEST) {
            Some(place) => Options::without(all, &place),
            // Repeated without the option, and possibly the one that the kernel accepts.
            None if values != Values::NONE => Options::new(all),
            None => return Outcome::Pass,
        };
        let fast_open = options.blank_fast_open() || !segment.payload().is_empty();
        self.counters.fast_open_removed += u64::from(fast_open);
        options.lower_mss(growth(values), self.most_data(&key.remote.0, now));
        if segment.rewrite(&options, false, &mut self.buffer).is_none() {
            return Outcome::Pass;
        }
        let ip = value::grown(&segment.ip, &self.buffer);
        write_checksum(&mut self.buffer, &ip, &mut self.pieces);
        Outcome::Replace
    }

    fn receive_segment(
        &mut self,
        key: Key,
        known: Option<Connection>,
        segment: &Segment,
        now: Duration,
    ) -> Outcome {
        let Some(mut connection) = known else { return self.unknown(key, None, segment, now) };
        match connection.phase {
            Phase::Agreed { value } => self.verify(key, connection, value, segment, now),
            Phase::Theirs => Outcome::Pass,
            Phase::Opening { peer: None } => self.unexpected_segment(segment),
            Phase::Regular { negotiated } => {
                if segment.flags() & FIN != 0 && connection.expects(segment) {
                    connection.fins[1] = true;
                    self.keep(key, connection, now);
                }
                if negotiated {
                    return self.unprotected(segment);
                }
                self.unknown(key, known, segment, now)
            }
            Phase::Claimed { .. } => self.unknown(key, known, segment, now),
            _ if connection.own_isn.is_none() => self.unknown(key, known, segment, now),
            _ => self.settle(key, connection, segment, now),
        }
    }

    /// Verifies a segment of a connection with a value.
    fn verify(
        &mut self,
        key: Key,
        connection: Connection,
        value: u8,
        segment: &Segment,
        now: Duration,
    ) -> Outcome {
        let Some(layout) = Layout::of(value) else { return Outcome::Pass };
        let judged = value::verify(segment, &layout, &mut self.pieces);
        let expected = connection.expects(segment);
        if judged == Judged::Missing
            && connection.step.is_none()
            && connection.expects_exactly(segment)
            && self.is_regular(segment)
        {
            // The ports have another connection now.
            let phase = Phase::Regular { negotiated: false };
            self.keep(key, Connection { phase, ..connection }, now);
            return self.unprotected(segment);
        }
        self.counters.received[usize::from(value)].count(judged, expected);
        match reason(judged) {
            Some(reason) => self.reject(key, connection, reason, expected, now),
            None => self.accept(key, connection, segment, now),
        }
    }

    /// Gives the kernel a good segment of a connection.
    fn accept(
        &mut self,
        key: Key,
        mut connection: Connection,
        segment: &Segment,
        now: Duration,
    ) -> Outcome {
        self.works(&key, &mut connection, now);
        connection.fins[1] |= segment.flags() & FIN != 0;
        self.keep(key, connection, now);
        self.strip(segment)
    }

    /// Drops a bad segment of a connection. It may show a failure of the path if its numbers fit,
    /// which nobody off the path knows.
    fn reject(
        &mut self,
        key: Key,
        mut connection: Connection,
        reason: Reason,
        fits: bool,
        now: Duration,
    ) -> Outcome {
        if fits {
            self.record_failure(&key, &mut connection, now);
            self.keep(key, connection, now);
        }
        Outcome::Drop(reason)
    }

    /// Settles the value of a connection: the first segment after this host's answer shows how the
    /// peer understands it.
    fn settle(
        &mut self,
        key: Key,
        mut connection: Connection,
        segment: &Segment,
        now: Duration,
    ) -> Outcome {
        if !connection.acknowledges_syn(segment.acknowledgment()) {
            connection.return_to(segment.acknowledgment());
        }
        let first = connection.peer_isn.map(|isn| isn.wrapping_add(1));
        if first.is_some_and(|first| first != segment.sequence()) {
            return Outcome::Drop(Reason::Early);
        }
        let acknowledges = connection.acknowledges_syn(segment.acknowledgment());
        let mut worst = None;
        for value in connection.values().iter() {
            let Some(layout) = Layout::of(value) else { continue };
            let judged = value::verify(segment, &layout, &mut self.pieces);
            if judged != Judged::Good {
                worst = worst.or(Some((value, judged)));
                continue;
            }
            self.counters.received[usize::from(value)].count(judged, acknowledges);
            if !acknowledges {
                return self.strip(segment);
            }
            connection.phase = Phase::Agreed { value };
            connection.confirmed = true;
            self.counters.agreed[usize::from(value)] += 1;
            return self.accept(key, connection, segment, now);
        }
        if self.is_regular(segment) {
            // The answer reached the peer without the option, and no segment with a value was sent
            // yet.
            if acknowledges {
                self.regular(&key, &connection, now);
            }
            return self.unprotected(segment);
        }
        let Some((value, judged)) = worst else { return self.unprotected(segment) };
        self.counters.received[usize::from(value)].count(judged, acknowledges);
        let reason = reason(judged).unwrap_or(Reason::Both);
        self.reject(key, connection, reason, acknowledges, now)
    }

    /// Returns whether the segment comes from a host without an agreement.
    fn is_regular(&mut self, segment: &Segment) -> bool {
        let has_option = options::each(segment.options()).any(|(kind, _)| kind == DATA);
        !has_option && segment.checksum_is_good(&mut self.pieces)
    }

    /// Returns the value for which the option of a segment is right, if any, among those that this
    /// host's connections may have.
    fn value_of(&mut self, segment: &Segment) -> Option<u8> {
        self.config.offer?.possible().iter().find(|&value| {
            Layout::of(value).filter(|layout| layout.option > 0).is_some_and(|layout| {
                value::verify(segment, &layout, &mut self.pieces) == Judged::Good
            })
        })
    }

    /// Handles a segment of an unknown connection: a previous engine had it, or it was removed, or
    /// the segment is forged. One with a right check value is given to the kernel. It resumes the
    /// connection only if its numbers fit those of the kernel, which an attacker off the path does
    /// not know: the kernel has sent segments, or its next one decides.
    fn unknown(
        &mut self,
        key: Key,
        known: Option<Connection>,
        segment: &Segment,
        now: Duration,
    ) -> Outcome {
        let Some(offer) = self.config.offer else { return self.unprotected(segment) };
        if options::find(segment.options(), DATA).is_none() {
            return self.unprotected(segment);
        }
        let Some(value) = self.value_of(segment) else {
            self.counters.orphans += 1;
            return Outcome::Drop(Reason::Orphan);
        };
        self.counters.claims += 1;
        let end = segment.sequence().wrapping_add(segment.length());
        let acknowledgment = segment.acknowledgment();
        match known {
            Some(connection) if matches!(connection.phase, Phase::Regular { .. }) => {
                if connection.fits(end, acknowledgment) && self.may_resume(now) {
                    let is_fin = segment.flags() & FIN != 0;
                    self.resume(key, connection, value, is_fin, now);
                }
            }
            // Its SYN waits for the kernel's answer.
            Some(connection) if matches!(connection.phase, Phase::Answering { .. }) => {}
            _ => {
                let phase = Phase::Claimed { value, end, acknowledgment };
                self.keep(key, Connection::new(phase, offer, None), now);
            }
        }
        self.strip(segment)
    }

    /// Resumes a connection with a value.
    pub(super) fn resume(
        &mut self,
        key: Key,
        mut connection: Connection,
        value: u8,
        is_fin: bool,
        now: Duration,
    ) {
        self.counters.adopted += 1;
        connection.phase = Phase::Agreed { value };
        (connection.step, connection.confirmed, connection.proven) = (None, true, true);
        connection.fins[1] |= is_fin;
        self.keep(key, connection, now);
    }

    /// Handles a segment of an older connection while this host opens a new one: the kernel must
    /// receive it, and resets it.
    fn unexpected_segment(&mut self, segment: &Segment) -> Outcome {
        if options::find(segment.options(), DATA).is_none() {
            return Outcome::Pass;
        }
        if self.value_of(segment).is_some() {
            return self.strip(segment);
        }
        self.counters.orphans += 1;
        Outcome::Drop(Reason::Orphan)
    }

    fn strip(&mut self, segment: &Segment) -> Outcome {
        value::strip(segment, &mut self.buffer, &mut self.pieces);
        Outcome::Replace
    }
}

/// Returns the reason for dropping a segment; `None` for a good one.
fn reason(judged: Judged) -> Option<Reason> {
    match judged {
        Judged::Good => None,
        Judged::OnlyTcpBad => Some(Reason::Checksum),
        Judged::OnlyCrcBad => Some(Reason::Crc),
        Judged::BothBad => Some(Reason::Both),
        Judged::Missing => Some(Reason::Missing),
    }
}
