//! `residue pcap`: check values in packet captures.

mod compare;
mod fix;
mod make;
mod nat;
mod page;
mod report;
mod separate;
mod survey;
mod verify;
mod watch;

use crate::output::{Outcome, Output, Styles, words};
use crate::progress::Progress;
use crate::streams;
use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use residue_net::pcap::compressed::Compression;
use residue_net::pcap::patch::{self, Edit};
use residue_net::pcap::{ReadAt, Reader};
#[cfg(unix)]
use residue_net::replace::makes_a_file;
use residue_net::rewrite::Rewriter;
use residue_net::verify::{AnyReader, Buffer, Places, packets, wrong};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Seek as _};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;

const HELP: &str = "\
Reads pcap, pcapng and snoop, plain or compressed with gzip or zstd; `-` is standard input.

Exit codes: 0 no wrong check value, 1 wrong check values found, 2 wrong usage or unreadable input.

Examples:
  residue pcap verify trace.pcapng          counts for each protocol, and causes of wrong values
  residue pcap verify --list trace.pcapng   every wrong check value
  residue pcap watch --interface eth0       the same counts, of live packets
  residue pcap fix trace.pcap -o good.pcap  repair the effects of offload and address rewriting
  residue pcap nat trace.pcap --map 10.0.0.1=192.0.2.1 -o new.pcap
  residue pcap compare lan.pcap wan.pcap    what changed between two points";

/// Arguments of `residue pcap`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct PcapArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Verify every check value, and name the causes of wrong ones
    Verify(verify::VerifyArgs),
    /// Verify packets as they come, of an interface or a pipe
    Watch(Box<watch::WatchArgs>),
    /// Repair check values, without any other change
    Fix(fix::FixArgs),
    /// Translate addresses and ports, and update the check values
    Nat(nat::NatArgs),
    /// Classify how damaged TCP segments differ from their retransmissions; prints no data and no
    /// addresses
    Survey(survey::SurveyArgs),
    /// Compare captures of two points: what was lost, duplicated, reordered or altered between them
    Compare(compare::CompareArgs),
    /// Generate captures with right and wrong check values, for tests
    Make(make::MakeArgs),
}

/// Runs the subcommand.
pub fn run(args: &PcapArgs, output: &mut Output) -> anyhow::Result<()> {
    match &args.command {
        Command::Verify(args) => verify::run(args, output),
        Command::Watch(args) => watch::run(args, output),
        Command::Fix(args) => fix::run(args, output),
        Command::Nat(args) => nat::run(args, output),
        Command::Survey(args) => survey::run(args, output),
        Command::Compare(args) => compare::run(args, output),
        Command::Make(args) => make::run(args, output),
    }
}

/// Size in bytes from which a capture is read or verified by threads of its own.
const LARGE: u64 = 1 << 20;

/// A capture that can be read several times.
struct Capture {
    name: OsString,
    /// What can be read only once (standard input, a pipe), kept in a file.
    spooled: Option<File>,
}

impl Capture {
    /// Opens a capture. Standard input and pipes are kept in a temporary file if they will be read
    /// `again`.
    fn new(name: &OsStr, again: bool) -> anyhow::Result<Self> {
        let spooled = match name {
            _ if !again => None,
            _ if name == "-" => Some(patch::spool(streams::stdin()?)?),
            _ if is_read_once(Path::new(name)) => match File::open(name) {
                Ok(file) => Some(patch::spool(file)?),
                // Reported when it is opened again.
                Err(_) => None,
            },
            _ => None,
        };
        Ok(Capture { name: name.to_owned(), spooled })
    }

    /// Returns the path, unless this is standard input.
    fn path(&self) -> Option<&Path> {
        (self.name != "-").then(|| Path::new(&self.name))
    }

