//! Samples taken in turns, and those of them set aside because something disturbed them: another
//! thread had the core, an interrupt came, or the core's clock was lowered.

use super::clock::{Clock, now};
use super::load::Watch;
use super::statistic::middle;

/// Samples a contender takes before the next one's turn.
pub(super) const TURN: usize = 10;

/// The number of times that disturbed samples are taken again before a contender gets fewer.
const RETRIES: usize = 3;

/// The nanoseconds after which the operating system is asked again whether it took the core away:
/// asking takes a thousandth part of a time slice, and a whole turn of long calls would never be
/// free of interruptions.
const ASK_NS: f64 = 50_000.0;

/// An interrupted sample takes at least this many nanoseconds more than the median: no interrupt is
/// shorter, and a missed cache line is.
const INTERRUPT_NS: f64 = 1000.0;

/// A turn was slowed if a core cycle took this many times as long as in the faster quarter of all
/// turns.
const SLOWED: f64 = 1.25;

/// A core's clock was another one than before if a cycle's length differs by more than this share.
/// Smaller differences are of the measurement itself.
const CHANGED: f64 = 0.05;

/// Samples in ticks.
#[derive(Debug, Default, Clone)]
pub(super) struct Samples {
    /// Samples taken without disturbance.
    pub(super) kept: Vec<f64>,
    /// Samples set aside.
    pub(super) aside: Vec<f64>,
    /// Turns not judged yet by their pace: the number of samples, one after the other in `kept`,
    /// and the ticks of a cycle.
    pub(super) turns: Vec<(usize, f64)>,
}

impl Samples {
    /// Sets aside samples taken at a slower pace than `pace`, and multiplies the ticks of the
    /// others by `scale`.
    fn set_slowed_aside(&mut self, pace: f64, scale: f64) {
        let judged = self.kept.len() - self.turns.iter().map(|&(count, _)| count).sum::<usize>();
        let mut open = self.kept.split_off(judged).into_iter();
        for (count, own) in self.turns.drain(..) {
            let open = open.by_ref().take(count);
            if own > SLOWED * pace {
                self.aside.extend(open);
            } else {
                self.kept.extend(open.map(|ticks| ticks * scale));
            }
        }
    }

    /// Sets aside samples that lie far outside the rest.
    ///
    /// Interruptions only add, so the lower half of the samples shows how much undisturbed ones
    /// scatter. What exceeds the median by the median, by 1 us and by eight times the distance of
    /// the lower quartile was interrupted.
    fn set_gaps_aside(&mut self, clock: &Clock) {
        self.kept.sort_by(f64::total_cmp);
        let median = middle(&self.kept, 0.0).median;
        let quartile = self.kept.get(self.kept.len() / 4).copied().unwrap_or(0.0);
        let interrupt = INTERRUPT_NS / clock.ns_per_tick;
        let gap = median.max(8.0 * (median - quartile)).max(interrupt);
        let end = self.kept.partition_point(|&ticks| ticks <= median + gap);
        self.aside.extend(self.kept.drain(end..));
    }

    /// Returns the samples for figures, ascending: those kept, or all of them where none was.
    pub(super) fn usable(&self) -> Vec<f64> {
        let mut ticks = if self.kept.is_empty() { &self.aside } else { &self.kept }.clone();
        ticks.sort_by(f64::total_cmp);
        ticks
    }

    /// Returns every sample.
    pub(super) fn all(&self) -> impl Iterator<Item = f64> + Clone + '_ {
        self.kept.iter().chain(&self.aside).copied()
    }
}

/// The samples of one turn, kept or set aside by what the operating system says.
pub(super) struct Turn<'a> {
    watch: &'a Watch,
    clock: &'a Clock,
    /// The ticks after which the operating system is asked.
    patience: u64,
    samples: &'a mut Samples,
    /// Samples taken since it was last asked.
    open: Vec<f64>,
    asked: u64,
    turns: u64,
    pace: f64,
}

