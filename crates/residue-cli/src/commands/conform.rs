//! `residue conform`: checks the answers of another program against the test vectors of a code.

mod program;

use crate::codes::Chosen;
use crate::options::{CodeNames, Json};
use crate::output::{Encoding, Outcome, Output, Styles};
use crate::progress::Progress;
use anyhow::Context as _;
use clap::Args;
use program::Program;
use residue_identify::conform::{self, Case, Kind, Verdict};
use serde::Serialize;
use std::ffi::OsStr;

/// The longest input passed as an argument, in bytes. Systems limit an argument to about 128 KiB.
const LONGEST_ARGUMENT: usize = 32 << 10;
/// Columns of the input names in the table, at most.
const LONGEST_NAME: usize = 50;

/// Arguments of `residue conform`.
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
right value. Exit code 1: an answer is wrong. Exit code 2: the program cannot be started, fails, \
takes too long or prints no number.

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
    if args.format.json {
        output.json(&Report::of(args, &chosen, &cases, &answers, &verdict))?;
    } else {
        print(output, &chosen, &cases, &answers, &verdict)?;
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

#[derive(Serialize)]
struct Report {
    code: String,
    command: Vec<String>,
    right: usize,
    of: usize,
    explained: bool,
    explanations: Vec<Explanation>,
    cases: Vec<Answer>,
}

#[derive(Serialize)]
struct Explanation {
    kind: &'static str,
    name: String,
    why: String,
    matched: usize,
}

#[derive(Serialize)]
struct Answer {
    input: String,
    expected: String,
    answer: String,
    right: bool,
    source: String,
}

impl Report {
    fn of(
        args: &ConformArgs,
        chosen: &Chosen,
        cases: &[Case],
        answers: &[u128],
        verdict: &Verdict,
    ) -> Report {
        let encode = |value: u128| Encoding::Hex.encode(value, chosen.code.width());
        let answer = |((case, answer), right): ((&Case, &u128), &bool)| Answer {
            input: case.input.clone(),
            expected: encode(case.expected),
            answer: encode(*answer),
            right: *right,
            source: case.source.clone(),
        };
        let explanation = |found: &conform::Explanation| Explanation {
            kind: found.kind.name(),
            name: found.name.clone(),
            why: found.why.clone(),
            matched: found.matched,
        };
        Report {
            code: chosen.label.clone(),
            command: args
                .program
                .command
                .iter()
                .map(|part| part.to_string_lossy().into_owned())
                .collect(),
            right: verdict.count(),
            of: cases.len(),
            explained: verdict.explained(),
            explanations: verdict.explanations.iter().map(explanation).collect(),
            cases: cases.iter().zip(answers).zip(&verdict.right).map(answer).collect(),
        }
    }
}

fn print(
    output: &mut Output,
    chosen: &Chosen,
    cases: &[Case],
    answers: &[u128],
    verdict: &Verdict,
) -> anyhow::Result<()> {
    let Styles { good, bad, .. } = output.styles;
    let (right, all) = (verdict.count(), cases.len());
    if verdict.good() {
        output.line(format!(
            "{good}conforms{good:#}: all {all} answers are values of {}",
            chosen.label
        ))?;
        return Ok(());
    }
    output.line(format!(
        "{bad}does not conform{bad:#}: {right} of {all} answers are values of {}",
        chosen.label
    ))?;
    print_wrong(output, chosen, cases, answers, verdict)?;
    print_explanations(output, all, verdict)
}

/// Prints a table of the wrong answers.
fn print_wrong(
    output: &mut Output,
    chosen: &Chosen,
    cases: &[Case],
    answers: &[u128],
    verdict: &Verdict,
) -> anyhow::Result<()> {
    let head = output.styles.head;
    let encode = |value: u128| Encoding::Hex.encode(value, chosen.code.width());
    let longest = cases.iter().map(|case| case.input.len()).max().unwrap_or(0).min(LONGEST_NAME);
    let digits = chosen.code.width().div_ceil(4).max(8) as usize;
    output.line(format!("{head}{:longest$}  {:digits$}  answer{head:#}", "input", "expected"))?;
    for ((case, answer), right) in cases.iter().zip(answers).zip(&verdict.right) {
        if *right {
            continue;
        }
        let input = if case.input.len() > longest {
            case.input.chars().take(longest.saturating_sub(3)).collect::<String>() + "..."
        } else {
            case.input.clone()
        };
        let (expected, answer) = (encode(case.expected), encode(*answer));
        output.line(format!("{input:longest$}  {expected:digits$}  {answer}"))?;
    }
    Ok(())
}

/// Prints what would give the `all` answers of the program.
fn print_explanations(output: &mut Output, all: usize, verdict: &Verdict) -> anyhow::Result<()> {
    let head = output.styles.head;
    if verdict.explanations.is_empty() {
        output
            .line("No known mistake, other code or other form of the value gives these answers.")?;
        return Ok(());
    }
    output.line(if verdict.explained() {
        format!("{head}All answers are explained by{head:#}")
    } else {
        format!("{head}Not all answers are explained; nearest comes{head:#}")
    })?;
    for found in &verdict.explanations {
        let kind = match found.kind {
            Kind::Mistake => "the mistake ",
            Kind::OtherCode => "another code, ",
            Kind::Form => "another form of the value, ",
        };
        let count = if found.matched < all {
            format!(" ({} of {all})", found.matched)
        } else {
            String::new()
        };
        output.line(format!("  {kind}{head}{}{head:#}{count}: {}", found.name, found.why))?;
    }
    Ok(())
}
