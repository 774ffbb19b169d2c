//! Times functions side by side: batches of calls, taken by turns.
//!
//! [`Calls`] are calls of one function, [`ticks`] times any others, and [`Rounds`] compares several
//! of either kind. A batch takes about [`BATCH_NS`], so that the cost of reading the counter does
//! not matter.
//!
//! ```
//! use residue_bench::{clock::Clock, harness::{Calls, Rounds, Timed}};
//!
//! let data = [7; 1500];
//! let calls = Calls { data: &data, lengths: &[1500], misaligned: false, latency: false };
//! let timed = |call: fn(&[u8]) -> u64| -> Timed<'_> {
//!     Box::new(move |count, first| calls.time(call, count, first))
//! };
//! let functions = vec![timed(|data| residue::crc32c(data).into()), timed(residue::crc64_nvme)];
//! let (mut rounds, clock) = (Rounds::new(functions, false), Clock::calibrate());
//! rounds.run(9, &clock);
//! let times = rounds.times(&clock);
//! assert!(times.len() == 2 && times[0].ns > 0.0);
//! ```

use super::clock::{Clock, now};
use super::statistic::{middle, ranked};
use std::hint::black_box;

/// The time that a batch of calls takes, in nanoseconds; a single call may take longer.
pub const BATCH_NS: f64 = 25_000.0;

/// Returns the ticks that `step` takes for each number below `count`, in order.
#[inline(always)]
pub fn ticks(count: usize, step: impl FnMut(usize)) -> u64 {
    let start = now();
    (0..count).for_each(step);
    now().saturating_sub(start)
}

/// Calls of one function on bytes, one after another.
#[derive(Debug, Clone, Copy)]
pub struct Calls<'a> {
    /// The bytes: seven more than the greatest length where `misaligned`.
    pub data: &'a [u8],
    /// The lengths of the calls in turn; one for calls of equal length.
    pub lengths: &'a [usize],
    /// Whether the calls begin at each of the first eight bytes in turn, not at the first one.
    pub misaligned: bool,
    /// Whether the address of each call depends on the value of the one before.
    pub latency: bool,
}

impl Calls<'_> {
    /// Returns the ticks of `count` calls, of which the first has the length of number `first`.
    ///
    /// The compiler cannot see through `call` if it is a pointer: it is not merged with the loop.
    ///
    /// # Panics
    /// If there is no length, or a length is greater than the data.
    pub fn time(&self, call: impl Fn(&[u8]) -> u64 + Copy, count: usize, first: usize) -> u64 {
        // Unknown to the compiler: the function, or its body would be merged into the loop; and
        // zero, with which the next address depends on the last value. As parameters of a function
        // that is not inlined, both stay in registers.
        let (call, zero) = (black_box(call), black_box(0));
        match (self.latency, self.misaligned) {
            (false, false) => self.batch::<false, false>(call, zero, count, first),
            (false, true) => self.batch::<false, true>(call, zero, count, first),
            (true, false) => self.batch::<true, false>(call, zero, count, first),
            (true, true) => self.batch::<true, true>(call, zero, count, first),
        }
    }

    /// Times a batch.
    ///
    /// There is a loop for each kind of calls: a choice inside it may be compiled to a conditional
    /// move, by which every call would wait for the one before.
    #[inline(never)]
    fn batch<const LATENCY: bool, const MISALIGNED: bool>(
        &self,
        call: impl Fn(&[u8]) -> u64,
        zero: u64,
        count: usize,
        first: usize,
    ) -> u64 {
        let (data, lengths) = (self.data, self.lengths);
        let (mut value, mut next) = (0, first % lengths.len());
        let mut one = |number: usize, length: usize| {
            let offset = if MISALIGNED { number % 8 } else { 0 };
            let offset = if LATENCY { offset + (value & zero) as usize } else { offset };
            let result = call(&data[offset..offset + length]);
            value = if LATENCY { result } else { value ^ result };
        };
        let ticks = match lengths {
            &[length] => ticks(count, |number| one(number, length)),
            lengths => ticks(count, |number| {
                one(number, lengths[next]);
                next = if next + 1 < lengths.len() { next + 1 } else { 0 };
            }),
        };
        black_box(value);
        ticks
    }
}

