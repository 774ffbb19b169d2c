//! The costs of a data-in PDU, as a table and as CSV, beside Intel's.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::figures::figures;
use super::{Costs, Row};
use residue_report::number::significant;
use residue_report::table::{self, Table};

/// A figure quoted in the text of the white paper.
#[derive(Debug, Clone, PartialEq)]
pub struct Published {
    /// The number of the figure, or `text`.
    pub figure: String,
    /// The quantity that was measured.
    pub quantity: String,
    /// Size in bytes, where it depends on one.
    pub bytes: Option<usize>,
    /// The value.
    pub value: f64,
    /// Its unit.
    pub unit: String,
}

/// Returns the figures in the text of the white paper.
#[must_use]
pub fn published() -> Vec<Published> {
    let read = |row: &Vec<String>| {
        let [figure, quantity, bytes, value, unit] = row.as_slice() else {
            return None;
        };
        let (figure, quantity, unit) = (figure.clone(), quantity.clone(), unit.clone());
        Some(Published {
            figure,
            quantity,
            bytes: bytes.parse().ok(),
            value: value.parse().ok()?,
            unit,
        })
    };
    published!("intel_2006_slicing_by_8").iter().filter_map(read).collect()
}

/// The white paper's figures for a row; its text gives only a few of them.
pub(super) struct Intel {
    /// The shares of protocol, copy and CRC.
    pub(super) shares: Option<[f64; 3]>,
    /// The cycles in all.
    pub(super) whole: Option<f64>,
    /// Cycles per byte of the CRC, at 8 KiB, whatever the row's size.
    pub(super) per_byte: Option<f64>,
}

impl Intel {
    pub(super) fn of(row: &Row) -> Intel {
        let all = published();
        let name = match row.kernel.as_str() {
            "bytewise" => "Sarwate",
            "slicing8" => "slicing-by-8",
            _ => return Intel { shares: None, whole: None, per_byte: None },
        };
        let find = |quantity: &str, bytes| {
            let mut of =
                all.iter().filter(|one| one.quantity == quantity && one.bytes == Some(bytes));
            of.next().map(|one| one.value)
        };
        let share =
            |part: &str| Some(find(&format!("PDU share: {part}, {name}"), row.bytes)? / 100.0);
        let shares = || Some([share("protocol")?, share("copy")?, share("CRC")?]);
        Intel {
            shares: shares(),
            whole: find(&format!("PDU total, {name}"), row.bytes),
            per_byte: find(&format!("{name} CRC32C"), 8192),
        }
    }
}

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

/// Returns the paper's conclusions, and whether they hold.
#[must_use]
pub fn totals(costs: &Costs) -> Vec<String> {
    let kernels: Vec<_> = costs.rows.chunk_by(|a, b| a.kernel == b.kernel).collect();
    let at = |number: usize| kernels.get(number)?.iter().find(|row| row.bytes == 8192);
    let mut sentences = Vec::new();
    if let (Some(old), Some(new)) = (at(0), at(1)) {
        let printed = [old, new].map(|row| Intel::of(row).whole);
        let [Some(theirs_old), Some(theirs_new)] = printed else { return sentences };
        sentences.push(format!(
            "For 8 KiB, slicing by 8 made the whole {:.1} times as fast as Sarwate's CRC; here \
             {:.1} times.",
            theirs_old / theirs_new,
            old.whole / new.whole
        ));
    }
    if let (Some(old), Some(best)) = (at(0), at(2)) {
        sentences.push(format!(
            "With {} it is {:.0} times as fast, and the CRC is {:.0} % of it, no longer {:.0} %.",
            best.kernel,
            old.whole / best.whole,
            best.crc / best.whole * 100.0,
            old.crc / old.whole * 100.0,
        ));
    }
    if let (Some(best), Some(fused)) = (at(2), at(3)) {
        sentences.push(format!(
            "Copy and CRC in one pass take {:.2} times what they take one after the other, with \
             the data in the first-level cache.",
            fused.whole / best.whole
        ));
    }
    sentences
}

/// Writes all rows, one per line, with a header.
#[must_use]
pub fn csv(costs: &Costs) -> String {
    let mut out = String::from(
        "kernel,bytes,protocol_cycles,crc_cycles,copy_cycles,whole_cycles,parts_over_whole\r\n",
    );
    for row in &costs.rows {
        let kernel = residue_report::csv::quoted(&row.kernel);
        let _ = write!(out, "{kernel},{},{},{},", row.bytes, row.protocol, row.crc);
        let _ = write!(out, "{},{},{}\r\n", row.copy, row.whole, row.parts_over_whole());
    }
    out
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_with_quotes_and_gaps_are_whole() {
        let all = published();
        assert_eq!(all.len(), 17);
        assert!(all.iter().any(|row| row.quantity == "CRC cost, Sarwate" && row.value == 54000.0));
        assert!(all.iter().any(|row| row.bytes.is_none()));
    }
}
