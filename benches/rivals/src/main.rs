//! `residue` beside its peers: who is faster, at which length. `cargo xtask rivals` runs it; README.md tells how it measures.

#![deny(unsafe_code)]

mod check;
mod contender;
mod foreign;
mod machine;
mod measure;
mod required;
mod rivals;
mod tables;

use clap::Parser;
use contender::{Contender, SUBJECTS, Way};
use measure::{Cell, Mode, Plan};
use residue_lab::report::wrapped;
use residue_lab::speed::{clock::Clock, pin};
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

/// Everyone is timed at these.
const SIZES: [usize; 15] =
    [8, 20, 40, 44, 64, 128, 256, 550, 1500, 4096, 9000, 16384, 65536, 1 << 20, 1 << 26];
/// And at these with `--quick`.
const QUICK: [usize; 8] = [20, 44, 64, 256, 1500, 4096, 16384, 1 << 20];

/// Times residue and its peers, and tells the ratio to the best of them.
#[derive(Parser)]
#[command(name = "rivals", max_term_width = 100)]
struct Args {
    /// Only these codes, such as crc-32c,internet
    #[arg(short, long, value_delimiter = ',', value_parser = code)]
    code: Vec<&'static str>,
    /// Only these sizes in bytes; K and M are 1024 and 1024 x 1024
    #[arg(short, long, value_delimiter = ',', value_parser = size)]
    sizes: Vec<usize>,
    /// Only these modes
    #[arg(short, long, value_delimiter = ',')]
    modes: Vec<Mode>,
    /// Only these rivals
    #[arg(short, long, value_delimiter = ',')]
    rival: Vec<String>,
    /// Throughput at eight sizes, one run
    #[arg(short, long)]
    quick: bool,
    /// Portable code against portable code
    #[arg(short, long)]
    portable: bool,
    /// Times each contender in a run
    #[arg(long, default_value_t = 31, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Runs over everything [default: 3, with --quick 1]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    runs: Option<u16>,
    /// Stay on this core
    #[arg(long)]
    pin: Option<usize>,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("rivals: {why}");
            ExitCode::from(2)
        }
    }
}

fn run(args: &Args) -> Result<(), String> {
    if args.portable {
        machine::mask("portable");
    }
    if let Some(core) = args.pin {
        pin(Some(core)).map_err(|error| error.to_string())?;
    }
    println!("{}", wrapped(&machine::described(), 100));
    for (name, package, present) in machine::DEBIAN {
        if !present {
            println!("left out: {name} (Debian package {package} was not there at build time)");
        }
    }
    let plan = plan(args);
    let groups = contenders(args, &plan.sizes)?;
    println!(
        "{} rounds, {} run{}\n",
        plan.rounds,
        plan.runs,
        if plan.runs == 1 { "" } else { "s" }
    );

    let mut progress = Progress(std::io::stderr().is_terminal());
    let cells =
        measure::measure(&plan, &groups, &Clock::calibrate(), &mut |text| progress.show(text));
    print(&cells, &plan.modes);
    Ok(())
}

/// Those who take part and gave no wrong answer, code by code.
fn contenders(args: &Args, sizes: &[usize]) -> Result<Vec<Vec<Contender>>, String> {
    if let Some(unknown) =
        args.rival.iter().find(|name| !rivals::RIVALS.iter().any(|r| r.name == **name))
    {
        let mut names: Vec<&str> = rivals::RIVALS.iter().map(|rival| rival.name).collect();
        names.sort_unstable();
        names.dedup();
        return Err(format!("no rival `{unknown}`; there are {}", names.join(", ")));
    }
    let other = if args.portable { Way::Fallback } else { Way::Detected };
    let takes_part = |rival: &&Contender| {
        (rival.way == Way::Portable || rival.way == other)
            && (args.rival.is_empty() || args.rival.iter().any(|name| name == rival.name))
    };
    let mut groups = Vec::new();
    for subject in SUBJECTS.iter().filter(|s| args.code.is_empty() || args.code.contains(&s.code)) {
        let of = rivals::RIVALS.iter().filter(|rival| rival.code == subject.code);
        let all = [Contender::ours(subject)].into_iter().chain(of.filter(takes_part).copied());
        let checked = check::check(subject, all.collect(), sizes);
        for remark in checked.remarks {
            println!("{}", wrapped(&format!("{}: {remark}", subject.title), 100));
        }
        groups.push(checked.contenders);
    }
    Ok(groups)
}

fn plan(args: &Args) -> Plan {
    let modes = match (args.modes.as_slice(), args.quick) {
        ([], true) => vec![Mode::Throughput],
        ([], false) => Mode::ALL.to_vec(),
        (modes, _) => modes.to_vec(),
    };
    let sizes = match (args.sizes.as_slice(), args.quick) {
        ([], true) => QUICK.to_vec(),
        ([], false) => SIZES.to_vec(),
        (sizes, _) => sizes.to_vec(),
    };
    let runs = args.runs.unwrap_or(if args.quick { 1 } else { 3 });
    Plan { modes, sizes, rounds: args.rounds.into(), runs: runs.into() }
}

/// All tables, and the summaries at the end.
fn print(cells: &[Cell], modes: &[Mode]) {
    for subject in &SUBJECTS {
        for &mode in modes {
            for table in tables::Field::new(cells, subject.code, mode).tables(subject, mode) {
                println!("{}", table.text());
            }
        }
    }
    println!("*: the best rival. A call takes about 1.5 ns of what is told, whoever is called.\n");
    for &mode in modes {
        // The requirement is about throughput.
        if let Some((table, verdict)) = tables::summary(cells, mode, mode == Mode::Throughput) {
            println!("{}{verdict}\n", table.text());
        }
    }
    if !required::full() {
        println!("Required here: not to be slower; the higher ratios are for AVX-512 with GFNI.");
    }
}

/// One line that is written over, on a terminal.
struct Progress(bool);

impl Progress {
    fn show(&mut self, text: &str) {
        if self.0 {
            eprint!("\r\x1b[K{text}");
            let _ = std::io::stderr().flush();
        }
    }
}

fn code(name: &str) -> Result<&'static str, String> {
    let code: residue::Code = name.parse().map_err(|error: residue::Error| error.to_string())?;
    let known = SUBJECTS.iter().find(|subject| subject.code == code.name());
    known.map(|subject| subject.code).ok_or_else(|| "no rivals for this code".to_string())
}

fn size(text: &str) -> Result<usize, String> {
    let (digits, unit) = match text.as_bytes().last() {
        Some(b'K' | b'k') => (&text[..text.len() - 1], 1 << 10),
        Some(b'M' | b'm') => (&text[..text.len() - 1], 1 << 20),
        _ => (text, 1),
    };
    let size = digits.parse::<usize>().ok().and_then(|number| number.checked_mul(unit));
    size.filter(|size| (1..=1 << 30).contains(size)).ok_or("1 byte to 1024M".to_string())
}
