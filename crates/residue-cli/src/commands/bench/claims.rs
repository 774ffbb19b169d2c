//! `residue bench claims`: the comparative claims of the papers, checked on this CPU.

use super::conditions::CALLS;
use super::options::{Pin, samples};
use crate::options::Json;
use crate::output::Output;
use crate::progress::Progress;
use clap::Args;
use residue_bench::Mode;
use residue_bench::clock::Clock;
use residue_papers::claims;
use residue_report::COLUMNS;
use residue_report::text::wrapped;

const HELP: &str = "\
Examples:
  residue bench claims
  residue bench claims --samples 10000 --pin --json";

// Arguments of `residue bench claims`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct ClaimsArgs {
    /// Number of calls to time for each figure [default: 1000]
    #[arg(long, value_name = "N", value_parser = samples())]
    samples: Option<u32>,
    #[command(flatten)]
    pin: Pin,
    #[command(flatten)]
    format: Json,
}

/// Measures, and judges the claims.
pub fn run(args: &ClaimsArgs, output: &mut Output) -> anyhow::Result<()> {
    args.pin.apply()?;
    let clock = Clock::calibrate();
    let mut bar = Progress::of("measuring");
    let calls = args.samples.map_or(CALLS, |samples| samples as usize);
    let report = claims::judge(calls, &clock, &mut |done, of| bar.set(done, of))?;
    bar.clear();
    if args.format.json {
        return Ok(output.json(&report)?);
    }
    output.line(&report.cpu)?;
    output.line(format!("{}\n", wrapped(HOW, COLUMNS)))?;
    if let Some(busy) = &report.busy {
        output.line(format!("{}\n", wrapped(&format!("{busy} {DOUBT}"), COLUMNS)))?;
    }
    for group in report.claims.chunk_by(|a, b| a.document == b.document) {
        let document = group[0].document;
        let calls = if document.mode() == Mode::Thesis { "single calls" } else { "batches" };
        output.line(format!("{} ({calls})", document.name()))?;
        for judged in group {
            output.line(format!("  {:<17}  {}", judged.verdict.name(), judged.claim))?;
            let line = |text: &str| indented(text, 21);
            output.line(line(&format!("{}: published {}", judged.place, judged.published)))?;
            if !judged.here.is_empty() {
                output.line(line(&format!("here {}", listed(&judged.here))))?;
            }
            if !judged.today.is_empty() {
                output.line(line(&format!(
                    "with today's kernels, in batches: {}",
                    listed(&judged.today)
                )))?;
            }
        }
    }
    Ok(())
}

const HOW: &str = "Each figure says how many times as long the side takes that is claimed to be \
slower, with the least and greatest of ten rounds. A claim holds, or does not, where the whole \
interval with a margin of 2 % lies on one side of what is claimed; a multiple is met from three \
quarters of it to four thirds.";

const DOUBT: &str = "Intervals have a margin of 25 % therefore.";

fn listed(all: &[claims::Compared]) -> String {
    all.iter().map(claims::Compared::text).collect::<Vec<_>>().join(", ")
}

/// Wraps a text behind so many spaces.
fn indented(text: &str, by: usize) -> String {
    let lines = wrapped(text, COLUMNS - by);
    let lines = lines.lines().map(|line| format!("{:by$}{line}", ""));
    lines.collect::<Vec<_>>().join("\n")
}
