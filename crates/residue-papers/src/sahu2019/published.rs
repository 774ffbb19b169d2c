//! The figures that the thesis prints, named by our codes and kernels.

use std::sync::OnceLock;

/// A CPU the thesis (Sahu 2019) measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cpu {
    /// Intel Core i3-2330M, 2.2 GHz (Sandy Bridge).
    I3,
    /// Intel Xeon E5-2670 v2, 2.5 GHz (Ivy Bridge).
    Xeon,
    /// ARM Cortex-A53, 1.2 GHz (Raspberry Pi 3 Model B).
    A53,
    /// IBM POWER7, 4.2 GHz.
    Power7,
}

impl Cpu {
    /// All of them, in the order of the thesis.
    pub const ALL: [Cpu; 4] = [Cpu::I3, Cpu::Xeon, Cpu::A53, Cpu::Power7];

    /// Returns the full name.
    pub fn name(self) -> &'static str {
        match self {
            Cpu::I3 => "Intel Core i3-2330M",
            Cpu::Xeon => "Intel Xeon E5-2670 v2",
            Cpu::A53 => "ARM Cortex-A53",
            Cpu::Power7 => "IBM POWER7",
        }
    }

    /// Returns a name short enough for a label or a column.
    pub fn short(self) -> &'static str {
        match self {
            Cpu::I3 => "i3",
            Cpu::Xeon => "Xeon",
            Cpu::A53 => "A53",
            Cpu::Power7 => "POWER7",
        }
    }

    /// Returns the published CPUs that stand beside a machine of this architecture in a table.
    pub fn beside(arch: &str) -> &'static [Cpu] {
        match arch {
            "aarch64" | "arm" | "arm64" => &[Cpu::A53],
            "powerpc" | "powerpc64" | "powerpc64le" => &[Cpu::Power7],
            _ => &[Cpu::I3, Cpu::Xeon],
        }
    }
}

/// The compiler's optimisation level a figure was published for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Level {
    /// GCC -O1: nothing vectorised.
    O1,
    /// GCC -O3: loops vectorised by the compiler.
    O3,
}

/// A point of a published curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Size in bytes.
    pub bytes: usize,
    /// Extra bytes beyond `bytes` (Tables A.5 and A.6; 0 elsewhere).
    pub extra: usize,
    /// Mean core cycles per byte.
    pub cycles_per_byte: f64,
}

/// A published curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The CPU it was measured on.
    pub cpu: Cpu,
    /// The level it was compiled with.
    pub level: Level,
    /// The name the document gives.
    pub algorithm: String,
    /// Our code.
    pub code: &'static str,
    /// Our kernel.
    pub kernel: &'static str,
    /// The points, by size.
    pub points: Vec<Point>,
}

impl Series {
    /// Returns the figure for a size, if one was published.
    pub fn at(&self, bytes: usize, extra: usize) -> Option<f64> {
        self.points.iter().find(|p| p.bytes == bytes && p.extra == extra).map(|p| p.cycles_per_byte)
    }
}

/// A figure of another paper that the thesis quotes; values are as printed, ranges included.
#[derive(Debug, Clone, PartialEq)]
pub struct Quoted {
    /// The authors of the figure.
    pub source: String,
    /// The quantity that was measured.
    pub quantity: String,
    /// The size, as printed (`>1024`, `large`).
    pub bytes: String,
    /// The value, as printed.
    pub value: String,
    /// Its unit.
    pub unit: String,
}

/// Returns our code and kernel for an algorithm as the thesis names it.
#[must_use]
pub fn ours(algorithm: &str, level: Level) -> Option<(&'static str, &'static str)> {
    let scalar = level == Level::O1;
    Some(match algorithm {
        "crc32c bit-wise" => ("crc-32/iscsi", "bitwise_sahu2019"),
        "crc32c nibble-wise" => ("crc-32/iscsi", "nibble"),
        "crc32c byte-wise" => ("crc-32/iscsi", "bytewise"),
        "crc32c slicing-by-4" => ("crc-32/iscsi", "slicing4"),
        "crc32c slicing-by-8" => ("crc-32/iscsi", "slicing8"),
        "crc32c Intel Intrinsic" => ("crc-32/iscsi", "sse42"),
        "crc32c (crc32 + pclmulqdq based recombination)" => {
            ("crc-32/iscsi", "sse42_pclmul_sahu2019")
        }
        "crc32c (crc32 + table-based recombination)" => ("crc-32/iscsi", "sse42_tables_sahu2019"),
        "crc32c (serial usage of crc32c)" => ("crc-32/iscsi", "crc"),
        "Adler-32" => ("adler-32", "deferred"),
        "Fletcher-32" => ("fletcher-32", "deferred"),
        "one's comp 16-bit word (in C)" if scalar => ("internet", "word16_scalar"),
        "one's comp 32-bit word (in C)" if scalar => ("internet", "word32_scalar"),
        "one's comp 16-bit word (in C)" => ("internet", "word16"),
        "one's comp 32-bit word (in C)" => ("internet", "word32"),
        // Only ARM and POWER have the 64-bit loop in C; on Intel it is assembly with
        // add-with-carry.
        "one's comp 64-bit word (in C)" => ("internet", "word64"),
        "one's comp 64-bit word (in x86_64 assembly)" => ("internet", "adc_pino2018"),
        _ => return None,
    })
}

