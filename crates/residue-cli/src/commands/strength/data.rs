//! `residue strength data`: what codes miss on the user's own files.

use super::reported;
use crate::codes::{self, Names};
use crate::output::{Output, report_folder};
use crate::progress::Progress;
use anyhow::bail;
use clap::Args;
use residue_strength::additive::Additive;
use residue_strength::data::{self, CODES, Made, Options, Source};
use residue_strength::report::data as report;
use std::path::PathBuf;

const HELP: &str = "\
Packets of 256 bytes of each file are cut into cells of 48 bytes and spliced in all 462 ways a receiver could take for a
packet (Stone, Greenwald, Partridge and Hughes, 1998); fragments of datagrams are mixed, sectors of blocks are left stale, and
in packets of 1500 bytes words or bytes change places, blocks or bytes are lost, repeated or zeroed, and bursts of bits flip.
Damaged data that are identical to the right ones count as no error.

Every figure is sampled. With the same seed, files and options it is the same again, on any number of threads.

Examples:
  residue strength data /usr/share/doc /usr/include /usr/lib --made uniform
  residue strength data ~/src -a internet,crc32c,width=32,poly=741b8cd7 --splices 1e9
  residue strength data --made all --report report/      shapes that sums are bad at; page and figures
  residue strength data . --full                         shares and intervals of every kind of damage";

/// Arguments of `residue strength data`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct DataArgs {
    /// Files, and folders whose files are taken; figures are given for each
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Also (or only) made data: uniform (a control), zeros, bitmap, ramp, records, or all
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    made: Vec<String>,

    /// Codes of at most 32 bits, by name or parameters, separated by commas [default: the twelve of the documents]
    #[arg(short = 'a', long = "code", visible_alias = "algorithm", value_name = "CODE", value_parser = Names, hide_possible_values = true)]
    codes: Vec<String>,

    /// Splices to try for each path, if it has data for them; 1e8 is understood
    #[arg(long, value_name = "N", default_value = "1e8", value_parser = count)]
    splices: u64,

    /// Packets to damage in each other way, for each path
    #[arg(long, value_name = "N", default_value = "1e6", value_parser = count)]
    trials: u64,

    /// Bits of a burst
    #[arg(long, value_name = "BITS", default_value_t = 33, value_parser = clap::value_parser!(u32).range(2..=64))]
    burst: u32,

    /// What all choices follow from
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Print the counts of every kind of damage
    #[arg(long, conflicts_with_all = ["csv", "json"])]
    full: bool,

    /// Print one line for each path, damage and code, as CSV
    #[arg(long, conflicts_with = "json")]
    csv: bool,

    /// Print everything as JSON
    #[arg(long)]
    json: bool,

    /// Write a page with figures and tables, SVG, CSV and JSON into a folder
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
}

/// The most trials that can be asked for: years of them.
const MOST: u64 = 1_000_000_000_000_000;

/// A number of trials, as 100000000 or 1e8.
fn count(text: &str) -> Result<u64, String> {
    let plain = text.replace('_', "");
    let number = match plain.split_once(['e', 'E']) {
        None => plain.parse().ok(),
        Some((digits, zeros)) => {
            let zeros: Option<u32> = zeros.parse().ok();
            let power = zeros.and_then(|zeros| 10u64.checked_pow(zeros));
            digits.parse().ok().zip(power).and_then(|(a, b): (u64, u64)| a.checked_mul(b))
        }
    };
    match number {
        Some(number) if (1..=MOST).contains(&number) => Ok(number),
        Some(_) => Err(format!("give a number from 1 to {MOST}")),
        None => Err("write a whole number, as 100000000 or 1e8".into()),
    }
}

/// Runs the command.
pub fn run(args: &DataArgs, output: &mut Output) -> anyhow::Result<()> {
    let mut sources: Vec<Source> = args.paths.iter().cloned().map(Source::Tree).collect();
    for name in &args.made {
        match Made::ALL.into_iter().find(|made| made.name() == name) {
            Some(made) => sources.push(Source::Made(made)),
            None if name == "all" => sources.extend(Made::ALL.map(Source::Made)),
            None => {
                let names = Made::ALL.map(Made::name).join(", ");
                bail!("`{}`: made data are one of {names}, or all", name.escape_debug());
            }
        }
    }
    if sources.is_empty() {
        bail!("name a file or folder whose data are to be tried, or --made all");
    }
    let codes: Result<Vec<Additive>, _> = if args.codes.is_empty() {
        CODES.into_iter().map(Additive::named).collect()
    } else {
        let chosen = codes::parse_all(&args.codes)?;
        chosen.iter().map(|code| Additive::named(&code.label)).collect()
    };
    let options = Options {
        codes: codes?,
        sources,
        splices: args.splices,
        trials: args.trials,
        burst: args.burst,
        seed: args.seed,
    };
    if let Some(folder) = &args.report {
        report_folder(folder)?;
    }
    let mut bar = Progress::of("trying");
    let run = data::run(&options, &|done, of| bar.tell(done, of))?;
    bar.clear();
    if let Some(folder) = &args.report {
        reported(folder, report::write(folder, &run), output)?;
    }
    if args.json {
        output.json(&run)?;
    } else if args.csv {
        output.ended(report::csv(&run).trim_end(), b'\n')?;
    } else {
        output.line(report::text(&run, args.full).trim_end())?;
    }
    Ok(())
}
