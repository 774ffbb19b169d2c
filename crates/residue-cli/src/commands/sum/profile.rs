//! `residue sum --profile`: the values that object stores show for given content.
//!
//! All values are base64 of the value's bytes, highest first. Google Cloud Storage shows the
//! CRC-32C of the object, however it was uploaded. S3 has two types. The full-object type is the
//! value of the object. The composite type, which multipart uploads with CRC-32 and CRC-32C have
//! unless they ask for the other, is the value of the values of the parts (concatenated, highest
//! byte first), followed by `-` and the number of parts. CRC-64/NVME has no composite type.

use super::arguments::{Profile, SumArgs};
use super::inputs::{Input, Inputs};
use super::print::{self, named, problem};
use crate::codes::Chosen;
use crate::options::CodeNames;
use crate::output::{Bracket, Encoding, Outcome, Output, Styles};
use crate::progress::Progress;
use crate::read;
use crate::read::parts::{self, Parts};
use anyhow::bail;
use serde::Serialize;

/// Most parts of an object in S3.
const MOST_PARTS: u64 = 10_000;

impl Profile {
    /// Returns the codes that the store supports, its default first.
    const fn codes(self) -> &'static [&'static str] {
        match self {
            Profile::Gcs => &["crc-32/iscsi"],
            Profile::S3 => &["crc-64/nvme", "crc-32/iso-hdlc", "crc-32/iscsi"],
            Profile::S3Composite => &["crc-32/iso-hdlc", "crc-32/iscsi"],
        }
    }

    /// Returns the codes of `-a`, if the store supports them, or its default.
    fn chosen(self, named: &CodeNames) -> anyhow::Result<Vec<Chosen>> {
        let known = self.codes();
        if named.is_empty() && self == Profile::S3Composite {
            bail!("--profile s3-composite needs the code of the upload: -a crc-32 or -a crc-32c");
        }
        let chosen =
            if named.is_empty() { vec![Chosen::parse(known[0])?] } else { named.chosen()? };
        for one in &chosen {
            if !known.contains(&one.label.as_str()) {
                let all = known.join(", ");
                bail!("-a {}: this store does not support the code; it supports {all}", one.label);
            }
        }
        Ok(chosen)
    }

    /// Returns the code of untagged lines in a list to verify.
    pub fn listed(self, named: &CodeNames) -> anyhow::Result<Chosen> {
        if self == Profile::S3Composite {
            bail!(
                "--check cannot verify composite values, because a list does not give the size of \
                 the parts; compare the list with the output of --profile s3-composite"
            );
        }
        // Only untagged lines use it; with several codes lines are tagged.
        let mut chosen = self.chosen(named)?;
        Ok(chosen.swap_remove(0))
    }
}

/// Computes and prints.
pub fn run(args: &SumArgs, profile: Profile, output: &mut Output) -> anyhow::Result<()> {
    let codes = profile.chosen(&args.codes)?;
    let Some(part) = args.part_size else {
        if profile == Profile::S3Composite {
            bail!("--profile s3-composite needs the size of the parts, as --part-size 8MiB");
        }
        let args = SumArgs { base64: true, ..args.clone() };
        return print::run(&args, &codes, output);
    };
    if profile != Profile::S3Composite {
        bail!("--part-size goes with --profile s3-composite; other values do not depend on it");
    }
    if part == 0 {
        bail!("--part-size 0: give at least one byte");
    }
    let mut inputs = Inputs::new(args)?;
    if args.json {
        output.open(None, Bracket::Array)?;
    }
    loop {
        let some = inputs.some(output);
        if some.is_empty() {
            break;
        }
        for input in &some {
            one(args, &codes, part, input, output)?;
        }
    }
    if args.json {
        output.close()?;
    }
    Ok(())
}

/// Computes and prints the values of an input uploaded in parts.
fn one(
    args: &SumArgs,
    codes: &[Chosen],
    part: u64,
    input: &Input,
    output: &mut Output,
) -> anyhow::Result<()> {
    let threshold = args.multipart_threshold.unwrap_or(part);
    output.progress = Progress::of_bytes(read::length(&input.source));
    let done = parts::read(&input.source, codes, part, &output.progress);
    output.progress.clear();
    let done = done.map_err(|error| problem(&error)).and_then(|done| within(done, part));
    let row = match done {
        Ok(done) => {
            let shown = |(i, chosen)| shown(chosen, &done, i, threshold);
            let shown: Vec<Shown> = codes.iter().enumerate().map(shown).collect();
            if !args.json {
                return print_lines(args, input, codes, &shown, output);
            }
            Row::of(input, Some(done.bytes), shown, None)
        }
        Err(why) => {
            output.found(Outcome::Trouble);
            output.complain(&format!("{}: {why}", Styles::plain(&input.name)));
            Row::of(input, None, Vec::new(), Some(why))
        }
    };
    if args.json {
        output.item(None, &row)?;
    }
    Ok(())
}

/// Checks that the store allows as many parts.
fn within(done: Parts, part: u64) -> Result<Parts, String> {
    let count = done.bytes.div_ceil(part);
    if count > MOST_PARTS {
        let least = done.bytes.div_ceil(MOST_PARTS);
        return Err(format!(
            "{count} parts of {part} bytes, but S3 allows {MOST_PARTS} parts; the parts had at \
             least {least} bytes each"
        ));
    }
    Ok(done)
}

/// A value as the store shows it.
#[derive(Serialize)]
struct Shown {
    code: String,
    /// The text that the store shows.
    shown: String,
    /// The value alone, without the number of parts.
    value: String,
    /// The number of parts; `None` for content uploaded in one piece.
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<usize>,
}

/// An input as JSON.
#[derive(Serialize)]
struct Row {
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    codes: Vec<Shown>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Row {
    fn of(input: &Input, bytes: Option<u64>, codes: Vec<Shown>, error: Option<String>) -> Row {
        Row { file: input.name.to_string_lossy().into_owned(), bytes, codes, error }
    }
}

/// Returns what the store shows for code `i`.
fn shown(chosen: &Chosen, done: &Parts, i: usize, threshold: u64) -> Shown {
    let (code, width) = (&chosen.code, chosen.code.width());
    let values = done.values.iter().map(|values| values[i]);
    let (value, parts) = if done.bytes < threshold {
        // Uploaded in one piece: the value is combined from those of the parts.
        (done.whole(code, i), None)
    } else {
        let bytes: Vec<u8> = values
            .flat_map(|value| value.to_be_bytes().into_iter().skip(16 - width as usize / 8))
            .collect();
        (code.value(&bytes), Some(done.values.len()))
    };
    let base64 = Encoding::Base64.encode(value, width);
    Shown {
        code: chosen.label.clone(),
        shown: parts.map_or(base64.clone(), |count| format!("{base64}-{count}")),
        value: Encoding::Hex.encode(value, width),
        parts,
    }
}

fn print_lines(
    args: &SumArgs,
    input: &Input,
    codes: &[Chosen],
    shown: &[Shown],
    output: &mut Output,
) -> anyhow::Result<()> {
    for (chosen, shown) in codes.iter().zip(shown) {
        let tag = (args.tag || codes.len() > 1).then(|| chosen.tag());
        let line = named(args, tag.as_deref(), input.name.as_encoded_bytes(), &shown.shown);
        output.entry(line, if args.zero { 0 } else { b'\n' })?;
    }
    Ok(())
}
