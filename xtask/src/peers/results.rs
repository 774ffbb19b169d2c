//! The results of other libraries' tests.

use crate::outcome::{Counts, count};
use crate::shell::{cargo, target};
use std::path::Path;

/// A line of the table: what was tested, how many tests passed and failed, and remarks.
pub struct Row {
    pub name: String,
    pub passed: u64,
    pub failed: u64,
    pub remarks: String,
}

/// The results of some tests.
pub struct Ran {
    pub passed: u64,
    /// Names of the tests that failed, or one that says that nothing could be run.
    pub failed: Vec<String>,
    pub output: String,
}

impl Ran {
    pub fn show_failures(&self) {
        if !self.failed.is_empty() {
            print!("{}", self.output);
        }
    }
}

/// Runs tests in a folder.
pub fn ran(words: &[&str], folder: &Path) -> Result<Ran, String> {
    let mut test = cargo();
    test.args(words).arg("--no-fail-fast").current_dir(folder);
    test.env("CARGO_TARGET_DIR", target()?.join("peers-target"));
    let output = test.output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut counts = Counts::default();
    text.lines().for_each(|line| count(line, &mut counts));
    let failed = text.lines().filter_map(|line| {
        Some(line.strip_prefix("test ")?.strip_suffix(" ... FAILED")?.to_string())
    });
    let mut failed: Vec<String> = failed.collect();
    if !output.status.success() && failed.is_empty() {
        failed.push("the build".to_string());
    }
    let output = text + &String::from_utf8_lossy(&output.stderr);
    Ok(Ran { passed: counts.passed, failed, output })
}
