//! Untimed calls, which switch a core's vector units on before anything is timed.

use super::clock::{Clock, now};
use std::hint::black_box;
use std::ops::RangeInclusive;

/// The shortest and the longest time that a kernel runs untimed before its turn.
///
/// Intel's cores switch the upper parts of their vector registers off when nothing has used them
/// for about 675 microseconds. Wide vector instructions then run at about a quarter of their speed
/// until the power for them is granted: for 10 to 20 microseconds at least (Agner Fog, The
/// microarchitecture of Intel, AMD and VIA CPUs, "warm-up period"), for some hundred when the
/// core's clock has to change first.
const WAKE_NS: RangeInclusive<f64> = 40_000.0..=1_000_000.0;

/// A call of a kernel whose vector units are on takes at most so many times as long as its fastest;
/// one whose units are off, about four times.
const AWAKE: f64 = 1.5;

/// The untimed calls before each turn of a contender.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wake {
    /// The ticks of the fastest untimed call so far.
    fastest: u64,
}

impl Wake {
    /// Before the first turn of any contender.
    pub(super) const NEW: Wake = Wake { fastest: u64::MAX };

    /// Calls until the kernel is about as fast as it has ever been, within the limits of
    /// [`WAKE_NS`]. Nobody knows yet how fast that is before its first turn, which gets the
    /// longest time.
    pub(super) fn calls(&mut self, call: &dyn Fn(&[u8]) -> u64, data: &[u8], clock: &Clock) {
        let awake = if self.fastest == u64::MAX { 0.0 } else { self.fastest as f64 * AWAKE };
        let start = now();
        loop {
            let before = now();
            black_box(call(data));
            let ticks = now().saturating_sub(before);
            self.fastest = self.fastest.min(ticks);
            let passed = clock.ns(now().saturating_sub(start) as f64);
            let long_enough = passed >= *WAKE_NS.start() && ticks as f64 <= awake;
            if long_enough || passed >= *WAKE_NS.end() {
                return;
            }
        }
    }
}
