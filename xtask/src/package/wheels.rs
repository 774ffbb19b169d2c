//! Python wheels and the source distribution.

use super::{materials, musl};
use crate::debian::install;
use crate::python::{CHECK, Tools};
use crate::shell::{
    VERSION, add_target, done, emptied, entries, name, only, outside, read, target,
};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A platform: its target, the policy that its wheel must satisfy, and how the wheel is tested.
struct Platform {
    target: &'static str,
    policy: &'static str,
    test: fn(&Tools, &Path) -> Result<Option<String>, String>,
}

/// glibc and musl, each on two architectures. The policies have a glibc of 2014, and the musl of
/// 2021 (PEP 600, PEP 656).
const PLATFORMS: [Platform; 4] = [
    Platform { target: "x86_64-unknown-linux-gnu", policy: "manylinux_2_17", test: here },
    Platform { target: "aarch64-unknown-linux-gnu", policy: "manylinux_2_17", test: emulated },
    Platform { target: "x86_64-unknown-linux-musl", policy: "musllinux_1_2", test: musl_here },
    Platform { target: "aarch64-unknown-linux-musl", policy: "musllinux_1_2", test: musl_emulated },
];

/// Builds all wheels, by the C compiler of Zig, which links against any glibc and musl.
pub fn make(folder: &Path) -> Result<Vec<String>, String> {
    let tools = Tools::ready()?;
    tools.also("ziglang", "ziglang")?;
    let mut skipped = Vec::new();
    for platform in &PLATFORMS {
        add_target(platform.target)?;
        let place = emptied(&folder.join("one"))?;
        let to = place.display().to_string();
        let words = ["build", "--quiet", "--locked", "--release", "--zig", "--out", &to];
        let rest = ["--target", platform.target, "--compatibility", platform.policy];
        tools.maturin(&[&words[..], &rest].concat())?;
        let wheel = only(&place)?;
        skipped.extend((platform.test)(&tools, &wheel)?);
        let to = folder.join(name(&wheel));
        std::fs::rename(&wheel, &to).map_err(|error| error.to_string())?;
        materials::beside(&to, "residue-python", platform.target)?;
        std::fs::remove_dir(&place).map_err(|error| error.to_string())?;
    }
    tools.maturin(&["sdist", "--out", &folder.display().to_string()])?;
    let source = folder.join(format!("residue_codes-{VERSION}.tar.gz"));
    tools.builds(&source)?;
    Ok(skipped)
}

/// Tests a wheel of this architecture and library in an environment of its own.
fn here(tools: &Tools, wheel: &Path) -> Result<Option<String>, String> {
    tools.check(wheel).map(|()| None)
}

/// Tests a wheel for this architecture and musl.
fn musl_here(tools: &Tools, wheel: &Path) -> Result<Option<String>, String> {
    by_musl(tools, wheel, ("x86_64", "amd64"), None)
}

/// Tests a wheel for aarch64 and musl under qemu.
fn musl_emulated(tools: &Tools, wheel: &Path) -> Result<Option<String>, String> {
    by_musl(tools, wheel, ("aarch64", "arm64"), Some(("qemu-aarch64-static", "qemu-user-static")))
}

/// Tests a wheel by a Python for musl, under an emulator if one is named.
fn by_musl(
    tools: &Tools,
    wheel: &Path,
    names: (&str, &str),
    emulator: Option<(&str, &str)>,
) -> Result<Option<String>, String> {
    let ready = install(&[("unzip", "unzip")])
        .and_then(|()| emulator.map_or(Ok(()), |emulator| install(&[emulator])))
        .and_then(|()| release().ok_or("this system names no release of Debian".to_string()))
        .and_then(|release| musl::python(tools, names, &release));
    let python = match ready {
        Ok(python) => python,
        Err(why) => {
            return Ok(Some(format!("{} is made, but was not run: {why}", name(wheel))));
        }
    };
    let packages = emptied(&target()?.join("musl").join("wheel"))?;
    let mut command = match emulator {
        Some((emulator, _)) => Command::new(emulator),
        None => Command::new(&python.loader),
    };
    if emulator.is_some() {
        command.arg(&python.loader);
    }
    checked(command.arg(&python.program), wheel, &packages, &python.home)
}

/// Tests a wheel for aarch64 by Debian's Python for it, unpacked in a folder, under qemu.
fn emulated(_: &Tools, wheel: &Path) -> Result<Option<String>, String> {
    let tools = [
        ("mmdebstrap", "mmdebstrap"),
        ("qemu-aarch64-static", "qemu-user-static"),
        ("unzip", "unzip"),
    ];
    if let Err(why) = install(&tools) {
        return Ok(Some(format!("the wheel for aarch64 is made, but was not run: {why}")));
    }
    outside("arm", |root| in_root(root, wheel))
}

fn in_root(root: &Path, wheel: &Path) -> Result<Option<String>, String> {
    let mut system = Command::new("mmdebstrap");
    system.args(["--quiet", "--variant=extract", "--architectures=arm64", "--include=python3"]);
    // The release that this system is; without its name, the stable one.
    system.arg(release().unwrap_or_else(|| "stable".into())).arg(root);
    done(&mut system)?;
    let packages = emptied(&root.join("wheel"))?;
    let mut python = Command::new("qemu-aarch64-static");
    python.arg("-L").arg(root).arg(interpreter(root)?);
    checked(&mut python, wheel, &packages, &root.join("usr"))
}

/// Unpacks a wheel in `packages`, and runs the check there by the Python that `command` starts.
fn checked(
    command: &mut Command,
    wheel: &Path,
    packages: &Path,
    home: &Path,
) -> Result<Option<String>, String> {
    done(Command::new("unzip").arg("-q").arg(wheel).arg("-d").arg(packages))?;
    let check = CHECK.replace("sys.prefix + os.sep", &format!("{:?}", packages.display()));
    command.args(["-c", &check]).env("PYTHONHOME", home).env("PYTHONPATH", packages);
    done(command).map(|()| None)
}

/// Returns the name of this Debian release.
fn release() -> Option<String> {
    let text = read("/etc/os-release").ok()?;
    let name = text.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="))?;
    Some(name.trim_matches('"').to_string())
}

fn interpreter(root: &Path) -> Result<PathBuf, String> {
    let is_python = |path: &PathBuf| {
        let name = name(path);
        name.strip_prefix("python3.").is_some_and(|minor| minor.parse::<u32>().is_ok())
    };
    let mut programs = entries(&root.join("usr/bin"))?.into_iter();
    programs.find(is_python).ok_or_else(|| "no Python for aarch64".to_string())
}
