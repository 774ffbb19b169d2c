//! `residue strength search`: searches for polynomials.

use super::{advice, grouped, length};
use crate::options::Format;
use crate::output::Output;
use crate::progress::Progress;
use anyhow::bail;
use clap::Args;
use residue_report::number::duration;
use residue_strength::Effort;
use residue_strength::report::search as report;
use residue_strength::search::{Outcome, Question, Range, Search, Task};
use serde_json::json;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const HELP: &str = "\
With --length, finds all polynomials of the width that have the Hamming distance at that length, \
sorted by the length to which they keep it. Without --length, finds those that keep the distance \
longest. With --survey, prints the limits of all distances of every polynomial. A polynomial and \
its mirror image are equally strong and share one line. CSV has a row for each polynomial, or for \
each limit of a survey.

Every candidate is tried, so the answer is exact. Except for surveys, this takes seconds up to \
width 16; the expected time is printed first. Wider searches can be divided: --range 3/8 tries the \
third of eight parts, on any machine, and --merge combines the checkpoints of the parts. After an \
interruption the same command continues from the checkpoint, and loses a few seconds.

Examples:
  residue strength search --width 16 --length 64 --hd 6
  residue strength search --width 16 --hd 4                  the polynomials that keep HD 4 longest
  residue strength search --width 8 --survey
  residue strength search --width 24 --length 200B --hd 6 --range 3/8 --checkpoint part3
  residue strength search --merge part1 part2 part3";

// Arguments of `residue strength search`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct SearchArgs {
    /// Degree of the polynomials, 3 to 64
    #[arg(long, value_name = "BITS", required_unless_present = "merge")]
    width: Option<u32>,
    /// Length of the data, in bits; or in bytes, as 200B
    #[arg(long, value_name = "N", value_parser = length)]
    length: Option<u64>,
    /// Hamming distance to keep
    #[arg(long, value_name = "H", required_unless_present_any = ["merge", "survey"])]
    hd: Option<u32>,
    /// Print the limits of all distances of every polynomial
    #[arg(long, conflicts_with_all = ["length", "hd"])]
    survey: bool,
    /// Try only part i of n of the candidates
    #[arg(long, value_name = "i/n", default_value = "1/1", hide_default_value = true)]
    range: String,
    /// Save progress to this file, and continue from it if it exists
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Combine the checkpoints of all ranges into one result
    #[arg(
        long,
        value_name = "FILE",
        num_args = 1..,
        conflicts_with_all = ["width", "length", "hd", "survey", "range", "checkpoint"]
    )]
    merge: Vec<PathBuf>,
    #[command(flatten)]
    format: Format,
}

/// Least time between two checkpoints.
const KEEP: Duration = Duration::from_secs(2);

/// Searches or merges, and prints the result.
pub fn run(args: &SearchArgs, output: &mut Output) -> anyhow::Result<()> {
    let outcome = if args.merge.is_empty() { searched(args, output)? } else { merged(args)? };
    let advice = advice::of_search(&outcome);
    if args.format.json {
        let mut json = report::json(&outcome)?;
        json["advice"] = json!(advice);
        return Ok(output.json(&json)?);
    }
    let text = if args.format.csv { report::csv(&outcome) } else { report::text(&outcome) }?;
    output.line(text.trim_end())?;
    if !args.format.csv {
        advice.print(output)?;
    }
    Ok(())
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
        (None, _) => bail!("no distance given; use --hd, or --survey for all distances"),
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
            "continuing: {} of {} candidates are done",
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
    // The first checkpoint is immediate, so that an unwritable file fails before the work.
    let mut kept: Option<Instant> = None;
    search.run(&effort, |search| {
        let (done, of) = search.done();
        output.progress.set(done, of);
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
