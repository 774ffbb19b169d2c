//! Tools from Debian's packages.

use std::process::{Command, Stdio};

/// Whether a program is on the path.
pub fn has(tool: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(tool).is_file())
}

/// Installs the packages of the missing tools where that needs no question: as root, on Debian. Says what stays missing.
pub fn install(tools: &[(&str, &str)]) -> Result<(), String> {
    install_unless(has, tools)
}

/// As [`install`], for libraries that `pkg-config` knows.
pub fn install_libraries(libraries: &[(&str, &str)]) -> Result<(), String> {
    let known = |library: &str| {
        let status = Command::new("pkg-config").args(["--exists", library]).status();
        status.is_ok_and(|status| status.success())
    };
    install_unless(known, libraries)
}

fn install_unless(there: impl Fn(&str) -> bool, wanted: &[(&str, &str)]) -> Result<(), String> {
    if wanted.iter().all(|(name, _)| there(name)) {
        return Ok(());
    }
    let packages: Vec<&str> = wanted.iter().map(|(_, package)| *package).collect();
    if has("apt-get") && is_root() {
        println!("installing {}", packages.join(" "));
        let apt = |words: &[&str]| {
            let mut command = Command::new("apt-get");
            command.args(["-qq", "-o=Dpkg::Use-Pty=0"]).args(words).stdout(Stdio::null());
            command
                .env("DEBIAN_FRONTEND", "noninteractive")
                .status()
                .is_ok_and(|status| status.success())
        };
        let install = ["install", "-y", "--no-install-recommends"];
        let install: Vec<&str> = install.into_iter().chain(packages).collect();
        // Package lists may be there already; ask for new ones only if they are not.
        let _ = apt(&install) || (apt(&["update"]) && apt(&install));
    }
    let missing: Vec<String> = wanted
        .iter()
        .filter(|(name, _)| !there(name))
        .map(|(name, package)| format!("`{name}` is not installed (Debian package {package})"))
        .collect();
    if missing.is_empty() { Ok(()) } else { Err(missing.join(", ")) }
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output();
    output.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
