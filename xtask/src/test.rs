//! `cargo xtask test`.

use crate::debian::install;
use crate::python::Built;
use crate::{cargo, require_all};
use std::io::{BufRead, BufReader};
use std::process::{Command, ExitCode, Stdio};
use std::thread::ScopedJoinHandle;

/// Programs that tests compare with or need, and the Debian package of each.
const TOOLS: [(&str, &str); 16] = [
    ("crc32", "libarchive-zip-perl"),
    ("rhash", "rhash"),
    ("python3", "python3"),
    ("tgtd", "tgt"),
    ("iscsi-inq", "libiscsi-bin"),
    ("tshark", "tshark"),
    ("ip", "iproute2"),
    ("iptables", "iptables"),
    ("nft", "nftables"),
    ("dumpcap", "tshark"),
    ("curl", "curl"),
    ("man", "man-db"),
    ("zsh", "zsh"),
    ("fish", "fish"),
    ("systemd-analyze", "systemd"),
    ("strace", "strace"),
];

/// Numbers of tests that passed and failed, and why others were skipped.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub passed: u64,
    pub failed: u64,
    pub skipped: Vec<String>,
}

impl Counts {
    /// Adds the report of a part outside `cargo test`: the number of good tests and the failures,
    /// or why it cannot run.
    fn add(&mut self, name: &str, results: Result<(u64, Vec<String>), String>) {
        match results {
            Ok((good, bad)) => {
                self.passed += good;
                self.failed += bad.len() as u64;
                bad.iter().for_each(|what| println!("FAILED: {what}"));
            }
            Err(why) => self.skipped.push(format!("{name}: {why}")),
        }
    }

    fn closed(&self) -> ExitCode {
        println!();
        for why in &self.skipped {
            println!("skipped: {why}");
        }
        let skipped = self.skipped.len();
        let failed = self.failed + if require_all() { skipped as u64 } else { 0 };
        println!("residue: {} passed, {failed} failed, {skipped} skipped", self.passed);
        if failed == 0 && self.passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// Runs all tests, and prints a final line of counts.
pub fn run() -> ExitCode {
    let mut counts = Counts::default();
    for tool in TOOLS {
        if let Err(why) = install(&[tool]) {
            counts.skipped.push(format!("comparison with `{}`: {why}", tool.0));
        }
    }
    // Compiles on all CPUs. The tests do not always use them all, so the other languages' parts are
    // built meanwhile, and the fuzz targets run. If this fails, so does the next command, which
    // reports it.
    let _ = cargo().args(["test", "--workspace", "--no-run", "--quiet"]).status();
    std::thread::scope(|scope| {
        let compiled = scope.spawn(|| (crate::web::build(), crate::c::run()));
        let packed = scope.spawn(|| (crate::python::build(), crate::fuzz::run()));
        // `--no-fail-fast`: one broken crate must not hide another.
        counted(cargo().args(["test", "--workspace", "--no-fail-fast"]), &mut counts);
        let (page, c) = joined(compiled);
        let (package, fuzz) = joined(packed);
        let page = scope.spawn(|| crate::web::run(page));
        python_package(package, &mut counts);
        counts.add("the page in a browser", joined(page));
        counts.add("C library", c);
        counts.add("fuzz targets", fuzz);
    });
    counts.closed()
}

/// Returns the result of a thread. A panic in it goes on here.
fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn python_package(built: Result<Built, String>, counts: &mut Counts) {
    if let Err(why) = crate::python::run(built, counts) {
        counts.skipped.push(format!("Python package: {why}"));
    }
}

/// Tests the Python package alone.
pub fn python() -> ExitCode {
    let mut counts = Counts::default();
    python_package(crate::python::build(), &mut counts);
    counts.closed()
}

/// Runs one part alone.
pub fn alone(name: &str, run: impl FnOnce() -> Result<(u64, Vec<String>), String>) -> ExitCode {
    let mut counts = Counts::default();
    counts.add(name, run());
    counts.closed()
}

/// Runs tests by cargo, shows their output as it comes, and counts the results in it.
pub fn counted(command: &mut Command, counts: &mut Counts) {
    let child = command.stdout(Stdio::piped()).spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => {
            println!("cannot run cargo: {error}");
            counts.failed += 1;
            return;
        }
    };
    let skipped = counts.skipped.len();
    if let Some(out) = child.stdout.take() {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            println!("{line}");
            count(&line, counts);
        }
    }
    // The runner knows no skipped tests, and calls them passed.
    counts.passed = counts.passed.saturating_sub((counts.skipped.len() - skipped) as u64);
    let good = child.wait().is_ok_and(|status| status.success());
    if !good && counts.failed == 0 {
        counts.failed += 1;
    }
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
        assert_eq!((counts.passed, counts.failed), (16, 2));
        assert_eq!(counts.skipped, ["`rhash` is not installed"]);
    }
}
