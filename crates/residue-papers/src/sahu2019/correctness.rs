//! The thesis's test of correctness (section 5, figures 5.1 and 5.2): values of the first one to
//! nine bytes of `123456789`, by each of its algorithms.

use super::published::{self, Cpu};
use residue::Code;
use residue_bench::contender::Contender;
use residue_report::names::short;
use residue_report::{Row, Table};

const DIGITS: &[u8] = b"123456789";

/// Returns figures 5.1 and 5.2 as tables: each algorithm's values, and whether all are those of the
/// code's definition.
///
/// The thesis does not print the bytes that it sums in figure 5.1; here they are those of 5.2.
#[must_use]
pub fn tables(arch: &str) -> [Table; 2] {
    let table = |id, title: &str, note: &str, crc: bool| {
        let mut rows = Vec::new();
        for (name, kernel) in published::kernels(Cpu::beside(arch)[0]) {
            if (name == "crc-32/iscsi") != crc || (!crc && name != "internet") {
                continue;
            }
            let code: Code = name.parse().unwrap_or_else(|_| unreachable!("a code of the thesis"));
            for contender in Contender::of(&code, Some(&[kernel.to_string()])) {
                let values = (1..=DIGITS.len()).map(|length| {
                    let (value, data) = ((contender.value)(&DIGITS[..length]), &DIGITS[..length]);
                    let mark = if value == code.reference(data) { "" } else { " WRONG" };
                    format!("{value:0width$x}{mark}", width = if crc { 8 } else { 4 })
                });
                let label = published::label(kernel).unwrap_or(kernel);
                rows.push(Row::Values(format!("{} {label}", short(name)), values.collect()));
            }
        }
        Table {
            id,
            title: title.into(),
            note: note.into(),
            stub: "algorithm",
            heads: (1..=DIGITS.len()).map(|length| format!("{length} B")).collect(),
            together: 1,
            rows,
        }
    };
    [
        table(
            "5.1",
            "Figure 5.1: the one's-complement checksum, tested",
            "Values of the first bytes of `123456789`, each equal to the definition's unless \
             marked WRONG. The thesis prints its values without the bytes they are of.",
            false,
        ),
        table(
            "5.2",
            "Figure 5.2: CRC-32C, tested",
            "The thesis prints: 90f599e3, 7355c460, 107b2fb2, f63af4ee, 18d12335, 41357186, \
             124297ea, 6087809a, e3069283.",
            true,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_gives_the_printed_values() {
        let [sums, crcs] = tables(std::env::consts::ARCH);
        assert!(!sums.rows.is_empty() && crcs.rows.len() >= 5);
        for row in &crcs.rows {
            let Row::Values(name, values) = row else { panic!("a row of values") };
            for value in values {
                assert!(crcs.note.contains(value.as_str()), "{name}: {value}");
            }
        }
        assert!(sums.rows.iter().all(|row| match row {
            Row::Values(_, values) => values.iter().all(|value| value.len() == 4),
            _ => false,
        }));
    }
}
