//! `residue bench`: the speed of each code on this CPU.

mod claims;
mod compare;
mod iscsi;
mod iso;
mod thesis;

use crate::codes::{self, Names};
use crate::lengths::size;
use crate::output::{Format, Output, Report};
use crate::progress::Progress;
use anyhow::{Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use residue_bench::clock::Clock;
use residue_bench::data::Data;
use residue_bench::model::{Run, Statistic};

use residue_bench::{Mode, Options, measure, plain};
use residue_papers::claims::conclusion;
use residue_papers::{page, pino2018, reproduction, sahu2019};
use residue_report::COLUMNS;
use residue_report::text::wrapped;
use std::ops::RangeInclusive;

/// The sizes that the verdict compares.
const VERDICT_SIZES: [usize; 4] = [64, 1500, 9000, 65536];
/// Rounds of batches: of a quarter of a second together, so that a lowered clock rarely lasts
/// through all of them.
const ROUNDS: usize = 101;
/// Largest buffer in bytes. Beyond it memory is measured, not the code.
const LARGEST: usize = 1 << 30;

const HELP: &str = "\
Examples:
  residue bench                              the thesis's table on this CPU, and today's kernels
  residue bench --full --report report/      all sizes and extra bytes; figures in report/index.html
  residue bench --sizes 44,550,1500          nanoseconds at these sizes
  residue bench -a crc32c -k sse42,sse42_pclmul --mode latency
  residue bench -a internet --mixed 20..64 --mode throughput
  residue bench --cold -a crc32c             with the caches emptied before each call
  residue bench --thesis --report thesis/    the thesis and the other documents, reproduced
  residue bench claims                       the comparative claims of the papers, on this CPU
  residue bench iso                          Sklower's two tests of the ISO checksum
  residue bench iscsi                        the CRC's share in receiving iSCSI data (Intel 2006)
  residue bench --json > a.json              keep a run
  residue bench compare a.json b.json        compare two kept runs

Times are of one call, with the cost of the timer subtracted. Disturbed calls (interrupted, or at \
a lowered clock) are set aside, counted and repeated. Figures are medians with 95 % intervals; \
--statistic mean shows the thesis's means of all calls instead. The verdict compares medians.";

/// What follows the first screen.
const NEXT: &str = "\
Next: `residue bench --full` (all kernels, all sizes), `residue bench claims` (what the documents \
say), `residue bench -a CODE` (one code), `--report DIR` (figures); `residue bench --help` has the \
rest.";

/// Calls of each side by which the thesis's conclusion is judged, as many as it took.
const CALLS: usize = 1000;

/// Arguments of `residue bench`.
#[derive(Debug, Args)]
#[command(after_help = HELP, args_conflicts_with_subcommands = true)]
pub struct BenchArgs {
    #[command(subcommand)]
    command: Option<Command>,

    /// Codes to measure, separated by commas
    #[arg(
        short = 'a',
        long = "code",
        visible_alias = "algorithm",
        value_name = "CODE",
        value_parser = Names,
        hide_possible_values = true
    )]
    codes: Vec<String>,

    /// Kernels to measure, separated by commas
    #[arg(short, long, value_name = "NAME", value_delimiter = ',')]
    kernel: Vec<String>,

    /// Reproduce the thesis and the other documents; with --report, one page for each
    #[arg(
        long,
        conflicts_with_all = ["codes", "kernel", "full", "sizes", "extra", "mixed", "mode", "data",
            "misaligned", "cold", "seed", "csv"]
    )]
    thesis: bool,

    /// Measure all kernels at all 13 sizes of the thesis, and with 0 to 7 extra bytes
    #[arg(long, conflicts_with_all = ["sizes", "mixed"])]
    full: bool,

    /// Buffer sizes, separated by commas, as 64,1500,64KiB; prints nanoseconds
    #[arg(
        long,
        value_name = "BYTES",
        value_parser = size,
        value_delimiter = ',',
        conflicts_with = "mixed"
    )]
    sizes: Vec<usize>,

    /// Bytes to add to each size (0 to 7), separated by commas
    #[arg(long, value_name = "BYTES", value_delimiter = ',', conflicts_with = "mixed")]
    extra: Vec<usize>,

    /// Range of random lengths, as 20..64, in place of fixed sizes
    #[arg(long, value_name = "FROM..TO", value_parser = range)]
    mixed: Option<RangeInclusive<usize>>,

    /// Number of calls to time for each figure, or of rounds in the modes throughput and latency
    #[arg(long, value_name = "N", value_parser = samples())]
    samples: Option<u32>,

    /// How to time calls [default: thesis; throughput with --sizes or --mixed]
    #[arg(long, value_enum)]
    mode: Option<ModeName>,

    /// Statistic to show in tables and figures; JSON and CSV hold both
    #[arg(long, value_enum, default_value = "median")]
    statistic: StatisticName,

    /// Content of the buffers: random (fresh for each call), zeros, ones or ramp
    #[arg(long, value_name = "WHAT", default_value = "random", value_parser = str::parse::<Data>)]
    data: Data,

    /// Start buffers at offsets 0 to 7 in turn, not at multiples of 64
    #[arg(long)]
    misaligned: bool,

    /// Empty the caches of data and tables before each call
    #[arg(long)]
    cold: bool,

    /// Leave the cost of reading the counter in the figures, as the thesis did
    #[arg(long)]
    with_counter: bool,

    #[command(flatten)]
    pin: Pin,

    /// Seed for the random data
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    format: Format,

    #[command(flatten)]
    report: Report,
}

