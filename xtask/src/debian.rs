//! Tools from Debian's packages.

use crate::shell::{done, entries, output};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

/// Returns whether a program is on the path, or a file exists if its whole path is given.
pub fn has(tool: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(tool).is_file())
}

/// Installs the packages of missing tools as root on Debian. The error names those still missing.
pub fn install(tools: &[(&str, &str)]) -> Result<(), String> {
    install_unless(has, tools)
}

/// Installs libraries that `pkg-config` does not find, as [`install`] does tools.
pub fn install_libraries(libraries: &[(&str, &str)]) -> Result<(), String> {
    let known =
        |library: &str| done(Command::new("pkg-config").args(["--exists", library])).is_ok();
    install_unless(known, libraries)
}

fn install_unless(there: impl Fn(&str) -> bool, wanted: &[(&str, &str)]) -> Result<(), String> {
    if wanted.iter().all(|(name, _)| there(name)) {
        return Ok(());
    }
    // One of several threads at a time: apt-get refuses to run twice.
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock();
    let packages: Vec<&str> = wanted.iter().map(|(_, package)| *package).collect();
    if has("apt-get") && is_root() {
        println!("installing {}", packages.join(" "));
        let apt = |words: &[&str]| {
            let mut command = Command::new("apt-get");
            command.args(["-qq", "-o=Dpkg::Use-Pty=0"]).args(words);
            done(command.env("DEBIAN_FRONTEND", "noninteractive")).is_ok()
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

/// Returns the first package that `package` depends on: the real package behind an empty one.
pub fn dependency(package: &str) -> Option<String> {
    let text = output(Command::new("apt-cache").args(["depends", package])).ok()?;
    text.lines().find_map(|line| line.trim().strip_prefix("Depends: ").map(str::to_string))
}

/// Downloads a package and unpacks it in `folder`, without installing it.
pub fn unpack(package: &str, folder: &Path) -> Result<(), String> {
    done(Command::new("apt-get").args(["-qq", "download", package]).current_dir(folder))?;
    let mut files = entries(folder)?.into_iter();
    let archive = files.find(|path| path.extension().is_some_and(|end| end == "deb"));
    let archive = archive.ok_or_else(|| format!("`apt-get download {package}` left no file"))?;
    done(Command::new("dpkg").arg("-x").arg(&archive).arg(folder))
}

fn is_root() -> bool {
    output(Command::new("id").arg("-u")).is_ok_and(|number| number.trim() == "0")
}
