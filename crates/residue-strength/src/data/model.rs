//! The results of a run, as plain data.

use serde::{Deserialize, Serialize};

use super::question::{Options, Test};
use super::source::{Plan, Source};
use super::tally::{Tally, wilson};
use crate::Kind;
use crate::codes::additive::Additive;
use std::time::SystemTime;

/// A whole run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    /// The version of this format.
    pub format: u32,
    /// The version of residue.
    pub residue: String,
    /// The date, in UTC, as RFC 3339 writes it.
    pub date: String,
    /// The seed of all random choices.
    pub seed: u64,
    /// Bits of a burst.
    pub burst: u32,
    /// The results of each source.
    pub sources: Vec<Sampled>,
}

/// The results of one source.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sampled {
    /// Its name.
    pub name: String,
    /// A description in a few words.
    pub about: String,
    /// Files that data were taken from; 0 if they were made.
    pub files: u64,
    /// Bytes that were read.
    pub bytes: u64,
    /// Files and folders that could not be read.
    pub skipped: u64,
    /// The tests.
    pub tests: Vec<TestResult>,
    /// The distribution of the check values of 48-byte cells.
    pub values: Vec<Values>,
}

/// The results of one test.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TestResult {
    /// Its name.
    pub test: String,
    /// The damage to the data.
    pub about: String,
    /// Damaged data that something other than the check value rejects.
    pub rejected: u64,
    /// Damaged data that equal the original; these are no trials.
    pub identical: u64,
    /// Damaged data that only the check value can detect.
    pub trials: u64,
    /// The codes.
    pub rows: Vec<Row>,
}

/// The results of a code in a test.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The code.
    pub code: String,
    /// Bits of its value.
    pub width: u32,
    /// Trials whose check value was right.
    pub misses: u64,
    /// The share of trials whose check value was right, and its 95 % interval.
    pub rate: Rate,
    /// The ratio of the share to that of an ideal code of equal width, 2^-width.
    pub ratio: f64,
    /// The share of an ideal code with as many values: that of uniform data.
    pub ideal: f64,
    /// The bits of an ideal code with an equal share: -log2 of it.
    ///
    /// Without an undetected error, the upper end of the interval stands for the share.
    pub bits: Option<f64>,
    /// `sampled`, or `bound` if every error was detected and `bits` is a lower bound.
    pub kind: String,
}

/// A share, and the interval that holds the true one with a probability of 95 % (Wilson), widened
/// for trials that depend on each other.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Rate {
    /// The share.
    pub share: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The factor by which the variance among pieces of data exceeds that of independent trials.
    pub clustering: f64,
}

/// The distribution of the check values of a source's 48-byte cells.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Values {
    /// The code.
    pub code: String,
    /// Cells that were counted.
    pub cells: u64,
    /// Different values among them.
    pub distinct: u64,
    /// The most frequent values.
    pub top: Vec<Frequent>,
    /// The share of cells with one of the commonest 7 values: 0.01 % of those of 16 bits.
    pub share_7: f64,
    /// The share of cells with one of the commonest 66 values: 0.1 % of those of 16 bits.
    pub share_66: f64,
    /// The probability that two cells have the same value.
    pub collision: f64,
}

/// A value and its number of cells.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Frequent {
    /// The value in hexadecimal, as a receiver compares it: zero of one's complement is 0, pairs
    /// are B:A.
    pub value: String,
    /// Cells with it.
    pub cells: u64,
}

/// Completes the run with its date and version.
pub(super) fn finished(options: &Options, sources: Vec<Sampled>) -> Run {
    Run {
        format: 1,
        residue: env!("CARGO_PKG_VERSION").into(),
        date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        seed: options.seed,
        burst: options.burst,
        sources,
    }
}

/// Computes the results of one source from its counts.
pub(super) fn sampled(options: &Options, source: &Source, plan: &Plan, tally: Tally) -> Sampled {
    let result = |test: Test| {
        let counts = &tally.tests[test as usize];
        let row =
            |(code, of): (&Additive, _)| row(code, counts.trials, counts.clustering(of), of.misses);
        TestResult {
            test: test.name().into(),
            about: test.about(options.burst),
            rejected: counts.rejected,
            identical: counts.identical,
            trials: counts.trials,
            rows: options.codes.iter().zip(&counts.codes).map(row).collect(),
        }
    };
    Sampled {
        name: source.name(),
        about: source.about().into(),
        files: plan.files.len() as u64,
        bytes: tally.bytes,
        skipped: plan.skipped + tally.unread,
        tests: Test::ALL.into_iter().map(result).collect(),
        values: options
            .codes
            .iter()
            .zip(tally.values)
            .map(|(code, all)| values(code, all))
            .collect(),
    }
}

fn row(code: &Additive, trials: u64, clustering: f64, misses: u64) -> Row {
    let effective = trials as f64 / clustering;
    let share = if trials == 0 { 0.0 } else { misses as f64 / trials as f64 };
    let (low, high) = wilson(share * effective, effective);
    let bits = |share: f64| if share > 0.0 { share.log2().abs() } else { 0.0 };
    let kind = if misses == 0 { Kind::AtLeast } else { Kind::Sampled };
    Row {
        code: code.name().into(),
        width: code.width(),
        misses,
        rate: Rate { share, low, high, clustering },
        ratio: share * f64::from(code.width()).exp2(),
        ideal: 1.0 / code.elements(),
        bits: (trials > 0).then(|| bits(if misses == 0 { high } else { share })),
        kind: kind.name().into(),
    }
}

fn values(code: &Additive, mut all: Vec<u32>) -> Values {
    all.sort_unstable();
    let mut counted: Vec<(u32, u64)> =
        all.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u64)).collect();
    counted.sort_by_key(|&(value, cells)| (std::cmp::Reverse(cells), value));
    let cells = all.len() as u64;
    let share = |count: usize| {
        let common: u64 = counted.iter().take(count).map(|(_, cells)| cells).sum();
        common as f64 / (cells as f64).max(1.0)
    };
    let pairs = |n: u64| n as f64 * n.saturating_sub(1) as f64;
    let alike: f64 = counted.iter().map(|&(_, cells)| pairs(cells)).sum();
    Values {
        code: code.name().into(),
        cells,
        distinct: counted.len() as u64,
        share_7: share(7),
        share_66: share(66),
        collision: alike / pairs(cells).max(1.0),
        top: counted
            .into_iter()
            .take(7)
            .map(|(value, cells)| Frequent { value: code.hex(value), cells })
            .collect(),
    }
}
