//! `residue identify`: finds the code that gives some values.

mod advice;
mod answer;
mod arguments;
mod frames;
mod hit;
mod input;
mod json;
mod records;
mod text;
mod words;

use crate::output::Output;
use answer::{of_digits, options, print};
pub use arguments::IdentifyArgs;
use residue_identify::identify;

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