impl BenchArgs {
    /// Returns whether the thesis's codes and conditions were asked for: no others were named.
    fn is_of_thesis(&self) -> bool {
        let mode = self.mode.is_none_or(|mode| mode == ModeName::Thesis);
        let named = !(self.codes.is_empty() && self.kernel.is_empty());
        let sizes = !(self.sizes.is_empty() && self.extra.is_empty()) || self.mixed.is_some();
        mode && !named && !sizes && !self.cold && !self.misaligned && self.data == Data::Random
    }
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Check the comparative claims of the papers on this CPU
    Claims(claims::ClaimsArgs),
    /// Compare two runs kept with `residue bench --json`
    Compare(compare::CompareArgs),
    /// Run Sklower's two tests of 1989: a packet of 16 MiB, and 250,000 packets, in segments
    Iso(iso::IsoArgs),
    /// Measure the costs of receiving iSCSI data: protocol, CRC and copy (Intel 2006)
    Iscsi(iscsi::IscsiArgs),
}

/// The option `--pin`.
#[derive(Debug, Args)]
struct Pin {
    /// Pin to one core (Linux); without CORE, to the current one
    #[arg(long = "pin", value_name = "CORE", num_args = 0..=1, require_equals = true)]
    core: Option<Option<usize>>,
}