/// Returns a short name for a kernel of the thesis's: what its text calls the algorithm.
#[must_use]
pub fn label(kernel: &str) -> Option<&'static str> {
    Some(match kernel {
        "bitwise_sahu2019" => "bit-wise",
        "nibble" => "nibble-wise",
        "bytewise" => "byte-wise",
        "slicing4" => "slicing-by-4",
        "slicing8" => "slicing-by-8",
        "sse42" | "crc" => "by the instruction",
        "sse42_pclmul_sahu2019" => "in thirds",
        "sse42_tables_sahu2019" => "in segments",
        "word16" | "word16_scalar" => "16-bit words",
        "word32" | "word32_scalar" => "32-bit words",
        "word64" => "64-bit words, C",
        "adc_pino2018" => "64-bit words, adc",
        "deferred" => "deferred modulo",
        _ => return None,
    })
}

/// Returns the codes and kernels of the thesis's table of a CPU, in its order: thirteen for Intel.
#[must_use]
pub fn kernels(cpu: Cpu) -> Vec<(&'static str, &'static str)> {
    let own = thesis().iter().filter(|series| series.cpu == cpu);
    own.map(|series| (series.code, series.kernel)).collect()
}

/// Returns the names of the thesis's kernels for this architecture, also those of -O1, and of the
/// kernels that are dispatched for these codes.
#[must_use]
pub fn kernels_and_todays(codes: &[String]) -> Vec<String> {
    let cpu = Cpu::beside(std::env::consts::ARCH)[0];
    let mut all: Vec<&str> = kernels(cpu).into_iter().map(|(_, kernel)| kernel).collect();
    all.extend(["word16_scalar", "word32_scalar", "word64"]);
    let codes = codes.iter().filter_map(|name| name.parse::<residue::Code>().ok());
    all.extend(codes.map(|code| code.chosen().name));
    all.sort_unstable();
    all.dedup();
    all.into_iter().map(String::from).collect()
}

/// Reads the column `column` of a thesis table into curves, in the order of the table.
fn curves(
    rows: &[Vec<String>],
    cpu: Cpu,
    level: Level,
    column: usize,
    has_extra: bool,
) -> Vec<Series> {
    let mut all: Vec<Series> = Vec::new();
    for row in rows.iter().skip(1) {
        let number = |at: usize| row.get(at).and_then(|text| text.parse::<usize>().ok());
        let (Some(algorithm), Some(bytes)) = (row.first(), number(1)) else {
            continue;
        };
        let extra = if has_extra { number(2) } else { Some(0) };
        let value = row.get(column).and_then(|text| text.parse::<f64>().ok());
        let (Some(extra), Some(cycles_per_byte)) = (extra, value) else {
            continue;
        };
        let Some((code, kernel)) = ours(algorithm, level) else {
            continue;
        };
        let point = Point { bytes, extra, cycles_per_byte };
        match all.iter_mut().find(|series| series.algorithm == *algorithm) {
            Some(series) => series.points.push(point),
            None => {
                let algorithm = algorithm.clone();
                all.push(Series { cpu, level, algorithm, code, kernel, points: vec![point] });
            }
        }
    }
    all
}

/// Everything the thesis's appendix prints, read once.
struct Thesis {
    o3: Vec<Series>,
    o1: Vec<Series>,
    extra: Vec<Series>,
}

