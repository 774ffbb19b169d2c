//! Measures calls of one length or of several, batches of packets, copies, several threads.
//!
//! Every time contains the loop and the call through a pointer ([`empty_call`]), for everyone.

use crate::contender::{Call, Contender};
use crate::model::{Cell, LONG, Mode, Plan};
use crate::race::{Race, Runner};
use crate::{batch, copy, threads, walk};
use residue_bench::clock::Clock;
use residue_bench::data::{Buffer, Data};
use residue_bench::harness::Calls;
use std::cell::RefCell;
use std::rc::Rc;

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
    let walks = plan.modes.contains(&Mode::Walk)
        && plan.sizes.iter().any(|size| Mode::Walk.sizes().contains(size));
    let walked = if walks { walk::length() } else { 0 };
    let least = walked.max(batch::WINDOW + batch::LONGEST);
    let largest = plan.sizes.iter().max().copied().unwrap_or(0).max(least);
    let mut buffer = Buffer::new(largest + copy::PAGE);
    Data::Random.fill(&mut fastrand::Rng::with_seed(1), buffer.slice(0, largest + copy::PAGE));
    let data: &[u8] = buffer.slice(0, largest + copy::PAGE);
    let copied = plan.sizes.iter().filter(|size| Mode::Copy.sizes().contains(size)).max();
    let destination = RefCell::new(Buffer::new(copied.copied().unwrap_or(0) + copy::ROOM));

    let mut races = Vec::new();
    for group in groups {
        for &mode in &plan.modes {
            for &size in plan.sizes.iter().filter(|size| mode.sizes().contains(size)) {
                races.push(match mode {
                    Mode::Batch | Mode::Imix => batch::race(group, mode, size, data)?,
                    Mode::Copy => copy::race(group, size, data, &destination)?,
                    Mode::Walk => walk::race(group, size, &data[..walked]),
                    Mode::Threads => threads::race(group, size, data)?,
                    _ => calls(group, mode, size, data),
                });
            }
        }
    }
    races.retain(Race::is_race);
    if races.is_empty() {
        return Err("none of these modes is measured at these sizes".to_string());
    }
    for run in 1..=plan.runs {
        for race in &mut races {
            let (code, mode, size, runs) = (race.code, race.mode.name(), race.size, plan.runs);
            progress(&format!("run {run} of {runs}: {code}, {mode}, {size} bytes"));
            race.run(if size > LONG { plan.long_rounds } else { plan.rounds }, clock);
        }
    }
    progress("");
    Ok(races.into_iter().flat_map(|race| race.cells(clock)).collect())
}

/// Races calls of one length, or of lengths up to the size.
fn calls<'a>(group: &[Contender], mode: Mode, size: usize, data: &'a [u8]) -> Race<'a> {
    let mut random = fastrand::Rng::with_seed(size as u64);
    let mut any = || random.u32(1..=size as u32) as usize;
    let lengths: Rc<[usize]> = match mode {
        Mode::Mixed => (0..LENGTHS).map(|_| any()).collect(),
        _ => [size].into(),
    };
    let bytes = lengths.iter().sum::<usize>() as f64 / lengths.len() as f64;
    let (misaligned, latency) = (mode == Mode::Misaligned, mode == Mode::Latency);
    let runner = |contender: &Contender| {
        let (call, lengths) = (contender.call, Rc::clone(&lengths));
        let timed = move |count, first| {
            Calls { data, lengths: &lengths, misaligned, latency }.time(call, count, first)
        };
        Runner::new(contender, contender.name, Box::new(timed))
    };
    let runners = group.iter().filter(|contender| mode.suits(contender, size)).map(runner);
    let mut race = Race::new(group, mode, size, runners.collect());
    race.bytes = bytes;
    race
}

/// Returns nanoseconds that the loop and the call take.
#[must_use]
pub fn empty_call(clock: &Clock) -> f64 {
    const COUNT: usize = 1 << 12;
    let calls = Calls { data: &[0; 64], lengths: &[64], misaligned: false, latency: false };
    let empty: Call = |data| data.len() as u64;
    let times = (0..31).map(|_| clock.ns(calls.time(empty, COUNT, 0) as f64) / COUNT as f64);
    times.fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contender::{SUBJECTS, Takes};
    use std::hint::black_box;

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
        assert_eq!(Mode::ALL.map(of), [6, 3, 4, 2, 2, 0, 10, 3, 0]);
        assert!(cells.iter().all(|cell| cell.rounds == 2 && cell.ns.is_finite()));
    }

    fn measured(group: Vec<Contender>) -> Result<Vec<Cell>, String> {
        let (modes, sizes) = (Mode::ALL.to_vec(), vec![64, 1 << 20]);
        let plan = Plan { modes, sizes, rounds: 3, long_rounds: 3, runs: 2 };
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