impl<'a> Turn<'a> {
    fn new(watch: &'a Watch, clock: &'a Clock, samples: &'a mut Samples) -> Turn<'a> {
        let patience = (ASK_NS / clock.ns_per_tick) as u64;
        let (turns, pace, open) = (watch.turns().1, clock.pace(), Vec::with_capacity(TURN));
        Turn { watch, clock, patience, samples, open, asked: now(), turns, pace }
    }

    /// Adds a sample.
    pub(super) fn push(&mut self, ticks: f64) {
        self.open.push(ticks);
        self.ask_in_time();
    }

    /// Asks whether the thread left its core, if the last time is long ago.
    ///
    /// It is called after long preparations: what interrupts them spoils no sample.
    pub(super) fn ask_in_time(&mut self) {
        if now().saturating_sub(self.asked) > self.patience {
            self.ask();
        }
    }

    fn ask(&mut self) {
        let (turns, pace) = (self.watch.turns().1, self.clock.pace());
        let Samples { kept, aside, turns: paces } = &mut *self.samples;
        if turns == self.turns {
            paces.push((self.open.len(), pace.max(self.pace)));
            kept.append(&mut self.open);
        } else {
            aside.append(&mut self.open);
        }
        (self.turns, self.pace) = (turns, pace);
        self.asked = now();
    }
}

/// The samples of all contenders at one size.
#[derive(Debug, Clone)]
pub(super) struct Collection {
    /// The samples of each contender.
    pub(super) samples: Vec<Samples>,
    /// The ticks that a core cycle took when the first of them were collected.
    pace: Option<f64>,
}

impl Collection {
    pub(super) fn new(contenders: usize) -> Collection {
        Collection { samples: vec![Samples::default(); contenders], pace: None }
    }

    /// Returns the ticks that a core cycle took.
    pub(super) fn pace(&self, clock: &Clock) -> f64 {
        self.pace.unwrap_or(clock.ticks_per_cycle)
    }

