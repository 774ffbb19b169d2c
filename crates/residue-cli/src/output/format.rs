//! The options that select an output format, shared by all commands that have them.

use super::Output;
use anyhow::Context as _;
use clap::Args;
use std::io;
use std::path::{Path, PathBuf};

/// The options `--json` and `--csv`. Without them commands print text for people.
#[derive(Clone, Copy, Debug, Args)]
pub struct Format {
    /// Print JSON
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// Print CSV
    #[arg(long)]
    pub csv: bool,
}

/// The option `--report`.
#[derive(Debug, Args)]
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
