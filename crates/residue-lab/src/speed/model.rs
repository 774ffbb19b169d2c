//! What a measurement leaves behind: a [`Run`] of [`Cell`]s on one [`Machine`], as plain data.

use serde::{Deserialize, Serialize};

/// One kernel of one code at one size. Figures are per call with the timer's overhead subtracted, in core
/// cycles per byte unless said.
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
    /// How many calls were timed; batches, in the modes `throughput` and `latency`.
    pub samples: usize,
    /// The mean.
    pub mean: f64,
    /// The sample standard deviation.
    pub sd: f64,
    /// Half the width of the 95 % confidence interval of the mean.
    pub margin: f64,
    /// The median.
    pub median: f64,
    /// The fastest call, or batch.
    pub min: f64,
    /// The median time of one call in nanoseconds.
    pub ns: f64,
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
    /// The counter that was read: `rdtsc`, `cntvct_el0`, ...
    pub counter: String,
    /// Counter ticks in one core cycle.
    pub ticks_per_cycle: f64,
    /// Nanoseconds in one tick.
    pub ns_per_tick: f64,
    /// The smallest step the counter makes, in ticks.
    pub resolution_ticks: f64,
    /// What reading the counter twice and calling a kernel that does nothing cost, in ticks; already subtracted from every
    /// cell.
    pub overhead_ticks: f64,
}

/// One measurement of many kernels.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Run {
    /// Version of this layout.
    pub format: u32,
    /// Version of `residue` that was measured.
    pub residue: String,
    /// When: UTC, RFC 3339.
    pub date: String,
    /// Where.
    pub machine: Machine,
    /// How calls were timed: `thesis`, `throughput` or `latency`.
    pub mode: String,
    /// What the buffers held: `random`, ...
    pub data: String,
    /// Calls timed for each cell; batches of calls, in the modes `throughput` and `latency`.
    pub samples: usize,
    /// What else was asked for: `cold`, `misaligned`, `mixed 20..=64`, `pinned`, `seed 7`. Empty for the defaults.
    #[serde(default)]
    pub conditions: Vec<String>,
    /// The figures.
    pub cells: Vec<Cell>,
    /// The same kernels in the mode `throughput` at the sizes of the verdict, which is drawn from them: a single call
    /// of 64 bytes is shorter than a step of many counters, a batch is not. Empty where the cells are of another mode.
    #[serde(default)]
    pub steady: Vec<Cell>,
}

/// The cell of a kernel at a size, without extra bytes.
#[must_use]
pub fn cell<'a>(cells: &'a [Cell], code: &str, kernel: &str, bytes: usize) -> Option<&'a Cell> {
    let wanted = |cell: &&Cell| {
        cell.extra == 0 && cell.bytes == bytes && cell.code == code && cell.kernel == kernel
    };
    cells.iter().find(wanted)
}

/// The fastest kernel of a code at a size, by median.
#[must_use]
pub fn fastest<'a>(cells: &'a [Cell], code: &str, bytes: usize) -> Option<&'a Cell> {
    let here = |cell: &&Cell| cell.extra == 0 && cell.bytes == bytes && cell.code == code;
    cells.iter().filter(here).min_by(|a, b| a.median.total_cmp(&b.median))
}