    /// Opens the file at its start; `None` for standard input that is not kept.
    fn file(&self) -> io::Result<Option<File>> {
        Ok(match (&self.spooled, self.path()) {
            (Some(file), _) => {
                let mut file = file.try_clone()?;
                file.rewind()?;
                Some(file)
            }
            (None, None) => None,
            (None, Some(path)) => {
                let file = File::open(path)?;
                if file.metadata()?.is_dir() {
                    return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a folder"));
                }
                Some(file)
            }
        })
    }

    /// Opens the bytes from the start.
    fn open(&self, progress: &Progress) -> io::Result<Box<dyn Read + Send>> {
        let progress = progress.clone();
        Ok(match self.file()? {
            Some(file) => Box::new(Counted { file, progress }),
            None => Box::new(Counted { file: streams::stdin()?, progress }),
        })
    }

    /// Opens the bytes for several threads, which read themselves.
    fn shared(&self, progress: &Progress) -> io::Result<Shared> {
        let Some(file) = self.file()? else { return self.open(progress).map(Shared::Stream) };
        let is_regular = file.metadata()?.is_file();
        let file = Counted { file, progress: progress.clone() };
        Ok(if is_regular { Shared::File(file) } else { Shared::Stream(Box::new(file)) })
    }

    /// Opens the packets from the first.
    fn reader(&self, progress: &Progress) -> anyhow::Result<Reader<Box<dyn Read + Send>>> {
        Ok(self.begin(self.open(progress)?)?)
    }

    /// Opens the packets from the first, for verification on several threads.
    fn shared_reader(&self, progress: &Progress) -> anyhow::Result<AnyReader<'static>> {
        Ok(self.shared(progress)?.reader()?)
    }

    /// Returns the number of threads for the verification of this capture.
    fn threads(&self) -> NonZero<usize> {
        const ONE: NonZero<usize> = NonZero::<usize>::MIN;
        if !self.is_large() {
            return ONE;
        }
        // More wait for each other, because one at a time finds packets.
        thread::available_parallelism().unwrap_or(ONE).min(ONE.saturating_add(7))
    }

    /// Returns whether other threads are worth their start. Standard input may have any length.
    fn is_large(&self) -> bool {
        self.size() == 0 || self.size() >= LARGE
    }

    /// Opens the packets of the bytes `input`.
    fn begin(
        &self,
        input: Box<dyn Read + Send>,
    ) -> Result<Reader<Box<dyn Read + Send>>, residue_net::Error> {
        if self.is_large() && thread::available_parallelism().is_ok_and(|cpus| cpus.get() > 1) {
            Reader::ahead(input)
        } else {
            Reader::new(input)
        }
    }

    /// Returns the size in bytes, or 0 if it is unknown.
    fn size(&self) -> u64 {
        let metadata = match (&self.spooled, self.path()) {
            (Some(file), _) => file.metadata(),
            (None, Some(path)) => path.metadata(),
            (None, None) => return 0,
        };
        metadata.map_or(0, |metadata| metadata.len())
    }
}

/// The bytes of a capture, for several threads.
enum Shared {
    /// Any thread can read at any place.
    File(Counted<File>),
    /// One thread at a time can read on.
    Stream(Box<dyn Read + Send>),
}

impl Shared {
    /// Begins to read the packets.
    fn reader(self) -> Result<AnyReader<'static>, residue_net::Error> {
        match self {
            Shared::File(file) => Reader::random_access(file),
            Shared::Stream(input) => Reader::new(input),
        }
    }
}

/// A file that advances a progress bar.
struct Counted<F> {
    file: F,
    progress: Progress,
}

impl<F: ReadAt> ReadAt for Counted<F> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let count = self.file.read_at(buffer, offset)?;
        self.progress.add(count as u64);
        Ok(count)
    }
}

impl<F: Read> Read for Counted<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.progress.add(count as u64);
        Ok(count)
    }
}

