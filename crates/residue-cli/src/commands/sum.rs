//! `residue sum`: check values of files.

pub mod profile;

use crate::Outcome;
use crate::args::SumArgs;
use crate::codes::{self, Chosen};
use crate::output::{Bracket, Output, Spelling, Styles, escape};
use crate::progress::Progress;
use crate::read::walk::Walk;
use crate::read::{self, Done, Job, Source};
use anyhow::{Context as _, bail};
use residue_identify::conform::vectors::octets;
use serde::Serialize;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{io, slice, vec};

/// Computes and prints.
pub fn run(args: &SumArgs, output: &mut Output) -> anyhow::Result<()> {
    if args.quiet {
        bail!("--quiet goes with --check or --self-test");
    }
    if let Some(profile) = args.profile {
        return profile::run(args, profile, output);
    }
    print(args, &codes::parse_all(&args.codes)?, output)
}

/// Computes and prints all codes of all inputs.
fn print(args: &SumArgs, codes: &[Chosen], output: &mut Output) -> anyhow::Result<()> {
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
            .map(|input| Job { source: input.source.clone(), codes: codes.iter().collect() })
            .collect();
        let progress = output.progress.clone();
        read::all(&jobs, &progress, |index, done| printer.done(output, &some[index], done))?;
    }
    output.progress.clear();
    printer.end(output)
}

/// An input and what it is called in the output.
struct Input {
    source: Source,
    name: OsString,
    /// Standard input because nothing else was named.
    unnamed: bool,
}

/// What is to be read, in the order it was named: text, bytes, files. Folders are looked into as
/// they are reached.
struct Inputs<'a> {
    args: &'a SumArgs,
    memory: vec::IntoIter<Input>,
    files: slice::Iter<'a, OsString>,
    walk: Option<Walk>,
}

impl<'a> Inputs<'a> {
    fn new(args: &'a SumArgs) -> anyhow::Result<Inputs<'a>> {
        let mut memory = in_memory(args)?;
        if args.kernel.is_some() && memory.is_empty() {
            bail!("--kernel works on --text and --hex, as a kernel takes its input whole");
        }
        if args.kernel.is_some() && !args.files.is_empty() {
            bail!("--kernel works on --text and --hex");
        }
        if memory.is_empty() && args.files.is_empty() {
            memory.push(Input { source: Source::Stdin, name: "-".into(), unnamed: true });
        }
        if args.files.iter().filter(|name| *name == "-").count() > 1 {
            bail!("`-` twice: standard input can be read once");
        }
        Ok(Inputs { args, memory: memory.into_iter(), files: args.files.iter(), walk: None })
    }

    /// The bytes of all files, if anybody wants to know.
    fn length(&self) -> anyhow::Result<u64> {
        if !Progress::wanted() {
            return Ok(0);
        }
        let all = Inputs::new(self.args)?.flatten();
        Ok(all.map(|input| read::length(&input.source)).fold(0, u64::saturating_add))
    }

    /// The next ones, as many as are read together; none at the end. Folders that cannot be read
    /// are reported.
    fn some(&mut self, output: &mut Output) -> Vec<Input> {
        let mut some = Vec::new();
        while some.len() < read::TOGETHER {
            match self.next() {
                Some(Ok(input)) => some.push(input),
                Some(Err((place, error))) => {
                    output.found(Outcome::Trouble);
                    let place = Styles::plain(place.as_os_str());
                    output.complain(&format!("{place}: {}", read::problem(&error)));
                }
                None => break,
            }
        }
        some
    }
}

impl Iterator for Inputs<'_> {
    type Item = Result<Input, (PathBuf, io::Error)>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(input) = self.memory.next() {
                return Some(Ok(input));
            }
            if let Some(walk) = &mut self.walk {
                if let Some(next) = walk.next() {
                    return Some(next.map(|path| file(path.into_os_string())));
                }
                self.walk = None;
            }
            let name = self.files.next()?;
            if name == "-" {
                let source = Source::Stdin;
                return Some(Ok(Input { source, name: name.clone(), unnamed: false }));
            }
            // A link that the user names is followed; a named file that is no regular one, such as
            // a pipe, is meant.
            if !self.args.recursive || !Path::new(name).is_dir() {
                return Some(Ok(file(name.clone())));
            }
            self.walk = Some(Walk::new(name.into()));
        }
    }
}

