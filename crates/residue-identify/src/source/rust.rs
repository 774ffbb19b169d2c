//! Source code in Rust.

use super::model::{Method, Model, snake};
use residue::crc::Params;

pub(super) fn source(params: &Params, method: Method) -> String {
    let model = Model::new(params, &[8, 16, 32, 64, 128]);
    let (name, bits, xorout) = (snake(params), model.bits, model.xorout());
    let value = match xorout {
        0 => "crc".to_string(),
        _ if model.mixed() || !model.refin() && model.spare > 0 => format!("(crc ^ {xorout:#x})"),
        _ => format!("crc ^ {xorout:#x}"),
    };
    let wide = if bits == 64 { "crc" } else { "u64::from(crc)" };
    let wide = match 64_u32.saturating_sub(bits) {
        below if !model.refin() && below > 0 => format!("({wide} << {below})"),
        _ => wide.to_string(),
    };
    let term = |table: u32, shift: u32| match shift {
        0 => format!("t[{table}][(x & 0xff) as usize]"),
        56 => format!("t[{table}][(x >> 56) as usize]"),
        _ => format!("t[{table}][(x >> {shift} & 0xff) as usize]"),
    };
    let constant = name.to_uppercase();
    let values = [
        ("name", name),
        ("register", turned(&model, &value, "<<")),
        ("value", turned(&model, "crc", ">>")),
        ("wide", wide),
        ("own", if bits == 8 { "byte".into() } else { format!("u{bits}::from(byte)") }),
        ("look", if method == Method::Slicing { "t[0]".into() } else { constant.clone() }),
        ("TABLE", constant),
    ];
    model.fill(include_str!("rust.txt"), method, &[], &values, term)
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
