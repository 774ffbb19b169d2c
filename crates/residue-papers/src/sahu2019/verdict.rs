//! The meaning of a run, in plain English.

use residue_bench::model::{Cell, Run, cell, fastest};

/// The thesis's sizes, and one more, with what they stand for.
const SIZES: [(usize, &str); 4] = [
    (64, "an acknowledgement"),
    (1500, "a full Ethernet frame"),
    (9000, "a jumbo frame"),
    (65536, "64 KiB"),
];

const CRC: &str = "crc-32/iscsi";
const SUM: &str = "internet";

/// Returns the verdict as paragraphs: the fastest code at each size, and CRC-32C against the TCP
/// checksum.
///
/// Speeds are compared by medians of the steady cells, if there are any. Empty if the run holds
/// none of the sizes 64, 1500, 9000 and 65536.
#[must_use]
pub fn verdict(run: &Run) -> Vec<String> {
    let cells = if run.steady.is_empty() { &run.cells } else { &run.steady };
    let mut sentences = Vec::new();
    for (bytes, stands_for) in SIZES {
        let Some(best) = fastest_of_all(cells, bytes) else {
            continue;
        };
        let mut text = format!(
            "{bytes} bytes ({stands_for}): fastest is {} by `{}`, {} ({}).",
            best.code,
            best.kernel,
            rate(best, bytes),
            cycles(best)
        );
        if best.code != CRC
            && let Some(crc) = fastest(cells, CRC, bytes)
        {
            text += &format!(
                " CRC-32C takes {} by `{}` ({}).",
                rate(crc, bytes),
                crc.kernel,
                cycles(crc)
            );
        }
        sentences.push(text);
    }
    for (bytes, _) in SIZES {
        let Some(crc) = fastest(cells, CRC, bytes) else {
            continue;
        };
        let against = |what: &str, sum: Option<&Cell>| {
            let sum = sum?;
            let difference = faster(sum.median, crc.median)?;
            Some(format!("{difference} than {what} (`{}`)", sum.kernel))
        };
        let adc = against(
            "the 64-bit add-with-carry checksum the thesis compares with",
            cell(cells, SUM, "adc", bytes),
        );
        let best = against("the fastest TCP checksum here", fastest(cells, SUM, bytes));
        let parts: Vec<String> = [adc, best].into_iter().flatten().collect();
        if !parts.is_empty() {
            sentences.push(format!(
                "CRC-32C (`{}`) at {bytes} bytes is {}.",
                crc.kernel,
                parts.join(", and ")
            ));
        }
    }
    sentences.extend(in_short(cells));
    if let (Some(crc), Some(sum)) = (fastest(cells, CRC, 1500), fastest(cells, SUM, 1500)) {
        let (crc, sum) = (crc.ns / 1500.0, sum.ns / 1500.0);
        sentences.push(format!(
            "To protect one 10 Gbit/s stream of full frames (1.25 GB/s), CRC-32C would take {:.1} \
             % of one core of this CPU, the TCP checksum {:.1} %.",
            crc * 125.0,
            sum * 125.0
        ));
    }
    sentences
}

/// Compares the thesis's conclusion with its own checksum kernel and with the fastest one.
fn in_short(cells: &[Cell]) -> Option<String> {
    let sizes = [1500, 9000];
    let faster_at = |sum: fn(&[Cell], usize) -> Option<&Cell>| -> Option<Vec<usize>> {
        let mut faster = Vec::new();
        for bytes in sizes {
            if fastest(cells, CRC, bytes)?.median < sum(cells, bytes)?.median {
                faster.push(bytes);
            }
        }
        Some(faster)
    };
    let described = |faster: Vec<usize>| match faster.as_slice() {
        [] => "does not hold".to_string(),
        [bytes] => format!("holds at {bytes} bytes only"),
        _ => "holds".to_string(),
    };
    let own = described(faster_at(|cells, bytes| cell(cells, SUM, "adc", bytes))?);
    let best = described(faster_at(|cells, bytes| fastest(cells, SUM, bytes))?);
    Some(format!(
        "In short: that CRC-32C is faster than TCP's checksum at 1500 and 9000 bytes, as the \
         thesis concludes, {own} on this CPU against its kind of checksum kernel (`adc`), and \
         {best} against the fastest one."
    ))
}

fn fastest_of_all(cells: &[Cell], bytes: usize) -> Option<&Cell> {
    // The baselines and the mod-256 mistakes are no candidates.
    let real = |cell: &&Cell| {
        let name = cell.code.as_str();
        !name.starts_with("xor-") && !name.starts_with("sum-") && !name.contains("/mod")
    };
    let here = cells.iter().filter(|cell| cell.extra == 0 && cell.bytes == bytes);
    here.filter(real).min_by(|a, b| a.median.total_cmp(&b.median))
}

/// "38 % faster" in the thesis's sense: t_slower / t_faster - 1. `None` if nothing was measured.
#[must_use]
pub fn faster(theirs: f64, ours: f64) -> Option<String> {
    if theirs <= 0.0 || ours <= 0.0 {
        return None;
    }
    let (ratio, word) =
        if ours <= theirs { (theirs / ours, "faster") } else { (ours / theirs, "slower") };
    let percent = (ratio - 1.0) * 100.0;
    Some(if percent < 300.0 {
        format!("{percent:.0} % {word}")
    } else {
        format!("{ratio:.1} times {word}")
    })
}

fn rate(cell: &Cell, bytes: usize) -> String {
    let gigabytes = bytes as f64 / cell.ns.max(1e-3);
    format!("{:.1} ns or {gigabytes:.1} GB/s", cell.ns)
}

fn cycles(cell: &Cell) -> String {
    format!("{:.3} cycles a byte", cell.median)
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_bench::example;

    #[test]
    fn both_comparisons_are_reported() {
        let sentences = verdict(&example::x86());
        let all = sentences.join("\n");
        for words in
            ["1500 bytes", "9000 bytes", "add-with-carry", "fastest TCP checksum", "10 Gbit/s"]
        {
            assert!(all.contains(words), "{words}: {all}");
        }
    }

    #[test]
    fn percentages_are_the_thesis_s() {
        // 0.292 against 0.211 cycles a byte is its 38 %; 1.13 against 1.25 its 11 %.
        assert_eq!(faster(0.292, 0.211).as_deref(), Some("38 % faster"));
        assert_eq!(faster(1.13, 1.25).as_deref(), Some("11 % slower"));
        assert_eq!(faster(0.0, 1.0), None);
    }

    #[test]
    fn an_empty_run_says_nothing() {
        assert!(verdict(&example::empty()).is_empty());
    }
}
