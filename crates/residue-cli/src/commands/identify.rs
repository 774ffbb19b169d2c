//! `residue identify`: finds the code that gives some values.

mod advice;
mod arguments;
mod frames;
mod hit;
mod input;
mod json;
mod records;
mod text;
mod words;

use crate::output::{Outcome, Output};
pub use arguments::IdentifyArgs;
use hit::definitions;
use residue_identify::{Certainty, Options, Report, Samples, identify};

/// Searches, and prints what fits.
pub fn run(args: &IdentifyArgs, output: &mut Output) -> anyhow::Result<()> {
    if !args.frames.is_empty() {
        return frames::run(args, output);
    }
    let samples = input::samples(args)?;
    if let Some((samples, report)) = of_digits(&samples, args)? {
        return print(args, &samples, &report, true, output);
    }
    let report = identify(&samples, &options(args))?;
    print(args, &samples, &report, false, output)
}

fn options(args: &IdentifyArgs) -> Options {
    Options { offset: args.skip.into(), catalogue: !args.no_catalogue, everything: args.all }
}

/// Searches with the values that the samples' values write as hexadecimal digits, if they are text;
/// `None` if that explains nothing.
fn of_digits(samples: &Samples, args: &IdentifyArgs) -> anyhow::Result<Option<(Samples, Report)>> {
    let Some(samples) = samples.from_digits() else { return Ok(None) };
    let report = identify(&samples, &options(args))?;
    Ok(report.convincing().then_some((samples, report)))
}

/// Prints the result. `digits`: the values are those that text writes as hexadecimal digits.
fn print(
    args: &IdentifyArgs,
    samples: &Samples,
    report: &Report,
    digits: bool,
    output: &mut Output,
) -> anyhow::Result<()> {
    if report.certainty() != Certainty::Found {
        output.found(Outcome::Bad);
    } else if let (Some(hit), false) = (report.hits.first(), args.notations.is_empty()) {
        definitions(args, hit, &format!("of {}", hit.reading), output)?;
        if let Some(open) = text::open(samples, report) {
            output.complain(&open);
        }
        return Ok(());
    }
    if args.format.json {
        let mut document = json::document(args, samples, report);
        document["digits"] = digits.into();
        output.json(&document)?;
        return Ok(());
    }
    if digits {
        output.line("The values are text: two hexadecimal digits for each byte.")?;
    }
    for line in text::lines(args, samples, report, output.styles) {
        output.line(line)?;
    }
    Ok(())
}
