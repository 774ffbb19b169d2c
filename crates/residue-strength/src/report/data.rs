//! Undetected errors on real data as sentences, tables, CSV and a page with figures.

#[cfg(feature = "figures")]
mod figures;
#[cfg(feature = "figures")]
mod page;

use crate::data::{self, Run, Sampled, Test, TestResult};
#[cfg(feature = "figures")]
pub use page::{page, write};
use residue_report::csv::{Sheet, or_empty};
use residue_report::number::significant;
use residue_report::text::wrapped;
use residue_report::{COLUMNS, Row, Table};

/// Returns the bits of an equally strong ideal code, with `≥` if all errors were detected, or `-`
/// without trials.
fn bits(row: &data::Row) -> String {
    match row.bits {
        None => "-".into(),
        Some(bits) if row.misses == 0 => format!("≥{bits:.1}"),
        Some(bits) => format!("{bits:.1}"),
    }
}

/// Writes all of a run as text: the sources, the tables, and the findings.
#[must_use]
pub fn text(run: &Run, full: bool) -> String {
    let origins = run.sources.iter().map(|source| format!("{}: {}", source.name, origin(source)));
    let mut lines: Vec<String> = origins.collect();
    lines.push(String::new());
    lines.extend(tables(run, full).iter().map(Table::text));
    lines.extend(findings(run).iter().map(|sentence| wrapped(sentence, COLUMNS)));
    lines.join("\n") + "\n"
}

/// Returns the tables of a run.
///
/// They show for each source the bits of every code in every test, the counts of the two tests of
/// splices (of all tests, if `full`), and the distribution of check values.
#[must_use]
pub fn tables(run: &Run, full: bool) -> Vec<Table> {
    let mut all = Vec::new();
    for source in &run.sources {
        all.push(overview(source));
        let spliced = |result: &&TestResult| {
            full || [Test::CellsHeader.name(), Test::CellsTrailer.name()]
                .contains(&result.test.as_str())
        };
        all.extend(source.tests.iter().filter(spliced).map(|result| counted(source, result)));
        all.push(values(source));
    }
    all
}

fn overview(source: &Sampled) -> Table {
    let codes = source.tests.first().map_or(&[][..], |test| &test.rows);
    let row = |(place, code): (usize, &data::Row)| {
        let each = source.tests.iter().map(|test| test.rows.get(place).map_or("-".into(), bits));
        Row::Values(code.code.clone(), each.collect())
    };
    Table {
        id: "bits",
        title: format!("{} ({}): effective bits", source.name, source.about),
        note: "Sampled. -log2 of the share of damaged data with a right check value: the width of \
            an ideal code that misses as many. ≥: a bound, nothing was missed, and the share's 95 \
            % interval ends there. -: nothing was tried."
            .into(),
        stub: "code",
        heads: source.tests.iter().map(|test| test.test.clone()).collect(),
        together: 1,
        rows: codes.iter().enumerate().map(row).collect(),
    }
}

fn counted(source: &Sampled, result: &TestResult) -> Table {
    let row = |row: &data::Row| {
        let values = vec![
            row.misses.to_string(),
            significant(row.rate.share, 3),
            significant(row.rate.low, 3),
            significant(row.rate.high, 3),
            significant(row.ideal, 3),
            significant(row.ratio, 3),
            bits(row),
            significant(row.rate.clustering, 2),
        ];
        Row::Values(row.code.clone(), values)
    };
    let rejected = match result.rejected {
        0 => String::new(),
        count => format!(" {count} more did not begin with a header."),
    };
    Table {
        id: "counted",
        title: format!("{}: {}", source.name, result.test),
        note: format!(
            "{} Sampled: {} trials, without {} whose bytes were right after all.{rejected} ideal: \
             one in as many as the code has values; ratio: share times 2^width; clusters: by how \
             much more the misses of different places vary than chance has it, which widens the \
             interval.",
            result.about, result.trials, result.identical
        ),
        stub: "code",
        heads: ["missed", "share", "95 % from", "to", "ideal", "ratio", "bits", "clusters"]
            .map(String::from)
            .to_vec(),
        together: 1,
        rows: result.rows.iter().map(row).collect(),
    }
}

