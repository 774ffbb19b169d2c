//! Source code in Go.

use super::model::{Method, Model, camel, lower_camel};
use residue::crc::Params;

pub(super) fn source(params: &Params, method: Method) -> String {
    let mut model = Model::new(params, &[8, 16, 32, 64]);
    let [.., last] = &mut model.about;
    *last = last.replace('`', "");
    let (bits, table) = (model.bits, lower_camel(params) + "Table");
    let term = |place: u32, shift: u32| match shift {
        0 => format!("{table}[{place}][byte(x)]"),
        _ => format!("{table}[{place}][byte(x>>{shift})]"),
    };
    let wide = match 64 - bits {
        0 => "crc".to_string(),
        below if !model.refin() => format!("uint64(crc)<<{below}"),
        _ => "uint64(crc)".to_string(),
    };
    let values = [
        ("name", camel(params)),
        ("wide", wide),
        ("byte", if bits == 8 { "b".into() } else { format!("uint{bits}(b)") }),
        ("look", table.clone() + if method == Method::Slicing { "[0]" } else { "" }),
        ("table", table.clone()),
    ];
    let facts = [("imports", model.mixed() || method == Method::Slicing)];
    model.fill(include_str!("go.txt"), method, &facts, &values, term)
}
