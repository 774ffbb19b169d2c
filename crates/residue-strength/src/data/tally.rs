//! Counts of a run in progress.

use super::question::Test;
use serde::{Deserialize, Serialize};

/// The counts of a source, or of a thread's part of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Tally {
    pub(super) tests: [OfTest; Test::ALL.len()],
    /// Check values of cells, for each code.
    #[serde(with = "digits")]
    pub(super) values: Vec<Vec<u32>>,
    pub(super) bytes: u64,
    /// Pieces of data with at least two packets.
    pub(super) pieces: u64,
    /// Pieces that could not be read.
    pub(super) unread: u64,
}

/// The counts of a test.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct OfTest {
    /// Damaged data that are rejected without a check value.
    pub(super) rejected: u64,
    pub(super) identical: u64,
    /// Damaged data that only the check value can detect.
    pub(super) trials: u64,
    /// Sum of the squares of the trials of each piece.
    trials_squared: u128,
    pub(super) codes: Vec<OfCode>,
    /// Pieces with trials.
    pieces: u64,
}

/// The counts of a code in a test.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct OfCode {
    pub(super) misses: u64,
    squared: u128,
    times_trials: u128,
}

impl Tally {
    pub(super) fn new(codes: usize) -> Tally {
        let test = OfTest { codes: vec![OfCode::default(); codes], ..OfTest::default() };
        Tally {
            tests: std::array::from_fn(|_| test.clone()),
            values: vec![Vec::new(); codes],
            bytes: 0,
            pieces: 0,
            unread: 0,
        }
    }

    /// Adds the counts of a test on one piece of data.
    pub(super) fn add(
        &mut self,
        test: Test,
        tried: u64,
        identical: u64,
        misses: impl Iterator<Item = u64>,
    ) {
        let counts = &mut self.tests[test as usize];
        let trials = tried - identical;
        counts.identical += identical;
        counts.trials += trials;
        counts.trials_squared += u128::from(trials).pow(2);
        counts.pieces += u64::from(trials > 0);
        for (code, misses) in counts.codes.iter_mut().zip(misses) {
            code.misses += misses;
            code.squared += u128::from(misses).pow(2);
            code.times_trials += u128::from(misses) * u128::from(trials);
        }
    }

    /// Returns whether both count as many codes.
    pub(super) fn fits(&self, other: &Tally) -> bool {
        let codes = other.values.len();
        self.values.len() == codes && self.tests.iter().all(|test| test.codes.len() == codes)
    }

    /// Adds the counts of `other`.
    pub(super) fn join(&mut self, other: Tally) {
        for (mine, other) in self.tests.iter_mut().zip(other.tests) {
            mine.rejected += other.rejected;
            mine.identical += other.identical;
            mine.trials += other.trials;
            mine.trials_squared += other.trials_squared;
            mine.pieces += other.pieces;
            for (mine, other) in mine.codes.iter_mut().zip(other.codes) {
                mine.misses += other.misses;
                mine.squared += other.squared;
                mine.times_trials += other.times_trials;
            }
        }
        for (mine, other) in self.values.iter_mut().zip(other.values) {
            mine.extend(other);
        }
        self.bytes += other.bytes;
        self.pieces += other.pieces;
        self.unread += other.unread;
    }
}

/// Serialises values as eight hexadecimal digits each: they are most of what is sent.
mod digits {
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};
    use std::fmt::Write as _;

    pub(super) fn serialize<S: Serializer>(all: &[Vec<u32>], to: S) -> Result<S::Ok, S::Error> {
        let text = |values: &Vec<u32>| {
            values.iter().fold(String::with_capacity(8 * values.len()), |mut text, value| {
                let _ = write!(text, "{value:08x}");
                text
            })
        };
        all.iter().map(text).collect::<Vec<_>>().serialize(to)
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Vec<Vec<u32>>, D::Error> {
        let read = |text: String| -> Option<Vec<u32>> {
            let (values, []) = text.as_bytes().as_chunks::<8>() else { return None };
            let value =
                |digits: &[u8; 8]| u32::from_str_radix(str::from_utf8(digits).ok()?, 16).ok();
            values.iter().map(value).collect()
        };
        let all = Vec::<String>::deserialize(from)?.into_iter().map(read);
        all.collect::<Option<_>>()
            .ok_or_else(|| D::Error::custom("expected check values in hexadecimal digits"))
    }
}

impl OfTest {
    /// Returns the design effect of a sample of clusters, at least 1: the factor by which the
    /// variance of a code's undetected errors exceeds that of independent trials.
    ///
    /// It is the sum of squared deviations of the pieces of data from the common share, over what
    /// chance alone gives.
    pub(super) fn clustering(&self, code: &OfCode) -> f64 {
        let (trials, misses) = (self.trials as f64, code.misses as f64);
        let share = misses / trials;
        let chance = trials * share * (1.0 - share);
        if self.pieces < 2 || chance <= 0.0 {
            return 1.0;
        }
        let squares = code.squared as f64 - 2.0 * share * code.times_trials as f64
            + share * share * self.trials_squared as f64;
        let pieces = self.pieces as f64;
        (squares / chance * pieces / (pieces - 1.0)).max(1.0)
    }
}

/// Returns the interval that holds the true share with a probability of 95 %, for `misses` of
/// `trials` independent trials (E. B. Wilson, 1927).
pub(super) fn wilson(misses: f64, trials: f64) -> (f64, f64) {
    const Z: f64 = 1.959_963_984_540_054;
    if trials <= 0.0 {
        return (0.0, 1.0);
    }
    let (share, z2) = (misses / trials, Z * Z / trials);
    let middle = (share + z2 / 2.0) / (1.0 + z2);
    let half = Z * (share * (1.0 - share) / trials + z2 / (4.0 * trials)).sqrt() / (1.0 + z2);
    let low = if misses == 0.0 { 0.0 } else { (middle - half).max(0.0) };
    (low, if misses == trials { 1.0 } else { (middle + half).min(1.0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_as_published() {
        // Newcombe 1998, table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
        for (misses, trials, low, high) in [
            (81.0, 263.0, 0.2553, 0.3662),
            (15.0, 148.0, 0.0624, 0.1605),
            (0.0, 20.0, 0.0, 0.1611),
            (1.0, 29.0, 0.0061, 0.1718),
        ] {
            let (a, b) = wilson(misses, trials);
            assert!((a - low).abs() < 5e-5 && (b - high).abs() < 5e-5, "{a} {b}");
        }
    }

    #[test]
    fn clusters_widen_and_chance_does_not() {
        let mut random = fastrand::Rng::with_seed(4);
        let (mut even, mut clustered) = (Tally::new(1), Tally::new(1));
        for _ in 0..500 {
            let misses = (0..1000).filter(|_| random.u8(..100) == 0).count() as u64;
            even.add(Test::Words, 1000, 0, [misses].into_iter());
            clustered.add(
                Test::Words,
                1000,
                0,
                [if random.u8(..100) == 0 { 1000 } else { 0 }].into_iter(),
            );
        }
        let of = |tally: &Tally| {
            let test = &tally.tests[Test::Words as usize];
            test.clustering(&test.codes[0])
        };
        assert!(of(&even) < 1.3, "{}", of(&even));
        assert!((of(&clustered) / 1000.0 - 1.0).abs() < 0.05, "{}", of(&clustered));
        let mut two = Tally::new(1);
        two.join(even.clone());
        two.join(clustered.clone());
        assert_eq!(two.tests[Test::Words as usize].trials, 1_000_000);
    }
}
