//! `residue strength advise`: recommends codes.

use super::compare::speed;
use super::{Budget, advice as follows, length};
use crate::options::Format;
use crate::output::Output;
use anyhow::bail;
use clap::{Args, ValueEnum};
use residue_strength::WIDEST;
use residue_strength::advise::{self, Instructions, Target, Wanted, advise, seconds};
use residue_strength::report::advise as report;

const HELP: &str = "\
The known codes are the CRCs of the catalogue (one for each polynomial), polynomials named in the \
literature, and the sums of `residue list`. Those that meet all requirements are ranked: for \
packets by width, then by measured speed; for files by speed, then by strength. Each has its \
reasons, and the others the requirement that they miss. CSV has a row for each code.

With --ber the undetected errors of few bits are counted exactly, and those of more bits taken as \
undetected in the share of random data: figures with ~, and `estimate` in JSON. Sums are judged on \
uniform data. With --damaged a share of all messages has other damage (lost, swapped or foreign \
blocks, long bursts). Of a CRC ten times the share of uniform data counts as undetected, which is \
largest for swapped blocks, or what was measured on made data where that is more; of a sum nothing \
is proved, so all of it counts. `residue strength data` measures both on your files.

--target is a probability for a message (1e-15), or a number an hour (1e-9/h) or a year \
(0.01/year) on a link of --link bits per second that is always full.

If no code qualifies, the nearest are shown, with the widths between which a code of the Hamming \
distance exists; `residue strength search` finds its polynomial.

Examples:
  residue strength advise --length 1500B --hd 6
  residue strength advise --length 16B --hd 4 --width 8
  residue strength advise --length 9000B --hd 4 --csv
  residue strength advise --length 64B,1500B,9000B --ber 1e-8 --target 1e-3/year --link 100G
  residue strength advise --length 256B --ber 1e-5 --target 1e-9/h --link 1M --burst 16
  residue strength advise --length 32B --ber 1e-4 --target 1e-12 --cpu none
  residue strength advise --files --length 1GiB --damaged 1e-6 --target 1e-15 --width 64";

// Arguments of `residue strength advise`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct AdviseArgs {
    /// Lengths of the data, in bits; or in bytes, as 64B,1500B
    #[arg(long, value_name = "N", value_parser = lengths)]
    length: Lengths,

    /// Hamming distance: every error of fewer bits is detected
    #[arg(long, value_name = "H")]
    hd: Option<u32>,

    /// Widest check value in bits, at most 64
    #[arg(long, value_name = "BITS", default_value_t = 32)]
    width: u32,

    /// Bit error rate, above 0 and up to 0.5: the share of bits that are wrong
    #[arg(long, value_name = "RATE", value_parser = rate)]
    ber: Option<f64>,

    /// Share of messages with other damage: lost, swapped or foreign blocks
    #[arg(long, value_name = "SHARE", value_parser = rate)]
    damaged: Option<f64>,

    /// Undetected errors: a probability for a message, or a number as 1e-9/h or 0.01/year
    #[arg(long, value_name = "P", value_parser = target)]
    target: Option<Target>,

    /// Length of bursts in bits, all of which are to be detected
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u32).range(1..=64))]
    burst: Option<u32>,

    /// Speed of the link, or at which files are read, in bits per second
    #[arg(long, value_name = "SPEED", default_value = "10G", value_parser = speed)]
    link: f64,

    /// Judge for files: no frames around them, and speed before width
    #[arg(long)]
    files: bool,

    /// Instructions of the CPU that computes the code
    #[arg(long, value_name = "CPU", default_value = "this")]
    cpu: Cpu,

    #[command(flatten)]
    budget: Budget,

    #[command(flatten)]
    format: Format,
}

/// A CPU, by its instructions for CRCs.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Cpu {
    /// This CPU
    This,
    /// An instruction for CRC-32C, no carry-less multiplication
    Crc,
    /// Neither, and no vectors
    None,
}

/// Lengths of the data, in bits.
#[derive(Clone, Debug)]
struct Lengths(Vec<u64>);

