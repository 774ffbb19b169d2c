//! `cargo xtask test`.

use crate::{cargo, require_all};
use std::io::{BufRead, BufReader};
use std::process::{Command, ExitCode, Stdio};

/// Programs that tests compare ours with, and the Debian package of each.
const TOOLS: [(&str, &str); 3] = [
    ("crc32", "libarchive-zip-perl"),
    ("rhash", "rhash"),
    ("python3", "python3"),
];

/// Passed, failed and skipped.
#[derive(Default)]
struct Counts {
    passed: u64,
    failed: u64,
    skipped: Vec<String>,
}

/// Runs everything and closes with one line of counts.
pub fn run() -> ExitCode {
    let mut counts = Counts::default();
    install(&mut counts);
    // `--no-fail-fast`: one broken crate must not hide another.
    rust(&["test", "--workspace", "--no-fail-fast"], &mut counts);

    println!();
    for why in &counts.skipped {
        println!("skipped: {why}");
    }
    let skipped = counts.skipped.len();
    let failed = counts.failed + if require_all() { skipped as u64 } else { 0 };
    println!(
        "residue: {} passed, {failed} failed, {skipped} skipped",
        counts.passed
    );
    if failed == 0 && counts.passed > 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Installs the missing tools where that needs no question: as root, on Debian.
fn install(counts: &mut Counts) {
    let has = |tool: &str| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|folder| folder.join(tool).is_file())
    };
    let missing = || TOOLS.iter().filter(|(tool, _)| !has(tool));
    let packages: Vec<&str> = missing().map(|(_, package)| *package).collect();
    if !packages.is_empty() && has("apt-get") && is_root() {
        println!("installing {}", packages.join(" "));
        let apt = |words: &[&str]| {
            let mut command = Command::new("apt-get");
            command
                .args(["-qq", "-o=Dpkg::Use-Pty=0"])
                .args(words)
                .stdout(Stdio::null());
            command
                .env("DEBIAN_FRONTEND", "noninteractive")
                .status()
                .is_ok_and(|status| status.success())
        };
        let install = ["install", "-y", "--no-install-recommends"];
        let install: Vec<&str> = install.into_iter().chain(packages).collect();
        // Package lists may be there already; ask for new ones only if they are not.
        let _ = apt(&install) || (apt(&["update"]) && apt(&install));
    }
    for (tool, package) in missing() {
        counts.skipped.push(format!(
            "comparison with `{tool}`: not installed (Debian package {package})"
        ));
    }
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output();
    output.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// Runs `cargo` with `words`, shows its output as it comes, and counts the results in it.
fn rust(words: &[&str], counts: &mut Counts) {
    let child = cargo().args(words).stdout(Stdio::piped()).spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => {
            println!("cannot run cargo: {error}");
            counts.failed += 1;
            return;
        }
    };
    if let Some(out) = child.stdout.take() {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            println!("{line}");
            count(&line, counts);
        }
    }
    let good = child.wait().is_ok_and(|status| status.success());
    if !good && counts.failed == 0 {
        counts.failed += 1;
    }
}

/// A line of a test runner: its closing counts, or a test's own `skipped: why`.
fn count(line: &str, counts: &mut Counts) {
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
            "test result: ok. 11 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 5.15s",
            &mut counts,
        );
        count(
            "test result: FAILED. 5 passed; 2 failed; 0 ignored; 0 measured",
            &mut counts,
        );
        count("  skipped: `rhash` is not installed", &mut counts);
        assert_eq!((counts.passed, counts.failed), (16, 2));
        assert_eq!(counts.skipped, ["`rhash` is not installed"]);
    }
}
