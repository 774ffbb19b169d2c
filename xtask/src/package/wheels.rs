//! Python wheels and the source distribution.

use super::{materials, musl};
use crate::debian::install;
use crate::python::{CHECK, PYTHON, Tools};
use crate::shell::{
    absolute, add_target, done, emptied, entries, name, only, outside, read, target,
};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A platform: its target, and the policy that its wheel must satisfy.
struct Platform {
    target: &'static str,
    policy: &'static str,
}

/// glibc and musl, each on two architectures. The policies have a glibc of 2014, and the musl of
/// 2021 (PEP 600, PEP 656).
const PLATFORMS: [Platform; 4] = [
    Platform { target: "x86_64-unknown-linux-gnu", policy: "manylinux_2_17" },
    Platform { target: "aarch64-unknown-linux-gnu", policy: "manylinux_2_17" },
    Platform { target: "x86_64-unknown-linux-musl", policy: "musllinux_1_2" },
    Platform { target: "aarch64-unknown-linux-musl", policy: "musllinux_1_2" },
];

/// The crate that wheels are built from.
const CRATE: &str = "residue-python";

/// A free-threaded Python, which the stable ABI does not serve.
const FREE_THREADED: &str = "python3.14t";

/// The emulator of aarch64, and its Debian package.
const EMULATOR: (&str, &str) = ("qemu-aarch64-static", "qemu-user-static");

/// Builds all wheels, by the C compiler of Zig, which links against any glibc and musl.
pub fn make(folder: &Path) -> Result<Vec<String>, String> {
    let tools = Tools::ready()?;
    tools.also("ziglang", "ziglang")?;
    let mut skipped = Vec::new();
    for platform in &PLATFORMS {
        wheel(&tools, folder, platform, &[], |wheel| {
            skipped.extend(tested(platform.target, &tools, wheel)?);
            Ok(())
        })?;
    }
    if done(Command::new(FREE_THREADED).arg("--version")).is_ok() {
        let check = |wheel: &Path| tools.check(FREE_THREADED, wheel);
        wheel(&tools, folder, &PLATFORMS[0], &["--interpreter", FREE_THREADED], check)?;
    } else {
        skipped.push(format!("the wheel for free-threaded Pythons: there is no {FREE_THREADED}"));
    }
    tools.builds(&tools.sources(folder)?)?;
    Ok(skipped)
}

/// Builds a wheel in `folder`, with these further arguments of maturin, and tests it. The list of
/// the crates in it is inside, too, where tools look for those of installed packages (PEP 770).
fn wheel(
    tools: &Tools,
    folder: &Path,
    platform: &Platform,
    further: &[&str],
    mut tested: impl FnMut(&Path) -> Result<(), String>,
) -> Result<(), String> {
    add_target(platform.target)?;
    let place = emptied(&folder.join("one"))?;
    let to = place.display().to_string();
    let words = ["build", "--quiet", "--locked", "--release", "--zig", "--out", &to];
    let list = materials::beside(&absolute(target()?.join(CRATE))?, CRATE, platform.target)?;
    let list = list.display().to_string();
    let rest = ["--target", platform.target, "--compatibility", platform.policy];
    let rest = [&rest[..], &["--sbom-include", &list]].concat();
    tools.maturin(&[&words[..], &rest, further].concat())?;
    let wheel = only(&place)?;
    tested(&wheel)?;
    let to = folder.join(name(&wheel));
    std::fs::rename(&wheel, &to).map_err(|error| error.to_string())?;
    materials::beside(&to, CRATE, platform.target)?;
    std::fs::remove_dir(&place).map_err(|error| error.to_string())
}

/// Tests a wheel by a Python for its target; returns why it cannot be run here.
fn tested(target: &str, tools: &Tools, wheel: &Path) -> Result<Option<String>, String> {
    let unzip = ("unzip", "unzip");
    let result = match target {
        // In an environment of its own.
        "x86_64-unknown-linux-gnu" => return tools.check(PYTHON, wheel).map(|()| None),
        "aarch64-unknown-linux-gnu" => install(&[("mmdebstrap", "mmdebstrap"), EMULATOR, unzip])
            .map(|()| outside("arm", |root| in_root(root, wheel))),
        "x86_64-unknown-linux-musl" => install(&[unzip])
            .and_then(|()| musl::python(tools, ("x86_64", "amd64"), &release()?))
            .map(|python| by_musl(Command::new(&python.loader), &python, wheel)),
        _ => install(&[EMULATOR, unzip])
            .and_then(|()| musl::python(tools, ("aarch64", "arm64"), &release()?))
            .map(|python| {
                let mut command = Command::new(EMULATOR.0);
                command.arg(&python.loader);
                by_musl(command, &python, wheel)
            }),
    };
    match result {
        Ok(result) => result.map(|()| None),
        Err(why) => Ok(Some(format!("{} is made, but was not run: {why}", name(wheel)))),
    }
}

/// Tests a wheel by a Python for musl, which `command` loads.
fn by_musl(mut command: Command, python: &musl::Python, wheel: &Path) -> Result<(), String> {
    let packages = emptied(&target()?.join("musl").join("wheel"))?;
    checked(command.arg(&python.program), wheel, &packages, &python.home)
}

/// Tests a wheel for aarch64 by Debian's Python for it, unpacked in a folder, under qemu.
fn in_root(root: &Path, wheel: &Path) -> Result<(), String> {
    let mut system = Command::new("mmdebstrap");
    system.args(["--quiet", "--variant=extract", "--architectures=arm64", "--include=python3"]);
    // The release that this system is; without its name, the stable one.
    system.arg(release().unwrap_or_else(|_| "stable".into())).arg(root);
    done(&mut system)?;
    let packages = emptied(&root.join("wheel"))?;
    let mut python = Command::new(EMULATOR.0);
    python.arg("-L").arg(root).arg(interpreter(root)?);
    checked(&mut python, wheel, &packages, &root.join("usr"))
}

/// Unpacks a wheel in `packages`, and runs the check there by the Python that `command` starts.
fn checked(
    command: &mut Command,
    wheel: &Path,
    packages: &Path,
    home: &Path,
) -> Result<(), String> {
    done(Command::new("unzip").arg("-q").arg(wheel).arg("-d").arg(packages))?;
    let check = CHECK.replace("sys.prefix + os.sep", &format!("{:?}", packages.display()));
    command.args(["-c", &check]).env("PYTHONHOME", home).env("PYTHONPATH", packages);
    done(command)
}

/// Returns the name of this Debian release.
fn release() -> Result<String, String> {
    let text = read("/etc/os-release")?;
    let name = text.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="));
    let name = name.ok_or("this system names no release of Debian")?;
    Ok(name.trim_matches('"').to_string())
}

fn interpreter(root: &Path) -> Result<PathBuf, String> {
    let is_python = |path: &PathBuf| {
        let name = name(path);
        name.strip_prefix("python3.").is_some_and(|minor| minor.parse::<u32>().is_ok())
    };
    let mut programs = entries(&root.join("usr/bin"))?.into_iter();
    programs.find(is_python).ok_or_else(|| "no Python for aarch64".to_string())
}
