//! The thesis's tables (Sahu 2019), filled with our figures and the published ones beside them.

use super::published::{self, Cpu, Level};
use crate::intel2006;
use residue_bench::model::{Cell, Run, Statistic, cell};
use residue_bench::select::{Index, NONE, three_digits};
use residue_report::names::short;
use residue_report::number::with_margin;
use residue_report::text::capitalised;
use residue_report::{Row, Table};

/// The sizes of Table 6.1: an acknowledgement, an Ethernet frame, a jumbo frame.
const SIZES: [usize; 3] = [64, 1500, 9000];

/// Returns every table that has a value, in the order 6.1, today, all kernels at three
/// sizes and at every one, A.4, A.5, A.6, quoted figures.
#[must_use]
pub fn tables(run: &Run, statistic: Statistic) -> Vec<Table> {
    let all = [
        table_6_1(run, statistic),
        table_today(run, statistic),
        table_kernels(run, statistic),
        table_every_size(run, statistic),
        table_a4(run, statistic),
        table_a5(run, statistic),
        table_a6(run, statistic),
        table_quoted(),
    ];
    if run.cells.is_empty() {
        return Vec::new();
    }
    all.into_iter().filter(|table| !table.is_empty()).collect()
}

/// Returns what the thesis quotes from other papers, and Intel's white paper says, to read beside
/// ours.
#[must_use]
pub fn table_quoted() -> Table {
    let quoted = published::literature().into_iter().map(|row| {
        Row::Published(
            format!("{}: {}", row.source, row.quantity),
            vec![row.bytes, row.value, row.unit],
        )
    });
    let intel = intel2006::published().into_iter().map(|row| {
        let bytes = row.bytes.map_or_else(String::new, |bytes| bytes.to_string());
        Row::Published(
            format!("Intel 2006: {}", row.quantity),
            vec![bytes, row.value.to_string(), row.unit],
        )
    });
    Table {
        id: "quoted",
        title: "Figures of other papers".into(),
        note: "As the thesis quotes them, and as Intel's white paper on slicing-by-8 prints them."
            .into(),
        stub: "paper and quantity",
        heads: ["bytes", "value", "unit"].map(String::from).to_vec(),
        together: 1,
        rows: quoted.chain(intel).collect(),
    }
}

fn printed(cpu: Cpu, level: Level, code: &str, kernel: &str, bytes: usize) -> String {
    three_digits(published::series(cpu, level, code, kernel).and_then(|series| series.at(bytes, 0)))
}

fn names(cpus: &[Cpu]) -> String {
    let names: Vec<String> =
        cpus.iter().map(|cpu| format!("{}: {}", cpu.short(), cpu.name())).collect();
    names.join("; ")
}

/// Describes a figure with `±`.
fn described(statistic: Statistic) -> &'static str {
    match statistic {
        Statistic::Median => {
            "Median of the undisturbed calls, and how far its 95 % interval reaches"
        }
        Statistic::Mean => "Mean of all calls, disturbed ones too, and its 95 % margin",
    }
}

/// The tables of three sizes and of all sizes: their numbers, and the CPUs they were printed for.
const BY_CPU: [(&str, &str, &[Cpu]); 3] = [
    ("6.1", "A.1", &[Cpu::I3, Cpu::Xeon]),
    ("6.2", "A.2", &[Cpu::A53]),
    ("6.3", "A.3", &[Cpu::Power7]),
];

/// Returns the thesis's name for a row, after the code.
fn algorithm(code: &str, kernel: &str) -> String {
    match (published::label(kernel), kernel) {
        (_, "deferred") => short(code).to_string(),
        (label, _) => format!("{} {}", short(code), label.unwrap_or(kernel)),
    }
}

/// Returns the table of three sizes for this architecture: 6.1, on ARM 6.2, on POWER 6.3.
#[must_use]
pub fn table_6_1(run: &Run, statistic: Statistic) -> Table {
    let own = Cpu::beside(&run.machine.arch);
    let number = BY_CPU.iter().find(|(_, _, cpus)| *cpus == own).map_or("6.1", |entry| entry.0);
    three_sizes_of(run, statistic, number, own)
}

