//! Source code in JavaScript, as an ES module. Numbers hold 32 bits for bit operations: wider
//! registers are two numbers on tables, and a `BigInt` one bit at a time.

use super::model::{Method, Model, eight, lower_camel};
use residue::crc::Params;
use std::fmt::Write as _;

pub(super) fn source(params: &Params, method: Method) -> String {
    let model =
        if params.width <= 32 { Model::new(params, &[32]) } else { Model::new(params, &[64, 128]) };
    let name = lower_camel(params);
    let table = name.clone() + "Table";
    let (wide, xorout) = (model.bits > 32, model.xorout());
    // Literals of `BigInt` end in `n`.
    let (end, kind) = if wide { ("n", "bigint") } else { ("", "number") };
    let mut text = tables(&model, method, &table);
    if model.mixed() {
        let _ = write!(
            text,
            "function {name}Reversed(value) {{\n  let turned = 0{end};\n  \
             for (let bit = 0; bit < {width}; bit++, value >>= 1{end}) \
             turned = turned << 1{end} | value & 1{end};\n  return turned;\n}}\n\n",
            width = params.width
        );
    }
    let [first, second, third, fourth] = &model.about;
    let _ = write!(
        text,
        "/**\n * {first}\n * {second}\n * {third}\n * {fourth}\n * @param {{Uint8Array}} data\n * \
         @param {{{kind}}} crc\n * @returns {{{kind}}}\n */\n\
         export function {name}(data, crc = {start:#x}{end}) {{\n",
        start = model.start
    );
    let mut line = |line: String| {
        let _ = writeln!(text, "  {line}");
    };
    if xorout != 0 {
        line(format!("crc ^= {xorout:#x}{end};"));
    }
    let reversed = format!("crc = {name}Reversed(crc);");
    if model.mixed() {
        line(reversed.clone());
    }
    let spare = if model.refin() { 0 } else { model.spare };
    if spare > 0 {
        line(format!("crc <<= {spare}{end};"));
    }
    let halves = wide && method != Method::Bitwise;
    if halves {
        line("let high = Number(crc >> 32n), low = Number(crc & 0xffffffffn);".to_string());
        let (index, one, other) = if model.refin() {
            ("(low ^ byte) & 255", "low = (low >>> 8 | high << 24)", "high = high >>> 8")
        } else {
            ("high >>> 24 ^ byte", "high = (high << 8 | low >>> 24)", "low = low << 8")
        };
        let half = |of: &str| if of.starts_with("low") { 1 } else { 0 };
        line(format!(
            "for (const byte of data) {{\n    const i = {index};\n    {one} ^ {table}[{}][i];\n    \
             {other} ^ {table}[{}][i];\n  }}",
            half(one),
            half(other)
        ));
        line("crc = BigInt(high >>> 0) << 32n | BigInt(low >>> 0);".to_string());
    } else {
        if method == Method::Slicing {
            line(slices(&model));
        }
        let take = match method {
            Method::Slicing => "for (; at < data.length; at++) {\n    const byte = data[at];",
            _ => "for (const byte of data) {",
        };
        line(format!("{take}\n{}  }}", step(&model, method, &table)));
    }
    if spare > 0 {
        line(format!("crc >>{}= {spare}{end};", if wide { "" } else { ">" }));
    }
    if model.mixed() {
        line(reversed);
    }
    let value = if xorout == 0 { "crc".into() } else { format!("crc ^ {xorout:#x}{end}") };
    line(match (wide, xorout) {
        (true, _) => format!("return {value};"),
        (false, 0) => "return crc >>> 0;".into(),
        (false, _) => format!("return ({value}) >>> 0;"),
    });
    text + "}\n"
}

