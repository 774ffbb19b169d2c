//! Captures as input: read once or several times, by one thread or more.

use crate::output::{Outcome, Output, Styles, words};
use crate::progress::Progress;
use crate::streams;
use anyhow::{Context as _, anyhow, bail};
use clap::Args;
use residue_net::filter::Filter;
use residue_net::pcap::compressed::Compression;
use residue_net::pcap::{ReadAt, Reader, patch};
use residue_net::verify::AnyReader;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Seek as _};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;

/// Size in bytes from which a capture is read or verified by threads of its own.
pub const LARGE: u64 = 1 << 20;

/// A capture that can be read several times.
pub struct Capture {
    pub name: OsString,
    /// What can be read only once (standard input, a pipe), kept in a file.
    pub spooled: Option<File>,
}

impl Capture {
    /// Opens a capture. Standard input and pipes are kept in a temporary file if they will be read
    /// `again`.
    pub fn new(name: &OsStr, again: bool) -> anyhow::Result<Self> {
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
    pub fn path(&self) -> Option<&Path> {
        (self.name != "-").then(|| Path::new(&self.name))
    }

    /// Opens the file at its start; `None` for standard input that is not kept.
    pub fn file(&self) -> io::Result<Option<File>> {
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

    /// Returns whether it can be read again: a regular file.
    pub fn is_kept(&self) -> bool {
        let is_regular = |file: File| file.metadata().is_ok_and(|it| it.is_file());
        self.file().is_ok_and(|file| file.is_some_and(is_regular))
    }

    /// Opens the bytes from the start.
    pub fn open(&self, progress: &Progress) -> io::Result<Box<dyn Read + Send>> {
        let progress = progress.clone();
        Ok(match self.file()? {
            Some(file) => Box::new(Counted { file, progress }),
            None => Box::new(Counted { file: streams::stdin()?, progress }),
        })
    }

    /// Opens the bytes for several threads, which read themselves.
    pub fn shared(&self, progress: &Progress) -> io::Result<Shared> {
        let Some(file) = self.file()? else { return self.open(progress).map(Shared::Stream) };
        let is_regular = file.metadata()?.is_file();
        let file = Counted { file, progress: progress.clone() };
        Ok(if is_regular { Shared::File(file) } else { Shared::Stream(Box::new(file)) })
    }

    /// Opens the packets from the first.
    pub fn reader(&self, progress: &Progress) -> anyhow::Result<Reader<Box<dyn Read + Send>>> {
        Ok(self.begin(self.open(progress)?)?)
    }

    /// Opens the packets from the first, for verification on several threads.
    pub fn shared_reader(&self, progress: &Progress) -> anyhow::Result<AnyReader<'static>> {
        Ok(self.shared(progress)?.reader()?)
    }

    /// Returns the number of threads for the verification of this capture.
    pub fn threads(&self) -> NonZero<usize> {
        const ONE: NonZero<usize> = NonZero::<usize>::MIN;
        if !self.is_large() {
            return ONE;
        }
        // More wait for each other, because one at a time finds packets.
        thread::available_parallelism().unwrap_or(ONE).min(ONE.saturating_add(7))
    }

    /// Returns whether other threads are worth their start. Standard input may have any length.
    pub fn is_large(&self) -> bool {
        self.size() == 0 || self.size() >= LARGE
    }

    /// Opens the packets of the bytes `input`.
    pub fn begin(
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
    pub fn size(&self) -> u64 {
        let metadata = match (&self.spooled, self.path()) {
            (Some(file), _) => file.metadata(),
            (None, Some(path)) => path.metadata(),
            (None, None) => return 0,
        };
        metadata.map_or(0, |metadata| metadata.len())
    }
}

/// The bytes of a capture, for several threads.
pub enum Shared {
    /// Any thread can read at any place.
    File(Counted<File>),
    /// One thread at a time can read on.
    Stream(Box<dyn Read + Send>),
}

impl Shared {
    /// Begins to read the packets.
    pub fn reader(self) -> Result<AnyReader<'static>, residue_net::Error> {
        match self {
            Shared::File(file) => Reader::random_access(file),
            Shared::Stream(input) => Reader::new(input),
        }
    }
}

/// A file that advances a progress bar.
pub struct Counted<F> {
    pub file: F,
    pub progress: Progress,
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

/// Returns whether a path is that of a pipe or a device, whose bytes are gone once they are read.
pub fn is_read_once(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// Returns how a file is compressed. An unreadable file is reported later, when it is opened.
pub fn compression(path: &Path) -> Option<Compression> {
    let mut start = Vec::new();
    File::open(path).ok()?.take(4).read_to_end(&mut start).ok()?;
    Compression::of_start(&start)
}

// Captures to read.
#[derive(Debug, Args)]
pub struct Captures {
    /// Captures, or folders of captures [default: standard input]
    #[arg(value_name = "FILE")]
    files: Vec<OsString>,
}

impl Captures {
    /// Returns the names of the captures: all of a folder, and standard input by default.
    pub fn names(&self) -> anyhow::Result<Vec<OsString>> {
        if self.files.is_empty() {
            return Ok(vec!["-".into()]);
        }
        let mut names = Vec::new();
        for file in &self.files {
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
                let ends = ENDS.join(", *");
                bail!("{}: no captures in this folder (*{ends})", Styles::plain(file));
            }
        }
        Ok(names)
    }
}

// The option `--filter`.
#[derive(Debug, Args)]
pub struct Filtered {
    /// Count only packets for which this filter holds, such as 'host 10.0.0.1 and tcp port 80'
    #[arg(long, value_name = "EXPRESSION")]
    pub filter: Option<String>,
}

impl Filtered {
    /// Parses the filter.
    pub fn parse(&self) -> anyhow::Result<Option<Filter>> {
        let filter = self.filter.as_deref().map(Filter::parse).transpose();
        filter.map_err(|error| anyhow!("--filter: {error}"))
    }
}

/// Endings of names of captures, without `.gz` or `.zst`.
pub const ENDS: [&str; 6] = [".pcap", ".pcapng", ".cap", ".dmp", ".ntar", ".snoop"];

/// Returns whether a file in a folder is a capture, by its name.
pub fn looks_like_a_capture(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default().to_lowercase();
    let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
    ENDS.iter().any(|end| name.ends_with(end))
}

/// Reports the error of a capture; others are still read.
pub fn trouble(output: &mut Output, name: &OsStr, error: &anyhow::Error) {
    output.found(Outcome::Trouble);
    output.complain(&format!("{}: {}", Styles::plain(name), words(error)));
}
