//! Part of `cargo xtask check`: how many bytes a call of one function adds to a program.
//!
//! The programs are those of `benches/sizes`. Each is compared with the program `empty`, which
//! calls nothing of the library. In the same programs, short calls must save few registers.

use crate::debian::install;
use crate::loops::{self, Instruction};
use crate::outcome::{Outcome, Problem};
use crate::shell::{absolute, add_target, bytes, cargo, shown, target};
use std::path::PathBuf;
use std::process::Command;

/// Workspace of the programs.
pub const MANIFEST: &str = "benches/sizes/Cargo.toml";

/// A program, and the most bytes that it may add.
type Limit = (&'static str, u64);

/// Limits for programs with an operating system, optimised for speed, with link-time optimisation.
///
/// One source gave 39,884 and 40,012 bytes for `crc32c` in two checkouts, presumably as the order
/// of functions, which begin at multiples of 64, follows from names that depend on the path.
const ON_LINUX: &[Limit] =
    &[("crc32", 40_000), ("crc32c", 41_000), ("crc16", 41_000), ("adler32", 40_000)];

/// Limits for programs without an operating system, optimised for size.
const BARE: &[Limit] = &[
    ("small_crc16_bytewise", 1024),
    ("small_crc16_nibblewise", 400),
    ("small_crc16_bitwise", 400),
    ("small_crc32c", 2048),
    ("small_internet", 300),
];

/// The targets of microcontrollers: an Arm Cortex-M4F, and a RISC-V core with compressed
/// instructions.
pub const MICROCONTROLLERS: &[&str] = &["thumbv7em-none-eabihf", "riscv32imc-unknown-none-elf"];

/// The targets in their place if they cannot be installed; other checks need these too.
const IN_THEIR_PLACE: &[&str] = &["aarch64-unknown-none-softfloat", "x86_64-unknown-none"];

/// Checks the programs on x86-64 Linux.
///
/// Panics unwind, which takes more than `panic = "abort"`.
pub fn on_linux() -> Outcome {
    is_linux()?;
    Ok(within(ON_LINUX, "release", None)?)
}

fn is_linux() -> Outcome {
    match cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        true => Ok(()),
        false => Err(Problem::Skipped("the limits are those of x86-64 Linux".to_string())),
    }
}

