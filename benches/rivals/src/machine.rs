//! The conditions of a measurement: machine, compilers, load.

use crate::contender::{Contender, SUBJECTS};
use residue::cpu::{detected_profile, features, mask_error, profile};
use residue_bench::load::{Cpus, Taken};
use residue_bench::machine::{cpu_model, system};
use std::process::Command;
use std::time::SystemTime;

/// Peers from the system: the name, the library or Debian's package of it, and whether it was there
/// at build time.
pub const SYSTEM: [(&str, &str, bool); 3] = [
    ("ISA-L", "libisal-dev", cfg!(isal)),
    ("zlib", "zlib1g-dev", cfg!(zlib)),
    // No package in Debian 12.
    ("google-crc32c", "libcrc32c", cfg!(google)),
];

/// Returns the compilers of the Rust and the C peers.
fn compilers() -> String {
    format!("{}; {}", env!("RIVALS_RUSTC"), env!("RIVALS_CC"))
}

/// Returns the tier that `RESIDUE_CPU` restricts the library to, or `all`.
fn tier() -> String {
    asked_tier().unwrap_or("all".to_string())
}

/// Returns the tier that `RESIDUE_CPU` names.
fn asked_tier() -> Option<String> {
    std::env::var("RESIDUE_CPU").ok().filter(|name| !name.is_empty())
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

/// Returns the name of the profile that the library chose its kernels by, with `forced` behind one
/// that is not the CPU's own.
fn used_profile() -> String {
    let forced = if profile() == detected_profile() { "" } else { " forced" };
    format!("{}{forced}", profile().name)
}

/// Returns the name of the profile of a CPU as [`cpu_model`] describes it, for records without one.
#[must_use]
pub fn profile_of(cpu: &str, features: &str) -> &'static str {
    let family = cpu.split_once("family ").and_then(|(_, rest)| rest.split(' ').next());
    let family: u32 = family.and_then(|number| number.parse().ok()).unwrap_or(0);
    let avx512 = features.split(' ').any(|name| name == "avx512");
    match (cpu.split(['(', ' ']).next(), family, avx512) {
        (Some("AMD"), 25, false) => "zen3",
        (Some("AMD"), 25, true) => "zen4",
        (Some("AMD"), 26.., _) => "zen5",
        (Some("Intel"), _, true) => "intel_avx512",
        _ => "unknown",
    }
}

/// Returns the facts that a figure needs beside it.
#[must_use]
pub fn facts(portable: bool) -> Vec<(&'static str, String)> {
    let against = if portable { "portable code" } else { "each peer's best" };
    let version = Contender::ours(&SUBJECTS[0]).version();
    let mut facts = vec![
        ("cpu", cpu_model()),
        ("date", humantime::format_rfc3339_seconds(SystemTime::now()).to_string()),
        ("residue", format!("{version}{}", commit())),
        ("profile", used_profile()),
        ("tier", tier()),
        ("against", against.to_string()),
        ("features", usable()),
        ("system", system()),
        ("compilers", compilers()),
    ];
    if is_default_build() {
        facts.push(("build", "cargo's release profile".to_string()));
    }
    facts
}

/// Returns whether this program is built as cargo builds what has no profile of its own.
#[must_use]
pub fn is_default_build() -> bool {
    env!("RIVALS_BUILD") == "default-build"
}

/// Restricts the library to portable code if asked to and no tier is named, and rejects a tier or a
/// profile that the library would ignore.
///
/// To be called before the first check value is computed.
///
/// # Errors
/// Returns an error if `RESIDUE_CPU` is not the name of a tier, or `RESIDUE_PROFILE` not that of a
/// profile.
#[allow(unsafe_code)]
pub fn restrict(portable: bool) -> Result<(), String> {
    if let Some(why) = mask_error() {
        return Err(why);
    }
    if portable && asked_tier().is_none() {
        // SAFETY: no other thread runs yet.
        unsafe { std::env::set_var("RESIDUE_CPU", "portable") };
    }
    Ok(())
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

    #[test]
    fn older_records_have_a_profile() {
        let cpus = [
            ("AMD EPYC family 25 model 1", "sse2 avx2 vpclmulqdq", "zen3"),
            ("AMD EPYC family 25 model 17", "sse2 avx512", "zen4"),
            ("AMD EPYC family 26 model 2", "sse2 avx512", "zen5"),
            ("Intel(R) Xeon(R) Processor family 6 model 143", "avx512 avx512vnni", "intel_avx512"),
            ("Intel(R) Core(TM) i7 family 6 model 151", "avx2", "unknown"),
            ("Neoverse-V2", "neon", "unknown"),
        ];
        for (cpu, features, profile) in cpus {
            assert_eq!(profile_of(cpu, features), profile, "{cpu}");
        }
    }

    #[test]
    fn facts_name_the_profile() {
        let facts = facts(false);
        let named =
            |(key, value): &(&str, String)| *key == "profile" && value.starts_with(profile().name);
        assert!(facts.iter().any(named));
    }
}
