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
mod damage;
mod mix;
mod model;
mod parts;
mod source;
mod tally;

use std::num::NonZero;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use crate::Error;
use crate::codes::additive::Additive;
use cells::Cells;
use damage::Damage;
use mix::Mix;
pub use model::{Frequent, Rate, Row, Run, Sampled, TestResult, Values};
pub use parts::{Counted, Job, Part};
use source::{Chunk, Plan};
pub use source::{Made, Source};
use tally::Tally;

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

/// Values of 48-byte cells that are counted, at most, for each code and source.
const VALUES: u64 = 1 << 20;

/// The options of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The codes, of at most 32 bits.
    pub codes: Vec<Additive>,
    /// The data.
    pub sources: Vec<Source>,
    /// Splices of cells to try for each source, if it has data for them.
    pub splices: u64,
    /// Damaged packets to try for each source and kind of damage.
    pub trials: u64,
    /// Bits of a burst, 2 to 64.
    pub burst: u32,
    /// The seed of all random choices.
    pub seed: u64,
}

/// A kind of damage to data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// Cells of two packets become one; the check value is in the header, as TCP's.
    CellsHeader,
    /// Cells of two packets become one; the check value is after the data, as AAL5's.
    CellsTrailer,
    /// Fragments of two datagrams become one (RFC 4963).
    Fragments,
    /// A block of a disk holds a sector of its previous content.
    Stale,
    /// Two words change places.
    Words,
    /// Two neighbouring bytes change places.
    Bytes,
    /// A block is left out, and what follows moves up.
    Lost,
    /// A byte is left out, and what follows moves up.
    Slipped,
    /// A block comes twice, and what follows moves down.
    Repeated,
    /// A block became zero.
    Zeroed,
    /// Bits flip within a stretch.
    Burst,
}

impl Test {
    /// All kinds, in the order of the report.
    pub const ALL: [Test; 11] = [
        Test::CellsHeader,
        Test::CellsTrailer,
        Test::Fragments,
        Test::Stale,
        Test::Words,
        Test::Bytes,
        Test::Lost,
        Test::Slipped,
        Test::Repeated,
        Test::Zeroed,
        Test::Burst,
    ];

    /// Returns its name: one word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Test::CellsHeader => "splice-header",
            Test::CellsTrailer => "splice-trailer",
            Test::Fragments => "fragments",
            Test::Stale => "stale-sector",
            Test::Words => "word-swap",
            Test::Bytes => "byte-swap",
            Test::Lost => "lost-block",
            Test::Slipped => "lost-byte",
            Test::Repeated => "repeated-block",
            Test::Zeroed => "zero-fill",
            Test::Burst => "burst",
        }
    }

    /// Describes the damage in a sentence.
    #[must_use]
    pub fn about(self, burst: u32) -> String {
        let text = match self {
            Test::CellsHeader => {
                "Splices of two neighbouring packets of 40 + 256 bytes in cells of 48 bytes; check \
                 value in the header."
            }
            Test::CellsTrailer => "The same splices; check value behind the data.",
            Test::Fragments => {
                "Any of 7 fragments of 256 bytes are the next datagram's, the first and the check \
                 value are not."
            }
            Test::Stale => "One sector of 512 bytes in a block of 4096 is the previous block's.",
            Test::Words => "Two 16-bit words of a packet of 1500 bytes have changed places.",
            Test::Bytes => "Two neighbouring bytes of a packet of 1500 bytes have changed places.",
            Test::Lost => "64 bytes of a packet of 1500 are left out; what follows moves up.",
            Test::Slipped => "One byte of a packet of 1500 is left out; what follows moves up.",
            Test::Repeated => "64 bytes of a packet of 1500 come twice; what follows moves down.",
            Test::Zeroed => "64 bytes of a packet of 1500 are zero.",
            Test::Burst => {
                return format!(
                    "The first and the last of {burst} bits of a packet of 1500 bytes flip, those \
                     between with probability 1/2."
                );
            }
        };
        text.into()
    }
}

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

/// Completes the run with its date and version.
fn finished(options: &Options, sources: Vec<Sampled>) -> Run {
    Run {
        format: 1,
        residue: env!("CARGO_PKG_VERSION").into(),
        date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        seed: options.seed,
        burst: options.burst,
        sources,
    }
}

/// The precomputed tables of a code for all tests.
struct Tools<'a> {
    code: &'a Additive,
    cells: Cells<'a>,
    fragments: Mix<'a>,
    sectors: Mix<'a>,
    /// The sampling step: one in this many cells of the data is counted.
    step: u64,
}

impl<'a> Tools<'a> {
    /// Prepares all codes for a source of `total` bytes.
    fn all(codes: &'a [Additive], total: u64) -> Vec<Tools<'a>> {
        let step = total.div_euclid(cells::CELL as u64 * VALUES) + 1;
        codes.iter().map(|code| Tools::new(code, step)).collect()
    }

    fn new(code: &'a Additive, step: u64) -> Tools<'a> {
        let (fragments, sectors) = (Mix::new(code, 256), Mix::new(code, 512));
        Tools { code, cells: Cells::new(code), fragments, sectors, step }
    }
}

fn one_chunk(
    options: &Options,
    tools: &[Tools<'_>],
    plan: &Plan,
    chunk: &Chunk,
    total: u64,
    tally: &mut Tally,
) {
    let Some(bytes) = &plan.read(chunk) else {
        tally.unread += 1;
        return;
    };
    tally.bytes += bytes.len() as u64;
    tally.pieces += u64::from(bytes.len() >= 2 * cells::PAYLOAD);
    let packets = cells::packets(bytes, chunk.before);
    let identical = cells::identical(&packets);
    let tried = cells::SPLICES * packets.len().saturating_sub(1) as u64;
    let rejected = cells::REJECTED * packets.len().saturating_sub(1) as u64;
    let misses: Vec<[u64; 2]> =
        tools.iter().map(|tools| tools.cells.misses(&packets, &identical)).collect();
    let same = identical.iter().sum();
    for (place, test) in [Test::CellsHeader, Test::CellsTrailer].into_iter().enumerate() {
        tally.add(test, tried, same, misses.iter().map(|misses| misses[place]));
        tally.tests[test as usize].rejected += rejected;
    }

    for (test, all) in [(Test::Fragments, true), (Test::Stale, false)] {
        let pick = |tools: &Tools<'_>| {
            let mix = if all { &tools.fragments } else { &tools.sectors };
            mix.misses(bytes, all)
        };
        let (mixes, same) = mix::tried(bytes, if all { 256 } else { 512 }, all);
        tally.add(test, mixes, same, tools.iter().map(pick));
    }

    let trials = options.trials as f64;
    let share = |before: u64| (trials * before as f64 / total as f64) as u64;
    let trials = share(chunk.before + chunk.length as u64) - share(chunk.before);
    let codes: Vec<&Additive> = tools.iter().map(|tools| tools.code).collect();
    let random = fastrand::Rng::with_seed(source::mixed(options.seed, chunk.before));
    let mut damage = Damage::new(&codes, options.burst, random);
    for (test, result) in damage.run(bytes, trials) {
        tally.add(test, result.tried, result.identical, result.misses.iter().copied());
    }

    for (tools, values) in tools.iter().zip(&mut tally.values) {
        let first = chunk.before / cells::CELL as u64;
        let counted = bytes.chunks_exact(cells::CELL).zip(first..);
        let counted = counted.filter(|(_, number)| number.is_multiple_of(tools.step));
        values.extend(counted.map(|(cell, _)| tools.code.element(cell)));
    }
}
