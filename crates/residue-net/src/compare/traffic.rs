//! What became of the packets of each flow, and in each part of the time.

use super::layer::Flow;
use super::pattern::Toward;
use crate::lru::Lru;
use std::collections::BTreeMap;

/// Largest number of flows that are counted; others are counted together.
const MOST_FLOWS: usize = 1 << 14;
/// Number of intervals of the time of both captures.
pub const INTERVALS: usize = 100;
/// Base-2 logarithm of the number of bins in which times are counted, from a power of two to the
/// next.
const FINE: u32 = 4;

/// Times in nanoseconds, counted in bins of which each is at most one sixteenth long of its times.
#[derive(Clone, Debug, Default)]
pub struct Times {
    bins: BTreeMap<u16, u32>,
}

impl Times {
    pub(super) fn add(&mut self, time: i64) {
        let time = time.max(0) as u64;
        let exponent = (64 - time.leading_zeros()).saturating_sub(FINE + 1);
        let bin = (exponent << FINE) as u16 + (time >> exponent) as u16;
        let count = self.bins.entry(bin).or_default();
        *count = count.saturating_add(1);
    }

    fn append(&mut self, other: &Times) {
        for (&bin, &number) in &other.bins {
            let count = self.bins.entry(bin).or_default();
            *count = count.saturating_add(number);
        }
    }

    /// Returns the time that `share` of the packets do not exceed, or up to one sixteenth less;
    /// `None` without packets.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Option<i64> {
        let all: u64 = self.bins.values().map(|&count| u64::from(count)).sum();
        let place = ((all as f64 * share).ceil() as u64).clamp(1, all.max(1));
        let mut before = 0;
        let mut bins = self.bins.iter();
        let (&bin, _) = bins.find(|&(_, &count)| {
            before += u64::from(count);
            before >= place
        })?;
        let (bin, whole) = (u32::from(bin), 1 << (FINE + 1));
        // Bins below two powers hold one time each.
        let exponent = if bin < whole { 0 } else { (bin >> FINE) - 1 };
        i64::try_from(u64::from(bin - (exponent << FINE)) << exponent).ok()
    }
}

/// What became of some packets in one direction.
#[derive(Clone, Debug, Default)]
pub struct Traffic {
    /// Packets at both points, altered ones included.
    pub matched: u64,
    /// Packets that did not arrive, and of these TCP segments whose data arrived later, because
    /// they were sent again.
    pub lost: u64,
    /// See `lost`.
    pub repaired: u64,
    /// TCP segments with data that passed the point before.
    pub again: u64,
    /// Altered packets.
    pub altered: u64,
    /// Packets that arrived after one of their flow that was sent later.
    pub reordered: u64,
    /// Times between the points above the smallest one of the direction.
    pub above: Times,
}

impl Traffic {
    fn append(&mut self, other: &Traffic) {
        self.matched += other.matched;
        self.lost += other.lost;
        self.repaired += other.repaired;
        self.again += other.again;
        self.altered += other.altered;
        self.reordered += other.reordered;
        self.above.append(&other.above);
    }

    /// Returns the share of packets that were lost, from 0 to 1; of no packets, 0.
    #[must_use]
    pub fn loss(&self) -> f64 {
        self.lost as f64 / (self.matched + self.lost).max(1) as f64
    }
}

/// The traffic by flow, and by time.
#[derive(Debug)]
pub struct Survey {
    flows: Lru<(Toward, Flow), Traffic>,
    /// All flows that are not counted alone, in each direction.
    pub others: [Traffic; 2],
    /// The time from the first packet of both captures to the last, on the clock of the first, in
    /// nanoseconds since 1970; `None` for captures without times.
    pub span: Option<[i64; 2]>,
    /// The traffic in each of the intervals of that time, in each direction.
    pub intervals: [Vec<Traffic>; 2],
}

impl Default for Survey {
    fn default() -> Survey {
        Survey::of(None)
    }
}

impl Survey {
    pub(super) fn of(span: Option<[i64; 2]>) -> Survey {
        let count = span.map_or(0, |_| INTERVALS);
        let intervals = [0, 1].map(|_| vec![Traffic::default(); count]);
        Survey { flows: Lru::new([MOST_FLOWS]), others: Default::default(), span, intervals }
    }

