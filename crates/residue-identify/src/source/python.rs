//! Source code in Python 3, whose integers have no width: below 8 bits, the register is kept in a
//! byte.

use super::model::{Method, Model, snake};
use residue::crc::Params;

pub(super) fn source(params: &Params, method: Method) -> String {
    let mut model = Model::new(params, &[8]);
    model.about = model.about.map(|line| line.replace('"', "'"));
    let table = format!("_{}", snake(params).to_uppercase());
    let term = |table: u32, shift: u32| match shift {
        0 => format!("t[{table}][x & 255]"),
        56 => format!("t[{table}][x >> 56]"),
        _ => format!("t[{table}][x >> {shift} & 255]"),
    };
    let values = [
        ("name", snake(params)),
        ("look", if method == Method::Slicing { "t[0]".into() } else { table.clone() }),
        ("TABLE", table),
    ];
    model.fill(include_str!("python.txt"), method, &[], &values, term)
}
