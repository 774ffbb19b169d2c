//! The tables of a page, one for each profile, written from records.

use crate::contender::{OURS, SUBJECTS, Subject};
use crate::model::Mode;
use crate::record::Record;
use crate::required::{Goals, REQUIRED};
use crate::tables::{Duel, Field};
use residue_report::files::write_whole;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The line after a table.
const END: &str = "<!-- end of record -->";

/// Writes the tables of records into a page, each in the place of the table of its profile, and
/// returns a line for each.
///
/// # Errors
/// Returns an error if a file cannot be read or written, or the page has no table of the profile.
pub fn update(page: &Path, paths: &[PathBuf]) -> Result<String, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", page.display());
    let (mut text, mut out) = (std::fs::read_to_string(page).map_err(failed)?, String::new());
    for path in paths {
        let record = Record::read(path)?;
        let name = path.display().to_string();
        text = replaced(&text, &record, &name)
            .ok_or_else(|| format!("{}: no table of {}", page.display(), record.profile()))?;
        let _ = writeln!(out, "{}: {} from {name}", page.display(), record.profile());
    }
    let name = page.file_name().unwrap_or_default().to_string_lossy();
    write_whole(page.parent().unwrap_or(Path::new("")), &name, &text).map_err(failed)?;
    Ok(out)
}

/// Returns the text before the path of a record in the line above a table.
fn begin(profile: &str) -> String {
    format!("<!-- record of {profile}: ")
}

/// Returns the page with another table of the record's profile; nothing if it has none.
fn replaced(page: &str, record: &Record, path: &str) -> Option<String> {
    let begin = begin(record.profile());
    let (before, rest) = page.split_once(&begin)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{begin}{path} -->\n{}{END}{after}", table(record, path)))
}

/// Returns the worst ratios of a record as a Markdown table, with a line on their origin.
fn table(record: &Record, path: &str) -> String {
    let mut out = format!(
        "{}, {}, residue {}\n([record](../../{path})):\n\n| worst ratio |",
        record.fact("cpu").replace("(R)", ""),
        record.day(),
        record.fact("residue")
    );
    for range in &REQUIRED {
        let _ = write!(out, " {} |", range.name);
    }
    out.push_str(" batches | copies | most GB/s (B/cycle) | wall, B/cycle |\n");
    let _ = writeln!(out, "|{}", "---|".repeat(REQUIRED.len() + 5));
    for subject in &SUBJECTS {
        let _ = writeln!(out, "{}", row(record, subject));
    }
    out
}

fn row(record: &Record, subject: &Subject) -> String {
    let (goals, mut out) = (Goals::of(record), format!("| {} |", subject.title));
    let field = |mode| Field::new(&record.cells, subject.code, mode);
    for range in &REQUIRED {
        let (duel, goal) = (field(range.mode).worst(range), goals.ratio(subject.code, range));
        let _ = write!(out, " {} |", value(duel.as_ref(), goals, goal));
    }
    for modes in [&[Mode::Batch, Mode::Imix][..], &[Mode::Copy]] {
        let fields: Vec<Field<'_>> = modes.iter().map(|&mode| field(mode)).collect();
        let duels = fields
            .iter()
            .flat_map(|field| field.sizes().into_iter().filter_map(|size| field.duel(size)));
        let worst = duels.min_by(|a, b| a.ratio().total_cmp(&b.ratio()));
        let _ = write!(out, " {} |", value(worst.as_ref(), goals, Some(1.0)));
    }
    let wall = goals.wall(subject.code).map_or("-".to_string(), |wall| wall.to_string());
    let _ = write!(out, " {} | {wall} |", most(record, subject.code));
    out
}

/// Returns a ratio, with the required one if it is not reached.
fn value(duel: Option<&Duel<'_>>, goals: Goals, goal: Option<f64>) -> String {
    match (duel, goal) {
        (None, _) => "-".to_string(),
        (Some(duel), Some(goal)) if !goals.reached(duel.ratio(), goal) => {
            format!("{:.2} of {goal:?}", duel.ratio())
        }
        (Some(duel), _) => format!("{:.2}", duel.ratio()),
    }
}

/// Returns the greatest speed of `residue` on one thread.
fn most(record: &Record, code: &str) -> String {
    let field = Field::new(&record.cells, code, Mode::Throughput);
    let cells = field.sizes().into_iter().filter_map(|size| field.cell(OURS, size));
    let rates = cells.map(|cell| (cell.bytes / cell.ns, cell.ghz));
    // The clock may differ from cell to cell.
    let per_cycle = |&(rate, ghz): &(f64, Option<f64>)| rate / ghz.unwrap_or(1.0);
    match rates.max_by(|a, b| per_cycle(a).total_cmp(&per_cycle(b))) {
        Some((rate, Some(ghz))) => format!("{rate:.1} ({:.1})", rate / ghz),
        Some((rate, None)) => format!("{rate:.1}"),
        None => "-".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::tests::cells;

    fn record() -> Record {
        let facts = [
            ("cpu", "AMD EPYC family 25 model 1"),
            ("date", "2026-01-02T03:04:05Z"),
            ("residue", "0.1.0"),
            ("tier", "all"),
        ];
        let facts = facts.map(|(key, value)| (key.to_string(), value.to_string())).to_vec();
        Record { facts, cells: cells() }
    }

    #[test]
    fn a_table_takes_the_place_of_another() {
        let page = format!("a\n{}old -->\nb\n{END}\nc\n", begin("zen3"));
        let new = replaced(&page, &record(), "new.csv").expect("a table");
        let head = "a\n<!-- record of zen3: new.csv -->\n\
            AMD EPYC family 25 model 1, 2026-01-02, residue 0.1.0\n([record](../../new.csv)):\n\n\
            | worst ratio |";
        assert!(new.starts_with(head) && new.ends_with(&format!("{END}\nc\n")), "{new}");
        let row =
            "\n| CRC-32C | 2.00 | - | 0.75 of 1.0 | - | - | - | - | - | - | 75.0 (37.5) | 16 |\n";
        assert!(new.contains(row), "{new}");
        assert_eq!(replaced(&new, &record(), "new.csv").as_ref(), Some(&new));
        assert_eq!(replaced("", &record(), "new.csv"), None);
    }

    #[test]
    fn the_page_shows_the_records_that_it_names() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let page = std::fs::read_to_string(root.join(crate::args::PAGE)).expect("a page");
        let begin = begin("").replace(": ", "");
        let names = page.lines().filter_map(|line| line.strip_prefix(&begin)?.split_once(": "));
        let names: Vec<&str> = names.filter_map(|(_, rest)| rest.strip_suffix(" -->")).collect();
        assert!(!names.is_empty());
        // A profile without a record has the place for one.
        for name in names.into_iter().filter(|&name| name != "none") {
            let record = Record::read(&root.join(name)).expect("a record");
            assert!(replaced(&page, &record, name).is_some_and(|new| new == page), "{name}");
        }
    }
}
