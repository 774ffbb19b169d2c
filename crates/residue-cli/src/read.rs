//! Reads inputs in constant memory: each once for all its codes, several inputs and several parts
//! of a large file at a time.

mod holes;
pub mod parts;
pub mod walk;

use crate::codes::Chosen;
use crate::output::without_numbers;
use crate::progress::Progress;
use crate::streams;
use rayon::ThreadPool;
use rayon::iter::{ParallelBridge as _, ParallelIterator as _};
use residue::{Stream, parallel};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::io::{self, Read, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc;

/// Bytes read at a time: few enough to be in the cache still when the codes read them.
const BUFFER: usize = 256 << 10;

/// Alignment of the buffers. Some CPUs copy a page three times as slowly to 16 bytes after a page
/// boundary, where allocators put large vectors.
const PAGE: usize = 4096;

/// Size in bytes from which a regular file is read by several threads.
const LARGE: u64 = 2 * parallel::PART;

thread_local! {
    /// The buffer of a thread. No code waits for other threads while it is borrowed, so rayon
    /// cannot start a second borrow.
    static READ: RefCell<Vec<u8>> = RefCell::new(vec![0; BUFFER + PAGE]);
}

/// A source of bytes.
#[derive(Clone, Debug)]
pub enum Source {
    /// Standard input.
    Stdin,
    /// A file, by its path.
    File(PathBuf),
    /// Bytes in memory.
    Bytes(Vec<u8>),
}

/// An input and the codes to compute of it.
pub struct Job<'a> {
    /// Where to read.
    pub source: Source,
    /// The codes to compute.
    pub codes: Vec<&'a Chosen>,
    /// Whether to take the holes of a sparse file for zeros, and not to read them.
    pub sparse: bool,
}

/// The result of a [`Job`].
#[derive(Clone, Debug)]
pub struct Done {
    /// The number of bytes read.
    pub bytes: u64,
    /// The value of each code of the job.
    pub values: Vec<u128>,
    /// Why the values may be wrong: the length of the file changed while it was read.
    pub complaint: Option<String>,
}

/// Number of inputs to hand to [`all`] at once: enough for all CPUs, and few enough that the
/// results waiting to be printed take little memory.
pub const TOGETHER: usize = 1024;

/// Does all jobs on all CPUs, and hands each result to `sink`, in the order of the jobs.
///
/// An error of `sink` ends the work.
pub fn all(
    jobs: &[Job<'_>],
    progress: &Progress,
    mut sink: impl FnMut(usize, io::Result<Done>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let stop = AtomicBool::new(false);
    let pool = if jobs.len() < 2 { None } else { pool() };
    // One thread does the work if the system grants no more.
    let Some(pool) = pool else {
        let mut each = jobs.iter().enumerate();
        return each.try_for_each(|(i, job)| sink(i, one(job, progress, &stop)));
    };
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::sync_channel(256);
        let stop = &stop;
        let work = move || {
            // A bridge hands out the jobs in order, so that the first results come first.
            jobs.iter().enumerate().par_bridge().try_for_each_init(
                || sender.clone(),
                |sender, (index, job)| sender.send((index, one(job, progress, stop))).ok(),
            )
        };
        std::thread::Builder::new().spawn_scoped(scope, || pool.install(work))?;
        let (mut early, mut next) = (BTreeMap::new(), 0);
        for (index, done) in receiver {
            early.insert(index, done);
            while let Some(done) = early.remove(&next) {
                // An error drops the receiver, and the next send of each thread fails.
                sink(next, done).inspect_err(|_| stop.store(true, Relaxed))?;
                next += 1;
            }
        }
        Ok(())
    })
}

/// Returns the reading threads, created at the first call, or `None` if the system grants none.
fn pool() -> Option<&'static ThreadPool> {
    static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();
    POOL.get_or_init(|| rayon::ThreadPoolBuilder::new().build().ok()).as_ref()
}

fn one(job: &Job<'_>, progress: &Progress, stop: &AtomicBool) -> io::Result<Done> {
    let mut taken = Taken::none(job);
    let mut complaint = None;
    match &job.source {
        Source::Bytes(bytes) => taken.take(bytes),
        Source::Stdin => taken.read(streams::stdin()?, progress, stop)?,
        Source::File(path) => {
            let mut file = File::open(path)?;
            let before = file.metadata()?;
            if before.is_dir() {
                return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a folder"));
            }
            let sparse = job.sparse && holes::KNOWN;
            if before.is_file() && (sparse || before.len() >= LARGE) {
                if !taken.read_parts(&file, before.len(), sparse, progress, stop)? {
                    taken = Taken::none(job);
                }
                // Reads what was appended meanwhile.
                file.seek(SeekFrom::Start(taken.bytes))?;
            }
            taken.read(&mut file, progress, stop)?;
            if before.is_file() && taken.bytes != before.len() {
                complaint = changed(&before, &file.metadata()?, taken.bytes);
            }
        }
    }
    let Taken { streams, bytes } = taken;
    let values =
        streams.into_iter().zip(&job.codes).map(|(stream, chosen)| chosen.value(stream, bytes));
    Ok(Done { bytes, values: values.collect(), complaint })
}

