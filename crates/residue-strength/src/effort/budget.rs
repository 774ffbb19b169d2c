//! A budget that tests can exhaust.

use super::Effort;
use std::sync::atomic::{AtomicU64, Ordering};

/// A budget of sums, which ends the work once so many were made, and counts all sums, and those
/// made afterwards.
pub struct Budget {
    sums: u64,
    made: AtomicU64,
    late: AtomicU64,
}

impl Budget {
    fn new(sums: u64) -> Budget {
        Budget { sums, made: AtomicU64::new(0), late: AtomicU64::new(0) }
    }

    fn spend(&self, sums: u64) -> bool {
        if self.made.load(Ordering::Relaxed) >= self.sums {
            self.late.fetch_add(sums.max(1), Ordering::Relaxed);
            return false;
        }
        self.made.fetch_add(sums, Ordering::Relaxed);
        true
    }

    /// Returns the result of `work`, and the sums it made after the budget ended.
    pub fn of<T>(sums: u64, threads: usize, work: impl FnOnce(&Effort<'_>) -> T) -> (T, u64, u64) {
        let budget = Budget::new(sums);
        let spend = |sums| budget.spend(sums);
        let result = work(&Effort { threads, spend: &spend, ..Effort::new() });
        (result, budget.made.into_inner(), budget.late.into_inner())
    }
}