    /// Collects until each contender has `wanted` samples, in turns of `turn`.
    ///
    /// Disturbed samples are set aside and taken again, a limited number of times. `take` makes as
    /// many calls of a contender as it is given.
    pub(super) fn collect(
        &mut self,
        (wanted, turn): (usize, usize),
        clock: &Clock,
        watch: &Watch,
        take: &mut dyn FnMut(usize, usize, &mut Turn<'_>),
        progress: &mut dyn FnMut(usize),
    ) {
        let all = &mut self.samples;
        let mut paces = Vec::new();
        for pass in 0..=RETRIES {
            let missing: Vec<usize> =
                all.iter().map(|samples| wanted.saturating_sub(samples.kept.len())).collect();
            let most = missing.iter().max().copied().unwrap_or(0);
            for done in (0..most).step_by(turn) {
                for (contender, samples) in all.iter_mut().enumerate() {
                    let calls = turn.min(missing[contender].saturating_sub(done));
                    if calls > 0 {
                        let mut turn = Turn::new(watch, clock, samples);
                        take(contender, calls, &mut turn);
                        turn.ask();
                    }
                }
                if pass == 0 {
                    progress(done + turn);
                }
            }
            paces.extend(all.iter().flat_map(|samples| &samples.turns).map(|&(_, pace)| pace));
            paces.sort_by(f64::total_cmp);
            let Some(&pace) = paces.get(paces.len() / 4) else { break };
            let first = *self.pace.get_or_insert(pace);
            let changed = (pace / first - 1.0).abs() > CHANGED;
            let scale = if changed { first / pace } else { 1.0 };
            for samples in &mut *all {
                samples.set_slowed_aside(pace, scale);
                samples.set_gaps_aside(clock);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOCK: Clock = Clock { ns_per_tick: 0.5, ..Clock::NANOSECONDS };

    fn kept_and_aside(ticks: impl IntoIterator<Item = f64>) -> (usize, usize) {
        let mut samples = Samples { kept: ticks.into_iter().collect(), ..Samples::default() };
        samples.set_gaps_aside(&CLOCK);
        (samples.kept.len(), samples.aside.len())
    }

    #[test]
    fn interrupted_samples_are_recognised_and_set_aside() {
        let quiet = |n: usize| (0..n).map(|n| 60.0 + (n % 9) as f64);
        assert_eq!(kept_and_aside(quiet(1000)), (1000, 0));
        // One interruption of 4 ms, and 300 of all kinds.
        assert_eq!(kept_and_aside(quiet(999).chain([8e6])), (999, 1));
        let busy = (0..300).map(|n| 5000.0 * f64::from(1 + n));
        assert_eq!(kept_and_aside(quiet(700).chain(busy)), (700, 300));
        // A missed cache line is no interruption.
        assert_eq!(kept_and_aside(quiet(999).chain([400.0])), (1000, 0));
        // Nor are mixed lengths, two ways through a branch, and too few samples to say.
        assert_eq!(kept_and_aside((0..1000).map(|n| 40.0 * f64::from(n))), (1000, 0));
        assert_eq!(kept_and_aside((0..1000).map(|n| f64::from(10_000 * (1 + n % 2)))), (1000, 0));
        assert_eq!(kept_and_aside([60.0, 1e6]), (2, 0));
        assert_eq!(kept_and_aside([]), (0, 0));
    }

    #[test]
    fn turns_at_a_lowered_clock_are_set_aside() {
        let kept = (0..31).map(f64::from).collect();
        let turns = vec![(10, 0.71), (10, 2.1), (1, 0.75), (10, 1.06)];
        let mut samples = Samples { kept, turns, ..Samples::default() };
        samples.set_slowed_aside(0.71, 1.0);
        assert_eq!((samples.kept.len(), samples.aside.len()), (11, 20));
        assert_eq!((samples.kept[10], samples.aside[0]), (20.0, 10.0));
        // Those judged once are not judged again.
        samples.kept.extend([40.0, 41.0]);
        samples.turns.push((2, 9.0));
        samples.set_slowed_aside(0.71, 1.0);
        assert_eq!((samples.kept.len(), samples.aside.len()), (11, 22));
        // Samples of a clock at half its speed take twice the ticks; only they are scaled.
        samples.kept.extend([40.0, 42.0]);
        samples.turns.push((2, 1.42));
        samples.set_slowed_aside(1.42, 0.5);
        assert_eq!(samples.kept[10..], [20.0, 20.0, 21.0]);
    }

    #[test]
    fn samples_set_aside_are_taken_again_but_not_for_ever() {
        let watch = Watch::start();
        let (mut calls, mut done) = ([0; 2], 0);
        // The first contender is interrupted in each tenth call, the second in each call but the
        // first of eight.
        let mut take = |contender: usize, count: usize, turn: &mut Turn<'_>| {
            for _ in 0..count {
                calls[contender] += 1;
                let interrupted = match contender {
                    0 => calls[0] % 10 == 0,
                    _ => calls[1] % 8 != 1,
                };
                if interrupted {
                    turn.samples.aside.push(1e7);
                } else {
                    turn.samples.kept.push(100.0);
                }
            }
        };
        let mut collection = Collection::new(2);
        collection.collect((95, TURN), &CLOCK, &watch, &mut take, &mut |n| done = n);
        let samples = &collection.samples;
        assert_eq!((samples[0].kept.len(), samples[0].aside.len()), (95, 10));
        assert!(samples[1].kept.len() < 95 && samples[1].all().count() <= 95 * (RETRIES + 1));
        assert_eq!(samples[1].usable().len(), samples[1].kept.len());
        assert_eq!(done, 100);
        // A second round adds to the first.
        collection.collect((190, TURN), &CLOCK, &watch, &mut take, &mut |n| done = n);
        assert_eq!(collection.samples[0].kept.len(), 190);
        let none = Samples { aside: vec![3.0, 2.0], ..Samples::default() };
        assert_eq!(none.usable(), [2.0, 3.0]);
    }
}
