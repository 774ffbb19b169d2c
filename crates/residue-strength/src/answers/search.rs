//! Searches for new polynomials: all of a width that keep a Hamming distance to a length of data,
//! those that keep it longest, or all with their whole profiles.
//!
//! Candidates are tried in order, by blocks on all cores. A `Filter` finds how far each keeps the
//! distance, and each candidate that passes is proved by the method of the profiles (`lightest`),
//! which shares nothing with the filter but the powers of x. Between blocks a search is its task
//! and three fields: it can be written as text ([`Search::text`]), resumed, and divided among many
//! machines ([`Range`]), whose results make one ([`Outcome::merge`]).

mod checkpoint;
mod filter;
mod outcome;
mod range;

pub use crate::error::search::Fault;
pub use outcome::Outcome;
pub use range::Range;

use crate::crc::bounds::spheres_fit;
use crate::crc::codewords::lightest;
use crate::crc::{Generator, Limit, Profile, Witness};
use crate::field::{Factor, factor};
use crate::{Effort, Error, Kind};
use filter::{Filter, Reach};
use range::candidate;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// A question about the polynomials of a width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Asks for the polynomials that have at least this Hamming distance at this length.
    Keep {
        /// The Hamming distance.
        distance: u32,
        /// Bits of data.
        data: u64,
    },
    /// Asks for the polynomials that keep this Hamming distance longest.
    Longest {
        /// The Hamming distance.
        distance: u32,
    },
    /// Asks for the limits of all distances of every polynomial.
    Survey,
}

/// A question and the width of the polynomials it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    width: u32,
    question: Question,
}

/// The largest width of a survey: beyond, there are too many polynomials to keep.
const SURVEYED: u32 = 20;

/// The longest data for which distances above 3 are searched, in bits: a filter's table holds no
/// more.
const LONGEST: u64 = 1 << 22;

/// Memory for the proof of a candidate, in bytes. Each thread makes one.
const PROOF: u64 = 1 << 28;

/// The largest number of found polynomials that is kept.
const FOUND: usize = 1 << 20;

impl Task {
    /// Creates a task.
    ///
    /// The width is 3 to 64, the Hamming distance 3 to width + 1, and the data have at least one
    /// bit.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Search`] outside these ranges, or if no code at all can meet the question.
    pub fn new(width: u32, question: Question) -> Result<Task, Error> {
        let fault = match question {
            _ if !(3..=64).contains(&width) => Some(Fault::Width(width)),
            Question::Survey if width > SURVEYED => Some(Fault::Surveyed { width, most: SURVEYED }),
            Question::Survey => None,
            Question::Keep { distance, .. } | Question::Longest { distance } if distance < 3 => {
                Some(Fault::Distance(distance))
            }
            Question::Keep { distance, .. } | Question::Longest { distance }
                if distance > width + 1 =>
            {
                Some(Fault::Weight { width, distance })
            }
            Question::Longest { .. } => None,
            Question::Keep { data: 0, .. } => Some(Fault::Empty),
            Question::Keep { distance, data } if !spheres_fit(data, distance, width) => {
                Some(Fault::TooGood { width, distance, data })
            }
            Question::Keep { distance, data } if distance > 3 && data > LONGEST => {
                Some(Fault::Long { data, most: LONGEST })
            }
            Question::Keep { .. } => None,
        };
        fault.map_or(Ok(Task { width, question }), |fault| Err(Error::Search(fault)))
    }

    /// Returns the width.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Returns the question.
    #[must_use]
    pub fn question(&self) -> Question {
        self.question
    }

    /// Returns the Hamming distance asked for; `None` in a survey.
    #[must_use]
    pub fn distance(&self) -> Option<u32> {
        match self.question {
            Question::Keep { distance, .. } | Question::Longest { distance } => Some(distance),
            Question::Survey => None,
        }
    }
}

/// A polynomial that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The polynomial: of it and its mirror image the one with the lesser number.
    pub generator: Generator,
    /// The limit of the distance asked for; in a survey all limits, from Hamming distance 3.
    pub limits: Vec<Limit>,
}

impl Found {
    /// Returns the irreducible factors.
    #[must_use]
    pub fn factors(&self) -> Vec<Factor> {
        factor::factors(self.generator.explicit())
    }

    /// Returns the longest data for which the distance asked for holds, in bits.
    #[must_use]
    pub fn data(&self) -> u64 {
        self.limits.first().map_or(0, |limit| limit.data)
    }
}

/// A search and its progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    task: Task,
    range: Range,
    /// The next candidate; all before it are done.
    next: u64,
    /// The polynomials found, by the number of the candidate.
    found: BTreeMap<u64, Found>,
}

/// The least time of a block of candidates.
const BLOCK: Duration = Duration::from_millis(300);

/// The number of candidates that are timed for an estimate.
const SAMPLES: u64 = 4096;

