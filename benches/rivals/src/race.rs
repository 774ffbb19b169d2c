//! Contenders take turns, in batches of about 25 microseconds, and the median of the quiet rounds
//! counts.
//!
//! In each round everyone is timed once, in an order that changes from round to round. A batch is
//! preceded by one call that is not timed. A shared machine runs fast for a while and slow for a
//! while, and not everyone is slowed equally: therefore several runs over everything, and of the
//! rounds of all runs the quiet third.

use crate::contender::Contender;
use crate::measure::{Cell, Mode};
use residue_bench::clock::Clock;
use std::hint::black_box;

const BATCH_NS: f64 = 25_000.0;
/// The least number of calls in a batch where calls differ.
const DIFFERING: usize = 256;

/// A function that makes so many calls, from this one of a series on, and returns their ticks.
pub type Timed<'a> = Box<dyn FnMut(usize, usize) -> u64 + 'a>;

/// The contenders for one code, mode and size.
pub struct Race<'a> {
    /// The code's name.
    pub code: &'static str,
    /// The mode in which calls are timed.
    pub mode: Mode,
    /// The cells' size.
    pub size: usize,
    /// The bytes that a time is for, on average.
    pub bytes: f64,
    /// The number of packets in a call of a batch; each time is for one.
    pub parts: usize,
    /// Whether calls of a series differ, so that everyone must make the same ones.
    pub differing: bool,
    /// Those who take part.
    pub runners: Vec<Runner<'a>>,
}

/// One who takes part.
pub struct Runner<'a> {
    name: &'static str,
    version: String,
    timed: Timed<'a>,
    calls: usize,
    ticks: Vec<f64>,
}

impl<'a> Runner<'a> {
    /// Creates a runner: `contender`, or another use of it, called `name`.
    pub fn new(contender: &Contender, name: &'static str, timed: Timed<'a>) -> Runner<'a> {
        Runner { name, version: contender.version(), timed, calls: 0, ticks: Vec::new() }
    }
}

impl Race<'_> {
    /// Makes one run: finds how many calls make a batch, then takes the rounds.
    pub fn run(&mut self, rounds: usize, clock: &Clock) {
        for runner in &mut self.runners {
            // The first call may pay for tables and pages; of the others the fastest counts.
            let timed = &mut runner.timed;
            let trial = (0..4).map(|_| clock.ns(timed(1, 0) as f64)).fold(f64::INFINITY, f64::min);
            let calls = |ns: f64| ((BATCH_NS / ns.max(0.5)) as usize).clamp(1, 1 << 15);
            let some = calls(trial).min(64);
            runner.calls = calls(clock.ns(timed(some, 0) as f64) / some as f64);
        }
        if self.differing {
            let most = self.runners.iter().map(|runner| runner.calls).max().unwrap_or(1);
            self.runners.iter_mut().for_each(|runner| runner.calls = most.max(DIFFERING));
        }
        let count = self.runners.len();
        for round in 0..rounds {
            for turn in 0..count {
                // Another one first in each round, and every other round backwards: nobody always
                // follows the same one.
                let place = if round % 2 == 0 { turn } else { count - 1 - turn };
                let runner = &mut self.runners[(place + round / 2) % count];
                let (calls, from) = (runner.calls, round * 997);
                if calls > 1 {
                    black_box((runner.timed)(1, from));
                }
                let ticks = (runner.timed)(calls, from) as f64;
                runner.ticks.push(ticks / (calls * self.parts) as f64);
            }
        }
    }

    /// Keeps the quiet third of the rounds, the same for everyone: those with the least geometric
    /// mean of the times in them.
    fn keep_quiet(&mut self) {
        let rounds = self.runners.iter().map(|runner| runner.ticks.len()).min().unwrap_or(0);
        let mean = |round: usize| {
            self.runners.iter().map(|runner| runner.ticks[round].max(1e-9).ln()).sum::<f64>()
        };
        let mut order: Vec<(f64, usize)> = (0..rounds).map(|round| (mean(round), round)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        order.truncate(rounds.div_ceil(3));
        for runner in &mut self.runners {
            runner.ticks = order.iter().map(|&(_, round)| runner.ticks[round]).collect();
        }
    }

    /// Returns the results.
    pub fn cells(mut self, clock: &Clock) -> impl Iterator<Item = Cell> {
        self.keep_quiet();
        let Race { code, mode, size, bytes, runners, .. } = self;
        let clock = *clock;
        runners.into_iter().map(move |mut runner| {
            runner.ticks.sort_by(f64::total_cmp);
            let at = |share: f64| {
                let place = (runner.ticks.len().saturating_sub(1) as f64 * share).round();
                clock.ns(runner.ticks.get(place as usize).copied().unwrap_or(f64::NAN))
            };
            Cell {
                code: code.to_string(),
                mode,
                size,
                contender: runner.name.to_string(),
                bytes,
                ns: at(0.5),
                quartiles: [at(0.25), at(0.75)],
                rounds: runner.ticks.len(),
                version: runner.version,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contender::SUBJECTS;

    #[test]
    fn disturbed_rounds_are_left_out() {
        let runner = |ticks: [f64; 6]| Runner {
            ticks: ticks.to_vec(),
            ..Runner::new(&Contender::ours(&SUBJECTS[0]), "", Box::new(|_, _| 0))
        };
        let runners = vec![
            runner([16.0, 11.0, 16.0, 10.0, 16.0, 9.0]),
            runner([32.0, 20.0, 32.0, 20.0, 32.0, 90.0]),
        ];
        let (code, mode) = ("", Mode::Throughput);
        let mut race =
            Race { code, mode, size: 8, bytes: 8.0, parts: 1, differing: false, runners };
        race.keep_quiet();
        assert_eq!(race.runners[0].ticks, [10.0, 11.0]);
        assert_eq!(race.runners[1].ticks, [20.0, 20.0]);
    }
}
