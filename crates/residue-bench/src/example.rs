//! Runs made up for the tests: plausible figures for every kernel, without measuring anything.

use crate::model::{Cell, FORMAT, Machine, Run};

/// The thirteen sizes of the thesis.
pub const SIZES: [usize; 13] =
    [64, 128, 256, 512, 1024, 1500, 2048, 4096, 8192, 9000, 16384, 32768, 65536];

/// Code, kernel, cycles of one call that do not depend on the length, cycles per byte.
type Cost = (&'static str, &'static str, f64, f64);

const TABLES: [Cost; 5] = [
    ("crc-32/iscsi", "bitwise_sahu2019", 40.0, 95.0),
    ("crc-32/iscsi", "nibble", 25.0, 10.1),
    ("crc-32/iscsi", "bytewise", 20.0, 5.6),
    ("crc-32/iscsi", "slicing4", 28.0, 1.9),
    ("crc-32/iscsi", "slicing8", 30.0, 1.25),
];

const SUMS: [Cost; 7] = [
    ("internet", "word16", 22.0, 0.071),
    ("internet", "word32", 23.0, 0.074),
    ("internet", "word16_scalar", 18.0, 0.52),
    ("internet", "word32_scalar", 18.0, 0.26),
    ("adler-32", "bytewise", 20.0, 2.0),
    ("adler-32", "deferred", 35.0, 0.62),
    ("fletcher-32", "deferred", 30.0, 0.51),
];

const X86: [Cost; 9] = [
    ("crc-32/iscsi", "sse42", 14.0, 0.376),
    ("crc-32/iscsi", "sse42_tables_sahu2019", 44.0, 0.141),
    ("crc-32/iscsi", "sse42_pclmul_sahu2019", 50.0, 0.128),
    ("crc-32/iscsi", "avx512_vpclmul", 24.0, 0.021),
    ("internet", "adc_pino2018", 12.0, 0.128),
    ("internet", "sse2", 14.0, 0.047),
    ("internet", "avx2", 14.0, 0.024),
    ("internet", "avx512", 13.0, 0.0152),
    ("adler-32", "avx2", 30.0, 0.047),
];

const ARM: [Cost; 3] = [
    ("crc-32/iscsi", "crc", 20.0, 0.38),
    ("crc-32/iscsi", "crc_pmull", 40.0, 0.127),
    ("internet", "neon", 15.0, 0.04),
];

/// Returns a run on a made-up x86-64 with everything.
pub fn x86() -> Run {
    run("Example 9999 Processor @ 3.0GHz", "x86_64", &X86)
}

/// Returns a run on a made-up 64-bit ARM.
pub fn arm() -> Run {
    run("Example-N9", "aarch64", &ARM)
}

/// Returns a run without any cell.
pub fn empty() -> Run {
    Run { cells: Vec::new(), steady: Vec::new(), conditions: Vec::new(), ..x86() }
}

fn run(cpu: &str, arch: &str, special: &[Cost]) -> Run {
    let machine = Machine {
        cpu: cpu.into(),
        arch: arch.into(),
        features: ["sse4.2", "pclmulqdq", "avx2"].map(String::from).to_vec(),
        profile: "zen3".into(),
        counter: "rdtsc".into(),
        ticks_per_cycle: 0.83,
        ticks_per_cycle_by_products: Some(0.831),
        ns_per_tick: 0.4,
        resolution_ticks: 1.0,
        overhead_ticks: 24.0,
        overhead_included: false,
    };
    let mut cells = Vec::new();
    for &(code, kernel, fixed, per_byte) in TABLES.iter().chain(special).chain(&SUMS) {
        for bytes in SIZES {
            let odd = [64, 1500, 9000].contains(&bytes) && !kernel.ends_with("scalar");
            for extra in 0..if odd { 8 } else { 1 } {
                cells.push(cell(code, kernel, bytes, extra, fixed, per_byte));
            }
        }
    }
    Run {
        format: FORMAT,
        residue: "0.1.0".into(),
        date: "2026-01-02T03:04:05Z".into(),
        machine,
        mode: "thesis".into(),
        data: "random".into(),
        samples: 1000,
        cells,
        steady: Vec::new(),
        conditions: Vec::new(),
        load: Default::default(),
    }
}

fn cell(code: &str, kernel: &str, bytes: usize, extra: usize, fixed: f64, per_byte: f64) -> Cell {
    let total = (bytes + extra) as f64;
    // A fixed scatter, so that the same figures come out each time.
    let seed = (bytes * 31 + extra * 7 + kernel.len() * 13 + code.len() * 5) % 17;
    let scatter = 1.0 + (seed as f64 - 8.0) * 0.004;
    let mean = (fixed + per_byte * total + extra as f64 * 1.5) / total * scatter;
    let sd = mean * (0.02 + 12.0 / total);
    Cell {
        code: code.into(),
        kernel: kernel.into(),
        bytes,
        extra,
        samples: 1000,
        set_aside: 0,
        mean,
        sd,
        margin: 1.962 * sd / 1000f64.sqrt(),
        median: mean * 0.995,
        low: mean * 0.993,
        high: mean * 0.998,
        plain_mean: mean,
        plain_margin: 1.962 * sd / 1000f64.sqrt(),
        min: mean * 0.97,
        ns: mean * total / 3.0,
    }
}
