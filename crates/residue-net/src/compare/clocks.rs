//! The clocks of two captures: how they differ, and what times between the points are possible.

use super::pattern::Toward;

/// Number of parts of the captures in which the fastest packets are compared.
const PARTS: usize = 16;
/// Least number of packets of a part.
const LEAST: usize = 6;
/// Least number of parts of which the fastest packets show something together.
const LEAST_PARTS: usize = 4;
/// Largest drift in parts per billion: clocks that are set do not drift more.
const MOST_DRIFT: f64 = 1e6;
/// Time in nanoseconds by which a packet may be faster than the fastest ones of a sample.
const SLACK: i64 = 1_000_000;

/// A packet at both points.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// Time of the second capture.
    pub time: i64,
    /// Time of the second capture less that of the first.
    pub difference: i64,
    pub toward: Toward,
    /// Whether the time to live shows the direction.
    pub sure: bool,
}

impl Pair {
    /// Returns the time that the packet took, on clocks that differ.
    fn delay(&self) -> i64 {
        match self.toward {
            Toward::After => self.difference,
            Toward::Before => self.difference.saturating_neg(),
        }
    }
}

/// What samples of two captures show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clocks {
    /// Time of the second capture less that of the first, in nanoseconds, for the median packet.
    pub difference: i64,
    /// Nanoseconds by which the clock of the second capture gains on the first, per second; 0 if
    /// none is found.
    pub drift: i64,
    /// Time of the second capture at which the difference holds.
    origin: i64,
    /// Largest deviation of 99 of 100 packets from the difference.
    pub spread: i64,
    /// Smallest time from the first to the second capture of packets in that direction, and from
    /// the second to the first of the others, in nanoseconds, on clocks that differ.
    pub least: [Option<i64>; 2],
    /// The time that no packet in a direction may fall below, by the other packets.
    pub possible: [Option<i64>; 2],
    /// Number of packets in both samples.
    pub packets: u64,
    /// Whether all packets of both captures have a time; if not, packets are numbered.
    pub timed: bool,
}

impl Clocks {
    /// Estimates the difference and the drift from packets of two captures.
    pub fn of(mut pairs: Vec<Pair>, timed: bool) -> Clocks {
        pairs.sort_unstable_by_key(|pair| (pair.time, pair.difference));
        let Some(middle) = pairs.get(pairs.len() / 2) else {
            return Clocks { timed, ..Clocks::default() };
        };
        let mut clocks = Clocks { timed, origin: middle.time, ..Clocks::default() };
        clocks.packets = pairs.len() as u64;
        if timed {
            clocks.drift = drift(&pairs, clocks.origin);
        }
        for pair in &mut pairs {
            pair.difference = pair.difference.saturating_sub(clocks.gained(pair.time));
        }
        let differences = || pairs.iter().map(|pair| pair.difference);
        clocks.difference = ranked(differences().collect(), 0.5);
        let apart = |time: i64| i64::try_from(time.abs_diff(clocks.difference)).unwrap_or(i64::MAX);
        clocks.spread = ranked(differences().map(apart).collect(), 0.99);
        for toward in [Toward::After, Toward::Before] {
            let delays = pairs.iter().filter(|pair| pair.toward == toward).map(Pair::delay);
            clocks.least[toward as usize] = delays.min();
            if timed {
                clocks.possible[toward as usize] = possible(&pairs, toward);
            }
        }
        clocks
    }

    /// Sets the difference that is known.
    pub fn set(&mut self, difference: i64) {
        let Clocks { spread, packets, timed, .. } = *self;
        *self = Clocks { difference, spread, packets, timed, ..Clocks::default() };
    }

    /// Returns what the second clock gained since the origin.
    fn gained(&self, time: i64) -> i64 {
        let gained = i128::from(time.saturating_sub(self.origin)) * i128::from(self.drift);
        i64::try_from(gained / 1_000_000_000).unwrap_or(0)
    }

