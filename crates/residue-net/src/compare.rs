//! Comparison of two captures of the same traffic, taken at two points: which packets were lost,
//! duplicated, reordered or altered between them.
//!
//! Packets are matched by what no device changes: the transport layer without ports and check
//! value. Addresses, ports, time to live, type of service, link layers, tunnels and fragments may
//! differ. Translations of flows are learned from packets that arrived unaltered. A packet without
//! an unaltered partner is then matched by its header if its data was altered, and by its data if
//! its header was. TCP data that the points cut differently, as with segmentation offload, are
//! compared by their sequence numbers.

mod accounts;
mod again;
mod clocks;
mod datagrams;
mod delays;
mod describe;
mod flows;
mod intake;
mod judge;
mod layer;
mod leftover;
mod matching;
mod options;
mod pattern;
mod report;
mod segments;
mod side;
mod sketch;
mod traffic;

pub use clocks::Clocks;
pub use delays::Delays;
pub use intake::Counts;
pub use judge::Outcome;
pub use layer::{Field, Flow};
pub use options::{MOST_ALTERED, Options};
pub use pattern::{Altered, BLOCK, Example, Group, Kind, Toward, groups};
pub use report::{Direction, Event, Point, Report, Seen};
pub use sketch::Sketch;
pub use traffic::{INTERVALS, Survey, Times, Traffic};

use crate::pcap::Reader;
use flows::Flows;
use intake::Intake;
use matching::Compare;
use std::io::Read;

/// Samples a capture, for [`run`].
pub fn sketch<R: Read>(reader: Reader<R>) -> Sketch {
    Sketch::of(&mut Intake::new(reader).with_copies(false))
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
        clocks.set(difference);
    }
    let mut compare = Compare::new(options, clocks, flows, each);
    compare.report.survey = Survey::of(clocks.span(sketches.each_ref().map(|it| it.times)));
    let [one, two] = readers.map(Intake::new);
    let intake = |intake: Intake<R>, sketch: &Sketch| {
        if sketch.doubled { intake.with_copies(true) } else { intake }
    };
    let mut intakes = [intake(one, &sketches[0]), intake(two, &sketches[1])];
    compare.read(&mut intakes);
    let mut report = compare.report;
    for (point, intake) in intakes.into_iter().enumerate() {
        report.points[point].counts = intake.counts;
        report.points[point].error = intake.error;
    }
    report
}
