//! The matching of packets, in order of time and in bounded memory.

use super::again::{Passed, Repairs, Stretch};
use super::clocks::Clocks;
use super::datagrams;
use super::flows::Flows;
use super::intake::{Intake, Packet};
use super::layer::{self, Flow, Layer, Masks};
use super::leftover;
use super::options::Options;
use super::pattern::Toward;
use super::report::{Event, Report};
use super::segments::{self, Carried};
use super::side::{Side, Slot, Waiting};
use crate::lru::Lru;
use std::collections::HashSet;
use std::io::Read;

/// Largest amount of memory for waiting packets of a point, in bytes.
const MOST_BYTES: usize = 64 << 20;
/// Largest number of paired packets that are remembered, to recognise duplicates.
const MOST_RECENT: usize = 1 << 17;
/// Largest number of packets of a point that wait, or follow one that waits.
const MOST_SLOTS: usize = 400_000;
const MILLISECOND: u64 = 1_000_000;
/// Largest number of equal packets to test for an unaltered partner.
const MOST_TESTED: usize = 128;

/// A comparison that runs.
pub struct Compare<'a> {
    pub(super) options: Options,
    pub(super) clocks: Clocks,
    pub(super) flows: Flows,
    pub(super) sides: [Side; 2],
    /// Paired packets of each point by their content: their numbers.
    pub(super) recent: [Lru<(u64, Flow), u64>; 2],
    /// Greatest index of a packet of a flow that arrived.
    pub(super) orders: Lru<(Toward, Flow), u64>,
    pub(super) carried: Carried,
    /// TCP data of each point, and those sent again that arrived.
    pub(super) passed: [Passed; 2],
    pub(super) repairs: Repairs,
    pub report: Report,
    pub(super) each: &'a mut dyn FnMut(Event<'_>),
}

