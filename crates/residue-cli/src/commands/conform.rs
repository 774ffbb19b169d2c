//! `residue conform`: checks the answers of another program against the test vectors of a code.

mod program;
mod report;

use crate::codes::Chosen;
use crate::options::{CodeNames, Json};
use crate::output::{Outcome, Output, Styles};
use crate::progress::Progress;
use anyhow::Context as _;
use clap::Args;
use program::Program;
use report::Judged;
use residue_identify::conform::{self, Case};
use std::ffi::OsStr;

/// The longest input passed as an argument, in bytes. Systems limit an argument to about 128 KiB.
const LONGEST_ARGUMENT: usize = 32 << 10;

// Arguments of `residue conform`.
#[derive(Debug, Args)]
#[command(after_help = HELP, mut_arg("codes", |arg| arg.required(true).help(CODE_HELP)))]
pub struct ConformArgs {
    #[command(flatten)]
    codes: CodeNames,
    #[command(flatten)]
    program: Program,
    #[command(flatten)]
    format: Json,
}

const CODE_HELP: &str = "Code that the program is meant to compute";

const HELP: &str = "\
The program is run once for each test input, with the input on its standard input. Its answer is \
the first word on its standard output that consists of hexadecimal digits alone, with or without \
0x. (Words such as `dead` and `be` qualify, so let the program print the number first.) The rest \
of the output is ignored.

Only one-shot values are tested. Mistakes in placing check octets in a message, in combining \
values, or in updating a value for changed bytes are not found.

Wrong answers are compared with known mistakes, with all other codes, and with other forms of the \
right value. If none of them gives all the answers, CRCs with parameters near the right ones are \
tried, and the answers are handed to the search of `residue identify`. Exit code 1: an answer is \
wrong. Exit code 2: the program cannot be started, fails, takes too long or prints no number.

Examples:
  residue conform -a crc-32 -- crc32 /dev/stdin
  residue conform -a cksum --decimal -- ./my-cksum
  residue conform -a crc-32c -- python3 -c \\
    'import sys, zlib; print(hex(zlib.crc32(sys.stdin.buffer.read())))'";

/// Runs the program on all test inputs, and judges its answers.
pub fn run(args: &ConformArgs, output: &mut Output) -> anyhow::Result<()> {
    let chosen = args.codes.only()?;
    let mut cases = conform::cases(&chosen.code)?;
    if args.program.arg_hex {
        cases.retain(|case| case.data.len() <= LONGEST_ARGUMENT);
    }
    if chosen.cksum {
        with_length(&chosen, &mut cases);
    }
    output.progress = Progress::of_steps(cases.len() as u64);
    let mut answers = Vec::new();
    for case in &cases {
        let program =
            Styles::plain(args.program.command.first().map_or(OsStr::new(""), |name| name));
        let answer = args
            .program
            .ask(case, chosen.code.width())
            .with_context(|| format!("{program}, given {}", case.input))?;
        answers.push(answer);
        output.progress.add(1);
    }
    output.progress.clear();
    let verdict = conform::judge(&chosen.code, &cases, &answers);
    if !verdict.good() {
        output.found(Outcome::Bad);
    }
    let judged = Judged { chosen: &chosen, cases: &cases, answers: &answers, verdict: &verdict };
    if args.format.json {
        let command =
            args.program.command.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        output.json(&judged.json(command))?;
    } else {
        judged.print(output)?;
    }
    Ok(())
}

/// Replaces the expected values by those of the program cksum. Known mistakes are then not
/// recognised, because they are those of the CRC alone.
fn with_length(chosen: &Chosen, cases: &mut [Case]) {
    for case in cases {
        let mut stream = chosen.code.stream();
        stream.update(&case.data);
        case.expected = chosen.value(stream, case.data.len() as u64);
    }
}
