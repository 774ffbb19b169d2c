//! Source code of a CRC as a function in C, Python and Rust: one bit at a time, short enough to
//! read and to type.

use residue::crc::Params;
use serde_json::{Value, json};

/// Returns the function in every language whose integers are wide enough, by the language's name.
pub fn all(params: &Params) -> Value {
    let mut all = json!({ "Python": python(params), "Rust": rust(params) });
    if params.width <= 64 {
        all["C"] = c(params).into();
    }
    all
}

/// Returns the function's name, such as `crc_32_iscsi`.
pub fn name(params: &Params) -> String {
    if params.name == "custom" {
        return format!("crc_{}_custom", params.width);
    }
    params.name.replace(['-', '/'], "_")
}

/// Describes the CRC and its check value in three lines.
fn about(params: &Params) -> [String; 3] {
    let Params { name, width, poly, init, refin, refout, xorout, check, .. } = params;
    let digits = usize::from(width.div_ceil(4));
    [
        format!("{name}: width {width}, poly {poly:#x}, init {init:#x},"),
        format!("refin {refin}, refout {refout}, xorout {xorout:#x}."),
        format!("The value of \"123456789\" is 0x{check:0digits$x}."),
    ]
}

/// Returns the width of the smallest word that holds the register and a byte.
fn word(params: &Params) -> u32 {
    u32::from(params.width).next_power_of_two().max(8)
}

/// Returns polynomial and initial value in a word: right-aligned with the lowest bit first, else
/// left-aligned.
fn aligned(params: &Params) -> (u128, u128) {
    if params.refin {
        (params.reversed(), params.reflect(params.init))
    } else {
        let up = word(params) - u32::from(params.width);
        (params.poly << up, params.init << up)
    }
}

fn c(params: &Params) -> String {
    let (bits, (poly, init), name) = (word(params), aligned(params), name(params));
    let [first, second, third] = about(params);
    // Arithmetic is done on int at least; constants of 64 bits need to say so.
    let end = if bits == 64 { "u" } else { "" };
    let top = 1u128 << (bits - 1);
    let (take, step) = if params.refin {
        (
            "crc ^= *byte++;".to_string(),
            format!("crc = (uint{bits}_t)(crc >> 1 ^ (crc & 1 ? {poly:#x}{end} : 0));"),
        )
    } else {
        let up = bits - 8;
        let take = match up {
            0 => "crc ^= *byte++;".to_string(),
            _ => format!("crc ^= (uint{bits}_t)((uint{bits}_t)*byte++ << {up});"),
        };
        let step = format!(
            "crc = (uint{bits}_t)((uint{bits}_t)(crc << 1) ^ \
             (crc & {top:#x}{end} ? {poly:#x}{end} : 0));"
        );
        (take, step)
    };
    let down = bits - u32::from(params.width);
    let mut last = String::new();
    if !params.refin && down > 0 {
        last += &format!("    crc >>= {down};\n");
    }
    if params.refin != params.refout {
        last += &format!(
            "    uint{bits}_t turned = 0;\n    for (int bit = 0; bit < {width}; bit++)\n        \
             turned = (uint{bits}_t)(turned << 1 | (crc >> bit & 1));\n    crc = turned;\n",
            width = params.width
        );
    }
    let xorout = params.xorout;
    format!(
        "#include <stddef.h>\n#include <stdint.h>\n\n/* {first}\n   {second}\n   {third} */\n\
         uint{bits}_t {name}(const void *data, size_t length)\n{{\n    \
         const unsigned char *byte = data;\n    uint{bits}_t crc = {init:#x}{end};\n    \
         while (length--) {{\n        {take}\n        \
         for (int bit = 0; bit < 8; bit++)\n            {step}\n    }}\n{last}    \
         return crc ^ {xorout:#x}{end};\n}}\n"
    )
}

fn python(params: &Params) -> String {
    let name = name(params);
    let [first, second, third] = about(params);
    let Params { width, xorout, .. } = params;
    // Integers have no width: below 8 bits the register is moved up to a byte.
    let bits = u32::from(*width).max(8);
    let up = bits - u32::from(*width);
    let (take, step, init) = if params.refin {
        let (poly, init) = (params.reversed(), params.reflect(params.init));
        ("crc ^= byte".to_string(), format!("crc = crc >> 1 ^ (crc & 1 and {poly:#x})"), init)
    } else {
        let mask = u128::MAX >> (128 - bits);
        let poly = params.poly << up;
        let step = format!("crc = crc << 1 & {mask:#x} ^ (crc >> {} and {poly:#x})", bits - 1);
        (format!("crc ^= byte << {}", bits - 8), step, params.init << up)
    };
    let mut last = String::new();
    if !params.refin && up > 0 {
        last += &format!("    crc >>= {up}\n");
    }
    if params.refin != params.refout {
        last += &format!("    crc = int(f\"{{crc:0{width}b}}\"[::-1], 2)\n");
    }
    format!(
        "def {name}(data: bytes) -> int:\n    \"\"\"{first}\n    {second}\n\n    \
         {third}\n    \"\"\"\n    crc = {init:#x}\n    for byte in data:\n        {take}\n        \
         for _ in range(8):\n            {step}\n{last}    return crc ^ {xorout:#x}\n",
        third = third.replace('"', "'")
    )
}

