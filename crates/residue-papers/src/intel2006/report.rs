//! The costs of a data-in PDU, as a table and as CSV, beside Intel's.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::figures::figures;
use super::published::Intel;
use super::{Costs, Row};
use residue_report::csv::Sheet;
use residue_report::number::significant;
use residue_report::table::{self, Table};

/// Returns a table with a row for each kernel and size, with Intel's figures.
#[must_use]
pub fn table(costs: &Costs) -> Table {
    let mut rows = Vec::new();
    for kernel in costs.rows.chunk_by(|a, b| a.kernel == b.kernel) {
        rows.push(table::Row::Group(format!("{}: {}", kernel[0].kernel, kernel[0].about)));
        rows.extend(kernel.iter().map(line));
    }
    Table {
        id: "iscsi",
        title: "What a data-in PDU costs an iSCSI initiator, in core cycles".into(),
        note:
            "Medians; data in the first-level cache. parts: the three together, as a multiple of \
            the whole, which was timed by itself. Intel: 2006, figures 2 and 3, as far as its text \
            gives them."
                .into(),
        stub: "bytes",
        heads: [
            "protocol",
            "CRC",
            "copy",
            "whole",
            "parts",
            "CRC / byte",
            "CRC %",
            "Intel %",
            "Intel whole",
        ]
        .map(String::from)
        .to_vec(),
        together: 1,
        rows,
    }
}

fn line(row: &Row) -> table::Row {
    let intel = Intel::of(row);
    let cycles = |value: f64| format!("{value:.0}");
    let percent = |share: f64| format!("{:.0}", share * 100.0);
    let copy = if row.copy > 0.0 { cycles(row.copy) } else { "-".into() };
    let values = vec![
        cycles(row.protocol),
        cycles(row.crc),
        copy,
        cycles(row.whole),
        format!("{:.2}", row.parts_over_whole()),
        significant(row.crc / row.bytes as f64, 3),
        percent(row.crc / (row.protocol + row.crc + row.copy)),
        intel.shares.map_or("-".into(), |shares| percent(shares[2])),
        intel.whole.map_or("-".into(), cycles),
    ];
    table::Row::Values(row.bytes.to_string(), values)
}

/// Writes all rows, one per line, with a header.
#[must_use]
pub fn csv(costs: &Costs) -> String {
    let mut sheet = Sheet::new(
        "kernel,bytes,protocol_cycles,crc_cycles,copy_cycles,whole_cycles,parts_over_whole",
    );
    for row in &costs.rows {
        sheet.cells(&[&row.kernel, &row.bytes, &row.protocol, &row.crc]);
        sheet.cells(&[&row.copy, &row.whole, &row.parts_over_whole()]).end();
    }
    sheet.text()
}

/// Writes `figure-iscsi-2.svg`, `figure-iscsi-3.svg`, `iscsi.csv` and `iscsi.json` into a folder,
/// which is created if it is missing, and returns the paths.
///
/// # Errors
/// Returns an error if they cannot be written.
pub fn write(dir: &Path, costs: &Costs) -> io::Result<Vec<PathBuf>> {
    fs::create_dir_all(dir)?;
    let figures = figures(costs);
    let mut files: Vec<(String, String)> = figures
        .into_iter()
        .map(|figure| (format!("figure-{}.svg", figure.id), figure.svg))
        .collect();
    files.push(("iscsi.csv".into(), csv(costs)));
    files.push(("iscsi.json".into(), serde_json::to_string_pretty(costs)? + "\n"));
    files
        .iter()
        .map(|(name, content)| residue_report::files::write_whole(dir, name, content))
        .collect()
}