fn thesis_tables() -> &'static Thesis {
    static THESIS: OnceLock<Thesis> = OnceLock::new();
    THESIS.get_or_init(|| {
        let (a1, a2) = (published!("thesis_a1_intel_o3"), published!("thesis_a2_cortex_a53_o3"));
        let (a3, a4) = (published!("thesis_a3_power7_o3"), published!("thesis_a4_intel_o1"));
        let (a5, a6) = (
            published!("thesis_a5_extra_bytes_crc32c"),
            published!("thesis_a6_extra_bytes_ones_comp_16"),
        );
        let mut all = Thesis { o3: Vec::new(), o1: Vec::new(), extra: Vec::new() };
        for (cpu, column) in [(Cpu::I3, 2), (Cpu::Xeon, 3)] {
            all.o3.extend(curves(&a1, cpu, Level::O3, column, false));
            all.o1.extend(curves(&a4, cpu, Level::O1, column, false));
            all.extra.extend(curves(&a5, cpu, Level::O3, column + 1, true));
            all.extra.extend(curves(&a6, cpu, Level::O3, column + 1, true));
        }
        all.o3.extend(curves(&a2, Cpu::A53, Level::O3, 2, false));
        all.o3.extend(curves(&a3, Cpu::Power7, Level::O3, 2, false));
        all
    })
}

/// Returns Tables A.1, A.2 and A.3: every curve, -O3.
#[must_use]
pub fn thesis() -> &'static [Series] {
    &thesis_tables().o3
}

/// Returns Table A.4: the Internet checksum, -O1, on the two Intel CPUs.
#[must_use]
pub fn thesis_o1() -> &'static [Series] {
    &thesis_tables().o1
}

/// Returns Tables A.5 and A.6: 0 to 7 extra bytes, on the two Intel CPUs.
#[must_use]
pub fn thesis_extra_bytes() -> &'static [Series] {
    &thesis_tables().extra
}

/// Returns one curve of [`thesis`] or [`thesis_o1`].
#[must_use]
pub fn series(cpu: Cpu, level: Level, code: &str, kernel: &str) -> Option<&'static Series> {
    let all = if level == Level::O1 { thesis_o1() } else { thesis() };
    all.iter().find(|s| s.cpu == cpu && s.code == code && s.kernel == kernel)
}

/// Returns what the thesis quotes from other papers.
#[must_use]
pub fn literature() -> Vec<Quoted> {
    let read = |row: &Vec<String>| {
        let [source, quantity, bytes, value, unit] = row.clone().try_into().ok()?;
        Some(Quoted { source, quantity, bytes, value, unit })
    };
    published!("literature_quoted_in_thesis").iter().skip(1).filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_every_table_is_read() {
        let points = |all: &[Series], cpu: Cpu| {
            all.iter().filter(|s| s.cpu == cpu).map(|s| s.points.len()).sum::<usize>()
        };
        let counts = Cpu::ALL.map(|cpu| points(thesis(), cpu));
        assert_eq!(counts, [169, 169, 143, 130]);
        assert_eq!([Cpu::I3, Cpu::Xeon].map(|cpu| points(thesis_o1(), cpu)), [15, 15]);
        assert_eq!([Cpu::I3, Cpu::Xeon].map(|cpu| points(thesis_extra_bytes(), cpu)), [48, 48]);
        assert_eq!(literature().len(), 18);
    }

    #[test]
    fn named_figures_are_found_where_they_were_printed() {
        let at = |cpu, level, code, kernel, bytes| {
            series(cpu, level, code, kernel).unwrap().at(bytes, 0)
        };
        assert_eq!(
            at(Cpu::I3, Level::O3, "crc-32/iscsi", "sse42_pclmul_sahu2019", 1500),
            Some(0.211)
        );
        assert_eq!(at(Cpu::Xeon, Level::O3, "internet", "adc_pino2018", 9000), Some(0.222));
        assert_eq!(at(Cpu::I3, Level::O1, "internet", "word16_scalar", 64), Some(2.09));
        assert_eq!(at(Cpu::A53, Level::O3, "crc-32/iscsi", "crc", 1500), Some(1.187));
        assert_eq!(at(Cpu::Power7, Level::O3, "internet", "word64", 65536), Some(0.941));
        let a5 = thesis_extra_bytes()
            .iter()
            .find(|s| s.cpu == Cpu::Xeon && s.kernel == "sse42_pclmul_sahu2019")
            .unwrap();
        assert_eq!(a5.at(1500, 5), Some(0.201));
        assert!(series(Cpu::Power7, Level::O3, "crc-32/iscsi", "sse42").is_none());
    }
}
