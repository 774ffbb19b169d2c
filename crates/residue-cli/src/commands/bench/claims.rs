//! `residue bench claims`: the comparative claims of the papers, checked on this CPU.

use super::{Pin, ROUNDS, samples};
use crate::output::Output;
use crate::progress::Progress;
use clap::Args;
use residue_bench::clock::Clock;
use residue_papers::claims;

/// Arguments of `residue bench claims`.
#[derive(Debug, Args)]
pub struct ClaimsArgs {
    /// Number of rounds of batches to time for each figure
    #[arg(long, value_name = "N", value_parser = samples())]
    samples: Option<u32>,
    #[command(flatten)]
    pin: Pin,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Measures, and compares with the claims.
pub fn run(args: &ClaimsArgs, output: &mut Output) -> anyhow::Result<()> {
    args.pin.apply()?;
    let clock = Clock::calibrate();
    let mut bar = Progress::of("measuring");
    let rounds = args.samples.map_or(ROUNDS, |samples| samples as usize);
    let judged = claims::judge(rounds, &clock, &mut |done, of| bar.set(done, of))?;
    bar.clear();
    if args.json {
        return Ok(output.json(&judged)?);
    }
    output.line(
        "Ratios of medians of times. A claimed multiple holds from three quarters of it on; a \
         claimed order holds if the order is the same here.\n",
    )?;
    let mut source = "";
    for judged in judged {
        if judged.source != source {
            source = judged.source;
            output.line(source)?;
        }
        output.line(format!("  {:<13}  {}", judged.outcome.name(), judged.claim))?;
        output
            .line(format!("  {:<13}  published {}; here {}", "", judged.published, judged.here))?;
    }
    Ok(())
}
