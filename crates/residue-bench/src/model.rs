//! The results of a measurement: a [`Run`] of [`Cell`]s on one [`Machine`], as plain data.

use super::clock::disagreement;
use super::load::{Load, percent, warning};
use residue_report::number::{Estimate, grouped};
use serde::{Deserialize, Serialize};

/// One kernel of one code at one size.
///
/// Figures are per call with the timer's overhead subtracted, in core cycles per byte unless said.
///
/// Disturbed samples are set aside: `median`, `low`, `high`, `mean`, `sd`, `margin`, `min` and `ns`
/// are of the `samples` that were kept, or of all of them where none was. `plain_mean` and
/// `plain_margin` are of all.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Cell {
    /// The code: `crc-32/iscsi`, `internet`, `adler-32`, `fletcher-32`, ...
    pub code: String,
    /// The kernel: `bitwise_msb`, `sse42_pclmul`, `adc`, ...
    pub kernel: String,
    /// The base size in bytes.
    pub bytes: usize,
    /// Bytes beyond `bytes`, 0 to 7.
    pub extra: usize,
    /// The number of timed calls that were kept; batches, in the modes `throughput` and `latency`.
    pub samples: usize,
    /// The number of calls that were timed and set aside because they were interrupted, or taken
    /// while the core's clock was lowered.
    #[serde(default)]
    pub set_aside: usize,
    /// The mean.
    pub mean: f64,
    /// The sample standard deviation.
    pub sd: f64,
    /// Half the width of the 95 % confidence interval of the mean.
    pub margin: f64,
    /// The median.
    pub median: f64,
    /// The lower end of the 95 % confidence interval of the median.
    #[serde(default)]
    pub low: f64,
    /// The upper end of the 95 % confidence interval of the median.
    #[serde(default)]
    pub high: f64,
    /// The mean of all samples, the thesis's figure.
    #[serde(default)]
    pub plain_mean: f64,
    /// Half the width of the 95 % confidence interval of `plain_mean`.
    #[serde(default)]
    pub plain_margin: f64,
    /// The fastest call, or batch.
    pub min: f64,
    /// The median time of one call in nanoseconds.
    pub ns: f64,
}

/// The figure of a cell that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Statistic {
    /// The median of the samples that were not disturbed.
    #[default]
    Median,
    /// The mean of all samples, as the thesis prints it.
    Mean,
}

impl Statistic {
    /// `median` or `mean`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Statistic::Median => "median",
            Statistic::Mean => "mean",
        }
    }
}

impl Cell {
    /// Returns the median or the plain mean, with its interval.
    #[must_use]
    pub fn estimate(&self, statistic: Statistic) -> Estimate {
        match statistic {
            Statistic::Median => Estimate { value: self.median, low: self.low, high: self.high },
            Statistic::Mean => {
                let (value, margin) = (self.plain_mean, self.plain_margin.abs());
                Estimate { value, low: value - margin, high: value + margin }
            }
        }
    }

    /// Returns whether more of its samples were disturbed than not, so that its figures are
    /// unreliable.
    #[must_use]
    pub fn disturbed(&self) -> bool {
        self.set_aside > self.samples
    }
}

/// The computer a run was made on, and the clock it was read with.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Machine {
    /// The CPU's own name.
    pub cpu: String,
    /// The architecture: `x86_64`, `aarch64`, `powerpc64`, ...
    pub arch: String,
    /// The CPU features that kernels could use.
    pub features: Vec<String>,
    /// The name of the profile by which kernels were chosen; empty in runs that do not record it.
    #[serde(default)]
    pub profile: String,
    /// The counter that was read: `rdtsc`, `cntvct_el0`, ...
    pub counter: String,
    /// Counter ticks in one core cycle, by a chain of additions, at its fastest before the run;
    /// cells are of the cycles that were measured with them.
    pub ticks_per_cycle: f64,
    /// Counter ticks in one core cycle by a chain of multiplications; `None` where their latency is
    /// unknown.
    #[serde(default)]
    pub ticks_per_cycle_by_products: Option<f64>,
    /// Nanoseconds in one tick.
    pub ns_per_tick: f64,
    /// The smallest step the counter makes, in ticks.
    pub resolution_ticks: f64,
    /// The cost of reading the counter twice and calling a kernel that does nothing, in ticks;
    /// already subtracted from every cell, unless `overhead_included`. The median over the sizes,
    /// at each of which it is measured anew.
    pub overhead_ticks: f64,
    /// Whether that cost is part of every cell, as in the thesis.
    #[serde(default)]
    pub overhead_included: bool,
}

/// One measurement of many kernels.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Run {
    /// Version of this layout: [`FORMAT`], or 1 for runs without intervals of medians.
    pub format: u32,
    /// Version of `residue` that was measured.
    pub residue: String,
    /// The date: UTC, RFC 3339.
    pub date: String,
    /// The computer.
    pub machine: Machine,
    /// The mode in which calls were timed: `thesis`, `throughput` or `latency`.
    pub mode: String,
    /// The contents of the buffers: `random`, ...
    pub data: String,
    /// Calls asked for in each cell; batches of calls, in the modes `throughput` and `latency`.
    pub samples: usize,
    /// The other options: `cold`, `misaligned`, `with the counter's cost`, `mixed 20..=64`,
    /// `pinned`, `seed 7`; empty for the defaults.
    #[serde(default)]
    pub conditions: Vec<String>,
    /// The figures.
    pub cells: Vec<Cell>,
    /// The kernels in the mode `throughput` at the sizes of the verdict, which is drawn from them.
    ///
    /// A single call of 64 bytes is shorter than a step of many counters, a batch is not. Empty
    /// where the cells are of another mode.
    #[serde(default)]
    pub steady: Vec<Cell>,
    /// The share of time that other programs took.
    #[serde(default)]
    pub load: Load,
}

