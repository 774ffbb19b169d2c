//! `cargo xtask instructions`: the instructions that two table kernels execute for 32 bits of data.
//!
//! Intel's white paper on slicing-by-8 (2006) explains its speed by these numbers.

use crate::loops::{self, Function, Instruction};
use crate::outcome::ended;
use std::process::{Command, ExitCode};

/// The kernels: their bodies, and the instructions that the white paper counts.
const KERNELS: [(&str, &str, u32); 2] = [
    ("bytewise", "crc::family::OnTables<crc::compiled::Crc32c, crc::tables::Bytewise<u32>>", 35),
    (
        "slicing8",
        "crc::family::OnTables<crc::compiled::Crc32c, crc::tables::Reflected<u32, 8>>",
        13,
    ),
];

/// Builds and disassembles the library, and prints the numbers.
pub fn run() -> ExitCode {
    ended(counted().map(|lines| {
        println!("Instructions for 32 bits of data, in the loop of each kernel of CRC-32C:");
        lines.iter().for_each(|line| println!("  {line}"));
    }))
}

fn counted() -> Result<Vec<String>, String> {
    if !cfg!(target_arch = "x86_64") {
        return Err("look-ups are recognised in code for x86-64 only".to_string());
    }
    let library = loops::library(None)?;
    let listing = loops::disassemble(&mut Command::new("objdump"), &library)?;
    KERNELS.iter().map(|&(name, body, printed)| count(&listing, name, body, printed)).collect()
}

fn count(listing: &str, name: &str, body: &str, printed: u32) -> Result<String, String> {
    let function = Function::find(listing, "Portable", body)?;
    let hot = function.densest("xor", 1).ok_or("no loop")?;
    // Each byte of the data is looked up once.
    let bytes = hot.iter().filter(|instruction| is_look_up(instruction)).count();
    if bytes == 0 {
        return Err(format!("{name}: no look-up in its loop"));
    }
    let (each, per_word) = (hot.len(), 4.0 * hot.len() as f64 / bytes as f64);
    Ok(format!("{name}: {per_word:.1} ({each} for {bytes} bytes); Intel 2006: {printed}"))
}

/// Returns whether an instruction reads a word of 32 bits at an index.
fn is_look_up(instruction: &Instruction<'_>) -> bool {
    let Some((place, to)) = instruction.operands.rsplit_once(",%") else { return false };
    let indexed = place.split_once('(').is_some_and(|(_, inside)| inside.contains(','));
    indexed && (to.starts_with('e') || to.ends_with('d'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_is_counted_by_its_look_ups() {
        const LISTING: &str = "
0000000000000000 <<residue::arch::portable::arrays::Portable as residue::body::tier::Enter>\
::enter::<residue::b::B<u32>>>:
   0:\tmov    (%rdx,%r8,8),%r10
   3:\txor    0x1800(%r9,%rax,4),%eax
   7:\txor    0xc00(%r9,%r11,1),%r8d
   b:\txor    (%rsi),%al
  11:\tjne    0 <f>
  15:\tret
";
        let line = count(LISTING, "b", "b::B<u32>", 35);
        assert_eq!(line, Ok("b: 10.0 (5 for 2 bytes); Intel 2006: 35".to_string()));
        assert!(count("", "b", "b::B<u32>", 35).is_err());
    }
}
