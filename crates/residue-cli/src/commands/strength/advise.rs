//! `residue strength advise`: which code to choose.

use super::{Patience, length};
use crate::output::Output;
use anyhow::bail;
use clap::Args;
use residue_report::COLUMNS;
use residue_report::text::wrapped;
use residue_strength::advise::{Wanted, advise, seconds};
use residue_strength::report::advise as report;

const HELP: &str = "\
Known codes are the CRCs of the catalogue (one for each polynomial), polynomials that the literature has names for, and the
sums of `residue list`. Narrow ones come first, of equal width the fastest on this CPU, which is measured.

Where none does, the nearest are named, and the widths between which a code exists; `residue strength search` looks for its
polynomial.

Examples:
  residue strength advise --length 1500B --hd 6
  residue strength advise --length 16B --hd 4 --width 8
  residue strength advise --length 9000B --hd 4 --csv";

/// Arguments of `residue strength advise`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct AdviseArgs {
    /// Bits of the longest data; bytes with a B behind
    #[arg(long, value_name = "N", value_parser = length)]
    length: u64,

    /// The Hamming distance: every error of fewer bits is to be seen
    #[arg(long, value_name = "H")]
    hd: u32,

    /// Bits of check value there is room for, at most 64
    #[arg(long, value_name = "BITS", default_value_t = 32)]
    width: u32,

    #[command(flatten)]
    patience: Patience,

    /// Print one line for each code, as CSV
    #[arg(long, conflicts_with = "json")]
    csv: bool,

    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &AdviseArgs, output: &mut Output) -> anyhow::Result<()> {
    if !(3..=64).contains(&args.width) {
        bail!("--width {}: give 3 to 64 bits", args.width);
    }
    if args.hd < 2 {
        bail!("--hd {}: every code here sees one wrong bit, so give 2 or more", args.hd);
    }
    if args.hd > args.width + 1 {
        bail!(
            "--hd {}: a check value of {} bits has a Hamming distance of at most {}, as one wrong bit of the data changes no \
             more; give a smaller distance or a larger --width",
            args.hd,
            args.width,
            args.width + 1
        );
    }
    let wanted = Wanted { data_bits: args.length, distance: args.hd, width: args.width };
    let advice = args.patience.work(
        output,
        "searching",
        |effort| seconds(&wanted, effort),
        |effort| anyhow::Ok(advise(&wanted, effort)?.timed(residue_bench::chosen)?),
    )?;
    if args.json {
        output.json(&advice)?;
    } else if args.csv {
        output.ended(report::csv(&advice).trim_end(), b'\n')?;
    } else {
        output.line(report::table(&advice).text())?;
        for sentence in report::findings(&advice) {
            output.line(wrapped(&sentence, COLUMNS))?;
        }
    }
    Ok(())
}
