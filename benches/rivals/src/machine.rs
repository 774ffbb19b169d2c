//! Where and with what it is measured.

use crate::contender::{Contender, SUBJECTS};
use residue::cpu::{Features, features, tier_names};
use residue_lab::speed::cpu_name;
use std::process::Command;
use std::time::SystemTime;

/// Peers from Debian: name, package, and whether it was there at build time.
pub const DEBIAN: [(&str, &str, bool); 2] =
    [("ISA-L", "libisal-dev", cfg!(isal)), ("zlib", "zlib1g-dev", cfg!(zlib))];

/// The CPU: its name, and on x86 its family and model, for many virtual machines call them all the same.
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

/// The operating system and its kernel.
fn system() -> String {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let name = name.unwrap_or(std::env::consts::OS).trim_matches('"');
    format!("{name}, kernel {}", kernel.trim())
}

/// The compilers of the Rust and the C peers.
fn compilers() -> String {
    format!("{}; {}", env!("RIVALS_RUSTC"), env!("RIVALS_CC"))
}

/// The tier that `RESIDUE_CPU` restricts the library to, or `all`.
fn tier() -> String {
    std::env::var("RESIDUE_CPU").unwrap_or("all".to_string())
}

/// What the library may use of the CPU.
fn usable() -> String {
    let names: Vec<&str> = features().names().collect();
    if names.is_empty() { "none".to_string() } else { names.join(" ") }
}

/// The commit that is checked out, if git knows; a build of another one would be told wrong.
fn commit() -> String {
    let git = |words: &[&str]| {
        let mut command = Command::new("git");
        let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).args(words).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
    };
    let changed = git(&["status", "--porcelain"]).is_some_and(|status| !status.is_empty());
    match git(&["rev-parse", "--short", "HEAD"]) {
        Some(commit) => format!(", commit {commit}{}", if changed { " with changes" } else { "" }),
        None => String::new(),
    }
}

/// All that a figure needs beside it.
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

/// Restricts the library to portable code if asked to; and refuses a tier that the library would ignore.
///
/// To be called before the first check value is computed.
///
/// # Errors
/// If `RESIDUE_CPU` is another tier, or none.
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
