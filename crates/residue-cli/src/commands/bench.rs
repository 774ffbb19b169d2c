//! `residue bench`: the speed of each code on this CPU.

mod arguments;
mod claims;
mod compare;
mod conditions;
mod iscsi;
mod iso;
mod options;
mod thesis;

use crate::output::Output;
use crate::progress::Progress;
use anyhow::Result;
pub use arguments::BenchArgs;
use arguments::{Command, ROUNDS, options};
use conditions::{CALLS, conditions};
use residue_bench::clock::Clock;
use residue_bench::model::Run;
use residue_bench::{Mode, Options, measure, plain};
use residue_papers::claims::conclusion;
use residue_papers::{page, pino2018, sahu2019};

/// The sizes that the verdict compares.
const VERDICT_SIZES: [usize; 4] = [64, 1500, 9000, 65536];
/// What follows the first screen.
const NEXT: &str = "\
Next: `residue bench --full` (all kernels, all sizes), `residue bench claims` (what the documents \
say), `residue bench -a CODE` (one code), `--report DIR` (figures); `residue bench --help` has the \
rest.";

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
    let csv = || residue_bench::csv(&run);
    args.format.print(output, &run, csv, |output| print(output, args, &run, &paragraphs))
}

/// Measures what the options ask for, and for the thesis's mode also the throughput.
fn measured(options: &Options, clock: &Clock, bar: &mut Progress) -> Result<Run> {
    let mut run = measure(options, clock, &mut |done, of| bar.set(done, of))?;
    if options.mode == Mode::Thesis && options.mixed.is_none() && !options.cold {
        let steady = Options {
            mode: Mode::Throughput,
            samples: options.samples.min(ROUNDS),
            sizes: plain(&VERDICT_SIZES),
            ..options.clone()
        };
        let steady = measure(&steady, clock, &mut |done, of| bar.set(done, of))?;
        (run.steady, run.load) = (steady.cells, run.load.max(steady.load));
    }
    Ok(run)
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
    output.paragraphs(paragraphs)?;
    let next = (args.is_of_thesis() && !args.full).then_some(NEXT);
    Ok(output.paragraphs(next)?)
}
