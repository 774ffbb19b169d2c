//! Definitions for other libraries, used by these libraries.

use crate::params;
use residue_identify::Notation;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The version of the crate `crc` that `cargo xtask peers` tests as well.
const MANIFEST: &str = "\
[package]
name = \"constants\"
version = \"0.0.0\"
edition = \"2024\"

[dependencies]
crc = \"=3.4.0\"

[workspace]
";

const START: &str = "\
fn main() {
    let message: Vec<u8> = (0..=255).collect();
    let mut wrong = 0;
    macro_rules! check {
        ($word:ty, $name:ident, $value:expr) => {
            let crc = crc::Crc::<$word, crc::NoTable>::new(&$name);
            let values = [crc.checksum(b\"123456789\"), crc.checksum(&message)];
            if values != [$name.check, $value] {
                println!(\"{} {values:x?}\", stringify!($name));
                wrong += 1;
            }
        };
    }
";

/// The crate `crc` computes by every constant: the value of `123456789`, which is a part of it, and
/// of all bytes.
#[test]
fn the_crate_crc_takes_the_constants() {
    let message: Vec<u8> = (0..=255).collect();
    let (mut constants, mut checks) = (String::new(), START.to_string());
    let all = params::all();
    for params in &all {
        let text = Notation::CrcCrate.write(params).unwrap();
        let (name, rest) = text.strip_prefix("pub const ").unwrap().split_once(": ").unwrap();
        let word = rest.split(['<', '>']).nth(1).unwrap();
        let _ = writeln!(checks, "    check!({word}, {name}, {:#x});", params.reference(&message));
        constants += &(text + "\n");
    }
    let _ = writeln!(checks, "    println!(\"{} constants, {{wrong}} wrong\");\n}}", all.len());
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("crc-constants");
    fs::create_dir_all(place.join("src")).unwrap();
    fs::write(place.join("Cargo.toml"), MANIFEST).unwrap();
    fs::write(place.join("src/main.rs"), constants + &checks).unwrap();
    let cargo = |words: &[&str]| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(words).current_dir(&place).env("CARGO_TARGET_DIR", place.join("target"));
        cargo.output().unwrap()
    };
    let fetched = cargo(&["fetch"]);
    if !fetched.status.success() {
        let why = String::from_utf8_lossy(&fetched.stderr);
        let why = why.lines().next().unwrap_or_default();
        return residue_testing::skip(&format!("the crate `crc`: {why}"));
    }
    let ran = cargo(&["run", "--quiet", "--offline"]);
    let text = String::from_utf8_lossy(&ran.stdout);
    let error = String::from_utf8_lossy(&ran.stderr);
    assert!(text.ends_with(&format!("{} constants, 0 wrong\n", all.len())), "{text}{error}");
}

/// crcmod's definition: the register starts with initCrc xor xorOut, and the result is xored
/// with xorOut.
#[test]
fn crcmod_gives_the_check_values() {
    let mut written = 0;
    for params in params::all() {
        let Ok(text) = Notation::Crcmod.write(&params) else { continue };
        let number = |start: &str| {
            let rest = &text[text.find(start).unwrap() + start.len()..];
            let end = rest.find([',', ')']).unwrap();
            u128::from_str_radix(rest[..end].trim_start_matches("0x"), 16).unwrap()
        };
        let (poly, init, xorout) = (number("("), number("initCrc="), number("xorOut="));
        let rev = text.contains("rev=True");
        let (width, mask) = (u32::from(params.width), params.mask());
        let mut register = init ^ xorout;
        for byte in b"123456789" {
            for bit in 0..8 {
                let bit = if rev { byte >> bit } else { byte >> (7 - bit) } & 1;
                if rev {
                    let carry = register & 1 ^ u128::from(bit);
                    register = (register >> 1) ^ (params.reflect(poly & mask) * carry);
                } else {
                    let carry = register >> (width - 1) & 1 ^ u128::from(bit);
                    register = ((register << 1) & mask) ^ ((poly & mask) * carry);
                }
            }
        }
        assert_eq!(register ^ xorout, params.check, "{text}");
        written += 1;
    }
    assert!(written > 60);
}
