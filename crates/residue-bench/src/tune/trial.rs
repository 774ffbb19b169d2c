//! The kernels of all comparisons, timed by turns until the time is over.

use crate::clock::Clock;
use crate::contender::Contender;
use crate::data::{Buffer, Data};
use crate::harness::{Calls, Rounds, Timed};
use crate::{Error, Progress};
use residue::Code;
use serde::Serialize;
use std::slice;
use std::time::{Duration, Instant};

/// The rounds of one comparison at one size before the next one has its turn.
const ROUNDS: usize = 15;

/// Two kernels of a code, timed side by side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The code.
    pub code: String,
    /// The simpler kernel, and the other one.
    pub kernels: [&'static str; 2],
    /// The times, by ascending size.
    pub points: Vec<Point>,
}

/// The times of two kernels at one size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Point {
    /// The size in bytes.
    pub bytes: usize,
    /// Nanoseconds a call, medians of the quietest rounds: the simpler kernel, and the other one.
    pub ns: [f64; 2],
    /// The number of quietest rounds.
    pub rounds: usize,
}

impl Point {
    /// Returns how many times as long as the other kernel the simpler one takes.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.ns[0] / self.ns[1]
    }
}

/// A comparison to make: code, kernels, ascending sizes.
pub(super) type Wanted = (Code, [&'static str; 2], Vec<usize>);

/// Makes the comparisons for about as long as `limit`, each at least once.
///
/// All of them take part in each of many passes, so that a disturbance of some seconds meets few
/// rounds of many figures instead of all rounds of one.
pub(super) fn compare(
    wanted: Vec<Wanted>,
    limit: Duration,
    clock: &Clock,
    progress: Progress<'_>,
) -> Result<Vec<Comparison>, Error> {
    let largest = wanted.iter().flat_map(|(.., sizes)| sizes).max().copied().unwrap_or(0);
    let mut buffer = Buffer::new(largest);
    let data = buffer.slice(0, largest);
    Data::Random.fill(&mut fastrand::Rng::with_seed(1), data);
    let data = &*data;

    let mut all = Vec::new();
    for (code, names, sizes) in &wanted {
        let pair = pair(code, *names)?;
        for &size in sizes {
            let expected = code.reference(&data[..size]);
            pair.iter().try_for_each(|one| one.check(code, &data[..size], expected))?;
        }
        all.push((pair, sizes));
    }
    let mut rounds: Vec<Vec<Rounds<'_>>> = all.iter().map(|one| timed(one, data)).collect();
    let (start, mut pass) = (Instant::now(), 0);
    let late = |pass: usize| pass > 0 && start.elapsed() >= limit;
    while !late(pass) {
        for one in rounds.iter_mut().flatten() {
            if late(pass) {
                break;
            }
            one.run(ROUNDS, clock);
            let done = start.elapsed().min(limit);
            progress(done.as_millis() as u64, limit.as_millis() as u64);
        }
        pass += 1;
    }

    let comparison = |((code, kernels, sizes), rounds): (&Wanted, &Vec<Rounds<'_>>)| {
        let points = sizes.iter().zip(rounds).filter_map(|(&bytes, rounds)| {
            let [simple, other] = rounds.times_apart(clock)[..] else { return None };
            Some(Point { bytes, ns: [simple.ns, other.ns], rounds: simple.rounds })
        });
        Comparison { code: code.name().to_string(), kernels: *kernels, points: points.collect() }
    };
    Ok(wanted.iter().zip(&rounds).map(comparison).collect())
}

/// Returns the kernels of these names, in this order.
fn pair(code: &Code, names: [&'static str; 2]) -> Result<Vec<Contender>, Error> {
    let kernel = |name: &str| {
        let mut found = Contender::of(code, Some(&[name.to_string()]));
        found.pop().ok_or_else(|| Error::NoKernel(name.to_string()))
    };
    names.into_iter().map(kernel).collect()
}

/// Prepares the rounds of two kernels at each size.
fn timed<'a>(
    (pair, sizes): &'a (Vec<Contender>, &'a Vec<usize>),
    data: &'a [u8],
) -> Vec<Rounds<'a>> {
    let rounds = |size: &'a usize| {
        let lengths = slice::from_ref(size);
        let calls = Calls { data, lengths, misaligned: false, latency: false };
        let timed = |contender: &'a Contender| -> Timed<'a> {
            Box::new(move |count, first| calls.time(&*contender.call, count, first))
        };
        Rounds::new(pair.iter().map(timed).collect(), false)
    };
    sizes.iter().map(rounds).collect()
}
