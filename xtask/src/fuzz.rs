//! Runs the fuzz targets for some seconds each: enough to find that they build and run.

use std::process::{Command, Stdio};

/// Manifest of the fuzz targets, which are a separate workspace.
pub const MANIFEST: &str = "fuzz/Cargo.toml";

const TARGETS: [&str; 6] = ["pcap_reader", "walk", "verify", "fix", "nat", "guard"];
const SECONDS: u32 = 5;

/// Initial corpus: every protocol, with good and bad check values.
const SEEDS: &str = "captures";

/// Runs each target, starting with the small captures that the program makes. Reports the number of
/// good targets and the failures.
///
/// # Errors
///
/// The reason why they cannot be run here.
pub fn run() -> Result<(u64, Vec<String>), String> {
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
    for target in TARGETS {
        let corpus = format!("fuzz/corpus/{target}");
        std::fs::create_dir_all(&corpus).map_err(|error| format!("{corpus}: {error}"))?;
        // Without a sanitizer, as nothing here is unsafe: building takes half the time.
        let status = nightly(&["fuzz", "run", "--sanitizer", "none", target, &corpus])
            .arg(SEEDS)
            .args(["--", "-rss_limit_mb=512", "-max_len=65536", "-verbosity=0"])
            .arg(format!("-max_total_time={SECONDS}"))
            .status();
        if !status.is_ok_and(|status| status.success()) {
            bad.push(format!("fuzz target {target}"));
        }
    }
    Ok(((TARGETS.len() - bad.len()) as u64, bad))
}