/// The options that say where a changed capture goes.
#[derive(Debug, Args)]
struct Target {
    /// Write the changed capture to this file
    #[arg(short, long, value_name = "OUT", conflicts_with_all = ["in_place", "dry_run"])]
    output: Option<PathBuf>,
    /// Change the capture in place
    #[arg(long, conflicts_with = "dry_run")]
    in_place: bool,
    /// Change nothing; print what would be changed
    #[arg(short = 'n', long)]
    dry_run: bool,
}

/// The packets that a command changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Changed {
    /// Any packets.
    Any,
    /// Packets with wrong or offloaded values only.
    Wrong,
    /// As `Wrong`, and they are so few that all changes are kept in memory.
    FewWrong,
}

/// Largest number of wrong values whose changes are kept in memory.
const FEW: u64 = 1 << 18;

/// Number of changes to write at a time to a capture changed in place.
const BATCH: usize = 1 << 16;

impl Target {
    /// Refuses options that contradict each other or the capture. `prints` says whether something
    /// else goes to standard output.
    fn check(&self, file: &OsStr, prints: bool) -> anyhow::Result<()> {
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
        // Checked before the capture is read, which may take long.
        let folder = self.output.as_ref().and_then(|path| path.parent());
        if let Some(folder) =
            folder.filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir())
        {
            bail!("-o: no folder `{}`; create it first", Styles::plain(folder.as_os_str()));
        }
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

    fn is_stdout(&self) -> bool {
        self.output.as_ref().is_some_and(|path| path.as_os_str() == "-")
    }

    /// Rewrites a capture with the changes that `each` finds in a packet, and those in `across`.
    /// Returns the error that ended reading early, if any.
    fn rewrite(
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

/// Returns whether a copy of a file has its bytes at the same places, in a file of its own.
#[cfg(unix)]
fn is_copied_plainly(file: &impl ReadAt, output: &Path) -> bool {
    let mut start = [0; 4];
    let read = file.read_at(&mut start, 0);
    read.is_ok_and(|count| Compression::of_start(&start[..count]).is_none())
        && Compression::of_name(output).is_none()
        && output != Path::new("-")
        && makes_a_file(output)
}

/// Returns whether a path is that of a pipe or a device, whose bytes are gone once they are read.
fn is_read_once(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// Returns how a file is compressed. An unreadable file is reported later, when it is opened.
fn compression(path: &Path) -> Option<Compression> {
    let mut start = Vec::new();
    File::open(path).ok()?.take(4).read_to_end(&mut start).ok()?;
    Compression::of_start(&start)
}

/// Returns the captures that `files` name: all captures of a folder, and standard input by default.
fn names(files: &[OsString]) -> anyhow::Result<Vec<OsString>> {
    if files.is_empty() {
        return Ok(vec!["-".into()]);
    }
    let mut names = Vec::new();
    for file in files {
        let path = PathBuf::from(file);
        if !path.is_dir() {
            names.push(file.clone());
            continue;
        }
        let before = names.len();
        for entry in walkdir::WalkDir::new(&path).sort_by_file_name() {
            let entry = entry.with_context(|| Styles::plain(file))?;
            // Links to captures count.
            if looks_like_a_capture(entry.path()) && entry.path().is_file() {
                names.push(entry.path().into());
            }
        }
        if names.len() == before {
            bail!("{}: no captures in this folder (*{})", Styles::plain(file), ENDS.join(", *"));
        }
    }
    Ok(names)
}

/// Endings of names of captures, without `.gz` or `.zst`.
const ENDS: [&str; 6] = [".pcap", ".pcapng", ".cap", ".dmp", ".ntar", ".snoop"];

/// Returns whether a file in a folder is a capture, by its name.
fn looks_like_a_capture(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default().to_lowercase();
    let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
    ENDS.iter().any(|end| name.ends_with(end))
}

/// Reports the error of a capture; others are still read.
fn trouble(output: &mut Output, name: &OsStr, error: &anyhow::Error) {
    output.found(Outcome::Trouble);
    output.complain(&format!("{}: {}", Styles::plain(name), words(error)));
}
