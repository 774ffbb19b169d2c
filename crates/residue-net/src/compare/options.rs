//! The limits of a comparison, and its settings.

/// Largest number of altered packets that are kept, to be grouped. Others are counted.
pub const MOST_ALTERED: usize = 1 << 15;

/// Limits and settings.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Longest time in nanoseconds for which a packet waits for its partner.
    pub window: i64,
    /// Largest number of packets of a point that wait.
    pub most: usize,
    /// Report packets that take longer than the fastest one by this time in nanoseconds.
    pub late: Option<i64>,
    /// Time of the second capture less that of the first in nanoseconds, if known.
    pub difference: Option<i64>,
}

impl Default for Options {
    fn default() -> Self {
        Options { window: 10_000_000_000, most: 100_000, late: None, difference: None }
    }
}
