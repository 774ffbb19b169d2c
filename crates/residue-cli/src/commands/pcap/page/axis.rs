//! The axis of a time line.

use residue_net::time::Moment;
use residue_net::verify::{Finding, Read};

/// Number of intervals.
pub const INTERVALS: usize = 100;

/// The axis: nanoseconds since 1970, or numbers of packets in a capture without times.
#[derive(Clone, Copy)]
pub struct Axis {
    pub is_time: bool,
    /// The first packet of the capture.
    pub first: u64,
    pub start: u64,
    pub end: u64,
}

/// Units of time: the shortest duration in nanoseconds to use it for, its length, its name.
const UNITS: [(u64, f64, &str); 5] = [
    (0, 1e3, "microseconds"),
    (5_000_000, 1e6, "milliseconds"),
    (5_000_000_000, 1e9, "seconds"),
    (600_000_000_000, 60e9, "minutes"),
    (36_000_000_000_000, 3600e9, "hours"),
];

impl Axis {
    /// Returns the axis of a capture, of which only a range of times may be selected.
    pub fn new(read: &Read, from: Option<Moment>, to: Option<Moment>) -> Axis {
        let by_packet = Axis { is_time: false, first: 0, start: 1, end: read.packets.max(1) };
        let Some([first, last]) = read.times else { return by_packet };
        let start = from.map_or(first, |from| from.nanoseconds(first).max(first));
        let end = to.map_or(last, |to| to.nanoseconds(first).saturating_sub(1).min(last));
        if start < end { Axis { is_time: true, first, start, end } } else { by_packet }
    }

    /// Returns the number of the interval of a finding. Times before the first packet's and after
    /// the last one's belong to the first and the last interval.
    pub fn interval(self, finding: &Finding<'_>) -> Option<usize> {
        let at = if self.is_time { finding.buffer.time? } else { finding.buffer.packet };
        let passed = u128::from(at.clamp(self.start, self.end) - self.start);
        let length = u128::from(self.end - self.start) + 1;
        Some((passed * INTERVALS as u128 / length) as usize)
    }

    /// Returns the beginning of an interval.
    pub fn beginning(self, interval: usize) -> u64 {
        let length = u128::from(self.end - self.start) + 1;
        self.start + (length * interval as u128 / INTERVALS as u128) as u64
    }

    /// Returns the unit in which times are shown: its length, and its name.
    pub fn unit(self) -> (f64, &'static str) {
        let length = self.end - self.first;
        let unit = UNITS.iter().rev().find(|unit| length >= unit.0).unwrap_or(&UNITS[0]);
        (unit.1, unit.2)
    }
}
