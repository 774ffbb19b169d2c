//! A program under test: runs it on an input, and reads its answer.

use crate::hex;
use crate::output::Styles;
use crate::read::problem;
use anyhow::{Context as _, bail};
use clap::Args;
use residue_identify::conform::Case;
use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// The most output of a program that is searched for the answer, in bytes.
const MOST_OUTPUT: u64 = 64 << 10;
/// Time between two checks whether a program has ended.
const POLL: Duration = Duration::from_millis(1);

// The program under test.
#[derive(Debug, Args)]
pub struct Program {
    /// Pass inputs in hexadecimal as the last argument, not on standard input; skip those above 32
    /// KiB
    #[arg(long)]
    pub arg_hex: bool,
    /// Read the first decimal number as the answer, not the first hexadecimal one
    ///
    /// A negative number is taken as a signed integer of the code's width.
    #[arg(long)]
    decimal: bool,
    /// Time limit for each run of the program
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    timeout: Duration,
    /// Program to test, and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// Reads a time limit.
fn seconds(text: &str) -> Result<Duration, String> {
    let wrong = || "expected a number of seconds above zero, as 10 or 0.5".to_string();
    let seconds: f64 = text.parse().map_err(|_| wrong())?;
    let duration = Duration::try_from_secs_f64(seconds).map_err(|_| wrong())?;
    // The clock could not hold a deadline in some centuries.
    let most = Duration::from_secs(86_400);
    if duration.is_zero() { Err(wrong()) } else { Ok(duration.min(most)) }
}

impl Program {
    /// Runs the program on one input, and returns its answer.
    pub fn ask(&self, case: &Case, width: u32) -> anyhow::Result<u128> {
        let (name, arguments) = self.command.split_first().context("no program given")?;
        let mut command = Command::new(name);
        command.args(arguments).stdout(Stdio::piped());
        if self.arg_hex {
            command.arg(hex::digits(case.data.iter().copied())).stdin(Stdio::null());
        } else {
            command.stdin(Stdio::piped());
        }
        let mut child = command
            .spawn()
            .map_err(|error| anyhow::anyhow!("cannot be started: {}", problem(&error)))?;
        let result = converse(&mut child, case, self.timeout);
        if result.is_err() {
            // Leave nothing running. A program that has already ended cannot be killed.
            let _ = child.kill();
            let _ = child.wait();
        }
        let (text, status) = result?;
        if !status.success() {
            bail!("failed: {status}");
        }
        match number(&text, self.decimal, width) {
            Some(answer) => Ok(answer),
            None => bail!("printed no {} number{}", base(self.decimal), excerpt(&text)),
        }
    }
}

fn base(decimal: bool) -> &'static str {
    if decimal { "decimal" } else { "hexadecimal" }
}

/// Writes the input of a program and reads its output. Each has its own thread, because the program
/// may read or write first, or do neither.
fn converse(
    child: &mut Child,
    case: &Case,
    timeout: Duration,
) -> anyhow::Result<(String, ExitStatus)> {
    let end = Instant::now() + timeout;
    if let Some(mut stdin) = child.stdin.take() {
        let data = case.data.clone();
        // A program may stop reading early; its answer counts all the same.
        thread::Builder::new().spawn(move || drop(stdin.write_all(&data)))?;
    }
    let stdout = child.stdout.take().context("has no standard output")?;
    let (sender, receiver) = mpsc::channel();
    thread::Builder::new().spawn(move || {
        let (mut stdout, mut text) = (stdout, Vec::new());
        let result = stdout.by_ref().take(MOST_OUTPUT).read_to_end(&mut text);
        // Drain the rest: a closed pipe would make the program fail.
        let _ = std::io::copy(&mut stdout, &mut std::io::sink());
        // The receiver is gone after a timeout.
        let _ = sender.send(result.map(|_| text));
    })?;
    let too_long = || anyhow::anyhow!("took longer than {} seconds", timeout.as_secs_f64());
    let text = receiver.recv_timeout(timeout).map_err(|_| too_long())??;
    let status = loop {
        match child.try_wait()? {
            Some(status) => break status,
            None if Instant::now() >= end => return Err(too_long()),
            None => thread::sleep(POLL),
        }
    };
    Ok((String::from_utf8_lossy(&text).into_owned(), status))
}

/// Returns the first number in the output of a program.
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

/// Returns the beginning of what a program printed in place of a number.
fn excerpt(text: &str) -> String {
    match text.lines().find(|line| !line.trim().is_empty()) {
        None => ", nothing at all".to_string(),
        Some(line) => {
            let start: OsString = line.chars().take(60).collect::<String>().into();
            format!(", but `{}`", Styles::plain(&start))
        }
    }
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

    #[test]
    fn timeouts() {
        assert_eq!(seconds("0.5").map(|d| d.as_millis()), Ok(500));
        assert!(seconds("1e300").is_err());
        for bad in ["", "x", "0", "-1", "nan", "inf"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }
}
