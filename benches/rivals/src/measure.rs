//! Measures calls of one length or of several, batches of packets, copies, several threads.
//!
//! Every time contains the loop and the call through a pointer ([`empty_call`]), for everyone.

use crate::contender::{Call, Contender, Takes};
use crate::race::{Race, Runner};
use crate::{batch, copy, threads};
use residue_bench::clock::{Clock, now};
use residue_bench::data::{Buffer, Data};
use std::cell::RefCell;
use std::hint::black_box;
use std::ops::RangeInclusive;
use std::rc::Rc;

/// The mode in which calls are timed.
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
    /// Batches of 16 packets of one length; the rivals take one packet after the other.
    Batch,
    /// Batches of 32 packets of unpredictable lengths: of 12 packets 7 have 40 bytes, 4 have 576
    /// and 1 has 1500.
    Imix,
    /// A copy and the check value of what was copied; the rivals do one after the other.
    Copy,
    /// Large data on all CPUs: `residue::parallel` beside `residue` on one of them.
    ///
    /// No rival has such a function.
    Threads,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Mode; 8] = [
        Mode::Throughput,
        Mode::Latency,
        Mode::Misaligned,
        Mode::Mixed,
        Mode::Batch,
        Mode::Imix,
        Mode::Copy,
        Mode::Threads,
    ];

    /// `throughput`, `latency`, ...
    #[must_use]
    pub fn name(self) -> &'static str {
        const NAMES: [&str; 8] =
            ["throughput", "latency", "misaligned", "mixed", "batch", "imix", "copy", "threads"];
        NAMES[self as usize]
    }

    /// Returns the sizes that show more than throughput does.
    #[must_use]
    pub fn sizes(self) -> RangeInclusive<usize> {
        match self {
            Mode::Throughput => 0..=LARGE,
            Mode::Latency => 0..=4096,
            Mode::Misaligned => 0..=1 << 20,
            Mode::Mixed => 0..=65536,
            Mode::Batch => 0..=batch::LONGEST,
            Mode::Imix => batch::LONGEST..=batch::LONGEST,
            Mode::Copy => 64..=LARGE,
            Mode::Threads => LARGE..=usize::MAX,
        }
    }

    /// Returns whether a contender can be timed so at a size.
    pub fn suits(self, contender: &Contender, size: usize) -> bool {
        let even = matches!(self, Mode::Throughput | Mode::Latency | Mode::Copy);
        let whole = even && size.is_multiple_of(2);
        size < contender.below && (contender.takes == Takes::Bytes || whole)
    }
}

/// One contender at one size.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The code's name.
    pub code: String,
    /// The mode in which calls were timed.
    pub mode: Mode,
    /// Bytes; the most of them in [`Mode::Mixed`] and [`Mode::Imix`].
    pub size: usize,
    /// The contender's name.
    pub contender: String,
    /// Its version.
    pub version: String,
    /// Bytes of a call, in batches of a packet, on average.
    pub bytes: f64,
    /// The median time of a call, in batches for a packet, in the quiet rounds.
    pub ns: f64,
    /// The quartiles.
    pub quartiles: [f64; 2],
    /// The number of quiet rounds.
    pub rounds: usize,
}

/// The extent of a measurement.
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

/// The size above which no cache holds the data: longer data show nothing new of one thread, while
/// several threads gain more on them.
const LARGE: usize = 64 << 20;

/// Lengths in [`Mode::Mixed`] before they repeat: too many for a branch predictor to learn.
const LENGTHS: usize = 1 << 14;