/// Checks that the one-shot entries of kernels save at most one register in programs that call one
/// function.
///
/// There the loops for long data have one caller. If the compiler moved them into it, short calls
/// would save the registers that the loops need, which took up to a quarter of their time.
pub fn short_calls() -> Outcome {
    is_linux()?;
    install(&[("objdump", "binutils")]).map_err(Problem::Skipped)?;
    let folder = built(ON_LINUX, "release", None)?;
    let mut wrong = Vec::new();
    for (name, _) in ON_LINUX {
        let listing = loops::disassemble(&mut Command::new("objdump"), &folder.join(name))?;
        let saved = saved_registers(&listing);
        println!("  {name}: {saved:?} registers saved by its one-shot entries");
        if saved.is_empty() || saved.iter().any(|&saved| saved > 1) {
            wrong.push(format!("{name}: {saved:?} registers saved, at most 1 each"));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(Problem::Bad(wrong.join("; "))) }
}

/// Returns the number of registers that each one-shot entry of a disassembled program saves at its
/// start.
fn saved_registers(listing: &str) -> Vec<usize> {
    let entries = listing.split("\n\n").filter_map(|function| {
        let (name, code) = function.trim_start().split_once('\n')?;
        name.ends_with("::enter_oneshot>:").then_some(code)
    });
    let saves = |line: &&str| Instruction::parse(line).is_some_and(|i| i.name == "push");
    // The first instruction that is no `push` may stand before others.
    entries.map(|code| code.lines().take(10).filter(saves).count()).collect()
}

/// Checks the programs on microcontrollers.
pub fn on_microcontrollers() -> Outcome {
    let (mut wrong, mut missing) = (Vec::new(), Vec::new());
    for target in MICROCONTROLLERS {
        match add_target(target) {
            Ok(()) => wrong.extend(within(BARE, "bare", Some(target)).err()),
            Err(why) => missing.push(why),
        }
    }
    if !missing.is_empty() {
        let others = IN_THEIR_PLACE.iter().filter(|target| add_target(target).is_ok());
        wrong.extend(others.filter_map(|target| within(BARE, "bare", Some(target)).err()));
    }
    match (wrong.as_slice(), missing.as_slice()) {
        ([], []) => Ok(()),
        ([], missing) => Err(Problem::Skipped(missing.join("; "))),
        (wrong, _) => Err(Problem::Bad(wrong.join("; "))),
    }
}

/// Builds the programs for a target, or for this machine, and prints the bytes that each adds.
///
/// # Errors
/// The programs that add more than their limits, or the reason why there are no figures.
fn within(limits: &[Limit], profile: &str, target: Option<&str>) -> Result<(), String> {
    let folder = built(limits, profile, target)?;
    let size = |name: &str| {
        let path = folder.join(name);
        loaded(&bytes(&path)?)
            .ok_or_else(|| format!("{}: not a little-endian ELF file", path.display()))
    };
    let empty = size("empty")?;
    let mut wrong = Vec::new();
    for &(name, limit) in limits {
        let added = size(name)?.saturating_sub(empty);
        let of = target.unwrap_or("x86-64 Linux");
        println!("  {of}: {name} adds {added} bytes, at most {limit}");
        if added > limit {
            wrong.push(format!("{name} adds {added} bytes to a program for {of}"));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ")) }
}

/// Builds the programs, and returns their folder.
fn built(limits: &[Limit], profile: &str, of: Option<&str>) -> Result<PathBuf, String> {
    let folder = target()?.join("sizes");
    let mut command = cargo();
    command.args(["build", "--quiet", "--locked", "--manifest-path", MANIFEST]);
    command.args(["--profile", profile, "--bin", "empty"]).arg("--target-dir").arg(&folder);
    limits.iter().for_each(|(name, _)| {
        command.args(["--bin", name]);
    });
    command.args(of.into_iter().flat_map(|of| ["--no-default-features", "--target", of]));
    // The names of source files, which panics print, are as long in every checkout.
    command.env(
        "CARGO_ENCODED_RUSTFLAGS",
        format!("--remap-path-prefix={}=", absolute(".")?.display()),
    );
    shown(&mut command)?;
    Ok(folder.join(of.unwrap_or_default()).join(profile))
}

/// Returns the bytes of a program that are loaded from its file: all sections in memory, without
/// those that start as zeros.
///
/// The program is a little-endian ELF file of 32 or 64 bits.
fn loaded(elf: &[u8]) -> Option<u64> {
    const ALLOCATED: u64 = 2;
    const ZEROS: u64 = 8;
    let number = |at: usize, bytes: usize| {
        let bytes = elf.get(at..at.checked_add(bytes)?)?;
        Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    };
    let wide = match elf.get(..6)? {
        [0x7f, b'E', b'L', b'F', 1, 1] => false,
        [0x7f, b'E', b'L', b'F', 2, 1] => true,
        _ => return None,
    };
    // The places of the section table, the bytes of an entry and their number; then, in an entry,
    // the places of its flags and its size.
    let word = if wide { 8 } else { 4 };
    let [table, entry, count] = if wide { [0x28, 0x3a, 0x3c] } else { [0x20, 0x2e, 0x30] };
    let size = if wide { 0x20 } else { 0x14 };
    let (table, entry, count) = (number(table, word)?, number(entry, 2)?, number(count, 2)?);
    let mut sum = 0;
    for section in 0..count {
        let at = usize::try_from(table.checked_add(section * entry)?).ok()?;
        let (kind, flags) = (number(at.checked_add(4)?, 4)?, number(at.checked_add(8)?, word)?);
        if flags & ALLOCATED != 0 && kind != ZEROS {
            sum += number(at.checked_add(size)?, word)?;
        }
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a file with a header and sections of a kind, flags and a size.
    fn elf(wide: bool, sections: &[[u64; 3]]) -> Vec<u8> {
        let (header, entry) = if wide { (64, 64) } else { (52, 40) };
        let mut file = vec![0; header + entry * sections.len()];
        let mut put = |at: usize, bytes: usize, number: u64| {
            file[at..at + bytes].copy_from_slice(&number.to_le_bytes()[..bytes]);
        };
        let word = if wide { 8 } else { 4 };
        put(0, 6, if wide { 0x0102_464c_457f } else { 0x0101_464c_457f });
        put(if wide { 0x28 } else { 0x20 }, word, header as u64);
        put(if wide { 0x3a } else { 0x2e }, 2, entry as u64);
        put(if wide { 0x3c } else { 0x30 }, 2, sections.len() as u64);
        for (i, [kind, flags, size]) in sections.iter().enumerate() {
            let at = header + i * entry;
            put(at + 4, 4, *kind);
            put(at + 8, word, *flags);
            put(at + if wide { 0x20 } else { 0x14 }, word, *size);
        }
        file
    }

    #[test]
    fn sections_in_memory_and_in_the_file_are_counted() {
        let sections = [[0, 0, 7], [1, 6, 1000], [8, 3, 500], [1, 2, 30], [1, 0, 20]];
        for wide in [false, true] {
            let file = elf(wide, &sections);
            assert_eq!(loaded(&file), Some(1030));
            assert_eq!(loaded(&file[..60]), None);
        }
        assert_eq!(loaded(b"\x7fELF\x02\x02"), None);
        assert_eq!(loaded(b""), None);
    }

    #[test]
    fn saved_registers_are_counted() {
        let listing = "\
prog:     file format elf64-x86-64

0000000000001000 <<residue::T as residue::body::tier::Enter>::enter_oneshot>:
    1000:\tpush   %rbp
    1001:\tcmp    $0x10,%rdx
    1005:\tpush   %rbx
    1006:\tret

0000000000001010 <<residue::U as residue::body::tier::Enter>::enter_oneshot>:
    1010:\tret

0000000000001020 <<residue::U as residue::body::tier::Enter>::enter>:
    1020:\tpush   %rbx
";
        assert_eq!(saved_registers(listing), [2, 0]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_program_is_read() {
        let path = std::env::current_exe().expect("this program");
        assert!(loaded(&std::fs::read(path).expect("a file")).expect("ELF") > 10_000);
    }
}
