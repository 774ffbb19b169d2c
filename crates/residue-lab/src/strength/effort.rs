//! How much work a question is worth.

use std::thread::available_parallelism;

/// What a search may cost, and whom it tells how far it is.
#[derive(Clone, Copy)]
pub struct Effort<'a> {
    /// Threads to use, at least one.
    pub threads: usize,
    /// The largest search to make, in sums of powers ([`Effort::seconds`]). What would take more stays a bound.
    pub sums: u64,
    /// The longest codeword to search, in bits. Each bit takes about 20 bytes of memory.
    pub longest: u64,
    /// Is told how many of how many steps of the current search are done, from any thread.
    pub tell: &'a (dyn Fn(u64, u64) + Sync),
}

/// Sums of powers that a core makes and compares in a second, about.
const SPEED: u64 = 1 << 26;

impl Effort<'_> {
    /// Seconds that so many sums take, about.
    #[must_use]
    pub fn seconds(&self, sums: u64) -> f64 {
        sums as f64 / (SPEED as f64 * self.threads as f64)
    }

    /// Limits each search to about so many seconds.
    #[must_use]
    pub fn within(self, seconds: u32) -> Self {
        Effort { sums: u64::from(seconds) * SPEED * self.threads as u64, ..self }
    }

    /// Every core, some minutes, two gigabytes.
    #[must_use]
    pub fn new() -> Effort<'static> {
        Effort {
            threads: available_parallelism().map_or(1, usize::from),
            sums: 1 << 35,
            longest: 1 << 26,
            tell: &|_, _| {},
        }
    }
}

impl Default for Effort<'static> {
    fn default() -> Self {
        Self::new()
    }
}
