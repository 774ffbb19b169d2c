//! Source code in Python 3, whose integers have no width: below 8 bits, the register is kept in a
//! byte.

use super::model::{Method, Model, down, eight, snake};
use residue::crc::Params;
use std::fmt::Write as _;

pub(super) fn source(params: &Params, method: Method) -> String {
    let model = Model::new(params, &[8]);
    let (name, bits, xorout) = (snake(params), model.bits, model.xorout());
    let mut text = tables(&model, method, &name);
    let [first, second, third, fourth] = model.about.clone().map(|line| line.replace('"', "'"));
    let _ = write!(
        text,
        "def {name}(data: bytes, crc: int = {start:#x}) -> int:\n    \"\"\"{first}\n    {second}\n\
         \n    \
         {third}\n    {fourth}\n    \"\"\"\n",
        start = model.start
    );
    let mut line = |line: String| {
        let _ = writeln!(text, "    {line}");
    };
    if xorout != 0 {
        line(format!("crc ^= {xorout:#x}"));
    }
    let reversed = format!("crc = int(f\"{{crc:0{}b}}\"[::-1], 2)", params.width);
    if model.mixed() {
        line(reversed.clone());
    }
    let spare = if model.refin() { 0 } else { model.spare };
    if spare > 0 {
        line(format!("crc <<= {spare}"));
    }
    let table = format!("_{}", name.to_uppercase());
    let step = step(&model, method, &table);
    if method == Method::Slicing {
        let end = if model.refin() { "little" } else { "big" };
        let register = match 64 - bits {
            shift if !model.refin() && shift > 0 => format!("(crc << {shift})"),
            _ => "crc".to_string(),
        };
        let term = |table: u32, byte: u32| match down(model.refin(), byte) {
            0 => format!("t[{table}][x & 255]"),
            56 => format!("t[{table}][x >> 56]"),
            shift => format!("t[{table}][x >> {shift} & 255]"),
        };
        let terms = eight("               ", term);
        line(format!("t = {table}"));
        line("whole = len(data) // 8 * 8".to_string());
        line(format!(
            "for at in range(0, whole, 8):\n        \
             x = int.from_bytes(data[at:at + 8], \"{end}\") ^ {register}\n        \
             crc = ({terms})"
        ));
        line(format!("for byte in data[whole:]:\n{step}"));
    } else {
        line(format!("for byte in data:\n{step}"));
    }
    if spare > 0 {
        line(format!("crc >>= {spare}"));
    }
    if model.mixed() {
        line(reversed);
    }
    line(if xorout == 0 { "return crc".into() } else { format!("return crc ^ {xorout:#x}") });
    text
}

/// Returns the step for a bit.
fn shift(model: &Model) -> String {
    let (bits, poly) = (model.bits, model.poly);
    if model.refin() {
        format!("crc = crc >> 1 ^ (crc & 1 and {poly:#x})")
    } else {
        let mask = u128::MAX >> (128 - bits);
        format!("crc = crc << 1 & {mask:#x} ^ (crc >> {} and {poly:#x})", bits - 1)
    }
}

/// Returns the step for a byte.
fn step(model: &Model, method: Method, table: &str) -> String {
    let (bits, up) = (model.bits, model.up());
    let table = if method == Method::Slicing { "t[0]" } else { table };
    match (method, bits, model.refin()) {
        (Method::Bitwise, _, _) => {
            let take = if up == 0 { "byte".into() } else { format!("byte << {up}") };
            let shift = shift(model);
            format!("        crc ^= {take}\n        for _ in range(8):\n            {shift}")
        }
        (_, 8, _) => format!("        crc = {table}[crc ^ byte]"),
        (_, _, true) => format!("        crc = crc >> 8 ^ {table}[crc & 255 ^ byte]"),
        (_, _, false) => {
            let mask = u128::MAX >> (128 - bits);
            format!("        crc = crc << 8 & {mask:#x} ^ {table}[crc >> {up} ^ byte]")
        }
    }
}

fn tables(model: &Model, method: Method, name: &str) -> String {
    let (constant, up) = (name.to_uppercase(), model.up());
    let byte = if up == 0 { "byte".into() } else { format!("byte << {up}") };
    let shift = shift(model);
    let (start, count, store) = match method {
        Method::Bitwise => return String::new(),
        Method::Table => ("[]", 8, "        tables.append(crc)\n"),
        Method::Slicing => (
            "[[], [], [], [], [], [], [], []]",
            64,
            "            if bit % 8 == 7:\n                tables[bit // 8].append(crc)\n",
        ),
    };
    format!(
        "def _{name}_tables():\n    tables = {start}\n    for byte in range(256):\n        \
         crc = {byte}\n        for bit in range({count}):\n            {shift}\n{store}    \
         return tables\n\n\n_{constant} = _{name}_tables()\n\n\n"
    )
}
