//! The conditions of a measurement: machine, compilers, load.

use crate::contender::{Contender, SUBJECTS};
use residue::cpu::{Features, features, tier_names};
use residue_bench::load::{Cpus, Taken};
use residue_bench::machine::{cpu_model, system};
use std::process::Command;
use std::time::SystemTime;

/// Peers from Debian: name, package, and whether it was there at build time.
pub const DEBIAN: [(&str, &str, bool); 2] =
    [("ISA-L", "libisal-dev", cfg!(isal)), ("zlib", "zlib1g-dev", cfg!(zlib))];

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

/// Returns whether others disturbed what was measured since `before`.
#[must_use]
pub fn quietness(before: Option<Cpus>) -> String {
    let both = before.zip(Cpus::now());
    both.map_or("load unknown".to_string(), |(before, after)| described(before.taken(after)))
}

fn described(taken: Taken) -> String {
    let word = if taken.is_quiet() { "quiet" } else { "loaded" };
    let [others, stolen] = [taken.others, taken.stolen].map(|share| 100.0 * share);
    format!("{word} (others took {others:.0} % of the CPUs, {stolen:.0} % was stolen)")
}

/// Returns the facts that a figure needs beside it.
#[must_use]
pub fn facts(portable: bool) -> Vec<(&'static str, String)> {
    let against = if portable { "portable code" } else { "each peer's best" };
    let version = Contender::ours(&SUBJECTS[0]).version();
    vec![
        ("cpu", cpu_model()),
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
        let quiet = described(Taken { others: 0.0, stolen: 0.01 });
        assert_eq!(quiet, "quiet (others took 0 % of the CPUs, 1 % was stolen)");
        let loaded = described(Taken { others: 0.27, stolen: 0.0 });
        assert_eq!(loaded, "loaded (others took 27 % of the CPUs, 0 % was stolen)");
        assert!(!quietness(None).is_empty());
    }
}