/// Reads lengths. A comma behind a unit, or without digits before it, separates two; another one
/// separates thousands.
fn lengths(text: &str) -> Result<Lengths, String> {
    let mut parts = vec![String::new()];
    for letter in text.chars() {
        match parts.last_mut() {
            Some(part)
                if letter == ',' && (part.is_empty() || part.ends_with(char::is_alphabetic)) =>
            {
                parts.push(String::new());
            }
            Some(part) => part.push(letter),
            None => {}
        }
    }
    parts.iter().map(|part| length(part)).collect::<Result<_, _>>().map(Lengths)
}

fn rate(text: &str) -> Result<f64, String> {
    advise::rate(text).map_err(|error| error.to_string())
}

fn target(text: &str) -> Result<Target, String> {
    Target::parse(text).map_err(|error| error.to_string())
}

/// Finds the codes, and prints them.
pub fn run(args: &AdviseArgs, output: &mut Output) -> anyhow::Result<()> {
    if !(3..=WIDEST).contains(&args.width) {
        bail!("--width {}: give 3 to {WIDEST} bits", args.width);
    }
    let wanted = wanted(args)?;
    let advice = args.budget.work(
        output,
        "searching",
        |effort| seconds(&wanted, effort),
        |effort| anyhow::Ok(advise(&wanted, effort)?.timed(residue_bench::timed)?),
    )??;
    let follows = follows::of_choice(&advice);
    let mut json = serde_json::to_value(&advice)?;
    json["advice"] = serde_json::to_value(&follows)?;
    args.format.print(
        output,
        &json,
        || report::csv(&advice),
        |output| {
            output.line(report::table(&advice).text())?;
            output.paragraphs(report::findings(&advice))?;
            Ok(follows.print(output)?)
        },
    )
}

/// Returns the requirements, or says which are missing or impossible.
fn wanted(args: &AdviseArgs) -> anyhow::Result<Wanted> {
    let has_errors = args.ber.is_some() || args.damaged.is_some();
    if args.hd.is_none() && args.burst.is_none() && !has_errors {
        bail!("say what to detect: --hd, --burst, --ber or --damaged");
    }
    if args.target.is_some() && !has_errors {
        bail!("--target: say how often errors happen, by --ber or --damaged");
    }
    let hd = args.hd.unwrap_or(2);
    if hd < 2 {
        bail!("--hd {hd}: give 2 or more; every code detects one wrong bit");
    }
    if hd > args.width + 1 {
        bail!(
            "--hd {hd}: a check value of {} bits has a Hamming distance of at most {}, because one \
             wrong bit of the data changes no more; give a smaller distance or a larger --width",
            args.width,
            args.width + 1
        );
    }
    if let Some(burst) = args.burst.filter(|&burst| burst > args.width) {
        bail!(
            "--burst {burst}: a check value of {} bits detects all bursts of at most as many bits; \
             give a larger --width",
            args.width
        );
    }
    let mut lengths = args.length.0.clone();
    lengths.sort_unstable_by_key(|&bits| std::cmp::Reverse(bits));
    lengths.dedup();
    let mut wanted = Wanted::new(lengths.remove(0), hd, args.width);
    wanted.shorter = lengths;
    wanted.burst = args.burst.unwrap_or(0);
    wanted.rate = args.ber;
    wanted.damaged = args.damaged.unwrap_or(0.0);
    wanted.target = args.target;
    wanted.link = args.link;
    wanted.files = args.files;
    wanted.instructions = match args.cpu {
        Cpu::This => Instructions::Here,
        Cpu::Crc => Instructions::Crc,
        Cpu::None => Instructions::None,
    };
    Ok(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_separate_lengths_or_thousands() {
        for (text, bits) in [
            ("12,112", &[12_112][..]),
            ("64B,1500B", &[512, 12_000]),
            ("1,500B,9kB", &[12_000, 72_000]),
            ("64b,128", &[64, 128]),
        ] {
            assert_eq!(lengths(text).map(|lengths| lengths.0), Ok(bits.to_vec()), "{text}");
        }
        for wrong in ["", "64B,", "64B,,128B", "B"] {
            assert!(lengths(wrong).is_err(), "{wrong}");
        }
    }
}
