//! Runs the fuzz targets: by the tests the same inputs each time, by hand new ones.

use crate::outcome::{Results, alone};
use crate::shell::{created, done, nightly, shown};
use std::path::Path;
use std::process::ExitCode;

/// Manifest of the fuzz targets, which are a separate workspace.
pub const MANIFEST: &str = "fuzz/Cargo.toml";

pub const TARGETS: [&str; 7] = ["pcap_reader", "walk", "verify", "fix", "nat", "guard", "kernels"];

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
pub fn run() -> Results {
    // What another run added to the corpus would change the inputs.
    let corpus = "target/fuzz";
    let _ = std::fs::remove_dir_all(corpus);
    each(&TARGETS, corpus, "none", &["-seed=1".to_string(), format!("-runs={RUNS}")])
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
    alone("fuzz targets", || each(targets, "fuzz/corpus", "address", &until))
}

/// Runs targets by a sanitizer: `none` takes half as long to build.
fn each(targets: &[&str], corpus: &str, sanitizer: &str, until: &[String]) -> Results {
    done(&mut nightly(&["fuzz", "--version"]))
        .map_err(|_| "no nightly compiler, or no cargo-fuzz (`cargo install cargo-fuzz`)")?;
    let mut bad = Vec::new();
    for target in targets {
        let corpus = format!("{corpus}/{target}");
        created(Path::new(&corpus))?;
        // The sanitizer keeps freed memory for a while.
        let memory = if sanitizer == "none" { "-rss_limit_mb=512" } else { "-rss_limit_mb=2048" };
        let mut fuzz = nightly(&["fuzz", "run", "--sanitizer", sanitizer, target, &corpus]);
        fuzz.arg(SEEDS).args(["--", memory, "-max_len=65536", "-verbosity=0"]);
        bad.extend(shown(fuzz.args(until)).map_err(|_| format!("fuzz target {target}")).err());
    }
    Ok(((targets.len() - bad.len()) as u64, bad))
}
