//! The statistics of a cell's samples: the median with its interval, the mean with its own.

/// The 97.5 % quantile of the normal distribution.
const Z: f64 = 1.959_964;

/// A median and its 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Middle {
    pub(super) median: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// Returns the median of ascending samples, and the order statistics that enclose the true one with
/// 95 % certainty.
///
/// No distribution is assumed. Six samples or fewer give their whole range, which from five down
/// holds less than 95 %.
///
/// `step` is what a counter moves by, 0 for no such grid: samples of equal value count as spread
/// over one step, the median for grouped data, for otherwise a call shorter than a step would
/// always take none or one.
pub(super) fn middle(sorted: &[f64], step: f64) -> Middle {
    if sorted.is_empty() {
        return Middle::default();
    }
    let n = sorted.len() as f64;
    // The place from either end, counted from 1, of the samples that enclose the median.
    let place = ((n - Z * n.sqrt()) / 2.0).floor().max(1.0);
    Middle {
        median: ranked(sorted, n / 2.0, step),
        low: ranked(sorted, place - 0.5, step),
        high: ranked(sorted, n - place + 0.5, step),
    }
}

/// Returns the value below which `rank` of the ascending samples lie, more than 0 and fewer than
/// all, each value spread over `step` around itself.
pub(super) fn ranked(sorted: &[f64], rank: f64, step: f64) -> f64 {
    let within = |index: usize| {
        let value = sorted[index];
        let below = sorted.partition_point(|&x| x < value) as f64;
        let equal = sorted.partition_point(|&x| x <= value) as f64 - below;
        value + step * ((rank - below) / equal - 0.5)
    };
    // A whole rank lies between two samples.
    let (left, right) = (rank.ceil() as usize - 1, rank.floor() as usize);
    (within(left) + within(right.min(sorted.len() - 1))) / 2.0
}

/// Returns the median of samples in any order.
pub fn median(samples: &mut [f64]) -> f64 {
    samples.sort_by(f64::total_cmp);
    middle(samples, 0.0).median
}

/// A mean, the sample standard deviation, and half the width of the mean's 95 % confidence
/// interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Mean {
    pub(super) mean: f64,
    pub(super) sd: f64,
    pub(super) margin: f64,
}

/// Returns the mean of the samples.
pub(super) fn mean(samples: impl Iterator<Item = f64> + Clone) -> Mean {
    let n = samples.clone().count() as f64;
    let mean = samples.clone().sum::<f64>() / n.max(1.0);
    let variance = samples.map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0).max(1.0);
    let sd = variance.sqrt();
    Mean { mean, sd, margin: quantile(n - 1.0) * sd / n.max(1.0).sqrt() }
}

/// Returns Student's 97.5 % quantile for this many degrees of freedom, by Fisher's expansion:
/// within 1 % from 3 on; 1.962 for the thesis's 1000 samples.
fn quantile(freedom: f64) -> f64 {
    let n = freedom.max(1.0);
    let (z3, z5, z7) = (Z.powi(3), Z.powi(5), Z.powi(7));
    Z + (z3 + Z) / (4.0 * n)
        + (5.0 * z5 + 16.0 * z3 + 3.0 * Z) / (96.0 * n * n)
        + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * Z) / (384.0 * n.powi(3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_the_textbook_ones() {
        let Mean { mean, sd, margin } = mean([20.0, 40.0, 60.0, 80.0].into_iter());
        assert_eq!(mean, 50.0);
        assert!((sd - (2000.0f64 / 3.0).sqrt()).abs() < 1e-12);
        // t(3) is 3.182, t(30) 2.042, t(999) 1.962.
        assert!((margin / (3.182 * sd / 2.0) - 1.0).abs() < 0.01);
        assert!((quantile(30.0) - 2.042).abs() < 0.001 && (quantile(999.0) - 1.962).abs() < 0.001);
    }

    #[test]
    fn the_interval_of_the_median_is_of_order_statistics() {
        let samples: Vec<f64> = (1..=1000).map(f64::from).collect();
        let middle_of = |count: usize| middle(&samples[..count], 0.0);
        // Conover's ranks for n = 1000: 469 and 532.
        let Middle { median, low, high } = middle_of(1000);
        assert_eq!((median, low, high), (500.5, 469.0, 532.0));
        assert_eq!(middle_of(4), Middle { median: 2.5, low: 1.0, high: 4.0 });
        assert_eq!(middle_of(6), Middle { median: 3.5, low: 1.0, high: 6.0 });
        assert_eq!(middle_of(1), Middle { median: 1.0, low: 1.0, high: 1.0 });
        assert_eq!(middle_of(0), Middle::default());
    }

    #[test]
    fn one_interruption_moves_neither_median_nor_interval() {
        let mut samples: Vec<f64> = (0..1000).map(|n| 100.0 + f64::from(n % 7)).collect();
        samples.sort_by(f64::total_cmp);
        let quiet = middle(&samples, 1.0);
        samples[999] = 1e9;
        assert_eq!(middle(&samples, 1.0), quiet);
    }

    #[test]
    fn a_coarse_counter_still_gives_a_median_between_its_steps() {
        // Of calls that take 0.25 to 0.75 of a step of 26 ticks, so many see the counter move.
        let mut last = 0.0;
        for moved in [0, 250, 400, 600, 750, 1000] {
            let mut samples = vec![0.0; 1000 - moved];
            samples.resize(1000, 26.0);
            let Middle { median, low, high } = middle(&samples, 26.0);
            let truth = 26.0 * moved as f64 / 1000.0;
            assert!((median - truth).abs() < 0.1 * 26.0, "{moved}: {median} for {truth}");
            assert!(low < median && median < high && (moved == 0 || median > last));
            last = median;
        }
        // A step far finer than the scatter changes nothing.
        let samples: Vec<f64> = (0..999).map(|n| f64::from(n) * 3.0).collect();
        assert!((middle(&samples, 1.0).median - middle(&samples, 0.0).median).abs() <= 0.5);
    }
}
