//! The inputs of `residue sum`: text, bytes, standard input, files and folders.

use super::arguments::{SumArgs, bytes};
use crate::output::{Outcome, Output, Styles};
use crate::progress::Progress;
use crate::read::walk::Walk;
use crate::read::{self, Source};
use anyhow::bail;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{io, slice, vec};

/// An input and its name in the output.
pub struct Input {
    pub source: Source,
    pub name: OsString,
    /// Whether this is standard input because no input was named.
    pub unnamed: bool,
}

/// The inputs: text, bytes, then files in the order given. Folders are read when they are reached.
pub struct Inputs<'a> {
    args: &'a SumArgs,
    pub memory: vec::IntoIter<Input>,
    files: slice::Iter<'a, OsString>,
    walk: Option<Walk>,
}

impl<'a> Inputs<'a> {
    pub fn new(args: &'a SumArgs) -> anyhow::Result<Inputs<'a>> {
        let mut memory = in_memory(args)?;
        if args.kernel.is_some() && memory.is_empty() {
            bail!("--kernel needs --text or --hex, because a kernel takes its input in one piece");
        }
        if args.kernel.is_some() && !args.files.is_empty() {
            bail!("--kernel works on --text and --hex only, not on files");
        }
        if memory.is_empty() && args.files.is_empty() {
            memory.push(Input { source: Source::Stdin, name: "-".into(), unnamed: true });
        }
        if args.files.iter().filter(|name| *name == "-").count() > 1 {
            bail!("`-` is given twice, but standard input can be read only once");
        }
        Ok(Inputs { args, memory: memory.into_iter(), files: args.files.iter(), walk: None })
    }

    /// Returns the bytes of all files, or 0 if no progress bar needs to know.
    pub fn length(&self) -> anyhow::Result<u64> {
        if !Progress::wanted() {
            return Ok(0);
        }
        let all = Inputs::new(self.args)?.flatten();
        Ok(all.map(|input| read::length(&input.source)).fold(0, u64::saturating_add))
    }

    /// Returns the next inputs, at most [`read::TOGETHER`]; none at the end. Reports folders that
    /// cannot be read.
    pub fn some(&mut self, output: &mut Output) -> Vec<Input> {
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
            // Named links are followed, and named pipes and devices are read.
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

/// Returns the inputs of --text and --hex, named as in the test vector files.
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
