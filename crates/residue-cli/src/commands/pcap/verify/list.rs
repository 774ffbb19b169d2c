//! The list of check values: lines of text, JSON or CSV.

use super::sorter::Sorter;
use crate::commands::pcap::report::{self, Shown};
use crate::options::Format;
use crate::output::Output;
use residue_net::diagnose::Cause;
use residue_net::verify::Finding;
use std::ffi::OsStr;
use std::io;

/// Prints rows in the order of their packets.
pub struct List<'a> {
    format: Format,
    shown: Shown<'a>,
    name: &'a OsStr,
    /// The rows found so far, if they must be sorted.
    sorter: Option<Sorter>,
}

impl<'a> List<'a> {
    /// Begins the list of the capture `name`. `is_late` says whether some rows come after those of
    /// later packets.
    pub fn new(format: Format, shown: Shown<'a>, name: &'a OsStr, is_late: bool) -> List<'a> {
        List { format, shown, name, sorter: is_late.then(Sorter::new) }
    }

    /// Adds a row.
    pub fn row(
        &mut self,
        finding: &Finding<'_>,
        cause: Option<Cause>,
        output: &mut Output,
    ) -> io::Result<()> {
        let row = if self.format.json {
            report::check_json(self.name, finding, cause).to_string()
        } else if self.format.csv {
            report::check_csv(self.name, finding, cause)
        } else {
            report::check_line(&self.shown, finding, cause)
        };
        match &mut self.sorter {
            Some(sorter) => sorter.push(finding.buffer.packet, row.into_bytes()),
            None => output.finding(row),
        }
    }

    /// Prints the rest of the rows.
    pub fn finish(self, output: &mut Output) -> io::Result<()> {
        self.sorter.map_or(Ok(()), |sorter| sorter.finish(|row| output.finding(row)))
    }
}