    /// Returns a time of the second clock on the first.
    pub fn on_first(&self, time: i64) -> i64 {
        time.saturating_sub(self.difference).saturating_sub(self.gained(time))
    }

    /// Returns the time from the first packet of both captures to the last, on the first clock,
    /// from those of each capture; `None` if packets have no times.
    pub fn span(&self, times: [Option<[u64; 2]>; 2]) -> Option<[i64; 2]> {
        let [one, two] = times.map(|times| times.map(|ends| ends.map(|it| it as i64)));
        let two = two.map(|ends| ends.map(|time| self.on_first(time)));
        let ends = [one, two].into_iter().flatten();
        let span = ends.reduce(|one, two| [one[0].min(two[0]), one[1].max(two[1])]);
        span.filter(|_| self.timed)
    }

    /// Returns the time that a packet took, if it was at the points at these times of the first
    /// clock.
    pub fn delay(&self, times: [i64; 2], toward: Toward) -> i64 {
        let difference = times[1].saturating_sub(times[0]).saturating_add(self.difference);
        Pair { time: 0, difference, toward, sure: true }.delay()
    }

    /// Returns whether a packet may have been at the points at these times of the first clock: none
    /// arrives before others of its direction could.
    pub fn allow(&self, times: [i64; 2], toward: Toward) -> bool {
        self.possible[toward as usize].is_none_or(|least| self.delay(times, toward) >= least)
    }
}

/// Returns the value that `share` of the values do not exceed; 0 for none.
fn ranked(mut values: Vec<i64>, share: f64) -> i64 {
    values.sort_unstable();
    let last = values.len().saturating_sub(1);
    values.get((values.len() as f64 * share) as usize).or(values.get(last)).copied().unwrap_or(0)
}

/// Returns when fast packets arrived, and the time that each took: of each part of the captures the
/// second fastest, as one alone may be of other packets that look alike.
fn fastest(pairs: &[Pair], wanted: impl Fn(&&Pair) -> bool) -> Vec<(i64, i64)> {
    let [Some(first), Some(last)] = [pairs.first(), pairs.last()] else { return Vec::new() };
    let span = last.time.saturating_sub(first.time).max(1);
    let part = |pair: &Pair| {
        (i128::from(pair.time - first.time) * PARTS as i128 / (i128::from(span) + 1)) as usize
    };
    let mut parts: [Vec<(i64, i64)>; PARTS] = Default::default();
    for pair in pairs.iter().filter(wanted) {
        parts[part(pair)].push((pair.delay(), pair.time));
    }
    let second = |mut packets: Vec<(i64, i64)>| {
        packets.sort_unstable();
        packets.get(1).filter(|_| packets.len() >= LEAST).map(|&(delay, time)| (time, delay))
    };
    parts.into_iter().filter_map(second).collect()
}

/// Returns the drift of the second clock in parts per billion: the median of the slopes between the
/// fastest packets of all parts (Theil and Sen), if they are on a line as clear as that.
fn drift(pairs: &[Pair], origin: i64) -> i64 {
    let both = [Toward::After, Toward::Before].map(|toward| {
        let sign = if toward == Toward::After { 1 } else { -1 };
        let lines = fastest(pairs, |pair| pair.toward == toward)
            .into_iter()
            .map(|(time, delay)| (time, delay * sign));
        lines.collect::<Vec<(i64, i64)>>()
    });
    let mut slopes: Vec<f64> = Vec::new();
    for line in &both {
        for (i, one) in line.iter().enumerate() {
            let later = line[i + 1..].iter().filter(|two| two.0 > one.0);
            slopes.extend(later.map(|two| (two.1 - one.1) as f64 / (two.0 - one.0) as f64));
        }
    }
    slopes.sort_by(f64::total_cmp);
    // Fewer parts make no line.
    let enough = slopes.len() >= LEAST_PARTS * (LEAST_PARTS - 1) / 2;
    let Some(&slope) = slopes.get(slopes.len() / 2).filter(|_| enough) else { return 0 };
    let deviation = |slope: f64| {
        let of_line = |line: &Vec<(i64, i64)>| {
            let level = |&(time, it): &(i64, i64)| it - ((time - origin) as f64 * slope) as i64;
            let levels: Vec<i64> = line.iter().map(level).collect();
            let middle = ranked(levels.clone(), 0.5);
            levels.iter().map(|it| (it - middle).abs()).collect::<Vec<i64>>()
        };
        ranked(both.iter().flat_map(of_line).collect(), 0.75)
    };
    // A queue that fills, or another path, makes no line; and few parts are one by chance.
    let is_line = 4 * deviation(slope) < deviation(0.0);
    let billionths = slope * 1e9;
    if is_line && billionths.abs() <= MOST_DRIFT { billionths.round() as i64 } else { 0 }
}

