//! Figures: of one record gigabytes a second, and how many times as fast as each rival; of several
//! their CPUs side by side.

use crate::contender::{OURS, SUBJECTS, is_rival};
use crate::cpus;
use crate::model::Mode;
use crate::record::Record;
use crate::tables::Field;
use residue_report::chart::sheet::{Panel, Series, Sheet, svg};
use residue_report::files::write_whole;
use std::path::Path;

/// The number of rivals in a panel: those that are best somewhere, then the best on average.
const SHOWN: usize = 5;

/// Writes `rivals-speed.svg` and `rivals-ratio.svg` of one record into a folder, or
/// `rivals-cpus.svg` of several, and returns where they are.
///
/// # Errors
/// Returns an error if a record has no throughput, or a file cannot be written.
pub fn draw(records: &[Record], folder: &Path) -> Result<String, String> {
    let sheets = match records {
        [record] => single(record).into_iter().collect(),
        records => vec![("rivals-cpus.svg", cpus::sheet(records))],
    };
    if sheets.iter().any(|(_, sheet)| sheet.panels.is_empty()) {
        return Err("there is no throughput of residue and a rival".to_string());
    }
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut out = String::new();
    for (name, sheet) in sheets {
        let path = write_whole(folder, name, &svg(&sheet)).map_err(failed)?;
        out.push_str(&format!("{}\n", path.display()));
    }
    Ok(out)
}

/// Returns the figures of one record with their names.
fn single(record: &Record) -> [(&'static str, Sheet); 2] {
    let (speeds, ratios) = panels(record);
    let about = about(record);
    let lines = |text: &[&str]| text.iter().map(|line| line.to_string()).collect::<Vec<_>>();
    let speed = Sheet {
        title: "residue and its best rivals: gigabytes a second".to_string(),
        about: about.clone(),
        panels: speeds,
        key: lines(&[
            "Across: length in bytes. Up: GB/s, one thread.",
            "Higher is faster. Each panel has a scale of its own.",
            "",
            "A call of a few bytes is mostly the call itself.",
            "Beyond the caches, memory sets the pace for all.",
        ]),
        even: None,
    };
    let ratio = Sheet {
        title: "How many times as fast as its rivals residue is".to_string(),
        about,
        panels: ratios,
        key: lines(&[
            "Across: length in bytes.",
            "Up: the rival's time over residue's.",
            "Above 1 residue is faster; shaded: slower.",
            "",
            "The lowest curve is the best rival.",
        ]),
        even: Some(1.0),
    };
    [("rivals-speed.svg", speed), ("rivals-ratio.svg", ratio)]
}

/// Returns a panel of speeds and one of ratios for each code.
fn panels(record: &Record) -> (Vec<Panel>, Vec<Panel>) {
    let (mut speeds, mut ratios) = (Vec::new(), Vec::new());
    for subject in &SUBJECTS {
        let field = Field::new(&record.cells, subject.code, Mode::Throughput);
        let sizes = field.sizes();
        let shown = shown(&field, &sizes);
        if shown.is_empty() {
            continue;
        }
        let series = |name: &str, value: &dyn Fn(usize, f64) -> Option<f64>| {
            let point =
                |&size: &usize| Some((size as f64, value(size, field.cell(name, size)?.ns)?));
            let points = sizes.iter().filter_map(point).collect();
            Series { name: name.to_string(), bold: name == OURS, points }
        };
        let panel = |series: Vec<Series>| Panel { title: subject.title.to_string(), series };
        let speed = |size: usize, ns: f64| Some(size as f64 / ns);
        let ratio = |size: usize, ns: f64| Some(ns / field.cell(OURS, size)?.ns);
        let with_ours = shown.iter().copied().chain([OURS]);
        speeds.push(panel(with_ours.map(|name| series(name, &speed)).collect()));
        ratios.push(panel(shown.iter().map(|name| series(name, &ratio)).collect()));
    }
    (speeds, ratios)
}

fn about(record: &Record) -> Vec<String> {
    let day = record.day();
    let tier = match record.fact("tier") {
        "all" | "" => String::new(),
        tier => format!(", residue restricted to {tier}"),
    };
    let against = match record.fact("against") {
        "portable code" => ", portable code only",
        _ => "",
    };
    vec![
        format!(
            "{}, {day}; residue {}{tier}{against}.",
            record.fact("cpu"),
            record.fact("residue")
        ),
        "Independent calls of one length on the same bytes again and again: in the \
         caches where they fit (cargo xtask rivals)."
            .to_string(),
    ]
}

/// Returns the contenders that are drawn, in the order of the table.
fn shown<'a>(field: &Field<'a>, sizes: &[usize]) -> Vec<&'a str> {
    let duels = || sizes.iter().filter_map(|&size| field.duel(size));
    // How often one is the best, then how far from the best it is on average.
    let rank = |name: &str| {
        let wins = duels().filter(|duel| duel.best.contender == name).count();
        let behind = duels()
            .filter_map(|duel| Some((field.cell(name, duel.best.size)?.ns / duel.best.ns).ln()));
        let all: Vec<f64> = behind.collect();
        let mean = all.iter().sum::<f64>() / all.len().max(1) as f64;
        (std::cmp::Reverse(wins), if all.is_empty() { f64::INFINITY } else { mean })
    };
    let mut names: Vec<&str> = field.names().into_iter().filter(|&name| is_rival(name)).collect();
    let order = names.clone();
    names.sort_by(|a, b| {
        let ((wins_a, mean_a), (wins_b, mean_b)) = (rank(a), rank(b));
        wins_a.cmp(&wins_b).then(mean_a.total_cmp(&mean_b))
    });
    names.truncate(SHOWN);
    order.into_iter().filter(|name| names.contains(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::tests::cells;

    #[test]
    fn a_record_is_drawn() {
        let place = tempfile::tempdir().expect("a folder");
        let record = Record { facts: Vec::new(), cells: cells() };
        let text = draw(&[record], place.path()).expect("two figures");
        assert_eq!(text.lines().count(), 2);
        let svg = std::fs::read_to_string(place.path().join("rivals-ratio.svg")).expect("drawn");
        assert!(
            svg.contains("\nfast\n") && svg.contains("\nslow\n") && !svg.contains("\nresidue\n")
        );
        let record = |cells| Record { facts: Vec::new(), cells };
        let text = draw(&[record(cells()), record(cells())], place.path()).expect("a figure");
        assert!(text.ends_with("rivals-cpus.svg\n") && text.lines().count() == 1, "{text}");
        assert!(draw(&[record(Vec::new())], place.path()).is_err());
        assert!(draw(&[], place.path()).is_err());
    }
}
