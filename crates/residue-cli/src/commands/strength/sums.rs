//! `residue strength sums`: the undetected errors of sums, counted exactly.

use crate::lengths::size;
use crate::options::{CodeNames, Json};
use crate::output::Output;
use anyhow::bail;
use clap::Args;
use residue_strength::report::sums as report;
use residue_strength::sums::{SUMS, Share, Sum, sum, two_bits_of};
use serde::Serialize;
use std::path::PathBuf;

const CODES_HELP: &str =
    "Codes of at most 32 bits, separated by commas [default: the sums, and one CRC]";

const HELP: &str = "\
Whether a sum detects an error depends on the data. Shares are over all data (uniform), or over \
all pairs of bits of a file. Every figure is exact. Every limit comes with an undetected error \
that proves it, verified with the code itself: bit 0 is the highest bit of the first byte of the \
data, bit 8 that of the second; `check` is the change of the value (exclusive or), as `residue \
sum` prints values. docs/strength.md shows how to verify one by hand.

Examples:
  residue strength sums                            all of them at 1500 bytes
  residue strength sums -a internet,fletcher-32 --length 9000
  residue strength sums -a internet --data packet.bin --json";

// Arguments of `residue strength sums`.
#[derive(Debug, Args)]
#[command(after_help = HELP, mut_arg("codes", |arg| arg.help(CODES_HELP)))]
pub struct SumsArgs {
    #[command(flatten)]
    codes: CodeNames,

    /// Length of the data in bytes, a multiple of 4, as 1500, 1.5kB or 9e3
    #[arg(long, value_name = "BYTES", default_value = "1500", value_parser = size)]
    length: usize,

    /// Also count pairs of wrong bits in the first bytes of this file
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,

    #[command(flatten)]
    format: Json,
}

/// The most bytes of data; the pairs of a million bits take a second per code.
const MOST: usize = 1 << 20;

#[derive(Serialize)]
struct Report {
    kind: &'static str,
    sums: Vec<Sum>,
    /// Share of undetected pairs of wrong bits in the file, for each code.
    #[serde(skip_serializing_if = "Option::is_none")]
    two_bits_of_data: Option<Vec<Share>>,
}

/// Counts, and prints the result.
pub fn run(args: &SumsArgs, output: &mut Output) -> anyhow::Result<()> {
    if args.length == 0 || !args.length.is_multiple_of(4) || args.length > MOST {
        bail!("--length {}: give a multiple of 4 from 4 to {MOST} bytes", args.length);
    }
    let codes = args.codes.additive(&SUMS)?;
    let data = match &args.data {
        None => None,
        Some(path) => Some(first(path, args.length)?),
    };
    let sums: Result<Vec<Sum>, _> = codes.iter().map(|code| sum(code, args.length)).collect();
    let of_data = data.map(|data| codes.iter().map(|code| two_bits_of(code, &data)).collect());
    let counted = Report { kind: "exact", sums: sums?, two_bits_of_data: of_data };
    if args.format.json {
        return Ok(output.json(&counted)?);
    }
    output.line(report::table(&counted.sums).text())?;
    output.paragraphs(counted.sums.iter().flat_map(report::witnesses))?;
    for (code, share) in codes.iter().zip(counted.two_bits_of_data.iter().flatten()) {
        output.line(format!(
            "{}: of the pairs of wrong bits in these data {} of {} are undetected: {:.6}",
            code.name(),
            share.missed,
            share.of,
            share.share
        ))?;
    }
    Ok(())
}

/// Reads the first bytes of a file.
fn first(path: &std::path::Path, bytes: usize) -> anyhow::Result<Vec<u8>> {
    use anyhow::Context as _;
    use std::io::Read as _;
    let mut data = Vec::new();
    let read = std::fs::File::open(path)
        .and_then(|file| file.take(bytes as u64).read_to_end(&mut data))
        .with_context(|| format!("cannot read `{}`", path.display()))?;
    if read < bytes {
        bail!("`{}` has {read} bytes; give --length a multiple of 4 up to that", path.display());
    }
    Ok(data)
}
