//! The conditions of a measurement: machine, compilers, load.

use crate::contender::{Contender, SUBJECTS};
use residue::cpu::{Features, features, tier_names};
use residue_bench::cpu_name;
use std::process::Command;
use std::time::SystemTime;

/// Peers from Debian: name, package, and whether it was there at build time.
pub const DEBIAN: [(&str, &str, bool); 2] =
    [("ISA-L", "libisal-dev", cfg!(isal)), ("zlib", "zlib1g-dev", cfg!(zlib))];

/// Returns the CPU: its name, and on x86 its family and model, for many virtual machines call them
/// all the same.
fn cpu() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let value = |key: &str| {
        let line = info.lines().find(|line| line.split(':').next().map(str::trim) == Some(key))?;
        Some(line.split_once(':')?.1.trim().to_string())
    };
    match (value("cpu family"), value("model")) {
        (Some(family), Some(model)) => format!("{} family {family} model {model}", cpu_name()),
        _ => cpu_name(),
    }
}

/// Returns the operating system and its kernel.
fn system() -> String {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let name = name.unwrap_or(std::env::consts::OS).trim_matches('"');
    format!("{name}, kernel {}", kernel.trim())
}

/// Returns the compilers of the Rust and the C peers.
fn compilers() -> String {
    format!("{}; {}", env!("RIVALS_RUSTC"), env!("RIVALS_CC"))
}

/// Returns the tier that `RESIDUE_CPU` restricts the library to, or `all`.
fn tier() -> String {
    std::env::var("RESIDUE_CPU").unwrap_or("all".to_string())
}

/// Returns the CPU features that the library may use.
fn usable() -> String {
    let names: Vec<&str> = features().names().collect();
    if names.is_empty() { "none".to_string() } else { names.join(" ") }
}

/// Returns the last commit that changed the library, if git knows; a build of another one would be
/// labelled wrong.
fn commit() -> String {
    let git = |words: &[&str]| {
        let mut command = Command::new("git");
        command.current_dir(env!("CARGO_MANIFEST_DIR")).args(words).arg("--").arg(LIBRARY);
        let output = command.output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
    };
    let changed = git(&["status", "--porcelain"]).is_some_and(|status| !status.is_empty());
    match git(&["log", "-1", "--format=%h"]) {
        Some(commit) if !commit.is_empty() => {
            format!(", commit {commit}{}", if changed { " with changes" } else { "" })
        }
        _ => String::new(),
    }
}

/// The library's path from here.
const LIBRARY: &str = "../../crates/residue";

/// The work of the CPUs since they started, in ticks of the operating system.
#[derive(Clone, Copy)]
pub struct Load {
    all: u64,
    idle: u64,
    stolen: u64,
    own: u64,
}

impl Load {
    /// Reads the load, where `/proc` shows it.
    #[must_use]
    pub fn now() -> Option<Load> {
        let read = |path| std::fs::read_to_string(path).ok();
        Load::parse(&read("/proc/stat")?, &read("/proc/self/stat")?)
    }

    fn parse(stat: &str, own: &str) -> Option<Load> {
        let first = stat.lines().next()?.strip_prefix("cpu ")?;
        let ticks: Vec<u64> = first.split_whitespace().flat_map(str::parse).take(8).collect();
        let [_, _, _, idle, waiting, _, _, stolen] = ticks[..] else { return None };
        // After the name, which may hold anything, the state is field 3; user and system time are
        // fields 14 and 15.
        let fields: Vec<&str> = own.rsplit_once(')')?.1.split_whitespace().collect();
        let own = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
        Some(Load { all: ticks.iter().sum(), idle: idle + waiting, stolen, own })
    }

    /// Returns `quiet` or `loaded`, and the share of the CPUs that others, here and beside a
    /// virtual machine, took until `later`.
    fn until(self, later: Load) -> String {
        let part =
            |ticks: u64| 100.0 * ticks as f64 / later.all.saturating_sub(self.all).max(1) as f64;
        let since = |of: fn(&Load) -> u64| of(&later).saturating_sub(of(&self));
        let stolen = since(|load| load.stolen);
        let accounted = since(|load| load.idle) + since(|load| load.own) + stolen;
        let others = since(|load| load.all).saturating_sub(accounted);
        let word = if part(others + stolen) < 5.0 { "quiet" } else { "loaded" };
        format!(
            "{word} (others took {:.0} % of the CPUs, {:.0} % was stolen)",
            part(others),
            part(stolen)
        )
    }
}

/// Returns whether others disturbed what was measured since `before`.
#[must_use]
pub fn quietness(before: Option<Load>) -> String {
    let both = before.zip(Load::now());
    both.map_or("load unknown".to_string(), |(before, after)| before.until(after))
}

/// Returns the facts that a figure needs beside it.
#[must_use]
pub fn facts(portable: bool) -> Vec<(&'static str, String)> {
    let against = if portable { "portable code" } else { "each peer's best" };
    let version = Contender::ours(&SUBJECTS[0]).version();
    vec![
        ("cpu", cpu()),
        ("date", humantime::format_rfc3339_seconds(SystemTime::now()).to_string()),
        ("residue", format!("{version}{}", commit())),
        ("tier", tier()),
        ("against", against.to_string()),
        ("features", usable()),
        ("system", system()),
        ("compilers", compilers()),
    ]
}

/// Restricts the library to portable code if asked to, and rejects a tier that the library would
/// ignore.
///
/// To be called before the first check value is computed.
///
/// # Errors
/// Returns an error if `RESIDUE_CPU` is another tier, or none.
#[allow(unsafe_code)]
pub fn restrict(portable: bool) -> Result<(), String> {
    let asked = std::env::var("RESIDUE_CPU").ok();
    match (asked.as_deref(), portable) {
        (Some(name), _) if Features::tier(name).is_none() => {
            let names: Vec<&str> = tier_names().collect();
            Err(format!("RESIDUE_CPU is `{name}`, which is none of {}", names.join(", ")))
        }
        (Some(name), true) if name != "portable" => {
            Err(format!("RESIDUE_CPU is `{name}`, and --portable asks for `portable`"))
        }
        (None, true) => {
            // SAFETY: no other thread runs yet.
            unsafe { std::env::set_var("RESIDUE_CPU", "portable") };
            Ok(())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_are_noticed() {
        let load = |stat, own| Load::parse(stat, own).expect("two lines of /proc");
        let before =
            load("cpu  10 0 10 100 0 0 0 0 0 0\ncpu0 1", "1 (a) b) R 1 1 1 1 1 1 1 1 1 1 7 3 0");
        let quiet = load("cpu  100 0 10 200 8 0 0 2 0 0", "1 (a) b) R 1 1 1 1 1 1 1 1 1 1 90 10 0");
        assert_eq!(before.until(quiet), "quiet (others took 0 % of the CPUs, 1 % was stolen)");
        let loaded =
            load("cpu  150 0 30 200 0 0 0 0 0 0", "1 (a) b) R 1 1 1 1 1 1 1 1 1 1 90 10 0");
        assert_eq!(before.until(loaded), "loaded (others took 27 % of the CPUs, 0 % was stolen)");
        assert!(Load::parse("intr 1", "1 (a) R").is_none());
    }
}
