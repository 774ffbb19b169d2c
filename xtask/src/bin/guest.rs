//! The first and only program of the emulated machine (see cross/bochs.rs): runs the tests and
//! reports on the console.

#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

fn main() {
    let failed = run().unwrap_or_else(|error| {
        println!("guest: {error}");
        1
    });
    println!("guest: end: {failed} failed");
    // The kernel panics when its first program ends; the emulator is stopped from outside.
    loop {
        std::thread::sleep(Duration::from_secs(1000));
    }
}

/// Runs all of `/tests` with the words in `/arguments`; returns the number of failures.
fn run() -> std::io::Result<usize> {
    let arguments = std::fs::read_to_string("/arguments")?;
    let entries = std::fs::read_dir("/tests")?;
    let mut tests: Vec<PathBuf> =
        entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    tests.sort();
    // First print the features of the CPU: the host looks for the line `features ...`.
    let mut failed = 0;
    for test in tests.iter().filter(|test| test.ends_with("cpu")) {
        failed +=
            usize::from(!good(test, &["--exact", "child_prints_what_it_chose", "--nocapture"]));
    }
    let arguments: Vec<&str> = arguments.lines().collect();
    for test in &tests {
        println!("guest: {}", test.display());
        failed += usize::from(!good(test, &arguments));
    }
    Ok(failed)
}

fn good(test: &Path, arguments: &[&str]) -> bool {
    // Kernels of the tier avx2 are tested on real CPUs.
    let status = Command::new(test).args(arguments).env("RESIDUE_EMULATED", "avx2").status();
    match status {
        Ok(status) if status.success() => true,
        other => {
            println!("guest: {}: {other:?}", test.display());
            false
        }
    }
}