impl Search {
    /// Creates a search at its start.
    #[must_use]
    pub fn new(task: Task, range: Range) -> Search {
        let next = range.candidates(task.width).start;
        Search { task, range, next, found: BTreeMap::new() }
    }

    /// Returns the task.
    #[must_use]
    pub fn task(&self) -> Task {
        self.task
    }

    /// Returns the range of candidates.
    #[must_use]
    pub fn range(&self) -> Range {
        self.range
    }

    /// Returns the number of candidates done, and of all.
    #[must_use]
    pub fn done(&self) -> (u64, u64) {
        let range = self.range.candidates(self.task.width);
        (self.next - range.start, range.end - range.start)
    }

    /// Returns whether all candidates of the range are done.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let (done, of) = self.done();
        done == of
    }

    /// Estimates the seconds that the rest takes, from candidates all over it, within a quarter of
    /// a second.
    #[must_use]
    pub fn seconds(&self, effort: &Effort<'_>) -> f64 {
        let end = self.range.candidates(self.task.width).end;
        let left = end - self.next;
        let (start, mut worker) = (Instant::now(), Worker::new(self.task, effort));
        let mut tried = 0;
        while tried < SAMPLES.min(left) && start.elapsed() < BLOCK {
            // Multiples of the golden ratio are spread evenly, and are round in no base.
            let at = u128::from((tried + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let index = self.next + ((at * u128::from(left)) >> 64) as u64;
            if let Some(explicit) = candidate(self.task.width, index) {
                let _ = std::hint::black_box(worker.measure(explicit));
            }
            tried += 1;
        }
        let one = start.elapsed().as_secs_f64() / tried.max(1) as f64;
        one * left as f64 / effort.threads.max(1) as f64
    }

    /// Searches to the range's end.
    ///
    /// `pause` is called after each block, about twice a second, when everything before the next
    /// candidate is done.
    ///
    /// # Errors
    ///
    /// Returns the errors of `pause`, which stop the search, and those of [`Search::advance`].
    pub fn run<E: From<Error>>(
        &mut self,
        effort: &Effort<'_>,
        mut pause: impl FnMut(&Search) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut block = 64 * effort.threads.max(1) as u64;
        while !self.is_complete() {
            let start = Instant::now();
            self.advance(block, effort)?;
            let took = start.elapsed();
            if took < BLOCK {
                block = block.saturating_mul(2);
            } else if took > 3 * BLOCK {
                block = (block / 2).max(effort.threads.max(1) as u64);
            }
            pause(self)?;
        }
        Ok(())
    }

    /// Tries the next candidates, at most `candidates` of them.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Search`] if more are found than can be kept, or if the filter and the proof
    /// disagree.
    pub fn advance(&mut self, candidates: u64, effort: &Effort<'_>) -> Result<(), Error> {
        let end = self.range.candidates(self.task.width).end;
        let end = self.next.saturating_add(candidates).min(end);
        let threads = effort.threads.max(1) as u64;
        let piece = ((end - self.next) / (16 * threads)).clamp(1, 4096);
        let next = AtomicU64::new(self.next);
        let least = AtomicU64::new(match self.task.question {
            Question::Keep { data, .. } => data,
            Question::Longest { .. } => self.longest(),
            Question::Survey => 1,
        });
        let work = || -> Result<Vec<(u64, Found)>, Error> {
            let mut worker = Worker::new(self.task, effort);
            let mut found = Vec::new();
            loop {
                let from = next.fetch_add(piece, Ordering::Relaxed);
                if from >= end {
                    return Ok(found);
                }
                for index in from..end.min(from.saturating_add(piece)) {
                    let Some(explicit) = candidate(self.task.width, index) else { continue };
                    let wanted = least.load(Ordering::Relaxed);
                    if let Some(one) = worker.judge(explicit, wanted)? {
                        if matches!(self.task.question, Question::Longest { .. }) {
                            least.fetch_max(one.data(), Ordering::Relaxed);
                        }
                        found.push((index, one));
                    }
                    if found.len() > FOUND {
                        return Err(Error::Search(Fault::Many(FOUND)));
                    }
                }
            }
        };
        let found = thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let mut found = work()?;
            for other in others {
                match other.join() {
                    Ok(result) => found.extend(result?),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            Ok::<_, Error>(found)
        })?;
        self.found.extend(found);
        self.next = end;
        if matches!(self.task.question, Question::Longest { .. }) {
            let longest = self.longest();
            self.found.retain(|_, found| found.data() == longest);
        }
        if self.found.len() > FOUND {
            return Err(Error::Search(Fault::Many(FOUND)));
        }
        Ok(())
    }

    /// Returns the longest data for which a found polynomial keeps the distance; 1 if there is
    /// none.
    fn longest(&self) -> u64 {
        self.found.values().map(Found::data).max().unwrap_or(1)
    }
}

/// The filters and the budget of a thread.
struct Worker<'a> {
    task: Task,
    /// Filters for Hamming distances from 3, or for the one asked for.
    filters: Vec<Filter>,
    effort: Effort<'a>,
}

