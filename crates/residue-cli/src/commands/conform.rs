//! `residue conform`: another program's answers to the vectors of a code.

use crate::Outcome;
use crate::args::ConformArgs;
use crate::codes::Chosen;
use crate::output::{Output, Spelling, Styles};
use crate::progress::Progress;
use crate::read::problem;
use anyhow::{Context as _, bail};
use residue_identify::conform::{self, Case, Kind, Verdict};
use serde::Serialize;
use std::ffi::{OsStr, OsString};
use std::io::{Read as _, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// The longest input given as an argument, in bytes. Systems limit one argument to 128 KiB or so.
const LONGEST_ARGUMENT: usize = 32 << 10;
/// As much of a program's output is looked at, in bytes.
const MOST_OUTPUT: u64 = 64 << 10;
/// How often a program is asked whether it has ended.
const PATIENCE: Duration = Duration::from_millis(1);

/// Runs the program over the cases and judges its answers.
pub fn run(args: &ConformArgs, output: &mut Output) -> anyhow::Result<()> {
    let chosen = Chosen::parse(&args.code)?;
    let mut cases = conform::cases(&chosen.code)?;
    if args.arg_hex {
        cases.retain(|case| case.data.len() <= LONGEST_ARGUMENT);
    }
    if chosen.cksum {
        with_length(&chosen, &mut cases);
    }
    output.progress = Progress::of_steps(cases.len() as u64);
    let mut answers = Vec::new();
    for case in &cases {
        let program = Styles::plain(args.command.first().map_or(OsStr::new(""), |name| name));
        let answer = ask(args, case, chosen.code.width())
            .with_context(|| format!("{program}, asked for {}", case.input))?;
        answers.push(answer);
        output.progress.add(1);
    }
    output.progress.clear();
    let verdict = conform::judge(&chosen.code, &cases, &answers);
    if !verdict.good() {
        output.found(Outcome::Bad);
    }
    if args.json {
        output.json(&Report::of(args, &chosen, &cases, &answers, &verdict))?;
    } else {
        tell(output, &chosen, &cases, &answers, &verdict)?;
    }
    Ok(())
}

/// The program cksum's values of the same inputs. Known mistakes are about the CRC alone, and will not be recognised.
fn with_length(chosen: &Chosen, cases: &mut [Case]) {
    for case in cases {
        let mut stream = chosen.code.stream();
        stream.update(&case.data);
        case.expected = chosen.value(stream, case.data.len() as u64);
    }
}

/// One run of the program: its answer.
fn ask(args: &ConformArgs, case: &Case, width: u32) -> anyhow::Result<u128> {
    let (name, arguments) = args.command.split_first().context("no program is named")?;
    let mut command = Command::new(name);
    command.args(arguments).stdout(Stdio::piped());
    if args.arg_hex {
        let hex: String = case.data.iter().map(|byte| format!("{byte:02x}")).collect();
        command.arg(hex).stdin(Stdio::null());
    } else {
        command.stdin(Stdio::piped());
    }
    let mut child = command
        .spawn()
        .map_err(|error| anyhow::anyhow!("cannot be started: {}", problem(&error)))?;
    let result = converse(&mut child, case, args.timeout);
    if result.is_err() {
        // Nothing may be left running; a program that has ended already cannot be killed.
        let _ = child.kill();
        let _ = child.wait();
    }
    let (text, status) = result?;
    if !status.success() {
        bail!("failed: {status}");
    }
    match number(&text, args.decimal, width) {
        Some(answer) => Ok(answer),
        None => bail!("printed no {} number{}", base(args.decimal), excerpt(&text)),
    }
}

fn base(decimal: bool) -> &'static str {
    if decimal { "decimal" } else { "hexadecimal" }
}

/// Gives a program its input and takes its output, each in a thread of its own: the program may do either first, or not.
fn converse(
    child: &mut Child,
    case: &Case,
    timeout: Duration,
) -> anyhow::Result<(String, ExitStatus)> {
    let end = Instant::now() + timeout;
    if let Some(mut stdin) = child.stdin.take() {
        let data = case.data.clone();
        // A program that does not read to the end has its reasons, and its answer counts.
        thread::Builder::new().spawn(move || drop(stdin.write_all(&data)))?;
    }
    let stdout = child.stdout.take().context("has no standard output")?;
    let (sender, receiver) = mpsc::channel();
    thread::Builder::new().spawn(move || {
        let (mut stdout, mut text) = (stdout, Vec::new());
        let result = stdout.by_ref().take(MOST_OUTPUT).read_to_end(&mut text);
        // The rest is let go by: on a closed pipe the program would seem to have failed.
        let _ = std::io::copy(&mut stdout, &mut std::io::sink());
        // Whoever waited may have given up.
        let _ = sender.send(result.map(|_| text));
    })?;
    let too_long = || anyhow::anyhow!("took longer than {} seconds", timeout.as_secs_f64());
    let text = receiver.recv_timeout(timeout).map_err(|_| too_long())??;
    let status = loop {
        match child.try_wait()? {
            Some(status) => break status,
            None if Instant::now() >= end => return Err(too_long()),
            None => thread::sleep(PATIENCE),
        }
    };
    Ok((String::from_utf8_lossy(&text).into_owned(), status))
}

