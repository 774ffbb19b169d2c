//! The Python package: built into an environment of its own, and tested there.

use crate::debian::install;
use crate::test::Counts;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

/// Its folder.
const FOLDER: &str = "bindings/python";

/// Where Python's packages are put.
const ENVIRONMENT: &str = "target/python";

/// What is installed there, and a file that shows that it is.
const PACKAGES: [(&str, &str); 4] = [
    ("maturin>=1.9.4,<2", "maturin"),
    ("pytest>=8", "pytest"),
    ("numpy", "numpy-config"),
    ("distributed>=2025.1", "dask"),
];

/// Builds the package, runs its tests and counts them.
///
/// # Errors
/// Why they cannot be run here.
pub fn run(counts: &mut Counts) -> Result<(), String> {
    environment()?;
    let here = std::env::current_dir().map_err(|error| error.to_string())?;
    let programs = here.join(ENVIRONMENT).join("bin");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(here.join("target"), Into::into);
    let built = Command::new(programs.join("maturin"))
        .args(["develop", "--quiet", "--locked"])
        .current_dir(FOLDER)
        .env("VIRTUAL_ENV", here.join(ENVIRONMENT))
        // Crates that the other tests need as well are built once.
        .env("CARGO_TARGET_DIR", here.join(target))
        .env_remove("CARGO")
        .status();
    if !built.is_ok_and(|status| status.success()) {
        println!("FAILED: the Python package cannot be built");
        counts.failed += 1;
        return Ok(());
    }
    let child = Command::new(programs.join("python"))
        .args(["-m", "pytest", "-q", "-rs", "--color=no", "-p", "no:cacheprovider"])
        .current_dir(FOLDER)
        .stdout(Stdio::piped())
        .spawn();
    let mut child = child.map_err(|error| format!("pytest: {error}"))?;
    let before = counts.failed;
    if let Some(out) = child.stdout.take() {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            println!("{line}");
            count(&line, counts);
        }
    }
    let good = child.wait().is_ok_and(|status| status.success());
    if !good && counts.failed == before {
        counts.failed += 1;
    }
    Ok(())
}

/// Makes the environment, and installs what is missing in it.
fn environment() -> Result<(), String> {
    let programs = Path::new(ENVIRONMENT).join("bin");
    if !programs.join("pip").is_file() {
        let make = || {
            let status = Command::new("python3").args(["-m", "venv", ENVIRONMENT]).status();
            status.is_ok_and(|status| status.success())
        };
        let new = "import sys; sys.exit(sys.version_info < (3, 11))";
        install(&[("python3", "python3")])?;
        if !Command::new("python3").args(["-c", new]).status().is_ok_and(|status| status.success())
        {
            return Err("`python3` is older than 3.11".to_string());
        }
        if !make() {
            // Debian's Python lacks a part.
            install(&[VENV])?;
            if !make() {
                return Err(format!("`python3 -m venv {ENVIRONMENT}` failed"));
            }
        }
    }
    let missing = PACKAGES.iter().filter(|(_, file)| !programs.join(file).is_file());
    let missing: Vec<&str> = missing.map(|(package, _)| *package).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let status = Command::new(programs.join("pip"))
        .args(["install", "--quiet", "--disable-pip-version-check"])
        .args(&missing)
        .status();
    if status.is_ok_and(|status| status.success()) {
        Ok(())
    } else {
        Err(format!("`pip install {}` failed", missing.join(" ")))
    }
}

const VENV: (&str, &str) = ("/usr/share/doc/python3-venv/copyright", "python3-venv");

/// A line of pytest: its closing counts, or why a test was skipped.
fn count(line: &str, total: &mut Counts) {
    if let Some(why) = line.strip_prefix("SKIPPED ") {
        total.skipped.push(format!("pytest: {why}"));
        return;
    }
    // As in `3 failed, 414 passed, 1 skipped in 13.05s`.
    let Some((counts, _)) = line.trim_matches(['=', ' ']).rsplit_once(" in ") else {
        return;
    };
    let fields = counts.split(", ").map(|field| field.split_once(' '));
    let fields: Option<Vec<(u64, &str)>> = fields
        .map(|field| field.and_then(|(number, word)| Some((number.parse().ok()?, word))))
        .collect();
    for (number, word) in fields.unwrap_or_default() {
        match word {
            "passed" => total.passed += number,
            "failed" | "error" | "errors" => total.failed += number,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_are_counted() {
        let mut counts = Counts::default();
        for line in [
            "....s.....",
            "SKIPPED [1] tests/test_threads.py:40: there is no lock",
            "FAILED tests/test_a.py::test_b - 5 in 6",
            "3 failed, 414 passed, 1 skipped, 2 errors in 13.05s",
        ] {
            count(line, &mut counts);
        }
        let skipped = vec!["pytest: [1] tests/test_threads.py:40: there is no lock".to_string()];
        assert_eq!(counts, Counts { passed: 414, failed: 5, skipped });
        count("==== 2 passed in 0.01s ====", &mut counts);
        assert_eq!(counts.passed, 416);
    }
}
