//! Packages whose bytes depend neither on the folder nor on the time in which they are made.

use crate::outcome::{Outcome, Problem};
use crate::shell::{absolute, bytes, cargo, done, entries, env, name, output, outside, target};
use std::path::Path;
use std::process::Command;

/// The time of what a package holds, which several tools know: https://reproducible-builds.org.
const TIME: &str = "SOURCE_DATE_EPOCH";

/// The targets of all packages, and this system's.
const TARGETS: [&str; 5] = [
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "x86_64-unknown-linux-musl",
    "aarch64-unknown-linux-musl",
    "wasm32-unknown-unknown",
];

/// Says that the variables of [`run`] are set.
const SET: &str = "RESIDUE_REPEATABLE";

pub fn is_set() -> bool {
    std::env::var_os(SET).is_some()
}

/// Runs this program again, with the time of the last commit, and with flags by which the compiler
/// names no folder of this system.
pub fn run(words: &[&str]) -> Result<(), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.arg("package").args(words).env(SET, "1");
    let mut log = Command::new("git");
    let time = output(log.args(["log", "-1", "--format=%ct"]))?;
    command.env(TIME, time.trim());
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
        let variable = target.to_uppercase().replace('-', "_");
        command.env(format!("CARGO_TARGET_{variable}_RUSTFLAGS"), flags.join(" "));
    }
    let status = command.status().map_err(|error| error.to_string())?;
    if status.success() { Ok(()) } else { Err("not all packages are good".to_string()) }
}

/// Makes the parts once more, from a clone in another folder, and compares all files.
pub fn again(parts: &[&str]) -> Outcome {
    let first = target()?.join("packages");
    let differences = outside("another-folder", |place| {
        done(Command::new("git").args(["clone", "--quiet", "."]).arg(place.join("residue")))?;
        let mut make = cargo();
        make.args(["xtask", "package"]).args(parts).current_dir(place.join("residue"));
        done(make.env_remove(SET).env_remove("CARGO_TARGET_DIR"))?;
        differences(&first, &place.join("residue/target/packages"))
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
