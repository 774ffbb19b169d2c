//! `cargo xtask schedule`: the hot loops for aarch64 in the models of some cores.
//!
//! `llvm-mca` runs a loop on the model of a core that a compiler schedules for: how many
//! instructions start in a cycle, on which units, with which latencies. Loads always hit the
//! first-level cache, and branches are predicted.

use crate::debian::install;
use crate::loops::{self, Function};
use crate::outcome::ended;
use crate::shell::{add_target, output, target, written};
use std::process::{Command, ExitCode};

const TARGET: &str = "aarch64-unknown-linux-gnu";
const OBJDUMP: &str = "llvm-objdump-19";
const ANALYSER: &str = "llvm-mca-19";
const CORES: [&str; 3] = ["neoverse-n1", "neoverse-v2", "apple-m1"];
const ITERATIONS: u32 = 1000;

/// A loop: its code, the tier and body of its function, and an instruction that it has.
struct Loop {
    code: &'static str,
    tier: &'static str,
    body: &'static str,
    does: &'static str,
}

const fn hot(
    code: &'static str,
    tier: &'static str,
    body: &'static str,
    does: &'static str,
) -> Loop {
    Loop { code, tier, body, does }
}

const LOOPS: [Loop; 9] = [
    hot("any CRC, folding", "Pmull", "crc::fold::FoldLong", "pmull"),
    hot("any CRC, folding", "PmullEor3", "crc::fold::FoldLong", "pmull"),
    hot(
        "CRC-32C, three chains",
        "CrcPmull",
        "crc::steps::three_way::ThreeWay<crc::compiled::Crc32c>",
        "crc32cx",
    ),
    hot(
        "CRC-32C, folding and chains",
        "CrcPmull",
        "crc::steps::fused::Fused<crc::compiled::Crc32c, 1024, 4, 128, 4>",
        "pmull",
    ),
    hot(
        "CRC-32C, folding and chains",
        "CrcPmullEor3",
        "crc::steps::fused::Fused<crc::compiled::Crc32c, 1408, 3, 128, 8>",
        "pmull",
    ),
    hot("Internet", "Neon", "sums::paired::Long<sums::internet::family::Internet>", "uadalp"),
    hot("Adler-32", "Neon", "sums::weighted::Long<sums::adler::Adler>", "umlal"),
    hot("Fletcher-16", "Neon", "sums::weighted::Long<sums::fletcher::family::Mod255>", "umlal"),
    hot("Fletcher-32", "Neon", "sums::weighted::Long<sums::fletcher::family::Mod65535>", "umlal"),
];

/// Prints the table.
pub fn run() -> ExitCode {
    ended(table())
}

fn table() -> Result<(), String> {
    install(&[(OBJDUMP, "llvm-19"), (ANALYSER, "llvm-19")])?;
    add_target(TARGET)?;
    let library = loops::library(Some(TARGET))?;
    let listing = loops::disassemble(Command::new(OBJDUMP).arg("--mattr=+all"), &library)?;
    println!("Cycles a byte; in brackets the limit by the units of the model.\n");
    println!("| loop | tier | bytes | {} |", CORES.join(" | "));
    println!("|---|---|---|{}", "---|".repeat(CORES.len()));
    for one in &LOOPS {
        let name = |why| format!("{} of {}: {why}", one.body, one.tier);
        let function = Function::find(&listing, one.tier, one.body).map_err(name)?;
        let code = function.densest(one.does, 1).ok_or_else(|| name("no loop"))?;
        let bytes = code.iter().map(|i| loaded(i.name, i.operands)).sum::<usize>() as f64;
        let text = assembly(code);
        let cells = CORES.iter().map(|core| {
            let [cycles, limit] = analyse(core, &text)?;
            Ok(format!("{:.3} ({:.3})", cycles / bytes, limit / bytes))
        });
        let cells = cells.collect::<Result<Vec<_>, String>>()?;
        println!("| {} | `{}` | {bytes} | {} |", one.code, one.tier, cells.join(" | "));
    }
    Ok(())
}

/// Returns the bytes that an instruction loads.
fn loaded(name: &str, operands: &str) -> usize {
    let each = match operands.as_bytes() {
        [b'q', ..] => 16,
        [b'd' | b'x', ..] => 8,
        [b's' | b'w', ..] => 4,
        // Registers with an arrangement, in braces: whole vectors.
        [b'{', ..] => 16 * (1 + operands.split('}').next().map_or(0, |r| r.matches(", ").count())),
        _ => 0,
    };
    match name {
        "ldp" | "ldnp" => 2 * each,
        "ldr" | "ldur" | "ld1" => each,
        _ => 0,
    }
}

/// Writes the instructions of a loop as assembly, its jumps as one to its start.
fn assembly(code: &[loops::Instruction<'_>]) -> String {
    let line = |one: &loops::Instruction<'_>| {
        let operands = match one.jump() {
            Some(_) => {
                let operands = one.operands.split(" <").next().unwrap_or_default();
                let kept = operands.rsplit_once(", ").map_or("", |(kept, _)| kept);
                format!("{kept}{}again", if kept.is_empty() { "" } else { ", " })
            }
            None => one.operands.to_string(),
        };
        format!("{}\t{operands}\n", one.name)
    };
    std::iter::once("again:\n".to_string()).chain(code.iter().map(line)).collect()
}

/// Returns the cycles that a round of the loop takes on the model of a core, and the least that its
/// units allow.
fn analyse(core: &str, text: &str) -> Result<[f64; 2], String> {
    let file = target()?.join("loop.s");
    written(&file, text)?;
    let mut analyse = Command::new(ANALYSER);
    analyse.args(["--mtriple", TARGET, "--mattr=+all", "--mcpu", core]);
    let report = output(analyse.arg(format!("--iterations={ITERATIONS}")).arg(file))?;
    let figure = |name: &str| {
        let line = report.lines().find_map(|line| line.strip_prefix(name));
        let value = line.and_then(|value| value.trim().parse::<f64>().ok());
        value.ok_or_else(|| format!("{ANALYSER} prints no \"{name}\""))
    };
    Ok([figure("Total Cycles:")? / f64::from(ITERATIONS), figure("Block RThroughput:")?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_are_counted() {
        let loads = [
            ("ldp", "q0, q1, [x8], #0x20", 32),
            ("ldr", "x9, [x8, #8]", 8),
            ("ld1", "{ v0.16b, v1.16b }, [x8]", 32),
            ("ldur", "q0, [x8, #-16]", 16),
            ("str", "q0, [x8]", 0),
            ("add", "x8, x8, #1", 0),
        ];
        for (name, operands, bytes) in loads {
            assert_eq!(loaded(name, operands), bytes, "{name} {operands}");
        }
    }

    #[test]
    fn jumps_go_to_the_start() {
        let listing = "0 <f>:\n   4:\tadd\tx0, x1, x2\n   8:\tcbnz\tx0, 0x4 <f<1, 2>+0x4>\n";
        let code: Vec<_> = listing.lines().filter_map(loops::Instruction::parse).collect();
        assert_eq!(code.iter().map(loops::Instruction::jump).collect::<Vec<_>>(), [None, Some(4)]);
        assert_eq!(assembly(&code), "again:\nadd\tx0, x1, x2\ncbnz\tx0, again\n");
    }
}
