//! `residue identify`: finds the code that gives some values.

mod advice;
mod arguments;
mod frames;
mod hit;
mod input;
mod json;
mod text;
mod words;

use crate::output::{Outcome, Output};
pub use arguments::IdentifyArgs;
use hit::definitions;
use residue_identify::{Certainty, Options, identify};

/// Searches, and prints what fits.
pub fn run(args: &IdentifyArgs, output: &mut Output) -> anyhow::Result<()> {
    if !args.frames.is_empty() {
        return frames::run(args, output);
    }
    let samples = input::samples(args)?;
    let options =
        Options { offset: args.skip.into(), catalogue: !args.no_catalogue, everything: args.all };
    let report = identify(&samples, &options)?;
    if report.certainty() != Certainty::Found {
        output.found(Outcome::Bad);
    } else if let (Some(hit), false) = (report.hits.first(), args.notations.is_empty()) {
        definitions(args, hit, &format!("of {}", hit.reading), output)?;
        if let Some(open) = text::open(&samples, &report) {
            output.complain(&open);
        }
        return Ok(());
    }
    if args.format.json {
        output.json(&json::document(args, &samples, &report))?;
        return Ok(());
    }
    for line in text::lines(args, &samples, &report, output.styles) {
        output.line(line)?;
    }
    Ok(())
}
