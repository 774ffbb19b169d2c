//! `cargo xtask rivals --from-c`: the installed C library beside peers of the system, called by a
//! C program (bindings/c/bench/bench.c), with the shared and the static library.

use crate::debian::{install, install_libraries};
use crate::shell::{absolute, done, output, shown, target};
use std::path::Path;
use std::process::Command;

const SOURCE: &str = "bindings/c/bench/bench.c";

/// The peers: the names for `pkg-config`, in the program, and of Debian's packages.
const PEERS: [(&str, &str, &str); 3] = [
    ("libisal", "HAVE_ISAL", "libisal-dev"),
    ("libdeflate", "HAVE_LIBDEFLATE", "libdeflate-dev"),
    ("zlib", "HAVE_ZLIB", "zlib1g-dev"),
];

/// Installs the C library below the target directory, and times it.
///
/// # Errors
/// The reason why it cannot be built here.
pub fn run() -> Result<(), String> {
    install(&[("cc", "gcc"), ("pkg-config", "pkg-config")])?;
    let prefix = target()?.join("from-c");
    crate::c::installed(&["--prefix", &prefix.to_string_lossy()])?;
    let mut peers = Vec::new();
    for (library, name, package) in PEERS {
        if let Err(why) = install_libraries(&[(library, package)]) {
            println!("missing: {why}");
            continue;
        }
        let flags = output(Command::new("pkg-config").args(["--cflags", "--libs", library]))?;
        let version = output(Command::new("pkg-config").args(["--modversion", library]))?;
        println!("{library} {}", version.trim());
        peers.push(format!("-D{name}"));
        peers.extend(flags.split_whitespace().map(str::to_string));
    }
    let libraries = prefix.join("lib");
    let (shared, one) = (libraries.join("libresidue.so"), libraries.join("libresidue.a"));
    for (kind, library) in [("shared", shared), ("static", one)] {
        let program = prefix.join(format!("rivals-{kind}"));
        compiled(&prefix, &library, &peers, &program)?;
        println!();
        shown(Command::new(&program).arg(format!("{kind} library")))?;
    }
    Ok(())
}

/// Compiles the program as most users do, at -O2, with one of the libraries.
fn compiled(prefix: &Path, library: &Path, peers: &[String], program: &Path) -> Result<(), String> {
    let mut cc = Command::new("cc");
    cc.args(["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror"]).arg(absolute(SOURCE)?);
    cc.arg("-I").arg(prefix.join("include")).arg("-o").arg(program).arg(library);
    cc.arg(format!("-Wl,-rpath,{}", prefix.join("lib").display()));
    done(cc.args(peers).args(["-lpthread", "-ldl", "-lm"]))
}
