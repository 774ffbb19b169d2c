//! `cargo xtask check`: requirements that tests do not cover.

use crate::debian::install;
use crate::outcome::{Outcome, Problem, code, is_good};
use crate::shell::{add_target, cargo, done, joined, shown, target};
use crate::{bpf, loops, sizes, widths};
use std::collections::BTreeMap;
use std::process::{Command, ExitCode};
use std::time::Instant;

/// Targets without `std` (and without vector registers), and one whose `std` does nothing.
const BARE_TARGETS: [&str; 3] =
    ["x86_64-unknown-none", "aarch64-unknown-none-softfloat", "wasm32-unknown-unknown"];

/// Other architectures with vector kernels or a cycle counter. `cargo xtask cross` runs tests on
/// some of them.
const ARCHITECTURES: [&str; 3] =
    ["aarch64-unknown-linux-gnu", "i686-unknown-linux-gnu", "powerpc64le-unknown-linux-gnu"];

/// The manifests of the workspaces.
const WORKSPACES: [&str; 3] = ["Cargo.toml", PEERS, sizes::MANIFEST];

const PEERS: &str = crate::rivals::MANIFEST;

type Check = fn() -> Outcome;

type Named = (&'static str, Check);

/// The checks that compile nothing, or in the workspace's folder, for which cargo has one lock.
const OF_WORKSPACE: [Named; 7] = [
    ("formatting", || in_all(&["fmt", "--all", "--check"])),
    ("width", || match widths::too_wide() {
        Ok(lines) if lines.is_empty() => Ok(()),
        Ok(lines) => bad(format!("wider than 100 columns:\n{}", lines.join("\n"))),
        Err(error) => bad(error.to_string()),
    }),
    ("lock files", || in_all(&["metadata", "--locked", "--format-version=1"])),
    ("lints", || {
        run_cargo(
            "clippy --workspace --all-targets --features fuzz/programs --quiet -- -D warnings",
        )
    }),
    ("documentation", || {
        let mut doc = cargo();
        doc.args(["doc", "--workspace", "--no-deps", "--quiet"]);
        Ok(shown(doc.env("RUSTDOCFLAGS", "-D warnings"))?)
    }),
    ("without std", || {
        BARE_TARGETS.iter().try_for_each(|it| built(it, &["--no-default-features"]))
    }),
    ("other architectures compile", || ARCHITECTURES.iter().try_for_each(|it| built(it, &[]))),
];

/// The checks that compile in folders of their own.
const ELSEWHERE: [Named; 8] = [
    ("oldest Rust", oldest_rust),
    ("size on x86-64 Linux", sizes::on_linux),
    ("short calls save few registers", sizes::short_calls),
    ("size on microcontrollers", sizes::on_microcontrollers),
    ("intrinsics are inlined", intrinsics),
    ("programs in the kernel", bpf::check),
    ("code to compile", instances),
    ("hot loops are clean", loops::check),
];

/// Runs every check, even after one failed; with `rivals`, also the lints and tests of that
/// workspace.
///
/// Two run at a time, as many use one core; two of the first list would wait for each other.
pub fn run(rivals: bool) -> ExitCode {
    let peers: Option<Named> = rivals.then_some(("rivals", peers));
    let elsewhere: Vec<Named> = ELSEWHERE.into_iter().chain(peers).collect();
    code(std::thread::scope(|scope| {
        let others = scope.spawn(|| all(&elsewhere));
        all(&OF_WORKSPACE) & joined(others)
    }))
}

/// Runs checks one after the other; returns whether all are good.
fn all(checks: &[Named]) -> bool {
    let one = |&(name, check): &Named| {
        let began = Instant::now();
        let outcome = check();
        is_good(&format!("{name} ({:.1} s)", began.elapsed().as_secs_f64()), outcome)
    };
    checks.iter().map(one).fold(true, |all, good| all & good)
}

fn bad(why: String) -> Outcome {
    Err(Problem::Bad(why))
}

/// Runs cargo with the arguments, separated by spaces.
fn run_cargo(words: &str) -> Outcome {
    Ok(shown(cargo().args(words.split(' ')))?)
}

/// Runs cargo in all workspaces.
fn in_all(words: &[&str]) -> Outcome {
    let one = |manifest| done(cargo().args(words).args(["--manifest-path", manifest]));
    Ok(WORKSPACES.into_iter().try_for_each(one)?)
}

/// Lints and tests `benches/rivals`. Optional, as it builds a hundred crates and two C libraries.
fn peers() -> Outcome {
    crate::rivals::install_peers();
    let of_them = format!("--quiet --locked --manifest-path {PEERS}");
    run_cargo(&format!("clippy --all-targets {of_them} -- -D warnings"))?;
    run_cargo(&format!("test --release {of_them}"))
}

/// Compiles the library by the oldest Rust that Cargo.toml allows; rustup installs it.
fn oldest_rust() -> Outcome {
    let version = env!("CARGO_PKG_RUST_VERSION");
    let install = ["toolchain", "install", version, "--profile", "minimal"];
    done(Command::new("rustup").args(install)).map_err(Problem::Skipped)?;
    let mut check = Command::new("rustup");
    check.args(["run", version, "cargo", "check", "--quiet", "--locked", "--package", "residue"]);
    check.arg("--all-features").env_remove("CARGO").env("RUSTFLAGS", "-D warnings");
    Ok(shown(check.env("CARGO_TARGET_DIR", target()?.join("oldest-rust")))?)
}

/// Compiles the library for a target, which is installed if it is missing.
fn built(target: &str, options: &[&str]) -> Outcome {
    add_target(target).map_err(Problem::Skipped)?;
    let mut build = cargo();
    build.args(["build", "--quiet", "--package", "residue", "--target", target]).args(options);
    // Generates code, but without optimisation.
    build.args(["--config", "profile.dev.package.residue.opt-level=0"]);
    Ok(shown(build.env("RUSTFLAGS", "-D warnings"))?)
}

/// Returns the symbols of the library with every kernel.
fn symbols(words: &[&str]) -> Result<String, Problem> {
    install(&[("nm", "binutils")]).map_err(Problem::Skipped)?;
    let library = loops::library(None)?;
    // It complains of the compiler's own part of the library, which is no object file.
    let output = Command::new("nm").arg("-C").args(words).arg(&library).output();
    let output = output.map_err(|error| format!("nm: {error}"))?;
    let symbols = String::from_utf8_lossy(&output.stdout).into_owned();
    match symbols.contains("residue::") {
        true => Ok(symbols),
        false => Err(format!("`{}` shows no symbols of the library", library.display()).into()),
    }
}

/// The most code of the library with every kernel, in bytes, and the most of one tier. The time to
/// compile the library follows from the first, and from the second how well several cores share it:
/// the kernels of a tier are compiled one after the other.
const MOST_CODE: u64 = 610_000;
const MOST_OF_A_TIER: u64 = 120_000;

/// Checks how much code the kernels of the library are.
fn instances() -> Outcome {
    let symbols = symbols(&["-S", "-t", "d", "--defined-only"])?;
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
    let most = tiers.into_iter().max_by_key(|(_, bytes)| *bytes);
    let (tier, most) = most.ok_or("the library shows no kernels".to_string())?;
    println!(
        "  the library has {code} bytes of code, at most {MOST_CODE}, of which {most} of {tier}, \
         at most {MOST_OF_A_TIER}"
    );
    match code > MOST_CODE || most > MOST_OF_A_TIER {
        true => bad("the library takes longer to compile".to_string()),
        false => Ok(()),
    }
}

/// Checks that intrinsics are inlined. One that is not is a function call in place of an
/// instruction: slow but correct, so no test fails. It shows as a symbol of `core::core_arch` in a
/// release build of the library, which holds every kernel.
fn intrinsics() -> Outcome {
    let symbols = symbols(&[])?;
    // `_xgetbv` is called by the feature detection of the standard library.
    let call = |line: &&str| line.contains("core::core_arch") && !line.ends_with("::_xgetbv");
    let left: Vec<&str> = symbols.lines().filter(call).collect();
    match left.first() {
        None => Ok(()),
        Some(first) => bad(format!(
            "{} intrinsics are calls, the first `{first}`; \
             is an `#[inline(always)]` missing on a function that takes a marker?",
            left.len()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ci_adds_the_targets_before() {
        let ci = include_str!("../../.ci/run");
        let (_, list) = ci.split_once("rustup target add ").expect("a list");
        let (list, _) = list.split_once("rustup").expect("the next command");
        for target in BARE_TARGETS.iter().chain(&ARCHITECTURES).chain(sizes::MICROCONTROLLERS) {
            assert!(list.split_whitespace().any(|word| word == *target), "{target}");
        }
    }
}
