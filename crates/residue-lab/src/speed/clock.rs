//! The counter, and what its ticks are worth.

use std::hint::black_box;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The counter now, in ticks: the CPU's own where the library reads one, else nanoseconds.
#[inline(always)]
#[must_use]
pub fn now() -> u64 {
    residue::counter::ticks().unwrap_or_else(instant)
}

fn instant() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// What a tick is worth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clock {
    /// Nanoseconds in a tick.
    pub ns_per_tick: f64,
    /// Ticks in one core cycle. Below one where the core runs faster than its counter.
    pub ticks_per_cycle: f64,
    /// The smallest step between two reads, in ticks.
    pub resolution: f64,
}

impl Clock {
    /// Measures the clock against the operating system's time and against additions, one core cycle each. Takes about
    /// 50 ms.
    ///
    /// A core that changes its clock later makes cycles wrong, but not nanoseconds.
    #[must_use]
    pub fn calibrate() -> Clock {
        // A quiet core first: some raise their clock only under load.
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(20) {
            black_box(residue::counter::spin(1 << 12));
        }

        let (start, first) = (Instant::now(), now());
        while start.elapsed() < Duration::from_millis(20) {
            black_box(residue::counter::spin(1 << 12));
        }
        let (last, elapsed) = (now(), start.elapsed());
        let ns_per_tick = elapsed.as_nanos() as f64 / (last - first).max(1) as f64;

        const CYCLES: u64 = 1 << 16;
        let spin = || {
            let first = now();
            black_box(residue::counter::spin(black_box(CYCLES)));
            now() - first
        };
        // The fastest of many: an interruption only adds.
        let fastest = (0..100).map(|_| spin()).min().unwrap_or(CYCLES);
        let ticks_per_cycle = fastest.max(1) as f64 / CYCLES as f64;

        let step = || (0..100).map(|_| now()).collect::<Vec<_>>();
        let steps =
            (0..100).flat_map(|_| step().windows(2).map(|w| w[1] - w[0]).collect::<Vec<_>>());
        let resolution = steps.filter(|&step| step > 0).fold(0, gcd).max(1) as f64;
        Clock { ns_per_tick, ticks_per_cycle, resolution }
    }

    /// Core cycles in `ticks`.
    #[must_use]
    pub fn cycles(&self, ticks: f64) -> f64 {
        ticks / self.ticks_per_cycle
    }

    /// Nanoseconds in `ticks`.
    #[must_use]
    pub fn ns(&self, ticks: f64) -> f64 {
        ticks * self.ns_per_tick
    }
}

/// The counter moves in multiples of something: 62.5 core cycles on the thesis's ARM board.
fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_calibrated_clock_is_plausible() {
        let clock = Clock::calibrate();
        assert!(clock.ns_per_tick > 0.01 && clock.ns_per_tick < 1000.0, "{clock:?}");
        assert!(clock.ticks_per_cycle > 1e-4 && clock.ticks_per_cycle < 100.0, "{clock:?}");
        assert!(clock.resolution >= 1.0);
    }
}
