//! The fuzz targets, for some seconds each: enough to see that they run, and that nothing breaks at
//! once.

use std::process::{Command, Stdio};

/// Their manifest: a workspace of its own.
pub const MANIFEST: &str = "fuzz/Cargo.toml";

const TARGETS: [&str; 6] = ["pcap_reader", "walk", "verify", "fix", "nat", "guard"];
const SECONDS: u32 = 5;

/// Where they start from: every protocol, right and wrong.
const SEEDS: &str = "captures";

/// Runs each target from the small captures that the program makes. Says how many are good, and
/// what is not.
///
/// # Errors
///
/// Why they cannot be run here.
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
