//! The measurement: contenders take turns, in batches of about 25 microseconds, and the median of the quiet rounds counts.
//!
//! In each round everyone is timed once, in an order that changes from round to round. A batch is preceded by one call that
//! is not timed. A shared machine runs fast for a while and slow for a while, and not everyone is slowed equally: therefore
//! several runs over everything, and of the rounds of all runs the quiet third. What is told contains the loop and the call through a pointer ([`empty_call`]), for everyone.

use crate::contender::{Call, Contender, Takes};
use residue_lab::speed::clock::{Clock, now};
use residue_lab::speed::data::{Buffer, Data};
use std::hint::black_box;

/// How calls are timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum Mode {
    /// Independent calls, one after another.
    Throughput,
    /// Each call's address depends on the answer of the one before.
    Latency,
    /// Independent calls, on buffers that begin 0 to 7 bytes behind a multiple of 64 in turn.
    Misaligned,
    /// Independent calls of unpredictable lengths, from 1 byte to the size.
    Mixed,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Mode; 4] = [Mode::Throughput, Mode::Latency, Mode::Misaligned, Mode::Mixed];

    /// `throughput`, `latency`, `misaligned` or `mixed`.
    #[must_use]
    pub fn name(self) -> &'static str {
        ["throughput", "latency", "misaligned", "mixed"][self as usize]
    }

    /// The longest size that tells more than throughput does.
    #[must_use]
    pub fn longest(self) -> usize {
        [usize::MAX, 4096, 1 << 20, 65536][self as usize]
    }

    /// Whether a contender can be timed so at a size.
    fn suits(self, contender: &Contender, size: usize) -> bool {
        let whole = matches!(self, Mode::Throughput | Mode::Latency) && size.is_multiple_of(2);
        size < contender.below && (contender.takes == Takes::Bytes || whole)
    }
}

/// One contender at one size.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The code's name.
    pub code: String,
    /// How calls were timed.
    pub mode: Mode,
    /// Bytes; the longest ones in [`Mode::Mixed`].
    pub size: usize,
    /// Who.
    pub contender: String,
    /// Its version.
    pub version: String,
    /// Bytes of a call, on average.
    pub bytes: f64,
    /// The median time of a call in the quiet rounds.
    pub ns: f64,
    /// The quartiles.
    pub quartiles: [f64; 2],
    /// How many rounds were quiet.
    pub rounds: usize,
}

/// What to measure.
pub struct Plan {
    /// Modes, in this order.
    pub modes: Vec<Mode>,
    /// Sizes, in this order.
    pub sizes: Vec<usize>,
    /// Rounds in a run.
    pub rounds: usize,
    /// Runs over everything: a disturbance that lasts meets one of them.
    pub runs: usize,
}

const BATCH_NS: f64 = 25_000.0;
/// Lengths in [`Mode::Mixed`] before they repeat: too many for a branch predictor to learn.
const LENGTHS: usize = 1 << 14;

/// Times the contenders, which are of one code or of several, each against those of its own code.
pub fn measure(
    plan: &Plan,
    groups: &[Vec<Contender>],
    clock: &Clock,
    progress: &mut dyn FnMut(&str),
) -> Vec<Cell> {
    let largest = plan.sizes.iter().max().copied().unwrap_or(0);
    let mut buffer = Buffer::new(largest + 64);
    Data::Random.fill(&mut fastrand::Rng::with_seed(1), buffer.slice(0, largest + 64));
    let data: &[u8] = buffer.slice(0, largest + 64);

    let mut races = Vec::new();
    for group in groups {
        for &mode in &plan.modes {
            for &size in plan.sizes.iter().filter(|&&size| size <= mode.longest()) {
                races.push(Race::new(group, mode, size));
            }
        }
    }
    for run in 1..=plan.runs {
        for race in &mut races {
            let code = race.runners.first().map_or("", |runner| runner.contender.code);
            let (mode, size, runs) = (race.mode.name(), race.size, plan.runs);
            progress(&format!("run {run} of {runs}: {code}, {mode}, {size} bytes"));
            race.run(plan.rounds, data, clock);
        }
    }
    progress("");
    races.into_iter().flat_map(|race| race.cells(clock)).collect()
}

/// Nanoseconds that the loop and the call take.
#[must_use]
pub fn empty_call(clock: &Clock) -> f64 {
    let empty = || timed(Mode::Throughput, |data| data.len() as u64, &[0; 64], 64, &[], 1 << 12, 0);
    (0..31).map(|_| clock.ns(empty() as f64) / f64::from(1 << 12)).fold(f64::INFINITY, f64::min)
}

/// The contenders for one code, mode and size.
struct Race {
    mode: Mode,
    size: usize,
    lengths: Vec<u32>,
    runners: Vec<Runner>,
}

struct Runner {
    contender: Contender,
    calls: usize,
    ticks: Vec<f64>,
}

impl Race {
    fn new(group: &[Contender], mode: Mode, size: usize) -> Race {
        let able = group.iter().filter(|contender| mode.suits(contender, size));
        let runner = |&contender: &Contender| Runner { contender, calls: 0, ticks: Vec::new() };
        let mut random = fastrand::Rng::with_seed(size as u64);
        let count = if mode == Mode::Mixed { LENGTHS } else { 0 };
        let lengths = (0..count).map(|_| random.u32(1..=size as u32)).collect();
        Race { mode, size, lengths, runners: able.map(runner).collect() }
    }

