//! What a watch has found so far.

use super::arguments::WatchArgs;
use residue_capture::damaged::Damaged;
use residue_capture::live::Live;
use std::fs::File;
use std::io::BufWriter;
use std::time::Instant;

/// Numbers of packets that were not verified, by reason.
#[derive(Clone, Copy, Debug, Default)]
pub struct Losses {
    /// Dropped by the kernel, because the ring was full.
    pub dropped: u64,
    /// Passed over, because most of the ring was waiting.
    pub passed_over: u64,
}

/// Why a watch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// A signal, as by Ctrl-C.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    Signal,
    /// The number of packets is reached.
    Count,
    /// The time is over.
    Duration,
    /// The input has ended.
    Input,
    /// An error.
    Error,
}

impl Ending {
    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Ending::Signal => "signal",
            Ending::Count => "count",
            Ending::Duration => "duration",
            Ending::Input => "input",
            Ending::Error => "error",
        }
    }
}

/// The numbers at an earlier time, for rates.
#[derive(Clone, Copy, Debug)]
pub struct Before {
    pub time: Instant,
    pub packets: u64,
    pub bytes: u64,
}

/// What a watch has found so far.
pub struct State<'a> {
    pub args: &'a WatchArgs,
    pub source: String,
    pub live: Live,
    pub losses: Losses,
    /// Number of packets that are longer than the interface sends.
    pub merged: u64,
    pub start: Instant,
    pub before: Before,
    pub damaged: Option<Damaged<BufWriter<File>>>,
}