impl<'a> Worker<'a> {
    fn new(task: Task, effort: &Effort<'a>) -> Worker<'a> {
        let distances = task.distance().map_or(3..=task.width + 1, |one| one..=one);
        let filters = distances.map(|distance| Filter::new(task.width, distance)).collect();
        // The other threads have candidates of their own, and progress is counted in candidates. A
        // proof may take as long whatever the number of threads, and whenever: the result must not
        // depend on it.
        let memory = effort.memory.min(PROOF);
        let sums = effort.sums / effort.threads.max(1) as u64;
        let effort = Effort { threads: 1, sums, memory, ..Effort::new() };
        Worker { task, filters, effort }
    }

    /// Runs the most expensive step, to measure its time.
    fn measure(&mut self, explicit: u128) -> Result<(), Error> {
        let wanted = match self.task.question {
            Question::Keep { data, .. } => data,
            // Most of the first candidates pass and are proved, and most later ones do not.
            Question::Longest { .. } => u64::MAX,
            Question::Survey => 1,
        };
        self.judge(explicit, wanted).map(|_| ())
    }

    /// Returns the candidate as found, if it keeps the distance to `wanted` bits of data.
    fn judge(&mut self, explicit: u128, wanted: u64) -> Result<Option<Found>, Error> {
        let Ok(generator) = Generator::new(explicit) else { return Ok(None) };
        let mut limits = Vec::new();
        for filter in &mut self.filters {
            let reach = filter.reach(explicit);
            if matches!(reach, Reach::Exactly(data) if data < wanted) {
                break;
            }
            let lesser = lesser(&generator);
            match limit(&lesser, filter.distance(), reach, &self.effort)? {
                Some(limit) if limit.data >= wanted => limits.push(limit),
                _ => break,
            }
        }
        let found = !limits.is_empty() || self.task.question == Question::Survey;
        Ok(found.then(|| Found { generator: lesser(&generator), limits }))
    }
}

/// Returns of a polynomial and its mirror image the one with the lesser number.
fn lesser(generator: &Generator) -> Generator {
    let mirrored = generator.reciprocal();
    if mirrored.explicit() < generator.explicit() { mirrored } else { *generator }
}

/// Proves the limit of a distance, which must be the filter's.
fn limit(
    generator: &Generator,
    distance: u32,
    reach: Reach,
    effort: &Effort<'_>,
) -> Result<Option<Limit>, Error> {
    let width = u64::from(generator.width());
    let (data, to) = match reach {
        // One bit longer it fails.
        Reach::Exactly(data) => (data, data.saturating_add(width).saturating_add(1)),
        Reach::AtLeast(_) => (u64::MAX, u64::MAX),
    };
    let limit = if distance as usize <= lightest::HEAVIEST + 1 {
        Some(proved(generator, distance, to, effort))
    } else {
        let limits = Profile::new(generator, effort).limits;
        limits.into_iter().find(|limit| limit.distance == distance)
    };
    match (reach, limit) {
        (Reach::Exactly(_), Some(limit))
            if limit.data > data || limit.kind == Kind::Exact && limit.data != data =>
        {
            let (explicit, limits) = (generator.explicit(), [data, limit.data]);
            Err(Error::Search(Fault::Disagreement { explicit, distance, limits }))
        }
        (_, limit) => Ok(limit),
    }
}

/// Proves the limit of a distance of at most 17 by the method of the profiles; codewords of more
/// than `to` bits are not searched.
fn proved(generator: &Generator, distance: u32, to: u64, effort: &Effort<'_>) -> Limit {
    let order = factor::order(&factor::factors(generator.explicit()));
    // No codeword of up to this many bits is too light, and this one of one bit more is.
    let mut length = to.min(order);
    let mut witness = if order < to { Witness::new(generator, &[0, order]) } else { None };
    for weight in 3..distance {
        if weight % 2 == 1 && generator.has_parity() {
            continue;
        }
        match lightest::shortest(generator, order, weight, 0, length, effort) {
            lightest::Search::Found(places) => {
                witness = Witness::new(generator, &places);
                length = places.last().copied().unwrap_or(0);
            }
            lightest::Search::NoneTo(searched) => length = length.min(searched),
        }
    }
    let exact = witness.as_ref().is_some_and(|w| w.span() == u128::from(length) + 1);
    Limit {
        distance,
        data: length.saturating_sub(generator.width().into()),
        kind: if exact { Kind::Exact } else { Kind::AtLeast },
        witness: witness.filter(|_| exact),
    }
}

#[cfg(test)]
mod tests;
