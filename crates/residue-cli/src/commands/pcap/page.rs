//! `residue pcap verify --report`: a page about captures, with a time line of damage and an example
//! of each cause.

mod example;
mod html;
mod timeline;

use super::report;
use crate::output::{Styles, words};
use example::Example;
use residue_net::check::Verdict;
use residue_net::diagnose::{Cause, CauseKind};
use residue_net::summary::{Counts, Summary};
use residue_net::time::Moment;
use residue_net::verify::{Finding, Read};
use residue_report::files::write_report;
use residue_report::{Figure, Table};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use timeline::{Axis, INTERVALS};

/// Largest number of captures with a section of their own.
const MOST_PARTS: usize = 50;

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
    about: About,
    captures: Vec<Captured>,
    parts: Vec<Part>,
    /// The rows of the counts, as CSV.
    counts: Vec<String>,
    /// The reports of the captures, as JSON.
    reports: Vec<Value>,
}

/// A capture in the table of captures.
struct Captured {
    name: String,
    packets: u64,
    total: Counts,
    error: Option<String>,
}

/// The section of a capture.
pub struct Part {
    name: String,
    title: String,
    conclusion: String,
    tables: Vec<Table>,
    axis: Axis,
    /// By the name of the cause, or of the verdict if it has no causes.
    kinds: BTreeMap<&'static str, Kind>,
}

/// Values that are not right, of one cause.
struct Kind {
    /// Numbers of values by interval.
    intervals: [u64; INTERVALS],
    /// Number of values.
    count: u64,
    /// The first of them.
    example: Example,
}

impl Page {
    pub fn new(about: About) -> Page {
        let (captures, parts) = (Vec::new(), Vec::new());
        Page { about, captures, parts, counts: Vec::new(), reports: Vec::new() }
    }

    /// Notes a capture that cannot be read.
    pub fn unreadable(&mut self, name: &OsStr, error: &anyhow::Error) {
        self.captures.push(Captured {
            name: Styles::plain(name),
            packets: 0,
            total: Counts::default(),
            error: Some(words(error)),
        });
        self.reports.push(report::unreadable(name, error));
    }

    /// Begins the section of a capture.
    pub fn begin(&mut self, name: &OsStr, read: &Read, summary: &Summary) -> Part {
        let total = summary.total();
        let unfollowed = report::unfollowed(summary);
        let ends = unfollowed.iter().map(|(numbers, _)| numbers[0]).sum();
        self.counts.extend(report::counts_csv(name, summary));
        self.reports.push(report::json(name, read, summary, self.about.top));
        let part = Part {
            name: Styles::plain(name),
            title: report::title(name, read, Styles::none()),
            conclusion: report::conclusion(&total, ends, self.about.strict, Styles::none()),
            tables: html::tables(summary, &total, unfollowed, self.about.top),
            axis: Axis::new(read, self.about.from, self.about.to),
            kinds: BTreeMap::new(),
        };
        self.captures.push(Captured {
            name: part.name.clone(),
            packets: read.packets,
            error: read.error.as_ref().map(ToString::to_string),
            total,
        });
        part
    }

    /// Ends the section of a capture.
    pub fn end(&mut self, part: Option<Part>) {
        self.parts.extend(part);
    }

    /// Writes the page, its figures and its data into a folder.
    pub fn write(mut self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        // Of several captures, those with values that are not right have sections.
        if self.captures.len() > 1 {
            self.parts.retain(|part| !part.kinds.is_empty());
        }
        let left_out = self.parts.len().saturating_sub(MOST_PARTS);
        self.parts.truncate(MOST_PARTS);
        let figures: Vec<Option<Figure>> =
            self.parts.iter().enumerate().map(|(at, part)| timeline::figure(part, at)).collect();
        let page = html::page(&self, &figures, left_out);
        let lines = |lines: Vec<String>| lines.iter().map(|line| format!("{line}\n")).collect();
        let mut counts = vec![report::COUNTS.to_string()];
        counts.append(&mut self.counts);
        let reports = self.reports.iter().map(Value::to_string).collect();
        let data: [(&str, String); 3] = [
            ("counts.csv", lines(counts)),
            ("timeline.csv", timeline::csv(&self.parts)),
            ("captures.jsonl", lines(reports)),
        ];
        let figures: Vec<Figure> = figures.into_iter().flatten().collect();
        write_report(folder, &figures, &data, &page)
    }
}

impl Part {
    /// Takes a finding; only those that are not right are counted.
    pub fn take(&mut self, finding: &Finding<'_>, cause: Option<Cause>) {
        let name = match finding.verdict {
            Verdict::Bad | Verdict::Offloaded => CauseKind::from(cause).name(),
            Verdict::Illegal | Verdict::LengthConflict => finding.verdict.name(),
            Verdict::Good | Verdict::Absent | Verdict::Unverifiable(_) => return,
        };
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
    fn ranked(&self) -> Vec<(&'static str, &Kind)> {
        let mut ranked: Vec<_> = self.kinds.iter().map(|(name, kind)| (*name, kind)).collect();
        ranked.sort_by_key(|(_, kind)| std::cmp::Reverse(kind.count));
        ranked
    }
}
