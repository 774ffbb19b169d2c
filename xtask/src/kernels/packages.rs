//! The kernels' packages: from the mirrors of their distributions, by apt with settings of its own.

use crate::shell::{created, done, emptied, entries, name, only, output, written};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A distribution, and the package that depends on its newest kernel.
#[derive(Debug)]
pub struct System {
    pub name: &'static str,
    pub title: &'static str,
    mirror: &'static str,
    suite: &'static str,
    package: &'static str,
    /// Whether the module of `kernel-module/` is built for its kernel.
    pub has_module: bool,
}

/// In order of the kernels' versions.
pub const SYSTEMS: [System; 5] = [
    // Programs of tc cannot call functions of modules before Linux 5.18.
    System { has_module: false, ..debian("debian-11", "Debian 11", "bullseye") },
    ubuntu("ubuntu-22.04", "Ubuntu 22.04", "jammy-updates"),
    debian("debian-12", "Debian 12", "bookworm"),
    ubuntu("ubuntu-24.04", "Ubuntu 24.04", "noble-updates"),
    debian("debian-13", "Debian 13", "trixie"),
];

const fn debian(name: &'static str, title: &'static str, suite: &'static str) -> System {
    let mirror = "[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] \
                  http://deb.debian.org/debian";
    System { name, title, mirror, suite, package: "linux-image-amd64", has_module: true }
}

/// Debian has no keys of Ubuntu's. The machine has no network, and changes no file here.
const fn ubuntu(name: &'static str, title: &'static str, suite: &'static str) -> System {
    let mirror = "[trusted=yes] http://archive.ubuntu.com/ubuntu";
    System { name, title, mirror, suite, package: "linux-image-generic", has_module: false }
}

/// Downloads the packages of a kernel and unpacks them, unless they are there; returns the kernel's
/// release. `boot/` has the kernel, `lib/modules/` its modules.
pub fn fetched(system: &System, folder: &Path) -> Result<String, String> {
    let done_file = folder.join("release");
    if let Ok(release) = crate::shell::read(&done_file) {
        return Ok(release);
    }
    emptied(folder)?;
    let apt = Apt::new(system, folder)?;
    done(apt.command("apt-get").args(["-qq", "update"]))?;
    let packages = apt.kernel(system.package)?;
    println!("downloading {}", packages.join(" "));
    let debs = created(&folder.join("debs"))?;
    done(apt.command("apt-get").args(["-qq", "download"]).args(packages).current_dir(&debs))?;
    for deb in entries(&debs)? {
        done(Command::new("dpkg").arg("-x").arg(deb).arg(folder))?;
    }
    emptied(&debs)?;
    emptied(&folder.join("apt"))?;
    // Debian 13 has everything below /usr.
    let modules = folder.join("lib/modules");
    if !modules.exists() {
        created(&folder.join("lib"))?;
        let moved = std::fs::rename(folder.join("usr/lib/modules"), &modules);
        moved.map_err(|error| format!("{} has no modules: {error}", system.title))?;
    }
    let release = name(&only(&modules)?);
    done(Command::new("depmod").arg("-b").arg(folder).arg(&release))?;
    written(&done_file, &release)?;
    Ok(release)
}

/// Downloads the packages of the headers of a kernel.
pub fn headers(system: &System, folder: &Path, release: &str) -> Result<Vec<PathBuf>, String> {
    let apt = Apt::new(system, folder)?;
    done(apt.command("apt-get").args(["-qq", "update"]))?;
    let package = format!("linux-headers-{release}");
    let mut depends = apt.command("apt-cache");
    let text = output(depends.args(["depends", "--important", &package])).map_err(|why| {
        format!(
            "{why}
{package} is gone; remove {} to get the newest kernel",
            folder.display()
        )
    })?;
    let is_one = |it: &&str| it.starts_with("linux-headers-") || it.starts_with("linux-kbuild-");
    let others = text.lines().filter_map(|line| line.trim().strip_prefix("Depends: "));
    let packages: Vec<&str> = others.filter(is_one).chain([&*package]).collect();
    let debs = emptied(&folder.join("debs"))?;
    done(apt.command("apt-get").args(["-qq", "download"]).args(packages).current_dir(&debs))?;
    emptied(&folder.join("apt"))?;
    entries(&debs)
}

/// apt, apart from this system's.
struct Apt<'a> {
    folder: &'a Path,
}

impl Apt<'_> {
    fn new<'a>(system: &System, folder: &'a Path) -> Result<Apt<'a>, String> {
        let own = folder.join("apt");
        for inside in ["lists/partial", "archives/partial"] {
            created(&own.join(inside))?;
        }
        written(&own.join("status"), "")?;
        let System { mirror, suite, .. } = system;
        written(&own.join("sources.list"), format!("deb {mirror} {suite} main\n"))?;
        let place = own.display();
        let settings = format!(
            "Dir::State::lists \"{place}/lists\";\nDir::State::status \"{place}/status\";\n\
             Dir::Cache \"{place}\";\nDir::Cache::archives \"{place}/archives\";\n\
             Dir::Etc::sourcelist \"{place}/sources.list\";\nDir::Etc::sourceparts \"-\";\n\
             Acquire::Languages \"none\";\nAPT::Architecture \"amd64\";\n\
             APT::Architectures {{ \"amd64\"; }};\nAPT::Sandbox::User \"root\";\n"
        );
        written(&own.join("settings"), settings)?;
        Ok(Apt { folder })
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("APT_CONFIG", self.folder.join("apt/settings"));
        command
    }

    /// Returns the packages of a kernel and its modules, which `package` depends on.
    fn kernel(&self, package: &str) -> Result<Vec<String>, String> {
        let mut depends = self.command("apt-cache");
        depends.args(["depends", "--recurse", "--no-recommends", "--no-suggests", "--no-breaks"]);
        depends.args(["--no-conflicts", "--no-replaces", "--no-enhances", package]);
        let text = output(&mut depends)?;
        // Signed or not: either is a dependency.
        let is_kernel = |it: &&str| {
            (it.starts_with("linux-image-") || it.starts_with("linux-modules-"))
                && !it.contains("unsigned")
        };
        let packages: Vec<String> = text.lines().filter(is_kernel).map(str::to_string).collect();
        match packages.len() {
            0 | 1 => Err(format!("{package} depends on no kernel:\n{text}")),
            _ => Ok(packages),
        }
    }
}