/// Table 6.1, 6.2 or 6.3: the thesis's algorithms under its names at 64, 1500 and 9000 bytes, with
/// the published figures of some CPUs.
fn three_sizes_of(run: &Run, statistic: Statistic, number: &'static str, cpus: &[Cpu]) -> Table {
    let index = Index::new(run);
    let mut rows = Vec::new();
    for (code, kernel) in published::kernels(cpus[0]) {
        let here = here(kernel);
        if SIZES.iter().any(|&bytes| index.cell(code, here, bytes, 0).is_some()) {
            // Without intervals it is one block of columns on a terminal.
            let value =
                |cell: Option<&Cell>| three_digits(cell.map(|c| c.estimate(statistic).value));
            let row = (algorithm(code, kernel), code, [here, kernel]);
            rows.push(three_sizes(&index, cpus, value, row));
        }
    }
    Table {
        id: number,
        title: format!("Table {number}: the thesis's algorithms, core cycles per byte"),
        note: format!(
            "{} on fresh bytes, {}s; after each size the published mean (GCC -O3). {}.",
            if run.mode == "thesis" { "Single calls" } else { "Calls" },
            statistic.name(),
            names(cpus)
        ),
        stub: "algorithm",
        heads: heads(cpus),
        together: 1 + cpus.len(),
        rows,
    }
}

