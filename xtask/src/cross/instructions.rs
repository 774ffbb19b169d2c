//! The instructions that kernels execute for a byte of data, as an emulator counts them. They say
//! nothing of how long each takes.

use super::{CODES, Cpu, TARGETS, Target, cargo_test, prepare};
use crate::outcome::ended;
use std::process::{ExitCode, Stdio};

/// Lengths whose difference is counted, so that what a program does once is not.
const LENGTHS: [u64; 2] = [1 << 14, 3 << 14];

/// Prints the numbers of the targets whose names begin with `only`.
pub fn run(only: &str) -> ExitCode {
    let targets: Vec<_> = TARGETS.iter().filter(|target| target.name.starts_with(only)).collect();
    if targets.is_empty() {
        let names = TARGETS.map(|target| target.name).join(", ");
        return ended(Err(format!("qemu has no target `{only}`; there are {names}")));
    }
    ended(targets.into_iter().try_for_each(|target| {
        prepare(target)?;
        target.cpus.iter().filter(|cpu| cpu.mask.is_none()).try_for_each(|cpu| counted(target, cpu))
    }))
}

fn counted(target: &Target, cpu: &Cpu) -> Result<(), String> {
    println!("Instructions for a byte, {} on {}:", target.name, cpu.title());
    for ((code, _), kernel) in CODES.iter().zip(cpu.kernels) {
        // The value is compared with that of the chosen kernel, which is executed too.
        let chosen = for_a_byte(target, cpu, code, kernel)? / 2.0;
        print!("  {code}: {chosen:.2} ({kernel})");
        if kernel != "portable" {
            let portable = for_a_byte(target, cpu, code, "portable")? - chosen;
            print!(", {portable:.2} (portable)");
        }
        println!();
    }
    Ok(())
}

/// Returns how many instructions more for each byte more the test takes that computes a value
/// twice: by this kernel and by the chosen one.
fn for_a_byte(target: &Target, cpu: &Cpu, code: &str, kernel: &str) -> Result<f64, String> {
    let mut counts = [0; 2];
    for (count, length) in counts.iter_mut().zip(LENGTHS) {
        let words = ["--test", "cpu", "--", "--exact", "child_computes_one_value"];
        let output = cargo_test(target, cpu, &words)
            .env("RESIDUE_COUNTED", format!("{code} {kernel} {length}"))
            // A line for each block of instructions, and each instruction is a block.
            .env("QEMU_SINGLESTEP", "1")
            .env("QEMU_LOG", "exec,nochain")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("cargo: {error}"))?;
        let text = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            return Err(format!("{code} by {kernel} on {}: {}", cpu.title(), output.status));
        }
        *count = text.lines().filter(|line| line.starts_with("Trace ")).count() as u64;
    }
    if counts[0] == 0 {
        return Err(format!("{} does not say what it executes", target.emulator()));
    }
    Ok((counts[1] - counts[0]) as f64 / (LENGTHS[1] - LENGTHS[0]) as f64)
}
