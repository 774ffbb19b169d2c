//! A search over samples, and its answer.

use super::arguments::IdentifyArgs;
use super::hit::definitions;
use super::{json, text};
use crate::output::{Outcome, Output};
use residue_identify::{Certainty, Options, Report, Samples, identify};

/// Returns the options of a search.
pub(super) fn options(args: &IdentifyArgs) -> Options {
    Options { offset: args.skip.into(), catalogue: !args.no_catalogue, everything: args.all }
}

/// Searches with the values that the samples' values write as hexadecimal digits, if they are text;
/// `None` if that explains nothing.
pub(super) fn of_digits(
    samples: &Samples,
    args: &IdentifyArgs,
) -> anyhow::Result<Option<(Samples, Report)>> {
    let Some(samples) = samples.from_digits() else { return Ok(None) };
    let report = identify(&samples, &options(args))?;
    Ok(report.convincing().then_some((samples, report)))
}

/// Prints the result. `digits`: the values are those that text writes as hexadecimal digits.
pub(super) fn print(
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
