//! `residue strength advise`: recommends codes.

use super::{Patience, length};
use crate::output::{Format, Output};
use anyhow::bail;
use clap::Args;
use residue_report::COLUMNS;
use residue_report::text::wrapped;
use residue_strength::advise::{Wanted, advise, seconds};
use residue_strength::report::advise as report;

const HELP: &str = "\
The known codes are the CRCs of the catalogue (one for each polynomial), polynomials named in the \
literature, and the sums of `residue list`. They are sorted by width, then by measured speed. CSV \
has a row for each code.

If no code qualifies, the nearest are shown, with the widths between which a code exists; \
`residue strength search` finds its polynomial.

Examples:
  residue strength advise --length 1500B --hd 6
  residue strength advise --length 16B --hd 4 --width 8
  residue strength advise --length 9000B --hd 4 --csv";

/// Arguments of `residue strength advise`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct AdviseArgs {
    /// Longest data, in bits; or in bytes, as 1500B
    #[arg(long, value_name = "N", value_parser = length)]
    length: u64,

    /// Hamming distance: every error of fewer bits is detected
    #[arg(long, value_name = "H")]
    hd: u32,

    /// Widest check value in bits, at most 64
    #[arg(long, value_name = "BITS", default_value_t = 32)]
    width: u32,

    #[command(flatten)]
    patience: Patience,

    #[command(flatten)]
    format: Format,
}

/// Finds the codes, and prints them.
pub fn run(args: &AdviseArgs, output: &mut Output) -> anyhow::Result<()> {
    if !(3..=64).contains(&args.width) {
        bail!("--width {}: give 3 to 64 bits", args.width);
    }
    if args.hd < 2 {
        bail!("--hd {}: give 2 or more; every code detects one wrong bit", args.hd);
    }
    if args.hd > args.width + 1 {
        bail!(
            "--hd {}: a check value of {} bits has a Hamming distance of at most {}, because one \
             wrong bit of the data changes no more; give a smaller distance or a larger --width",
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
    if args.format.json {
        output.json(&advice)?;
    } else if args.format.csv {
        output.ended(report::csv(&advice).trim_end(), b'\n')?;
    } else {
        output.line(report::table(&advice).text())?;
        for sentence in report::findings(&advice) {
            output.line(wrapped(&sentence, COLUMNS))?;
        }
    }
    Ok(())
}
