//! `residue bench iso`: Sklower's tests of the ISO checksum.

use crate::output::Output;
use crate::progress::Progress;
use clap::Args;
use residue_bench::clock::Clock;
use residue_bench::load::Watch;
use residue_papers::sklower1989;
use residue_report::COLUMNS;
use residue_report::text::wrapped;

/// Arguments of `residue bench iso`.
#[derive(Debug, Args)]
pub struct IsoArgs {
    /// Number of runs of each row, of which the fastest counts
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
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
    if args.json {
        busy.iter().for_each(|warning| output.complain(warning));
        return Ok(output.json(&rows)?);
    }
    if let Some(warning) = busy {
        output.line(wrapped(&warning, COLUMNS))?;
    }
    output.line(sklower1989::table(&rows).text())?;
    for finding in sklower1989::findings(&rows) {
        output.line(wrapped(&finding, COLUMNS))?;
    }
    Ok(())
}
