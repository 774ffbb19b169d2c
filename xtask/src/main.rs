//! The project's own commands: `cargo xtask test` and what continuous integration adds to it.

#![forbid(unsafe_code)]

mod checks;
mod cross;
mod debian;
mod rivals;
mod test;

use std::process::ExitCode;

const HELP: &str = "\
The project's own commands.

  cargo xtask test      all tests; installs what they need where it can, says what it skipped and why
  cargo xtask check     formatting, lints, documentation, targets without std, inlining of intrinsics
  cargo xtask cross     the library's tests on aarch64 and on a big-endian machine, under qemu
  cargo xtask rivals    the library beside its peers: who is faster, at which length; `--help` for its options

RESIDUE_REQUIRE_ALL=1 turns every skip into a failure.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["test"] => test::run(),
        ["check"] => checks::run(),
        ["cross"] => cross::run(),
        ["rivals", words @ ..] => rivals::run(words),
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

/// Whether a skipped test is a failure here.
fn require_all() -> bool {
    std::env::var("RESIDUE_REQUIRE_ALL").is_ok_and(|value| value == "1")
}

/// `cargo`, as it was called.
fn cargo() -> std::process::Command {
    std::process::Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string()))
}
