//! `residue bench iso`: Sklower's tests of the ISO checksum.

use crate::options::Json;
use crate::output::Output;
use crate::progress::Progress;
use clap::Args;
use residue_bench::clock::Clock;
use residue_bench::load::Watch;
use residue_papers::sklower1989;

const HELP: &str = "\
Examples:
  residue bench iso
  residue bench iso --rounds 20 --json";

// Arguments of `residue bench iso`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct IsoArgs {
    /// Number of runs of each row, of which the fastest counts
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    #[command(flatten)]
    format: Json,
}

/// Measures and prints the rows.
pub fn run(args: &IsoArgs, output: &mut Output) -> anyhow::Result<()> {
    let clock = Clock::calibrate();
    let watch = Watch::start();
    let mut bar = Progress::of("measuring");
    let rounds = args.rounds as usize;
    let rows = sklower1989::measure(rounds, clock.ns_per_tick, &mut |done, of| bar.set(done, of))?;
    bar.clear();
    let busy = watch.load().too_busy();
    if args.format.json {
        busy.iter().for_each(|warning| output.complain(warning));
        return Ok(output.json(&rows)?);
    }
    output.paragraphs(busy)?;
    output.line(sklower1989::table(&rows).text())?;
    Ok(output.paragraphs(sklower1989::findings(&rows))?)
}