/// The share of samples set aside from which figures are not to be trusted. An idle core that
/// changes its clock has up to 15 % of them (`residue bench --full`, Intel Xeon, Emerald Rapids,
/// 2026-11-22).
const TOO_DISTURBED: f64 = 0.25;

/// The version of the layout of [`Run`].
pub const FORMAT: u32 = 2;

impl Run {
    /// Reads a run from its JSON, of this layout or the first one.
    ///
    /// Runs of the first layout have means of all samples and no interval of the median: it comes
    /// out as the median itself.
    ///
    /// # Errors
    /// Returns an error if the text is no run, or one of a later layout.
    pub fn from_json(text: &str) -> Result<Run, serde_json::Error> {
        let mut run: Run = serde_json::from_str(text)?;
        if run.format > FORMAT {
            let (theirs, version) = (run.format, &run.residue);
            let message = format!(
                "layout {theirs}, made by residue {version}; this program reads up to {FORMAT}"
            );
            return Err(serde::de::Error::custom(message));
        }
        if run.format < FORMAT {
            for cell in run.cells.iter_mut().chain(&mut run.steady) {
                (cell.low, cell.high) = (cell.median, cell.median);
                (cell.plain_mean, cell.plain_margin) = (cell.mean, cell.margin);
            }
        }
        Ok(run)
    }

    /// Returns the kind of its samples: `calls` or `batches`.
    #[must_use]
    pub fn samples_word(&self) -> &'static str {
        if self.mode == "thesis" { "calls" } else { "batches" }
    }

    /// Returns reasons to doubt the figures, a sentence each: a busy machine, a core cycle of
    /// uncertain length.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let machine = &self.machine;
        let cycles = disagreement(machine.ticks_per_cycle, machine.ticks_per_cycle_by_products);
        self.too_busy().into_iter().chain(cycles).collect()
    }

    /// Returns all cells, the steady ones at the end.
    pub fn all_cells(&self) -> impl Iterator<Item = &Cell> {
        self.cells.iter().chain(&self.steady)
    }

    /// Returns the numbers of samples that were kept and that were set aside.
    fn samples_of_all(&self) -> (usize, usize) {
        self.all_cells().fold((0, 0), |(kept, aside), c| (kept + c.samples, aside + c.set_aside))
    }

    /// Returns the number of samples that were set aside, in one sentence.
    #[must_use]
    pub fn set_aside(&self) -> String {
        let (kept, aside) = self.samples_of_all();
        let unit = if self.steady.is_empty() { self.samples_word() } else { "calls and batches" };
        let all = grouped(kept + aside);
        match aside {
            0 => format!("None of {all} {unit} was disturbed."),
            aside => format!(
                "{} of {all} {unit} were disturbed (interrupted, or at a lowered clock), set aside \
                 and taken again.",
                grouped(aside)
            ),
        }
    }

    /// Returns the share of the samples that was set aside, 0 to 1.
    #[must_use]
    pub fn share_set_aside(&self) -> f64 {
        let (kept, aside) = self.samples_of_all();
        aside as f64 / (kept + aside).max(1) as f64
    }

    /// Returns one sentence if the machine was too busy for the figures to be trusted.
    #[must_use]
    pub fn too_busy(&self) -> Option<String> {
        let interrupted = self.share_set_aside();
        let disturbed = self.all_cells().filter(|cell| cell.disturbed()).count();
        let mut reasons = self.load.reasons();
        if interrupted > TOO_DISTURBED {
            reasons.push(format!("{} of all samples were disturbed", percent(interrupted)));
        }
        if disturbed > 0 {
            reasons.push(format!("figures mostly of disturbed samples: {disturbed}"));
        }
        warning(&reasons)
    }
}

/// Returns the cell of a kernel at a size, without extra bytes.
#[must_use]
pub fn cell<'a>(cells: &'a [Cell], code: &str, kernel: &str, bytes: usize) -> Option<&'a Cell> {
    let wanted = |cell: &&Cell| {
        cell.extra == 0 && cell.bytes == bytes && cell.code == code && cell.kernel == kernel
    };
    cells.iter().find(wanted)
}

/// Returns the fastest kernel of a code at a size, by median.
#[must_use]
pub fn fastest<'a>(cells: &'a [Cell], code: &str, bytes: usize) -> Option<&'a Cell> {
    let here = |cell: &&Cell| cell.extra == 0 && cell.bytes == bytes && cell.code == code;
    cells.iter().filter(here).min_by(|a, b| a.median.total_cmp(&b.median))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;

    #[test]
    fn a_busy_machine_is_named_in_one_line() {
        let mut run = example::x86();
        assert_eq!(run.too_busy(), None);
        assert!(run.set_aside().starts_with("None of "), "{}", run.set_aside());
        run.load = Load { waited: 0.48, stolen: 0.06 };
        let line = run.too_busy().unwrap();
        assert!(line.contains("48 %") && line.contains("took 6 %") && !line.contains('\n'));
        assert_eq!(run.load.too_busy(), Some(line));

        run.load = Load::default();
        run.cells[3].set_aside = run.cells[3].samples + 1;
        assert!(run.too_busy().unwrap().contains("disturbed samples: 1."));
        assert!(run.set_aside().starts_with("1,001 of "), "{}", run.set_aside());
        run.cells.iter_mut().for_each(|cell| cell.set_aside = cell.samples / 2);
        assert!(run.too_busy().unwrap().contains("33 % of all samples"));
    }
}
