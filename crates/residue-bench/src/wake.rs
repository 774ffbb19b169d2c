//! Untimed calls, which switch a core's vector units on before anything is timed.

use super::clock::{Clock, now};
use std::hint::black_box;

/// The time that a kernel runs untimed before its turn.
const TURN_NS: f64 = 40_000.0;

/// The longest time that a kernel runs untimed before a sample.
const LONGEST_NS: f64 = 1_000_000.0;

/// A call of a kernel whose vector units are on takes at most this many times as long as its
/// fastest; one whose units are off, about four times.
const AWAKE: f64 = 1.5;

/// The untimed calls of a contender.
///
/// Intel's cores switch the upper parts of their vector registers off when nothing has used them
/// for a while. Wide vector instructions then run at about a quarter of their speed until the power
/// for them is granted, 10 to 20 microseconds at least (Agner Fog, The microarchitecture of Intel,
/// AMD and VIA CPUs, "warm-up period"). On an Intel Xeon (Emerald Rapids, 2026-11-22) single calls
/// among fast ones took three to four times as long, although only the few microseconds of writing
/// the buffer lay between them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wake {
    /// The ticks of the fastest untimed call so far.
    fastest: u64,
}

impl Wake {
    /// The state before the first call.
    pub(super) const NEW: Wake = Wake { fastest: u64::MAX };

    /// Calls the kernel until it is about as fast as it has ever been; the first time, when that is
    /// unknown, for [`LONGEST_NS`]. `data` must have the same length each time.
    pub(super) fn calls(&mut self, call: &dyn Fn(&[u8]) -> u64, data: &[u8], clock: &Clock) {
        let known = self.fastest < u64::MAX;
        let awake = self.fastest as f64 * AWAKE;
        let start = now();
        loop {
            let before = now();
            black_box(call(data));
            let after = now();
            let ticks = after.saturating_sub(before);
            self.fastest = self.fastest.min(ticks);
            let is_awake = known && ticks as f64 <= awake;
            if is_awake || clock.ns(after.saturating_sub(start) as f64) >= LONGEST_NS {
                return;
            }
        }
    }
}

/// Calls a kernel for [`TURN_NS`], at least once. `data` should be random and long enough to reach
/// all entries of the kernel's tables, which other kernels have driven out of the first cache.
pub(super) fn warm_up(call: &dyn Fn(&[u8]) -> u64, data: &[u8], clock: &Clock) {
    let start = now();
    loop {
        black_box(call(data));
        if clock.ns(now().saturating_sub(start) as f64) >= TURN_NS {
            return;
        }
    }
}
