//! How much work a question is worth.

use std::thread::available_parallelism;

/// What a search may cost, and whom it tells how far it is.
#[derive(Clone, Copy)]
pub struct Effort<'a> {
    /// Threads to use, at least one.
    pub threads: usize,
    /// The largest search to make, in sums of powers: a core does about 2^28 in a second. What would take more stays a
    /// bound.
    pub sums: u64,
    /// The longest codeword to search, in bits. Each bit takes about 20 bytes of memory.
    pub longest: u64,
    /// Is told how many of how many steps of the current search are done, from any thread.
    pub tell: &'a (dyn Fn(u64, u64) + Sync),
}

impl Effort<'_> {
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
