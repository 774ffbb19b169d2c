//! The results as tables: all contenders of a code, and the worst ratios beside the required ones.

use crate::contender::{OURS, SUBJECTS, Subject, is_rival};
use crate::model::{Cell, Mode};
use crate::required::{Goals, REQUIRED, Range, TIE};
use residue_report::{Row, Table};

/// The size up to which a table shows nanoseconds, above it gigabytes a second.
const SHORT: usize = 550;

/// `residue` against its best rival at one size.
pub struct Duel<'a> {
    /// `residue`.
    pub ours: &'a Cell,
    /// The fastest of the others.
    pub best: &'a Cell,
}

impl Duel<'_> {
    /// Returns the best rival's time over ours: above 1 where we are faster.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.best.ns / self.ours.ns
    }

    /// Describes the duel: `at 44: 0.95 (etherparse 5.56 ns, residue 5.87 ns)`.
    fn describe(&self) -> String {
        let (size, ratio, rival) = (size_name(self.ours.size), self.ratio(), &self.best.contender);
        let (theirs, ours) = (number(self.best.ns), number(self.ours.ns));
        format!("at {size}: {ratio:.2} ({rival} {theirs} ns, residue {ours} ns)")
    }
}

/// The cells of one code in one mode.
pub struct Field<'a>(Vec<&'a Cell>);

impl<'a> Field<'a> {
    /// Selects the cells of a code and a mode.
    #[must_use]
    pub fn new(cells: &'a [Cell], code: &str, mode: Mode) -> Field<'a> {
        Field(cells.iter().filter(|cell| cell.code == code && cell.mode == mode).collect())
    }

    /// Returns the sizes, each once, in the order of the cells.
    #[must_use]
    pub fn sizes(&self) -> Vec<usize> {
        once(self.0.iter().map(|cell| cell.size))
    }

    /// Returns the contenders, `residue` first.
    #[must_use]
    pub fn names(&self) -> Vec<&'a str> {
        let mut names = once(self.0.iter().map(|cell| cell.contender.as_str()));
        names.sort_by_key(|&name| name != OURS);
        names
    }

