//! `residue strength search`: which polynomials are good for something.

use super::{duration, grouped, length, polynomial_as_json, written};
use crate::output::Output;
use crate::progress::Progress;
use anyhow::bail;
use clap::Args;
use residue_lab::report::{Row, Table};
use residue_lab::strength::search::{Found, Outcome, Question, Range, Search, Task};
use residue_lab::strength::{Effort, Generator, Kind, Limit, Notation};
use serde_json::{Value, json};
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

/// Lines of a table; `--csv` and `--json` have all.
const SHOWN: usize = 50;

/// Time between two checkpoints, at least.
const KEEP: Duration = Duration::from_secs(2);

/// Searches, or merges, and prints.
pub fn run(args: &SearchArgs, output: &mut Output) -> anyhow::Result<()> {
    let outcome = if args.merge.is_empty() { searched(args, output)? } else { merged(args)? };
    if args.json {
        return Ok(output.json(&as_json(&outcome))?);
    }
    if args.csv {
        return as_csv(&outcome, output);
    }
    as_text(&outcome, output)
}

fn merged(args: &SearchArgs) -> anyhow::Result<Outcome> {
    let read = |path: &PathBuf| Ok((path.display().to_string(), Search::read(path)?));
    let parts: Result<Vec<_>, residue_lab::Error> = args.merge.iter().map(read).collect();
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
    let range: Range = args.range.parse().map_err(residue_lab::Error::Search)?;
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

fn as_text(outcome: &Outcome, output: &mut Output) -> anyhow::Result<()> {
    let pairs = grouped(outcome.found.len());
    let task = outcome.task;
    let kind = outcome.kind().name();
    output.line(match task.question() {
        Question::Keep { distance, data } => format!(
            "{pairs} polynomials of width {} have HD {distance} at {} bits of data, and their mirror images ({kind})",
            task.width(),
            grouped(data)
        ),
        Question::Longest { distance } => match outcome.found.first() {
            Some(best) => format!(
                "HD {distance} holds to {} bits of data at width {}, for {pairs} polynomials and their mirror images ({kind})",
                grouped(best.data()),
                task.width()
            ),
            None => format!("no polynomial of width {} has HD {distance} ({kind})", task.width()),
        },
        Question::Survey => format!(
            "{pairs} polynomials of width {} and their mirror images: data bits to which HD 3, 4, 5, ... hold ({kind})",
            task.width()
        ),
    })?;
    if !outcome.missing.is_empty() {
        output.line(format!(
            "{:.1} % of the candidates were tried; missing: {}",
            100.0 * outcome.tried,
            outcome.missing.join(", ")
        ))?;
    }
    if outcome.found.is_empty() {
        return Ok(());
    }
    output.line("")?;
    if task.question() == Question::Survey {
        return survey(outcome, output);
    }
    let rows: Vec<Row> = outcome.found.iter().take(SHOWN).map(row).collect();
    let table = Table {
        id: "search",
        title: "Found, in Koopman's notation:".into(),
        note: String::new(),
        stub: "polynomial",
        heads: ["mirrored", "normal", "HD holds to", "figure", "factors", "names"]
            .map(String::from)
            .to_vec(),
        together: 1,
        rows,
    };
    output.line(table.text().trim_end())?;
    if outcome.found.len() > SHOWN {
        output.line(format!(
            "and {} more: --csv and --json print all",
            grouped(outcome.found.len() - SHOWN)
        ))?;
    }
    Ok(())
}

fn row(found: &Found) -> Row {
    let generator = &found.generator;
    let (data, kind) = told(&found.limits);
    let values = vec![
        written(&generator.reciprocal(), Notation::Koopman),
        written(generator, Notation::Normal),
        data,
        kind.name().to_string(),
        factors(found),
        names(generator).join(", "),
    ];
    Row::Values(written(generator, Notation::Koopman), values)
}

/// The first limit and its kind.
fn told(limits: &[Limit]) -> (String, Kind) {
    let kind = limits.first().map_or(Kind::AtLeast, |limit| limit.kind);
    let at_least = if kind == Kind::AtLeast { "≥ " } else { "" };
    (format!("{at_least}{}", grouped(limits.first().map_or(0, |limit| limit.data))), kind)
}

/// The degrees of the irreducible factors, as the literature writes them: {1,15}.
fn factors(found: &Found) -> String {
    let factors = found.factors();
    let degrees = factors
        .iter()
        .flat_map(|factor| std::iter::repeat_n(factor.degree().to_string(), factor.times as usize));
    format!("{{{}}}", degrees.collect::<Vec<_>>().join(","))
}

/// Of the polynomial and its mirror image.
fn names(generator: &Generator) -> Vec<&'static str> {
    let mirrored = generator.reciprocal();
    let mut names: Vec<_> = generator.names().chain(mirrored.names()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn survey(outcome: &Outcome, output: &mut Output) -> anyhow::Result<()> {
    for found in &outcome.found {
        let limits: Vec<String> = found
            .limits
            .iter()
            .map(|limit| {
                let at_least = if limit.kind == Kind::AtLeast { "≥" } else { "" };
                format!("{at_least}{}", limit.data)
            })
            .collect();
        let line = format!(
            "{}  {}  {{{}}}  {}",
            written(&found.generator, Notation::Koopman),
            written(&found.generator.reciprocal(), Notation::Koopman),
            limits.join(","),
            names(&found.generator).join(", ")
        );
        output.line(line.trim_end())?;
    }
    Ok(())
}

fn as_csv(outcome: &Outcome, output: &mut Output) -> anyhow::Result<()> {
    output
        .line("koopman,mirrored,normal,distance,data_bits,kind,undetected,factors,names,search")?;
    for found in &outcome.found {
        let generator = &found.generator;
        let polynomial = format!(
            "{},{},{}",
            written(generator, Notation::Koopman),
            written(&generator.reciprocal(), Notation::Koopman),
            written(generator, Notation::Normal)
        );
        let degrees = factors(found).trim_matches(['{', '}']).replace(',', " ");
        let behind = format!("{degrees},{},{}", names(generator).join(" "), outcome.kind().name());
        if found.limits.is_empty() {
            output.line(format!("{polynomial},2,,exact,,{behind}"))?;
        }
        for Limit { distance, data, kind, witness } in &found.limits {
            let places: Vec<String> =
                witness.iter().flat_map(|w| w.places()).map(u64::to_string).collect();
            let (kind, places) = (kind.name(), places.join(" "));
            output.line(format!("{polynomial},{distance},{data},{kind},{places},{behind}"))?;
        }
    }
    Ok(())
}

fn as_json(outcome: &Outcome) -> Value {
    let limit = |limit: &Limit| {
        json!({
            "distance": limit.distance,
            "data_bits": limit.data,
            "kind": limit.kind.name(),
            "undetected": limit.witness.as_ref().map(|witness| witness.places()),
        })
    };
    let found = |found: &Found| {
        json!({
            "polynomial": polynomial_as_json(&found.generator),
            "mirrored": polynomial_as_json(&found.generator.reciprocal()),
            "factors": factors(found),
            "limits": found.limits.iter().map(limit).collect::<Value>(),
        })
    };
    let task = outcome.task;
    json!({
        "width": task.width(),
        "distance": task.distance(),
        "data_bits": match task.question() {
            Question::Keep { data, .. } => Some(data),
            _ => None,
        },
        "kind": outcome.kind().name(),
        "tried": outcome.tried,
        "missing": outcome.missing,
        "found": outcome.found.iter().map(found).collect::<Value>(),
    })
}
