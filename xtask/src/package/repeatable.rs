//! Packages whose bytes depend neither on the folder nor on the time in which they are made.

use crate::outcome::{Outcome, Problem};
use crate::shell::{
    absolute, bytes, cargo, done, entries, env, name, output, outside, target, target_variable,
};
use std::path::Path;
use std::process::Command;

/// The time of what a package holds, which several tools know: <https://reproducible-builds.org>.
const TIME: &str = "SOURCE_DATE_EPOCH";

/// The targets of all packages, and this system's.
const TARGETS: [&str; 5] = [
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "x86_64-unknown-linux-musl",
    "aarch64-unknown-linux-musl",
    "wasm32-unknown-unknown",
];

/// Says that the variables of [`run`] are set: the revision.
const REVISION: &str = "RESIDUE_PACKAGED";

pub fn is_set() -> bool {
    revision().is_ok()
}

/// Returns the revision that is packaged.
pub fn revision() -> Result<String, String> {
    env(REVISION)
}

/// Returns an error if the packages are made from more than the last commit.
pub fn committed() -> Result<(), String> {
    match output(Command::new("git").args(["status", "--porcelain"]))? {
        none if none.is_empty() => Ok(()),
        changes => Err(format!("the packages have what no commit has:\n{changes}")),
    }
}

/// Runs this program again, with the time of the last commit, and with flags by which the compiler
/// names no folder of this system.
pub fn run(words: &[&str]) -> Result<(), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    let last = output(Command::new("git").args(["log", "-1", "--format=%H %ct"]))?;
    let (revision, time) = last.trim().split_once(' ').ok_or("git knows no commit")?;
    command.arg("package").args(words).env(REVISION, revision).env(TIME, time);
    let home = match env("CARGO_HOME") {
        Ok(home) => absolute(home)?,
        Err(_) => absolute(Path::new(&env("HOME")?).join(".cargo"))?,
    };
    let rust = output(Command::new("rustc").args(["--print", "sysroot"]))?;
    // Where several fit, the last one counts.
    let folders = [(home, "/cargo"), (rust.trim().into(), "/rust"), (absolute(".")?, "/residue")];
    let flags =
        folders.map(|(folder, name)| format!("--remap-path-prefix={}={name}", folder.display()));
    for target in TARGETS {
        command.env(target_variable(target, "RUSTFLAGS"), flags.join(" "));
    }
    let status = command.status().map_err(|error| error.to_string())?;
    if status.success() { Ok(()) } else { Err("not all packages are good".to_string()) }
}

/// Makes packages once more by these words, from a clone in another folder, and compares what has
/// these names; other parts may lie there from an earlier time.
pub fn again(words: &[&str], names: &[&str]) -> Outcome {
    committed()?;
    let first = target()?.join("packages");
    let differences = outside("another-folder", |place| {
        let clone = place.join("residue");
        done(Command::new("git").args(["clone", "--quiet", "."]).arg(&clone))?;
        let mut checkout = Command::new("git");
        checkout.args(["checkout", "--quiet", &revision()?]).current_dir(&clone);
        done(&mut checkout)?;
        let mut make = cargo();
        make.args(["xtask", "package"]).args(words).current_dir(&clone);
        done(make.env_remove(REVISION).env_remove("CARGO_TARGET_DIR"))?;
        let second = clone.join("target/packages");
        let mut differ = Vec::new();
        for name in names {
            let (one, other) = (first.join(name), second.join(name));
            if one.is_dir() {
                differ.extend(differences(&one, &other)?);
            } else if std::fs::read(one).ok() != std::fs::read(other).ok() {
                differ.push((*name).to_string());
            }
        }
        Ok(differ)
    })?;
    match differences.join(", ") {
        none if none.is_empty() => Ok(()),
        some => Err(Problem::Bad(format!("these differ: {some}"))),
    }
}

/// Returns the names of files that are not the same in two folders.
fn differences(one: &Path, other: &Path) -> Result<Vec<String>, String> {
    let mut differ = Vec::new();
    for path in entries(one)? {
        let twin = other.join(name(&path));
        if path.is_dir() && twin.is_dir() {
            differ.extend(differences(&path, &twin)?);
        } else if !twin.is_file() || bytes(&path)? != bytes(&twin)? {
            differ.push(name(&path));
        }
    }
    Ok(differ)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::{created, written};

    #[test]
    fn other_bytes_and_missing_files_differ() {
        let found = outside("differences", |place| {
            for (folder, text) in [("one", "a"), ("other", "b")] {
                let inside = created(&place.join(folder).join("part"))?;
                written(&inside.join("same"), "x")?;
                written(&inside.join("changed"), text)?;
            }
            written(&place.join("one/only"), "x")?;
            differences(&place.join("one"), &place.join("other"))
        });
        assert_eq!(found.unwrap(), ["only", "changed"]);
    }
}