    /// One run: how many calls make a batch, then the rounds.
    fn run(&mut self, rounds: usize, data: &[u8], clock: &Clock) {
        let batch = |call: Call, calls: usize, from: usize| {
            timed(self.mode, call, data, self.size, &self.lengths, calls, from) as f64
        };
        for runner in &mut self.runners {
            // The first call may pay for tables and pages; of the others the fastest tells.
            let call = runner.contender.call;
            let trial = (0..4).map(|_| clock.ns(batch(call, 1, 0))).fold(f64::INFINITY, f64::min);
            let calls = |ns: f64| ((BATCH_NS / ns.max(0.5)) as usize).clamp(1, 1 << 15);
            let some = calls(trial).min(64);
            runner.calls = calls(clock.ns(batch(call, some, 0)) / some as f64);
        }
        if self.mode == Mode::Mixed {
            // The same lengths for everyone in a round.
            let most = self.runners.iter().map(|runner| runner.calls).max().unwrap_or(1);
            self.runners.iter_mut().for_each(|runner| runner.calls = most.max(256));
        }
        let count = self.runners.len();
        for round in 0..rounds {
            for turn in 0..count {
                // Another one first in each round, and every other round backwards: nobody always follows the same one.
                let place = if round % 2 == 0 { turn } else { count - 1 - turn };
                let runner = &mut self.runners[(place + round / 2) % count];
                let (call, calls, from) = (runner.contender.call, runner.calls, round * 997);
                if calls > 1 {
                    black_box(batch(call, 1, from));
                }
                runner.ticks.push(batch(call, calls, from) / calls as f64);
            }
        }
    }

    /// Keeps the quiet third of the rounds, the same for everyone: those with the least geometric mean of the times in them.
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

    fn cells(mut self, clock: &Clock) -> impl Iterator<Item = Cell> {
        self.keep_quiet();
        let Race { mode, size, lengths, runners } = self;
        let mean = lengths.iter().map(|&length| f64::from(length)).sum::<f64>();
        let bytes = if lengths.is_empty() { size as f64 } else { mean / lengths.len() as f64 };
        let clock = *clock;
        runners.into_iter().map(move |mut runner| {
            runner.ticks.sort_by(f64::total_cmp);
            let at = |share: f64| {
                let place = (runner.ticks.len().saturating_sub(1) as f64 * share).round();
                clock.ns(runner.ticks.get(place as usize).copied().unwrap_or(f64::NAN))
            };
            Cell {
                code: runner.contender.code.to_string(),
                mode,
                size,
                contender: runner.contender.name.to_string(),
                version: runner.contender.version(),
                bytes,
                ns: at(0.5),
                quartiles: [at(0.25), at(0.75)],
                rounds: runner.ticks.len(),
            }
        })
    }
}

/// The ticks of so many calls.
#[inline(never)]
fn timed(
    mode: Mode,
    call: Call,
    data: &[u8],
    size: usize,
    lengths: &[u32],
    calls: usize,
    from: usize,
) -> u64 {
    // Which function it is must stay unknown here, or its body would be merged into the loop.
    let call = black_box(call);
    // Always zero, which the compiler does not know: with it an address hangs on the last answer.
    let mask = black_box(0u64);
    let mut value = 0;
    let start = now();
    match mode {
        Mode::Throughput => {
            for _ in 0..calls {
                value ^= call(&data[..size]);
            }
        }
        Mode::Latency => {
            for _ in 0..calls {
                let offset = (value & mask) as usize;
                value = call(&data[offset..offset + size]);
            }
        }
        Mode::Misaligned => {
            for number in 0..calls {
                let offset = number % 8;
                value ^= call(&data[offset..offset + size]);
            }
        }
        Mode::Mixed => {
            for number in 0..calls {
                let length = lengths[(from + number) % LENGTHS];
                value ^= call(&data[..length as usize]);
            }
        }
    }
    let end = now();
    black_box(value);
    end.saturating_sub(start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contender::SUBJECTS;

    #[test]
    fn disturbed_rounds_are_left_out() {
        let runner = |ticks: [f64; 6]| Runner {
            contender: Contender::ours(&SUBJECTS[0]),
            calls: 1,
            ticks: ticks.to_vec(),
        };
        let runners = vec![
            runner([16.0, 11.0, 16.0, 10.0, 16.0, 9.0]),
            runner([32.0, 20.0, 32.0, 20.0, 32.0, 90.0]),
        ];
        let (mode, lengths) = (Mode::Throughput, Vec::new());
        let mut race = Race { mode, size: 8, lengths, runners };
        race.keep_quiet();
        assert_eq!(race.runners[0].ticks, [10.0, 11.0]);
        assert_eq!(race.runners[1].ticks, [20.0, 20.0]);
    }

    #[test]
    fn everyone_gets_every_cell() {
        let slow = Contender {
            name: "slow",
            call: |data| data.iter().map(|&byte| u64::from(black_box(byte))).sum(),
            ..Contender::ours(&SUBJECTS[0])
        };
        let words = Contender { name: "words", takes: Takes::Words, ..slow };
        let group = vec![Contender::ours(&SUBJECTS[0]), slow, words];
        let plan = Plan { modes: Mode::ALL.to_vec(), sizes: vec![64, 1 << 20], rounds: 3, runs: 2 };
        let clock = Clock { ns_per_tick: 1.0, ticks_per_cycle: 1.0, resolution: 1.0 };
        let cells = measure(&plan, &[group], &clock, &mut |_| ());
        // Words: throughput at both sizes, latency at one. The others: 2 + 1 + 2 + 1.
        assert_eq!(cells.len(), 3 + 6 + 6);
        assert!(cells.iter().all(|cell| cell.rounds == 2 && cell.ns > 0.0));
        let of = |name| cells.iter().find(|c| c.contender == name && c.size == 1 << 20);
        assert!(of("slow").map(|c| c.ns) > of("residue").map(|c| c.ns));
    }
}
