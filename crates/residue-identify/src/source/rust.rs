//! Source code in Rust.

use super::model::{Method, Model, down, eight, snake};
use residue::crc::Params;
use std::fmt::Write as _;

pub(super) fn source(params: &Params, method: Method) -> String {
    let model = Model::new(params, &[8, 16, 32, 64, 128]);
    let (name, bits, poly) = (snake(params), model.bits, model.poly);
    let constant = name.to_uppercase();
    let step = if model.refin() {
        format!("crc >> 1 ^ if crc & 1 == 1 {{ {poly:#x} }} else {{ 0 }}")
    } else {
        let top = 1u128 << (bits - 1);
        format!("crc << 1 ^ if crc & {top:#x} != 0 {{ {poly:#x} }} else {{ 0 }}")
    };
    let mut text = tables(&model, method, &constant, &step);
    for line in &model.about {
        let _ = writeln!(text, "/// {line}");
    }
    let _ = writeln!(text, "pub fn {name}(crc: u{bits}, data: &[u8]) -> u{bits} {{");
    let xorout = model.xorout();
    let value = match xorout {
        0 => "crc".to_string(),
        _ if model.mixed() || !model.refin() && model.spare > 0 => format!("(crc ^ {xorout:#x})"),
        _ => format!("crc ^ {xorout:#x}"),
    };
    let _ = writeln!(text, "    let mut crc = {};", turned(&model, &value, "<<"));
    let byte = if bits == 8 { "byte".to_string() } else { format!("u{bits}::from(byte)") };
    text += &match method {
        Method::Bitwise => {
            let take = if model.up() == 0 { byte } else { format!("{byte} << {}", model.up()) };
            format!(
                "    for &byte in data {{\n        crc ^= {take};\n        \
                 for _ in 0..8 {{\n            \
                 crc = {step};\n        }}\n    }}\n"
            )
        }
        Method::Table => {
            format!("    for &byte in data {{\n        {}\n    }}\n", one(&model, &constant))
        }
        Method::Slicing => {
            let end = if model.refin() { "le" } else { "be" };
            let wide = if bits == 64 { "crc".to_string() } else { "u64::from(crc)".to_string() };
            let wide = match 64 - bits {
                shift if !model.refin() && shift > 0 => format!("({wide} << {shift})"),
                _ => wide,
            };
            let term = |table: u32, byte: u32| match down(model.refin(), byte) {
                0 => format!("t[{table}][(x & 0xff) as usize]"),
                56 => format!("t[{table}][(x >> 56) as usize]"),
                shift => format!("t[{table}][(x >> {shift} & 0xff) as usize]"),
            };
            format!(
                "    let t = &{constant};\n    let mut words = data.chunks_exact(8);\n    \
                 for word in &mut words {{\n        \
                 let x = u64::from_{end}_bytes(word.try_into().unwrap()) ^ {wide};\n        \
                 crc = {};\n    }}\n    for &byte in words.remainder() {{\n        {}\n    }}\n",
                eight("            ", term),
                one(&model, "t[0]")
            )
        }
    };
    let value = turned(&model, "crc", ">>");
    let value = if xorout == 0 { value } else { format!("{value} ^ {xorout:#x}") };
    text + &format!("    {value}\n}}\n")
}

/// Returns the register of a value, or the value of a register, before and after the final xor.
fn turned(model: &Model, from: &str, shift: &str) -> String {
    let spare = model.spare;
    let turned = if model.mixed() { format!("{from}.reverse_bits()") } else { from.to_string() };
    match (model.refin(), model.mixed()) {
        _ if spare == 0 => turned,
        (true, true) => format!("{turned} >> {spare}"),
        (false, false) => format!("{turned} {shift} {spare}"),
        _ => turned,
    }
}

/// Returns the step for a byte.
fn one(model: &Model, table: &str) -> String {
    let up = model.up();
    match (model.bits, model.refin()) {
        (8, _) => format!("crc = {table}[usize::from(crc ^ byte)];"),
        (_, true) => format!("crc = crc >> 8 ^ {table}[usize::from(crc as u8 ^ byte)];"),
        (_, false) => format!("crc = crc << 8 ^ {table}[usize::from((crc >> {up}) as u8 ^ byte)];"),
    }
}

fn tables(model: &Model, method: Method, name: &str, step: &str) -> String {
    let bits = model.bits;
    let byte = match model.up() {
        0 => format!("i as u{bits}"),
        up => format!("(i as u{bits}) << {up}"),
    };
    let of = |kind: &str, rows: &str, fill: &str| {
        format!(
            "static {name}: {kind} = {{\n    let mut table = {rows};\n    let mut i = 0;\n    \
             while i < 256 {{\n        let mut crc = {byte};\n{fill}        i += 1;\n    }}\n    \
             table\n}};\n\n"
        )
    };
    match method {
        Method::Bitwise => String::new(),
        Method::Table => of(
            &format!("[u{bits}; 256]"),
            "[0; 256]",
            &format!(
                "        let mut bit = 0;\n        while bit < 8 {{\n            \
                 crc = {step};\n            \
                 bit += 1;\n        }}\n        table[i] = crc;\n"
            ),
        ),
        Method::Slicing => of(
            &format!("[[u{bits}; 256]; 8]"),
            "[[0; 256]; 8]",
            &format!(
                "        let mut bit = 0;\n        while bit < 64 {{\n            \
                 crc = {step};\n            \
                 bit += 1;\n            if bit % 8 == 0 {{\n                \
                 table[bit / 8 - 1][i] = crc;\n            }}\n        }}\n"
            ),
        ),
    }
}