/// Returns the number of calls that take [`BATCH_NS`], at least one. `time` returns the ticks of so
/// many calls.
#[must_use]
pub fn calls_in_batch(clock: &Clock, mut time: impl FnMut(usize) -> u64) -> usize {
    // The first call may pay for tables and pages, and some are interrupted: the fastest counts.
    let mut calls = |count: usize| {
        let trials = (0..4).map(|_| clock.ns(time(count) as f64));
        let ns = trials.fold(f64::INFINITY, f64::min) / count as f64;
        ((BATCH_NS / ns.max(0.5)) as usize).clamp(1, 1 << 15)
    };
    // A single call is too short to be timed well.
    match calls(1) {
        1 => 1,
        some => calls(some.min(64)),
    }
}

/// A function that makes a number of calls, from one of a series on, and returns their ticks.
pub type Timed<'a> = Box<dyn FnMut(usize, usize) -> u64 + 'a>;

/// Functions that are compared, each timed once in every round.
///
/// A shared machine runs fast for a while and slow for a while, and does not slow all functions
/// alike. Therefore all of them are judged by the same rounds, the third in which all together took
/// least time: ratios need it, while the benchmark, whose figures are absolute, judges each sample
/// by itself. Rounds should be taken in several runs, with other work between.
pub struct Rounds<'a> {
    functions: Vec<Function<'a>>,
    /// Whether calls of the series differ, so that all functions must make the same ones.
    differing: bool,
    /// The source of the order of turns.
    random: fastrand::Rng,
}

struct Function<'a> {
    timed: Timed<'a>,
    /// The number of calls in a batch.
    calls: usize,
    /// The ticks of a call, by round.
    ticks: Vec<f64>,
}

/// The time of a call of one function.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Time {
    /// The median of the quiet rounds in nanoseconds.
    pub ns: f64,
    /// Their quartiles.
    pub quartiles: [f64; 2],
    /// The number of quiet rounds.
    pub rounds: usize,
}

impl Time {
    /// Returns the time of ascending ticks.
    fn of(sorted: &[f64], clock: &Clock) -> Time {
        let quartile = |part: f64| match sorted.len() {
            0 => 0.0,
            count => clock.ns(ranked(sorted, count as f64 * part, 0.0)),
        };
        Time {
            ns: clock.ns(middle(sorted, 0.0).median),
            quartiles: [quartile(0.25), quartile(0.75)],
            rounds: sorted.len(),
        }
    }
}

impl<'a> Rounds<'a> {
    /// The least number of calls in a batch where calls differ.
    const DIFFERING: usize = 256;

