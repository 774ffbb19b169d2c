//! `residue identify`: finds the code that gives some values.

mod frames;
mod input;
mod json;
mod text;

use crate::output::{Encoding, Outcome, Output};
use anyhow::{anyhow, bail};
use clap::Args;
use residue::crc::Params;
use residue_identify::{Certainty, Found, Hit, Notation, Options, identify};

const HELP: &str = "\
A sample is a message and its value, INPUT:VALUE. The value is hexadecimal, with its leading \
zeros: its digits determine its width. INPUT is hexadecimal, or @FILE for the bytes of a file, or \
text:abc, rep:ff*9 and the other forms of vectors/README.md. A file of samples has one sample on a \
line, with the value as the last word; lines that start with # are comments.

The search goes from likely to unlikely codes, and ends when something explains the samples better \
than chance: named codes; values in another byte order; messages with swapped or padded words, or \
without bytes at their ends; hash functions, named as what they are; known generators with other \
settings; sums with other settings; and unnamed CRCs, by algebra.

How many samples are needed? Two or three for a named code. For an unnamed CRC of 12 bits or more, \
five of different lengths (four from 32 bits on), and seven for 8 bits; or if all have one length, \
four (three from 32 bits on). Each result is printed with the probability that it is due to \
chance. Messages of one length determine init and xorout only together. Different messages are \
worth more than long ones.

With --frames, it is also unknown where the value is. FILE is a capture, whose packets are the \
messages; or has a message in hexadecimal digits on each line; or is one message. The value is \
looked for at up to 64 bytes from either end, over every range that begins and ends there, outside \
of the range, as zeros, or left out: by all named codes of 8 bits and more first, then by other \
sums, hash functions and unnamed CRCs in the usual layouts. Three messages are enough for 16 bits \
and more, five for 8; unnamed CRCs need more. Messages of different lengths say from which end \
places count.

If nothing fits, codes are either ruled out or undecided: too few samples leave unknown CRCs open, \
and the answer names their widths.

Exit codes: 0 something fits all samples, and the probability of a chance match is at most 1/1024. \
1 anything less: the result fits only some of the samples, or may be chance, or nothing \
was found, whether ruled out or undecided (the JSON member `certainty` says which). 2 wrong usage \
or unreadable input.

Examples:
  residue identify 313233343536373839:e3069283
  residue identify text:123456789:29b1 text:abc:514a
  residue identify @a.bin:1d0f @b.bin:90bd @c.bin:03fe
  residue identify --trailer 2 01030000000ac5cd 010300010001d5ca
  residue identify --samples captured.txt --skip 16
  residue identify --frames bus.hex          (a message on each line)
  residue identify --frames trace.pcap --json
  residue identify text:123456789:29b1 text:abc:514a --as c > crc.c";

/// Arguments of `residue identify`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct IdentifyArgs {
    /// Messages with their values, INPUT:VALUE
    #[arg(value_name = "SAMPLE", required_unless_present_any = ["samples", "frames"])]
    list: Vec<String>,
    /// Read samples from this file, one on a line; `-` is standard input
    #[arg(short, long, value_name = "FILE")]
    samples: Vec<std::path::PathBuf>,
    /// Take the last N bytes of each input (or file) as its value, in unknown byte order
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=16))]
    trailer: Option<u8>,
    /// Find the place of the value, and what it covers, in messages of one format: captures, lines
    /// of hexadecimal digits, or a file for each message
    #[arg(
        long,
        value_name = "FILE",
        num_args = 1..,
        conflicts_with_all = ["list", "samples", "trailer", "decimal", "no_catalogue", "skip"]
    )]
    frames: Vec<std::path::PathBuf>,
    /// Read values as decimal numbers
    #[arg(long, conflicts_with = "trailer")]
    decimal: bool,
    /// Allow up to N bytes at each end of a message not to be covered
    #[arg(
        long,
        value_name = "N",
        default_value_t = 8,
        value_parser = clap::value_parser!(u8).range(0..=64)
    )]
    skip: u8,
    /// Skip named codes and generators; try only sums and algebra
    #[arg(long)]
    no_catalogue: bool,
    /// Continue after a convincing result
    #[arg(long)]
    all: bool,
    /// Print only the CRC that was found: for `residue sum -a`, as a line of the RevEng catalogue,
    /// for the Rust crate crc, for Python's crcmod, or as a function in a language
    #[arg(
        long = "as",
        value_name = "NOTATION",
        value_delimiter = ',',
        value_parser = Notation::ALL.map(Notation::name),
        conflicts_with = "json"
    )]
    notations: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

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
        return definitions(args, hit, &format!("of {}", hit.reading), output);
    }
    if args.json {
        output.json(&json::document(args, &samples, &report))?;
        return Ok(());
    }
    for line in text::lines(args, &samples, &report, output.styles) {
        output.line(line)?;
    }
    Ok(())
}

/// Prints the definition of a hit in the notations asked for, `covered` being what it is of.
fn definitions(
    args: &IdentifyArgs,
    hit: &Hit,
    covered: &str,
    output: &mut Output,
) -> anyhow::Result<()> {
    let params = match &hit.found {
        Found::Code(code) => code.params(),
        _ => None,
    };
    let Some(params) = params else {
        bail!("{} is not a CRC; leave out --as", names(hit).0);
    };
    for name in &args.notations {
        let Some(notation) = Notation::ALL.into_iter().find(|it| it.name() == name) else {
            continue;
        };
        let text = notation.write(params).map_err(|why| anyhow!("--as {name}: {why}"))?;
        if let Some(comment) = notation.comment(&format!("{covered}; the value {}", hit.form)) {
            output.line(comment)?;
        }
        output.line(text)?;
    }
    Ok(())
}

/// Returns the parameters of a CRC in the form of RevEng, which `residue sum -a` reads.
fn line(p: &Params) -> String {
    Notation::Residue.write(p).unwrap_or_default()
}

/// Returns the name of a hit, and the argument for `residue sum -a`, if that supports it.
fn names(hit: &Hit) -> (String, Option<String>) {
    match &hit.found {
        Found::Sum(model) => (model.to_string(), None),
        Found::Hash(hash) => (hash.name.to_string(), None),
        Found::Code(code) => {
            let custom = code.params().filter(|params| params.name == "custom");
            match custom {
                Some(params) => ("a CRC without a name".to_string(), Some(line(params))),
                None => (code.name().to_string(), Some(code.name().to_string())),
            }
        }
    }
}

/// Returns a value in hexadecimal, for a field of `bits` bits.
fn encoded(value: u128, bits: u32) -> String {
    Encoding::Hex.encode(value, bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue::Code;

    #[test]
    fn parameters_are_read_again() {
        for params in residue::crc::catalog::ALL {
            let code: Code = line(params).parse().unwrap();
            assert_eq!(code.params().unwrap().check, params.check, "{}", params.name);
        }
    }
}