/// The first number in a program's output.
fn number(text: &str, decimal: bool, width: u32) -> Option<u128> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-');
    words.filter(|word| !word.is_empty()).find_map(|word| {
        if decimal {
            let negative = word.strip_prefix('-');
            let digits = negative.unwrap_or(word);
            let proper = !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit());
            let value = if proper {
                digits.parse::<u128>().ok()?
            } else {
                return None;
            };
            let mask = u128::MAX >> (128 - width.clamp(1, 128));
            Some(if negative.is_some() { value.wrapping_neg() & mask } else { value })
        } else {
            let digits = word.strip_prefix("0x").or(word.strip_prefix("0X")).unwrap_or(word);
            let proper = digits.bytes().all(|c| c.is_ascii_hexdigit());
            if proper { u128::from_str_radix(digits, 16).ok() } else { None }
        }
    })
}

/// The beginning of what a program printed instead of a number.
fn excerpt(text: &str) -> String {
    match text.lines().find(|line| !line.trim().is_empty()) {
        None => ", nothing at all".to_string(),
        Some(line) => {
            let start: OsString = line.chars().take(60).collect::<String>().into();
            format!(", but `{}`", Styles::plain(&start))
        }
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
        let spell = |value: u128| Spelling::Hex.spell(value, chosen.code.width());
        let answer = |((case, answer), right): ((&Case, &u128), &bool)| Answer {
            input: case.input.clone(),
            expected: spell(case.expected),
            answer: spell(*answer),
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
            command: args.command.iter().map(|part| part.to_string_lossy().into_owned()).collect(),
            right: verdict.count(),
            of: cases.len(),
            explained: verdict.explained(),
            explanations: verdict.explanations.iter().map(explanation).collect(),
            cases: cases.iter().zip(answers).zip(&verdict.right).map(answer).collect(),
        }
    }
}

fn tell(
    output: &mut Output,
    chosen: &Chosen,
    cases: &[Case],
    answers: &[u128],
    verdict: &Verdict,
) -> anyhow::Result<()> {
    let Styles { head, good, bad, .. } = output.styles;
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
    let spell = |value: u128| Spelling::Hex.spell(value, chosen.code.width());
    let longest = cases.iter().map(|case| case.input.len()).max().unwrap_or(0).min(50);
    let digits = chosen.code.width().div_ceil(4).max(8) as usize;
    output.line(format!("{head}{:longest$}  {:digits$}  answer{head:#}", "input", "expected"))?;
    for ((case, answer), right) in cases.iter().zip(answers).zip(&verdict.right) {
        if !right {
            let input = if case.input.len() > longest {
                format!(
                    "{}...",
                    case.input.chars().take(longest.saturating_sub(3)).collect::<String>()
                )
            } else {
                case.input.clone()
            };
            let (expected, answer) = (spell(case.expected), spell(*answer));
            output.line(format!("{input:longest$}  {expected:digits$}  {answer}"))?;
        }
    }
    if verdict.explanations.is_empty() {
        output
            .line("No known mistake, other code or other form of the value gives these answers.")?;
        return Ok(());
    }
    if verdict.explained() {
        output.line(format!("{head}All answers are explained by{head:#}"))?;
    } else {
        output.line(format!("{head}Not all answers are explained; nearest comes{head:#}"))?;
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        for (text, expected) in [
            ("e3069283", Some(0xe306_9283)),
            ("CRC = 0xE3069283\n1", Some(0xe306_9283)),
            ("(stdin)= e3069283", Some(0xe306_9283)),
            ("", None),
            ("no number here: 0x", None),
            ("fffffffffffffffffffffffffffffffff", None),
        ] {
            assert_eq!(number(text, false, 32), expected, "{text}");
        }
        assert_eq!(number("a 12 x", true, 32), Some(12));
        assert_eq!(number("-1", true, 32), Some(0xffff_ffff));
        assert_eq!(number("-1", true, 128), Some(u128::MAX));
        assert_eq!(number("- 7", true, 8), Some(7));
    }
}
