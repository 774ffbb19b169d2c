//! Two runs side by side: two machines, two dates, or two versions.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::model::{Cell, Run, Statistic};
use residue_report::COLUMNS;
use residue_report::number::significant;
use residue_report::text::{clean, day, padded, shortened, wrapped};

type Kernels<'a> = Vec<((&'a str, &'a str), BTreeMap<(usize, usize), &'a Cell>)>;

/// Returns a text table of at most [`COLUMNS`] columns: for each kernel its cells in both runs, the
/// ratio B over A, and the geometric mean of the ratios.
///
/// The cells that only one of the runs has stand below.
///
/// A ratio above 1 means that B is slower. `~` marks a pair whose 95 % intervals overlap.
pub fn compare(a: &Run, b: &Run, statistic: Statistic) -> String {
    let mut out = header(a, b, statistic);
    let (in_a, in_b) = (kernels(a), kernels(b));
    let mut lonely = String::new();
    let mut all_ratios = Vec::new();
    for ((code, kernel), cells) in &in_a {
        let other = in_b.iter().find(|(name, _)| name == &(*code, *kernel)).map(|(_, cells)| cells);
        let mut ratios = Vec::new();
        let mut only_a = Vec::new();
        for (&size, cell) in cells {
            match other.and_then(|cells| cells.get(&size)) {
                Some(other) => ratios.push((size, *cell, *other)),
                None => only_a.push(size),
            }
        }
        if !ratios.is_empty() {
            all_ratios.extend(section(&mut out, code, kernel, &ratios, statistic));
        }
        alone(&mut lonely, "A", (code, kernel), &only_a, cells.len());
    }
    for ((code, kernel), cells) in &in_b {
        let other = in_a.iter().find(|(name, _)| name == &(*code, *kernel)).map(|(_, cells)| cells);
        let only_b: Vec<_> = cells
            .keys()
            .filter(|size| !other.is_some_and(|cells| cells.contains_key(size)))
            .copied()
            .collect();
        alone(&mut lonely, "B", (code, kernel), &only_b, cells.len());
    }
    match geometric_mean(&all_ratios) {
        Some(mean) => {
            let _ = writeln!(
                out,
                "\nGeometric mean of all {} ratios: {}",
                all_ratios.len(),
                digits(mean)
            );
        }
        None => out.push_str("\nThe two runs have no cell in common.\n"),
    }
    if !lonely.is_empty() {
        let _ = write!(out, "\nIn one run only:\n{lonely}");
    }
    out
}

fn header(a: &Run, b: &Run, statistic: Statistic) -> String {
    let mut out = format!(
        "Core cycles per byte, {}. B/A above 1: B is slower. ~: the 95 % intervals overlap.\n",
        statistic.name()
    );
    for (name, run) in [("A", a), ("B", b)] {
        let (cpu, date) = (shortened(&run.machine.cpu, 44), day(&run.date));
        let (version, mode, data) =
            (shortened(&run.residue, 12), shortened(&run.mode, 10), shortened(&run.data, 10));
        let _ = writeln!(out, "{name}: {cpu}, {date}, residue {version}, {mode}, {data} data");
        if let Some(line) = run.too_busy() {
            let _ = writeln!(out, "{}", wrapped(&format!("{name}: {line}"), COLUMNS));
        }
    }
    if a.mode != b.mode || a.data != b.data {
        out.push_str(
            "Careful: the runs differ in mode or data, so the ratios compare two things at once.\n",
        );
    }
    out
}

/// Returns the kernels of a run in its order, each with its cells by size.
///
/// Of two equal cells the later counts.
fn kernels(run: &Run) -> Kernels<'_> {
    let mut all: Kernels<'_> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for cell in &run.cells {
        let name = (cell.code.as_str(), cell.kernel.as_str());
        let place = *places.entry(name).or_insert_with(|| {
            all.push((name, BTreeMap::new()));
            all.len() - 1
        });
        all[place].1.insert((cell.bytes, cell.extra), cell);
    }
    all
}

fn size((bytes, extra): (usize, usize)) -> String {
    if extra == 0 { bytes.to_string() } else { format!("{bytes}+{extra}") }
}

fn digits(x: f64) -> String {
    significant(x, 3)
}

