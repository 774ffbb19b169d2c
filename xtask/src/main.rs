//! The project's own commands: `cargo xtask test` and what continuous integration adds to it.

#![forbid(unsafe_code)]

mod c;
mod checks;
mod cross;
mod debian;
mod fuzz;
mod loops;
mod python;
mod rivals;
mod test;
mod web;
mod widths;

use std::process::ExitCode;

const HELP: &str = "\
The project's own commands.

  cargo xtask test      all tests; installs what they need where it can, says what it skipped
                        and why
  cargo xtask test-c    those of the C library alone
  cargo xtask test-python
                        those of the Python package alone
  cargo xtask check     formatting, widths, lints, documentation, targets without std, inlining of
                        intrinsics, hot loops; `--rivals`: lints and tests of benches/rivals too
  cargo xtask cross     the library's tests on other architectures under qemu, and with AVX-512
                        under Bochs; `cross TARGET -- FILTER` takes one target (aarch64, s390x,
                        powerpc64, riscv64, i686, avx512) and the tests named so
  cargo xtask install-c the C library, its header, manual, files for pkg-config and CMake, to
                        --prefix DIR; `--help`
  cargo xtask rivals    the library beside its peers: who is faster, at which length; `--help`
                        for its options
  cargo xtask web       the page, target/web/index.html: open it in a browser, with or without a
                        server

RESIDUE_REQUIRE_ALL=1 turns every skip into a failure.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["test"] => test::run(),
        ["test-c"] => test::alone("C library", c::run),
        ["test-python"] => test::python(),
        ["check"] => checks::run(false),
        ["check", "--rivals"] => checks::run(true),
        ["cross"] => cross::run("", &[]),
        ["cross", target] => cross::run(target, &[]),
        ["cross", "--", filter @ ..] => cross::run("", filter),
        ["cross", target, "--", filter @ ..] => cross::run(target, filter),
        ["install-c", words @ ..] => c::install(words),
        ["web"] => web::made(),
        ["rivals", "--", words @ ..] | ["rivals", words @ ..] => rivals::run(words),
        [] | ["help" | "--help" | "-h"] => {
            println!("{HELP}");
            ExitCode::SUCCESS
        }
        other => {
            eprintln!("xtask: no command `{}`\n\n{HELP}", other.join(" "));
            ExitCode::from(2)
        }
    }
}

/// Returns whether a skipped test is a failure here.
fn require_all() -> bool {
    std::env::var("RESIDUE_REQUIRE_ALL").is_ok_and(|value| value == "1")
}

/// Builds the artifacts that tests of other languages need. Everything together has the features
/// that `cargo test --workspace` gives it, so nothing is compiled twice.
const EVERYTHING: [&str; 3] = ["build", "--workspace", "--all-targets"];

/// Installs a target's standard library.
fn add_target(name: &str) -> Result<(), String> {
    let output = std::process::Command::new("rustup").args(["target", "add", name]).output();
    if output.is_ok_and(|output| output.status.success()) {
        Ok(())
    } else {
        Err(format!("`rustup target add {name}` failed"))
    }
}

/// Returns a command for the `cargo` that runs this program.
fn cargo() -> std::process::Command {
    std::process::Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string()))
}
