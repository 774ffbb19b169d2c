//! What is on the page: the captures, and what was found in each.

use super::axis::{Axis, INTERVALS};
use super::example::Example;
use crate::commands::pcap::report;
use residue_net::check::Verdict;
use residue_net::diagnose::{Bit, Cause, CauseKind};
use residue_net::summary::Counts;
use residue_net::time::Moment;
use residue_net::verify::Finding;
use residue_report::number::grouped;
use residue_report::{Row, Table};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsStr;

/// What the page is about.
pub struct About {
    pub filter: Option<String>,
    pub from: Option<Moment>,
    pub to: Option<Moment>,
    pub strict: bool,
    /// Largest number of rows of the tables of pairs, senders and flows.
    pub top: usize,
}

/// The page in the making.
pub struct Page {
    pub about: About,
    pub captures: Vec<Captured>,
    pub parts: Vec<Part>,
    /// The rows of the counts, as CSV.
    pub counts: Vec<String>,
    /// The reports of the captures, as JSON.
    pub reports: Vec<Value>,
}

/// A capture in the table of captures.
pub struct Captured {
    pub name: String,
    pub packets: u64,
    pub total: Counts,
    pub error: Option<String>,
}

/// The section of a capture.
pub struct Part {
    pub name: String,
    pub title: String,
    pub conclusion: String,
    pub tables: Vec<Table>,
    pub axis: Axis,
    /// By the name of the cause, or of the verdict if it has no causes.
    pub kinds: BTreeMap<&'static str, Kind>,
    /// The wrong values as rows of CSV, the first [`MOST_ROWS`], and their number.
    pub rows: Vec<String>,
    pub wrong: u64,
    /// The first of them, for the page.
    pub first: Vec<Row>,
    pub flips: Flips,
}

/// Largest number of wrong values of a capture in the list, and on the page.
const MOST_ROWS: usize = 1 << 16;
const MOST_SHOWN: usize = 100;

/// Numbers of flipped bits: by their weight in a 16-bit word, where a sum does not show the word;
/// and by bit and offset in the packet modulo 64.
pub struct Flips {
    pub weights: [u64; 16],
    pub places: [[u64; 64]; 8],
}

impl Flips {
    fn take(&mut self, cause: Option<Cause>) {
        match cause {
            Some(Cause::FlippedBit(Bit::Weight(weight))) => {
                self.weights[usize::from(weight & 15)] += 1;
            }
            Some(Cause::FlippedBit(Bit::At { offset, bit })) => {
                self.places[usize::from(bit & 7)][offset as usize % 64] += 1;
            }
            _ => {}
        }
    }
}

impl Default for Flips {
    fn default() -> Flips {
        Flips { weights: [0; 16], places: [[0; 64]; 8] }
    }
}

/// Values that are not right, of one cause.
pub struct Kind {
    /// Numbers of values by interval.
    pub intervals: [u64; INTERVALS],
    /// Number of values.
    pub count: u64,
    /// The first of them.
    pub example: Example,
}

impl Part {
    /// Takes a finding; only those that are not right are counted.
    pub fn take(&mut self, finding: &Finding<'_>, cause: Option<Cause>) {
        let name = match finding.verdict {
            Verdict::Bad | Verdict::Offloaded => CauseKind::from(cause).name(),
            Verdict::Illegal | Verdict::LengthConflict => finding.verdict.name(),
            Verdict::Good | Verdict::Absent | Verdict::Unverifiable(_) => return,
        };
        if finding.verdict != Verdict::Offloaded {
            self.wrong += 1;
            if self.rows.len() < MOST_ROWS {
                self.rows.push(report::check_csv(OsStr::new(&self.name), finding, cause));
            }
            if self.first.len() < MOST_SHOWN {
                let of = |it| report::value(finding, it).unwrap_or_default();
                let (stored, computed) = (of(finding.stored()), of(finding.computed()));
                let flow = report::flow_text(&report::flow_of(finding));
                let cells = vec![flow, stored, computed, name.into()];
                self.first.push(Row::Values(grouped(finding.buffer.packet), cells));
            }
            self.flips.take(cause);
        }
        let kind = self.kinds.entry(name).or_insert_with(|| Kind {
            intervals: [0; INTERVALS],
            count: 0,
            example: Example::of(finding, cause),
        });
        // Values of reassembled datagrams are found after those of later packets.
        if finding.buffer.packet < kind.example.packet {
            kind.example = Example::of(finding, cause);
        }
        kind.count += 1;
        if let Some(interval) = self.axis.interval(finding) {
            kind.intervals[interval] += 1;
        }
    }

    /// Returns the kinds with their names, the most frequent first.
    pub fn ranked(&self) -> Vec<(&'static str, &Kind)> {
        let mut ranked: Vec<_> = self.kinds.iter().map(|(name, kind)| (*name, kind)).collect();
        ranked.sort_by_key(|(_, kind)| std::cmp::Reverse(kind.count));
        ranked
    }
}
