//! Reads inputs, each once for all its codes, many at a time, in constant memory.

use crate::codes::Chosen;
use crate::progress::Progress;
use rayon::ThreadPool;
use rayon::iter::{ParallelBridge as _, ParallelIterator as _};
use residue::Stream;
use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc;

/// Bytes read at a time.
const BUFFER: usize = 1 << 20;

/// Where bytes come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// Standard input, to its end.
    Stdin,
    /// A file.
    File(PathBuf),
    /// These.
    Bytes(Vec<u8>),
}

/// An input, and the codes wanted of it.
pub struct Job<'a> {
    /// The input.
    pub source: Source,
    /// The codes.
    pub codes: Vec<&'a Chosen>,
}

/// What an input gave.
#[derive(Clone, Debug)]
pub struct Done {
    /// How many bytes were read.
    pub bytes: u64,
    /// The value for each code of the job.
    pub values: Vec<u128>,
    /// What is wrong with the bytes: the file changed its length meanwhile.
    pub complaint: Option<String>,
}

/// Does all jobs, on all CPUs, and hands what each gave to `sink`, in the order of the jobs.
///
/// An error of `sink` ends the work.
pub fn all(
    jobs: &[Job<'_>],
    progress: &Progress,
    mut sink: impl FnMut(usize, io::Result<Done>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let stop = AtomicBool::new(false);
    let pool = if jobs.len() < 2 { None } else { pool() };
    // Where the system grants no threads the work is done all the same.
    let Some(pool) = pool else {
        let mut buffer = vec![0; BUFFER];
        let mut each = jobs.iter().enumerate();
        return each.try_for_each(|(i, job)| sink(i, one(job, &mut buffer, progress, &stop)));
    };
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::sync_channel(256);
        let stop = &stop;
        let work = move || {
            // A bridge takes the jobs in order, so that the first lines come first.
            jobs.iter().enumerate().par_bridge().try_for_each_init(
                || (sender.clone(), vec![0; BUFFER]),
                |(sender, buffer), (index, job)| {
                    sender.send((index, one(job, buffer, progress, stop))).ok()
                },
            )
        };
        std::thread::Builder::new().spawn_scoped(scope, || pool.install(work))?;
        let (mut early, mut next) = (BTreeMap::new(), 0);
        for (index, done) in receiver {
            early.insert(index, done);
            while let Some(done) = early.remove(&next) {
                // On an error the receiver goes, and with it every sender's reason to go on.
                sink(next, done).inspect_err(|_| stop.store(true, Relaxed))?;
                next += 1;
            }
        }
        Ok(())
    })
}

/// The threads that read, made once for all lists; `None` if the system grants none.
fn pool() -> Option<&'static ThreadPool> {
    static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();
    POOL.get_or_init(|| rayon::ThreadPoolBuilder::new().build().ok()).as_ref()
}

fn one(
    job: &Job<'_>,
    buffer: &mut [u8],
    progress: &Progress,
    stop: &AtomicBool,
) -> io::Result<Done> {
    let streams: Vec<Stream<'_>> = job.codes.iter().map(|chosen| chosen.code.stream()).collect();
    let mut taken = Taken { streams, bytes: 0 };
    let mut complaint = None;
    match &job.source {
        Source::Bytes(bytes) => taken.take(bytes),
        Source::Stdin => taken.read(io::stdin().lock(), buffer, progress, stop)?,
        Source::File(path) => {
            let mut file = File::open(path)?;
            let before = file.metadata()?;
            if before.is_dir() {
                return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a folder"));
            }
            taken.read(&mut file, buffer, progress, stop)?;
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

/// What to say of a file whose length was not the number of bytes it gave.
fn changed(before: &Metadata, after: &Metadata, bytes: u64) -> Option<String> {
    // The lengths of files in /proc and /sys are fiction; but what nobody wrote to has not changed.
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

/// What the codes have seen so far.
struct Taken<'a> {
    streams: Vec<Stream<'a>>,
    bytes: u64,
}

impl Taken<'_> {
    fn take(&mut self, bytes: &[u8]) {
        self.streams.iter_mut().for_each(|stream| stream.update(bytes));
        self.bytes += bytes.len() as u64;
    }

    fn read(
        &mut self,
        mut input: impl Read,
        buffer: &mut [u8],
        progress: &Progress,
        stop: &AtomicBool,
    ) -> io::Result<()> {
        while !stop.load(Relaxed) {
            match input.read(buffer) {
                Ok(0) => break,
                Ok(count) => {
                    self.take(&buffer[..count]);
                    progress.add(count as u64);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// The bytes that the jobs' files have now, for a progress bar.
pub fn total(jobs: &[Job<'_>]) -> u64 {
    if !Progress::wanted() {
        return 0;
    }
    let length = |job: &Job<'_>| match &job.source {
        Source::File(path) => {
            path.metadata().map_or(0, |data| if data.is_file() { data.len() } else { 0 })
        }
        Source::Stdin | Source::Bytes(_) => 0,
    };
    jobs.iter().map(length).fold(0, u64::saturating_add)
}

/// What went wrong, in words: the operating system's, or our own for what people run into.
pub fn problem(error: &io::Error) -> String {
    let text = error.to_string();
    // "No such file or directory (os error 2)": the number tells nobody anything.
    match text.rfind(" (os error ") {
        Some(end) => text[..end].to_string(),
        None => text,
    }
}
