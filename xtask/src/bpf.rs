//! The guard's programs for the kernel: compiled from C, and kept in the repository, so that only
//! those who change them need a compiler for BPF.

mod object;

use crate::debian;
use crate::outcome::{Outcome, Problem, ended};
use crate::shell::{absolute, bytes, output, shown};
use std::path::Path;
use std::process::{Command, ExitCode};

const FOLDER: &str = "crates/residue-guard/bpf";
const OBJECT: &str = "guard.bpf.o";
/// The compiler of the kept object. The same version makes the same bytes again; another of its
/// major versions the same parts, with other numbers of types; any other one other instructions.
const CLANG: &str = "14.0.6";

/// Compiles the programs into the kept object.
pub fn run() -> ExitCode {
    ended(compile(OBJECT))
}

/// Compares the kept object with its source: all bytes, or all parts that are loaded.
pub fn check() -> Outcome {
    let version = version().map_err(Problem::Skipped)?;
    if major(&version) != major(CLANG) {
        let why = format!("clang {version} makes other instructions than clang {CLANG}");
        return Err(Problem::Skipped(why));
    }
    let fresh = absolute("target")?.join(OBJECT);
    compile(&fresh.to_string_lossy())?;
    let kept = bytes(&Path::new(FOLDER).join(OBJECT))?;
    Ok(compare(&kept, &bytes(&fresh)?, version == CLANG)?)
}

/// Compares two objects, which the same compiler has made or not.
fn compare(kept: &[u8], fresh: &[u8], is_same_compiler: bool) -> Result<(), String> {
    let differences = object::differences(kept, fresh);
    let differences = differences.ok_or_else(|| format!("{OBJECT} is not an object file"))?;
    let what = match differences.join(", ") {
        none if none.is_empty() && (kept == fresh || !is_same_compiler) => return Ok(()),
        none if none.is_empty() => "types and names that are not loaded".to_string(),
        some => some,
    };
    Err(format!("{OBJECT} differs from its source in {what}: run `cargo xtask bpf`"))
}

/// Returns the version of clang.
fn version() -> Result<String, String> {
    debian::install(&[("clang", "clang"), ("llvm-strip", "llvm")])?;
    let headers = "/usr/include/bpf/bpf_helpers.h";
    if !Path::new(headers).exists() {
        // An absolute name replaces the folders of the path.
        debian::install(&[(headers, "libbpf-dev")])?;
    }
    let text = output(Command::new("clang").arg("-dumpversion"))?.trim().to_string();
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
    shown(&mut command)?;
    // Without debugging information, but with the types of the maps.
    shown(Command::new("llvm-strip").arg("-g").arg(object).current_dir(FOLDER))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same compiler makes all bytes again; parts that are not loaded may differ otherwise.
    #[test]
    fn all_bytes_are_compared() {
        let kept = include_bytes!("../../crates/residue-guard/bpf/guard.bpf.o");
        let is_good = |fresh: &[u8], same| compare(kept, fresh, same).is_ok();
        assert!(is_good(kept, true) && is_good(kept, false));
        // A byte behind the parts that are compared: the last section's name, or a symbol's.
        let mut fresh = kept.to_vec();
        *fresh.last_mut().expect("a byte") ^= 1;
        assert!(!is_good(&fresh, true) && is_good(&fresh, false));
        assert!(!is_good(b"no object", true) && !is_good(b"no object", false));
    }
}
