//! `residue pcap`: check values in packet captures.

mod fix;
mod make;
mod nat;
mod report;
mod survey;
mod verify;

use crate::Outcome;
use crate::output::{Output, Styles, words};
use crate::progress::Progress;
use crate::streams;
use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use residue_net::pcap::Reader;
use residue_net::pcap::compressed::Compression;
use residue_net::pcap::patch::{self, Edit};
use residue_net::rewrite::Rewriter;
use residue_net::verify::{Buffer, Places, packets};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Seek as _};
use std::path::{Path, PathBuf};
use std::thread;

const HELP: &str = "\
Reads pcap and pcapng, plain or compressed with gzip or zstd; `-` is the standard input.

Exit codes: 0 no wrong check value, 1 wrong ones found, 2 wrong usage or something could not be read.

Examples:
  residue pcap verify trace.pcapng          counts for each protocol, and the causes of what is wrong
  residue pcap verify --list trace.pcapng   every check value that is not right
  residue pcap fix trace.pcap -o good.pcap  with those repaired that offload and rewriting explain
  residue pcap nat trace.pcap --map 10.0.0.1=192.0.2.1 -o new.pcap";

/// `residue pcap`
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct PcapArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Judge every check value, and say why wrong ones are wrong
    Verify(verify::VerifyArgs),
    /// Repair check values, and change nothing else
    Fix(fix::FixArgs),
    /// Translate addresses and ports, and update the check values
    Nat(nat::NatArgs),
    /// Classify how damaged TCP segments differ from their retransmissions; prints no data and no addresses
    Survey(survey::SurveyArgs),
    /// Make captures with right and wrong check values, for tests
    Make(make::MakeArgs),
}

/// Does what was asked for.
pub fn run(args: &PcapArgs, output: &mut Output) -> anyhow::Result<()> {
    match &args.command {
        Command::Verify(args) => verify::run(args, output),
        Command::Fix(args) => fix::run(args, output),
        Command::Nat(args) => nat::run(args, output),
        Command::Survey(args) => survey::run(args, output),
        Command::Make(args) => make::run(args, output),
    }
}

/// Captures of as many bytes and more are read by a thread of their own.
const LARGE: u64 = 1 << 20;

/// A capture that can be read several times.
struct Capture {
    name: OsString,
    /// Standard input, kept.
    spooled: Option<File>,
}

impl Capture {
    /// Keeps standard input in a temporary file if it will be read `again`; what is read once need not be kept.
    fn new(name: &OsStr, again: bool) -> anyhow::Result<Self> {
        let spooled =
            if name == "-" && again { Some(patch::spool(streams::stdin()?)?) } else { None };
        Ok(Capture { name: name.to_owned(), spooled })
    }

    /// The file, if it is not standard input.
    fn path(&self) -> Option<&Path> {
        (self.name != "-").then(|| Path::new(&self.name))
    }

    /// Its bytes from the start.
    fn open(&self, progress: &Progress) -> io::Result<Box<dyn Read + Send>> {
        let progress = progress.clone();
        let file: Box<dyn Read + Send> = match (&self.spooled, self.path()) {
            (Some(file), _) => {
                let mut file = file.try_clone()?;
                file.rewind()?;
                Box::new(file)
            }
            (None, None) => Box::new(streams::stdin()?),
            (None, Some(path)) => {
                let file = File::open(path)?;
                if file.metadata()?.is_dir() {
                    return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a folder"));
                }
                Box::new(file)
            }
        };
        Ok(Box::new(Counted { file, progress }))
    }

    /// Its packets from the first.
    fn reader(&self, progress: &Progress) -> anyhow::Result<Reader<Box<dyn Read + Send>>> {
        Ok(self.begin(self.open(progress)?)?)
    }

    /// The packets of its bytes.
    fn begin(
        &self,
        input: Box<dyn Read + Send>,
    ) -> Result<Reader<Box<dyn Read + Send>>, residue_net::Error> {
        // The standard input may have any length.
        let large = self.size() == 0 || self.size() >= LARGE;
        if large && thread::available_parallelism().is_ok_and(|cpus| cpus.get() > 1) {
            Reader::ahead(input)
        } else {
            Reader::new(input)
        }
    }

