//! The counter, and the length of its ticks.

use residue::internals::counter;
use std::hint::black_box;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Returns the counter in ticks: the CPU's own where the library reads one, else nanoseconds.
#[inline(always)]
#[must_use]
pub fn now() -> u64 {
    counter::ticks().unwrap_or_else(instant)
}

fn instant() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// The length of a tick.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clock {
    /// Nanoseconds in a tick.
    pub ns_per_tick: f64,
    /// Ticks in one core cycle, below one where the core runs faster than its counter.
    pub ticks_per_cycle: f64,
    /// Ticks in one core cycle by a chain of multiplications; `None` where their latency is
    /// unknown.
    pub ticks_per_cycle_by_products: Option<f64>,
    /// The smallest step between two reads, in ticks.
    pub resolution: f64,
    /// The least cost of two reads with nothing between them, in ticks.
    pub read: f64,
}

/// The core cycles that a 64-bit multiplication may take from operand to result, by architecture.
///
/// x86-64: 3 on Intel from Nehalem to Granite Rapids and on Zen 2 to Zen 5, 4 on the first Zen
/// (Agner Fog's tables, uops.info). AArch64: 2 on Neoverse V1, V2 and N2, 3 on Apple's cores, 4 on
/// Neoverse N1 and Cortex-A76, up to 5 on older ones (Arm's optimisation guides).
const PRODUCT_CYCLES: &[f64] = if cfg!(target_arch = "x86_64") {
    &[3.0, 4.0]
} else if cfg!(target_arch = "aarch64") {
    &[2.0, 3.0, 4.0, 5.0]
} else {
    &[]
};

/// Two chains agree if the logarithm of their ratio is at most this: 3 %.
const TOLERANCE: f64 = 0.03;

impl Clock {
    /// A counter of nanoseconds, read by a core of one cycle each.
    pub const NANOSECONDS: Clock = Clock {
        ns_per_tick: 1.0,
        ticks_per_cycle: 1.0,
        ticks_per_cycle_by_products: None,
        resolution: 1.0,
        read: 0.0,
    };

    /// Measures the clock against the operating system's time and against two chains of operations
    /// whose latency is known: additions, one core cycle each, and multiplications. Takes about 50
    /// ms.
    ///
    /// A core that changes its clock later makes cycles wrong, but not nanoseconds.
    #[must_use]
    pub fn calibrate() -> Clock {
        // A quiet core first: some raise their clock only under load.
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(20) {
            black_box(counter::spin(1 << 12));
        }

        let (first, start) = both();
        while start.elapsed() < Duration::from_millis(20) {
            black_box(counter::spin(1 << 12));
        }
        let (last, end) = both();
        let ns_per_tick = (end - start).as_nanos() as f64 / (last - first).max(1) as f64;

        let reads: Vec<Vec<u64>> = (0..100).map(|_| (0..100).map(|_| now()).collect()).collect();
        let steps = reads.iter().flat_map(|reads| reads.windows(2).map(|w| w[1] - w[0]));
        let resolution = steps.clone().filter(|&step| step > 0).fold(0, gcd).max(1) as f64;
        let read = steps.min().unwrap_or(0) as f64;

        // Many short runs in turn: most fit between two interruptions, and meet the same clock.
        let (mut additions, mut products) = (Vec::new(), Vec::new());
        for _ in 0..400 {
            additions.push(per_step(counter::spin, 1 << 13, read));
            products.push(per_step(counter::spin_products, 1 << 13, read));
        }
        let (ticks_per_cycle, ticks_per_cycle_by_products) =
            settle(&additions, &products, PRODUCT_CYCLES);

        Clock { ns_per_tick, ticks_per_cycle, ticks_per_cycle_by_products, resolution, read }
    }

    /// Returns the ticks that a core cycle takes at present, in about a microsecond.
    ///
    /// Clocks rise and fall during a measurement, and on a shared machine for reasons that no
    /// counter shows.
    #[must_use]
    pub fn pace(&self) -> f64 {
        per_step(counter::spin, 1 << 11, self.read)
    }

    /// Returns core cycles in `ticks`.
    #[must_use]
    pub fn cycles(&self, ticks: f64) -> f64 {
        ticks / self.ticks_per_cycle
    }

