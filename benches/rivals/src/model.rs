//! What is measured: modes, and the cells of which a record consists.

use crate::batch;
use crate::contender::{Contender, Takes};
use std::ops::RangeInclusive;

/// The size above which no cache holds the data: longer data show nothing new of one thread, while
/// several threads gain more on them.
const LARGE: usize = 64 << 20;

/// The mode in which calls are timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum Mode {
    /// Independent calls, one after another.
    Throughput,
    /// Each call's address depends on the answer of the one before.
    Latency,
    /// Independent calls, on buffers that begin 0 to 7 bytes behind a multiple of 64 in turn.
    Misaligned,
    /// Independent calls of unpredictable lengths, from 1 byte to the size.
    Mixed,
    /// Batches of 16 packets of one length; the rivals take one packet after the other.
    Batch,
    /// Batches of 32 packets of unpredictable lengths: of 12 packets 7 have 40 bytes, 4 have 576
    /// and 1 has 1500.
    Imix,
    /// A copy and the check value of what was copied; the rivals do one after the other.
    Copy,
    /// Independent calls on one piece after another of a buffer that no cache holds.
    Walk,
    /// Large data on all CPUs: `residue::parallel` beside `residue` on one of them.
    ///
    /// No rival has such a function.
    Threads,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Mode; 9] = [
        Mode::Throughput,
        Mode::Latency,
        Mode::Misaligned,
        Mode::Mixed,
        Mode::Batch,
        Mode::Imix,
        Mode::Copy,
        Mode::Walk,
        Mode::Threads,
    ];

    /// `throughput`, `latency`, ...
    #[must_use]
    pub fn name(self) -> &'static str {
        const NAMES: [&str; 9] = [
            "throughput",
            "latency",
            "misaligned",
            "mixed",
            "batch",
            "imix",
            "copy",
            "walk",
            "threads",
        ];
        NAMES[self as usize]
    }

    /// Returns the sizes that show more than throughput does.
    #[must_use]
    pub fn sizes(self) -> RangeInclusive<usize> {
        match self {
            Mode::Throughput => 0..=LARGE,
            Mode::Latency => 0..=4096,
            Mode::Misaligned => 0..=1 << 20,
            Mode::Mixed => 0..=65536,
            Mode::Batch => 0..=batch::LONGEST,
            Mode::Imix => batch::LONGEST..=batch::LONGEST,
            Mode::Copy => 64..=LARGE,
            Mode::Walk => 4096..=1 << 20,
            Mode::Threads => LARGE..=usize::MAX,
        }
    }

    /// Returns whether successive calls differ, so that all contenders must make the same ones.
    #[must_use]
    pub fn differs(self) -> bool {
        matches!(self, Mode::Mixed | Mode::Imix)
    }

    /// Returns whether a contender can be timed so at a size.
    #[must_use]
    pub fn suits(self, contender: &Contender, size: usize) -> bool {
        let even = matches!(self, Mode::Throughput | Mode::Latency | Mode::Copy | Mode::Walk);
        let whole = even && size.is_multiple_of(2);
        size < contender.below && (contender.takes == Takes::Bytes || whole)
    }
}

/// The size above which one call takes longer than a batch of short ones.
pub const LONG: usize = 1 << 20;

/// One contender at one size.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The code's name.
    pub code: String,
    /// The mode in which calls were timed.
    pub mode: Mode,
    /// Bytes; the most of them in [`Mode::Mixed`] and [`Mode::Imix`].
    pub size: usize,
    /// The contender's name.
    pub contender: String,
    /// Its version.
    pub version: String,
    /// Bytes of a call, in batches of a packet, on average.
    pub bytes: f64,
    /// The median time of a call, in batches for a packet, in the quiet rounds.
    pub ns: f64,
    /// The quartiles.
    pub quartiles: [f64; 2],
    /// The number of quiet rounds.
    pub rounds: usize,
    /// The highest clock of the core between the runs; unknown in older records.
    pub ghz: Option<f64>,
}

/// The extent of a measurement.
pub struct Plan {
    /// Modes, in this order.
    pub modes: Vec<Mode>,
    /// Sizes, in this order.
    pub sizes: Vec<usize>,
    /// Rounds in a run.
    pub rounds: usize,
    /// Rounds in a run of data longer than [`LONG`].
    pub long_rounds: usize,
    /// Runs over everything: a disturbance that lasts meets one of them.
    pub runs: usize,
}
