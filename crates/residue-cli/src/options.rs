//! Options that several commands have, each with one help text and one parser.
//!
//! A command that needs another word on one of them changes its help (`mut_arg`).

use crate::codes::{self, Chosen, Names};
use crate::output::Output;
use anyhow::{Context as _, bail};
use clap::Args;
use residue_strength::additive::Additive;
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};

// The option `-a`.
#[derive(Clone, Debug, Args)]
pub struct CodeNames {
    /// Codes, separated by commas: names or aliases of `residue list`, or the parameters of a CRC
    #[arg(
        short = 'a',
        long = "code",
        visible_alias = "algorithm",
        value_name = "CODE",
        value_parser = Names,
        hide_possible_values = true
    )]
    codes: Vec<String>,
}

impl CodeNames {
    /// Returns whether no code is named.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// Returns the codes named, or the default code.
    pub fn chosen(&self) -> anyhow::Result<Vec<Chosen>> {
        codes::parse_all(&self.codes)
    }

    /// Returns the code named, which must be one.
    pub fn only(&self) -> anyhow::Result<Chosen> {
        match &self.chosen()?[..] {
            [one] => Ok(one.clone()),
            _ => bail!("-a: give one code"),
        }
    }

    /// Returns the codes named, or `usual`, as groups.
    pub fn additive(&self, usual: &[&str]) -> anyhow::Result<Vec<Additive>> {
        let labels = match self.is_empty() {
            true => usual.iter().map(ToString::to_string).collect(),
            false => self.chosen()?.into_iter().map(|code| code.label).collect::<Vec<_>>(),
        };
        Ok(labels.iter().map(|label| Additive::named(label)).collect::<Result<_, _>>()?)
    }
}

// The option `--json`, of commands that print no CSV.
#[derive(Clone, Copy, Debug, Args)]
pub struct Json {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

// The options `--json` and `--csv`. Without them commands print text for people.
#[derive(Clone, Copy, Debug, Args)]
pub struct Format {
    /// Print JSON
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// Print CSV
    #[arg(long)]
    pub csv: bool,
}

impl Format {
    /// Prints a result as JSON, as CSV, or else as `text` does.
    pub fn print(
        self,
        output: &mut Output,
        result: &impl Serialize,
        csv: impl FnOnce() -> String,
        text: impl FnOnce(&mut Output) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        match self {
            Format { json: true, .. } => Ok(output.json(result)?),
            Format { csv: true, .. } => Ok(output.bytes(csv().as_bytes())?),
            _ => text(output),
        }
    }
}

// The option `--report`.
#[derive(Clone, Debug, Args)]
pub struct Report {
    /// Write a report into a folder: figures (SVG) and tables, with their data as CSV and JSON
    #[arg(long = "report", value_name = "DIR")]
    folder: Option<PathBuf>,
}

impl Report {
    /// Returns whether a report is wanted.
    pub fn is_wanted(&self) -> bool {
        self.folder.is_some()
    }

    /// Creates the folder. Call this before work that may take minutes.
    pub fn prepare(&self) -> anyhow::Result<()> {
        match &self.folder {
            Some(folder) => std::fs::create_dir_all(folder).with_context(|| failed(folder)),
            None => Ok(()),
        }
    }

    /// Writes the report, if one is wanted, and says where its first file is.
    pub fn write(
        &self,
        output: &mut Output,
        write: impl FnOnce(&Path) -> io::Result<Vec<PathBuf>>,
    ) -> anyhow::Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let files = write(folder).with_context(|| failed(folder))?;
        if let Some(first) = files.first() {
            output.complain(&format!("report: {}", first.display()));
        }
        Ok(())
    }
}

fn failed(folder: &Path) -> String {
    format!("cannot write the report into `{}`", folder.display())
}
