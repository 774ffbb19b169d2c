//! Source code in C11.

use super::model::{Method, Model, down, snake};
use residue::crc::Params;
use std::fmt::Write as _;

pub(super) fn source(params: &Params, method: Method) -> String {
    let model = Model::new(params, &[8, 16, 32, 64]);
    let (name, bits) = (snake(params), model.bits);
    // Constants of 64 bits are unsigned only if they say so.
    let end = if bits == 64 { "u" } else { "" };
    let [first, second, third, fourth] = &model.about;
    let mut text = String::from("#include <stddef.h>\n#include <stdint.h>\n\n");
    text += &tables(&model, method, &name, end);
    if model.mixed() {
        let _ = write!(
            text,
            "static uint{bits}_t {name}_reversed(uint{bits}_t value)\n{{\n    \
             uint{bits}_t turned = 0;\n    for (int bit = 0; bit < {width}; bit++)\n        \
             turned = (uint{bits}_t)(turned << 1 | (value >> bit & 1));\n    return turned;\n}}\n\
             \n",
            width = params.width
        );
    }
    let _ = write!(
        text,
        "/* {first}\n   {second}\n   {third}\n   {fourth} */\n\
         uint{bits}_t {name}(uint{bits}_t crc, const void *data, size_t length)\n{{\n    \
         const unsigned char *byte = data;\n"
    );
    let mut line = |line: String| {
        let _ = writeln!(text, "    {line}");
    };
    let xorout = model.xorout();
    let reversed = format!("crc = {name}_reversed(crc);");
    if xorout != 0 {
        line(format!("crc ^= {xorout:#x}{end};"));
    }
    if model.mixed() {
        line(reversed.clone());
    }
    let spare = if model.refin() { 0 } else { model.spare };
    if spare > 0 {
        line(format!("crc = (uint{bits}_t)(crc << {spare});"));
    }
    if method == Method::Slicing {
        line(slices(&model, &name));
    }
    line("while (length--)".to_string() + &step(&model, method, &name, end));
    if spare > 0 {
        line(format!("crc >>= {spare};"));
    }
    if model.mixed() {
        line(reversed);
    }
    line(if xorout == 0 {
        "return crc;".into()
    } else {
        format!("return crc ^ {xorout:#x}{end};")
    });
    text + "}\n"
}

/// Returns the step for a byte, as the body of a loop.
fn step(model: &Model, method: Method, name: &str, end: &str) -> String {
    let (bits, up, poly) = (model.bits, model.up(), model.poly);
    match method {
        Method::Bitwise => {
            let take = match up {
                0 => "crc ^= *byte++;".to_string(),
                _ => format!("crc ^= (uint{bits}_t)((uint{bits}_t)*byte++ << {up});"),
            };
            let step = if model.refin() {
                format!("crc >> 1 ^ (crc & 1 ? {poly:#x}{end} : 0)")
            } else {
                let top = 1u128 << (bits - 1);
                format!("(uint{bits}_t)(crc << 1) ^ (crc & {top:#x}{end} ? {poly:#x}{end} : 0)")
            };
            format!(
                " {{\n        {take}\n        for (int bit = 0; bit < 8; bit++)\n            \
                 crc = (uint{bits}_t)({step});\n    }}"
            )
        }
        _ => {
            let table = if method == Method::Slicing {
                format!("{name}_table[0]")
            } else {
                name.to_string() + "_table"
            };
            let step = match (bits, model.refin()) {
                (8, _) => format!("{table}[crc ^ *byte++]"),
                (_, true) => format!("(uint{bits}_t)(crc >> 8 ^ {table}[(crc ^ *byte++) & 0xff])"),
                (_, false) => format!("(uint{bits}_t)(crc << 8 ^ {table}[crc >> {up} ^ *byte++])"),
            };
            format!("\n        crc = {step};")
        }
    }
}

/// Returns the loop over eight bytes.
fn slices(model: &Model, name: &str) -> String {
    let (bits, refin) = (model.bits, model.refin());
    let place = |byte: u32| match down(refin, byte) {
        0 => format!("(uint64_t)byte[{byte}]"),
        shift => format!("(uint64_t)byte[{byte}] << {shift}"),
    };
    let bytes: Vec<String> = (0..8).map(place).collect();
    let register = match 64 - bits {
        shift if !refin && shift > 0 => format!("(uint64_t)crc << {shift}"),
        _ => "crc".to_string(),
    };
    let term = |table: u32, byte: u32| match down(refin, byte) {
        0 => format!("{name}_table[{table}][x & 0xff]"),
        56 => format!("{name}_table[{table}][x >> 56]"),
        shift => format!("{name}_table[{table}][x >> {shift} & 0xff]"),
    };
    let terms = (0..8).map(|byte| term(7 - byte, byte)).collect::<Vec<_>>();
    let terms = terms.chunks(2).map(|two| two.join(" ^ ")).collect::<Vec<_>>();
    format!(
        "for (; length >= 8; length -= 8, byte += 8) {{\n        \
         uint64_t x = {}\n            | {};\n        x ^= {register};\n        \
         crc = (uint{bits}_t)({});\n    }}",
        bytes[..4].join(" | "),
        bytes[4..].join(" | "),
        terms.join("\n            ^ ")
    )
}

/// Returns the tables as constants, which a microcontroller can keep in flash.
fn tables(model: &Model, method: Method, name: &str, end: &str) -> String {
    let count = method.tables();
    if count == 0 {
        return String::new();
    }
    let bits = model.bits;
    let digits = bits as usize / 4;
    let mut tables = vec![Vec::new(); count as usize];
    let mask = u128::MAX >> (128 - bits);
    for byte in 0..256u128 {
        let mut crc = byte << model.up();
        for table in &mut tables {
            for _ in 0..8 {
                crc = if model.refin() {
                    crc >> 1 ^ if crc & 1 == 1 { model.poly } else { 0 }
                } else {
                    crc << 1 & mask ^ if crc >> (bits - 1) == 1 { model.poly } else { 0 }
                };
            }
            table.push(format!("0x{crc:0digits$x}{end}"));
        }
    }
    let row = 80 / (digits + end.len() + 4);
    let row = (1..=row).rev().find(|row| 256 % row == 0).unwrap_or(1);
    let rows = |table: &Vec<String>| {
        table
            .chunks(row)
            .map(|row| format!("    {}", row.join(", ")))
            .collect::<Vec<_>>()
            .join(",\n")
    };
    let rows: Vec<String> = tables.iter().map(rows).collect();
    match &rows[..] {
        [one] => format!("static const uint{bits}_t {name}_table[256] = {{\n{one}\n}};\n\n"),
        _ => format!(
            "static const uint{bits}_t {name}_table[8][256] = {{ {{\n{}\n}} }};\n\n",
            rows.join("\n}, {\n")
        ),
    }
}
