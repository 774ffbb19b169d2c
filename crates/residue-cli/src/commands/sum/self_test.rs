//! `residue sum --self-test`: tests every kernel of every code against known values.

use super::arguments::SumArgs;
use crate::codes::Chosen;
use crate::output::{Encoding, Outcome, Output};
use residue::{Code, Error};
use residue_identify::conform::{self, Case};
use serde::Serialize;

/// Runs the test and prints a line for each value.
pub fn run(args: &SumArgs, output: &mut Output) -> anyhow::Result<()> {
    let codes: Vec<Code> = if args.codes.is_empty() {
        Code::all().collect()
    } else {
        args.codes.chosen()?.into_iter().map(|Chosen { code, .. }| code).collect()
    };
    let mut report = Report { tests: Vec::new(), success: 0, failure: 0, skipped: 0 };
    for code in &codes {
        let cases = conform::cases(code)?;
        for case in &cases {
            let mut line = Line { args, code, case, output, report: &mut report };
            line.report("(dispatched)", Some(code.value(&case.data)))?;
            line.report("(streamed)", Some(streamed(code, &case.data)))?;
        }
        for kernel in code.kernels() {
            for case in &cases {
                let value = match code.value_with(kernel.name, &case.data) {
                    Ok(value) => Some(value),
                    Err(Error::UnsupportedKernel(_)) => None,
                    Err(error) => anyhow::bail!("{code} {}: {error}", kernel.name),
                };
                Line { args, code, case, output, report: &mut report }
                    .report(kernel.name, value)?;
            }
        }
    }
    if args.json {
        output.json(&report)?;
    } else {
        output.line(format!(
            "{} codes: {} values right, {} wrong, {} skipped (kernels this CPU cannot run)",
            codes.len(),
            report.success,
            report.failure,
            report.skipped
        ))?;
    }
    Ok(())
}

/// Computes the value of data that arrive in pieces of ever different length.
fn streamed(code: &Code, mut data: &[u8]) -> u128 {
    let (mut stream, mut length) = (code.stream(), 1);
    while !data.is_empty() {
        let (piece, rest) = data.split_at(length.min(data.len()));
        stream.update(piece);
        (data, length) = (rest, (length * 3 + 1) % 4099);
    }
    stream.value()
}

#[derive(Serialize)]
struct Report {
    success: usize,
    failure: usize,
    skipped: usize,
    tests: Vec<Test>,
}

#[derive(Serialize)]
struct Test {
    result: &'static str,
    code: String,
    kernel: String,
    input: String,
    expected: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    actual: Option<String>,
    source: String,
}

/// A test about to be reported.
struct Line<'a> {
    args: &'a SumArgs,
    code: &'a Code,
    case: &'a Case,
    output: &'a mut Output,
    report: &'a mut Report,
}

impl Line<'_> {
    /// Counts and prints the result; `actual` is `None` if this CPU cannot run the kernel.
    fn report(&mut self, kernel: &str, actual: Option<u128>) -> anyhow::Result<()> {
        let Line { args, code, case, .. } = self;
        let (result, count) = match actual {
            None => ("SKIPPED", &mut self.report.skipped),
            Some(actual) if actual == case.expected => ("SUCCESS", &mut self.report.success),
            Some(_) => ("FAILURE", &mut self.report.failure),
        };
        *count += 1;
        if result == "FAILURE" {
            self.output.found(Outcome::Bad);
        }
        let encode = |value: u128| Encoding::Hex.encode(value, code.width());
        let (expected, actual) = (encode(case.expected), actual.map(encode));
        if args.json {
            // With --quiet the thousands of successes are only counted.
            if !args.quiet || result == "FAILURE" {
                self.report.tests.push(Test {
                    result,
                    code: code.name().to_string(),
                    kernel: kernel.to_string(),
                    input: case.input.clone(),
                    expected,
                    actual,
                    source: case.source.clone(),
                });
            }
            return Ok(());
        }
        if args.quiet && result != "FAILURE" {
            return Ok(());
        }
        let styles = self.output.styles;
        let style = match result {
            "SUCCESS" => styles.good,
            "FAILURE" => styles.bad,
            _ => styles.dim,
        };
        let actual = actual.map_or("none".to_string(), |actual| format!("0x{actual}"));
        let input = match case.input.strip_prefix("text:") {
            Some(text) => format!("\"{text}\""),
            None => case.input.clone(),
        };
        self.output.finding(format!(
            "{style}{result}{style:#}: [Expected Value = 0x{expected}, Actual Value = {actual}]  \
             {code} {kernel}  {input}",
        ))?;
        Ok(())
    }
}