    /// How many bytes it has, where that is known.
    fn size(&self) -> u64 {
        let metadata = match (&self.spooled, self.path()) {
            (Some(file), _) => file.metadata(),
            (None, Some(path)) => path.metadata(),
            (None, None) => return 0,
        };
        metadata.map_or(0, |metadata| metadata.len())
    }
}

/// Moves a progress bar on.
struct Counted {
    file: Box<dyn Read + Send>,
    progress: Progress,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.progress.add(count as u64);
        Ok(count)
    }
}

/// Where changes go.
#[derive(Debug, Args)]
struct Target {
    /// Where to write the changed capture
    #[arg(short, long, value_name = "OUT", conflicts_with_all = ["in_place", "dry_run"])]
    output: Option<PathBuf>,
    /// Change the capture itself
    #[arg(long, conflicts_with = "dry_run")]
    in_place: bool,
    /// Change nothing; say what would be
    #[arg(short = 'n', long)]
    dry_run: bool,
}

/// Changes made at a time where a capture is changed in its place.
const BATCH: usize = 1 << 16;

impl Target {
    fn check(&self, file: &OsStr, prints: bool) -> anyhow::Result<()> {
        if self.output.is_none() && !self.in_place && !self.dry_run {
            bail!("say where to: -o OUT, --in-place or --dry-run");
        }
        if self.in_place && file == "-" {
            bail!("--in-place needs a file, not the standard input");
        }
        if self.in_place
            && let Some(compression) = compression(Path::new(file))
        {
            return Err(residue_net::Error::InPlace { compression })
                .with_context(|| Styles::plain(file));
        }
        // Before the capture is read, which may take long.
        let folder = self.output.as_ref().and_then(|path| path.parent());
        if let Some(folder) =
            folder.filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir())
        {
            bail!("-o: there is no folder `{}`; make it first", Styles::plain(folder.as_os_str()));
        }
        if self.is_stdout() && prints {
            bail!("the new capture goes to the standard output: no --list and no --json there");
        }
        if self.is_stdout() {
            streams::stdout().check()?;
        }
        Ok(())
    }

    fn is_stdout(&self) -> bool {
        self.output.as_ref().is_some_and(|path| path.as_os_str() == "-")
    }

    /// Goes through a capture and makes the changes that `each` finds, and those in `across`. Says where it could not be
    /// read to its end.
    fn rewrite(
        &self,
        capture: &Capture,
        progress: &Progress,
        across: &[Edit],
        mut each: impl FnMut(&Buffer<'_>, &mut Vec<Edit>),
    ) -> anyhow::Result<Option<residue_net::Error>> {
        if let Some(path) = &self.output {
            let input = capture.open(progress)?;
            let mut rewriter = Rewriter::new(input, across, each)?;
            patch::copy_to_file(&mut rewriter, path, capture.path(), &[])
                .with_context(|| Styles::plain(path.as_os_str()))?;
            return Ok(rewriter.error());
        }
        // Each batch is looked at before it is written: the capture may have been changed by others meanwhile.
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
        let read = packets(capture.reader(progress)?, |buffer| {
            if matches!(buffer.places, Places::Contiguous(_)) {
                each(buffer, &mut edits);
            }
            if edits.len() >= BATCH && result.is_ok() {
                result = write(&mut edits);
            }
        });
        result?;
        write(&mut edits)?;
        write(&mut across.to_vec())?;
        Ok(read.error)
    }
}

/// How a file is compressed. One that cannot be read is told of when it is opened to be read whole.
fn compression(path: &Path) -> Option<Compression> {
    let mut start = Vec::new();
    File::open(path).ok()?.take(4).read_to_end(&mut start).ok()?;
    Compression::of_start(&start)
}

/// The captures that were named: standard input if none, folders with all captures in them.
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
            // A link to a capture is one.
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

/// How names of captures end, without `.gz` or `.zst`.
const ENDS: [&str; 5] = [".pcap", ".pcapng", ".cap", ".dmp", ".ntar"];

/// By its name, as captures in a folder have others beside them.
fn looks_like_a_capture(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default().to_lowercase();
    let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
    ENDS.iter().any(|end| name.ends_with(end))
}

/// An error of a capture is told, and the others go on.
fn trouble(output: &mut Output, name: &OsStr, error: &anyhow::Error) {
    output.found(Outcome::Trouble);
    output.complain(&format!("{}: {}", Styles::plain(name), words(error)));
}