/// Returns the time that no packet in a direction can fall below.
///
/// What came back proves that the clocks differ by no more than its time. Where enough parts of the
/// captures have packets in the direction itself, their fastest are a nearer bound; where those of
/// the parts differ much, as after a step of a clock, so may others. A few packets prove nothing:
/// a busy computer may have delayed all of them.
fn possible(pairs: &[Pair], toward: Toward) -> Option<i64> {
    // The least, by how much others may be below it, and the number of parts.
    let ends = |toward: Toward, sure: bool| {
        let wanted = |pair: &&Pair| pair.toward == toward && (pair.sure || !sure);
        let fastest: Vec<i64> = fastest(pairs, wanted).into_iter().map(|it| it.1).collect();
        let [least, most] = [*fastest.iter().min()?, *fastest.iter().max()?];
        Some((least, most - least, fastest.len()))
    };
    let [like, back] = [ends(toward, false), ends(toward.opposite(), true)];
    let slack = [like, back].into_iter().flatten().map(|it| it.1).sum::<i64>().max(SLACK);
    let like = like.filter(|&(.., parts)| parts >= LEAST_PARTS).map(|(least, ..)| least);
    let back = back.map(|(least, ..)| least.saturating_neg());
    like.max(back).map(|bound| bound.saturating_sub(slack))
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_testing::Random;

    const SECOND: i64 = 1_000_000_000;

    /// Packets in both directions for `seconds`; a packet takes 2 ms or more.
    fn pairs(seconds: i64, difference: i64, drift: i64, seed: u64) -> Vec<Pair> {
        let mut random = Random(seed);
        let pair = |i: i64| {
            let time = 1_700_000_000 * SECOND + i * SECOND / 100;
            let toward = if random.below(3) == 0 { Toward::Before } else { Toward::After };
            let queue = (random.below(40) * random.below(40) * random.below(40)) as i64 * 1000;
            let delay = 2_000_000 + queue;
            let gained = (i * SECOND / 100) / 1_000_000 * drift / 1000;
            let sign = if toward == Toward::After { 1 } else { -1 };
            Pair { time, difference: difference + gained + sign * delay, toward, sure: true }
        };
        (0..seconds * 100).map(pair).collect()
    }

    #[test]
    fn drift_is_found_and_none_is_made_up() {
        for (seconds, drift) in [(3600, 50_000), (600, -20_000), (3600, 1000), (60, 100_000)] {
            let clocks = Clocks::of(pairs(seconds, 7200 * SECOND, drift, 1), true);
            assert!((clocks.drift - drift).abs() <= drift.abs() / 10 + 100, "{drift} {clocks:?}");
            assert!((clocks.difference - 7200 * SECOND).abs() < SECOND, "{clocks:?}");
            assert!(clocks.spread < 100_000_000, "{clocks:?}");
        }
        for (seed, seconds) in [1, 20, 600, 3600].into_iter().enumerate() {
            let clocks = Clocks::of(pairs(seconds, -5 * SECOND, 0, seed as u64), true);
            assert_eq!(clocks.drift, 0, "{clocks:?}");
        }
    }

    /// A longer path, a step of a clock, and a queue that fills are no drift, and make no packet
    /// impossible.
    #[test]
    fn other_changes_of_the_times_are_no_drift() {
        let span = 600 * SECOND;
        let changes: [fn(f64) -> f64; 4] = [
            |part| if part > 0.6 { 10e6 } else { 0.0 },
            |part| if part > 0.3 { -2e9 } else { 0.0 },
            |part| if part > 0.95 { -5e6 } else { 0.0 },
            |part| (part * 9.0).sin().abs() * 300e6,
        ];
        for (i, change) in changes.into_iter().enumerate() {
            let mut all = pairs(600, SECOND, 0, 9);
            let first = all[0].time;
            for pair in &mut all {
                pair.difference += change((pair.time - first) as f64 / span as f64) as i64;
            }
            let clocks = Clocks::of(all.clone(), true);
            assert_eq!(clocks.drift, 0, "change {i}: {clocks:?}");
            for pair in all {
                let times = [pair.time - pair.difference, clocks.on_first(pair.time)];
                assert!(clocks.allow(times, pair.toward), "change {i}: {pair:?} {clocks:?}");
            }
        }
    }

    #[test]
    fn what_arrives_before_it_was_sent_is_impossible() {
        for drift in [0, 50_000] {
            let all = pairs(1200, -3 * SECOND, drift, 4);
            // One packet that only looks like another.
            let mut with_one = all.clone();
            with_one[5000].difference -= 2 * SECOND;
            let clocks = Clocks::of(with_one, true);
            for pair in &all {
                let sent = pair.time - pair.difference;
                let times = [sent, clocks.on_first(pair.time)];
                assert!(clocks.allow(times, pair.toward), "{pair:?} {clocks:?}");
                let moved = if pair.toward == Toward::After { SECOND } else { -SECOND };
                assert!(!clocks.allow([sent + moved, times[1]], pair.toward), "{clocks:?}");
                if drift == 0 {
                    assert_eq!(clocks.delay(times, pair.toward), pair.delay());
                }
            }
        }
    }

    /// A few packets that a busy computer delayed do not make faster ones impossible; what came
    /// back shows that none arrived before it was sent.
    #[test]
    fn a_few_slow_packets_prove_little() {
        let pair = |i: i64, toward: Toward, delay: i64| {
            let sign = if toward == Toward::After { 1 } else { -1 };
            let (time, difference) = (i * SECOND / 5000, 7 * SECOND + sign * delay);
            Pair { time, difference, toward, sure: true }
        };
        // All but one in one part of the time.
        let at = |i: i64| if i == 7 { 100 * i } else { i };
        let slow = (0..8).map(|i| pair(at(i), Toward::After, 7_800_000 + i * 100_000));
        let clocks = Clocks::of(slow.clone().collect(), true);
        assert_eq!(clocks.possible[Toward::After as usize], None);
        let back = (0..8).map(|i| pair(at(i), Toward::Before, 400_000 + i * 100_000));
        let clocks = Clocks::of(slow.clone().chain(back.clone()).collect(), true);
        let allows = |delay: i64, toward: Toward| {
            let Pair { time, difference, .. } = pair(4, toward, delay);
            clocks.allow([time - difference, clocks.on_first(time)], toward)
        };
        assert!(allows(100_000, Toward::After) && !allows(-2 * SECOND, Toward::After));
        assert!(allows(100_000, Toward::Before) && !allows(-2 * SECOND, Toward::Before));
        // Where no time to live changed, it is not known which of them came back.
        let unsure = |it: Pair| Pair { toward: Toward::After, sure: false, ..it };
        let clocks = Clocks::of(slow.chain(back).map(unsure).collect(), true);
        assert_eq!(clocks.possible, [None; 2]);
    }
}
