//! Source code in JavaScript, as an ES module. Numbers hold 32 bits for bit operations, and the
//! highest is the sign: wider registers are two numbers on tables, and a `BigInt` one bit at a
//! time.

use super::model::{Method, Model, lower_camel};
use residue::crc::Params;

pub(super) fn source(params: &Params, method: Method) -> String {
    let words: &[u32] = if params.width <= 32 { &[32] } else { &[64, 128] };
    let model = Model::new(params, words);
    let (name, is_wide) = (lower_camel(params), model.bits > 32);
    // The register is added to the first four bytes of eight, as a word.
    let place = |byte: u32| if model.refin() { 8 * byte } else { 24 - 8 * byte };
    let load = |byte: u32| match place(byte) {
        0 => format!("data[at + {byte}]"),
        shift => format!("data[at + {byte}] << {shift}"),
    };
    let term = |table: u32, _: u32| match 7 - table {
        byte @ 4.. => format!("t[{table}][data[at + {byte}]]"),
        byte => match place(byte) {
            0 => format!("t[{table}][x & 255]"),
            24 => format!("t[{table}][x >>> 24]"),
            shift => format!("t[{table}][x >>> {shift} & 255]"),
        },
    };
    // Literals of `BigInt` end in `n`.
    let [end, kind, first, own] = match is_wide {
        true => ["n", "bigint", "BigInt(i)", "BigInt(byte)"],
        false => ["", "number", "i", "byte"],
    };
    let table = name.clone() + "Table";
    let values = [
        ("name", name),
        ("end", end.into()),
        ("kind", kind.into()),
        ("first", first.into()),
        ("own", own.into()),
        ("word", [0, 1, 2, 3].map(load).join(" | ").replace("at + 0", "at")),
        ("look", if method == Method::Slicing { "t[0]".into() } else { table.clone() }),
        ("table", table),
    ];
    let facts = [("wide", is_wide), ("halves", is_wide && method != Method::Bitwise)];
    model.fill(include_str!("javascript.txt"), method, &facts, &values, term)
}
