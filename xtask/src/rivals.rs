//! `cargo xtask rivals`: compares the library with its peers (`benches/rivals`, a separate
//! workspace).

mod from_c;

use crate::debian::{install, install_libraries};
use crate::outcome::ended;
use crate::shell::cargo;
use std::process::ExitCode;

/// Workspace of the peers.
pub const MANIFEST: &str = "benches/rivals/Cargo.toml";

/// Installs the dependencies of peers in C, where possible; reports missing ones.
pub fn install_peers() {
    // zlib-ng needs cmake; peers whose libraries are missing are left out, and reported.
    let tools = [("cmake", "cmake"), ("cc", "gcc"), ("pkg-config", "pkg-config")];
    let libraries = [("libisal", "libisal-dev"), ("zlib", "zlib1g-dev")];
    for missing in [install(&tools), install_libraries(&libraries)] {
        if let Err(why) = missing {
            println!("missing: {why}");
        }
    }
}

/// Builds the comparison and runs it with `words`; with `--from-c` that of a C program.
pub fn run(words: &[&str]) -> ExitCode {
    if words == ["--from-c"] {
        return ended(from_c::run());
    }
    install_peers();
    let profile = if words.contains(&"--default-build") { "default-build" } else { "release" };
    let status = cargo()
        .args(["run", "--quiet", "--profile", profile, "--locked"])
        .args(["--manifest-path", MANIFEST, "--"])
        .args(words)
        .status();
    match status {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(status) => ExitCode::from(status.code().and_then(|c| u8::try_from(c).ok()).unwrap_or(1)),
        Err(error) => {
            eprintln!("cannot run cargo: {error}");
            ExitCode::FAILURE
        }
    }
}