    /// Returns nanoseconds in `ticks`.
    #[must_use]
    pub fn ns(&self, ticks: f64) -> f64 {
        ticks * self.ns_per_tick
    }
}

/// Returns the ticks of a step of a chain of this length.
fn per_step(chain: fn(u64) -> u64, length: u64, read: f64) -> f64 {
    let first = now();
    black_box(chain(black_box(length)));
    ((now() - first) as f64 - read).max(0.0) / length as f64
}

/// Reads the counter and the operating system's time at one moment.
///
/// Of some pairs the one read fastest counts, for an interruption may come between.
fn both() -> (u64, Instant) {
    let pair = || {
        let first = now();
        let time = Instant::now();
        let gap = now() - first;
        (gap, first + gap / 2, time)
    };
    let pairs = (0..16).map(|_| pair());
    let (_, ticks, time) = pairs.min_by_key(|&(gap, ..)| gap).unwrap_or_else(pair);
    (ticks, time)
}

/// Returns the ticks of a core cycle by additions, one cycle each, and by products, whose latency
/// is the one of `latencies` that agrees best.
///
/// The fastest run of each chain counts: an interruption only adds.
fn settle(additions: &[f64], products: &[f64], latencies: &[f64]) -> (f64, Option<f64>) {
    let fastest = |runs: &[f64]| runs.iter().copied().fold(f64::INFINITY, f64::min);
    let (addition, product) = (fastest(additions), fastest(products));
    let off = |cycle: f64| (cycle / addition).ln().abs();
    let cycles = latencies.iter().map(|latency| product / latency);
    (addition, cycles.min_by(|&a, &b| off(a).total_cmp(&off(b))))
}

/// Returns one sentence if the two chains do not agree on the length of a core cycle.
#[must_use]
pub fn disagreement(ticks_per_cycle: f64, by_products: Option<f64>) -> Option<String> {
    let other = by_products?;
    // No number agrees with nothing.
    let agree = (other / ticks_per_cycle).ln().abs() <= TOLERANCE;
    (!agree).then(|| {
        format!(
            "Cycles are uncertain: by additions a tick is {:.3} core cycles, by multiplications \
             {:.3}. Nanoseconds are not affected.",
            1.0 / ticks_per_cycle,
            1.0 / other
        )
    })
}

/// Returns the counter moves in multiples of something: 62.5 core cycles on the thesis's ARM board.
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
        assert_eq!(clock.ticks_per_cycle_by_products.is_some(), !PRODUCT_CYCLES.is_empty());
    }

    fn line_of(additions: &[f64], products: &[f64]) -> Option<String> {
        let (cycle, by_products) = settle(additions, products, &[3.0, 4.0]);
        disagreement(cycle, by_products)
    }

    #[test]
    fn an_interrupted_calibration_gives_the_same_clock() {
        let quiet = settle(&[0.836; 4], &[2.51; 4], &[3.0, 4.0]);
        let busy = settle(&[9.1, 0.9, 0.836, 540.0], &[2.51, 77.0, 3.3, 2.6], &[3.0, 4.0]);
        assert_eq!(quiet, busy);
        assert_eq!(disagreement(busy.0, busy.1), None);
    }

    #[test]
    fn chains_that_disagree_are_named_with_both_figures() {
        // Three cycles and four are what multiplications take on x86-64.
        assert_eq!(line_of(&[0.836], &[2.52]), None);
        assert_eq!(line_of(&[1.0], &[4.02]), None);
        // Additions for free at renaming, every second and nearly all of them.
        for shortened in [0.5, 0.1] {
            let line = line_of(&[0.836 * shortened], &[2.508]).expect("a line");
            assert!(line.contains("multiplications"), "{line}");
            assert!(line.contains(&format!("{:.3}", 1.0 / (0.836 * shortened))), "{line}");
            assert!(!line.contains('\n'));
        }
        // A product that takes five cycles on a core not known here, and one interrupted each time.
        assert!(line_of(&[1.0], &[5.0]).is_some() && line_of(&[1.0], &[3.3]).is_some());
        // Nothing to compare with.
        assert_eq!(settle(&[1.0], &[3.0], &[]), (1.0, None));
        assert_eq!(disagreement(1.0, None), None);
        assert!(disagreement(0.0, Some(f64::NAN)).is_some());
    }
}
