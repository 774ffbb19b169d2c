//! Runs the fuzz targets: by the tests the same inputs each time, by hand new ones.

use std::process::{Command, ExitCode, Stdio};

/// Manifest of the fuzz targets, which are a separate workspace.
pub const MANIFEST: &str = "fuzz/Cargo.toml";

const TARGETS: [&str; 6] = ["pcap_reader", "walk", "verify", "fix", "nat", "guard"];

/// Inputs of each target in the tests, which are the same in each run: a test's outcome depends on
/// the code alone. Enough to find that the targets build and what breaks early.
const RUNS: u32 = 2_000;

/// Initial corpus: every protocol, with good and bad check values.
const SEEDS: &str = "captures";

/// Runs each target in the tests, starting with the small captures that the program makes. Reports
/// the number of good targets and the failures.
///
/// # Errors
///
/// The reason why they cannot be run here.
pub fn run() -> Result<(u64, Vec<String>), String> {
    // What another run added to the corpus would change the inputs.
    let corpus = "target/fuzz";
    let _ = std::fs::remove_dir_all(corpus);
    each(&TARGETS, corpus, &["-seed=1".to_string(), format!("-runs={RUNS}")])
}

/// Runs the named targets, or all, for some seconds each, with new inputs each time.
pub fn explore(words: &[&str]) -> ExitCode {
    let (seconds, targets) = match words {
        [seconds, targets @ ..] => (seconds.parse::<u32>(), targets),
        [] => (Ok(60), words),
    };
    let unknown = targets.iter().find(|target| !TARGETS.contains(target));
    let (Ok(seconds), None) = (seconds, unknown) else {
        eprintln!("xtask: usage: fuzz [SECONDS [TARGET ...]], of {}", TARGETS.join(", "));
        return ExitCode::from(2);
    };
    let targets = if targets.is_empty() { &TARGETS } else { targets };
    let until = [format!("-max_total_time={seconds}")];
    crate::test::alone("fuzz targets", || each(targets, "fuzz/corpus", &until))
}

fn each(targets: &[&str], corpus: &str, until: &[String]) -> Result<(u64, Vec<String>), String> {
    let nightly = |words: &[&str]| {
        let mut command = Command::new("rustup");
        command.args(["run", "nightly", "cargo"]).args(words).env_remove("CARGO");
        command
    };
    let mut version = nightly(&["fuzz", "--version"]);
    let version = version.stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !version.is_ok_and(|status| status.success()) {
        return Err(
            "no nightly compiler, or no cargo-fuzz (`cargo install cargo-fuzz`)".to_string()
        );
    }
    let mut bad = Vec::new();
    for target in targets {
        let corpus = format!("{corpus}/{target}");
        std::fs::create_dir_all(&corpus).map_err(|error| format!("{corpus}: {error}"))?;
        // Without a sanitizer, as nothing here is unsafe: building takes half the time.
        let status = nightly(&["fuzz", "run", "--sanitizer", "none", target, &corpus])
            .arg(SEEDS)
            .args(["--", "-rss_limit_mb=512", "-max_len=65536", "-verbosity=0"])
            .args(until)
            .status();
        if !status.is_ok_and(|status| status.success()) {
            bad.push(format!("fuzz target {target}"));
        }
    }
    Ok(((targets.len() - bad.len()) as u64, bad))
}
