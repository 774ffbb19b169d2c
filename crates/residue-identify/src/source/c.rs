//! Source code in C11.

use super::model::{Method, Model, down, snake};
use residue::crc::Params;

pub(super) fn source(params: &Params, method: Method) -> String {
    let model = Model::new(params, &[8, 16, 32, 64]);
    let (name, bits, refin) = (snake(params), model.bits, model.refin());
    // Constants of 64 bits are unsigned only if they say so.
    let end = if bits == 64 { "u" } else { "" };
    let load = |byte: u32| match down(refin, byte) {
        0 => format!("(uint64_t)byte[{byte}]"),
        shift => format!("(uint64_t)byte[{byte}] << {shift}"),
    };
    let term = |table: u32, shift: u32| match shift {
        0 => format!("{name}_table[{table}][x & 0xff]"),
        56 => format!("{name}_table[{table}][x >> 56]"),
        _ => format!("{name}_table[{table}][x >> {shift} & 0xff]"),
    };
    let terms: Vec<String> = (0..8).map(|byte| term(7 - byte, down(refin, byte))).collect();
    let terms: Vec<String> = terms.chunks(2).map(|two| two.join(" ^ ")).collect();
    let values = [
        ("rows", tables(&model, method, &name, end).trim_end().to_string()),
        ("loads1", [0, 1, 2, 3].map(load).join(" | ")),
        ("loads2", [4, 5, 6, 7].map(load).join(" | ")),
        ("steps", terms.join("\n            ^ ")),
        ("look", name.clone() + if method == Method::Slicing { "_table[0]" } else { "_table" }),
        ("end", end.to_string()),
        ("name", name.clone()),
    ];
    model.fill(include_str!("c.txt"), method, &[], &values, term)
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
