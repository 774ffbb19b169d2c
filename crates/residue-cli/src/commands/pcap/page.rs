//! `residue pcap verify --report`: a page about captures, with a time line of damage, an example of
//! each cause, and a list of the wrong values.

mod axis;
mod example;
mod flips;
mod html;
mod parts;
mod timeline;

use super::report;
use crate::output::{Styles, words};
use axis::Axis;
pub use html::{dash, table};
use parts::Captured;
pub use parts::{About, Page, Part};
use residue_net::summary::{Counts, Summary};
use residue_net::verify::Read;
use residue_report::Figure;
use residue_report::files::write_report;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// Largest number of captures with a section of their own.
const MOST_PARTS: usize = 50;

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
            rows: Vec::new(),
            wrong: 0,
            first: Vec::new(),
            flips: parts::Flips::default(),
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
        let flips: Vec<Vec<Figure>> =
            self.parts.iter().enumerate().map(|(at, part)| flips::figures(part, at)).collect();
        let page = html::page(&self, &figures, &flips, left_out);
        let mut wrong = vec![report::CHECKS.to_string()];
        self.parts.iter_mut().for_each(|part| wrong.append(&mut part.rows));
        let lines = |lines: Vec<String>| lines.iter().map(|line| format!("{line}\n")).collect();
        let mut counts = vec![report::COUNTS.to_string()];
        counts.append(&mut self.counts);
        let reports = self.reports.iter().map(Value::to_string).collect();
        let data: [(&str, String); 4] = [
            ("wrong.csv", lines(wrong)),
            ("counts.csv", lines(counts)),
            ("timeline.csv", timeline::csv(&self.parts)),
            ("captures.jsonl", lines(reports)),
        ];
        let flips = flips.into_iter().flatten();
        let figures: Vec<Figure> = figures.into_iter().flatten().chain(flips).collect();
        write_report(folder, &figures, &data, &page)
    }
}
