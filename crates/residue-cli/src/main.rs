//! The command line of residue: computes, checks, explains and compares error-detection codes.
//!
//! It parses arguments, reads files and prints; what it prints is computed by the other crates.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod args;
mod codes;
mod commands;
mod lengths;
mod lists;
mod output;
mod progress;
mod read;
mod streams;

use args::{Args, Command};
use clap::Parser as _;
use output::Output;
use std::io::{self, Write as _};
use std::process::ExitCode;

/// How a command ended. The worst of several counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// All is well.
    Good,
    /// A bad check value was found.
    Bad,
    /// Something could not be read, or was asked for wrongly.
    Trouble,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> ExitCode {
        ExitCode::from(match outcome {
            Outcome::Good => 0,
            Outcome::Bad => 1,
            Outcome::Trouble => 2,
        })
    }
}

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            let wrong = error.use_stderr();
            // Help that nobody reads to its end is good; help that cannot be printed is not.
            let printed = if wrong { Ok(()) } else { streams::stdout().check() };
            let failed = match printed.and_then(|()| error.print()) {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => false,
                Err(error) => {
                    let _ = writeln!(io::stderr(), "residue: {}", read::problem(&error));
                    true
                }
                Ok(()) => false,
            };
            return if wrong || failed { Outcome::Trouble } else { Outcome::Good }.into();
        }
    };
    let mut output = Output::new();
    let result = run(args, &mut output).and_then(|()| Ok(output.flush()?));
    match result {
        Ok(()) => {}
        // The reader has seen enough, as `head` has. What was found stands.
        Err(error) if is_broken_pipe(&error) => {}
        Err(error) => {
            output.found(Outcome::Trouble);
            output.complain(&output::words(&error));
        }
    }
    output.worst().into()
}

fn run(args: Args, output: &mut Output) -> anyhow::Result<()> {
    check_mask()?;
    match args.command {
        Command::List(args) => commands::list::run(&args, output),
        Command::Sum(args) if args.check => commands::check::run(&args, output),
        Command::Sum(args) if args.explain => commands::explain::run(&args, output),
        Command::Sum(args) if args.self_test => commands::self_test::run(&args, output),
        Command::Sum(args) => commands::sum::run(&args, output),
        Command::Bench(args) => {
            let outcome = commands::bench::run(&args)?;
            output.found(outcome);
            Ok(())
        }
        Command::Strength(args) => commands::strength::run(&args, output),
        Command::Pcap(args) => commands::pcap::run(&args, output),
        Command::Guard(args) => commands::guard::run(&args, output),
        Command::Conform(args) => commands::conform::run(&args, output),
        Command::Identify(args) => commands::identify::run(&args, output),
        Command::Completions(args) => commands::manual::completions(&args, output),
        Command::Man(args) => commands::manual::pages(&args, output),
    }
}

/// The library ignores a mask it does not know, and the user would measure or test the wrong thing.
fn check_mask() -> anyhow::Result<()> {
    residue::cpu::mask_error().map_or(Ok(()), |error| Err(anyhow::Error::msg(error)))
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
