//! D. Pino García, *Fast checksum computation*, Igalia, 2018: nanoseconds for an Internet
//! checksum.

use residue_bench::model::{Cell, Run};
use residue_bench::select::{Index, NONE, three_digits};
use residue_report::{Row, Table};

/// A row of the article's table.
#[derive(Debug, Clone, PartialEq)]
pub struct Published {
    /// The name the article gives.
    pub algorithm: String,
    /// Our kernel of the code `internet`.
    pub kernel: &'static str,
    /// Size in bytes.
    pub bytes: usize,
    /// Nanoseconds for one checksum.
    pub ns: f64,
    /// Nanoseconds for each byte.
    pub ns_per_byte: f64,
}

/// Returns the article's table of 44, 550 and 1500 bytes.
#[must_use]
pub fn published() -> Vec<Published> {
    let read = |row: &Vec<String>| {
        let [algorithm, bytes, ns, ns_per_byte] = row.as_slice() else {
            return None;
        };
        let kernel = match algorithm.as_str() {
            "Generic" => "word16_scalar",
            "SSE2" => "sse2",
            "AVX2" => "avx2",
            "New (adc, 4 strides)" => "adc_pino2018",
            _ => return None,
        };
        let (bytes, ns) = (bytes.parse().ok()?, ns.parse().ok()?);
        Some(Published {
            algorithm: algorithm.clone(),
            kernel,
            bytes,
            ns,
            ns_per_byte: ns_per_byte.parse().ok()?,
        })
    };
    published!("igalia_2018_checksum").iter().filter_map(read).collect()
}

/// Returns every kernel at every size in nanoseconds a call, by median, with its cycles per byte,
/// and below them the article's figures where it has the size.
#[must_use]
pub fn table(run: &Run) -> Table {
    let index = Index::new(run);
    let (sizes, article) = (index.sizes(), published());
    let rows = index.rows(|code, kernel| {
        let cells: Vec<_> = sizes.iter().map(|&bytes| index.cell(code, kernel, bytes, 0)).collect();
        if cells.iter().all(Option::is_none) {
            return Vec::new();
        }
        let values = cells.iter().flat_map(|cell| {
            let shown = |f: fn(&Cell) -> f64| three_digits(cell.map(f));
            [shown(|cell| cell.ns), shown(|cell| cell.median)]
        });
        let mut lines = vec![Row::Values(kernel.into(), values.collect())];
        let printed = |bytes: usize| {
            article
                .iter()
                .find(|row| code == "internet" && row.kernel == kernel && row.bytes == bytes)
        };
        if sizes.iter().any(|&bytes| printed(bytes).is_some()) {
            let values = sizes.iter().flat_map(|&bytes| {
                [three_digits(printed(bytes).map(|row| row.ns)), NONE.to_string()]
            });
            lines.push(Row::Published("  published".into(), values.collect()));
        }
        lines
    });
    Table {
        id: "ns",
        title: "Nanoseconds a call, and core cycles per byte".into(),
        note: "Medians of this run. Published: Pino García 2018, whose CPU is another.".into(),
        stub: "code and kernel",
        heads: sizes
            .iter()
            .flat_map(|bytes| [format!("{bytes} B, ns"), "cycles/B".into()])
            .collect(),
        together: 2,
        rows,
    }
}

/// The sizes of the article, in bytes.
pub const SIZES: [usize; 3] = [44, 550, 1500];

/// The unrolled loops of the article, by their words of 64 bits a pass, after the versions in 16-
/// and 32-bit words.
const STUDY: [(&str, &str); 6] = [
    ("16-bit words", "word16_scalar"),
    ("32-bit words", "word32_scalar"),
    ("64-bit words, 1 a pass", "adc1_pino2018"),
    ("2 a pass", "adc2_pino2018"),
    ("4 a pass (the listing)", "adc_pino2018"),
    ("8 a pass", "adc8_pino2018"),
];

/// Returns the kernels of the article's table and study.
#[must_use]
pub fn kernels() -> Vec<String> {
    let mut all: Vec<String> = published().iter().map(|row| row.kernel.to_string()).collect();
    all.extend(STUDY.iter().map(|(_, kernel)| kernel.to_string()));
    all.sort();
    all.dedup();
    all
}

/// Returns the article's table under its names, and its study of word sizes and unrolled loops, in
/// nanoseconds a call.
#[must_use]
pub fn tables_of_article(run: &Run) -> [Table; 2] {
    let index = Index::new(run);
    let ns = |kernel: &str, bytes| {
        three_digits(index.cell("internet", kernel, bytes, 0).map(|cell| cell.ns))
    };
    let article = published();
    let heads = |with_published: bool| {
        let head = |bytes: usize| {
            let ours = format!("{bytes} B, ns");
            let both = [ours, "article".to_string()];
            both.into_iter().take(if with_published { 2 } else { 1 })
        };
        SIZES.into_iter().flat_map(head).collect()
    };
    let names: Vec<(&str, &'static str)> = article
        .iter()
        .filter(|row| row.bytes == 44)
        .map(|row| (&*row.algorithm, row.kernel))
        .collect();
    let rows = names.into_iter().map(|(name, kernel)| {
        let values = SIZES.into_iter().flat_map(|bytes| {
            let printed = article.iter().find(|row| row.kernel == kernel && row.bytes == bytes);
            [ns(kernel, bytes), three_digits(printed.map(|row| row.ns))]
        });
        Row::Values(name.to_string(), values.collect())
    });
    let results = Table {
        id: "results",
        title: "Results: time of one checksum".into(),
        note: "Medians of calls in batches here; SSE2 and AVX2 are this library's kernels, as the \
               article prints no listing of Snabb's."
            .into(),
        stub: "algorithm",
        heads: heads(true),
        together: 2,
        rows: rows.collect(),
    };
    let study = |&(name, kernel): &(&str, &str)| {
        Row::Values(name.to_string(), SIZES.map(|bytes| ns(kernel, bytes)).to_vec())
    };
    let study = Table {
        id: "study",
        title: "The way to the final version: wider words, and unrolled loops".into(),
        note: "The article describes these steps and prints no figures of them.".into(),
        stub: "version",
        heads: heads(false),
        together: 1,
        rows: STUDY.iter().map(study).collect(),
    };
    [results, study]
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_bench::example;

    #[test]
    fn every_row_is_read() {
        let all = published();
        assert_eq!(all.len(), 12);
        assert!(
            all.iter()
                .any(|row| row.kernel == "adc_pino2018" && row.bytes == 1500 && row.ns == 743.88)
        );
    }

    #[test]
    fn published_times_stand_below_ours() {
        let table = table(&example::x86());
        let printed = |row: &Row| matches!(row, Row::Published(_, values) if values[10] == "744");
        assert!(table.heads[10] == "1500 B, ns" && table.rows.iter().any(printed));
    }
}