/// Returns the kernel of this architecture for a kernel of the thesis's: one chain of the CPU's CRC
/// instruction stands beside another.
fn here(kernel: &'static str) -> &'static str {
    match kernel {
        "crc" if cfg!(target_arch = "x86_64") => "sse42",
        "sse42" if cfg!(target_arch = "aarch64") => "crc",
        other => other,
    }
}

/// Table A.1, A.2 or A.3: the thesis's algorithms at every size, the published lines below ours.
fn every_size(run: &Run, statistic: Statistic, number: &'static str, cpus: &[Cpu]) -> Table {
    let index = Index::new(run);
    let sizes = index.sizes();
    let mut rows = Vec::new();
    for (code, kernel) in published::kernels(cpus[0]) {
        let value = |&bytes: &usize| {
            let cell = index.cell(code, here(kernel), bytes, 0);
            three_digits(cell.map(|cell| cell.estimate(statistic).value))
        };
        let ours: Vec<String> = sizes.iter().map(value).collect();
        if ours.iter().all(|value| value == NONE) {
            continue;
        }
        rows.push(Row::Values(algorithm(code, kernel), ours));
        for &cpu in cpus {
            let values = sizes.iter().map(|&bytes| printed(cpu, Level::O3, code, kernel, bytes));
            rows.push(Row::Published(format!("  {}", cpu.short()), values.collect()));
        }
    }
    Table {
        id: number,
        title: format!("Table {number}: the thesis's algorithms at every size"),
        note: format!(
            "Core cycles per byte, {}s of this run; indented below them the published means (GCC \
             -O3). {}.",
            statistic.name(),
            names(cpus)
        ),
        stub: "algorithm",
        heads: sizes.iter().map(|bytes| bytes.to_string()).collect(),
        together: 1,
        rows,
    }
}

/// Returns the thesis's tables that have a value: 6.1 to 6.3 and A.1 to A.6.
#[must_use]
pub fn thesis_tables(run: &Run, statistic: Statistic) -> Vec<Table> {
    let by_cpu = BY_CPU.into_iter();
    let three =
        by_cpu.clone().map(|(number, _, cpus)| three_sizes_of(run, statistic, number, cpus));
    let every = by_cpu.map(|(_, number, cpus)| every_size(run, statistic, number, cpus));
    let last = [table_a4, table_a5, table_a6].map(|table| table(run, statistic));
    three.chain(every).chain(last).filter(|table| !table.is_empty()).collect()
}

fn heads(cpus: &[Cpu]) -> Vec<String> {
    let mut heads = Vec::new();
    for bytes in SIZES {
        heads.push(format!("{bytes} B"));
        heads.extend(cpus.iter().map(|cpu| cpu.short().to_string()));
    }
    heads
}

/// Returns a row of the figures of a kernel at three sizes, each followed by those of the published
/// one.
fn three_sizes(
    index: &Index<'_>,
    cpus: &[Cpu],
    value: impl Fn(Option<&Cell>) -> String,
    (name, code, [here, there]): (String, &str, [&str; 2]),
) -> Row {
    let mut values = Vec::new();
    for bytes in SIZES {
        let cell = index.cell(code, here, bytes, 0);
        values.push(value(cell));
        values.extend(cpus.iter().map(|&cpu| printed(cpu, Level::O3, code, there, bytes)));
    }
    Row::Values(name, values)
}

/// Every kernel at 64, 1500 and 9000 bytes, with the published figures where the thesis has it.
#[must_use]
pub fn table_kernels(run: &Run, statistic: Statistic) -> Table {
    let (index, cpus) = (Index::new(run), Cpu::beside(&run.machine.arch));
    let rows = index.rows(|code, kernel| {
        let measured = SIZES.iter().any(|&bytes| index.cell(code, kernel, bytes, 0).is_some());
        let value = |cell: Option<&Cell>| {
            cell.map_or(NONE.into(), |cell| with_margin(cell.estimate(statistic)))
        };
        let row = || three_sizes(&index, cpus, value, (kernel.into(), code, [kernel, kernel]));
        measured.then(row).into_iter().collect()
    });
    Table {
        id: "kernels",
        title: "Every kernel: core cycles per byte at three sizes".into(),
        note: format!(
            "{}; after each size the published mean (GCC -O3). {}.",
            described(statistic),
            names(cpus)
        ),
        stub: "code and kernel",
        heads: heads(cpus),
        together: 1 + cpus.len(),
        rows,
    }
}

/// The kernels that are dispatched on this CPU: cycles of single calls, and gigabytes a second in
/// batches.
#[must_use]
pub fn table_today(run: &Run, statistic: Statistic) -> Table {
    let index = Index::new(run);
    let mut codes: Vec<&str> = index.kernels().iter().map(|(code, _)| *code).collect();
    codes.dedup();
    let batches: &[usize] = if run.steady.is_empty() { &[] } else { &[64, 1500, 9000, 65536] };
    let mut rows = Vec::new();
    for code in codes {
        let Ok(kernel) = code.parse().map(|code: residue::Code| code.chosen().name) else {
            continue;
        };
        let single = SIZES.iter().map(|&bytes| {
            let cell = index.cell(code, kernel, bytes, 0);
            three_digits(cell.map(|cell| cell.estimate(statistic).value))
        });
        let batches = batches.iter().map(|&bytes| {
            let cell = cell(&run.steady, code, kernel, bytes).filter(|cell| cell.ns > 0.0);
            three_digits(cell.map(|cell| bytes as f64 / cell.ns))
        });
        rows.push(Row::Values(
            short(code).into(),
            [kernel.to_string()].into_iter().chain(single).chain(batches).collect(),
        ));
    }
    let heads = ["kernel", "64 B", "1500 B", "9000 B", "64 B", "1500 B", "9000 B", "64 KiB"];
    let heads = &heads[..1 + SIZES.len() + batches.len()];
    let note = match batches.is_empty() {
        true => "Single calls on fresh bytes, in core cycles per byte.",
        false => {
            "First single calls on fresh bytes, in core cycles per byte; then independent calls in \
             batches, in GB/s."
        }
    };
    Table {
        id: "today",
        title: "Today's kernels, which the library chooses on this CPU".into(),
        note: note.into(),
        stub: "code",
        heads: heads.iter().map(|&head| head.into()).collect(),
        together: 1,
        rows,
    }
}

/// Every kernel at every size, the published lines below ours where the thesis has it.
#[must_use]
pub fn table_every_size(run: &Run, statistic: Statistic) -> Table {
    let (index, cpus) = (Index::new(run), Cpu::beside(&run.machine.arch));
    let sizes = index.sizes();
    let rows = index.rows(|code, kernel| {
        let cells: Vec<_> = sizes.iter().map(|&bytes| index.cell(code, kernel, bytes, 0)).collect();
        if cells.iter().all(Option::is_none) {
            return Vec::new();
        }
        let ours = cells
            .iter()
            .map(|cell| three_digits(cell.map(|cell| cell.estimate(statistic).value)))
            .collect();
        let mut lines = vec![Row::Values(kernel.into(), ours)];
        for &cpu in cpus {
            if published::series(cpu, Level::O3, code, kernel).is_some() {
                let values =
                    sizes.iter().map(|&bytes| printed(cpu, Level::O3, code, kernel, bytes));
                lines.push(Row::Published(format!("  {}", cpu.short()), values.collect()));
            }
        }
        lines
    });
    Table {
        id: "sizes",
        title: "Every kernel: core cycles per byte at every size".into(),
        note: format!(
            "{}s of this run; indented below them the published means (GCC -O3). {}.",
            capitalised(statistic.name()),
            names(cpus)
        ),
        stub: "code and kernel",
        heads: sizes.iter().map(|bytes| bytes.to_string()).collect(),
        together: 1,
        rows,
    }
}

/// Table A.4: the Internet checksum scalar (-O1) and vectorised by the compiler (-O3). The kernel
/// with add-with-carry is scalar in both.
#[must_use]
pub fn table_a4(run: &Run, statistic: Statistic) -> Table {
    const PAIRS: [(&str, &str, &str); 3] = [
        ("word16_scalar", "word16", "16-bit"),
        ("word32_scalar", "word32", "32-bit"),
        ("adc_pino2018", "adc_pino2018", "64-bit adc"),
    ];
    const SIZES: [usize; 5] = [64, 512, 1024, 1500, 9000];
    let index = Index::new(run);
    let mut rows = Vec::new();
    for (scalar, vector, name) in PAIRS {
        let mut lines = Vec::new();
        for bytes in SIZES {
            let value = |kernel| {
                index.cell("internet", kernel, bytes, 0).map(|cell| cell.estimate(statistic).value)
            };
            let (o1, o3) = (value(scalar), value(vector));
            if o1.is_none() && o3.is_none() {
                continue;
            }
            let ratio = o1.zip(o3).filter(|(_, o3)| *o3 > 0.0).map(|(o1, o3)| o1 / o3);
            let mut values = vec![three_digits(o1), three_digits(o3), three_digits(ratio)];
            for cpu in [Cpu::I3, Cpu::Xeon] {
                values.push(printed(cpu, Level::O1, "internet", scalar, bytes));
                values.push(printed(cpu, Level::O3, "internet", vector, bytes));
            }
            lines.push(Row::Values(format!("{bytes} B"), values));
        }
        if !lines.is_empty() {
            rows.push(Row::Group(
                format!("internet, {name} words").replace("adc words", "words, adc"),
            ));
            rows.append(&mut lines);
        }
    }
    let heads = ["scalar", "vectorised", "ratio", "i3 -O1", "i3 -O3", "Xeon -O1", "Xeon -O3"];
    Table {
        id: "a4",
        title: "Table A.4: the Internet checksum, scalar and vectorised by the compiler".into(),
        note: format!(
            "{} core cycles per byte; ratio: scalar over vectorised. The adc kernel is scalar, the \
             same in both columns. -O1 and -O3: published means, GCC.",
            capitalised(statistic.name())
        ),
        stub: "words and size",
        heads: heads.map(String::from).to_vec(),
        together: 1,
        rows,
    }
}

/// Table A.5: 0 to 7 extra bytes, CRC-32C with the crc32 instruction on three streams (on ARM the
/// nearest).
#[must_use]
pub fn table_a5(run: &Run, statistic: Statistic) -> Table {
    let title = "Table A.5: extra bytes, CRC-32C";
    let kernels = ["sse42_pclmul_sahu2019", "crc"];
    extra_bytes(run, statistic, ("a5", title), "crc-32/iscsi", &kernels)
}

/// Table A.6: 0 to 7 extra bytes, Internet checksum with 16-bit words.
#[must_use]
pub fn table_a6(run: &Run, statistic: Statistic) -> Table {
    let title = "Table A.6: extra bytes, Internet checksum";
    extra_bytes(run, statistic, ("a6", title), "internet", &["word16"])
}

fn extra_bytes(
    run: &Run,
    statistic: Statistic,
    (id, title): (&'static str, &str),
    code: &str,
    kernels: &[&'static str],
) -> Table {
    let index = Index::new(run);
    // Without extra bytes it would only repeat Table 6.1.
    let measured = |kernel: &&&str| {
        SIZES
            .iter()
            .any(|&bytes| (1..8).any(|extra| index.cell(code, kernel, bytes, extra).is_some()))
    };
    let kernel = kernels.iter().find(measured).copied();
    // The appendix has the two Intel CPUs only.
    let cpus = [Cpu::I3, Cpu::Xeon];
    let mut heads = Vec::new();
    for bytes in SIZES {
        heads.push(format!("{bytes} B"));
        heads.extend(cpus.iter().map(|cpu| cpu.short().to_string()));
    }
    let line = |extra: usize, kernel: &str| {
        let mut values = Vec::new();
        for bytes in SIZES {
            let cell = index.cell(code, kernel, bytes, extra);
            values.push(cell.map_or(NONE.into(), |cell| with_margin(cell.estimate(statistic))));
            values.extend(cpus.iter().map(|&cpu| {
                let all = published::thesis_extra_bytes().iter();
                let series = all.filter(|s| s.cpu == cpu && s.code == code && s.kernel == kernel);
                three_digits(series.filter_map(|series| series.at(bytes, extra)).next())
            }));
        }
        Row::Values(format!("+{extra}"), values)
    };
    let rows =
        kernel.map_or(Vec::new(), |kernel| (0..8).map(|extra| line(extra, kernel)).collect());
    Table {
        id,
        title: format!("{title} {}", kernel.unwrap_or_default()).trim_end().into(),
        note: format!(
            "Core cycles per byte of buffers that are 0 to 7 bytes longer than the size above. {}; \
             after each size the published mean (GCC -O3). {}.",
            described(statistic),
            names(&cpus)
        ),
        stub: "extra bytes",
        heads,
        together: 1 + cpus.len(),
        rows,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_bench::example;
    use residue_report::COLUMNS;

    #[test]
    fn every_table_fits_a_terminal_in_both_architectures() {
        for (run, first) in [(example::x86(), "6.1"), (example::arm(), "6.2")] {
            let all = tables(&run, Statistic::Median);
            assert_eq!(
                all.iter().map(|t| t.id).collect::<Vec<_>>(),
                [first, "today", "kernels", "sizes", "a4", "a5", "a6", "quoted"]
            );
            for table in all.into_iter().chain(thesis_tables(&run, Statistic::Median)) {
                let text = table.text();
                assert!(text.lines().all(|line| line.chars().count() <= COLUMNS), "{text}");
                roxmltree::Document::parse(&table.html()).unwrap();
            }
        }
    }

    #[test]
    fn published_figures_stand_beside_ours() {
        let find = |table: &Table, wanted: &str| {
            let values = |row: &Row| match row {
                Row::Values(name, values) if name == wanted => Some(values.clone()),
                _ => None,
            };
            table.rows.iter().find_map(values).unwrap()
        };
        let x86 = example::x86();
        let row = find(&table_kernels(&x86, Statistic::Median), "sse42_pclmul_sahu2019");
        let own = find(&table_6_1(&x86, Statistic::Median), "CRC-32C in thirds");
        assert_eq!((own[0].as_str(), &own[1..3]), ("0.894", &row[1..3]));
        assert_eq!((row[1].as_str(), row[2].as_str(), row[4].as_str()), ("1.25", "1.23", "0.211"));
        assert!(row[0].contains('±'));
        assert_eq!(find(&table_kernels(&x86, Statistic::Median), "avx512_vpclmul")[1], NONE);
        assert_eq!(find(&table_kernels(&example::arm(), Statistic::Median), "crc")[1], "3.54");
        assert_eq!(find(&table_a5(&x86, Statistic::Median), "+5")[5], "0.201");
        assert_eq!(find(&table_a6(&x86, Statistic::Median), "+1")[4], "0.378");
        let a4 = find(&table_a4(&x86, Statistic::Median), "64 B");
        assert_eq!(a4[3..], ["2.09", "1.29", "1.68", "1.04"]);
    }

    #[test]
    fn an_interruption_moves_the_mean_on_request_but_not_the_first_screen() {
        let mut run = example::x86();
        run.cells.iter_mut().for_each(|cell| (cell.plain_mean, cell.plain_margin) = (10.5, 20.0));
        let median = table_kernels(&run, Statistic::Median).text();
        assert!(median.contains("Median of the undisturbed calls") && !median.contains("10.5 ±20"));
        let mean = table_kernels(&run, Statistic::Mean).text();
        assert!(mean.contains("Mean of all calls") && mean.contains("10.5 ±20"), "{mean}");
        assert!(table_every_size(&run, Statistic::Mean).note.starts_with("Means of this run"));
    }

    #[test]
    fn an_empty_run_has_no_tables() {
        assert!(tables(&example::empty(), Statistic::Median).is_empty());
        let all =
            [table_6_1, table_today, table_kernels, table_every_size, table_a4, table_a5, table_a6];
        for table in all {
            let table = table(&example::empty(), Statistic::Mean);
            assert!(table.is_empty());
            let _ = table.text();
            let _ = table.html();
        }
    }
}
