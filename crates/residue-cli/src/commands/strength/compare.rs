//! `residue strength compare`: codes side by side.

use super::{Patience, length, reported};
use crate::codes::{self, Names};
use crate::output::Output;
use anyhow::bail;
use clap::Args;
use residue_lab::report::strength_compare as report;
use residue_lab::report::table::COLUMNS;
use residue_lab::report::wrapped;
use residue_lab::strength::compare::{CODES, Comparison, Question, Subject, compare};
use residue_lab::strength::probability;
use std::path::PathBuf;

const HELP: &str = "\
Codes are names of `residue list` of up to 64 bits (sums: 32), a CRC's parameters, or polynomials as `residue strength` takes
them. Without any they are those of the thesis's argument: CRC-32C against TCP's checksum, Fletcher-16, Fletcher-32, Adler-32,
and the CRCs of Ethernet and of Koopman.

A CRC of 32 bits is counted up to the fewest wrong bits it misses, a bound (≥) that at low bit error rates is nearly all;
--exact counts all weights, about 15 seconds a code. Sums of 16 bits are exact, over uniform data.

Examples:
  residue strength compare                                 1500 bytes of data
  residue strength compare crc-32,internet --length 64B --ber 1e-6,1e-4
  residue strength compare --exact --report report/        page with table and figures
  residue strength compare crc-16/arc,crc-16/dnp,sum-16 --length 16B --csv";

/// Arguments of `residue strength compare`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct CompareArgs {
    /// Codes, separated by commas [default: those of the thesis]
    #[arg(value_name = "CODES", value_parser = Names, hide_possible_values = true)]
    codes: Vec<String>,

    /// Bits of data; bytes with a B behind
    #[arg(long, value_name = "N", default_value = "1500B", value_parser = length)]
    length: u64,

    /// Bit error rates, above 0 and up to 0.5
    #[arg(long, value_name = "RATE", value_delimiter = ',', default_value = "1e-8,1e-6,1e-5,1e-4")]
    ber: Vec<String>,

    /// Frames a second, for undetected errors a year; a full link of 10 Gb/s sends 812,743 of 1500 bytes
    #[arg(long, value_name = "F", default_value_t = 812_743.0, allow_negative_numbers = true)]
    frames_per_second: f64,

    /// Count all weights of CRCs, as far as --patience allows
    #[arg(long)]
    exact: bool,

    #[command(flatten)]
    patience: Patience,

    /// Print one line for each code and figure, as CSV
    #[arg(long, conflicts_with = "json")]
    csv: bool,

    /// Print everything as JSON
    #[arg(long)]
    json: bool,

    /// Write a page with table and figures, SVG, CSV and JSON into a folder
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &CompareArgs, output: &mut Output) -> anyhow::Result<()> {
    let names: Vec<String> = match args.codes.is_empty() {
        true => CODES.map(String::from).to_vec(),
        false => args.codes.iter().flat_map(|text| codes::split(text)).collect(),
    };
    let mut subjects: Vec<Subject> = Vec::new();
    for name in &names {
        let subject = Subject::parse(name)?;
        if subjects.iter().all(|other| other.name() != subject.name()) {
            subjects.push(subject);
        }
    }
    for rate in &args.ber {
        if !(f64::MIN_POSITIVE..=0.5).contains(&probability::rate(rate)?) {
            bail!(
                "a bit error rate of {rate}: give rates above 0 and up to 0.5, where bits are random"
            );
        }
    }
    if !(args.frames_per_second > 0.0 && args.frames_per_second.is_finite()) {
        bail!("--frames-per-second {}: give a number above 0", args.frames_per_second);
    }
    let question = Question {
        data: args.length,
        rates: args.ber.clone(),
        frames: args.frames_per_second,
        exact: args.exact,
    };
    let comparison = args.patience.work(
        output,
        "comparing",
        |effort| subjects.iter().map(|subject| subject.seconds(&question, effort)).sum(),
        |effort| compare(&subjects, &question, effort),
    )?;
    if let Some(folder) = &args.report {
        reported(folder, report::write(folder, &comparison), output)?;
    }
    print(args, &comparison, output)
}

fn print(args: &CompareArgs, comparison: &Comparison, output: &mut Output) -> anyhow::Result<()> {
    if args.json {
        output.json(comparison)?;
    } else if args.csv {
        output.ended(report::csv(comparison).trim_end(), b'\n')?;
    } else {
        output.line(report::table(comparison).text())?;
        for sentence in report::findings(comparison) {
            output.line(wrapped(&sentence, COLUMNS))?;
        }
    }
    Ok(())
}