/// Describes a file whose length differs from the number of bytes read, if it has changed.
fn changed(before: &Metadata, after: &Metadata, bytes: u64) -> Option<String> {
    // Files in /proc and /sys report wrong lengths, without having changed.
    let written = match (before.modified(), after.modified()) {
        (Ok(before), Ok(after)) => before != after,
        _ => true,
    };
    if !written && before.len() == after.len() {
        return None;
    }
    let verb = if bytes < before.len() { "shrank" } else { "grew" };
    Some(format!("{verb} from {} to {bytes} bytes while read", before.len()))
}

/// The codes' streams over the bytes read so far.
struct Taken<'a> {
    streams: Vec<Stream<'a>>,
    bytes: u64,
}

impl<'a> Taken<'a> {
    fn none(job: &Job<'a>) -> Self {
        let streams = job.codes.iter().map(|chosen| chosen.code.stream()).collect();
        Taken { streams, bytes: 0 }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.streams.iter_mut().for_each(|stream| stream.update(bytes));
        self.bytes += bytes.len() as u64;
    }

    fn read(&mut self, input: impl Read, progress: &Progress, stop: &AtomicBool) -> io::Result<()> {
        each_buffer(input, stop, |bytes| {
            self.take(bytes);
            progress.add(bytes.len() as u64);
        })
    }

    /// Reads the first `length` bytes of a file on all CPUs, without its holes if it is `sparse`.
    /// Returns false if the file has to be read in order after all, because there is only one CPU
    /// or the file has shrunk; the values are then unusable.
    fn read_parts(
        &mut self,
        file: &File,
        length: u64,
        sparse: bool,
        progress: &Progress,
        stop: &AtomicBool,
    ) -> io::Result<bool> {
        let read = AtomicU64::new(0);
        let part = |streams: &mut [Stream<'a>], mut range: Range<u64>| -> io::Result<()> {
            let (wanted, mut got) = (range.end - range.start, 0);
            while !range.is_empty() && !stop.load(Relaxed) {
                let data = if sparse { holes::data(file, &range)? } else { range.clone() };
                let hole = data.start - range.start;
                for stream in &mut *streams {
                    stream.extend_by_zeroes(hole).map_err(io::Error::other)?;
                }
                got += hole;
                progress.add(hole);
                range.start = data.end;
                each_buffer(Part { file, range: data }, stop, |bytes| {
                    streams.iter_mut().for_each(|stream| stream.update(bytes));
                    got += bytes.len() as u64;
                    progress.add(bytes.len() as u64);
                })?;
            }
            read.fetch_add(got, Relaxed);
            // Fewer bytes than the range mean that the file has ended.
            if got == wanted { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
        };
        let streams = &mut self.streams;
        let done = match pool().filter(|pool| cfg!(unix) && pool.current_num_threads() > 1) {
            Some(pool) => pool.install(|| parallel::ranges(streams, 0..length, &part)),
            None if sparse => part(streams, 0..length),
            None => return Ok(false),
        };
        let has_ended = match done {
            // Behind its end, a file has no data, as in a hole.
            Ok(()) => sparse && file.metadata()?.len() < length,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => true,
            Err(error) => return Err(error),
        };
        if has_ended {
            progress.take_back(read.into_inner());
        } else {
            self.bytes = length;
        }
        Ok(!has_ended)
    }
}

/// Reads `input` to its end, or until `stop` is set.
fn each_buffer(
    mut input: impl Read,
    stop: &AtomicBool,
    mut take: impl FnMut(&[u8]),
) -> io::Result<()> {
    READ.with_borrow_mut(|buffer| {
        let start = buffer.as_ptr().align_offset(PAGE).min(PAGE);
        let buffer = &mut buffer[start..start + BUFFER];
        while !stop.load(Relaxed) {
            match input.read(buffer) {
                Ok(0) => break,
                Ok(count) => take(&buffer[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    })
}

/// A range of a file, read without moving the position that other threads share.
struct Part<'a> {
    file: &'a File,
    range: Range<u64>,
}

impl Read for Part<'_> {
    #[cfg(unix)]
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        use std::os::unix::fs::FileExt as _;
        let wanted = (self.range.end - self.range.start).min(buffer.len() as u64) as usize;
        let count = self.file.read_at(&mut buffer[..wanted], self.range.start)?;
        self.range.start += count as u64;
        Ok(count)
    }

    /// Never called: [`Taken::read_parts`] reads in order on these systems.
    #[cfg(not(unix))]
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        let Part { file: _, range: _ } = self;
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Returns the length of a regular file, or 0 for any other source.
pub fn length(source: &Source) -> u64 {
    match source {
        Source::File(path) => {
            path.metadata().map_or(0, |data| if data.is_file() { data.len() } else { 0 })
        }
        Source::Stdin | Source::Bytes(_) => 0,
    }
}

/// Returns the message of an error without its number.
pub fn problem(error: &io::Error) -> String {
    without_numbers(&error.to_string())
}