    /// Prepares the comparison. `differing` says that the calls of a series differ; all functions
    /// make the same number of calls then.
    #[must_use]
    pub fn new(functions: Vec<Timed<'a>>, differing: bool) -> Rounds<'a> {
        let function = |timed| Function { timed, calls: 0, ticks: Vec::new() };
        let functions = functions.into_iter().map(function).collect();
        Rounds { functions, differing, random: fastrand::Rng::with_seed(1) }
    }

    /// The time in which memory that was little used becomes fast, in nanoseconds.
    ///
    /// On a Xeon (Granite Rapids, 2026-11-23) a call on 64 MiB takes 5.0 ms after 25 ms of code
    /// that reads little, 3.4 ms four calls later and 2.6 ms eight calls later.
    const AWAKE_NS: f64 = 30e6;

    /// A function that takes so many times as long as the fastest one is slow.
    const SLOW: f64 = 4.0;

    /// Makes one run: finds how many calls make a batch, then takes so many rounds.
    ///
    /// The order is another one in each round, so that none always follows the same one. One call
    /// that is not timed precedes each batch. Calls too long for that are mostly bound by the
    /// memory, which slow functions leave idle: these come last in a round, and before each round
    /// the others run until the memory is fast.
    pub fn run(&mut self, rounds: usize, clock: &Clock) {
        for function in &mut self.functions {
            function.calls = calls_in_batch(clock, |count| (function.timed)(count, 0));
        }
        if self.differing {
            let most = self.functions.iter().map(|function| function.calls).max().unwrap_or(1);
            self.functions.iter_mut().for_each(|one| one.calls = most.max(Self::DIFFERING));
        }
        let mut order: Vec<usize> = (0..self.functions.len()).collect();
        let long = self.functions.iter().all(|function| function.calls == 1);
        let fast = if long { self.fast() } else { Vec::new() };
        for round in 0..rounds {
            self.random.shuffle(&mut order);
            if long {
                order.sort_by_key(|place| !fast.contains(place));
                self.wake(&fast, clock);
            }
            for &place in &order {
                let function = &mut self.functions[place];
                let (calls, first) = (function.calls, round * 997);
                if calls > 1 {
                    black_box((function.timed)(1, first));
                }
                function.ticks.push((function.timed)(calls, first) as f64 / calls as f64);
            }
        }
    }

    /// Returns the places of the functions that are not slow.
    fn fast(&mut self) -> Vec<usize> {
        let one = |function: &mut Function<'_>| (function.timed)(1, 0) as f64;
        let ticks: Vec<f64> = self.functions.iter_mut().map(one).collect();
        let limit = ticks.iter().copied().fold(f64::INFINITY, f64::min) * Self::SLOW;
        (0..ticks.len()).filter(|&place| ticks[place] <= limit).collect()
    }

    /// Calls the functions at some places in turn, until the memory is fast.
    fn wake(&mut self, places: &[usize], clock: &Clock) {
        let mut ns = 0.0;
        for &place in places.iter().cycle() {
            ns += clock.ns((self.functions[place].timed)(1, 0).max(1) as f64);
            if ns >= Self::AWAKE_NS {
                return;
            }
        }
    }

    /// Returns the times of the functions in their order.
    #[must_use]
    pub fn times(&self, clock: &Clock) -> Vec<Time> {
        let quiet = self.quiet();
        let time = |function: &Function<'_>| {
            let mut sorted: Vec<f64> = quiet.iter().map(|&round| function.ticks[round]).collect();
            sorted.sort_by(f64::total_cmp);
            Time::of(&sorted, clock)
        };
        self.functions.iter().map(time).collect()
    }

