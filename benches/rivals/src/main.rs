//! Compares `residue` with its peers at many lengths.
//!
//! `cargo xtask rivals` runs it; README.md describes how it measures.
//!
//! A further comparison is a [`model::Mode`] and a module that makes its races, as [`copy`] does.

#![deny(unsafe_code)]

mod args;
mod batch;
mod check;
mod contender;
mod copy;
mod cpus;
mod docs;
mod draw;
mod foreign;
mod machine;
mod measure;
mod model;
mod race;
mod record;
mod required;
mod rivals;
mod tables;
mod threads;
mod walk;

use args::Args;
use clap::Parser;
use contender::{Contender, SUBJECTS, Way};
use model::Mode;
use record::Record;
use residue_bench::clock::Clock;
use residue_bench::{load::Cpus, pin};
use residue_report::text::wrapped;
use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = Args::parse();
    let done = match (args.draw.as_slice(), &args.show, args.docs.as_slice()) {
        ([], Some(path), _) => Record::read(path).map(|record| report_of(&record)),
        ([], None, []) => run(&args),
        ([], None, paths) => docs::update(Path::new(args::PAGE), paths),
        (paths, ..) => {
            let records: Result<Vec<Record>, String> =
                paths.iter().map(|path| Record::read(path)).collect();
            records.and_then(|records| draw::draw(&records, &args.figures))
        }
    };
    match done {
        Ok(text) => {
            // A reader that has seen enough is no failure.
            let _ = std::io::stdout().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("rivals: {why}");
            ExitCode::from(2)
        }
    }
}

/// Measures, and returns the report.
fn run(args: &Args) -> Result<String, String> {
    machine::restrict(args.portable)?;
    // `cargo xtask rivals` builds what is asked for.
    if args.default_build != machine::is_default_build() {
        let why = "--default-build and the build of this program differ; \
                   call `cargo xtask rivals`, which builds what is asked for";
        return Err(why.to_string());
    }
    if let Some(core) = args.pin {
        pin(Some(core)).map_err(|error| error.to_string())?;
    }
    let mut progress = Progress(std::io::stderr().is_terminal());
    let (plan, clock) = (args.plan(), Clock::calibrate());
    progress.show("checking answers");
    // Longer data is for threads alone, which are compared with one.
    let checked = |size: &usize| Mode::Throughput.sizes().contains(size);
    let sizes: Vec<usize> = plan.sizes.iter().copied().filter(checked).collect();
    let (groups, mut remarks) = contenders(args, &sizes)?;
    let before = Cpus::now();
    let cells = measure::measure(&plan, &groups, &clock, &mut |text| progress.show(text))?;
    let empty = measure::empty_call(&clock);

    let record = Record::new(cells, args.portable, &machine::quietness(before));
    for (name, library, present) in machine::SYSTEM {
        if !present {
            remarks.push(format!("{name} is left out: no {library} at build time"));
        }
    }
    remarks.push(format!(
        "method: medians of the quiet third of {} times {} rounds, {} above 1 MiB; an empty call \
         takes {empty:.1} ns, which every time includes",
        plan.runs, plan.rounds, plan.long_rounds
    ));
    let remarks = remarks.iter().map(|remark| wrapped(remark, 100) + "\n");
    let mut out = remarks.collect::<String>() + &report_of(&record);
    if let Some(folder) = &args.record {
        let _ = writeln!(out, "recorded: {}", record.write(folder)?.display());
    }
    Ok(out)
}

/// Returns the contenders, code by code, and remarks on their answers.
fn contenders(args: &Args, sizes: &[usize]) -> Result<(Vec<Vec<Contender>>, Vec<String>), String> {
    let known = |name: &&String| !rivals::RIVALS.iter().any(|rival| rival.name == **name);
    if let Some(unknown) = args.rival.iter().find(known) {
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
    let (mut groups, mut remarks) = (Vec::new(), Vec::new());
    for subject in SUBJECTS.iter().filter(|s| args.code.is_empty() || args.code.contains(&s.code)) {
        let of = rivals::RIVALS.iter().filter(|rival| rival.code == subject.code);
        let all = [Contender::ours(subject)].into_iter().chain(of.filter(takes_part).copied());
        let checked = check::check(subject, all.collect(), sizes);
        remarks.extend(checked.remarks.iter().map(|text| format!("{}: {text}", subject.title)));
        groups.push(checked.contenders);
    }
    Ok((groups, remarks))
}

/// Reports a record: all tables, the summaries, and where `residue` is behind.
fn report_of(record: &Record) -> String {
    let (mut out, cells) = (String::new(), record.cells.as_slice());
    for (key, value) in &record.facts {
        let _ = writeln!(out, "{key}: {value}");
    }
    out.push('\n');
    for subject in &SUBJECTS {
        for mode in Mode::ALL {
            for table in tables::Field::new(cells, subject.code, mode).tables(subject, mode) {
                out.push_str(&(table.text() + "\n"));
            }
        }
    }
    out.push_str(
        "*: the best rival. ratio: its time over residue's; above 1 residue is faster.\n\n",
    );
    let goals = required::Goals::of(record);
    for mode in Mode::ALL {
        if let Some((table, verdict)) = tables::summary(cells, mode, goals) {
            let _ = writeln!(out, "{}{verdict}", table.text());
        }
    }
    let behind = tables::behind(cells);
    if !behind.is_empty() {
        let behind = behind.join("\n  ");
        let _ = writeln!(out, "Behind the best rival by more than 3 %:\n  {behind}\n");
    }
    out + &goals.describe() + "\n"
}

/// A progress line that is overwritten, on a terminal.
struct Progress(bool);

impl Progress {
    fn show(&mut self, text: &str) {
        if self.0 {
            eprint!("\r\x1b[K{text}");
            let _ = std::io::stderr().flush();
        }
    }
}
