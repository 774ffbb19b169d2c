//! `residue strength`: which errors codes miss.

mod advise;
mod claims;
mod compare;
mod data;
mod profile;
mod search;
mod sums;
mod weights;

use crate::lengths::bits as length;
use crate::output::Output;
use crate::progress::Progress;
use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use residue_report::{COLUMNS, number::grouped, text::wrapped};
use residue_strength::{Effort, Generator, Notation};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const HELP: &str = "\
A polynomial is a CRC's name, or hexadecimal: normal:04c11db7, koopman:82608edb, reversed:edb88320, reciprocal:, \
explicit:104c11db7. Digits alone do where only one notation is possible, or only one makes a known polynomial. Sums of \
powers are understood as well: x^16+x^12+x^5+1.

Lengths are of the data, without the check value: bits (1e9, 64k), or bytes with a B behind (1500B, 1.5kB, 64KiB, 1MiB).

Every figure says what it is: exact (proved), bound (proved as far as it goes), sampled (looked at in points).

An undetected error is given by its wrong bits in the data, 0 the first that is sent, and by the change (exclusive or) of the \
check value, in hexadecimal as `residue sum` prints values. The first bit of a byte is its highest, of reflected CRCs its \
lowest. Data that are no whole bytes stand for those with zero bits in front. A polynomial alone is taken highest bit first. \
The named code itself is asked about each error; docs/strength.md shows how to check one by hand.

Examples:
  residue strength crc-32c                   to which length each Hamming distance holds
  residue strength crc-32 --length 1500B     the Hamming distance of Ethernet frames
  residue strength koopman:ba0dc66b
  residue strength crc-64/nvme --most 5 --confirm --patience 300
  residue strength weights crc-32 --length 1514B --most 4
  residue strength weights crc-16/xmodem --length 64 --ber 1e-6,1e-4
  residue strength sums                      the Internet checksum, Fletcher, Adler and others
  residue strength data /usr/lib             what twelve codes miss on these files
  residue strength search --width 16 --length 64 --hd 6
  residue strength compare --length 1500B    CRC-32C, TCP's checksum, Fletcher, Adler and others side by side
  residue strength advise --length 1500B --hd 6    which codes see every error of up to five bits
  residue strength claims                    what the documents say, and what is so";

/// `residue strength`
#[derive(Debug, Args)]
#[command(after_help = HELP, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct StrengthArgs {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    profile: profile::ProfileArgs,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Count the undetected errors of each number of bits, and say how probable they are
    Weights(weights::WeightsArgs),
    /// Damage real data as networks and disks do, and count what each code misses
    Data(data::DataArgs),
    /// Count what sums miss, exactly: distances, pairs of bits, bursts, swaps, insertions
    Sums(sums::SumsArgs),
    /// Find the polynomials of a width that keep a Hamming distance, or survey all
    Search(search::SearchArgs),
    /// Put codes side by side, CRCs and sums: distances, shares, probabilities, undetected errors a year
    Compare(compare::CompareArgs),
    /// Name the codes that keep a Hamming distance at a length, with their speed here
    Advise(advise::AdviseArgs),
    /// Judge what the source documents say: each statement, its exact condition, and a proof
    Claims(claims::ClaimsArgs),
}

/// Does what was asked for.
pub fn run(args: &StrengthArgs, output: &mut Output) -> anyhow::Result<()> {
    match &args.command {
        Some(Command::Weights(args)) => weights::run(args, output),
        Some(Command::Data(args)) => data::run(args, output),
        Some(Command::Sums(args)) => sums::run(args, output),
        Some(Command::Search(args)) => search::run(args, output),
        Some(Command::Claims(args)) => claims::run(args, output),
        Some(Command::Advise(args)) => advise::run(args, output),
        Some(Command::Compare(args)) => compare::run(args, output),
        None => profile::run(&args.profile, output),
    }
}

/// How much to compute.
#[derive(Debug, Args)]
struct Patience {
    /// How long the work may take, to some seconds; what would take longer stays a bound
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    patience: u32,
    /// All of a command's work has to be done in that time.
    #[arg(skip = Instant::now())]
    since: Instant,
}

impl Patience {
    /// Works with a progress bar; if it may take more than a second, says so first.
    fn work<T>(
        &self,
        output: &mut Output,
        what: &'static str,
        seconds: impl FnOnce(&Effort<'_>) -> f64,
        work: impl FnOnce(&Effort<'_>) -> T,
    ) -> T {
        let end = self.since + Duration::from_secs(self.patience.into());
        let in_time = |_| Instant::now() < end;
        let effort = Effort { spend: &in_time, ..Effort::new().within(self.patience) };
        let seconds = seconds(&effort);
        // What is refused for taking too long is not announced.
        if seconds > 1.0 && seconds.is_finite() {
            let seconds = seconds.min(self.patience.into());
            output.complain(&format!("{what}, which may take {}", duration(seconds)));
            output.progress = Progress::of(what);
        }
        let progress = output.progress.clone();
        let result = work(&Effort { tell: &|done, of| progress.tell(done, of), ..effort });
        output.progress.clear();
        result
    }
}

fn duration(seconds: f64) -> String {
    match seconds {
        ..100.0 => format!("{seconds:.0} seconds"),
        ..6000.0 => format!("{:.0} minutes", seconds / 60.0),
        _ => format!("{:.0} hours", seconds / 3600.0),
    }
}

/// The polynomial that `text` names, and how it was read. A width that a name contradicts is no
/// detail to pass over.
fn generator(text: &str, width: Option<u32>) -> anyhow::Result<(Generator, Notation)> {
    let (generator, read) = Generator::parse(text, width)?;
    match width {
        Some(width) if width != generator.width() => bail!(
            "--width {width}: `{}` has {} bits; leave --width out",
            text.escape_debug(),
            generator.width()
        ),
        _ => Ok((generator, read)),
    }
}

/// Says where a report is, or why it is not.
fn reported(
    folder: &Path,
    files: io::Result<Vec<PathBuf>>,
    output: &mut Output,
) -> anyhow::Result<()> {
    let files =
        files.with_context(|| format!("cannot write the report into `{}`", folder.display()))?;
    if let Some(page) = files.first() {
        output.complain(&format!("report: {}", page.display()));
    }
    Ok(())
}

/// What it is, in a line or two.
fn polynomial_as_text(generator: &Generator, read: Notation) -> Vec<String> {
    let notations: Vec<String> = Notation::ALL
        .iter()
        .map(|&notation| format!("{} {}", notation.name(), generator.digits(notation)))
        .collect();
    let mut lines = vec![
        format!("polynomial  {} bits, read as {}", generator.width(), read.name()),
        format!("            {}", notations.join("  ")),
    ];
    let names: Vec<&str> = generator.names().collect();
    if !names.is_empty() {
        let names = names.join(", ");
        let wrapped = wrapped(&names, COLUMNS - 12);
        lines.extend(
            wrapped
                .lines()
                .zip(["used by"].into_iter().chain(std::iter::repeat("")))
                .map(|(line, label)| format!("{label:12}{line}")),
        );
    }
    lines
}
