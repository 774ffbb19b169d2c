//! Measures the errors that codes do not detect on real data: the experiments of Stone, Greenwald,
//! Hughes and Partridge on the user's own files.
//!
//! On random data a code with N values does not detect one error in N. Real data are not random:
//! they repeat themselves, and a wrong piece is often a piece with an equal sum. Each [`Test`]
//! damages data in a way that networks and disks do, and counts for each code how often its check
//! value stays right although the data are wrong.
//!
//! Packets of 256 bytes after a header, cut into cells of 48 bytes as AAL5 does, are spliced in
//! all ways that a receiver could take for a packet, 462 for each pair of neighbours; by sums of
//! the cells ([`additive`](crate::additive)), which takes a few nanoseconds a splice and none of
//! the bytes. (J. Stone, M. Greenwald, C. Partridge, J. Hughes, *Performance of Checksums and CRCs
//! over Real Data*, 1998; J. Stone, C. Partridge, *When the CRC and TCP Checksum Disagree*, 2000.)
//!
//! Every figure is sampled: a share of trials, with its 95 % interval. Trials on one file
//! are not independent; the interval is widened by how much the shares of different files differ.
//! Equal seeds, files and options give equal figures, on any number of threads.
//!
//! Uses `codes`.

mod cells;
mod chunk;
mod damage;
mod mix;
mod model;
mod parts;
mod question;
mod source;
mod tally;

use std::num::NonZero;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use crate::Error;
pub use model::{Frequent, Rate, Row, Run, Sampled, TestResult, Values};
pub use parts::{Counted, Job, Part};
pub use question::{Options, Test};
pub use source::{Made, Source};

/// The codes that are tried if none are named.
pub const CODES: [&str; 12] = [
    "internet",
    "xns",
    "xor-16",
    "sum-16",
    "crc-10/atm",
    "crc-16/arc",
    "fletcher-16",
    "fletcher-16/mod256",
    "fletcher-32",
    "adler-32",
    "crc-32/iscsi",
    "crc-32/iso-hdlc",
];

/// Bytes of a part for a thread: enough to pay for fetching the next part, and few enough that no
/// thread waits long.
const PART: u64 = 1 << 20;

/// Tries the codes on every source.
///
/// `progress` receives the bytes done and the bytes in all.
///
/// # Errors
/// Returns an error if a source cannot be read or is too small.
pub fn run(options: &Options, progress: &(dyn Fn(u64, u64) + Sync)) -> Result<Run, Error> {
    let job = Job::new(options.clone())?;
    let tools = job.tools();
    let parts = job.parts(PART);
    let total: u64 = parts.iter().map(Part::bytes).sum();
    let (next, done) = (AtomicUsize::new(0), AtomicU64::new(0));
    let counted = Mutex::new(Vec::new());
    let work = || {
        while let Some(part) = parts.get(next.fetch_add(1, Relaxed)) {
            let one = part.count(options, &tools[part.source()]);
            progress(done.fetch_add(part.bytes(), Relaxed) + part.bytes(), total);
            counted.lock().unwrap_or_else(PoisonError::into_inner).push(one);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    std::thread::scope(|scope| {
        for _ in 1..threads.min(parts.len()) {
            scope.spawn(work);
        }
        work();
    });
    job.finish(counted.into_inner().unwrap_or_else(PoisonError::into_inner))
}