    /// Counts a packet of a flow that was sent at a time of the first clock.
    pub(super) fn count(
        &mut self,
        toward: Toward,
        flow: Flow,
        time: Option<i64>,
        what: impl Fn(&mut Traffic),
    ) {
        let key = (toward, flow);
        if self.flows.touch(&key).is_none()
            && let Some(((toward, _), old)) = self.flows.insert(key, Traffic::default(), 0)
        {
            self.others[toward as usize].append(&old);
        }
        if let Some(traffic) = self.flows.get_mut(&key) {
            what(traffic);
        }
        if let (Some([start, end]), Some(time)) = (self.span, time) {
            let passed = i128::from(time.clamp(start, end)) - i128::from(start);
            let length = i128::from(end) - i128::from(start) + 1;
            let place = (passed * INTERVALS as i128 / length) as usize;
            what(&mut self.intervals[toward as usize][place]);
        }
    }

    /// Returns the beginning and the end of an interval, in nanoseconds since 1970 on the clock of
    /// the first capture.
    #[must_use]
    pub fn ends(&self, interval: usize) -> Option<[i64; 2]> {
        let [start, end] = self.span?;
        let length = i128::from(end) - i128::from(start) + 1;
        let at = |place: usize| start + (length * place as i128 / INTERVALS as i128) as i64;
        Some([at(interval), at(interval + 1)])
    }

    /// Returns the flows with their directions where they came from, those with the most losses
    /// first, then those with the most packets.
    #[must_use]
    pub fn flows(&self) -> Vec<(Toward, Flow, &Traffic)> {
        let mut all: Vec<_> =
            self.flows.iter().map(|(&(toward, flow), it)| (toward, flow, it)).collect();
        all.sort_by_key(|(toward, flow, it)| {
            (
                std::cmp::Reverse((it.lost, it.matched)),
                *toward,
                flow.protocol,
                flow.addresses,
                flow.ports,
            )
        });
        all
    }

    /// Returns all packets in a direction.
    #[must_use]
    pub fn total(&self, toward: Toward) -> Traffic {
        let mut total = self.others[toward as usize].clone();
        let own = self.flows.iter().filter(|((other, _), _)| *other == toward);
        own.for_each(|(_, traffic)| total.append(traffic));
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_at_most_a_sixteenth_too_small() {
        assert_eq!(Times::default().quantile(0.5), None);
        for time in (0..3000).chain([u32::MAX as i64, 1 << 40, i64::MAX, -5]) {
            let mut times = Times::default();
            times.add(time);
            let (found, time) = (times.quantile(0.5).unwrap(), time.max(0));
            assert!(found <= time && time - found <= time / 16, "{time} {found}");
        }
        let mut times = Times::default();
        (1..=1000).for_each(|time| times.add(1_000_000 * time));
        for share in [0.01, 0.5, 0.9, 0.99, 1.0] {
            let (found, right) = (times.quantile(share).unwrap() as f64, 1e9 * share);
            assert!(found <= right && found >= right * 15.0 / 16.0, "{share} {found}");
        }
        let mut two = times.clone();
        two.append(&times);
        assert_eq!(two.quantile(0.5), times.quantile(0.5));
    }

    #[test]
    fn flows_that_are_forgotten_are_counted_together() {
        let mut survey = Survey::of(Some([1000, 2000]));
        for i in 0..=MOST_FLOWS {
            let flow = Flow { ports: [i as u16, (i >> 16) as u16], ..Flow::default() };
            survey.count(Toward::Before, flow, Some(i as i64), |it| it.matched += 1);
            if i == 5 {
                survey.count(Toward::Before, flow, Some(5000), |it| it.lost += 1);
            }
        }
        assert_eq!(survey.flows().len(), MOST_FLOWS);
        assert_eq!(survey.flows()[0].2.lost, 1);
        assert_eq!(survey.others[1].matched, 1);
        let total = survey.total(Toward::Before);
        assert_eq!((total.matched, total.lost), (MOST_FLOWS as u64 + 1, 1));
        assert_eq!(survey.intervals[1].iter().map(|it| it.matched).sum::<u64>(), total.matched);
        assert_eq!(survey.intervals[1][INTERVALS - 1].lost, 1);
    }
}