/// Times the contenders, which are of one code or of several, each against those of its own code.
///
/// # Errors
/// Returns an error if `residue` gives a wrong answer in a batch, in a copy or on several threads,
/// and if there is nothing to measure.
pub fn measure(
    plan: &Plan,
    groups: &[Vec<Contender>],
    clock: &Clock,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<Cell>, String> {
    let largest = plan.sizes.iter().max().copied().unwrap_or(0).max(batch::WINDOW + batch::LONGEST);
    let mut buffer = Buffer::new(largest + 64);
    Data::Random.fill(&mut fastrand::Rng::with_seed(1), buffer.slice(0, largest + 64));
    let data: &[u8] = buffer.slice(0, largest + 64);
    let copied = plan.sizes.iter().filter(|size| Mode::Copy.sizes().contains(size)).max();
    let destination = RefCell::new(Buffer::new(copied.copied().unwrap_or(0)));

    let mut races = Vec::new();
    for group in groups {
        for &mode in &plan.modes {
            for &size in plan.sizes.iter().filter(|size| mode.sizes().contains(size)) {
                races.push(match mode {
                    Mode::Batch | Mode::Imix => batch::race(group, mode, size, data)?,
                    Mode::Copy => copy::race(group, size, data, &destination)?,
                    Mode::Threads => threads::race(group, size, data)?,
                    _ => calls(group, mode, size, data),
                });
            }
        }
    }
    races.retain(|race| race.runners.len() > 1);
    if races.is_empty() {
        return Err("none of these modes is measured at these sizes".to_string());
    }
    for run in 1..=plan.runs {
        for race in &mut races {
            let (code, mode, size, runs) = (race.code, race.mode.name(), race.size, plan.runs);
            progress(&format!("run {run} of {runs}: {code}, {mode}, {size} bytes"));
            race.run(plan.rounds, clock);
        }
    }
    progress("");
    Ok(races.into_iter().flat_map(|race| race.cells(clock)).collect())
}

/// Races calls of one length, or of lengths up to the size.
fn calls<'a>(group: &[Contender], mode: Mode, size: usize, data: &'a [u8]) -> Race<'a> {
    let mut random = fastrand::Rng::with_seed(size as u64);
    let count = if mode == Mode::Mixed { LENGTHS } else { 0 };
    let lengths: Rc<[u32]> = (0..count).map(|_| random.u32(1..=size as u32)).collect();
    let sum: f64 = lengths.iter().map(|&length| f64::from(length)).sum();
    let bytes = if count == 0 { size as f64 } else { sum / count as f64 };
    let runner = |contender: &Contender| {
        let (call, lengths) = (contender.call, Rc::clone(&lengths));
        let batch = move |calls, from| timed(mode, call, data, size, &lengths, calls, from);
        Runner::new(contender, contender.name, Box::new(batch))
    };
    let runners =
        group.iter().filter(|contender| mode.suits(contender, size)).map(runner).collect();
    let code = group.first().map_or("", |contender| contender.code);
    Race { code, mode, size, bytes, parts: 1, differing: mode == Mode::Mixed, runners }
}

/// Returns nanoseconds that the loop and the call take.
#[must_use]
pub fn empty_call(clock: &Clock) -> f64 {
    let empty = || timed(Mode::Throughput, |data| data.len() as u64, &[0; 64], 64, &[], 1 << 12, 0);
    (0..31).map(|_| clock.ns(empty() as f64) / f64::from(1 << 12)).fold(f64::INFINITY, f64::min)
}

/// Returns the ticks of so many calls.
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
        // The others have loops of their own.
        Mode::Throughput | Mode::Batch | Mode::Imix | Mode::Copy | Mode::Threads => {
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
    fn everyone_gets_every_cell() {
        let slow = Contender {
            name: "slow",
            call: |data| data.iter().map(|&byte| u64::from(black_box(byte))).sum(),
            many: None,
            singly: None,
            copied: None,
            ..Contender::ours(&SUBJECTS[0])
        };
        let words = Contender { name: "words", takes: Takes::Words, ..slow };
        let group = vec![Contender::ours(&SUBJECTS[0]), slow, words];
        let cells = measured(group).expect("right answers");
        let of = |mode: Mode| cells.iter().filter(|cell| cell.mode == mode).count();
        // Words: no odd lengths or addresses. Batches: ours and ours one by one. Copies: with ours
        // apart, and the copy alone. Threads: longer data only.
        assert_eq!(Mode::ALL.map(of), [6, 3, 4, 2, 2, 0, 10, 0]);
        assert!(cells.iter().all(|cell| cell.rounds == 2 && cell.ns.is_finite()));
    }

    fn measured(group: Vec<Contender>) -> Result<Vec<Cell>, String> {
        let plan = Plan { modes: Mode::ALL.to_vec(), sizes: vec![64, 1 << 20], rounds: 3, runs: 2 };
        let clock = Clock::NANOSECONDS;
        measure(&plan, &[group], &clock, &mut |_| ())
    }

    #[test]
    fn wrong_batches_and_copies_are_refused() {
        let ours = Contender::ours(&SUBJECTS[0]);
        let copied = Some((|from, _| residue::crc32c(from).into()) as crate::contender::Copied);
        let refused = measured(vec![Contender { copied, ..ours }]);
        assert!(refused.is_err_and(|why| why.contains("gives other bytes")));
        let refused = measured(vec![Contender { many: Some(|_, _| ()), ..ours }]);
        assert!(refused.is_err_and(|why| why.contains("packet 0 of a batch")));
    }
}
