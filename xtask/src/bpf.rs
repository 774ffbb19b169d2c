//! The guard's programs for the kernel: compiled from C, and kept in the repository, so that only
//! those who change them need a compiler for BPF.

mod object;

use crate::{Outcome, debian};
use std::path::Path;
use std::process::{Command, ExitCode};

const FOLDER: &str = "crates/residue-guard/bpf";
const OBJECT: &str = "guard.bpf.o";
/// The compiler of the kept object. The same version makes the same bytes again; another of its
/// major versions the same parts, with other numbers of types; any other one other instructions.
const CLANG: &str = "14.0.6";

/// Compiles the programs into the kept object.
pub fn run() -> ExitCode {
    match compile(OBJECT) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("xtask: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Compares the kept object with its source: all bytes, or all parts that are loaded.
pub fn check() -> Outcome {
    let version = match version() {
        Ok(version) => version,
        Err(why) => return Outcome::Skipped(why),
    };
    if major(&version) != major(CLANG) {
        let why = format!("clang {version} makes other instructions than clang {CLANG}");
        return Outcome::Skipped(why);
    }
    let Ok(folder) = std::path::absolute("target") else {
        return Outcome::Bad("no working directory".to_string());
    };
    let fresh = folder.join(OBJECT);
    if let Err(why) = compile(&fresh.to_string_lossy()) {
        return Outcome::Bad(why);
    }
    match [Path::new(FOLDER).join(OBJECT), fresh].map(std::fs::read) {
        [Ok(kept), Ok(fresh)] => compare(&kept, &fresh, version == CLANG),
        _ => Outcome::Bad(format!("{OBJECT} cannot be read")),
    }
}

/// Compares two objects, which the same compiler has made or not.
fn compare(kept: &[u8], fresh: &[u8], is_same_compiler: bool) -> Outcome {
    let Some(differences) = object::differences(kept, fresh) else {
        return Outcome::Bad(format!("{OBJECT} is not an object file"));
    };
    let what = match differences.join(", ") {
        none if none.is_empty() && (kept == fresh || !is_same_compiler) => return Outcome::Good,
        none if none.is_empty() => "types and names that are not loaded".to_string(),
        some => some,
    };
    Outcome::Bad(format!("{OBJECT} differs from its source in {what}: run `cargo xtask bpf`"))
}

/// Returns the version of clang.
fn version() -> Result<String, String> {
    debian::install(&[("clang", "clang"), ("llvm-strip", "llvm")])?;
    let headers = "/usr/include/bpf/bpf_helpers.h";
    if !Path::new(headers).exists() {
        // An absolute name replaces the folders of the path.
        debian::install(&[(headers, "libbpf-dev")])?;
    }
    let output = Command::new("clang").arg("-dumpversion").output().map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_string();
    if major(&text).is_some() { Ok(text) } else { Err(format!("clang has no version: {text}")) }
}

fn major(version: &str) -> Option<u32> {
    version.split('.').next()?.parse().ok()
}

fn compile(object: &str) -> Result<(), String> {
    version()?;
    // asm/types.h, where the compiler for BPF does not look.
    let headers = format!("-I/usr/include/{}-linux-gnu", std::env::consts::ARCH);
    let words = "-target bpf -mcpu=v3 -O2 -g -fdebug-compilation-dir=. -Wall -Wextra -Werror \
                 -Wno-sign-compare -c guard.bpf.c -o";
    let mut command = Command::new("clang");
    command.arg(headers).args(words.split_ascii_whitespace()).arg(object).current_dir(FOLDER);
    match command.status() {
        Ok(status) if status.success() => {}
        Ok(status) => return Err(format!("clang failed: {status}")),
        Err(error) => return Err(format!("clang: {error}")),
    }
    // Without debugging information, but with the types of the maps.
    let status = Command::new("llvm-strip").arg("-g").arg(object).current_dir(FOLDER).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        _ => Err("llvm-strip failed (Debian package llvm)".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same compiler makes all bytes again; parts that are not loaded may differ otherwise.
    #[test]
    fn all_bytes_are_compared() {
        let kept = include_bytes!("../../crates/residue-guard/bpf/guard.bpf.o");
        let is_good = |fresh: &[u8], same| matches!(compare(kept, fresh, same), Outcome::Good);
        assert!(is_good(kept, true) && is_good(kept, false));
        // A byte behind the parts that are compared: the last section's name, or a symbol's.
        let mut fresh = kept.to_vec();
        *fresh.last_mut().expect("a byte") ^= 1;
        assert!(!is_good(&fresh, true) && is_good(&fresh, false));
        assert!(!is_good(b"no object", true) && !is_good(b"no object", false));
    }
}
