//! The project's own commands: tests, checks, installation and benchmarks.

#![forbid(unsafe_code)]

mod bpf;
mod c;
mod checks;
mod cross;
mod debian;
mod fuzz;
mod guard_rates;
mod instructions;
mod kernels;
mod loops;
mod miri;
mod outcome;
mod package;
mod peers;
mod python;
mod rivals;
mod schedule;
mod shell;
mod sizes;
mod test;
mod web;
mod widths;

use std::process::ExitCode;

const HELP: &str = "\
Commands of the project.

  cargo xtask test [--all]
                          Run the tests; install their tools if possible, report skipped tests.
                          Those that take longest are run with --all
  cargo xtask test-c      Run the tests of the C library
  cargo xtask test-python Run the tests of the Python package
  cargo xtask check [--rivals]
                          Check formatting, widths, lints, documentation, targets without std,
                          sizes of programs, inlining of intrinsics, hot loops; with --rivals, also
                          benches/rivals
  cargo xtask cross [TARGET [TEST ...]] [-- FILTER]
                          Run the library's tests, or the named test programs, on other
                          architectures under qemu, with AVX-512 under Bochs, and in WebAssembly
                          by Node. Targets: aarch64, s390x, powerpc64, riscv64, i686, avx512,
                          wasm32
  cargo xtask cross TARGET --instructions
                          Count the instructions for a byte of data under qemu
  cargo xtask install-c --prefix DIR
                          Install the C library, its header, manual, and files for pkg-config and
                          CMake; see install-c --help
  cargo xtask rivals      Compare the speed of the library with other libraries; see rivals --help;
                          --from-c: of the installed C library, called from C
  cargo xtask instructions
                          Count the instructions of two table kernels for 32 bits of data
  cargo xtask schedule    Run the hot loops for aarch64 on models of cores, by llvm-mca
  cargo xtask bpf [--check]
                          Compile the guard's programs for the kernel into the kept object; with
                          --check, compare it with its source
  cargo xtask kernels [SYSTEM ...]
                          Try the guard inside the kernels of Debian and Ubuntu, in virtual
                          machines; see kernels --help
  cargo xtask guard-rates Measure TCP between two network namespaces, without a guard and with each
                          engine; see guard-rates --help
  cargo xtask fuzz [SECONDS [TARGET ...]]
                          Run the fuzz targets on new inputs, by default for 60 seconds each
  cargo xtask miri        Run the library's kernels in Miri, which checks each access to memory
  cargo xtask package [PART ...]
                          Make and test the packages for other people's systems; see package --help
  cargo xtask peers       Run the tests of other libraries against this one, through compat/
  cargo xtask web         Build the page, target/web/index.html

With RESIDUE_REQUIRE_ALL=1, a skipped test is a failure.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["test"] => test::run(false),
        ["test", "--all"] => test::run(true),
        ["test-c"] => outcome::alone("C library", || c::tests::run(true)),
        ["test-python"] => test::python(),
        ["check"] => checks::run(false),
        ["check", "--rivals"] => checks::run(true),
        ["cross", target, "--instructions"] => cross::instructions(target),
        ["cross", words @ ..] => cross::run(words),
        ["install-c", words @ ..] => c::install(words),
        ["bpf"] => bpf::run(),
        ["bpf", "--check"] => {
            outcome::code(outcome::is_good("programs in the kernel", bpf::check()))
        }
        ["guard-rates", words @ ..] => guard_rates::run(words),
        ["kernels", words @ ..] => kernels::run(words),
        ["fuzz", words @ ..] => fuzz::explore(words),
        ["miri"] => miri::run(),
        ["package", words @ ..] => package::run(words),
        ["peers"] => peers::run(),
        ["web"] => web::made(),
        ["instructions"] => instructions::run(),
        ["schedule"] => schedule::run(),
        ["rivals", "--", words @ ..] | ["rivals", words @ ..] => rivals::run(words),
        [] | ["help" | "--help" | "-h"] => {
            println!("{HELP}");
            ExitCode::SUCCESS
        }
        other => {
            eprintln!("xtask: unknown command `{}`\n\n{HELP}", other.join(" "));
            ExitCode::from(2)
        }
    }
}
