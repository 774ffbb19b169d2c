//! `residue strength compare`: compares codes.

use super::{Budget, length};
use crate::codes::{self, Names};
use crate::options::{Format, Report};
use crate::output::Output;
use clap::Args;
use residue_strength::compare::{CODES, Question, Subject, Traffic, compare};
use residue_strength::probability;
use residue_strength::report::compare as report;

const HELP: &str = "\
Codes are names of `residue list` of up to 64 bits (sums: 32), the parameters of a CRC, or \
polynomials as in `residue strength`. The default is the comparison of the thesis: CRC-32C, TCP's \
checksum, Fletcher-16, Fletcher-32, Adler-32, and the CRCs of Ethernet and of Koopman. CSV has a \
row for each code and figure.

For a CRC of 32 bits only the undetected errors of the fewest bits are counted: a bound (≥) that \
is close at low bit error rates. --exact counts all weights, in about 15 seconds per code. Sums of \
16 bits are exact, over uniform data.

Examples:
  residue strength compare                                 1500 bytes of data
  residue strength compare crc-32,internet --length 64B --ber 1e-6,1e-4
  residue strength compare --length 9000B --link 100G      undetected errors per year on a full link
  residue strength compare --exact --report report/        page with table and figures
  residue strength compare crc-16/arc,crc-16/dnp,sum-16 --length 16B --csv";

// Arguments of `residue strength compare`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct CompareArgs {
    /// Codes to compare, separated by commas [default: those of the thesis]
    #[arg(value_name = "CODES", value_parser = Names, hide_possible_values = true)]
    codes: Vec<String>,

    /// Length of the data, in bits; or in bytes, as 1500B
    #[arg(long, value_name = "N", default_value = "1500B", value_parser = length)]
    length: u64,

    /// Bit error rates, above 0 and up to 0.5
    #[arg(
        long,
        value_name = "RATE",
        value_delimiter = ',',
        value_parser = error_rate,
        default_value = "1e-8,1e-6,1e-5,1e-4"
    )]
    ber: Vec<String>,

    /// Speed of a full Ethernet link in bits per second, as 10G, for undetected errors per year
    ///
    /// A frame takes 38 bytes in addition to its data.
    #[arg(long, value_name = "SPEED", default_value = "10G", value_parser = speed)]
    link: f64,

    /// Frames per second, in place of a full link
    #[arg(
        long,
        value_name = "F",
        conflicts_with = "link",
        allow_negative_numbers = true,
        value_parser = frames
    )]
    frames_per_second: Option<f64>,

    /// Count all weights of CRCs, as far as the time limit allows
    #[arg(long)]
    exact: bool,

    #[command(flatten)]
    budget: Budget,

    #[command(flatten)]
    format: Format,

    #[command(flatten)]
    report: Report,
}

/// Reads a bit error rate at which codes can be compared.
fn error_rate(text: &str) -> Result<String, String> {
    match probability::rate(text).map_err(|error| error.to_string())? {
        rate if (f64::MIN_POSITIVE..=0.5).contains(&rate) => Ok(text.into()),
        _ => Err("give rates above 0 and up to 0.5, at which bits are random".into()),
    }
}

/// Reads a number of frames per second.
fn frames(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|frames| (f64::MIN_POSITIVE..=1e15).contains(frames));
    number.ok_or_else(|| "give a number above 0, and no more than 1e15".into())
}

/// Reads a speed in bits per second, with an optional unit `k`, `M`, `G` or `T`.
pub(super) fn speed(text: &str) -> Result<f64, String> {
    let units = [('k', 1e3), ('M', 1e6), ('G', 1e9), ('T', 1e12)];
    let unit = units.into_iter().find(|(letter, _)| text.ends_with(*letter));
    let (digits, unit) = unit.map_or((text, 1.0), |(_, unit)| (&text[..text.len() - 1], unit));
    let speed = digits.parse().ok().map(|number: f64| number * unit);
    speed
        .filter(|speed| (1.0..=1e18).contains(speed))
        .ok_or_else(|| "expected bits per second, as 10G, 2.5G, 100M or 1e9".into())
}

/// Compares the codes, and prints the result.
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
    args.report.prepare()?;
    let question = Question {
        data: args.length,
        rates: args.ber.clone(),
        traffic: args.frames_per_second.map_or(Traffic::Link(args.link), Traffic::Frames),
        exact: args.exact,
    };
    let comparison = args.budget.work(
        output,
        "comparing",
        |effort| subjects.iter().map(|subject| subject.seconds(&question, effort)).sum(),
        |effort| compare(&subjects, &question, effort),
    )??;
    args.report.write(output, |folder| report::write(folder, &comparison))?;
    args.format.print(
        output,
        &comparison,
        || report::csv(&comparison),
        |output| {
            output.line(report::table(&comparison).text())?;
            Ok(output.paragraphs(report::findings(&comparison))?)
        },
    )
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