fn rust(params: &Params) -> String {
    let (bits, (poly, init), name) = (word(params), aligned(params), name(params));
    let [first, second, third] = about(params);
    let cast = if bits == 8 { "byte".to_string() } else { format!("u{bits}::from(byte)") };
    let top = 1u128 << (bits - 1);
    let (take, step) = if params.refin {
        (cast, format!("crc >> 1 ^ if crc & 1 == 1 {{ {poly:#x} }} else {{ 0 }}"))
    } else {
        let take = if bits == 8 { cast } else { format!("{cast} << {}", bits - 8) };
        (take, format!("crc << 1 ^ if crc & {top:#x} != 0 {{ {poly:#x} }} else {{ 0 }}"))
    };
    let down = bits - u32::from(params.width);
    let mut last = String::from("crc");
    if !params.refin && down > 0 {
        last = format!("(crc >> {down})");
    }
    if params.refin != params.refout {
        last += ".reverse_bits()";
        if down > 0 {
            last = format!("({last} >> {down})");
        }
    }
    let xorout = params.xorout;
    format!(
        "/// {first}\n/// {second}\n/// {third}\npub fn {name}(data: &[u8]) -> u{bits} {{\n    \
         let mut crc: u{bits} = {init:#x};\n    for &byte in data {{\n        \
         crc ^= {take};\n        for _ in 0..8 {{\n            crc = {step};\n        }}\n    \
         }}\n    {last} ^ {xorout:#x}\n}}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue::crc::catalog;
    use std::path::PathBuf;
    use std::process::Command;

    /// Returns the catalogue, and narrow CRCs of mixed reflection, which it lacks.
    fn params() -> Vec<Params> {
        let own = |width: u8, refin, refout| {
            let name: &'static str = Box::leak(format!("own-{width}/{refin}-{refout}").into());
            let poly = (0x8005_1021_04c1_1db7_u128 | 1) & (u128::MAX >> (128 - width));
            let some = poly >> 1;
            Params::new(name, width, poly, some, (refin, refout), some ^ 1).unwrap()
        };
        let widths = [1, 3, 7, 8, 9, 24, 33, 64].into_iter();
        let own = widths.flat_map(|w| [own(w, true, false), own(w, false, true)]);
        catalog::ALL.iter().copied().chain(own).collect()
    }

    fn folder() -> PathBuf {
        let folder = std::env::temp_dir().join(format!("residue-snippets-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    /// Runs a program, which must succeed.
    fn good(command: &mut Command) {
        let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    #[test]
    fn c_gives_the_check_values() {
        let all: Vec<Params> = params().into_iter().filter(|it| it.width <= 64).collect();
        let mut source: String = all.iter().map(c).collect();
        source += "#include <stdio.h>\nint main(void) {\n  int bad = 0;\n";
        for it in &all {
            source += &format!(
                "  if ({name}(\"123456789\", 9) != {:#x}u) {{ bad++; \
                 fprintf(stderr, \"{name}\\n\"); }}\n",
                it.check,
                name = name(it)
            );
        }
        source += "  return bad != 0;\n}\n";
        let folder = folder();
        let (file, program) = (folder.join("crc.c"), folder.join("crc-c"));
        std::fs::write(&file, source).unwrap();
        let words = ["-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-o"];
        good(Command::new("cc").args(words).args([&program, &file]));
        good(&mut Command::new(&program));
    }

    #[test]
    fn rust_gives_the_check_values() {
        let all = params();
        let mut source: String = all.iter().map(rust).collect();
        source += "fn main() {\n";
        for it in &all {
            source += &format!(
                "  assert_eq!({name}(b\"123456789\"), {:#x}, \"{name}\");\n",
                it.check,
                name = name(it)
            );
        }
        source += "}\n";
        let folder = folder();
        let (file, program) = (folder.join("crc.rs"), folder.join("crc-rust"));
        std::fs::write(&file, source).unwrap();
        good(
            Command::new("rustc")
                .args(["--edition=2024", "-Dwarnings", "-o"])
                .args([&program, &file]),
        );
        good(&mut Command::new(&program));
    }

    #[test]
    fn python_gives_the_check_values() {
        if Command::new("python3").arg("--version").output().is_err() {
            println!("skipped: `python3` is not installed");
            return;
        }
        let all = params();
        let mut source: String = all.iter().map(python).collect();
        for it in &all {
            let name = name(it);
            source += &format!("assert {name}(b'123456789') == {:#x}, '{name}'\n", it.check);
        }
        let file = folder().join("crc.py");
        std::fs::write(&file, source).unwrap();
        good(Command::new("python3").arg(&file));
    }
}