fn values(source: &Sampled) -> Table {
    let row = |values: &data::Values| {
        let percent = |share: f64| significant(100.0 * share, 3);
        let top = values.top.first();
        let share = top.map_or(0.0, |top| top.cells as f64 / values.cells.max(1) as f64);
        let cells = vec![
            values.distinct.to_string(),
            top.map_or("-".into(), |top| top.value.clone()),
            percent(share),
            percent(values.share_7),
            percent(values.share_66),
            significant(values.collision, 3),
        ];
        Row::Values(values.code.clone(), cells)
    };
    let cells = source.values.first().map_or(0, |values| values.cells);
    Table {
        id: "values",
        title: format!("{}: check values of 48-byte cells", source.name),
        note: format!(
            "Sampled: {cells} cells. Shares in percent: of the commonest value, of the commonest 7 \
             and of the commonest 66 (0.01 % and 0.1 % of the values of 16 bits). alike: the \
             probability that two cells have one value, be it that their bytes are the same."
        ),
        stub: "code",
        heads: ["values", "commonest", "%", "7: %", "66: %", "alike"].map(String::from).to_vec(),
        together: 1,
        rows: source.values.iter().map(row).collect(),
    }
}

/// Returns the findings of a run, a sentence each.
#[must_use]
pub fn findings(run: &Run) -> Vec<String> {
    let mut sentences = Vec::new();
    for source in &run.sources {
        let spliced = source.tests.iter().find(|test| test.test == Test::CellsHeader.name());
        let Some(test) = spliced.filter(|test| test.trials > 0) else { continue };
        let row = |code: &str| test.rows.iter().find(|row| row.code == code);
        let mut parts = Vec::new();
        if let Some(row) = row("internet").filter(|row| row.misses > 0) {
            let against = match (row.rate.low > row.ideal, row.rate.high < row.ideal) {
                (true, _) => "more than",
                (_, true) => "fewer than",
                _ => "as many, within the interval, as",
            };
            parts.push(format!(
                "the Internet checksum misses one in {:.0}, as a code of {} bits, {against} on \
                 uniform data",
                1.0 / row.rate.share,
                bits(row)
            ));
        }
        if let Some(row) = row("crc-32/iscsi") {
            parts.push(format!("CRC-32C misses {}", row.misses));
        }
        if !parts.is_empty() {
            sentences.push(format!(
                "{}: of {} splices with the check value in the header, {}.",
                source.name,
                test.trials,
                parts.join("; ")
            ));
        }
    }
    sentences
}

/// Writes every code in every test, one per line, with a header.
#[must_use]
pub fn csv(run: &Run) -> String {
    let mut sheet = Sheet::new(
        "source,test,code,width,trials,identical,rejected,misses,share,low_95_percent,\
         high_95_percent,clustering,ideal,ratio,effective_bits,kind",
    );
    for source in &run.sources {
        for test in &source.tests {
            for row in &test.rows {
                let rate = &row.rate;
                sheet.cells(&[&source.name, &test.test, &row.code, &row.width]);
                sheet.cells(&[&test.trials, &test.identical, &test.rejected, &row.misses]);
                sheet.cells(&[&rate.share, &rate.low, &rate.high, &rate.clustering]);
                sheet.cells(&[&row.ideal, &row.ratio, &or_empty(row.bits), &row.kind]).end();
            }
        }
    }
    sheet.text()
}

/// Describes a source's data in a few words.
#[must_use]
pub fn origin(source: &Sampled) -> String {
    let skipped = match source.skipped {
        0 => String::new(),
        count => format!(", {count} could not be read"),
    };
    match source.files {
        0 => format!("{}, {} bytes", source.about, source.bytes),
        files => format!("{} bytes of {files} files{skipped}", source.bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes::additive::Additive;
    use crate::data::{Made, Options, Source};

    pub(super) fn run() -> Run {
        let codes =
            ["internet", "crc-32/iscsi", "xor-8"].map(|code| Additive::named(code).unwrap());
        let sources = [Made::Uniform, Made::Bitmap].map(Source::Made).to_vec();
        let options =
            Options { codes: codes.to_vec(), sources, splices: 1, trials: 200, burst: 20, seed: 1 };
        data::run(&options, &|_, _| {}).unwrap()
    }

    #[test]
    fn the_same_seed_gives_the_same_figures() {
        let [a, b] = [run(), run()];
        assert_eq!(csv(&a), csv(&b));
        let values = |run: &Run| format!("{:?}", run.sources[1].values);
        assert_eq!(values(&a), values(&b));
    }

    #[test]
    fn text_fits_the_terminal() {
        for table in tables(&run(), true) {
            let longest = table.text().lines().map(|line| line.chars().count()).max();
            assert!(longest <= Some(residue_report::COLUMNS));
        }
        assert_eq!(findings(&run()).len(), 2);
    }
}
