//! `residue bench`: how fast each code is on this CPU.

use crate::Outcome;
use crate::codes::{self, Names};
use crate::lengths::size;
use crate::output::report_folder;
use crate::progress::Progress;
use crate::streams;
use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use residue_bench::clock::Clock;
use residue_bench::data::Data;
use residue_bench::load;
use residue_bench::model::{Run, Statistic};
use residue_bench::papers::{claims, intel2006, pino2018, sahu2019, sklower1989};
use residue_bench::report;
use residue_bench::{Mode, Options, measure, plain};
use residue_report::{COLUMNS, text::wrapped};
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// The thesis's sizes (Sahu 2019, chapter 5).
const ALL_SIZES: [usize; 13] =
    [64, 128, 256, 512, 1024, 1500, 2048, 4096, 8192, 9000, 16384, 32768, 65536];
/// The sizes of its tables of extra bytes (A.5, A.6).
const EXTRA_SIZES: [usize; 3] = [64, 1500, 9000];

/// The sizes the verdict speaks of.
const VERDICT_SIZES: [usize; 4] = [64, 1500, 9000, 65536];
/// Rounds of batches: of a quarter of a second, so that a lowered clock rarely lasts through all.
const ROUNDS: usize = 101;

const EXAMPLES: &str = "\
Examples:
  residue bench                              every kernel at 64, 1500, 9000 and 65536 bytes, and a verdict
  residue bench --full --report report/      all sizes, extra bytes; page with figures in report/index.html
  residue bench --sizes 44,550,1500          nanoseconds at these sizes
  residue bench -a crc32c -k sse42,sse42_pclmul --mode latency
  residue bench -a internet --mixed 20..64 --mode throughput
  residue bench --cold -a crc32c             with caches emptied before each call
  residue bench --claims                     the documents' sentences, held against this CPU
  residue bench iso                          Sklower's two tests of the ISO checksum
  residue bench iscsi                        the CRC's share in receiving iSCSI data (Intel 2006)
  residue bench --json > a.json; residue bench --compare a.json b.json

Times are of one call, the timer's own cost subtracted. Disturbed calls (interrupted, or at a lowered clock)
are set aside, counted and taken again.
Figures are medians with 95 % intervals; --statistic mean
shows the thesis's means of all calls instead. The verdict compares medians.";

