//! The command line.

use crate::contender::SUBJECTS;
use crate::model::{Mode, Plan};
use clap::Parser;
use std::path::PathBuf;

/// The sizes that everyone is timed at.
const SIZES: [usize; 16] =
    [8, 20, 40, 44, 64, 128, 256, 550, 1500, 4096, 9000, 16384, 65536, 1 << 20, 1 << 26, 1 << 28];

/// Times residue and its peers, and prints the ratio to the best of them.
#[derive(Parser)]
#[command(name = "rivals", bin_name = "cargo xtask rivals", max_term_width = 100)]
pub struct Args {
    /// Only these codes, such as crc-32c,internet
    #[arg(short, long, value_delimiter = ',', value_parser = code)]
    pub code: Vec<&'static str>,
    /// Only these sizes in bytes; K and M are 1024 and 1024 x 1024
    #[arg(short, long, value_delimiter = ',', value_parser = size)]
    sizes: Vec<usize>,
    /// Only these modes
    #[arg(short, long, value_delimiter = ',')]
    modes: Vec<Mode>,
    /// Only these rivals
    #[arg(short, long, value_delimiter = ',')]
    pub rival: Vec<String>,
    /// Fewer runs, and half the rounds for long data: two to three minutes in all
    #[arg(short, long)]
    quick: bool,
    /// In cargo's release profile as it is, without link-time optimisation, as most users build
    #[arg(long)]
    pub default_build: bool,
    /// Portable code against portable code; with RESIDUE_CPU, the library's code of that tier
    /// against portable code
    #[arg(short, long)]
    pub portable: bool,
    /// Times each contender in a run
    #[arg(long, default_value_t = 31, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Runs over everything [default: 5; with --quick 3]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    runs: Option<u16>,
    /// Stay on this core
    #[arg(long, value_name = "CORE")]
    pub pin: Option<usize>,
    /// Keep the figures, as CPU/DATE.csv in this folder
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, default_missing_value = RECORDS)]
    pub record: Option<PathBuf>,
    /// Measure nothing: draw this record, or several side by side
    #[arg(long, value_name = "RECORD", num_args = 1.., conflicts_with_all = MEASURES)]
    pub draw: Vec<PathBuf>,
    /// Measure nothing: tables of this record
    #[arg(long, value_name = "RECORD", conflicts_with_all = MEASURES, conflicts_with = "draw")]
    pub show: Option<PathBuf>,
    /// Measure nothing: put the worst ratios of these records into docs/speed/peers.md
    #[arg(
        long,
        value_name = "RECORD",
        num_args = 1..,
        conflicts_with_all = MEASURES,
        conflicts_with_all = ["draw", "show"],
    )]
    pub docs: Vec<PathBuf>,
    /// Where --draw puts its figures
    #[arg(long, value_name = "FOLDER", default_value = FIGURES)]
    pub figures: PathBuf,
}

// From the root of the project, where `cargo xtask` is called.
const RECORDS: &str = "benches/record";
const FIGURES: &str = "docs/figures";
/// The page that `--docs` changes.
pub const PAGE: &str = "docs/speed/peers.md";

/// Arguments of a measurement alone.
const MEASURES: [&str; 3] = ["record", "quick", "portable"];

impl Args {
    /// Returns what to measure.
    #[must_use]
    pub fn plan(&self) -> Plan {
        let modes = if self.modes.is_empty() { Mode::ALL.to_vec() } else { self.modes.clone() };
        let sizes = if self.sizes.is_empty() { SIZES.to_vec() } else { self.sizes.clone() };
        let (runs, less) = if self.quick { (3, 2) } else { (5, 1) };
        let (runs, rounds) = (self.runs.unwrap_or(runs).into(), usize::from(self.rounds));
        Plan { modes, sizes, rounds, long_rounds: rounds.div_ceil(less), runs }
    }
}

fn code(name: &str) -> Result<&'static str, String> {
    let code: residue::Code = name.parse().map_err(|error: residue::Error| error.to_string())?;
    let known = SUBJECTS.iter().find(|subject| subject.code == code.name());
    known.map(|subject| subject.code).ok_or_else(|| {
        let names: Vec<&str> = SUBJECTS.iter().map(|subject| subject.code).collect();
        format!("it has no rivals here; these have: {}", names.join(", "))
    })
}

fn size(text: &str) -> Result<usize, String> {
    let (digits, unit) = match text.as_bytes().last() {
        Some(b'K' | b'k') => (&text[..text.len() - 1], 1 << 10),
        Some(b'M' | b'm') => (&text[..text.len() - 1], 1 << 20),
        _ => (text, 1),
    };
    let size = digits.parse::<usize>().ok().and_then(|number| number.checked_mul(unit));
    let size = size.filter(|size| (1..=1 << 30).contains(size));
    size.ok_or_else(|| "a size is 1 byte to 1024M".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contender::{CRC_32C, INTERNET};

    #[test]
    fn names_and_sizes_are_understood() {
        use clap::CommandFactory;
        Args::command().debug_assert();
        assert_eq!((code("crc32c"), code("internet")), (Ok(CRC_32C), Ok(INTERNET)));
        assert!(code("crc-8/smbus").is_err() && code("crc-33").is_err());
        assert_eq!((size("64"), size("16K"), size("64M")), (Ok(64), Ok(16384), Ok(1 << 26)));
        ["", "0", "K", "-1", "2000M", "1G"].iter().for_each(|text| assert!(size(text).is_err()));
    }
}
