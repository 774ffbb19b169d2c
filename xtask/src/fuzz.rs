//! Runs the fuzz targets on new inputs.

use crate::outcome::{Results, alone};
use crate::shell::{created, done, nightly, shown};
use std::path::Path;
use std::process::ExitCode;

/// Initial corpus: every protocol, with good and bad check values.
const SEEDS: &str = "captures";
/// The targets' programs.
const PROGRAMS: &str = "fuzz/fuzz_targets";

/// Runs the named targets, or all, for some seconds each, with new inputs each time.
pub fn explore(words: &[&str]) -> ExitCode {
    let all = match targets() {
        Ok(all) => all,
        Err(why) => {
            eprintln!("xtask: {PROGRAMS}: {why}");
            return ExitCode::FAILURE;
        }
    };
    let (seconds, named) = match words {
        [seconds, named @ ..] => (seconds.parse::<u32>(), named),
        [] => (Ok(60), words),
    };
    let named: Vec<String> = named.iter().map(ToString::to_string).collect();
    let (Ok(seconds), true) = (seconds, named.iter().all(|target| all.contains(target))) else {
        eprintln!("xtask: usage: fuzz [SECONDS [TARGET ...]], of {}", all.join(", "));
        return ExitCode::from(2);
    };
    let chosen = if named.is_empty() { &all } else { &named };
    alone("fuzz targets", || each(chosen, seconds))
}

/// Returns the names of all targets.
fn targets() -> std::io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(PROGRAMS)? {
        let path = entry?.path();
        names.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
    }
    names.sort();
    Ok(names)
}

/// Runs targets with AddressSanitizer.
fn each(targets: &[String], seconds: u32) -> Results {
    done(&mut nightly(&["fuzz", "--version"]))
        .map_err(|_| "no nightly compiler, or no cargo-fuzz (`cargo install cargo-fuzz`)")?;
    let mut bad = Vec::new();
    for target in targets {
        let corpus = format!("fuzz/corpus/{target}");
        created(Path::new(&corpus))?;
        let mut fuzz = nightly(&["fuzz", "run", "--features", "fuzzer", target, &corpus, SEEDS]);
        // The sanitizer keeps freed memory for a while.
        fuzz.args(["--", "-rss_limit_mb=2048", "-max_len=65536", "-verbosity=0"]);
        fuzz.arg(format!("-max_total_time={seconds}"));
        bad.extend(shown(&mut fuzz).map_err(|_| format!("fuzz target {target}")).err());
    }
    Ok(((targets.len() - bad.len()) as u64, bad))
}
