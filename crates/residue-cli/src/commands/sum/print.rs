//! Computes check values and prints them, as text or JSON.

use super::arguments::SumArgs;
use super::inputs::{Input, Inputs};
use crate::codes::{self, Chosen};
use crate::output::{Bracket, Encoding, Outcome, Output, Styles, escape};
use crate::progress::Progress;
use crate::read::{self, Done, Job, Source};
use anyhow::bail;
use serde::Serialize;
use std::io;

/// Computes and prints all codes of all inputs.
pub fn run(args: &SumArgs, codes: &[Chosen], output: &mut Output) -> anyhow::Result<()> {
    let printer = Printer { args, codes };
    if let Some(kernel) = &args.kernel {
        let done = |input: Input| anyhow::Ok((forced(kernel, codes, &input.source)?, input));
        let all = Inputs::new(args)?.memory.map(done).collect::<anyhow::Result<Vec<_>>>()?;
        printer.begin(output)?;
        for (done, input) in all {
            printer.done(output, &input, Ok(done))?;
        }
        return printer.end(output);
    }
    let mut inputs = Inputs::new(args)?;
    output.progress = Progress::of_bytes(inputs.length()?);
    printer.begin(output)?;
    loop {
        let some = inputs.some(output);
        if some.is_empty() {
            break;
        }
        let jobs: Vec<Job<'_>> = some
            .iter()
            .map(|input| Job {
                source: input.source.clone(),
                codes: codes.iter().collect(),
                sparse: args.sparse,
            })
            .collect();
        let progress = output.progress.clone();
        read::all(&jobs, &progress, |index, done| printer.done(output, &some[index], done))?;
    }
    output.progress.clear();
    printer.end(output)
}

/// Computes values with the kernel that the user named.
fn forced(kernel: &str, codes: &[Chosen], source: &Source) -> anyhow::Result<Done> {
    let Source::Bytes(bytes) = source else { bail!("--kernel works on --text and --hex only") };
    let value = |chosen: &Chosen| {
        let mut data = bytes.clone();
        if chosen.cksum {
            data.extend(codes::length_octets(bytes.len() as u64));
        }
        chosen.code.value_with(kernel, &data).map_err(|error| {
            let names: Vec<&str> = chosen.code.kernels().map(|kernel| kernel.name).collect();
            anyhow::anyhow!(
                "{}: {error} (`{kernel}`); its kernels are {}",
                chosen.label,
                names.join(", ")
            )
        })
    };
    let values = codes.iter().map(value).collect::<anyhow::Result<_>>()?;
    Ok(Done { bytes: bytes.len() as u64, values, complaint: None })
}

/// An input as JSON.
#[derive(Serialize)]
struct Row {
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    codes: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// A value as JSON. Decimal numbers are strings, because many JSON readers round numbers of more
/// than 53 bits.
#[derive(Serialize)]
struct Value {
    code: String,
    value: String,
    base64: String,
    decimal: String,
}

struct Printer<'a> {
    args: &'a SumArgs,
    codes: &'a [Chosen],
}

impl Printer<'_> {
    fn begin(&self, output: &mut Output) -> io::Result<()> {
        if self.args.json { output.open(None, Bracket::Array) } else { Ok(()) }
    }

    fn end(&self, output: &mut Output) -> anyhow::Result<()> {
        if self.args.json {
            output.close()?;
        }
        Ok(())
    }

    fn done(
        &self,
        output: &mut Output,
        input: &Input,
        done: io::Result<Done>,
    ) -> anyhow::Result<()> {
        let (done, error) = match done {
            Ok(done) => {
                let complaint = done.complaint.clone();
                (Some(done), complaint)
            }
            Err(error) => (None, Some(problem(&error))),
        };
        if error.is_some() {
            output.found(Outcome::Trouble);
        }
        if self.args.json {
            output.item(None, &self.row(input, done.as_ref(), error.clone()))?;
        } else if let Some(done) = &done {
            for (chosen, value) in self.codes.iter().zip(&done.values) {
                let end = if self.args.zero { 0 } else { b'\n' };
                output.entry(self.line(input, chosen, *value, done.bytes), end)?;
            }
        }
        if let Some(error) = error {
            output.complain(&format!("{}: {error}", Styles::plain(&input.name)));
        }
        Ok(())
    }

    fn row(&self, input: &Input, done: Option<&Done>, error: Option<String>) -> Row {
        let value = |(chosen, &value): (&Chosen, &u128)| {
            let encode = |encoding: Encoding| encoding.encode(value, chosen.code.width());
            Value {
                code: chosen.label.clone(),
                value: encode(Encoding::Hex),
                base64: encode(Encoding::Base64),
                decimal: encode(Encoding::Decimal),
            }
        };
        let values = done.map_or(&[][..], |done| &done.values);
        Row {
            file: input.name.to_string_lossy().into_owned(),
            bytes: done.map(|done| done.bytes),
            codes: self.codes.iter().zip(values).map(value).collect(),
            error,
        }
    }

    /// Returns the line for a value, without its end.
    fn line(&self, input: &Input, chosen: &Chosen, value: u128, bytes: u64) -> Vec<u8> {
        let usual = if chosen.cksum { Encoding::Decimal } else { Encoding::Hex };
        let value = self.args.encoding().unwrap_or(usual).encode(value, chosen.code.width());
        let name = input.name.as_encoded_bytes();
        let tagged = self.args.tag || self.codes.len() > 1;
        if chosen.cksum && !tagged {
            // cksum escapes nothing, and prints no name for unnamed standard input.
            let mut line = format!("{value} {bytes}").into_bytes();
            if !input.unnamed {
                line.push(b' ');
                line.extend(name);
            }
            return line;
        }
        named(self.args, tagged.then(|| chosen.tag()).as_deref(), name, &value)
    }
}

/// Returns a line with a value and a name, without its end. A `tag` names the code.
pub fn named(args: &SumArgs, tag: Option<&str>, name: &[u8], value: &str) -> Vec<u8> {
    let (name, escaped) = if args.zero { (name.to_vec(), false) } else { escape(name) };
    let mut line = Vec::with_capacity(name.len() + 64);
    if escaped {
        line.push(b'\\');
    }
    if let Some(tag) = tag {
        line.extend(tag.as_bytes());
        line.extend(b" (");
        line.extend(name);
        line.extend(format!(") = {value}").into_bytes());
    } else {
        line.extend(format!("{value}  ").into_bytes());
        line.extend(name);
    }
    line
}

/// Returns why an input cannot be read, and what to do about it.
pub fn problem(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::IsADirectory => {
            "is a folder; use --recursive to read the files in it".to_string()
        }
        _ => read::problem(error),
    }
}
