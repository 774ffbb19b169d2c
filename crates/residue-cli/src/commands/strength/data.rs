//! `residue strength data`: undetected damage to the user's own files.

use crate::options::{CodeNames, Format, Report};
use crate::output::Output;
use crate::progress::Progress;
use anyhow::bail;
use clap::Args;
use residue_strength::data::{self, CODES, Made, Options, Source};
use residue_strength::report::data as report;
use std::path::PathBuf;

const CODES_HELP: &str =
    "Codes of at most 32 bits, separated by commas [default: twelve codes of the papers]";

const HELP: &str = "\
Damage: packets of 256 bytes are cut into cells of 48 bytes and spliced in all 462 ways that a \
receiver could take for a packet (Stone, Greenwald, Partridge and Hughes, 1998). Fragments of \
datagrams are mixed. Sectors of blocks are left stale. In packets of 1500 bytes words or bytes are \
swapped; blocks or bytes are lost, repeated or zeroed; and bursts of bits flip. Damage that leaves \
the data unchanged is not counted.

Every figure is sampled. Equal seeds, files and options give equal figures, on any number of \
threads. CSV has a row for each path, damage and code.

Examples:
  residue strength data /usr/share/doc /usr/include /usr/lib --made uniform
  residue strength data ~/src -a internet,crc32c,width=32,poly=741b8cd7 --splices 1e9
  residue strength data --made all --report report/      data on which sums are weak; figures
  residue strength data . --full                         shares of every kind of damage";

// Arguments of `residue strength data`.
#[derive(Debug, Args)]
#[command(after_help = HELP, mut_arg("codes", |arg| arg.help(CODES_HELP)))]
pub struct DataArgs {
    /// Files, and folders of files; each path has its own figures
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Add generated data: uniform (a control), zeros, bitmap, ramp, records, or all
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    made: Vec<String>,

    #[command(flatten)]
    codes: CodeNames,

    /// Splices to try for each path, as 100000000 or 1e8, if it has data for them
    #[arg(long, value_name = "N", default_value = "1e8", value_parser = count)]
    splices: u64,

    /// Packets to damage in every other way, for each path
    #[arg(long, value_name = "N", default_value = "1e6", value_parser = count)]
    trials: u64,

    /// Length of bursts in bits
    #[arg(
        long,
        value_name = "BITS",
        default_value_t = 33,
        value_parser = clap::value_parser!(u32).range(2..=64)
    )]
    burst: u32,

    /// Seed for the random choices
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Print shares and intervals of every kind of damage
    #[arg(long, conflicts_with_all = ["csv", "json"])]
    full: bool,

    #[command(flatten)]
    format: Format,

    #[command(flatten)]
    report: Report,
}

/// The most trials; they would take years.
const MOST: u64 = 1_000_000_000_000_000;

/// Reads a number of trials, as 100000000 or 1e8.
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
        None => Err("expected a whole number, as 100000000 or 1e8".into()),
    }
}

/// Damages the data, and prints the counts.
pub fn run(args: &DataArgs, output: &mut Output) -> anyhow::Result<()> {
    let mut sources: Vec<Source> = args.paths.iter().cloned().map(Source::Tree).collect();
    for name in &args.made {
        match Made::ALL.into_iter().find(|made| made.name() == name) {
            Some(made) => sources.push(Source::Made(made)),
            None if name == "all" => sources.extend(Made::ALL.map(Source::Made)),
            None => {
                let names = Made::ALL.map(Made::name).join(", ");
                bail!("--made `{}`: expected one of {names}, or all", name.escape_debug());
            }
        }
    }
    if sources.is_empty() {
        bail!("no data given; name files or folders, or use --made all");
    }
    let options = Options {
        codes: args.codes.additive(&CODES)?,
        sources,
        splices: args.splices,
        trials: args.trials,
        burst: args.burst,
        seed: args.seed,
    };
    args.report.prepare()?;
    let mut bar = Progress::of("trying");
    let run = data::run(&options, &|done, of| bar.set(done, of))?;
    bar.clear();
    args.report.write(output, |folder| report::write(folder, &run))?;
    args.format.print(
        output,
        &run,
        || report::csv(&run),
        |output| Ok(output.line(report::text(&run, args.full).trim_end())?),
    )
}
