//! Source code in Go.

use super::model::{Method, Model, camel, down, eight, lower_camel};
use residue::crc::Params;
use std::fmt::Write as _;

pub(super) fn source(params: &Params, method: Method) -> String {
    let model = Model::new(params, &[8, 16, 32, 64]);
    let (name, bits, xorout) = (camel(params), model.bits, model.xorout());
    let table = lower_camel(params) + "Table";
    let imports: Vec<&str> = [
        (method == Method::Slicing).then_some("import \"encoding/binary\"\n"),
        model.mixed().then_some("import \"math/bits\"\n"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let mut text = String::from("package crc\n\n") + &imports.concat();
    if !imports.is_empty() {
        text.push('\n');
    }
    text += &tables(&model, method, &table);
    let [first, second, third, fourth] = &model.about;
    let fourth = fourth.replace('`', "");
    let _ = write!(
        text,
        "// {name} is {first}\n// {second}\n// {third}\n// {fourth}\n\
         func {name}(crc uint{bits}, data []byte) uint{bits} {{\n"
    );
    let mut line = |line: String| {
        let _ = writeln!(text, "\t{line}");
    };
    if xorout != 0 {
        line(format!("crc ^= {xorout:#x}"));
    }
    // Reversed in the word, a register is at the other end.
    let reversed = format!("crc = bits.Reverse{bits}(crc)");
    let spare = model.spare;
    match (model.refin(), model.mixed()) {
        (false, false) if spare > 0 => line(format!("crc <<= {spare}")),
        (true, true) if spare > 0 => line(format!("{reversed} >> {spare}")),
        (_, true) => line(reversed.clone()),
        _ => {}
    }
    if method == Method::Slicing {
        let end = if model.refin() { "Little" } else { "Big" };
        let register = match 64 - bits {
            0 => "crc".to_string(),
            shift if !model.refin() => format!("uint64(crc)<<{shift}"),
            _ => "uint64(crc)".to_string(),
        };
        let term = |place: u32, byte: u32| match down(model.refin(), byte) {
            0 => format!("{table}[{place}][byte(x)]"),
            shift => format!("{table}[{place}][byte(x>>{shift})]"),
        };
        let terms = eight("\t\t\t", term).replace("\n\t\t\t^ ", " ^\n\t\t\t");
        line(format!(
            "for ; len(data) >= 8; data = data[8:] {{\n\t\t\
             x := binary.{end}Endian.Uint64(data) ^ {register}\n\t\tcrc = {terms}\n\t}}"
        ));
    }
    line(format!("for _, b := range data {{\n{}\t}}", step(&model, method, &table)));
    match (model.refin(), model.mixed()) {
        (false, false) if spare > 0 => line(format!("crc >>= {spare}")),
        (true, true) if spare > 0 => line(format!("{reversed} >> {spare}")),
        (_, true) => line(reversed),
        _ => {}
    }
    line(if xorout == 0 { "return crc".into() } else { format!("return crc ^ {xorout:#x}") });
    text + "}\n"
}

/// Returns the step for a bit.
fn shift(model: &Model, indent: &str) -> String {
    let (poly, bits) = (model.poly, model.bits);
    let (test, step) = if model.refin() {
        ("crc&1 == 1".to_string(), ">>")
    } else {
        (format!("crc>>{} == 1", bits - 1), "<<")
    };
    format!(
        "{indent}if {test} {{\n{indent}\tcrc = crc{step}1 ^ {poly:#x}\n{indent}}} else {{\n\
         {indent}\tcrc {step}= 1\n{indent}}}\n"
    )
}

/// Returns the step for a byte.
fn step(model: &Model, method: Method, table: &str) -> String {
    let (bits, up) = (model.bits, model.up());
    let table = if method == Method::Slicing { format!("{table}[0]") } else { table.to_string() };
    match (method, bits, model.refin()) {
        (Method::Bitwise, _, _) => {
            let byte = if bits == 8 { "b".to_string() } else { format!("uint{bits}(b)") };
            let byte = if up == 0 { byte } else { format!("{byte} << {up}") };
            let shift = shift(model, "\t\t\t");
            format!("\t\tcrc ^= {byte}\n\t\tfor bit := 0; bit < 8; bit++ {{\n{shift}\t\t}}\n")
        }
        (_, 8, _) => format!("\t\tcrc = {table}[crc^b]\n"),
        (_, _, true) => format!("\t\tcrc = crc>>8 ^ {table}[byte(crc)^b]\n"),
        (_, _, false) => format!("\t\tcrc = crc<<8 ^ {table}[byte(crc>>{up})^b]\n"),
    }
}

fn tables(model: &Model, method: Method, table: &str) -> String {
    let (bits, up) = (model.bits, model.up());
    let shift = shift(model, "\t\t\t");
    let byte = if up == 0 { format!("uint{bits}(i)") } else { format!("uint{bits}(i) << {up}") };
    let (kind, count, store) = match method {
        Method::Bitwise => return String::new(),
        Method::Table => ("", 8, "\t\ttable[i] = crc\n".to_string()),
        Method::Slicing => ("[8]", 64, String::new()),
    };
    let inside = match method {
        Method::Slicing => "\t\t\tif bit%8 == 7 {\n\t\t\t\ttable[bit/8][i] = crc\n\t\t\t}\n",
        _ => "",
    };
    format!(
        "var {table} = func() (table {kind}[256]uint{bits}) {{\n\tfor i := 0; i < 256; i++ {{\n\t\t\
         crc := {byte}\n\t\tfor bit := 0; bit < {count}; bit++ {{\n{shift}{inside}\t\t}}\n\
         {store}\t}}\n\t\
         return\n}}()\n\n"
    )
}
