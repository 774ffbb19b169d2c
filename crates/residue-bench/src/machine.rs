//! The computer: names of its CPU and of its operating system.

use std::fs::read_to_string;

/// Returns the CPU's own name, where the operating system provides it.
#[must_use]
pub fn cpu_name() -> String {
    let info = CpuInfo::read();
    let keys = ["model name", "cpu model", "hardware", "cpu"];
    let name = keys.into_iter().find_map(|key| info.value(|name| name.starts_with(key)));
    name.unwrap_or_else(|| format!("unnamed {} CPU", std::env::consts::ARCH))
}

/// Returns the CPU's name, on x86 with its family and model: virtual machines often give all CPUs
/// of a maker one name.
#[must_use]
pub fn cpu_model() -> String {
    let info = CpuInfo::read();
    let number = |key| info.value(|name| name == key);
    match (number("cpu family"), number("model")) {
        (Some(family), Some(model)) => format!("{} family {family} model {model}", cpu_name()),
        _ => cpu_name(),
    }
}

/// Returns the operating system and its kernel.
#[must_use]
pub fn system() -> String {
    let release = read_to_string("/etc/os-release").unwrap_or_default();
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    let kernel = read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let name = name.unwrap_or(std::env::consts::OS).trim_matches('"');
    format!("{name}, kernel {}", kernel.trim())
}

/// Linux's description of the CPUs; empty elsewhere.
struct CpuInfo(String);

impl CpuInfo {
    fn read() -> CpuInfo {
        CpuInfo(read_to_string("/proc/cpuinfo").unwrap_or_default())
    }

    /// Returns the first value whose key, in lower case, is wanted and which is not empty.
    fn value(&self, wanted: impl Fn(&str) -> bool) -> Option<String> {
        let pair = |line: &str| {
            let (key, value) = line.split_once(':')?;
            let found = wanted(&key.trim().to_ascii_lowercase()) && !value.trim().is_empty();
            found.then(|| value.trim().to_string())
        };
        self.0.lines().find_map(pair)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_their_keys() {
        let text = "cpu family\t: 25\nmodel\t\t: 1\nmodel name\t: AMD EPYC\nHardware\t:\n";
        let info = CpuInfo(text.to_string());
        assert_eq!(info.value(|key| key == "model").as_deref(), Some("1"));
        let name = info.value(|key| key.starts_with("model name"));
        assert_eq!(name.as_deref(), Some("AMD EPYC"));
        assert_eq!(info.value(|key| key == "hardware"), None);
        assert!(!cpu_name().is_empty() && cpu_model().starts_with(&cpu_name()));
        assert!(system().contains("kernel"));
    }
}
