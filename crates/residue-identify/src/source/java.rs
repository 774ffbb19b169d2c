//! Source code in Java: a class with one method. There are no unsigned types: the register is an
//! `int` or a `long`, and the value always a `long`.

use super::model::{Method, Model, camel, down, eight};
use residue::crc::Params;
use std::fmt::Write as _;

pub(super) fn source(params: &Params, method: Method) -> String {
    let model = Model::new(params, &[32, 64]);
    let (name, xorout) = (camel(params), model.xorout());
    let (kind, class, end) =
        if model.bits == 32 { ("int", "Integer", "") } else { ("long", "Long", "L") };
    let mut text = String::new();
    if method == Method::Slicing {
        text += "import java.nio.ByteBuffer;\nimport java.nio.ByteOrder;\n\n";
    }
    let _ = write!(text, "public final class {name} {{\n{}", tables(&model, method, kind, end));
    let [first, second, third, fourth] = &model.about;
    let fourth = fourth.replace("`crc`", "{@code crc}");
    let _ = write!(
        text,
        "    private {name}() {{}}\n\n    /**\n     * {first}\n     * {second}\n     \
         * {third}\n     \
         * {fourth}\n     */\n    public static long update(long crc, byte[] data) {{\n"
    );
    let mut line = |line: String| {
        let _ = writeln!(text, "        {line}");
    };
    let narrow = |value: String| if kind == "int" { format!("(int) ({value})") } else { value };
    let value = if xorout == 0 { "crc".into() } else { format!("crc ^ {xorout:#x}L") };
    line(format!("{kind} register = {};", narrow(value)));
    // Reversed in the word, a register is at the other end.
    let (spare, reversed) = (model.spare, format!("register = {class}.reverse(register)"));
    let turn = |shift: &str| match (model.refin(), model.mixed()) {
        (false, false) if spare > 0 => Some(format!("register {shift}= {spare};")),
        (true, true) if spare > 0 => Some(format!("{reversed} >>> {spare};")),
        (_, true) => Some(format!("{reversed};")),
        _ => None,
    };
    turn("<<").into_iter().for_each(&mut line);
    if method == Method::Slicing {
        let end = if model.refin() { "LITTLE" } else { "BIG" };
        line(format!("ByteBuffer buffer = ByteBuffer.wrap(data).order(ByteOrder.{end}_ENDIAN);"));
        let wide = match (kind, model.refin()) {
            ("int", true) => "register & 0xffffffffL",
            ("int", false) => "(long) register << 32",
            _ => "register",
        };
        let term = |table: u32, byte: u32| match down(model.refin(), byte) {
            0 => format!("TABLE[{table}][(int) x & 0xff]"),
            shift => format!("TABLE[{table}][(int) (x >>> {shift}) & 0xff]"),
        };
        line(format!(
            "while (buffer.remaining() >= 8) {{\n            \
             long x = buffer.getLong() ^ {};\n            \
             register = {};\n        }}",
            if kind == "int" { format!("({wide})") } else { wide.to_string() },
            eight("                ", term)
        ));
        line(format!(
            "while (buffer.hasRemaining()) {{\n            byte b = buffer.get();\n{}        }}",
            step(&model, method, "")
        ));
    } else {
        line(format!("for (byte b : data) {{\n{}        }}", step(&model, method, end)));
    }
    turn(">>>").into_iter().for_each(&mut line);
    let value = if kind == "int" { "register & 0xffffffffL" } else { "register" };
    line(match xorout {
        0 => format!("return {value};"),
        _ if kind == "int" => format!("return ({value}) ^ {xorout:#x}L;"),
        _ => format!("return {value} ^ {xorout:#x}L;"),
    });
    text + "    }\n}\n"
}

/// Returns the step of `what` for a bit.
fn shift(model: &Model, what: &str, end: &str) -> String {
    let poly = model.poly;
    if model.refin() {
        format!("{what} = {what} >>> 1 ^ (({what} & 1) != 0 ? {poly:#x}{end} : 0);")
    } else {
        // The highest bit is the sign.
        format!("{what} = {what} << 1 ^ ({what} < 0 ? {poly:#x}{end} : 0);")
    }
}

/// Returns the step for a byte.
fn step(model: &Model, method: Method, end: &str) -> String {
    let up = model.up();
    let table = if method == Method::Slicing { "TABLE[0]" } else { "TABLE" };
    let index = |value: &str| match model.bits {
        32 => format!("({value}) & 0xff"),
        _ => format!("(int) ({value}) & 0xff"),
    };
    let step = match (method, model.refin()) {
        (Method::Bitwise, refin) => {
            let take = match (refin, model.bits) {
                (true, _) => "b & 0xff".to_string(),
                (false, 32) => format!("b << {up}"),
                (false, _) => format!("(long) b << {up}"),
            };
            format!(
                "register ^= {take};\n            \
                 for (int bit = 0; bit < 8; bit++) {{\n                \
                 {}\n            }}",
                shift(model, "register", end)
            )
        }
        (_, true) => format!("register = register >>> 8 ^ {table}[{}];", index("register ^ b")),
        (_, false) => {
            let index = index(&format!("register >>> {up} ^ b"));
            format!("register = register << 8 ^ {table}[{index}];")
        }
    };
    format!("            {step}\n")
}

fn tables(model: &Model, method: Method, kind: &str, end: &str) -> String {
    let byte = match model.up() {
        0 => "i".to_string(),
        up if kind == "int" => format!("i << {up}"),
        up => format!("(long) i << {up}"),
    };
    let (sizes, count, inside, after) = match method {
        Method::Bitwise => return String::new(),
        Method::Table => ("[256]", 8, "", "            TABLE[i] = value;\n"),
        Method::Slicing => (
            "[8][256]",
            64,
            "                if (bit % 8 == 7) {\n                    \
             TABLE[bit / 8][i] = value;\n                }\n",
            "",
        ),
    };
    let brackets = if method == Method::Slicing { "[][]" } else { "[]" };
    let shift = shift(model, "value", end);
    format!(
        "    private static final {kind}{brackets} TABLE = new {kind}{sizes};\n\n    \
         static {{\n        \
         for (int i = 0; i < 256; i++) {{\n            {kind} value = {byte};\n            \
         for (int bit = 0; bit < {count}; bit++) {{\n                {shift}\n\
         {inside}            }}\n\
         {after}        }}\n    }}\n\n"
    )
}