/// Returns the step for a bit.
fn shift(model: &Model, wide: bool) -> String {
    let (bits, poly) = (model.bits, model.poly);
    match (model.refin(), wide) {
        (true, false) => format!("crc = crc >>> 1 ^ (crc & 1 ? {poly:#x} : 0);"),
        // The highest bit is the sign.
        (false, false) => format!("crc = crc << 1 ^ (crc < 0 ? {poly:#x} : 0);"),
        (true, true) => format!("crc = crc >> 1n ^ (crc & 1n ? {poly:#x}n : 0n);"),
        (false, true) => format!(
            "crc = BigInt.asUintN({bits}, crc << 1n) ^ (crc >> {}n ? {poly:#x}n : 0n);",
            bits - 1
        ),
    }
}

/// Returns the step for a byte, for a register that is one number.
fn step(model: &Model, method: Method, table: &str) -> String {
    let (wide, up) = (model.bits > 32, model.up());
    let table = if method == Method::Slicing { "t[0]" } else { table };
    match (method, model.refin()) {
        (Method::Bitwise, _) => {
            let take = match (wide, up) {
                (true, 0) => "BigInt(byte)".to_string(),
                (true, _) => format!("BigInt(byte) << {up}n"),
                (false, 0) => "byte".to_string(),
                (false, _) => format!("byte << {up}"),
            };
            let shift = shift(model, wide);
            format!("    crc ^= {take};\n    for (let bit = 0; bit < 8; bit++) {shift}\n")
        }
        (_, true) => format!("    crc = crc >>> 8 ^ {table}[(crc ^ byte) & 255];\n"),
        (_, false) => format!("    crc = crc << 8 ^ {table}[crc >>> {up} ^ byte];\n"),
    }
}

/// Returns the loop over eight bytes. The register is added to the first four.
fn slices(model: &Model) -> String {
    let table = lower_camel(model.params) + "Table";
    let refin = model.refin();
    let place = |byte: u32| match if refin { 8 * byte } else { 24 - 8 * byte } {
        0 => format!("data[at + {byte}]"),
        shift => format!("data[at + {byte}] << {shift}"),
    };
    let word = [place(0), place(1), place(2), place(3)].join(" | ").replace("at + 0", "at");
    let term =
        |table: u32, byte: u32| match (byte, if refin { 8 * byte } else { 24 - 8 * byte.min(3) }) {
            (4.., _) => format!("t[{table}][data[at + {byte}]]"),
            (_, 0) => format!("t[{table}][x & 255]"),
            (_, 24) => format!("t[{table}][x >>> 24]"),
            (_, shift) => format!("t[{table}][x >>> {shift} & 255]"),
        };
    format!(
        "const t = {table};\n  let at = 0;\n  for (; at + 8 <= data.length; at += 8) {{\n    \
         const x = crc ^ ({word});\n    crc = {};\n  }}",
        eight("      ", term)
    )
}

fn tables(model: &Model, method: Method, table: &str) -> String {
    let (wide, up) = (model.bits > 32, model.up());
    let shift = shift(model, wide);
    let (end, start) = if wide { ("n", "BigInt(i)") } else { ("", "i") };
    let byte = if up == 0 { start.to_string() } else { format!("{start} << {up}{end}") };
    let (count, bits, store, after) = match (method, wide) {
        (Method::Bitwise, _) => return String::new(),
        (Method::Slicing, _) => {
            (8, 64, "    if (bit % 8 === 7) TABLE[bit >> 3][i] = crc;\n", String::new())
        }
        (Method::Table, false) => (1, 8, "", "  TABLE[i] = crc;\n".to_string()),
        (Method::Table, true) => (
            2,
            8,
            "",
            "  TABLE[0][i] = Number(crc >> 32n);\n  TABLE[1][i] = Number(crc & 0xffffffffn);\n"
                .to_string(),
        ),
    };
    let what = match count {
        1 => "new Int32Array(256)".to_string(),
        _ => format!("Array.from({{ length: {count} }}, () => new Int32Array(256))"),
    };
    let halves = if count == 2 { " // high and low halves" } else { "" };
    format!(
        "const TABLE = {what};{halves}\nfor (let i = 0; i < 256; i++) {{\n  let crc = {byte};\n  \
         for (let bit = 0; bit < {bits}; bit++) {{\n    {shift}\n{store}  }}\n{after}}}\n\n"
    )
    .replace("TABLE", table)
}
