//! Where and with what it is measured.

use residue::cpu::features;
use residue_lab::speed::cpu_name;

/// Peers from Debian: name, package, and whether it was there at build time.
pub const DEBIAN: [(&str, &str, bool); 2] =
    [("ISA-L", "libisal-dev", cfg!(isal)), ("zlib", "zlib1g-dev", cfg!(zlib))];

/// The CPU: its name, and on x86 its family and model, for many virtual machines call them all the same.
#[must_use]
pub fn cpu() -> String {
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
#[must_use]
pub fn system() -> String {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let name = name.unwrap_or(std::env::consts::OS).trim_matches('"');
    format!("{name}, kernel {}", kernel.trim())
}

/// The compilers of the Rust and the C peers.
#[must_use]
pub fn compilers() -> String {
    format!("{}; {}", env!("RIVALS_RUSTC"), env!("RIVALS_CC"))
}

/// What the library may use of the CPU.
#[must_use]
pub fn usable() -> String {
    let names: Vec<&str> = features().names().collect();
    if names.is_empty() { "nothing".to_string() } else { names.join(" ") }
}

/// Today, in UTC.
#[must_use]
pub fn date() -> String {
    humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string()
}

/// All that in a few lines.
#[must_use]
pub fn described() -> String {
    format!("{}; residue may use {}; {}; {}; {}", cpu(), usable(), system(), compilers(), date())
}

/// Restricts the library to a tier, unless the caller has restricted it already.
///
/// To be called before the first check value is computed.
#[allow(unsafe_code)]
pub fn mask(tier: &str) {
    if std::env::var_os("RESIDUE_CPU").is_none() {
        // SAFETY: no other thread runs yet.
        unsafe { std::env::set_var("RESIDUE_CPU", tier) };
    }
}