/// Writes the lines of one kernel, and returns its ratios.
fn section(
    out: &mut String,
    code: &str,
    kernel: &str,
    pairs: &[((usize, usize), &Cell, &Cell)],
    statistic: Statistic,
) -> Vec<f64> {
    let _ = writeln!(out, "\n{} {}", shortened(code, 40), shortened(kernel, 40));
    let _ = writeln!(out, "      bytes          A          B        B/A");
    let mut ratios = Vec::new();
    for (at, a, b) in pairs {
        let (a, b) = (a.estimate(statistic), b.estimate(statistic));
        let ratio = b.value / a.value;
        let usable = a.value > 0.0 && b.value > 0.0 && ratio.is_finite();
        if usable {
            ratios.push(ratio);
        }
        let overlap = a.low <= b.high && b.low <= a.high;
        let columns = [
            size(*at),
            digits(a.value),
            digits(b.value),
            if usable { digits(ratio) } else { "-".into() },
        ];
        let line: String = columns.iter().map(|value| padded(value, 11, true)).collect();
        let _ = writeln!(out, "{line}{}", if usable && overlap { " ~" } else { "" });
    }
    let mean = geometric_mean(&ratios).map_or("-".into(), digits);
    let _ = writeln!(out, "{}{}", padded("geometric mean", 33, true), padded(&mean, 11, true));
    ratios
}

fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    let logs: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    (!ratios.is_empty()).then(|| (logs / ratios.len() as f64).exp())
}

/// Writes a line on the cells of one kernel that the other run lacks: `all` is how many the kernel
/// has.
fn alone(out: &mut String, run: &str, name: (&str, &str), sizes: &[(usize, usize)], all: usize) {
    if sizes.is_empty() {
        return;
    }
    // Ascending sizes, so the extra bytes of one size follow each other: 64+0..7 for all eight.
    let mut parts: Vec<String> = Vec::new();
    for same in sizes.chunk_by(|a, b| a.0 == b.0 && a.1 + 1 == b.1) {
        match same {
            [first, .., last] => parts.push(format!("{}+{}..{}", first.0, first.1, last.1)),
            _ => parts.extend(same.iter().map(|&at| size(at))),
        }
    }
    let whole = if sizes.len() == all { "the whole kernel, " } else { "" };
    let (code, kernel) = (clean(name.0), clean(name.1));
    let line = format!("{run}: {code} {kernel}: {whole}{}", parts.join(" "));
    let _ = writeln!(out, "{}", wrapped(&line, COLUMNS - 4).replace('\n', "\n    "));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;

    #[test]
    fn a_run_equals_itself() {
        let run = example::x86();
        let text = compare(&run, &run, Statistic::Median);
        assert!(
            text.contains(&format!("Geometric mean of all {} ratios: 1.00", run.cells.len())),
            "{text}"
        );
        assert!(!text.contains("In one run only"));
        assert!(!text.contains("Careful"));
    }

    #[test]
    fn ratios_and_lonely_cells_are_named() {
        let (a, mut b) = (example::x86(), example::arm());
        for cell in b.cells.iter_mut().filter(|cell| cell.kernel == "nibble") {
            cell.median *= 2.0;
        }
        b.mode = "latency".into();
        let text = compare(&a, &b, Statistic::Median);
        let nibble: Vec<&str> =
            text.lines().skip_while(|line| !line.contains("nibble")).take(40).collect();
        let mean = nibble.iter().find(|line| line.contains("geometric mean")).unwrap();
        assert!(mean.ends_with("2.00"), "{mean}");
        assert!(
            text.contains("A: crc-32/iscsi sse42_pclmul_sahu2019: the whole kernel, 64+0..7 128")
        );
        assert!(text.contains("B: crc-32/iscsi crc_pmull: the whole kernel"));
        assert!(text.contains("Careful"));
        assert!(text.lines().all(|line| line.chars().count() <= COLUMNS), "{text}");
    }

    #[test]
    fn nothing_to_compare_is_said() {
        let text = compare(&example::empty(), &example::empty(), Statistic::Mean);
        assert!(text.contains("no cell in common"));
        let mut zero = example::x86();
        zero.cells.iter_mut().for_each(|cell| cell.median = 0.0);
        assert!(compare(&zero, &example::x86(), Statistic::Median).contains("no cell in common"));
    }
    #[test]
    fn an_interruption_shows_in_means_and_not_in_medians() {
        let (a, mut b) = (example::x86(), example::x86());
        b.cells.iter_mut().for_each(|cell| cell.plain_mean *= 100.0);
        let all = format!("all {} ratios", a.cells.len());
        assert!(compare(&a, &b, Statistic::Median).contains(&format!("{all}: 1.00")));
        assert!(compare(&a, &b, Statistic::Mean).contains(&format!("{all}: 100")));
        b.load.waited = 0.5;
        assert!(compare(&a, &b, Statistic::Median).contains("B: Too busy a machine"));
    }
}
