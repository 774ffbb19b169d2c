//! `residue strength multiples`: sparse multiples of a generator, for CRCs without products.

use super::{Budget, Polynomial, polynomial_as_text};
use crate::lengths::{bytes, size};
use crate::options::Format;
use crate::output::Output;
use anyhow::bail;
use clap::Args;
use residue_report::csv::Sheet;
use residue_strength::multiples::{self, MOST_DISTANCES, Multiple, cost, expected, multiples};
use serde_json::json;

const HELP: &str = "\
If the generator divides 1 + x^a + x^b + x^c, a byte of a message can be replaced by copies of it \
at a sparse multiple's distances behind it, and the CRC stays. So all of a long message but its \
end is removed by loads and exclusive or, in vectors of any width, without products and tables. \
docs/kernels.md shows how.

All multiples within the limits are found. Each is verified with the CRC itself: the values of a \
message and of one with such copies are equal. Long messages want few distances, which are large; \
the generator of a CRC that detects every odd number of wrong bits has multiples with odd numbers \
of distances only.

Examples:
  residue strength multiples crc-32                      three distances
  residue strength multiples crc-32c --least 1000 --most 6kB
  residue strength multiples crc-32 --distances 4 --most 600
  residue strength multiples crc-16/modbus --distances 3 --csv";

/// The number of multiples that are printed unless CSV or JSON is asked for.
const SHOWN: usize = 10;

// Arguments of `residue strength multiples`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct MultiplesArgs {
    #[command(flatten)]
    polynomial: Polynomial,
    /// Number of distances
    #[arg(
        long,
        value_name = "N",
        default_value_t = 3,
        value_parser = clap::value_parser!(u32).range(2..=i64::from(MOST_DISTANCES))
    )]
    distances: u32,
    /// Least distance in bytes
    #[arg(long, value_name = "BYTES", default_value = "0", value_parser = size)]
    least: usize,
    /// Largest distance in bytes [default: half as much again as where one is expected]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    most: Option<u64>,
    #[command(flatten)]
    budget: Budget,
    #[command(flatten)]
    format: Format,
}

/// Searches, and prints what was found.
pub fn run(args: &MultiplesArgs, output: &mut Output) -> anyhow::Result<()> {
    let (generator, read) = args.polynomial.generator()?;
    let count = args.distances;
    let most = args.most.unwrap_or_else(|| expected(&generator, count).saturating_mul(3) / 2);
    let most = most.clamp(u64::from(count), multiples::MOST);
    let limits = (args.least as u64, most);
    if limits.0 > most {
        bail!("--least {}: no distance is larger than {most}; give a larger --most", args.least);
    }
    let found = args.budget.work(
        output,
        "searching",
        |effort| match cost(&generator, count, most, effort) {
            Some(sums) => effort.seconds(sums),
            None => f64::INFINITY,
        },
        |effort| multiples(&generator, count, limits, effort),
    )??;
    if args.format.json {
        return Ok(output.json(&json!({
            "polynomial": generator.json(), "least": args.least, "most": most,
            "multiples": found,
        }))?);
    }
    if args.format.csv {
        let names: Vec<String> = (1..=count).map(|i| format!("distance_{i}")).collect();
        let mut sheet = Sheet::of_lines(&names.join(","));
        for multiple in &found {
            for distance in &multiple.distances {
                sheet.cells(&[distance]);
            }
            sheet.end();
        }
        return Ok(output.bytes(sheet.text().as_bytes())?);
    }
    for line in polynomial_as_text(&generator, read) {
        output.line(line)?;
    }
    output.line("")?;
    output.line(format!(
        "multiples with {count} distances from {} to {most} bytes: {} (all of them, each verified)",
        args.least,
        found.len()
    ))?;
    for Multiple { distances } in found.iter().take(SHOWN) {
        let words: Vec<String> = distances.iter().map(u64::to_string).collect();
        output.line(format!("  {}", words.join(" ")))?;
    }
    if found.len() > SHOWN {
        output.line(format!("  and {} more, which --csv lists", found.len() - SHOWN))?;
    }
    if found.is_empty() && generator.has_parity() && count.is_multiple_of(2) {
        output
            .line("  The generator has the factor x + 1: only odd numbers of distances occur.")?;
    }
    Ok(())
}
