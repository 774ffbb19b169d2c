//! Where a changed capture goes, and how it is written.

use super::capture::{Capture, Shared, compression, is_read_once};
use crate::output::Styles;
use crate::progress::Progress;
use crate::streams;
use anyhow::{Context as _, bail};
use clap::Args;
use residue_net::pcap::compressed::Compression;
use residue_net::pcap::patch::{self, Edit};
use residue_net::pcap::{ReadAt, Reader};
#[cfg(unix)]
use residue_net::replace::makes_a_file;
use residue_net::rewrite::Rewriter;
use residue_net::verify::{AnyReader, Buffer, Places, packets, wrong};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

// The capture to change, and where the changed one goes.
#[derive(Debug, Args)]
pub struct Target {
    /// Capture to read; `-` is standard input
    #[arg(value_name = "FILE")]
    pub file: OsString,
    /// Write the changed capture to this file
    #[arg(short, long, value_name = "OUT", conflicts_with_all = ["in_place", "dry_run"])]
    pub output: Option<PathBuf>,
    /// Change the capture in place
    #[arg(long, conflicts_with = "dry_run")]
    pub in_place: bool,
    /// Change nothing; print what would be changed
    #[arg(short = 'n', long)]
    pub dry_run: bool,
}

/// The packets that a command changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    /// Any packets.
    Any,
    /// Packets with wrong or offloaded values only.
    Wrong,
    /// As `Wrong`, and they are so few that all changes are kept in memory.
    FewWrong,
}

/// Largest number of wrong values whose changes are kept in memory.
pub const FEW: u64 = 1 << 18;

/// Number of changes to write at a time to a capture changed in place.
pub const BATCH: usize = 1 << 16;

impl Target {
    /// Refuses options that contradict each other or the capture. `prints` says whether something
    /// else goes to standard output.
    pub fn check(&self, prints: bool) -> anyhow::Result<()> {
        let file = self.file.as_os_str();
        if self.output.is_none() && !self.in_place && !self.dry_run {
            bail!("no output given; use -o OUT, --in-place or --dry-run");
        }
        if self.in_place && file == "-" {
            bail!("--in-place needs a file, not standard input");
        }
        if self.in_place && is_read_once(Path::new(file)) {
            bail!("--in-place needs a file; `{}` is a pipe or a device", Styles::plain(file));
        }
        if self.in_place
            && let Some(compression) = compression(Path::new(file))
        {
            return Err(residue_net::Error::InPlace { compression })
                .with_context(|| Styles::plain(file));
        }
        self.output.as_deref().map_or(Ok(()), has_folder)?;
        if self.is_stdout() && prints {
            bail!(
                "the new capture goes to standard output; leave out --list and --json, or use -o \
                 FILE"
            );
        }
        if self.is_stdout() {
            streams::stdout().check()?;
        }
        Ok(())
    }

    /// Returns the name of the capture, for output.
    pub fn name(&self) -> String {
        Styles::plain(&self.file)
    }

    pub fn is_stdout(&self) -> bool {
        self.output.as_ref().is_some_and(|path| path.as_os_str() == "-")
    }

    /// Rewrites a capture with the changes that `each` finds in a packet, and those in `across`.
    /// Returns the error that ended reading early, if any.
    pub fn rewrite(
        &self,
        capture: &Capture,
        progress: &Progress,
        across: &[Edit],
        changed: Changed,
        mut each: impl FnMut(&Buffer<'_>, &mut Vec<Edit>),
    ) -> anyhow::Result<Option<residue_net::Error>> {
        let mut each = |buffer: &Buffer<'_>, edits: &mut Vec<Edit>| {
            if matches!(buffer.places, Places::Contiguous(_)) {
                each(buffer, edits);
            }
        };
        if let (Some(path), Changed::FewWrong) = (&self.output, changed) {
            // The changes are few: to find them first, on several threads, is faster than to look
            // for them while the capture is copied by one.
            let mut edits = across.to_vec();
            let find = |reader: AnyReader<'_>| {
                let read = wrong(reader, capture.threads(), &mut |buffer| each(buffer, &mut edits));
                patch::sort(&mut edits)?;
                Ok((edits, read.error))
            };
            let shared = match capture.shared(progress)? {
                #[cfg(unix)]
                Shared::File(file) if is_copied_plainly(&file, path) => {
                    let find = |input| find(Reader::random_access(input)?);
                    return patch::copy_and_find(file, path, capture.path(), find)
                        .with_context(|| Styles::plain(path.as_os_str()));
                }
                shared => shared,
            };
            let (edits, error) = find(shared.reader()?)?;
            patch::copy_to_file(capture.open(progress)?, path, capture.path(), &edits)
                .with_context(|| Styles::plain(path.as_os_str()))?;
            return Ok(error);
        }
        if let Some(path) = &self.output {
            let input = capture.open(progress)?;
            let mut rewriter = Rewriter::new(input, across, each)?;
            patch::copy_to_file(&mut rewriter, path, capture.path(), &[])
                .with_context(|| Styles::plain(path.as_os_str()))?;
            return Ok(rewriter.error());
        }
        // Each batch is compared with the file first, which others may have changed meanwhile.
        let write = |edits: &mut Vec<Edit>| -> Result<(), residue_net::Error> {
            patch::sort(edits)?;
            match capture.path() {
                Some(path) if self.in_place && !edits.is_empty() => {
                    patch::in_place_file(path, edits)?;
                }
                _ => {}
            }
            edits.clear();
            Ok(())
        };
        let (mut edits, mut result) = (Vec::new(), Ok(()));
        let mut take = |buffer: &Buffer<'_>| {
            each(buffer, &mut edits);
            if edits.len() >= BATCH && result.is_ok() {
                result = write(&mut edits);
            }
        };
        let read = match changed {
            Changed::Any => packets(capture.reader(progress)?, take),
            Changed::FewWrong | Changed::Wrong => {
                wrong(capture.shared_reader(progress)?, capture.threads(), &mut take)
            }
        };
        result?;
        write(&mut edits)?;
        write(&mut across.to_vec())?;
        Ok(read.error)
    }
}

/// Refuses an output in no folder, before the capture is read, which may take long.
pub fn has_folder(output: &Path) -> anyhow::Result<()> {
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder.filter(|folder| !folder.is_dir()) {
        Some(folder) => {
            bail!("-o: no folder `{}`; create it first", Styles::plain(folder.as_os_str()))
        }
        None => Ok(()),
    }
}

/// Returns whether a copy of a file has its bytes at the same places, in a file of its own.
#[cfg(unix)]
pub fn is_copied_plainly(file: &impl ReadAt, output: &Path) -> bool {
    let mut start = [0; 4];
    let read = file.read_at(&mut start, 0);
    read.is_ok_and(|count| Compression::of_start(&start[..count]).is_none())
        && Compression::of_name(output).is_none()
        && output != Path::new("-")
        && makes_a_file(output)
}
