//! Part of `cargo xtask check`: checks the machine code of the hot loop of each family.
//!
//! A vector that is spilled to the stack, copied between registers, or passed to a function that is
//! not inlined costs speed, but no test fails. Neither does one where a step of the loop begins at
//! its end: caches then fetch what is before it, and data from memory take twice the time.
//!
//! The loops are found in a disassembled release build of the library: by the name of the function,
//! which Rust's "v0" symbols contain with its type parameters, and by a jump backwards.

use crate::debian::install;
use crate::outcome::{Outcome, Problem};
use crate::shell::{cargo, shown, target};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A hot loop, with limits on what it may contain.
struct Hot {
    /// Name of the loop's function: a tier and a body.
    tier: &'static str,
    body: &'static str,
    /// Start of the name of the instruction that does the work, and its least number in the loop: a
    /// loop with fewer is not unrolled, or another loop.
    does: (&'static str, usize),
    /// Largest numbers of operands in the stack and of copies between vector registers.
    stack: usize,
    copies: usize,
}

const fn clean(tier: &'static str, body: &'static str, does: (&'static str, usize)) -> Hot {
    Hot { tier, body, does, stack: 0, copies: 0 }
}

const HOT: &[Hot] = &[
    clean("Avx2", "sums::paired::Long<sums::internet::family::Internet>", ("vpmaddwd", 8)),
    clean("Avx512Vnni", "sums::paired::Long<sums::internet::family::Internet>", ("vpdpwssd", 4)),
    clean("Avx2", "sums::paired::Long<sums::xns::Xns>", ("vpmaddwd", 8)),
    clean("Avx512Vnni", "sums::paired::Long<sums::xns::Xns>", ("vpdpwssd", 4)),
    clean("Avx2", "sums::weighted::Long<sums::adler::Adler>", ("vpmaddubsw", 4)),
    clean("Avx512Vnni", "sums::weighted::Long<sums::adler::Adler>", ("vpdpbusd", 4)),
    clean("Avx2", "sums::weighted::Long<sums::fletcher::family::Mod255>", ("vpmaddubsw", 4)),
    clean("Avx512Vnni", "sums::weighted::Long<sums::fletcher::family::Mod255>", ("vpdpbusd", 4)),
    clean("Avx2", "sums::weighted::Long<sums::fletcher::family::Mod65535>", ("vpmaddwd", 8)),
    clean("Avx512Vnni", "sums::weighted::Long<sums::fletcher::family::Mod65535>", ("vpdpwssd", 4)),
    // Instructions of two operands: each vector is multiplied twice, the first time in a copy; and
    // one more.
    Hot { tier: "Pclmul", body: "crc::fold::FoldLong", does: ("pclmul", 16), stack: 0, copies: 9 },
    clean("Avx2Vpclmul", "crc::fold::FoldLong", ("vpclmul", 8)),
    clean("Avx512Vpclmul", "crc::fold::FoldLong", ("vpclmul", 8)),
    // Two streams: as many again.
    clean("Avx512Vpclmul", "crc::fold::streams::FoldStreams", ("vpclmul", 16)),
    // The loop of CRCs that are not reflected, which turns the bytes of each lane.
    clean("Avx2Vpclmul", "crc::fold::FoldLong", ("vpshufb", 4)),
    clean("Avx512Vpclmul", "crc::fold::FoldLong", ("vpshufb", 4)),
    clean("Avx2Vpclmul", "crc::steps::fold::FoldStepsLong<crc::compiled::Crc32c>", ("vpclmul", 8)),
    clean(
        "Avx512Vpclmul",
        "crc::steps::fold::FoldStepsLong<crc::compiled::Crc32c>",
        ("vpclmul", 8),
    ),
    clean(
        "Avx512Vpclmul",
        "crc::steps::fused::Fused<crc::compiled::Crc32c, 5120, 4, 256, 4>",
        ("vpclmul", 8),
    ),
    clean("Avx512Vpclmul", "crc::taps::OnSet<true, 6, 65534>", ("vpclmul", 30)),
    // Two of the constants that join the chains, once in 1024 bytes.
    Hot {
        tier: "Avx2Vpclmul",
        body: "crc::steps::fused::Fused<crc::compiled::Crc32c, 1024, 4, 128, 4>",
        does: ("crc32", 64),
        stack: 2,
        copies: 0,
    },
    clean("Avx512Vpclmul", "crc::taps::OnSet<true, 3, 73>", ("vgf2p8affineqb", 8)),
    clean("Avx512Vpclmul", "crc::taps::OnSet<true, 0, 0>", ("vgf2p8affineqb", 1)),
    clean("Avx512Vpclmul", "crc::taps::OnSet<true, 5, 34>", ("vgf2p8affineqb", 1)),
    clean("Avx512Vpclmul", "crc::taps::OnSet<false, 0, 0>", ("vgf2p8affineqb", 1)),
    clean("Avx512Vpclmul", "crc::taps::OnSet<false, 5, 0>", ("vgf2p8affineqb", 1)),
    // The widest windows, of CRCs of 64 bits: the matrices that no register holds are broadcast
    // from memory.
    clean("Avx512Vpclmul", "crc::taps::OnSet<true, 6, 46501>", ("vgf2p8affineqb", 1)),
    clean("Avx512Vpclmul", "crc::taps::OnSet<false, 6, 0>", ("vgf2p8affineqb", 1)),
    clean("Avx512Vpclmul", "crc::taps::OnSet<false, 8, 0>", ("vgf2p8affineqb", 1)),
];

/// Builds and disassembles the library, and reports on each loop.
pub fn check() -> Outcome {
    if !cfg!(target_arch = "x86_64") {
        return Err(Problem::Skipped("the loops are pinned for x86-64 only".to_string()));
    }
    install(&[("objdump", "binutils")]).map_err(Problem::Skipped)?;
    let listing = disassemble(&mut Command::new("objdump"), &library(None)?)?;
    let mut wrong = Vec::new();
    for hot in HOT {
        match hot.look(&listing) {
            Ok(found) => println!("  {found}"),
            Err(why) => wrong.push(format!("{} of {}: {why}", hot.body, hot.tier)),
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(Problem::Bad(wrong.join("; "))) }
}

/// Builds the library with every kernel for release, for this machine or another target: a separate
/// build, whose symbols differ from those of an ordinary one.
///
/// # Errors
/// The library does not build.
pub fn library(of: Option<&str>) -> Result<PathBuf, String> {
    let folder = target()?.join("loops");
    let mut build = cargo();
    build.args(["rustc", "--quiet", "--release", "--package", "residue", "--lib"]);
    build.args(of.into_iter().flat_map(|target| ["--target", target]));
    build.args(["--features", "methods", "--target-dir"]).arg(&folder);
    shown(build.args(["--", "-C", "symbol-mangling-version=v0"]))?;
    Ok(folder.join(of.unwrap_or_default()).join("release/libresidue.rlib"))
}

/// Returns the library's machine code as text, by a program with the arguments of `objdump`.
///
/// # Errors
/// The program cannot be run.
pub fn disassemble(objdump: &mut Command, library: &Path) -> Result<String, String> {
    // It complains of the compiler's own part of the library, which is no object file.
    let output = objdump.args(["-d", "-C", "--no-show-raw-insn"]).arg(library).output();
    let output = output.map_err(|error| format!("cannot disassemble the library: {error}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// An instruction: its address in the function, its name, its operands.
pub struct Instruction<'a> {
    address: u64,
    pub name: &'a str,
    pub operands: &'a str,
}

impl<'a> Instruction<'a> {
    /// Parses a line `  1a0:<tab>vpaddd %ymm1,%ymm2,%ymm3`.
    pub fn parse(line: &'a str) -> Option<Self> {
        let (address, text) = line.trim_start().split_once(':')?;
        let address = u64::from_str_radix(address, 16).ok()?;
        let (name, operands) = text.trim().split_once([' ', '\t']).unwrap_or((text.trim(), ""));
        Some(Instruction { address, name, operands: operands.trim() })
    }

    /// Returns the target of a jump.
    pub fn jump(&self) -> Option<u64> {
        let aarch64 = ["b", "cbz", "cbnz", "tbz", "tbnz"].contains(&self.name);
        let jumps = aarch64 || self.name.starts_with("b.") || self.name.starts_with('j');
        let target = self.operands.split(" <").next()?.rsplit(' ').next()?;
        let target = target.trim_start_matches("0x");
        jumps.then(|| u64::from_str_radix(target, 16).ok()).flatten()
    }

    /// Returns whether it reads or writes the stack; `frame` if the function uses rbp for that, not
    /// for data.
    fn on_stack(&self, frame: bool) -> bool {
        let based = |register| self.operands.contains(register);
        based("(%rsp") || frame && based("(%rbp")
    }

    /// Returns the registers and the displacement of the address that it loads data from: a vector,
    /// or the word of a CRC instruction.
    fn load(&self) -> Option<(bool, &'a str, i64)> {
        let (before, rest) = self.operands.split_once('(')?;
        let (registers, after) = rest.split_once(')')?;
        let number = before.rsplit([',', ' ']).next()?;
        let (sign, digits) = number.strip_prefix('-').map_or((1, number), |digits| (-1, digits));
        let digits = digits.trim_start_matches("0x");
        let displacement =
            if digits.is_empty() { 0 } else { i64::from_str_radix(digits, 16).ok()? };
        let word = self.name.starts_with("crc32");
        let vector = after.contains("mm") && !self.name.starts_with("vpbroadcast");
        // What is broadcast is no data, nor what is beside the code or in the stack.
        let data = !after.contains("{1to") && !registers.contains("rip") && registers != "%rsp";
        (data && (word || vector)).then_some((word, registers, sign * displacement))
    }

    /// Returns whether it copies a whole vector register to another.
    fn copies(&self) -> bool {
        let name = self.name.trim_start_matches('v');
        let moves = ["movap", "movup", "movdq"].iter().any(|start| name.starts_with(start));
        moves && !self.operands.contains(['(', '{'])
    }
}

/// The code of a body on a tier.
pub struct Function<'a> {
    code: Vec<Instruction<'a>>,
}

impl<'a> Function<'a> {
    /// Finds it in the library's machine code.
    ///
    /// # Errors
    /// There is no such function.
    pub fn find(listing: &'a str, tier: &str, body: &str) -> Result<Self, &'static str> {
        let body = body.replace("<", "<residue::").replace(", crc::", ", residue::crc::");
        // A constant is no type, and a type of the language is in no crate.
        let constants = ["true", "false", "0", "63", "u32"];
        let body = constants
            .iter()
            .fold(body, |body, constant| body.replace(&format!("residue::{constant}"), constant));
        let name = format!("::{tier} as residue::body::tier::Enter>::enter::<residue::{body}>>:\n");
        let start = listing.find(&name).ok_or("no such function; was it renamed?")? + name.len();
        let function = listing[start..].split("\n\n").next().unwrap_or("");
        Ok(Function { code: function.lines().filter_map(Instruction::parse).collect() })
    }

    /// Returns the innermost loop with most instructions whose names start with `does` for its
    /// length, of those with `least` or more.
    ///
    /// The work is densest in the hot loop, not in one for what is left over, but a longer one goes
    /// before.
    pub fn densest(&self, does: &str, least: usize) -> Option<&[Instruction<'a>]> {
        let times = |of: &[Instruction]| of.iter().filter(|i| i.name.starts_with(does)).count();
        let density = |of: &&[Instruction]| (times(of) >= least, times(of) * 1000 / of.len());
        innermost(&self.code).into_iter().max_by_key(density)
    }
}

impl Hot {
    fn look(&self, listing: &str) -> Result<String, String> {
        let function = Function::find(listing, self.tier, self.body)?;
        let (does, least) = self.does;
        let times = |of: &[Instruction]| of.iter().filter(|i| i.name.starts_with(does)).count();
        let hot = function.densest(does, least).ok_or("no loop")?;
        let frame = function.code.iter().any(|i| i.name == "mov" && i.operands == "%rsp,%rbp");
        let stack = hot.iter().filter(|i| i.on_stack(frame)).count();
        let copies = hot.iter().filter(|i| i.copies()).count();
        let calls = hot.iter().filter(|i| i.name.starts_with("call")).count();
        let found = format!(
            "{} of {}: loop of {} instructions at +{:#x}, {} {does}, {stack} in the stack, \
             {copies} copies, {calls} calls",
            self.body,
            self.tier,
            hot.len(),
            hot[0].address,
            times(hot),
        );
        let good =
            times(hot) >= least && stack <= self.stack && copies <= self.copies && calls == 0;
        // The first step of a block may be before its loop.
        let around = enclosing(&function.code, hot).unwrap_or(hot);
        if good && (!ascend(hot) || !ascend(around)) {
            return Err(format!("{found}; its loads do not ascend, which memory punishes"));
        }
        if good {
            return Ok(found);
        }
        Err(format!(
            "{found}; allowed are at least {least} {does}, {} in the stack, {} copies, no calls",
            self.stack, self.copies
        ))
    }
}

/// Returns whether loads ascend: of four steps from a load to the next one of its base, three at
/// least, as chains of CRC instructions take a word each by turns.
fn ascend(code: &[Instruction]) -> bool {
    let mut last: HashMap<(bool, &str, i64), i64> = HashMap::new();
    let [mut up, mut down] = [0, 0];
    for (word, registers, place) in code.iter().filter_map(Instruction::load) {
        // A second stream is far from the first.
        let stream = (place + (1 << 15)) >> 16;
        match last.insert((word, registers, stream), place) {
            Some(before) if before > place => down += 1,
            Some(_) => up += 1,
            None => (),
        }
    }
    3 * down <= up
}

/// Returns the smallest loop around another one.
fn enclosing<'a, 'b>(
    code: &'a [Instruction<'b>],
    inner: &[Instruction],
) -> Option<&'a [Instruction<'b>]> {
    let [first, last] = [inner.first()?.address, inner.last()?.address];
    let around = |it: &&[Instruction]| {
        it[0].address <= first && it[it.len() - 1].address >= last && it.len() > inner.len()
    };
    loops(code).map(|(start, end)| &code[start..=end]).filter(around).min_by_key(|it| it.len())
}

/// Returns the first and the last instruction of each loop: the target of a backward jump, and the
/// jump.
fn loops(code: &[Instruction]) -> impl Iterator<Item = (usize, usize)> {
    let place = |address| code.binary_search_by_key(&address, |i| i.address).ok();
    let back = move |(end, i): (usize, &Instruction)| {
        place(i.jump()?).filter(|&start| start <= end).map(|start| (start, end))
    };
    code.iter().enumerate().filter_map(back)
}

/// Returns the innermost loops.
fn innermost<'a, 'b>(code: &'a [Instruction<'b>]) -> Vec<&'a [Instruction<'b>]> {
    let loops: Vec<_> = loops(code).collect();
    let inside = |a: (usize, usize), b: (usize, usize)| a != b && b.0 <= a.0 && a.1 <= b.1;
    let innermost = loops.iter().filter(|&&outer| !loops.iter().any(|&a| inside(a, outer)));
    innermost.map(|&(start, end)| &code[start..=end]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A loop in a loop; the inner one has a copy, a slot of the stack and a call, the outer one
    /// more of each.
    const LISTING: &str = "
0000000000000000 <<residue::arch::x86_64::markers::t::T as residue::body::tier::Enter>\
::enter::<residue::b::B<residue::c::C>>>:
   0:\tmov    %rsp,%rbp
   3:\tvmovdqa %ymm1,%ymm2
   7:\tvmovdqa %ymm0,%ymm1
   b:\tvpaddd 0x20(%rsp),%ymm1,%ymm2
  11:\tvpaddd (%rbp),%ymm1,%ymm2
  15:\tvmovdqu (%rdi),%ymm3
  19:\tvmovdqa64 %zmm0,%zmm1{%k1}
  1f:\tcall   24 <f>
  24:\tjne    7 <f+0x7>
  26:\tjne    3 <f+0x3>
  28:\tret

0000000000000000 <g>:
   0:\tret
";

    #[test]
    fn the_inner_loop_is_described() {
        let hot = |stack, copies, least| Hot {
            tier: "T",
            body: "b::B<c::C>",
            does: ("vpaddd", least),
            stack,
            copies,
        };
        let found = "loop of 7 instructions at +0x7, 2 vpaddd, 2 in the stack, 1 copies, 1 calls";
        assert!(hot(2, 1, 2).look(LISTING).is_err_and(|why| why.contains(found)));
        let inlined = LISTING.replace("call ", "inc  ");
        assert!(hot(2, 1, 2).look(&inlined).is_ok());
        assert!(hot(1, 1, 2).look(&inlined).is_err());
        assert!(hot(2, 0, 2).look(&inlined).is_err());
        assert!(hot(2, 1, 3).look(&inlined).is_err());
        assert!(hot(2, 1, 2).look("").is_err_and(|why| why.contains("no such function")));
    }

    #[test]
    fn a_step_that_begins_at_its_end_is_found() {
        let ascends = |lines: &[&str]| {
            let lines: Vec<String> = lines.iter().map(|line| format!("0:\t{line}")).collect();
            let code: Vec<_> = lines.iter().filter_map(|line| Instruction::parse(line)).collect();
            ascend(&code)
        };
        let vector = |at: &str| format!("vpternlogq $0x96,{at}(%rdx,%r10,1),%zmm13,%zmm1");
        let vectors = |at: [&str; 4]| {
            let lines = at.map(vector);
            ascends(&lines.each_ref().map(String::as_str))
        };
        assert!(vectors(["-0xc0", "-0x80", "-0x40", ""]));
        assert!(!vectors(["", "-0x40", "-0x80", "-0xc0"]));
        let words = |at: [&str; 8]| {
            let lines = at.map(|at| format!("crc32q {at}(%rdx),%rdi"));
            ascends(&lines.each_ref().map(String::as_str))
        };
        assert!(words(["", "0x100", "0x200", "0x300", "0x8", "0x108", "0x208", "0x308"]));
        assert!(!words(["0x300", "0x308", "0x200", "0x208", "0x100", "0x108", "", "0x8"]));
        assert!(!words(["0x300", "0x200", "0x100", "", "0x308", "0x208", "0x108", "0x8"]));
        let two = ["", "0x100000", "0x40", "0x100040", "0x80", "0x100080"].map(vector);
        assert!(ascends(&two.each_ref().map(String::as_str)));
        // Stores, constants and the stack are no data that are read.
        assert!(ascends(&["vmovdqu %ymm1,0x40(%rdi)", "vmovdqu %ymm1,(%rdi)"]));
        assert!(ascends(&["vpand 0x40(%rip),%ymm1,%ymm1", "vpand (%rip),%ymm1,%ymm1"]));
    }
}
