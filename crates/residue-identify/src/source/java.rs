//! Source code in Java: a class with one method. There are no unsigned types: the register is an
//! `int` or a `long`, whose highest bit is the sign, and the value always a `long`.

use super::model::{Method, Model, camel};
use residue::crc::Params;

pub(super) fn source(params: &Params, method: Method) -> String {
    let mut model = Model::new(params, &[32, 64]);
    let [.., last] = &mut model.about;
    *last = last.replace("`crc`", "{@code crc}");
    let is_int = model.bits == 32;
    let [kind, class, end, wide, index] = match is_int {
        true => ["int", "Integer", "", "", ""],
        false => ["long", "Long", "L", "(long) ", "(int) "],
    };
    let term = |table: u32, shift: u32| match shift {
        0 => format!("TABLE[{table}][(int) x & 0xff]"),
        _ => format!("TABLE[{table}][(int) (x >>> {shift}) & 0xff]"),
    };
    let look = if method == Method::Slicing { "TABLE[0]" } else { "TABLE" };
    let words = [kind, class, end, wide, index, look].map(str::to_string);
    let names = ["kind", "class", "end", "wide", "index", "look"];
    let values: Vec<_> = names.into_iter().zip(words).chain([("name", camel(params))]).collect();
    model.fill(include_str!("java.txt"), method, &[("int", is_int)], &values, term)
}
