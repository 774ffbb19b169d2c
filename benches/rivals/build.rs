//! Finds the peers that are Debian packages, and records what compiled the others.

use std::process::Command;

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
    let compiler = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_string());
    println!("cargo:rustc-env=RIVALS_RUSTC={}", first_line(&compiler, "--version"));
    println!("cargo:rustc-env=RIVALS_CC={}", first_line("cc", "--version"));
}

/// Returns the first line a program prints; empty if there is none.
fn first_line(program: &str, argument: &str) -> String {
    let output = Command::new(program).arg(argument).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    text.unwrap_or_default().lines().next().unwrap_or_default().to_string()
}
