//! The matching of packets, in order of time and in bounded memory.

use super::again::{Passed, Repairs, Stretch};
use super::clocks::Clocks;
use super::datagrams;
use super::describe::{captured, describe};
use super::flows::Flows;
use super::intake::{Intake, Packet};
use super::judge;
use super::layer::{self, Flow, Layer, Masks};
use super::leftover;
use super::options::Options;
use super::pattern::Toward;
use super::report::{Event, Report, Seen};
use super::segments::{self, Alteration, Carried, Gap};
use super::side::{self, Arrived, Side, Slot, Waiting};
use super::traffic::Traffic;
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
    options: Options,
    clocks: Clocks,
    flows: Flows,
    sides: [Side; 2],
    /// Paired packets of each point by their content: their numbers.
    recent: [Lru<(u64, Flow), u64>; 2],
    /// Greatest index of a packet of a flow that arrived.
    orders: Lru<(Toward, Flow), u64>,
    carried: Carried,
    /// TCP data of each point, and those sent again that arrived.
    passed: [Passed; 2],
    repairs: Repairs,
    pub report: Report,
    each: &'a mut dyn FnMut(Event<'_>),
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

    /// Returns the direction of a packet at a point, by that of others of a flow in it.
    fn direction(&self, point: usize, packet: &Packet) -> Toward {
        let known = |layer: &Layer| self.flows.direction(point, &layer.flow);
        packet.layers.iter().find_map(known).unwrap_or_default()
    }

    /// Reports a packet as a duplicate if it arrived twice.
    fn duplicate(&mut self, point: usize, id: u64) -> bool {
        let Some(waiting) = self.sides[point].get(id) else { return false };
        let Some(layer) = waiting.packet.layers.first() else { return false };
        let toward = self.direction(point, &waiting.packet);
        let arrives = usize::from(toward == Toward::After) == point;
        let Some(&of) = self.recent[point].get(&(side::exact(layer), layer.flow)) else {
            return false;
        };
        if !arrives {
            return false;
        }
        let seen = Seen { number: waiting.packet.number, flow: layer.flow };
        self.report.directions[toward as usize].duplicated += 1;
        (self.each)(Event::Duplicated { toward, point, seen, of });
        self.sides[point].take(id, Slot::Gone);
        true
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
                        self.arrived(toward, &waiting, |it| it.matched += 1);
                    }
                    for gap in joined.alone[point].iter().filter(|gap| gap.id == id) {
                        self.missing(point, &waiting, Some(*gap));
                    }
                }
            }
        }
        stay
    }

    /// Reports bytes that differ in packets with different boundaries.
    fn alter(&mut self, alteration: Alteration) {
        let Alteration { ids, layers, other, small } = alteration;
        let [Some(one), Some(two)] = [0, 1].map(|point| self.sides[point].get(ids[point])) else {
            return;
        };
        let numbers = [one.packet.number, two.packet.number];
        let packet = if small == 0 { &one.packet } else { &two.packet };
        let layer = &packet.layers[layers[small]];
        let view = |packet| judge::View { packet, layer };
        let views = if small == 0 { [packet, &other] } else { [&other, packet] }.map(view);
        let toward = self.flows.direction(small, &layer.flow).unwrap_or_default();
        let from = toward as usize;
        let (_, difference) = judge::judge(views[from], views[1 - from], None, true);
        let Some(mut difference) = difference else { return };
        if small == from {
            // Whether the check value was right before the packets were joined is not shown.
            difference.outcome = judge::Outcome::Unknown;
            difference.checks.clear();
        }
        let altered = describe(&views, numbers, toward, false, &difference);
        let all = views.map(captured);
        let (flow, time) = (altered.flow, if from == 0 { one.time } else { two.time });
        (self.each)(Event::Altered { altered: &altered, bytes: all });
        self.report.survey.count(toward, flow, Some(time), |it| it.altered += 1);
        self.report.alter(altered);
    }

    /// Reports a packet without a partner.
    fn alone(&mut self, point: usize, id: u64) {
        if let Some(waiting) = self.sides[point].take(id, Slot::Gone) {
            self.missing(point, &waiting, None);
        }
    }

    /// Reports a packet, or a part of one, that the other point does not have.
    ///
    /// `part`: the part. If the other point has data of the packet before it, it was there in time.
    fn missing(&mut self, point: usize, waiting: &Waiting, part: Option<Gap>) {
        let Some(layer) = waiting.packet.layers.first() else { return };
        let toward = self.direction(point, &waiting.packet);
        let seen = Seen { number: waiting.packet.number, flow: layer.flow };
        let slack = self.clocks.spread;
        let outside = match self.sides[1 - point].times {
            None => true,
            Some((first, last)) => {
                waiting.time < first.saturating_add(slack)
                    || self.sides[1 - point].ended && waiting.time > last.saturating_sub(slack)
            }
        };
        if layer.is_of_one_link(&waiting.packet.bytes) {
            self.report.points[point].local += 1;
        } else if outside && !part.is_some_and(|gap| gap.within) {
            self.report.points[point].outside += 1;
        } else if usize::from(toward == Toward::Before) == point {
            let data = Stretch::of(layer, &waiting.packet.bytes);
            let data = part.map(|gap| gap.stretch).or(data);
            // Of a packet of which only parts were lost, the rest was counted.
            let again = part.is_none() && waiting.again;
            let inner = waiting.packet.layers.last().map_or(layer.flow, |layer| layer.flow);
            let repaired = data.is_some_and(|data| self.repairs.cover(&inner, data));
            self.report.survey.count(toward, inner, Some(waiting.time), |it| {
                it.lost += 1;
                it.again += u64::from(again);
                it.repaired += u64::from(repaired);
            });
            let direction = &mut self.report.directions[toward as usize];
            direction.lost += 1;
            direction.again += u64::from(again);
            direction.repaired += u64::from(repaired);
            (self.each)(Event::Lost { toward, point, seen });
        } else {
            self.report.directions[toward as usize].extra += 1;
            (self.each)(Event::Extra { toward, point, seen });
        }
    }

    /// Counts a packet that arrived, where it came from, and whether its data were sent again.
    fn arrived(&mut self, toward: Toward, waiting: &Waiting, what: impl Fn(&mut Traffic)) {
        let Some(layer) = waiting.packet.layers.last() else { return };
        let (flow, again) = (layer.flow, waiting.again);
        self.report.directions[toward as usize].again += u64::from(again);
        if let Some(stretch) = Stretch::of(layer, &waiting.packet.bytes).filter(|_| again) {
            self.repairs.add(flow, stretch);
        }
        self.report.survey.count(toward, flow, Some(waiting.time), |it| {
            it.again += u64::from(again);
            what(it);
        });
    }

    /// Records a pair of packets, and compares them.
    fn pair(&mut self, ids: [u64; 2], places: [usize; 2]) {
        let [Some(one), Some(two)] = [self.sides[0].get(ids[0]), self.sides[1].get(ids[1])] else {
            return;
        };
        let views = leftover::views(one, two, places);
        let layers = views.map(|view| *view.layer);
        let numbers = [one.packet.number, two.packet.number];
        let times = [one.time, two.time];
        let toward = leftover::toward([&layers[0], &layers[1]], &self.flows);
        let outer = [one, two].map(|it| it.packet.layers.first().map(|layer| layer.flow));
        let from = toward as usize;
        let (origin, arrived) = (&layers[from], &layers[1 - from]);
        let flow = self.flows.translation(from, &origin.flow).filter(|flow| {
            // Another translation replaces one that is known; a few bits are damage.
            flow.distance(&arrived.flow).is_some_and(|bits| bits <= 3)
        });
        let keeps = self.flows.keeps_identification(from, &origin.flow) != Some(false);
        let (rewritten, difference) = judge::judge(views[from], views[1 - from], flow, keeps);
        self.report.directions[from].count(&rewritten, origin, arrived);
        let flags = origin.payload(&views[from].packet.bytes).get(13);
        // SYN without ACK, RST and FIN.
        let opens = origin.flow.protocol == 6 && flags.is_some_and(|flags| flags & 0x17 == 2);
        self.report.directions[from].openings += u64::from(opens);
        if let Some(difference) = &difference {
            let altered = describe(&views, numbers, toward, rewritten.addresses, difference);
            let all = [captured(views[0]), captured(views[1])];
            (self.each)(Event::Altered { altered: &altered, bytes: all });
            self.report.alter(altered);
        }
        let is_clean = difference.is_none();
        let [one, two] = views.map(|view| view.layer);
        // Of a packet that one point cut, the first bytes are enough.
        if is_clean || one.content == two.content || one.head.is_some() && one.head == two.head {
            self.flows.learn([&layers[0], &layers[1]]);
            // The outer flow of a tunnel that only one point sees has the direction of its packets.
            for (point, flow) in outer.into_iter().enumerate() {
                if let Some(flow) = flow.filter(|flow| *flow != layers[point].flow) {
                    self.flows.learn_direction(point, &flow, [layers[0].ttl, layers[1].ttl]);
                }
            }
        }
        let inner = views[from].packet.layers.last().map_or(origin.flow, |layer| layer.flow);
        let above = self.delay(toward, times, numbers, origin.flow);
        // What was sent again does not cover what was lost before it.
        let again = self.sides[from].get(ids[from]).is_some_and(|it| it.again);
        for (point, id) in ids.into_iter().enumerate() {
            let state = (point != from).then_some(Arrived {
                toward,
                flow: origin.flow,
                inner,
                origin: ids[from],
                numbers,
            });
            let taken = self.sides[point].take(id, Slot::Paired(state));
            let Some(taken) = taken else { continue };
            if point == from {
                self.arrived(toward, &taken, |it| {
                    it.matched += 1;
                    it.altered += u64::from(!is_clean);
                    above.into_iter().for_each(|above| it.above.add(above));
                });
            }
            if !again {
                self.carried.add(point, &taken, false);
            }
            if let Some(layer) = taken.packet.layers.first() {
                let key = (side::exact(layer), layer.flow);
                self.recent[point].insert(key, numbers[point], 0);
            }
        }
        self.finish_order();
    }

    /// Counts the time between the points; returns what it is above the smallest one.
    fn delay(
        &mut self,
        toward: Toward,
        times: [i64; 2],
        numbers: [u64; 2],
        flow: Flow,
    ) -> Option<i64> {
        if !self.clocks.timed {
            return None;
        }
        let delay = self.clocks.delay(times, toward);
        let direction = &mut self.report.directions[toward as usize];
        direction.delays.add(delay);
        let least = self.clocks.least[toward as usize].unwrap_or(direction.delays.least);
        let above = delay.saturating_sub(least.min(direction.delays.least));
        if self.options.late.is_some_and(|late| above > late) {
            direction.late += 1;
            (self.each)(Event::Late { toward, numbers, flow, above });
        }
        Some(above)
    }

    /// Judges the order of packets that arrived, up to the first that still waits.
    fn finish_order(&mut self) {
        for point in 0..2 {
            while let Some(slot) = self.sides[point].settled() {
                let Slot::Paired(Some(arrived)) = slot else { continue };
                let Arrived { toward, flow, inner, origin, numbers } = arrived;
                let key = (toward, flow);
                match self.orders.touch(&key) {
                    Some(greatest) if *greatest > origin => {
                        self.report.directions[toward as usize].reordered += 1;
                        self.report.survey.count(toward, inner, None, |it| it.reordered += 1);
                        (self.each)(Event::Reordered { toward, numbers, flow });
                    }
                    Some(greatest) => *greatest = origin,
                    None => {
                        self.orders.insert(key, origin, 0);
                    }
                }
            }
        }
    }
}
