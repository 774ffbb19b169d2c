//! Finds the peers that are libraries of the system, and records what compiled the others.

use std::io::Write;
use std::process::{Command, Stdio};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=Cargo.lock");
    for (name, library) in [("isal", "libisal"), ("zlib", "zlib")] {
        // A failure is no error: the peer is left out, and the program says so.
        if let Ok(found) = pkg_config::probe_library(library) {
            println!("cargo:rustc-cfg={name}");
            println!("cargo:rustc-env=RIVALS_{}={}", name.to_uppercase(), found.version);
        }
    }
    if let Some(version) = google() {
        println!("cargo:rustc-cfg=google");
        println!("cargo:rustc-link-lib=crc32c");
        println!("cargo:rustc-env=RIVALS_GOOGLE={version}");
    }
    // OUT_DIR is target/PROFILE/build/NAME/out.
    let out = std::env::var("OUT_DIR").unwrap_or_default();
    let profile = std::path::Path::new(&out).iter().rev().nth(3).unwrap_or_default();
    println!("cargo:rustc-env=RIVALS_BUILD={}", profile.to_string_lossy());
    let compiler = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_string());
    println!("cargo:rustc-env=RIVALS_RUSTC={}", first_line(&compiler, "--version"));
    println!("cargo:rustc-env=RIVALS_CC={}", first_line("cc", "--version"));
}

/// Returns the version of Google's crc32c, if a program with it can be linked.
///
/// `pkg-config` does not know that library.
fn google() -> Option<String> {
    let cc = |words: &[&str]| {
        let mut command = Command::new("cc");
        command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        command.spawn()
    };
    let program = "unsigned crc32c_value(const void *, unsigned long);\n\
        int main(void) { return crc32c_value(\"\", 0) != 0; }\n";
    let mut linked = cc(&["-x", "c", "-", "-lcrc32c", "-o", "/dev/null"]).ok()?;
    linked.stdin.take()?.write_all(program.as_bytes()).ok()?;
    if !linked.wait().ok()?.success() {
        return None;
    }
    let output = cc(&["-print-file-name=libcrc32c.so"]).ok()?.wait_with_output().ok()?;
    let path = std::fs::canonicalize(String::from_utf8_lossy(&output.stdout).trim()).ok()?;
    let name = path.file_name()?.to_string_lossy().into_owned();
    Some(name.split_once(".so.").map_or("unknown", |(_, version)| version).to_string())
}

/// Returns the first line a program prints; empty if there is none.
fn first_line(program: &str, argument: &str) -> String {
    let output = Command::new(program).arg(argument).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    text.unwrap_or_default().lines().next().unwrap_or_default().to_string()
}
