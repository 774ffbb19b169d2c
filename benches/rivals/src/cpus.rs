//! A figure of several records: how many times as fast as its best rival `residue` is, CPU by CPU.

use crate::contender::SUBJECTS;
use crate::model::Mode;
use crate::record::Record;
use crate::tables::Field;
use residue_report::chart::sheet::{Panel, Series, Sheet};

/// Returns a panel for each code with a curve for each record.
#[must_use]
pub fn sheet(records: &[Record]) -> Sheet {
    let labels = labels(records);
    let series = |code: &str| {
        let curve = |(record, label): (&Record, &String)| {
            let field = Field::new(&record.cells, code, Mode::Throughput);
            let point = |size: usize| Some((size as f64, field.duel(size)?.ratio()));
            let points = field.sizes().into_iter().filter_map(point).collect();
            Series { name: label.clone(), bold: false, points }
        };
        records.iter().zip(&labels).map(curve).filter(|one| !one.points.is_empty()).collect()
    };
    let panel = |(code, title): (&str, &str)| Panel { title: title.into(), series: series(code) };
    let panels = SUBJECTS.iter().map(|subject| panel((subject.code, subject.title)));
    let about = |(record, label): (&Record, &String)| {
        format!("{label}: {}, {}", record.fact("cpu").replace("(R)", ""), record.day())
    };
    let text = [
        "Across: length in bytes.",
        "Up: the best rival's time over residue's.",
        "Above 1 residue is faster; shaded: slower.",
        "",
    ];
    Sheet {
        title: "How many times as fast as its best rival residue is, CPU by CPU".to_string(),
        about: vec![
            "The best rival differs from length to length and from CPU to CPU.".to_string(),
            "Independent calls of one length on the same bytes again and again (cargo xtask \
             rivals)."
                .to_string(),
        ],
        panels: panels.filter(|panel| !panel.series.is_empty()).collect(),
        key: text
            .map(str::to_string)
            .into_iter()
            .chain(records.iter().zip(&labels).map(about))
            .collect(),
        even: Some(1.0),
    }
}

/// Returns a name for each record: its profile; where others share it, with the CPU's model or the
/// day besides.
fn labels(records: &[Record]) -> Vec<String> {
    let profile = |record: &Record| record.profile().to_string();
    let model = |record: &Record| {
        let number = record.fact("cpu").rsplit(' ').next().unwrap_or_default();
        format!("{} {number}", record.profile())
    };
    let day = |record: &Record| {
        format!("{} {}", record.profile(), record.day().get(5..).unwrap_or_default())
    };
    let kinds: [&dyn Fn(&Record) -> String; 3] = [&profile, &model, &day];
    let label = |record: &Record| {
        let unique = |kind: &&&dyn Fn(&Record) -> String| {
            records.iter().filter(|other| kind(other) == kind(record)).count() == 1
        };
        kinds.iter().find(unique).unwrap_or(&kinds[2])(record)
    };
    records.iter().map(label).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::tests::cells;

    fn record(cpu: &str, day: &str) -> Record {
        let facts = [("cpu", cpu), ("date", day), ("features", "avx512")];
        let facts = facts.map(|(key, value)| (key.to_string(), value.to_string())).to_vec();
        Record { facts, cells: cells() }
    }

    #[test]
    fn each_record_has_a_curve_of_its_own() {
        let xeon = "Intel(R) Xeon(R) family 6 model";
        let records = [
            record("AMD EPYC family 26 model 2", "2026-01-02"),
            record(&format!("{xeon} 143"), "2026-01-02"),
            record(&format!("{xeon} 207"), "2026-01-02T03:04:05Z"),
            record(&format!("{xeon} 207"), "2026-01-03"),
        ];
        let expected = ["zen5", "intel_avx512 143", "intel_avx512 01-02", "intel_avx512 01-03"];
        assert_eq!(labels(&records), expected);
        let sheet = sheet(&records);
        assert_eq!((sheet.panels.len(), sheet.panels[0].series.len()), (1, 4));
        assert_eq!(sheet.panels[0].series[0].points, [(64.0, 2.0), (1500.0, 0.75)]);
        assert_eq!(
            sheet.key.last().map(|line| &**line).unwrap_or_default(),
            "intel_avx512 01-03: Intel Xeon family 6 model 207, 2026-01-03"
        );
    }
}
