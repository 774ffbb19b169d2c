//! The arguments of `residue bench`, and the measurement that they ask for.

use super::options::{Pin, StatisticName, samples};
use super::{claims, compare, iscsi, iso};
use crate::lengths::size;
use crate::options::{CodeNames, Format, Report};
use anyhow::{Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use residue_bench::data::Data;
use residue_bench::{Mode, Options};
use residue_papers::{reproduction, sahu2019};
use std::ops::RangeInclusive;

/// Largest buffer in bytes. Beyond it memory is measured, not the code.
const LARGEST: usize = 1 << 30;

/// Rounds of batches: of a quarter of a second together, so that a lowered clock rarely lasts
/// through all of them.
pub const ROUNDS: usize = 101;
const HELP: &str = "\
Examples:
  residue bench                              the thesis's table on this CPU, and today's kernels
  residue bench --full --report report/      all sizes and extra bytes; figures in report/index.html
  residue bench --sizes 44,550,1500          nanoseconds at these sizes
  residue bench -a crc32c -k sse42,sse42_pclmul --mode latency
  residue bench -a internet --mixed 20..64 --mode throughput
  residue bench --cold -a crc32c             with the caches emptied before each call
  residue bench --thesis --report thesis/    the documents, reproduced: index.html and report.pdf
  residue bench claims                       the comparative claims of the papers, on this CPU
  residue bench iso                          Sklower's two tests of the ISO checksum
  residue bench iscsi                        the CRC's share in receiving iSCSI data (Intel 2006)
  residue bench --json > a.json              keep a run
  residue bench compare a.json b.json        compare two kept runs

Times are of one call, with the cost of the timer subtracted. Disturbed calls (interrupted, or at \
a lowered clock) are set aside, counted and repeated. Figures are medians with 95 % intervals; \
--statistic mean shows the thesis's means of all calls instead. The verdict compares medians.";

// Arguments of `residue bench`.
#[derive(Debug, Args)]
#[command(after_help = HELP, args_conflicts_with_subcommands = true)]
pub struct BenchArgs {
    #[command(subcommand)]
    pub command: Option<Command>,

    #[command(flatten)]
    pub codes: CodeNames,

    /// Kernels to measure, separated by commas
    #[arg(short, long, value_name = "NAME", value_delimiter = ',')]
    pub kernel: Vec<String>,

    /// Reproduce the thesis and the other documents; with --report, one page for each
    #[arg(
        long,
        conflicts_with_all = ["codes", "kernel", "full", "sizes", "extra", "mixed", "mode", "data",
            "misaligned", "cold", "seed", "csv"]
    )]
    pub thesis: bool,

    /// Measure all kernels at all 13 sizes of the thesis, and with 0 to 7 extra bytes
    #[arg(long, conflicts_with_all = ["sizes", "mixed"])]
    pub full: bool,

    /// Buffer sizes, separated by commas, as 64,1500,64KiB; prints nanoseconds
    #[arg(
        long,
        value_name = "BYTES",
        value_parser = size,
        value_delimiter = ',',
        conflicts_with = "mixed"
    )]
    pub sizes: Vec<usize>,

    /// Bytes to add to each size (0 to 7), separated by commas
    #[arg(long, value_name = "BYTES", value_delimiter = ',', conflicts_with = "mixed")]
    pub extra: Vec<usize>,

    /// Range of random lengths, as 20..64, in place of fixed sizes
    #[arg(long, value_name = "FROM..TO", value_parser = range)]
    pub mixed: Option<RangeInclusive<usize>>,

    /// Number of calls to time for each figure, or of rounds in the modes throughput and latency
    #[arg(long, value_name = "N", value_parser = samples())]
    pub samples: Option<u32>,

    /// How to time calls [default: thesis; throughput with --sizes or --mixed]
    #[arg(long, value_enum)]
    pub mode: Option<ModeName>,

    /// Statistic to show in tables and figures; JSON and CSV hold both
    #[arg(long, value_enum, default_value = "median")]
    pub statistic: StatisticName,

    /// Content of the buffers: random (fresh for each call), zeros, ones or ramp
    #[arg(long, value_name = "WHAT", default_value = "random", value_parser = str::parse::<Data>)]
    pub data: Data,

    /// Start buffers at offsets 0 to 7 in turn, not at multiples of 64
    #[arg(long)]
    pub misaligned: bool,

    /// Empty the caches of data and tables before each call
    #[arg(long)]
    pub cold: bool,

    /// Leave the cost of reading the counter in the figures, as the thesis did
    #[arg(long)]
    pub with_counter: bool,

    #[command(flatten)]
    pub pin: Pin,

    /// Seed for the random data
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    #[command(flatten)]
    pub format: Format,

    #[command(flatten)]
    pub report: Report,
}

