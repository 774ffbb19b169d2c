//! `residue strength compare`: codes side by side.

use super::{Patience, length, reported};
use crate::codes::{self, Names};
use crate::output::{Output, report_folder};
use clap::Args;
use residue_report::COLUMNS;
use residue_report::text::wrapped;
use residue_strength::compare::{CODES, Comparison, Question, Subject, Traffic, compare};
use residue_strength::probability;
use residue_strength::report::compare as report;
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
  residue strength compare --length 9000B --link 100G      undetected errors a year on a full link
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
    #[arg(long, value_name = "RATE", value_delimiter = ',', value_parser = error_rate, default_value = "1e-8,1e-6,1e-5,1e-4")]
    ber: Vec<String>,

    /// Speed of a full Ethernet link, in bits a second, as 10G or 2.5G, for undetected errors a
    /// year: a frame takes 38 bytes beside its data
    #[arg(long, value_name = "SPEED", default_value = "10G", value_parser = speed)]
    link: f64,

    /// Frames a second, in place of a full link
    #[arg(long, value_name = "F", conflicts_with = "link", allow_negative_numbers = true, value_parser = frames)]
    frames_per_second: Option<f64>,

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

/// A bit error rate at which codes can be compared.
fn error_rate(text: &str) -> Result<String, String> {
    match probability::rate(text).map_err(|error| error.to_string())? {
        rate if (f64::MIN_POSITIVE..=0.5).contains(&rate) => Ok(text.into()),
        _ => Err("give rates above 0 and up to 0.5, where bits are random".into()),
    }
}

/// A number of frames a second.
fn frames(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|frames| (f64::MIN_POSITIVE..=1e15).contains(frames));
    number.ok_or_else(|| "give a number above 0, and no more than 1e15".into())
}

/// Bits a second, with `k`, `M`, `G` or `T` behind in thousands, millions and so on.
fn speed(text: &str) -> Result<f64, String> {
    let units = [('k', 1e3), ('M', 1e6), ('G', 1e9), ('T', 1e12)];
    let unit = units.into_iter().find(|(letter, _)| text.ends_with(*letter));
    let (digits, unit) = unit.map_or((text, 1.0), |(_, unit)| (&text[..text.len() - 1], unit));
    let speed = digits.parse().ok().map(|number: f64| number * unit);
    speed
        .filter(|speed| (1.0..=1e18).contains(speed))
        .ok_or_else(|| "write bits a second, as 10G, 2.5G, 100M or 1e9".into())
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
    if let Some(folder) = &args.report {
        report_folder(folder)?;
    }
    let question = Question {
        data: args.length,
        rates: args.ber.clone(),
        traffic: args.frames_per_second.map_or(Traffic::Link(args.link), Traffic::Frames),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds() {
        for (text, bits) in [("10G", 1e10), ("2.5G", 2.5e9), ("100M", 1e8), ("1e9", 1e9)] {
            assert_eq!(speed(text), Ok(bits), "{text}");
        }
        for wrong in ["", "G", "0", "-1G", "nan", "inf", "1e30", "10g", "10 G", "1\u{e9}"] {
            assert!(speed(wrong).is_err(), "{wrong}");
        }
    }
}