impl Pin {
    /// Pins this process, if asked to.
    fn apply(&self) -> Result<()> {
        match self.core {
            None => Ok(()),
            Some(core) => Ok(residue_bench::pin(core)?),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ModeName {
    /// One call at a time on fresh bytes, as in the thesis
    Thesis,
    /// Independent calls back to back
    Throughput,
    /// Dependent calls: each waits for the one before
    Latency,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StatisticName {
    /// Median of the undisturbed calls
    Median,
    /// Mean of all calls, as in the thesis
    Mean,
}

impl StatisticName {
    fn get(self) -> Statistic {
        match self {
            StatisticName::Median => Statistic::Median,
            StatisticName::Mean => Statistic::Mean,
        }
    }
}

/// Returns the parser of `--samples`.
fn samples() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=10_000_000)
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

/// Measures, or runs a subcommand.
pub fn run(args: &BenchArgs, output: &mut Output) -> Result<()> {
    match &args.command {
        Some(Command::Claims(args)) => return claims::run(args, output),
        Some(Command::Compare(args)) => return compare::run(args, output),
        Some(Command::Iso(args)) => return iso::run(args, output),
        Some(Command::Iscsi(args)) => return iscsi::run(args, output),
        None => {}
    }
    args.pin.apply()?;
    if args.thesis {
        return thesis::run(args, output);
    }
    let options = options(args)?;
    args.report.prepare()?;
    let clock = Clock::calibrate();
    let mut bar = Progress::of("measuring");
    let run = measured(&options, &clock, &mut bar)?;
    let paragraphs = if args.is_of_thesis() {
        let calls = args.samples.map_or(CALLS, |samples| samples as usize);
        let report = conclusion(calls, &clock, &mut |done, of| bar.set(done, of))?;
        sahu2019::verdict(&report, &run)
    } else if args.kernel.is_empty() {
        sahu2019::fastest_codes(&run)
    } else {
        Vec::new()
    };
    bar.clear();
    let statistic = args.statistic.get();
    args.report.write(output, |folder| page::write_report(folder, &run, &paragraphs, statistic))?;
    if args.format.json {
        output.json(&run)?;
    } else if args.format.csv {
        output.bytes(residue_bench::csv(&run).as_bytes())?;
    } else {
        print(output, args, &run, &paragraphs)?;
    }
    Ok(())
}

/// Measures what the options ask for, and for the thesis's mode also the throughput.
fn measured(options: &Options, clock: &Clock, bar: &mut Progress) -> Result<Run> {
    let mut run = measure(options, clock, &mut |done, of| bar.set(done, of))?;
    if options.mode == Mode::Thesis && options.mixed.is_none() && !options.cold {
        let steady = Options {
            mode: Mode::Throughput,
            samples: ROUNDS,
            sizes: plain(&VERDICT_SIZES),
            ..options.clone()
        };
        let steady = measure(&steady, clock, &mut |done, of| bar.set(done, of))?;
        (run.steady, run.load) = (steady.cells, run.load.max(steady.load));
    }
    Ok(run)
}

fn options(args: &BenchArgs) -> Result<Options> {
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
        false => codes::parse_all(&args.codes)?.into_iter().map(|code| code.label).collect(),
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

/// Prints a run as text.
fn print(output: &mut Output, args: &BenchArgs, run: &Run, paragraphs: &[String]) -> Result<()> {
    conditions(output, run)?;
    let statistic = args.statistic.get();
    let in_ns = !args.sizes.is_empty() || args.mixed.is_some() || run.mode != Mode::Thesis.name();
    let tables = if args.full {
        sahu2019::tables(run, statistic)
    } else if in_ns {
        vec![pino2018::table(run)]
    } else if args.is_of_thesis() {
        vec![sahu2019::table_6_1(run, statistic), sahu2019::table_today(run, statistic)]
    } else {
        vec![sahu2019::table_kernels(run, statistic)]
    };
    for table in tables {
        output.line(table.text())?;
    }
    for paragraph in paragraphs {
        output.line(wrapped(paragraph, COLUMNS))?;
    }
    if args.is_of_thesis() && !args.full {
        output.line(wrapped(NEXT, COLUMNS))?;
    }
    Ok(())
}

/// Prints the machine, the clock and the conditions of a run.
fn conditions(output: &mut Output, run: &Run) -> Result<()> {
    let m = &run.machine;
    output.line(format!("{} ({}), residue {}, {}", m.cpu, m.arch, run.residue, run.date))?;
    output.line(format!(
        "counter {}: {:.3} core cycles and {:.3} ns a tick, in steps of {} ticks; {} costs {} \
         ticks ({})",
        m.counter,
        1.0 / m.ticks_per_cycle,
        m.ns_per_tick,
        m.resolution_ticks,
        if run.mode == Mode::Thesis.name() { "reading it" } else { "an empty call" },
        (m.overhead_ticks * 100.0).round() / 100.0,
        if m.overhead_included { "included" } else { "subtracted" }
    ))?;
    output.line(format!(
        "{} {} of {} data a figure, mode {}{}",
        run.samples,
        run.samples_word(),
        run.data,
        run.mode,
        run.conditions.iter().map(|condition| format!(", {condition}")).collect::<String>()
    ))?;
    output.line(wrapped(&run.set_aside(), COLUMNS))?;
    for warning in run.warnings() {
        output.line(wrapped(&warning, COLUMNS))?;
    }
    output.line("")?;
    Ok(())
}
