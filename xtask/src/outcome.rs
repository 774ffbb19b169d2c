//! How commands end: the outcome of a check, and counts of tests.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, ExitCode, Stdio};

/// The reason why something is bad here, or cannot be checked.
#[derive(Debug, PartialEq, Eq)]
pub enum Problem {
    Bad(String),
    Skipped(String),
}

impl From<String> for Problem {
    fn from(why: String) -> Problem {
        Problem::Bad(why)
    }
}

/// The outcome of a check.
pub type Outcome = Result<(), Problem>;

/// The numbers of good tests and the failures of a part outside `cargo test`, or the reason why it
/// cannot run.
pub type Results = Result<(u64, Vec<String>), String>;

/// Returns whether a skipped test is a failure here.
pub fn require_all() -> bool {
    std::env::var("RESIDUE_REQUIRE_ALL").is_ok_and(|value| value == "1")
}

/// Prints an outcome; returns whether it is good. A skipped check is bad if all are required.
pub fn is_good(name: &str, outcome: Outcome) -> bool {
    match &outcome {
        Ok(()) => println!("{name}: good"),
        Err(Problem::Bad(why)) => println!("{name}: FAILED: {why}"),
        Err(Problem::Skipped(why)) => println!("skipped: {name}: {why}"),
    }
    outcome.is_ok() || matches!(outcome, Err(Problem::Skipped(_))) && !require_all()
}

/// Returns the exit code of a command that is good or not.
pub fn code(is_good: bool) -> ExitCode {
    if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints why a command failed, if it did; returns its exit code.
pub fn ended(result: Result<(), String>) -> ExitCode {
    if let Err(why) = &result {
        eprintln!("xtask: {why}");
    }
    code(result.is_ok())
}

/// Numbers of tests that passed, failed, and were left out as they take long, and why others were
/// skipped.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub passed: u64,
    pub failed: u64,
    pub left_out: u64,
    pub skipped: Vec<String>,
}

impl Counts {
    /// Returns the counts of what a program of tests printed, which ended well or not.
    pub fn of(text: &str, is_good: bool) -> Counts {
        let mut counts = Counts::default();
        text.lines().for_each(|line| count(line, &mut counts));
        // The runner knows no skipped tests, and calls them passed.
        counts.passed = counts.passed.saturating_sub(counts.skipped.len() as u64);
        counts.failed += u64::from(!is_good && counts.failed == 0);
        counts
    }

    /// Adds the counts of a part.
    pub fn join(&mut self, part: Counts) {
        self.passed += part.passed;
        self.failed += part.failed;
        self.left_out += part.left_out;
        self.skipped.extend(part.skipped);
    }

    /// Adds the report of a part outside `cargo test`.
    pub fn add(&mut self, name: &str, results: Results) {
        match results {
            Ok((good, bad)) => {
                self.passed += good;
                bad.iter().for_each(|what| self.fail(what));
            }
            Err(why) => self.skipped.push(format!("{name}: {why}")),
        }
    }

    /// Adds a failure, and prints it.
    pub fn fail(&mut self, what: &str) {
        println!("FAILED: {what}");
        self.failed += 1;
    }

    /// Prints a line of counts behind the skipped tests; returns the exit code.
    pub fn closed(&self) -> ExitCode {
        println!();
        for why in &self.skipped {
            println!("skipped: {why}");
        }
        let skipped = self.skipped.len();
        let failed = self.failed + if require_all() { skipped as u64 } else { 0 };
        let left_out = match self.left_out {
            0 => String::new(),
            number => format!("; {number} long ones left out, which --all runs"),
        };
        println!("residue: {} passed, {failed} failed, {skipped} skipped{left_out}", self.passed);
        code(failed == 0 && self.passed > 0)
    }

    /// Runs tests, shows their output as it comes, and counts the results by `count`.
    pub fn run(&mut self, command: &mut Command, count: fn(&str, &mut Counts)) {
        let failed = self.failed;
        let mut child = match command.stdout(Stdio::piped()).spawn() {
            Ok(child) => child,
            Err(error) => return self.fail(&format!("{command:?}: {error}")),
        };
        let lines = child.stdout.take().map(|out| BufReader::new(out).lines());
        for line in lines.into_iter().flatten().map_while(Result::ok) {
            println!("{line}");
            count(&line, self);
        }
        let is_good = child.wait().is_ok_and(|status| status.success());
        self.failed += u64::from(!is_good && self.failed == failed);
    }
}

/// Runs one part alone.
pub fn alone(name: &str, run: impl FnOnce() -> Results) -> ExitCode {
    let mut counts = Counts::default();
    counts.add(name, run());
    counts.closed()
}

/// Runs tests by cargo and counts the results.
pub fn counted(command: &mut Command, counts: &mut Counts) {
    let skipped = counts.skipped.len();
    counts.run(command, count);
    // The runner knows no skipped tests, and calls them passed.
    counts.passed = counts.passed.saturating_sub((counts.skipped.len() - skipped) as u64);
}

/// Runs tests of a target, and prints how many passed. Returns whether none failed.
pub fn passed(target: &str, tests: &mut Command) -> bool {
    let mut counts = Counts::default();
    counted(tests, &mut counts);
    let (passed, failed, skipped) = (counts.passed, counts.failed, counts.skipped.len());
    println!("{target}: {passed} passed, {failed} failed, {skipped} skipped");
    failed == 0
}

/// Reads a line of a test runner: its closing counts, or a test's own `skipped: why`.
pub fn count(line: &str, counts: &mut Counts) {
    if let Some(why) = line.trim().strip_prefix("skipped: ") {
        counts.skipped.push(why.to_string());
    }
    let Some(results) = line.strip_prefix("test result: ") else {
        return;
    };
    let number = |word: &str| {
        let fields = results.split([';', '.']).map(str::trim);
        fields
            .filter_map(|field| field.strip_suffix(word)?.trim().parse::<u64>().ok())
            .next()
            .unwrap_or(0)
    };
    counts.passed += number("passed");
    counts.failed += number("failed");
    counts.left_out += number("ignored");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_are_counted() {
        let mut counts = Counts::default();
        count(
            "test result: ok. 11 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; \
             finished in 5.15s",
            &mut counts,
        );
        count("test result: FAILED. 5 passed; 2 failed; 0 ignored; 0 measured", &mut counts);
        count("  skipped: `rhash` is not installed", &mut counts);
        assert_eq!((counts.passed, counts.failed, counts.left_out), (16, 2, 1));
        assert_eq!(counts.skipped, ["`rhash` is not installed"]);
    }
}