    /// Returns the numbers of the quiet rounds: the third with the least geometric mean of the
    /// times in them.
    fn quiet(&self) -> Vec<usize> {
        let rounds = self.functions.iter().map(|one| one.ticks.len()).min().unwrap_or(0);
        let mean = |round: usize| {
            self.functions.iter().map(|one| one.ticks[round].max(1e-9).ln()).sum::<f64>()
        };
        let mut order: Vec<(f64, usize)> = (0..rounds).map(|round| (mean(round), round)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        order.truncate(rounds.div_ceil(3));
        order.into_iter().map(|(_, round)| round).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn disturbed_rounds_are_left_out() {
        let ticks = [[16.0, 11.0, 16.0, 10.0, 16.0, 9.0], [32.0, 20.0, 32.0, 20.0, 32.0, 90.0]];
        let function = |ticks: [f64; 6]| Function {
            timed: Box::new(|_, _| 0),
            calls: 1,
            ticks: ticks.to_vec(),
        };
        let functions = ticks.map(function).into();
        let rounds = Rounds { functions, ..Rounds::new(Vec::new(), false) };
        assert_eq!(rounds.quiet(), [3, 1]);
        let clock = Clock { ns_per_tick: 0.5, ..Clock::NANOSECONDS };
        let time = |ns, quartiles| Time { ns, quartiles, rounds: 2 };
        assert_eq!(rounds.times(&clock), [time(5.25, [5.0, 5.5]), time(10.0, [10.0, 10.0])]);
        assert!(Rounds::new(Vec::new(), false).times(&clock).is_empty());
    }

    #[test]
    fn all_functions_take_part_in_every_round_in_any_order() {
        let order = RefCell::new(Vec::new());
        let timed = |name: usize, ns: u64| -> Timed<'_> {
            let order = &order;
            Box::new(move |count, first| {
                order.borrow_mut().push((name, count, first));
                ns * count as u64
            })
        };
        let functions = || vec![timed(0, 30_000), timed(1, 100), timed(2, 1000)];
        let mut rounds = Rounds::new(functions(), false);
        rounds.run(601, &Clock::NANOSECONDS);
        let batches = [(0, 1), (1, 250), (2, 25)];
        let timed: Vec<_> = order.take().into_iter().filter(|&(_, _, first)| first > 0).collect();
        assert!(timed.iter().all(|&(name, count, _)| count == 1 || batches[name].1 == count));
        let batch = |&&(name, count, _): &&(usize, usize, usize)| count == batches[name].1;
        let turns: Vec<_> = timed.iter().filter(batch).collect();
        let mut follows = [[0; 3]; 3];
        for round in turns.chunk_by(|a, b| a.2 == b.2) {
            let mut names: Vec<usize> = round.iter().map(|turn| turn.0).collect();
            names.windows(2).for_each(|pair| follows[pair[0]][pair[1]] += 1);
            names.sort_unstable();
            assert_eq!(names, [0, 1, 2]);
        }
        // Each follows each other one in a third of 600 rounds.
        for (i, row) in follows.iter().enumerate() {
            let as_often = |(j, &times): (usize, &i32)| i == j || (140..260).contains(&times);
            assert!(row.iter().enumerate().all(as_often), "{follows:?}");
        }
        let times: Vec<f64> = rounds.times(&Clock::NANOSECONDS).iter().map(|one| one.ns).collect();
        assert_eq!(times, [30_000.0, 100.0, 1000.0]);
        // Where calls differ, all make the same ones.
        Rounds::new(functions(), true).run(2, &Clock::NANOSECONDS);
        let counts: Vec<usize> = order.take().iter().rev().step_by(2).map(|one| one.1).collect();
        assert_eq!(counts[..6], [256; 6]);
    }

    #[test]
    fn slow_functions_come_after_the_others_where_one_call_is_long() {
        let order = RefCell::new(Vec::new());
        let timed = |name: usize, ns: u64| -> Timed<'_> {
            let order = &order;
            Box::new(move |_, first| {
                order.borrow_mut().push((name, first));
                ns
            })
        };
        let (slow, fast) = (90_000_000, 10_000_000);
        let functions = vec![timed(0, slow), timed(1, fast), timed(2, slow), timed(3, 2 * fast)];
        let mut rounds = Rounds::new(functions, false);
        rounds.run(9, &Clock::NANOSECONDS);
        let calls = order.take();
        for round in calls.split(|&(_, first)| first == 0).filter(|calls| calls.len() == 4) {
            let mut names: Vec<usize> = round.iter().map(|call| call.0).collect();
            names[..2].sort_unstable();
            names[2..].sort_unstable();
            assert_eq!(names, [1, 3, 0, 2]);
        }
        // Before each of the last eight, two calls of the faster ones, of 30 ms together.
        let woken: Vec<_> = calls.iter().rev().take(8 * 6).filter(|call| call.1 == 0).collect();
        assert_eq!(woken.iter().map(|call| call.0).sum::<usize>(), 8 * (1 + 3), "{woken:?}");
    }

    #[test]
    fn calls_have_their_lengths_and_addresses() {
        let (data, seen) = ([0; 24], RefCell::new(Vec::new()));
        let call = |bytes: &[u8]| {
            let offset = bytes.as_ptr() as usize - data.as_ptr() as usize;
            seen.borrow_mut().push((offset, bytes.len()));
            u64::MAX
        };
        let calls = Calls { data: &data, lengths: &[5], misaligned: false, latency: false };
        let made = |calls: Calls<'_>, count, first| {
            calls.time(call, count, first);
            seen.take()
        };
        assert_eq!(made(calls, 3, 7), [(0, 5); 3]);
        assert_eq!(made(Calls { latency: true, ..calls }, 2, 0), [(0, 5); 2]);
        let misaligned = made(Calls { misaligned: true, ..calls }, 9, 0);
        assert_eq!(misaligned[6..], [(6, 5), (7, 5), (0, 5)]);
        let mixed = made(Calls { lengths: &[1, 2, 3], ..calls }, 4, 5);
        assert_eq!(mixed, [(0, 3), (0, 1), (0, 2), (0, 3)]);
    }
}
