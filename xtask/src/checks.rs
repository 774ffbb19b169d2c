//! `cargo xtask check`: requirements that tests do not cover.

use crate::{Outcome, add_target, bpf, cargo, loops, require_all, sizes, widths};
use std::collections::BTreeMap;
use std::process::{Command, ExitCode, Stdio};

/// Targets without `std` (and without vector registers), and one whose `std` does nothing.
const BARE_TARGETS: [&str; 3] =
    ["x86_64-unknown-none", "aarch64-unknown-none-softfloat", "wasm32-unknown-unknown"];

/// Other architectures with vector kernels or a cycle counter. `cargo xtask cross` runs tests on
/// some of them.
const ARCHITECTURES: [&str; 3] =
    ["aarch64-unknown-linux-gnu", "i686-unknown-linux-gnu", "powerpc64le-unknown-linux-gnu"];

/// Runs every check, even after one failed; with `rivals`, also the lints and tests of that
/// workspace.
pub fn run(rivals: bool) -> ExitCode {
    let mut checks: Vec<(&str, Check)> = vec![
        ("formatting", || {
            let peers = ["fmt", "--check", "--manifest-path", crate::rivals::MANIFEST];
            let fuzz = ["fmt", "--check", "--manifest-path", crate::fuzz::MANIFEST];
            let sizes = ["fmt", "--check", "--manifest-path", sizes::MANIFEST];
            for words in [&["fmt", "--all", "--check"][..], &peers, &fuzz, &sizes] {
                match cargo_does(words) {
                    Outcome::Good => {}
                    other => return other,
                }
            }
            Outcome::Good
        }),
        ("width", || match widths::too_wide() {
            Ok(lines) if lines.is_empty() => Outcome::Good,
            Ok(lines) => Outcome::Bad(format!("wider than 100 columns:\n{}", lines.join("\n"))),
            Err(error) => Outcome::Bad(error.to_string()),
        }),
        ("lock files", || {
            let peers = crate::rivals::MANIFEST;
            for manifest in ["Cargo.toml", peers, crate::fuzz::MANIFEST, sizes::MANIFEST] {
                let mut command = cargo();
                command.args(["metadata", "--locked", "--format-version=1", "--manifest-path"]);
                match done(command.arg(manifest).stdout(Stdio::null()).status()) {
                    Outcome::Good => {}
                    other => return other,
                }
            }
            Outcome::Good
        }),
        ("lints", || {
            cargo_does(&[
                "clippy",
                "--workspace",
                "--all-targets",
                "--quiet",
                "--",
                "-D",
                "warnings",
            ])
        }),
        ("lints of fuzz targets", || {
            let words = ["clippy", "--quiet", "--no-default-features", "--manifest-path"];
            let words = [&words[..], &[crate::fuzz::MANIFEST]].concat();
            cargo_does(&[&words[..], &["--", "-D", "warnings"]].concat())
        }),
        ("documentation", || {
            done(
                cargo()
                    .args(["doc", "--workspace", "--no-deps", "--quiet"])
                    .env("RUSTDOCFLAGS", "-D warnings")
                    .status(),
            )
        }),
        ("oldest Rust", oldest_rust),
        ("without std", bare_targets),
        ("other architectures compile", || all(ARCHITECTURES, &[])),
        ("size on x86-64 Linux", sizes::on_linux),
        ("short calls save few registers", sizes::short_calls),
        ("size on microcontrollers", sizes::on_microcontrollers),
        ("intrinsics are inlined", intrinsics),
        ("programs in the kernel", bpf::check),
        ("code to compile", instances),
        ("hot loops are clean", || match loops::check() {
            Ok(()) => Outcome::Good,
            Err(loops::Problem::Cannot(why)) => Outcome::Skipped(why),
            Err(loops::Problem::Bad(why)) => Outcome::Bad(why),
        }),
    ];
    if rivals {
        checks.push(("rivals", peers));
    }
    let mut good = true;
    for (name, check) in checks {
        good &= is_good(name, check);
    }
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs one check.
pub fn one(name: &str, check: Check) -> ExitCode {
    if is_good(name, check) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs a check and prints its outcome. A skipped one is bad if all are required.
fn is_good(name: &str, check: Check) -> bool {
    match check() {
        Outcome::Good => {
            println!("{name}: good");
            true
        }
        Outcome::Bad(why) => {
            println!("{name}: FAILED: {why}");
            false
        }
        Outcome::Skipped(why) => {
            println!("skipped: {name}: {why}");
            !require_all()
        }
    }
}

/// Lints and tests `benches/rivals`. Optional, as it builds a hundred crates and two C libraries.
fn peers() -> Outcome {
    let of_them = |words: &[&str], more: &[&str]| {
        let words =
            [words, &["--quiet", "--locked", "--manifest-path", crate::rivals::MANIFEST], more];
        cargo_does(&words.concat())
    };
    crate::rivals::install_peers();
    match of_them(&["clippy", "--all-targets"], &["--", "-D", "warnings"]) {
        Outcome::Good => of_them(&["test", "--release"], &[]),
        other => other,
    }
}

type Check = fn() -> Outcome;

fn done(status: std::io::Result<std::process::ExitStatus>) -> Outcome {
    match status {
        Ok(status) if status.success() => Outcome::Good,
        Ok(status) => Outcome::Bad(status.to_string()),
        Err(error) => Outcome::Bad(error.to_string()),
    }
}

fn cargo_does(words: &[&str]) -> Outcome {
    done(cargo().args(words).status())
}

fn bare_targets() -> Outcome {
    all(BARE_TARGETS, &["--no-default-features"])
}

fn all<const N: usize>(targets: [&str; N], options: &[&str]) -> Outcome {
    for name in targets {
        match target(name, options) {
            Outcome::Good => {}
            other => return other,
        }
    }
    Outcome::Good
}

/// Compiles the library by the oldest Rust that Cargo.toml allows; rustup installs it.
fn oldest_rust() -> Outcome {
    let version = env!("CARGO_PKG_RUST_VERSION");
    let rustup = |words: &[&str]| Command::new("rustup").args(words).output();
    let installed = rustup(&["toolchain", "install", version, "--profile", "minimal"]);
    if !installed.is_ok_and(|output| output.status.success()) {
        return Outcome::Skipped(format!("`rustup toolchain install {version}` failed"));
    }
    let folder = match crate::shell::target() {
        Ok(target) => target.join("oldest-rust"),
        Err(why) => return Outcome::Bad(why),
    };
    let mut check = Command::new("rustup");
    check.args(["run", version, "cargo", "check", "--quiet", "--locked", "--package", "residue"]);
    check.arg("--all-features").env_remove("CARGO").env("CARGO_TARGET_DIR", folder);
    done(check.env("RUSTFLAGS", "-D warnings").status())
}

/// Compiles the library for a target, which is installed if it is missing.
fn target(name: &str, options: &[&str]) -> Outcome {
    if let Err(why) = add_target(name) {
        return Outcome::Skipped(why);
    }
    let mut command = cargo();
    command
        .args(["build", "--quiet", "--package", "residue", "--target", name])
        // Generates code, with as little optimisation as possible.
        .args(["--config", "profile.dev.opt-level=1"])
        .args(options);
    done(command.env("RUSTFLAGS", "-D warnings").status())
}

/// The most code of the library with every kernel, in bytes, and the most of one tier. The time to
/// compile the library follows from the first, and from the second how well several cores share it:
/// the kernels of a tier are compiled one after the other.
const MOST_CODE: u64 = 570_000;
const MOST_OF_A_TIER: u64 = 120_000;

/// Checks how much code the kernels of the library are.
fn instances() -> Outcome {
    let library = match loops::library(None) {
        Ok(library) => library,
        Err(why) => return Outcome::Bad(why),
    };
    let mut nm = Command::new("nm");
    let Ok(output) = nm.args(["-C", "-S", "-t", "d", "--defined-only"]).arg(&library).output()
    else {
        return Outcome::Skipped("`nm` is not installed (Debian package binutils)".to_string());
    };
    let symbols = String::from_utf8_lossy(&output.stdout);
    let (mut code, mut tiers) = (0, BTreeMap::<&str, u64>::new());
    for line in symbols.lines() {
        let mut words = line.splitn(4, ' ').skip(1);
        let (Some(bytes), Some("t" | "T" | "w" | "W"), Some(name)) =
            (words.next(), words.next(), words.next())
        else {
            continue;
        };
        let bytes = bytes.parse().unwrap_or(0);
        code += bytes;
        if let Some((tier, _)) = name.split_once(" as residue::body::tier::Enter>") {
            let tier = tier.rsplit("::").next().unwrap_or(tier);
            *tiers.entry(tier).or_default() += bytes;
        }
    }
    let Some((tier, most)) = tiers.into_iter().max_by_key(|(_, bytes)| *bytes) else {
        return Outcome::Bad(format!("`{}` shows no kernels", library.display()));
    };
    println!(
        "  the library has {code} bytes of code, at most {MOST_CODE}, of which {most} of {tier}, \
         at most {MOST_OF_A_TIER}"
    );
    if code > MOST_CODE || most > MOST_OF_A_TIER {
        return Outcome::Bad("the library takes longer to compile".to_string());
    }
    Outcome::Good
}

/// Checks that intrinsics are inlined. One that is not is a function call in place of an
/// instruction: slow but correct, so no test fails. It shows as a symbol of `core::core_arch` in a
/// release build of the library, which holds every kernel.
fn intrinsics() -> Outcome {
    let library = match loops::library(None) {
        Ok(library) => library,
        Err(why) => return Outcome::Bad(why),
    };
    let Ok(output) = Command::new("nm").arg("-C").arg(&library).output() else {
        return Outcome::Skipped("`nm` is not installed (Debian package binutils)".to_string());
    };
    let symbols = String::from_utf8_lossy(&output.stdout);
    if !symbols.contains("residue::") {
        return Outcome::Bad(format!("`{}` shows no symbols of the library", library.display()));
    }
    // `_xgetbv` is called by the feature detection of the standard library.
    let call = |line: &&str| line.contains("core::core_arch") && !line.ends_with("::_xgetbv");
    let left: Vec<&str> = symbols.lines().filter(call).collect();
    match left.first() {
        None => Outcome::Good,
        Some(first) => Outcome::Bad(format!(
            "{} intrinsics are calls, the first `{first}`; \
             is an `#[inline(always)]` missing on a function that takes a marker?",
            left.len()
        )),
    }
}
