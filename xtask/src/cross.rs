//! `cargo xtask cross`: the library's tests on other architectures under qemu, on a CPU with
//! AVX-512 under Bochs, and in WebAssembly.

mod bochs;
mod instructions;
mod wasm;

pub use instructions::run as instructions;

use crate::debian::install;
use crate::outcome::{Outcome, Problem, code, is_good, passed};
use crate::shell::{add_target, cargo, output, target_variable};
use crate::test::LONG;
use std::process::{Command, ExitCode};
use std::time::Instant;

/// A target, its GNU triple and its name in Debian, its name in qemu, and the CPUs to emulate.
struct Target {
    name: &'static str,
    gnu: &'static str,
    debian: &'static str,
    qemu: &'static str,
    cpus: &'static [Cpu],
}

impl Target {
    fn emulator(&self) -> String {
        format!("qemu-{}-static", self.qemu)
    }
}

/// A CPU model, the features that the library must find, and the kernel it must choose for each of
/// [`CODES`].
struct Cpu {
    model: &'static str,
    /// A value for `RESIDUE_CPU`: stands for a CPU that the emulator has no model of. Only the
    /// choice is tested, for its kernels run on the other models too.
    mask: Option<&'static str>,
    /// A feature that the library is compiled for, as the emulator does not say that it has it.
    compiled: Option<&'static str>,
    features: &'static str,
    kernels: [&'static str; 6],
}

impl Cpu {
    fn title(&self) -> String {
        let mask = self.mask.map(|mask| format!(" with RESIDUE_CPU={mask}"));
        let compiled = self.compiled.map(|feature| format!(", compiled for {feature}"));
        self.model.to_string() + &mask.unwrap_or_default() + &compiled.unwrap_or_default()
    }
}

/// Codes with their check values.
const CODES: [(&str, &str); 6] = [
    ("internet", "f62a"),
    ("fletcher-16", "1ede"),
    ("fletcher-32", "df09d509"),
    ("adler-32", "91e01de"),
    ("crc-32/iscsi", "e3069283"),
    ("crc-64/nvme", "ae8b14860a799888"),
];

const fn arm(
    model: &'static str,
    mask: Option<&'static str>,
    features: &'static str,
    crcs: [&'static str; 2],
) -> Cpu {
    let [crc32c, crc64] = crcs;
    let kernels = ["neon", "neon", "neon", "neon", crc32c, crc64];
    Cpu { model, mask, compiled: None, features, kernels }
}

/// Returns a CPU for which there are only portable kernels.
const fn portable(model: &'static str) -> Cpu {
    Cpu { model, mask: None, compiled: None, features: "", kernels: ["portable"; 6] }
}

const fn target(names: [&'static str; 4], cpus: &'static [Cpu]) -> Target {
    let [name, gnu, debian, qemu] = names;
    Target { name, gnu, debian, qemu, cpus }
}

/// aarch64 at each of its tiers, two big-endian machines, another little-endian one, and one of 32
/// bits.
const TARGETS: [Target; 5] = [
    Target {
        name: "aarch64-unknown-linux-gnu",
        gnu: "aarch64-linux-gnu",
        debian: "arm64",
        qemu: "aarch64",
        // All features: every aarch64 kernel runs. Then without the exclusive or of three, which
        // would be an illegal instruction. No model of qemu's lacks the CRC instructions and PMULL.
        cpus: &[
            arm("max", None, "neon,crc,pmull,sha3", ["crc_pmull_eor3", "pmull_eor3"]),
            arm("cortex-a72", None, "neon,crc,pmull", ["crc_pmull", "pmull"]),
            arm("cortex-a72", Some("crc"), "neon,crc", ["crc_tables", "portable"]),
            arm("cortex-a72", Some("neon"), "neon", ["portable", "portable"]),
        ],
    },
    target(
        ["s390x-unknown-linux-gnu", "s390x-linux-gnu", "s390x", "s390x"],
        &[
            Cpu {
                features: "vector",
                kernels: ["portable", "portable", "portable", "portable", "vgfm", "vgfm"],
                ..portable("max")
            },
            portable("z900"),
        ],
    ),
    target(
        ["powerpc64-unknown-linux-gnu", "powerpc64-linux-gnu", "ppc64", "ppc64"],
        &[portable("power9")],
    ),
    target(
        ["riscv64gc-unknown-linux-gnu", "riscv64-linux-gnu", "riscv64", "riscv64"],
        &[
            portable("rv64"),
            Cpu {
                compiled: Some("zbc"),
                features: "zbc",
                kernels: ["portable", "portable", "portable", "portable", "zbc", "zbc"],
                ..portable("rv64")
            },
        ],
    ),
    target(["i686-unknown-linux-gnu", "i686-linux-gnu", "i386", "i386"], &[portable("max")]),
];

/// Runs the test programs that the arguments of cargo choose, with arguments of their own.
type Tested = fn(&[&str], &[&str]) -> Outcome;

/// What is not an architecture under qemu, by its name on the command line: the machine with
/// AVX-512, and WebAssembly.
const OTHERS: [(&str, Tested); 2] = [("avx512", bochs::tested), ("wasm32", wasm::tested)];

/// Arguments of cargo for all test programs but the unit tests, and for that of the kernels. Unit
/// tests are of tables, names and arithmetic, alike on every target, and would compile all kernels
/// once more.
const ALL: [&str; 2] = ["--test", "*"];
const KERNELS: [&str; 2] = ["--test", "kernels"];

/// Runs tests on the targets whose names begin with the first word; the next words name test
/// programs, those behind `--` tests. Long tests take fewer cases in an emulator, so all are run.
pub fn run(words: &[&str]) -> ExitCode {
    let mut parts = words.splitn(2, |&word| word == "--");
    let (places, filter) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let (only, programs) = match places {
        [] => ("", ALL.to_vec()),
        [only] => (*only, ALL.to_vec()),
        [only, programs @ ..] => (*only, programs.iter().flat_map(|it| ["--test", it]).collect()),
    };
    let filter = &[&LONG[..], filter].concat();
    let (mut good, mut any) = (true, false);
    for target in TARGETS.iter().filter(|target| target.name.starts_with(only)) {
        any = true;
        good &= is_good(target.name, tested(target, &programs, filter));
    }
    for (name, tested) in OTHERS.iter().filter(|(name, _)| name.starts_with(only)) {
        any = true;
        good &= is_good(name, tested(&programs, filter));
    }
    if !any {
        let names = TARGETS.iter().map(|target| target.name).chain(OTHERS.map(|(name, _)| name));
        eprintln!("xtask: no target `{only}`; there are {}", names.collect::<Vec<_>>().join(", "));
        return ExitCode::from(2);
    }
    code(good)
}

/// Tests all CPUs of a target, even after one failed.
///
/// The first CPU has the features of those behind it, so every kernel runs there, in every way; on
/// the others the tests of kernels show that none needs more. A CPU for which the library is
/// compiled once more has all tests.
fn tested(target: &Target, programs: &[&str], filter: &[&str]) -> Outcome {
    prepare(target).map_err(Problem::Skipped)?;
    let mut bad = Vec::new();
    for (at, cpu) in target.cpus.iter().enumerate() {
        let is_lesser = at > 0 && cpu.compiled.is_none();
        let programs = if is_lesser && programs == ALL { &KERNELS } else { programs };
        println!("== {} on {}", target.name, cpu.title());
        let start = Instant::now();
        bad.extend(choice(target, cpu).err());
        if cpu.mask.is_none() && !test(target, cpu, programs, filter) {
            bad.push(format!("tests failed on {}", cpu.title()));
        }
        println!("{:.0} s", start.elapsed().as_secs_f64());
    }
    if bad.is_empty() { Ok(()) } else { Err(Problem::Bad(bad.join("; "))) }
}

/// Installs standard library, linker and emulator.
fn prepare(target: &Target) -> Result<(), String> {
    add_target(target.name)?;
    let linker = format!("{}-gcc", target.gnu);
    let [gcc, libc] = [format!("gcc-{}", target.gnu), format!("libc6-dev-{}-cross", target.debian)];
    let library = format!("/usr/{}/lib/libc.so", target.gnu);
    install(&[(&linker, &gcc), (&library, &libc), (&target.emulator(), "qemu-user-static")])
}

/// Returns `cargo test` for the target, under its emulator, with these arguments.
fn cargo_test(target: &Target, cpu: &Cpu, words: &[&str]) -> Command {
    let variable = |what: &str| target_variable(target.name, what);
    let mut command = cargo();
    command
        .args(["test", "--package", "residue", "--target", target.name, "--no-fail-fast"])
        .args(words)
        .env(variable("LINKER"), format!("{}-gcc", target.gnu))
        .env(variable("RUNNER"), format!("{} -L /usr/{}", target.emulator(), target.gnu))
        .env("QEMU_CPU", cpu.model)
        .env("RESIDUE_EMULATED", "1")
        // Tests that an emulator cannot run are skipped there, and run without it.
        .env_remove("RESIDUE_REQUIRE_ALL")
        // Debugging information takes long to generate and is not needed.
        .env("CARGO_PROFILE_TEST_DEBUG", "0");
    if let Some(feature) = cpu.compiled {
        command.env(variable("RUSTFLAGS"), format!("-C target-feature=+{feature}"));
    }
    match cpu.mask {
        Some(mask) => command.env("RESIDUE_CPU", mask),
        None => command.env_remove("RESIDUE_CPU"),
    };
    command
}

/// Runs the test programs that the arguments of cargo choose, all of their tests or some.
fn test(target: &Target, cpu: &Cpu, programs: &[&str], filter: &[&str]) -> bool {
    passed(target.name, &mut cargo_test(target, cpu, &[programs, &["--"], filter].concat()))
}

/// Prints the features and kernels that the library finds, and compares them with the expected
/// ones.
fn choice(target: &Target, cpu: &Cpu) -> Result<(), String> {
    let words =
        ["--test", "cpu", "--", "--quiet", "--exact", "child_prints_what_it_chose", "--nocapture"];
    let mut command = cargo_test(target, cpu, &words);
    let text = output(&mut command)?;
    let reported: Vec<&str> = text
        .lines()
        .filter(|line| ["chose ", "features "].iter().any(|start| line.starts_with(start)))
        .collect();
    println!("{}", reported.join("\n"));
    let kernels = CODES.iter().zip(cpu.kernels);
    let expected = kernels.map(|((code, value), kernel)| format!("chose {code} {kernel} {value}"));
    let expected = expected.chain([format!("features {}", cpu.features)]);
    let wrong: Vec<_> = expected.filter(|line| !reported.contains(&line.as_str())).collect();
    if wrong.is_empty() {
        return Ok(());
    }
    Err(format!("{} on {} should have reported `{}`", target.name, cpu.title(), wrong.join("`, `")))
}