fn file(name: OsString) -> Input {
    Input { source: Source::File(PathBuf::from(&name)), name, unnamed: false }
}

/// The inputs given on the command line itself, named as in the project's files of vectors.
fn in_memory(args: &SumArgs) -> anyhow::Result<Vec<Input>> {
    let given = |name: String, bytes: Vec<u8>| Input {
        source: Source::Bytes(bytes),
        name: name.into(),
        unnamed: false,
    };
    let mut inputs: Vec<Input> = args
        .text
        .iter()
        .map(|text| given(format!("text:{text}"), text.as_bytes().to_vec()))
        .collect();
    for hex in &args.hex {
        inputs.push(given(format!("hex:{hex}"), bytes(hex)?));
    }
    Ok(inputs)
}

/// The bytes that --hex spells.
pub fn bytes(hex: &str) -> anyhow::Result<Vec<u8>> {
    octets_of(hex).with_context(|| {
        format!("--hex `{}`: not an even number of hexadecimal digits", hex.escape_debug())
    })
}

/// The bytes that people write in hexadecimal; `None` if digits are missing or wrong.
pub fn octets_of(hex: &str) -> Option<Vec<u8>> {
    let digits = hex.trim();
    let digits = digits.strip_prefix("0x").or(digits.strip_prefix("0X")).unwrap_or(digits);
    let digits: String = digits.chars().filter(|c| !c.is_whitespace() && *c != ':').collect();
    octets(&digits)
}

/// The values of input in memory by a kernel named by the user.
fn forced(kernel: &str, codes: &[Chosen], source: &Source) -> anyhow::Result<Done> {
    let Source::Bytes(bytes) = source else { bail!("--kernel works on --text and --hex") };
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

/// One input, as JSON.
#[derive(Serialize)]
struct Row {
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    codes: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// One value, as JSON. Decimal numbers are strings: many readers of JSON round numbers of more than 53 bits.
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
            Err(error) => (None, Some(told(&error))),
        };
        if error.is_some() {
            output.found(Outcome::Trouble);
        }
        if self.args.json {
            output.item(None, &self.row(input, done.as_ref(), error.clone()))?;
        } else if let Some(done) = &done {
            for (chosen, value) in self.codes.iter().zip(&done.values) {
                let end = if self.args.zero { 0 } else { b'\n' };
                output.ended(self.line(input, chosen, *value, done.bytes), end)?;
            }
        }
        if let Some(error) = error {
            output.complain(&format!("{}: {error}", Styles::plain(&input.name)));
        }
        Ok(())
    }

    fn row(&self, input: &Input, done: Option<&Done>, error: Option<String>) -> Row {
        let value = |(chosen, &value): (&Chosen, &u128)| {
            let spell = |spelling: Spelling| spelling.spell(value, chosen.code.width());
            Value {
                code: chosen.label.clone(),
                value: spell(Spelling::Hex),
                base64: spell(Spelling::Base64),
                decimal: spell(Spelling::Decimal),
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

    /// A line, without its end.
    fn line(&self, input: &Input, chosen: &Chosen, value: u128, bytes: u64) -> Vec<u8> {
        let usual = if chosen.cksum { Spelling::Decimal } else { Spelling::Hex };
        let value = self.args.spelling().unwrap_or(usual).spell(value, chosen.code.width());
        let name = input.name.as_encoded_bytes();
        let tagged = self.args.tag || self.codes.len() > 1;
        if chosen.cksum && !tagged {
            // cksum escapes nothing, and leaves the name out if none was given.
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

/// A line with a value and a name, without its end; tagged with a code, if one is given.
fn named(args: &SumArgs, tag: Option<&str>, name: &[u8], value: &str) -> Vec<u8> {
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

/// Why an input could not be read, with what to do about it.
fn told(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::IsADirectory => {
            "is a folder; use --recursive to read what is in it".to_string()
        }
        _ => read::problem(error),
    }
}
