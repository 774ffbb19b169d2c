//! What is said of packets: pairs, alterations, losses, copies, delays and the order.

use super::again::Stretch;
use super::describe::{captured, describe};
use super::intake::Packet;
use super::judge;
use super::layer::{Flow, Layer};
use super::leftover;
use super::matching::Compare;
use super::pattern::Toward;
use super::report::{Event, Seen};
use super::segments::{Alteration, Gap};
use super::side::{self, Arrived, Slot, Waiting};
use super::traffic::Traffic;

impl Compare<'_> {
    /// Returns the direction of a packet at a point, by that of others of a flow in it.
    pub(super) fn direction(&self, point: usize, packet: &Packet) -> Toward {
        let known = |layer: &Layer| self.flows.direction(point, &layer.flow);
        packet.layers.iter().find_map(known).unwrap_or_default()
    }

    /// Reports a packet as a duplicate if it arrived twice.
    pub(super) fn duplicate(&mut self, point: usize, id: u64) -> bool {
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

    /// Reports bytes that differ in packets with different boundaries.
    pub(super) fn alter(&mut self, alteration: Alteration) {
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
        let mut altered = describe(&views, numbers, toward, false, &difference);
        if small != from {
            let origin = self.flows.translation(small, &altered.flow);
            altered.flow = origin.unwrap_or(altered.flow);
        }
        let all = views.map(captured);
        let (flow, time) = (altered.flow, if from == 0 { one.time } else { two.time });
        (self.each)(Event::Altered { altered: &altered, bytes: all });
        self.report.survey.count(toward, flow, Some(time), |it| it.altered += 1);
        self.report.alter(altered);
    }

    /// Reports a packet without a partner.
    pub(super) fn alone(&mut self, point: usize, id: u64) {
        if let Some(waiting) = self.sides[point].take(id, Slot::Gone) {
            self.missing(point, &waiting, None);
        }
    }

    /// Reports a packet, or a part of one, that the other point does not have.
    ///
    /// `part`: the part. If the other point has data of the packet before it, it was there in time.
    pub(super) fn missing(&mut self, point: usize, waiting: &Waiting, part: Option<Gap>) {
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
            let inner = waiting.packet.layers.last().unwrap_or(layer);
            let data = Stretch::of(inner, &waiting.packet.bytes);
            let data = part.map(|gap| gap.stretch).or(data);
            // Of a packet of which only parts were lost, the rest was counted.
            let again = part.is_none() && waiting.again;
            let repaired = data.is_some_and(|data| self.repairs.cover(&inner.flow, data));
            self.report.survey.count(toward, inner.flow, Some(waiting.time), |it| {
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

    /// Counts a packet that arrived, where it came from, and whether its data were sent again,
    /// which repairs what was lost unless the receiver discards it (`noticed`).
    pub(super) fn arrived(
        &mut self,
        toward: Toward,
        waiting: &Waiting,
        noticed: bool,
        what: impl Fn(&mut Traffic),
    ) {
        let Some(layer) = waiting.packet.layers.last() else { return };
        let (flow, again) = (layer.flow, waiting.again);
        self.report.directions[toward as usize].again += u64::from(again);
        if let Some(stretch) =
            Stretch::of(layer, &waiting.packet.bytes).filter(|_| again && !noticed)
        {
            self.repairs.add(flow, stretch);
        }
        self.report.survey.count(toward, flow, Some(waiting.time), |it| {
            it.again += u64::from(again);
            what(it);
        });
    }

    /// Records a pair of packets, and compares them.
    pub(super) fn pair(&mut self, ids: [u64; 2], places: [usize; 2]) {
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
        let noticed = difference.is_some_and(|it| it.outcome == judge::Outcome::Noticed);
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
                self.arrived(toward, &taken, noticed, |it| {
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
    pub(super) fn finish_order(&mut self) {
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
