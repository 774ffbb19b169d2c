//! `cargo xtask cross`: the library's tests on other architectures, under qemu.

use crate::debian::install;
use crate::{cargo, require_all};
use std::process::{Command, ExitCode, Stdio};

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

/// Tests every target.
pub fn run() -> ExitCode {
    let mut good = true;
    for target in &TARGETS {
        if let Err(why) = prepare(target) {
            println!("skipped: {}: {why}", target.name);
            good &= !require_all();
            continue;
        }
        for cpu in target.cpus {
            println!("== {} on {cpu}", target.name);
            good &= test(target, cpu);
        }
    }
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Standard library, linker and emulator.
fn prepare(target: &Target) -> Result<(), String> {
    let added = Command::new("rustup")
        .args(["target", "add", target.name])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !added.is_ok_and(|status| status.success()) {
        return Err(format!("`rustup target add {}` failed", target.name));
    }
    let linker = format!("{}-gcc", target.gnu);
    let [gcc, libc] = target.packages;
    install(&[(&linker, gcc), (&linker, libc), (target.emulator, "qemu-user-static")])
}

fn test(target: &Target, cpu: &str) -> bool {
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
        ])
        .env(variable("LINKER"), format!("{}-gcc", target.gnu))
        .env(variable("RUNNER"), format!("{} -L /usr/{}", target.emulator, target.gnu))
        .env("QEMU_CPU", cpu)
        .env("RESIDUE_EMULATED", "1")
        .status();
    status.is_ok_and(|status| status.success())
}
