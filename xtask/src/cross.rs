//! `cargo xtask cross`: the library's tests on other architectures under qemu, and on a CPU with AVX-512 under Bochs.

mod bochs;
mod cpio;

use crate::debian::install;
use crate::{add_target, cargo, require_all};
use std::process::ExitCode;

/// A target, its GNU triple in Debian, its emulator, and the CPU models to emulate.
struct Target {
    name: &'static str,
    gnu: &'static str,
    packages: [&'static str; 2],
    emulator: &'static str,
    cpus: &'static [&'static str],
}

/// aarch64 with and without three-way exclusive or, and a big-endian machine.
const TARGETS: [Target; 2] = [
    Target {
        name: "aarch64-unknown-linux-gnu",
        gnu: "aarch64-linux-gnu",
        packages: ["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"],
        emulator: "qemu-aarch64-static",
        cpus: &["cortex-a72", "max"],
    },
    Target {
        name: "s390x-unknown-linux-gnu",
        gnu: "s390x-linux-gnu",
        packages: ["gcc-s390x-linux-gnu", "libc6-dev-s390x-cross"],
        emulator: "qemu-s390x-static",
        cpus: &["max"],
    },
];

/// The name of the machine with AVX-512 on the command line.
const AVX512: &str = "avx512";

/// Tests the targets whose names begin with `only`; `filter` goes to each test program.
pub fn run(only: &str, filter: &[&str]) -> ExitCode {
    let (mut good, mut any) = (true, false);
    for target in TARGETS.iter().filter(|target| target.name.starts_with(only)) {
        any = true;
        if let Err(why) = prepare(target) {
            good &= skipped(target.name, &why);
            continue;
        }
        for cpu in target.cpus {
            println!("== {} on {cpu}", target.name);
            good &= test(target, cpu, filter);
        }
    }
    if AVX512.starts_with(only) {
        any = true;
        match bochs::prepare() {
            Err(why) => good &= skipped(AVX512, &why),
            Ok(()) => {
                println!("== x86_64 on tigerlake (Bochs)");
                good &= bochs::test(filter).unwrap_or_else(|why| {
                    println!("failed: {AVX512}: {why}");
                    false
                });
            }
        }
    }
    if !any {
        let names = TARGETS.iter().map(|target| target.name).chain([AVX512]);
        eprintln!("xtask: no target `{only}`; there are {}", names.collect::<Vec<_>>().join(", "));
        return ExitCode::from(2);
    }
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Whether a target that cannot be tested here may be left out.
fn skipped(name: &str, why: &str) -> bool {
    println!("skipped: {name}: {why}");
    !require_all()
}

/// Standard library, linker and emulator.
fn prepare(target: &Target) -> Result<(), String> {
    add_target(target.name)?;
    let linker = format!("{}-gcc", target.gnu);
    let [gcc, libc] = target.packages;
    install(&[(&linker, gcc), (&linker, libc), (target.emulator, "qemu-user-static")])
}

fn test(target: &Target, cpu: &str, filter: &[&str]) -> bool {
    let variable = |what: &str| {
        format!("CARGO_TARGET_{}_{what}", target.name.to_uppercase().replace('-', "_"))
    };
    let status = cargo()
        .args([
            "test",
            "--package",
            "residue",
            "--target",
            target.name,
            "--no-fail-fast",
            "--lib",
            "--tests",
            "--",
        ])
        .args(filter)
        .env(variable("LINKER"), format!("{}-gcc", target.gnu))
        .env(variable("RUNNER"), format!("{} -L /usr/{}", target.emulator, target.gnu))
        .env("QEMU_CPU", cpu)
        .env("RESIDUE_EMULATED", "1")
        .status();
    status.is_ok_and(|status| status.success())
}
