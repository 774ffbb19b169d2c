//! The guard's programs for the kernel: compiled from C, and kept in the repository, so that only
//! those who change them need a compiler for BPF.

use crate::{Outcome, debian};
use std::path::Path;
use std::process::{Command, ExitCode};

const FOLDER: &str = "crates/residue-guard/bpf";
const OBJECT: &str = "guard.bpf.o";
/// Major version of the compiler of the kept object; others make other instructions.
const CLANG: u32 = 14;

/// Compiles the programs into the kept object.
pub fn run() -> ExitCode {
    let made = compile(OBJECT).and_then(|()| {
        // Without debugging information, but with the types of the maps.
        let status = Command::new("llvm-strip").arg("-g").arg(OBJECT).current_dir(FOLDER).status();
        match status {
            Ok(status) if status.success() => Ok(()),
            _ => Err("llvm-strip failed (Debian package llvm)".to_string()),
        }
    });
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("xtask: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Compares the kept object with its source.
pub fn check() -> Outcome {
    match version() {
        Ok(CLANG) => {}
        Ok(other) => {
            let why = format!("clang {other} makes other instructions than clang {CLANG}");
            return Outcome::Skipped(why);
        }
        Err(why) => return Outcome::Skipped(why),
    }
    let Ok(folder) = std::path::absolute("target") else {
        return Outcome::Bad("no working directory".to_string());
    };
    let fresh = folder.join(OBJECT);
    if let Err(why) = compile(&fresh.to_string_lossy()) {
        return Outcome::Bad(why);
    }
    let kept = Path::new(FOLDER).join(OBJECT);
    match (instructions(&kept), instructions(&fresh)) {
        (Some(kept), Some(fresh)) if kept == fresh => Outcome::Good,
        (Some(_), Some(_)) => {
            Outcome::Bad(format!("{OBJECT} is older than its source: run `cargo xtask bpf`"))
        }
        _ => Outcome::Bad(format!("{OBJECT} is not an object file")),
    }
}

/// Returns the major version of clang.
fn version() -> Result<u32, String> {
    debian::install(&[("clang", "clang")])?;
    let headers = "/usr/include/bpf/bpf_helpers.h";
    if !Path::new(headers).exists() {
        // An absolute name replaces the folders of the path.
        debian::install(&[(headers, "libbpf-dev")])?;
    }
    let output = Command::new("clang").arg("-dumpversion").output().map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let major = text.trim().split('.').next().and_then(|major| major.parse().ok());
    major.ok_or_else(|| format!("clang has no version: {text}"))
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
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("clang failed: {status}")),
        Err(error) => Err(format!("clang: {error}")),
    }
}

/// Returns the executable sections of an object file, 64 bits and little-endian. Types and names
/// depend on the system's headers.
fn instructions(path: &Path) -> Option<Vec<Vec<u8>>> {
    const EXECUTABLE: u64 = 4;
    let file = std::fs::read(path).ok()?;
    let number = |at: usize, length: usize| {
        let mut bytes = [0; 8];
        bytes[..length].copy_from_slice(file.get(at..at + length)?);
        Some(u64::from_le_bytes(bytes))
    };
    let (table, count) = (number(40, 8)? as usize, number(60, 2)? as usize);
    let mut sections = Vec::new();
    for header in (0..count).map(|at| table + at * 64) {
        let (start, length) = (number(header + 24, 8)? as usize, number(header + 32, 8)? as usize);
        if number(header + 8, 8)? & EXECUTABLE != 0 {
            sections.push(file.get(start..start.checked_add(length)?)?.to_vec());
        }
    }
    (!sections.is_empty()).then_some(sections)
}