impl<'a> Compare<'a> {
    pub fn new(
        options: Options,
        clocks: Clocks,
        flows: Flows,
        each: &'a mut dyn FnMut(Event<'_>),
    ) -> Compare<'a> {
        Compare {
            options,
            clocks,
            flows,
            sides: Default::default(),
            recent: [const { MOST_RECENT }; 2].map(|most| Lru::new([most])),
            orders: Lru::new([MOST_RECENT]),
            carried: Carried::default(),
            passed: Default::default(),
            repairs: Repairs::default(),
            report: Report { clocks, ..Report::default() },
            each,
        }
    }

    /// Reads both captures to their ends.
    pub fn read<R: Read>(&mut self, intakes: &mut [Intake<R>; 2]) {
        loop {
            let times: [Option<i64>; 2] = std::array::from_fn(|point| {
                let next = intakes[point].peek();
                self.sides[point].ended = next.is_none();
                next.map(|packet| self.adjusted(point, packet))
            });
            let point = match times {
                [None, None] => break,
                [Some(_), None] => 0,
                [None, Some(_)] => 1,
                [Some(one), Some(two)] if one == two => {
                    usize::from(self.sides[1].next() < self.sides[0].next())
                }
                [Some(one), Some(two)] => usize::from(two < one),
            };
            let Some(packet) = intakes[point].next() else { break };
            self.take(point, packet);
        }
        let ends = [self.sides[0].next(), self.sides[1].next()];
        self.settle(ends, ends);
    }

    /// Returns the time of a packet on the clock of the first capture.
    fn adjusted(&self, point: usize, packet: &Packet) -> i64 {
        let time = packet.time_or_number(self.clocks.timed);
        if point == 0 { time } else { self.clocks.on_first(time) }
    }

    fn take(&mut self, point: usize, packet: Packet) {
        let time = self.adjusted(point, &packet);
        let side = &mut self.sides[point];
        let (first, last) = side.times.unwrap_or((time, time));
        side.times = Some((first.min(time), last.max(time)));
        self.report.points[point].compared += 1;
        let data = packet
            .layers
            .iter()
            .rev()
            .find_map(|layer| Some((layer.flow, Stretch::of(layer, &packet.bytes)?)));
        let again = data.is_some_and(|(flow, stretch)| self.passed[point].take(flow, stretch));
        let id = side.push(packet, time, again);
        if let Some((other, layers)) = self.partner(point, id) {
            let (ids, layers) = if point == 0 {
                ([id, other], layers)
            } else {
                ([other, id], [layers[1], layers[0]])
            };
            self.pair(ids, layers);
        }
        self.expire(time);
    }

    /// Returns the oldest waiting packet of the other point that is surely this one, unaltered as
    /// far as its content shows, and the layers of both. A TCP segment that would have taken an
    /// unusual time may be one that was sent again: it waits for others.
    fn partner(&self, point: usize, id: u64) -> Option<(u64, [usize; 2])> {
        let [mine, theirs] = [&self.sides[point], &self.sides[1 - point]];
        let one = mine.get(id)?;
        for (place, layer) in one.packet.layers.iter().enumerate() {
            let like: Box<dyn Iterator<Item = u64>> =
                if layer.whole && theirs.cut == 0 && theirs.exactly(layer).next().is_some() {
                    Box::new(theirs.exactly(layer))
                } else {
                    Box::new(theirs.begin_like(layer))
                };
            for other in like.take(MOST_TESTED) {
                let Some(two) = theirs.get(other) else { continue };
                let apart = one.time.abs_diff(two.time);
                if layer.numbers.is_some() && apart > self.usual() {
                    continue;
                }
                for (their_place, their_layer) in two.packet.layers.iter().enumerate() {
                    if self.surely(point, (one, layer), (two, their_layer)) {
                        return Some((other, [place, their_place]));
                    }
                }
            }
        }
        None
    }

    /// Returns whether two layers are surely those of one packet.
    fn surely(
        &self,
        point: usize,
        (one, a): (&Waiting, &Layer),
        (two, b): (&Waiting, &Layer),
    ) -> bool {
        let alike = if a.whole && b.whole {
            a.content == b.content
        } else {
            a.head.is_some() && a.head == b.head && {
                let (one, two) = (a.payload(&one.packet.bytes), b.payload(&two.packet.bytes));
                layer::same_content(one, two, &Masks::of(a.flow.protocol, one))
            }
        };
        let translated = self.flows.translation(point, &a.flow);
        let known = self.flows.translation(1 - point, &b.flow);
        let flows = match (translated, known) {
            (Some(flow), _) => flow == b.flow,
            (None, Some(flow)) => flow == a.flow,
            (None, None) => true,
        };
        let identified = match (a.identification, b.identification) {
            (Some(one), Some(two)) => {
                one == two || self.flows.keeps_identification(point, &a.flow) == Some(false)
            }
            _ => true,
        };
        alike
            && flows
            && identified
            && one.time.abs_diff(two.time) <= self.window()
            && if point == 0 {
                leftover::is_possible([one, two], [a, b], &self.flows, &self.clocks)
            } else {
                leftover::is_possible([two, one], [b, a], &self.flows, &self.clocks)
            }
    }

    /// Returns by how much the times of a packet at both points usually differ, at most.
    fn usual(&self) -> u64 {
        let spread = self.clocks.spread.unsigned_abs().max(MILLISECOND);
        if self.clocks.packets > 0 { 4 * spread } else { u64::MAX }
    }

    fn window(&self) -> u64 {
        self.options.window.unsigned_abs()
    }

    /// Moves packets that waited too long to the leftover, and settles these.
    fn expire(&mut self, now: i64) {
        let window = self.options.window;
        for point in 0..2 {
            let side = &self.sides[point];
            let crowded = side.waiting > self.options.most || side.bytes > MOST_BYTES;
            // Paired packets behind one that waits cost memory, too.
            if crowded || side.slots() > MOST_SLOTS {
                self.report.crowded += u64::from(crowded);
                let [quarter, middle] = [4, 2].map(|part| side.mark(part, crowded));
                let until = |(id, time): (u64, i64)| {
                    let mut ends = [0, 1].map(|point| self.sides[point].until(time));
                    // Also where times are out of order, some packets leave.
                    ends[point] = ends[point].max(id + 1);
                    ends
                };
                let (leave, middle) = (until(quarter), until(middle));
                let ends = [leave[0].max(middle[0]), leave[1].max(middle[1])];
                return self.settle(ends, leave);
            }
        }
        let old = |side: &Side, age: i64| -> u64 {
            let mut end = side.cursor;
            while end < side.next()
                && side.get(end).is_none_or(|it| it.time.saturating_add(age) < now)
            {
                end += 1;
            }
            end
        };
        for point in 0..2 {
            self.sides[point].cursor = old(&self.sides[point], window);
        }
        let due = [0, 1].iter().any(|&point| {
            let side = &self.sides[point];
            let oldest = side.oldest();
            oldest.is_some_and(|it| it.time.saturating_add(window.saturating_mul(3)) < now)
        });
        if due {
            let leave = [0, 1].map(|point| {
                let side = &self.sides[point];
                let age = window.saturating_mul(2);
                let stays =
                    |id: &u64| side.get(*id).is_some_and(|it| it.time.saturating_add(age) >= now);
                side.before(side.cursor).find(stays).unwrap_or(side.cursor)
            });
            self.settle([self.sides[0].cursor, self.sides[1].cursor], leave);
        }
    }

    /// Finds partners for the packets before `ends`, and reports those before `leave` that have
    /// none.
    fn settle(&mut self, ends: [u64; 2], leave: [u64; 2]) {
        for (point, &end) in ends.iter().enumerate() {
            let ids: Vec<u64> = self.sides[point].before(end).collect();
            for id in ids {
                self.duplicate(point, id);
            }
        }
        let ids = [0, 1].map(|point| self.sides[point].before(ends[point]).collect::<Vec<u64>>());
        let stay = self.join(&ids, leave);
        let ids = [0, 1].map(|point| {
            let others = ids[point].iter().filter(|id| !stay[point].contains(id));
            others.copied().collect::<Vec<u64>>()
        });
        let (flows, clocks) = (&self.flows, &self.clocks);
        let all = leftover::proposals(&self.sides, &ids, flows, clocks, self.options.window);
        for proposal in all {
            let [one, two] = proposal.ids;
            if self.sides[0].get(one).is_some() && self.sides[1].get(two).is_some() {
                self.pair(proposal.ids, proposal.layers);
            }
        }
        for (point, &end) in leave.iter().enumerate() {
            let ids: Vec<u64> = self.sides[point].before(end).collect();
            for id in ids {
                // A copy of a packet that only now found its partner.
                if !self.duplicate(point, id) {
                    self.alone(point, id);
                }
            }
            self.sides[point].cursor = self.sides[point].cursor.max(end);
        }
        self.finish_order();
    }

    /// Settles the packets before `leave` whose data the other point has with other boundaries;
    /// returns the others of them.
    fn join(&mut self, ids: &[Vec<u64>; 2], leave: [u64; 2]) -> [HashSet<u64>; 2] {
        let mut stay: [HashSet<u64>; 2] = Default::default();
        let mut all = segments::joined(&self.sides, ids, &self.flows, &self.carried);
        all.extend(datagrams::joined(&self.sides, ids, &self.flows));
        for joined in all {
            let any = |point: usize| joined.ids[point].iter().any(|id| *id < leave[point]);
            let all = joined.at_once && (any(0) || any(1));
            let leave = if all { [u64::MAX; 2] } else { leave };
            let leaves = |ids: [u64; 2]| ids[0] < leave[0] || ids[1] < leave[1];
            for alteration in joined.altered.into_iter().filter(|it| leaves(it.ids)) {
                self.alter(alteration);
            }
            for (point, ids) in joined.ids.iter().enumerate() {
                stay[point].extend(ids.iter().filter(|id| **id >= leave[point]));
                for &id in ids.iter().filter(|id| **id < leave[point]) {
                    let Some(waiting) = self.sides[point].take(id, Slot::Gone) else { continue };
                    self.carried.add(point, &waiting, true);
                    let toward = self.direction(point, &waiting.packet);
                    self.report.directions[toward as usize].resegmented[point] += 1;
                    if toward as usize == point {
                        self.arrived(toward, &waiting, false, |it| it.matched += 1);
                    }
                    for gap in joined.alone[point].iter().filter(|gap| gap.id == id) {
                        self.missing(point, &waiting, Some(*gap));
                    }
                }
            }
        }
        stay
    }
}
