//! `residue strength search`: which polynomials are good for something.

use super::{duration, grouped, length};
use crate::output::Output;
use crate::progress::Progress;
use anyhow::bail;
use clap::Args;
use residue_strength::Effort;
use residue_strength::report::search as report;
use residue_strength::search::{Outcome, Question, Range, Search, Task};
use std::path::PathBuf;
use std::time::{Duration, Instant};

const HELP: &str = "\
With --length: all polynomials of the width that have the Hamming distance there, the longest first. Without: those that keep \
it longest. With --survey: every polynomial with the limits of all its distances. Of a polynomial and its mirror image, which \
are equally strong, one line.

Every candidate is tried, so the answer is exact. Up to width 16 that takes seconds, but for surveys; the expected time is \
printed first. A wider search is divided: --range 3/8 tries the third of eight parts, on any machine, and --merge makes one \
result of the parts' checkpoints. A search with a checkpoint that is ended by force loses a few seconds: the same command \
goes on.

Examples:
  residue strength search --width 16 --length 64 --hd 6
  residue strength search --width 16 --hd 4                  who keeps HD 4 longest
  residue strength search --width 8 --survey
  residue strength search --width 24 --length 200B --hd 6 --range 3/8 --checkpoint part3
  residue strength search --merge part1 part2 part3";

/// `residue strength search`
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct SearchArgs {
    /// The polynomials' degree, 3 to 64
    #[arg(long, value_name = "BITS", required_unless_present = "merge")]
    width: Option<u32>,
    /// Bits of data; bytes with a B behind
    #[arg(long, value_name = "N", value_parser = length)]
    length: Option<u64>,
    /// The Hamming distance
    #[arg(long, value_name = "H", required_unless_present_any = ["merge", "survey"])]
    hd: Option<u32>,
    /// The limits of all distances of every polynomial
    #[arg(long, conflicts_with_all = ["length", "hd"])]
    survey: bool,
    /// Only part i of n of the candidates
    #[arg(long, value_name = "i/n", default_value = "1/1", hide_default_value = true)]
    range: String,
    /// Keep what is done in a file, and go on from it if it is there
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Make one result of the checkpoints of ranges
    #[arg(
        long,
        value_name = "FILE",
        num_args = 1..,
        conflicts_with_all = ["width", "length", "hd", "survey", "range", "checkpoint"]
    )]
    merge: Vec<PathBuf>,
    /// Print JSON
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV: a row for each polynomial, or each limit of a survey
    #[arg(long)]
    csv: bool,
}

/// Time between two checkpoints, at least.
const KEEP: Duration = Duration::from_secs(2);

/// Searches, or merges, and prints.
pub fn run(args: &SearchArgs, output: &mut Output) -> anyhow::Result<()> {
    let outcome = if args.merge.is_empty() { searched(args, output)? } else { merged(args)? };
    if args.json {
        return Ok(output.json(&report::json(&outcome)?)?);
    }
    let text = if args.csv { report::csv(&outcome) } else { report::text(&outcome) }?;
    Ok(output.line(text.trim_end())?)
}

fn merged(args: &SearchArgs) -> anyhow::Result<Outcome> {
    let read = |path: &PathBuf| Ok((path.display().to_string(), Search::read(path)?));
    let parts: Result<Vec<_>, residue_strength::Error> = args.merge.iter().map(read).collect();
    Ok(Outcome::merge(&parts?)?)
}

fn searched(args: &SearchArgs, output: &mut Output) -> anyhow::Result<Outcome> {
    let question = match (args.hd, args.length) {
        (Some(distance), Some(data)) => Question::Keep { distance, data },
        (Some(distance), None) => Question::Longest { distance },
        (None, _) if args.survey => Question::Survey,
        (None, _) => bail!("give --hd, or --survey for all distances"),
    };
    let task = Task::new(args.width.unwrap_or_default(), question)?;
    let range: Range = args.range.parse().map_err(residue_strength::Error::Search)?;
    let mut search = match &args.checkpoint {
        Some(path) => Search::resume(path, task, range)?,
        None => Search::new(task, range),
    };
    let (done, of) = search.done();
    if done > 0 {
        output.complain(&format!(
            "going on: {} of {} candidates are done",
            grouped(done),
            grouped(of)
        ));
    }
    let effort = Effort::new().within(10);
    let seconds = search.seconds(&effort);
    if seconds > 1.0 {
        output.complain(&format!("searching, which may take {}", duration(seconds)));
        output.progress = Progress::of("searching");
    }
    // At once the first time: a file that cannot be written is found out before the work.
    let mut kept: Option<Instant> = None;
    search.run(&effort, |search| {
        let (done, of) = search.done();
        output.progress.tell(done, of);
        match &args.checkpoint {
            Some(path) if kept.is_none_or(|at| at.elapsed() > KEEP) || search.is_complete() => {
                search.write(path)?;
                kept = Some(Instant::now());
            }
            _ => {}
        }
        Ok::<_, anyhow::Error>(())
    })?;
    output.progress.clear();
    Ok(Outcome::of(&search))
}