    /// Returns a contender's cell at a size.
    #[must_use]
    pub fn cell(&self, name: &str, size: usize) -> Option<&'a Cell> {
        self.0.iter().find(|cell| cell.size == size && cell.contender == name).copied()
    }

    /// Returns `residue` and its best rival at a size, if both were timed.
    #[must_use]
    pub fn duel(&self, size: usize) -> Option<Duel<'a>> {
        let rivals = self.0.iter().filter(|cell| cell.size == size && is_rival(&cell.contender));
        let best = rivals.min_by(|a, b| a.ns.total_cmp(&b.ns))?;
        Some(Duel { ours: self.cell(OURS, size)?, best })
    }

    /// Returns the duel that `residue` does worst in, of the sizes in a range.
    #[must_use]
    pub fn worst(&self, range: &Range) -> Option<Duel<'a>> {
        let sizes = self.sizes().into_iter().filter(|size| range.contains(*size));
        let duels = sizes.filter_map(|size| self.duel(size));
        duels.min_by(|a, b| a.ratio().total_cmp(&b.ratio()))
    }

    /// Returns short sizes in nanoseconds and long ones in gigabytes a second, each a table if
    /// there are any.
    #[must_use]
    pub fn tables(&self, subject: &Subject, mode: Mode) -> Vec<Table> {
        let (short, long): (Vec<usize>, Vec<usize>) =
            self.sizes().into_iter().partition(|&size| size <= SHORT);
        let nanoseconds = |cell: &Cell| number(cell.ns);
        let rate = |cell: &Cell| number(cell.bytes / cell.ns);
        let title = |unit: &str| format!("{}, {}: {unit}", subject.title, mode.name());
        if matches!(mode, Mode::Batch | Mode::Imix) {
            let packets = |cell: &Cell| number(1e3 / cell.ns);
            let title = title("million packets a second");
            return self.table(title, &self.sizes(), &packets).into_iter().collect();
        }
        [
            self.table(title("ns per call"), &short, &nanoseconds),
            self.table(title("GB/s"), &long, &rate),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    fn table(
        &self,
        title: String,
        sizes: &[usize],
        describe: &dyn Fn(&Cell) -> String,
    ) -> Option<Table> {
        let rival = |size| self.duel(size).map_or("", |duel| duel.best.contender.as_str());
        let value = |name: &str, size: usize| match self.cell(name, size) {
            Some(cell) if name == rival(size) => format!("{}*", describe(cell)),
            Some(cell) => describe(cell) + " ",
            None => "- ".to_string(),
        };
        let line = |name: &str| {
            Row::Values(name.to_string(), sizes.iter().map(|&size| value(name, size)).collect())
        };
        let mut rows: Vec<Row> = self.names().into_iter().map(line).collect();
        let ratio = |cell: Option<&Cell>, size: usize| {
            let both = cell.zip(self.cell(OURS, size));
            both.map_or("- ".to_string(), |(cell, ours)| format!("{:.2} ", cell.ns / ours.ns))
        };
        let best = |&size: &usize| ratio(self.duel(size).map(|duel| duel.best), size);
        rows.push(Row::Values("ratio".to_string(), sizes.iter().map(best).collect()));
        for name in self.names().into_iter().filter(|&name| name != OURS && !is_rival(name)) {
            let beside = |&size: &usize| ratio(self.cell(name, size), size);
            rows.push(Row::Values(format!("ratio to {name}"), sizes.iter().map(beside).collect()));
        }
        let heads = sizes.iter().map(|&size| size_name(size) + " ").collect();
        (!sizes.is_empty()).then(|| table(title, "contender", heads, rows))
    }
}

/// Returns the worst ratios of one mode, code by code; with throughput also those of latency that
/// are required.
///
/// Where ratios are required they are beside them, and below the table is how many were reached
/// and which were not although `residue` is ahead; [`behind`] lists the others.
#[must_use]
pub fn summary(cells: &[Cell], mode: Mode, goals: Goals) -> Option<(Table, String)> {
    let ranges: Vec<Range> = match mode {
        Mode::Throughput => REQUIRED.to_vec(),
        mode => Range::of(mode).collect(),
    };
    let (mut rows, mut short, mut met, mut all) = (Vec::new(), Vec::new(), 0, 0);
    for subject in &SUBJECTS {
        let mut values = Vec::new();
        for range in &ranges {
            let duel = Field::new(cells, subject.code, range.mode).worst(range);
            values.push(match (&duel, goals.ratio(subject.code, range)) {
                (None, _) => "-  ".to_string(),
                (Some(duel), None) => format!("{:.2}  ", duel.ratio()),
                (Some(duel), Some(goal)) => {
                    let reached = goals.reached(duel.ratio(), goal);
                    all += 1;
                    met += usize::from(reached);
                    let mark = if reached { " " } else { "!" };
                    if !reached && duel.ratio() >= TIE {
                        short.push(format!("{} of {goal}, {}", subject.title, duel.describe()));
                    }
                    format!("{:.2}/{goal}{mark}", duel.ratio())
                }
            });
        }
        if values.iter().any(|value| !value.starts_with('-')) {
            rows.push(Row::Values(subject.title.to_string(), values));
        }
    }
    let heads = ranges.iter().map(|range| format!("{} ", range.name)).collect();
    let beside = if all > 0 { ", beside the required one (!: not met)" } else { "" };
    let title = format!("Worst ratio to the best rival, {}{beside}", mode.name());
    let mut verdict = String::new();
    if all > 0 {
        verdict += &format!("{met} of {all} are met.\n");
    }
    if !short.is_empty() {
        verdict += &format!("Not met, though not behind:\n  {}\n", short.join("\n  "));
    }
    (!rows.is_empty()).then(|| (table(title, "code", heads, rows), verdict))
}

/// Returns every cell in which `residue` is behind the best rival, and no tie.
#[must_use]
pub fn behind(cells: &[Cell]) -> Vec<String> {
    let mut out = Vec::new();
    for mode in Mode::ALL {
        for subject in &SUBJECTS {
            let field = Field::new(cells, subject.code, mode);
            let duels = field.sizes().into_iter().filter_map(|size| field.duel(size));
            let lost = duels.filter(|duel| duel.ratio() < TIE);
            out.extend(
                lost.map(|d| format!("{}, {} {}", subject.title, mode.name(), d.describe())),
            );
        }
    }
    out
}

fn table(title: String, stub: &'static str, heads: Vec<String>, rows: Vec<Row>) -> Table {
    Table { id: "rivals", title, note: String::new(), stub, heads, together: 1, rows }
}

/// Writes a size as `64`, `1500`, `16 KiB` or `1 MiB`.
#[must_use]
pub fn size_name(size: usize) -> String {
    match size {
        _ if size >= 1 << 20 && size.is_multiple_of(1 << 20) => format!("{} MiB", size >> 20),
        _ if size >= 1 << 12 && size.is_multiple_of(1 << 10) => format!("{} KiB", size >> 10),
        _ => size.to_string(),
    }
}

/// Writes three digits, or all before the point.
fn number(x: f64) -> String {
    match x {
        _ if x < 9.995 => format!("{x:.2}"),
        _ if x < 99.95 => format!("{x:.1}"),
        _ => format!("{x:.0}"),
    }
}

fn once<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut all = Vec::new();
    for item in items {
        if !all.contains(&item) {
            all.push(item);
        }
    }
    all
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::contender::CRC_32C;

    /// `residue` and two rivals at a short size and a long one.
    pub(crate) fn cells() -> Vec<Cell> {
        let times = [(OURS, 2.0, 20.0), ("slow", 9.0, 90.0), ("fast", 4.0, 15.0)];
        let cell = |size: usize, contender: &str, ns: f64| Cell {
            code: CRC_32C.to_string(),
            mode: Mode::Throughput,
            size,
            contender: contender.to_string(),
            version: "1.0".to_string(),
            bytes: size as f64,
            ns,
            quartiles: [ns - 0.5, ns + 0.5],
            rounds: 31,
            ghz: Some(2.0),
        };
        times
            .iter()
            .flat_map(|(name, short, long)| [cell(64, name, *short), cell(1500, name, *long)])
            .collect()
    }

    #[test]
    fn ratios_are_of_the_best_rival() {
        let cells = cells();
        let field = Field::new(&cells, CRC_32C, Mode::Throughput);
        assert_eq!(field.names(), [OURS, "slow", "fast"]);
        assert_eq!(field.duel(64).map(|duel| duel.ratio()), Some(2.0));
        let tables = field.tables(&SUBJECTS[0], Mode::Throughput);
        assert!(tables[0].text().contains("4.00*") && tables[1].text().contains("100*"));
        assert!(tables[1].text().contains("0.75"));
        let worst = |goals| summary(&cells, Mode::Throughput, goals).expect("a summary");
        let (table, verdict) = worst(Goals::NOT_SLOWER);
        assert!(table.text().contains("2.00/1 ") && table.text().contains("0.75/1!"));
        assert_eq!(verdict, "1 of 2 are met.\n");
        assert!(worst(Goals::of_profile("zen5")).0.text().contains("2.00/1.4 "));
        let behind = behind(&cells);
        assert_eq!(behind, ["CRC-32C, throughput at 1500: 0.75 (fast 15.0 ns, residue 20.0 ns)"]);
        assert!(summary(&cells, Mode::Latency, Goals::NOT_SLOWER).is_none());
    }

    #[test]
    fn sizes_are_named() {
        let names =
            [(64, "64"), (1500, "1500"), (4096, "4 KiB"), (9000, "9000"), (1 << 26, "64 MiB")];
        names.iter().for_each(|&(size, name)| assert_eq!(size_name(size), name));
    }
}