/// Arguments of `residue bench`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub struct BenchArgs {
    #[command(subcommand)]
    test: Option<Test>,

    /// Codes to measure, by name, separated by commas
    #[arg(short = 'a', long = "code", visible_alias = "algorithm", value_name = "CODE", value_parser = Names, hide_possible_values = true)]
    codes: Vec<String>,

    /// Only these kernels, separated by commas
    #[arg(short, long, value_name = "NAME", value_delimiter = ',')]
    kernel: Vec<String>,

    /// Measure all 13 sizes of the thesis, and 0 to 7 extra bytes
    #[arg(long, conflicts_with_all = ["sizes", "mixed", "claims", "compare"])]
    full: bool,

    /// Bytes in a buffer, separated by commas, as 64,1500,64KiB; prints nanoseconds
    #[arg(long, value_name = "BYTES", value_parser = size, value_delimiter = ',', conflicts_with_all = ["mixed", "claims", "compare"])]
    sizes: Vec<usize>,

    /// Bytes to add to each size, separated by commas
    #[arg(long, value_name = "BYTES", value_delimiter = ',', conflicts_with_all = ["mixed", "claims", "compare"])]
    extra: Vec<usize>,

    /// Random lengths in a range, as 20..64, in place of fixed sizes
    #[arg(long, value_name = "FROM..TO", value_parser = range, conflicts_with_all = ["claims", "compare"])]
    mixed: Option<RangeInclusive<usize>>,

    /// Calls to time for each figure; rounds, in the modes throughput and latency
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    samples: Option<u32>,

    /// How calls are timed: thesis, unless --sizes or --mixed ask for throughput
    #[arg(long, value_enum)]
    mode: Option<ModeName>,

    /// What tables, figures and comparisons show; JSON and CSV hold both
    #[arg(long, value_enum, default_value = "median", conflicts_with = "claims")]
    statistic: StatisticName,

    /// What the buffers hold: random (fresh for each call), zeros, ones or ramp
    #[arg(long, value_name = "WHAT", default_value = "random", value_parser = str::parse::<Data>)]
    data: Data,

    /// Begin buffers at offsets 0 to 7 in turn, not at a multiple of 64
    #[arg(long)]
    misaligned: bool,

    /// Empty the caches of data and tables before each call
    #[arg(long)]
    cold: bool,

    /// Stay on one core (Linux): this one, or where the program is
    #[arg(long, value_name = "CORE", num_args = 0..=1, require_equals = true)]
    pin: Option<Option<usize>>,

    /// Where the random bytes begin
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Hold the documents' comparative sentences against this CPU
    #[arg(long, conflicts_with_all = ["csv", "report", "compare", "full", "codes", "kernel", "mode", "cold", "misaligned", "data", "seed"])]
    claims: bool,

    /// Compare two runs kept with --json
    #[arg(long, num_args = 2, value_names = ["A.json", "B.json"], conflicts_with_all = ["csv", "json", "report", "codes", "kernel", "mode", "cold", "samples", "data", "misaligned", "pin", "seed"])]
    compare: Option<Vec<PathBuf>>,

    /// Print the figures as CSV
    #[arg(long, conflicts_with = "json")]
    csv: bool,

    /// Print the run as JSON
    #[arg(long)]
    json: bool,

    /// Write a page with figures and tables, SVG, CSV and JSON into a folder
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Test {
    /// Sklower's two tests of 1989: a packet of 16 MiB, and 250,000 packets, in segments
    Iso {
        /// How often each row is run; the fastest counts
        #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
        rounds: u32,
        /// Print the rows as JSON
        #[arg(long)]
        json: bool,
    },
    /// What a data-in PDU costs an iSCSI initiator: protocol, CRC and copy (Intel's figures of 2006)
    Iscsi {
        /// How often each figure is timed; medians count
        #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
        rounds: u32,
        /// Print the rows as CSV
        #[arg(long, conflicts_with = "json")]
        csv: bool,
        /// Print the rows as JSON
        #[arg(long)]
        json: bool,
        /// Write two figures as SVG, CSV and JSON into a folder
        #[arg(long, value_name = "DIR")]
        report: Option<PathBuf>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ModeName {
    /// One call at a time on fresh bytes, as the thesis does
    Thesis,
    /// Independent calls one after another
    Throughput,
    /// Each call waits for the one before
    Latency,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StatisticName {
    /// The median of the calls that were not disturbed
    Median,
    /// The mean of all calls, as the thesis prints it
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

fn range(text: &str) -> Result<RangeInclusive<usize>, String> {
    let parsed = text.split_once("..").and_then(|(from, to)| {
        let to = to.strip_prefix('=').unwrap_or(to);
        Some((from.parse().ok()?, to.parse().ok()?))
    });
    match parsed {
        Some((from, to)) if from <= to && to <= LARGEST => Ok(from..=to),
        Some(_) => Err(format!("the range must grow and end by {LARGEST}")),
        None => Err("write a range as 20..64".to_string()),
    }
}

/// No buffer is longer: measuring more is a matter of memory, not of codes.
const LARGEST: usize = 1 << 30;

/// Runs the command.
pub fn run(args: &BenchArgs) -> Result<Outcome> {
    match &args.test {
        Some(Test::Iso { rounds, json }) => return run_iso(*rounds as usize, *json),
        Some(Test::Iscsi { rounds, csv, json, report }) => {
            return run_iscsi(*rounds as usize, *csv, *json, report.as_deref());
        }
        None => {}
    }
    if let Some(files) = &args.compare {
        return compare(&files[0], &files[1], args.statistic.get());
    }
    pin(args)?;
    if args.claims {
        return run_claims(args);
    }

    let options = options(args)?;
    if let Some(folder) = &args.report {
        report_folder(folder)?;
    }
    let clock = Clock::calibrate();
    let mut bar = Progress::of("measuring");
    let mut run = measure(&options, &clock, &mut |done, of| bar.tell(done, of))?;
    if options.mode == Mode::Thesis && options.mixed.is_none() && !options.cold {
        let steady = Options {
            mode: Mode::Throughput,
            samples: ROUNDS,
            sizes: plain(&VERDICT_SIZES),
            ..options.clone()
        };
        let steady = measure(&steady, &clock, &mut |done, of| bar.tell(done, of))?;
        (run.steady, run.load) = (steady.cells, run.load.max(steady.load));
    }
    bar.clear();

    let told = sahu2019::verdict(&run);
    if let Some(folder) = &args.report {
        let files = report::write_report(folder, &run, &told, args.statistic.get())
            .with_context(|| format!("cannot write the report into `{}`", folder.display()))?;
        if let Some(page) = files.first() {
            // The report is written; that nobody can be told so is no failure.
            let _ = writeln!(std::io::stderr(), "report: {}", page.display());
        }
    }
    let mut out = streams::stdout();
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&run)?)?;
    } else if args.csv {
        write!(out, "{}", report::csv(&run))?;
    } else {
        print(&mut out, args, &run, &told)?;
    }
    Ok(Outcome::Good)
}

fn options(args: &BenchArgs) -> Result<Options> {
    // One call of 44 bytes is shorter than a step of many counters.
    let in_ns = !args.sizes.is_empty() || args.mixed.is_some();
    let mode = match args.mode {
        Some(ModeName::Latency) => Mode::Latency,
        Some(ModeName::Throughput) => Mode::Throughput,
        None if in_ns && !args.cold => Mode::Throughput,
        None | Some(ModeName::Thesis) => Mode::Thesis,
    };
    if args.cold && mode != Mode::Thesis {
        bail!(
            "--cold empties the caches before each call, so calls are timed one by one: leave out --mode"
        );
    }
    let mut options = Options {
        pinned: args.pin.is_some(),
        mixed: args.mixed.clone(),
        mode,
        data: args.data,
        misaligned: args.misaligned,
        cold: args.cold,
        seed: args.seed,
        ..Options::default()
    };
    if !args.codes.is_empty() {
        options.codes = codes::parse_all(&args.codes)?.into_iter().map(|code| code.label).collect();
    }
    if !args.kernel.is_empty() {
        options.kernels = Some(args.kernel.clone());
    }
    if let Some(extra) = args.extra.iter().find(|&&extra| extra > 7) {
        bail!("{extra} extra bytes: --extra takes 0 to 7");
    }
    if let Some(size) = args.sizes.iter().find(|&&size| size > LARGEST) {
        bail!("a size of {size} bytes is more than {LARGEST}; give a smaller one to --sizes");
    }
    let sizes = match (args.full, args.sizes.is_empty()) {
        (true, _) => ALL_SIZES.to_vec(),
        (false, false) => args.sizes.clone(),
        (false, true) => options.sizes.iter().map(|&(size, _)| size).collect(),
    };
    // Tables A.5 and A.6 have extra bytes at three sizes.
    let extra =
        |size: &usize| match (args.extra.is_empty(), args.full && EXTRA_SIZES.contains(size)) {
            (false, _) => args.extra.clone(),
            (true, true) => (0..8).collect(),
            (true, false) => vec![0],
        };
    options.sizes = sizes
        .iter()
        .flat_map(|&size| extra(&size).into_iter().map(move |extra| (size, extra)))
        .collect();
    options.samples = match (args.samples, mode, args.cold) {
        (Some(samples), ..) => samples as usize,
        // A batch is many calls already, and emptying the caches takes a thousand times as long as most calls.
        (None, Mode::Throughput | Mode::Latency, _) => ROUNDS,
        (None, Mode::Thesis, true) => 30,
        (None, Mode::Thesis, false) => options.samples,
    };
    Ok(options)
}

fn print(out: &mut impl Write, args: &BenchArgs, run: &Run, told: &[String]) -> Result<()> {
    let m = &run.machine;
    writeln!(out, "{} ({}), residue {}, {}", m.cpu, m.arch, run.residue, run.date)?;
    writeln!(
        out,
        "counter {}: {:.3} core cycles and {:.3} ns a tick, in steps of {} ticks; {} costs {} ticks (subtracted)",
        m.counter,
        1.0 / m.ticks_per_cycle,
        m.ns_per_tick,
        m.resolution_ticks,
        if run.mode == Mode::Thesis.name() { "reading it" } else { "an empty call" },
        (m.overhead_ticks * 100.0).round() / 100.0
    )?;
    writeln!(
        out,
        "{} {} of {} data a figure, mode {}{}",
        run.samples,
        run.samples_word(),
        run.data,
        run.mode,
        run.conditions.iter().map(|condition| format!(", {condition}")).collect::<String>()
    )?;
    writeln!(out, "{}", wrapped(&load::set_aside(run), COLUMNS))?;
    for warning in run.warnings() {
        writeln!(out, "{}", wrapped(&warning, COLUMNS))?;
    }
    writeln!(out)?;
    let statistic = args.statistic.get();
    let in_ns = !args.sizes.is_empty() || args.mixed.is_some() || run.mode != Mode::Thesis.name();
    if args.full {
        for table in sahu2019::tables(run, statistic) {
            writeln!(out, "{}", table.text())?;
        }
    } else if in_ns {
        writeln!(out, "{}", pino2018::table(run).text())?;
    } else {
        writeln!(out, "{}", sahu2019::table_6_1(run, statistic).text())?;
    }
    for paragraph in told {
        writeln!(out, "{}\n", wrapped(paragraph, COLUMNS))?;
    }
    Ok(())
}

fn pin(args: &BenchArgs) -> Result<()> {
    match args.pin {
        None => Ok(()),
        Some(core) => Ok(residue_bench::pin(core)?),
    }
}

fn run_claims(args: &BenchArgs) -> Result<Outcome> {
    let clock = Clock::calibrate();
    let mut bar = Progress::of("measuring");
    let judged = claims::judge(
        args.samples.map_or(ROUNDS, |samples| samples as usize),
        &clock,
        &mut |done, of| bar.tell(done, of),
    )?;
    bar.clear();
    let mut out = streams::stdout();
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&judged)?)?;
        return Ok(Outcome::Good);
    }
    writeln!(
        out,
        "Times over times, by medians; a claim of a multiple holds from three quarters of it on, one of an order if the order is the same.\n"
    )?;
    let mut source = "";
    for judged in judged {
        if judged.source != source {
            source = judged.source;
            writeln!(out, "{source}")?;
        }
        writeln!(out, "  {:<13}  {}", judged.outcome.name(), judged.claim)?;
        writeln!(out, "  {:<13}  published {}; here {}", "", judged.published, judged.here)?;
    }
    Ok(Outcome::Good)
}

