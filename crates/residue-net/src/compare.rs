//! Comparison of two captures of the same traffic, taken at two points: which packets were lost,
//! duplicated, reordered or altered between them.
//!
//! Packets are matched by what no device changes: the transport layer without ports and check
//! value. Addresses, ports, time to live, type of service, link layers, tunnels and fragments may
//! differ. Translations of flows are learned from packets that arrived unaltered. A packet without
//! an unaltered partner is then matched by its header if its data was altered, and by its data if
//! its header was.

mod delays;
mod describe;
mod flows;
mod intake;
mod judge;
mod layer;
mod leftover;
mod matching;
mod pattern;
mod report;
mod side;
mod sketch;

pub use delays::Delays;
pub use intake::Counts;
pub use judge::Outcome;
pub use layer::{Field, Flow};
pub use pattern::{Altered, BLOCK, Example, Group, Kind, Toward, groups};
pub use report::{Direction, Event, Point, Report, Seen};
pub use sketch::{Clocks, Sketch};

use crate::pcap::Reader;
use flows::Flows;
use intake::{Intake, Packet};
use matching::Compare;
use std::io::Read;

/// Largest number of altered packets that are kept, to be grouped. Others are counted.
pub const MOST_ALTERED: usize = 1 << 15;
/// Time in nanoseconds that a number stands for where packets have no time.
const STEP: i64 = 1_000_000;

/// Limits and settings.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Longest time in nanoseconds for which a packet waits for its partner.
    pub window: i64,
    /// Largest number of packets of a point that wait.
    pub most: usize,
    /// Report packets that take longer than the fastest one by this time in nanoseconds.
    pub late: Option<i64>,
    /// Time of the second capture less that of the first in nanoseconds, if known.
    pub difference: Option<i64>,
}

impl Default for Options {
    fn default() -> Self {
        Options { window: 10_000_000_000, most: 100_000, late: None, difference: None }
    }
}

/// Returns the time of a packet, or its number as a time.
fn time_of(packet: &Packet, timed: bool) -> i64 {
    match packet.time {
        Some(time) if timed => i64::try_from(time).unwrap_or(i64::MAX),
        _ => i64::try_from(packet.number).unwrap_or(i64::MAX).saturating_mul(STEP),
    }
}

/// Samples a capture, for [`run`].
pub fn sketch<R: Read>(reader: Reader<R>) -> Sketch {
    Sketch::of(&mut Intake::new(reader))
}

/// Compares two captures, which were sampled before; passes events to `each` as they are found.
///
/// Both are read once, side by side. Memory is bounded by the options, 64 MiB for the packets of
/// each point, and limits for flows and altered packets.
pub fn run<R: Read>(
    sketches: &[Sketch; 2],
    readers: [Reader<R>; 2],
    options: Options,
    each: &mut dyn FnMut(Event<'_>),
) -> Report {
    let mut flows = Flows::default();
    let mut clocks = sketch::compare(sketches, &mut flows);
    if let Some(difference) = options.difference {
        clocks.difference = difference;
    }
    let mut compare = Compare::new(options, clocks, flows, each);
    let mut intakes = readers.map(Intake::new);
    compare.read(&mut intakes);
    let mut report = compare.report;
    for (point, intake) in intakes.into_iter().enumerate() {
        report.points[point].counts = intake.counts;
        report.points[point].error = intake.error;
    }
    report
}
