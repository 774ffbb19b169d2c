//! The command line of residue: computes, checks, explains and compares error-detection codes.
//!
//! This crate parses arguments, reads files and prints. The libraries of the workspace compute.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod advice;
mod codes;
mod commands;
mod hex;
mod lengths;
mod lists;
mod names;
mod options;
mod output;
mod progress;
mod read;
mod streams;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory as _, Parser as _};
use commands::{Cli, completions};
use output::{Form, Kept, Outcome, Output, Styles, visible};
use std::io::{self, Write as _};
use std::process::ExitCode;

fn main() -> ExitCode {
    completions::answer(Cli::command);
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return not_run(&short(error)).into(),
    };
    let mut output = Output::new();
    let result =
        check_mask().and_then(|()| cli.run(&mut output)).and_then(|()| Ok(output.flush()?));
    match result {
        Ok(()) => {}
        // The reader has closed the pipe, as `head` does. The outcome stands.
        Err(error) if is_broken_pipe(&error) => {}
        Err(error) => {
            output.found(Outcome::Trouble);
            output.complain(&output::words(&error));
        }
    }
    output.worst().into()
}

/// Leaves out long lists of the values that an argument takes: of codes, there are 250.
fn short(mut error: clap::Error) -> clap::Error {
    const MOST: usize = 30;
    let values = error.get(ContextKind::ValidValue);
    if matches!(values, Some(ContextValue::Strings(values)) if values.len() > MOST) {
        error.remove(ContextKind::ValidValue);
        let advice = ContextValue::StyledStrs(vec!["`residue list` prints all names".into()]);
        error.insert(ContextKind::Suggested, advice);
    }
    error
}

/// Prints the help that was asked for, or what is wrong with the arguments.
fn not_run(error: &clap::Error) -> Outcome {
    let wrong = error.use_stderr();
    // A reader may close the pipe before the end of the help; other failures to print count.
    let printed = if wrong { Ok(()) } else { streams::stdout().check() };
    let failed = match printed.and_then(|()| print(error)) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let _ = writeln!(io::stderr(), "residue: {}", read::problem(&error));
            true
        }
        _ => false,
    };
    if wrong || failed { Outcome::Trouble } else { Outcome::Good }
}

/// Prints an error of the arguments, in colour unless an argument holds characters that a terminal
/// obeys: nothing distinguishes the colours of the error from those of the argument.
fn print(error: &clap::Error) -> io::Result<()> {
    let args: Vec<String> =
        std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect();
    let values = args.iter().filter_map(|arg| Some(arg.split_once('=')?.1));
    let mut active: Vec<(&str, String)> = args
        .iter()
        .map(String::as_str)
        .chain(values)
        .map(|arg| (arg, Styles::plain(arg.as_ref())))
        .filter(|(arg, plain)| arg != plain)
        .collect();
    if !error.use_stderr() || active.is_empty() {
        return error.print();
    }
    // Of an argument and its value, which may be quoted alone, the longer one first.
    active.sort_by_key(|(arg, _)| std::cmp::Reverse(arg.len()));
    let text = error.render().ansi().to_string();
    let text = active.iter().fold(text, |text, (arg, plain)| text.replace(arg, plain));
    let text = anstream::adapter::strip_str(&text).to_string();
    io::stderr().write_all(&visible(text.as_bytes(), Form::Text, Kept::Layout))
}

/// Refuses an unknown CPU mask. The library ignores one, and the wrong kernels would be measured
/// or tested.
fn check_mask() -> anyhow::Result<()> {
    residue::cpu::mask_error().map_or(Ok(()), |error| Err(anyhow::Error::msg(error)))
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