fn run_iso(rounds: usize, json: bool) -> Result<Outcome> {
    let clock = Clock::calibrate();
    let mut bar = Progress::of("measuring");
    let rows = sklower1989::measure(rounds, clock.ns_per_tick, &mut |done, of| bar.tell(done, of))?;
    bar.clear();
    let mut out = streams::stdout();
    if json {
        writeln!(out, "{}", serde_json::to_string_pretty(&rows)?)?;
        return Ok(Outcome::Good);
    }
    writeln!(out, "{}", sklower1989::table(&rows).text())?;
    for finding in sklower1989::findings(&rows) {
        writeln!(out, "{}", wrapped(&finding, COLUMNS))?;
    }
    Ok(Outcome::Good)
}

fn run_iscsi(rounds: usize, csv: bool, json: bool, folder: Option<&Path>) -> Result<Outcome> {
    if let Some(folder) = folder {
        report_folder(folder)?;
    }
    let clock = Clock::calibrate();
    let mut bar = Progress::of("measuring");
    let costs = intel2006::measure(rounds, &clock, &mut |done, of| bar.tell(done, of))?;
    bar.clear();
    if let Some(folder) = folder {
        intel2006::write(folder, &costs)
            .with_context(|| format!("cannot write the report into `{}`", folder.display()))?;
    }
    let mut out = streams::stdout();
    if json {
        writeln!(out, "{}", serde_json::to_string_pretty(&costs)?)?;
        return Ok(Outcome::Good);
    }
    if csv {
        write!(out, "{}", intel2006::csv(&costs))?;
        return Ok(Outcome::Good);
    }
    writeln!(out, "{}", intel2006::table(&costs).text())?;
    for sentence in intel2006::totals(&costs) {
        writeln!(out, "{}", wrapped(&sentence, COLUMNS))?;
    }
    Ok(Outcome::Good)
}

fn compare(a: &Path, b: &Path, statistic: Statistic) -> Result<Outcome> {
    let read = |path: &Path| -> Result<Run> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read `{}`", path.display()))?;
        Run::from_json(&text).with_context(|| {
            format!("`{}` is not a run; make one with `residue bench --json`", path.display())
        })
    };
    let (a, b) = (read(a)?, read(b)?);
    write!(streams::stdout(), "{}", report::compare(&a, &b, statistic))?;
    Ok(Outcome::Good)
}