impl BenchArgs {
    /// Returns whether the thesis's codes and conditions were asked for: no others were named.
    pub fn is_of_thesis(&self) -> bool {
        let mode = self.mode.is_none_or(|mode| mode == ModeName::Thesis);
        let named = !(self.codes.is_empty() && self.kernel.is_empty());
        let sizes = !(self.sizes.is_empty() && self.extra.is_empty()) || self.mixed.is_some();
        mode && !named && !sizes && !self.cold && !self.misaligned && self.data == Data::Random
    }
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum Command {
    /// Check the comparative claims of the papers on this CPU
    Claims(claims::ClaimsArgs),
    /// Compare two runs kept with `residue bench --json`
    Compare(compare::CompareArgs),
    /// Run Sklower's two tests of 1989: a packet of 16 MiB, and 250,000 packets, in segments
    Iso(iso::IsoArgs),
    /// Measure the costs of receiving iSCSI data: protocol, CRC and copy (Intel 2006)
    Iscsi(iscsi::IscsiArgs),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ModeName {
    /// One call at a time on fresh bytes, as in the thesis
    Thesis,
    /// Independent calls back to back
    Throughput,
    /// Dependent calls: each waits for the one before
    Latency,
}

/// Reads a range of lengths.
fn range(text: &str) -> Result<RangeInclusive<usize>, String> {
    let parsed = text.split_once("..").and_then(|(from, to)| {
        let to = to.strip_prefix('=').unwrap_or(to);
        Some((from.parse().ok()?, to.parse().ok()?))
    });
    match parsed {
        Some((from, to)) if from <= to && to <= LARGEST => Ok(from..=to),
        Some(_) => Err(format!("the range must grow, and end at {LARGEST} or below")),
        None => Err("expected a range as 20..64".to_string()),
    }
}

/// Returns the options of the measurement.
pub fn options(args: &BenchArgs) -> Result<Options> {
    // A call of 44 bytes is shorter than a step of many counters, so sizes are timed in batches.
    let in_ns = !args.sizes.is_empty() || args.mixed.is_some();
    let mode = match args.mode {
        Some(ModeName::Latency) => Mode::Latency,
        Some(ModeName::Throughput) => Mode::Throughput,
        None if in_ns && !args.cold => Mode::Throughput,
        None | Some(ModeName::Thesis) => Mode::Thesis,
    };
    if args.cold && mode != Mode::Thesis {
        bail!(
            "--cold empties the caches before each call, and times calls one by one: leave out \
             --mode"
        );
    }
    let defaults = Options::default();
    let codes = match args.codes.is_empty() {
        true => defaults.codes,
        false => args.codes.chosen()?.into_iter().map(|code| code.label).collect(),
    };
    let samples = match (args.samples, mode, args.cold) {
        (Some(samples), ..) => samples as usize,
        // A batch holds many calls.
        (None, Mode::Throughput | Mode::Latency, _) => ROUNDS,
        // Emptying the caches takes a thousand times as long as most calls.
        (None, Mode::Thesis, true) => 30,
        (None, Mode::Thesis, false) => defaults.samples,
    };
    let kernels = match (args.kernel.is_empty(), args.is_of_thesis() && !args.full) {
        (false, _) => Some(args.kernel.clone()),
        (true, true) => Some(sahu2019::kernels_and_todays(&codes)),
        (true, false) => None,
    };
    Ok(Options {
        codes,
        kernels,
        sizes: sizes(args, &defaults.sizes)?,
        samples,
        with_counter: args.with_counter,
        pinned: args.pin.core.is_some(),
        mixed: args.mixed.clone(),
        mode,
        data: args.data,
        misaligned: args.misaligned,
        cold: args.cold,
        seed: args.seed,
    })
}

/// Returns the sizes to measure, each with its extra bytes.
fn sizes(args: &BenchArgs, usual: &[(usize, usize)]) -> Result<Vec<(usize, usize)>> {
    if let Some(extra) = args.extra.iter().find(|&&extra| extra > 7) {
        bail!("--extra {extra}: give 0 to 7 bytes");
    }
    if let Some(size) = args.sizes.iter().find(|&&size| size > LARGEST) {
        bail!("--sizes {size}: give at most {LARGEST} bytes");
    }
    let sizes = match (args.full, args.sizes.is_empty()) {
        (true, _) => reproduction::SIZES.to_vec(),
        (false, false) => args.sizes.clone(),
        (false, true) => usual.iter().map(|&(size, _)| size).collect(),
    };
    let extra = |size: usize| match (
        args.extra.is_empty(),
        args.full && reproduction::EXTRA_SIZES.contains(&size),
    ) {
        (false, _) => args.extra.clone(),
        (true, true) => (0..8).collect(),
        (true, false) => vec![0],
    };
    let all = |size| extra(size).into_iter().map(move |extra| (size, extra));
    Ok(sizes.into_iter().flat_map(all).collect())
}
