//! The figures in the text of the white paper, and its conclusions beside ours.

use super::{Costs, Row};

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
