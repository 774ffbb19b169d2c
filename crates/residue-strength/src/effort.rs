//! How much work a question is worth.

use std::thread::available_parallelism;
use std::time::{Duration, Instant};

/// What a search may cost, and whom it tells how far it is.
#[derive(Clone, Copy)]
pub struct Effort<'a> {
    /// Threads to use, at least one.
    pub threads: usize,
    /// The largest search to make, in sums of powers ([`Effort::seconds`]). What would take more stays a bound.
    pub sums: u64,
    /// The longest codeword to search, in bits. Each bit takes about 40 bytes of memory.
    pub longest: u64,
    /// Is told how many of how many steps of the current search are done, from any thread.
    pub tell: &'a (dyn Fn(u64, u64) + Sync),
    /// Is told of about so many more sums, some millions at most, from any thread; says whether to
    /// go on. Work that it ends leaves a bound, or an error where there is no bound. Once it has
    /// said no it has to stay with it.
    pub spend: &'a (dyn Fn(u64) -> bool + Sync),
}

/// Sums of powers that a core makes and compares in a second, about.
const SPEED: u64 = 1 << 26;

/// The sums of the first search for a codeword, a millisecond's, and how many times as many each
/// later one has.
const FIRST: u64 = 1 << 16;
const GROWTH: f64 = 2.5;

impl Effort<'_> {
    /// Seconds that so many sums take, about.
    #[must_use]
    pub fn seconds(&self, sums: u64) -> f64 {
        sums as f64 / (SPEED as f64 * self.threads as f64)
    }

    /// Limits each search to about so many seconds. For a limit to all of the work see
    /// [`deadline`].
    #[must_use]
    pub fn within(self, seconds: u32) -> Self {
        Effort { sums: u64::from(seconds) * SPEED * self.threads as u64, ..self }
    }

    /// Every core, some minutes, three gigabytes, no deadline.
    #[must_use]
    pub fn new() -> Effort<'static> {
        Effort {
            threads: available_parallelism().map_or(1, usize::from),
            sums: 1 << 35,
            longest: 1 << 26,
            tell: &|_, _| {},
            spend: &|_| true,
        }
    }

    /// Whether the time is up.
    pub(super) fn is_spent(&self) -> bool {
        !(self.spend)(0)
    }

    /// How many sums the searches for one codeword may make, one after another, each longer than
    /// the one before: all of them together cost little more than the last.
    pub(super) fn rounds(&self) -> impl Iterator<Item = u64> + use<> {
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

/// Returns a value for [`Effort::spend`] that ends the work after so many seconds from now.
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
