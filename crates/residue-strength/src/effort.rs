//! Budgets for the work on a question.

#[cfg(test)]
pub mod budget;

use std::thread::available_parallelism;
use std::time::{Duration, Instant};

/// The budget of a search, and the functions that observe it.
#[derive(Clone, Copy)]
pub struct Effort<'a> {
    /// Threads to use, at least one.
    pub threads: usize,
    /// The largest search to make, in sums of powers ([`Effort::seconds`]).
    ///
    /// Larger searches are not made, and their result stays a bound.
    pub sums: u64,
    /// Memory for tables, in bytes.
    ///
    /// Searches that need more are made as far as this allows, and their result stays a bound.
    pub memory: u64,
    /// Receives the steps done and the steps in all of the current search, from any thread.
    pub tell: &'a (dyn Fn(u64, u64) + Sync),
    /// Receives the number of further sums, some millions at most, from any thread, and returns
    /// whether to go on.
    ///
    /// Once it has returned `false` it must keep returning it. Work that it ends leaves a bound, or
    /// an error where there is no bound.
    pub spend: &'a (dyn Fn(u64) -> bool + Sync),
}

/// Default memory for the tables of a search, in bytes.
pub const MEMORY: u64 = 1 << 30;

/// The approximate number of sums of powers that a core makes and compares in a second.
const SPEED: u64 = 1 << 26;

/// The sums of the first search for a codeword, about a millisecond, and the factor by which each
/// later one grows.
const FIRST: u64 = 1 << 16;
const GROWTH: f64 = 2.5;

impl Effort<'_> {
    /// Estimates the seconds that `sums` take.
    #[must_use]
    pub fn seconds(&self, sums: u64) -> f64 {
        sums as f64 / (SPEED as f64 * self.threads as f64)
    }

    /// Limits each search to about `seconds`.
    ///
    /// See [`deadline`] to limit all of the work.
    #[must_use]
    pub fn within(self, seconds: u32) -> Self {
        Effort { sums: u64::from(seconds) * SPEED * self.threads as u64, ..self }
    }

    /// Returns the default budget: every core, some minutes, [`MEMORY`], no deadline.
    #[must_use]
    pub fn new() -> Effort<'static> {
        Effort {
            threads: available_parallelism().map_or(1, usize::from),
            sums: 1 << 35,
            memory: MEMORY,
            tell: &|_, _| {},
            spend: &|_| true,
        }
    }

    /// Returns whether the time is up.
    pub(crate) fn is_spent(&self) -> bool {
        !(self.spend)(0)
    }

    /// Returns the numbers of sums for successive searches for one codeword, each larger than the
    /// one before.
    ///
    /// All of them together cost little more than the last.
    pub(crate) fn rounds(&self) -> impl Iterator<Item = u64> + use<> {
        let most = self.sums;
        let next =
            move |&sums: &u64| (sums < most).then(|| ((sums as f64 * GROWTH) as u64).min(most));
        std::iter::successors(Some(FIRST.min(most)), next)
    }
}

impl Default for Effort<'static> {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns a value for [`Effort::spend`] that ends the work after this many seconds from now.
pub fn deadline(seconds: u32) -> impl Fn(u64) -> bool + Sync {
    let end = Instant::now() + Duration::from_secs(seconds.into());
    move |_| Instant::now() < end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_grow_to_the_limit() {
        let rounds = |sums| Effort { sums, ..Effort::new() }.rounds().collect::<Vec<_>>();
        assert_eq!(rounds(1000), [1000]);
        assert_eq!(rounds(FIRST * 7), [FIRST, FIRST * 5 / 2, FIRST * 25 / 4, FIRST * 7]);
        let many = rounds(1 << 40);
        assert_eq!(many.last(), Some(&(1 << 40)));
        assert!(many.is_sorted() && many.iter().sum::<u64>() < 3 << 40);
    }

    #[test]
    fn a_deadline_that_is_over_stays_over() {
        let over = deadline(0);
        assert!(!over(0) && !over(1));
        assert!(deadline(1_000_000)(1 << 40));
    }
}
