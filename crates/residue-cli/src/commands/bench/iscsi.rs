//! `residue bench iscsi`: the cost of the CRC in receiving iSCSI data.

use crate::options::{Format, Report};
use crate::output::Output;
use crate::progress::Progress;
use clap::Args;
use residue_bench::clock::Clock;
use residue_bench::load::Watch;
use residue_papers::intel2006;

const HELP: &str = "\
Examples:
  residue bench iscsi
  residue bench iscsi --report iscsi/        figures 2 and 3 of the paper, from this CPU";

// Arguments of `residue bench iscsi`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct IscsiArgs {
    /// Number of timings of each figure, of which the median counts
    #[arg(
        long,
        default_value_t = 300,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    rounds: u32,
    #[command(flatten)]
    format: Format,
    #[command(flatten)]
    report: Report,
}

/// Measures and prints the costs.
pub fn run(args: &IscsiArgs, output: &mut Output) -> anyhow::Result<()> {
    args.report.prepare()?;
    let clock = Clock::calibrate();
    let watch = Watch::start();
    let mut bar = Progress::of("measuring");
    let rounds = args.rounds as usize;
    let costs = intel2006::measure(rounds, &clock, &mut |done, of| bar.set(done, of))?;
    bar.clear();
    let busy = watch.load().too_busy();
    args.report.write(output, |folder| intel2006::write(folder, &costs))?;
    if args.format.json || args.format.csv {
        busy.iter().for_each(|warning| output.complain(warning));
    }
    args.format.print(
        output,
        &costs,
        || intel2006::csv(&costs),
        |output| {
            output.paragraphs(busy)?;
            output.line(intel2006::table(&costs).text())?;
            Ok(output.paragraphs(intel2006::totals(&costs))?)
        },
    )
}
