//! Tests `residue sum --explain`.

use crate::common::{code, hex, residue, typed};
use residue::Code;

#[test]
fn ends_in_the_value() {
    for code in Code::all() {
        for text in ["", "a", "123456789", "a text of more than sixteen bytes"] {
            let ran = residue(["sum", "--explain", "-a", code.name(), "--text", text]).run();
            let shown = ran.ends(0);
            let last = shown.lines().last().unwrap();
            assert!(last.starts_with("value"), "{last}");
            assert!(last.contains(&hex(&code, code.value(text.as_bytes()))), "{code}: {last}");
        }
    }
}

#[test]
fn a_long_division_by_hand() {
    let ran = typed("sum --explain -a width=3,poly=3 --hex b0").run();
    let expected = "\
The division. Addition and subtraction are exclusive or; there are no carries.
  10110000000
  1011
  ----
          000

remainder  000 = 0
value      000 = 0
";
    assert!(ran.ends(0).ends_with(expected), "{}", ran.text());
}

#[test]
fn each_input_by_each_code() {
    let ran = typed("sum --explain -a xns,crc-8 --text a --hex 00ff").run();
    assert_eq!(ran.ends(0).lines().filter(|line| line.starts_with("value")).count(), 4);
    let cksum = typed("sum --explain -a cksum --text 123456789").run();
    assert!(cksum.ends(0).contains("decimal    930766865"));
    let wide = typed("sum --explain -a width=128,poly=87,init=1 --text x").run();
    let code = code("width=128,poly=87,init=1");
    assert!(wide.ends(0).contains(&hex(&code, code.value(b"x"))));
}

#[test]
fn json_says_the_same() {
    let args = ["sum", "--explain", "-a", "crc-32c,cksum,crc-5/usb"];
    let inputs = ["--text", "a", "--text", "", "--hex", "00 ff"];
    let run = |more: &[&str]| residue([&args[..], &inputs, more].concat()).run();
    let (shown, json) = (run(&[]), run(&["--json"]));
    json.ends(0);
    let rows = json.json();
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 9);
    let mut text = String::new();
    for (i, row) in rows.iter().enumerate() {
        let name = row["code"].as_str().unwrap();
        assert_eq!(name, ["crc-32/iscsi", "cksum", "crc-5/usb"][i % 3]);
        assert_eq!(row["input"], ["61", "", "00ff"][i / 3]);
        text += &format!("{}{name}\n", if i == 0 { "" } else { "\n" });
        for line in row["text"].as_array().unwrap() {
            text += line.as_str().unwrap();
            text.push('\n');
        }
        if name != "cksum" {
            let value = code(name).value([&b"a"[..], b"", b"\0\xff"][i / 3]);
            assert_eq!(row["value"], hex(&code(name), value));
            assert_eq!(row["decimal"], value.to_string());
        }
    }
    assert_eq!(text, shown.ends(0));
    assert_eq!(rows[0]["base64"], "wdBDMA==");
    let refused = residue(["sum", "--explain", "--json", "--text", &"x".repeat(65)]).run();
    assert_eq!(refused.ends(2), "");
}

#[test]
fn what_cannot_be_explained() {
    for (args, message) in [
        (vec!["--text", &"x".repeat(65)], "65 bytes are too many"),
        (vec![], "--text STRING or --hex BYTES"),
        (vec!["--hex", "0"], "an even number"),
        (vec!["--hex", "0g"], "an even number"),
        (vec!["--hex", "é"], "an even number"),
    ] {
        let ran = typed("sum --explain").args(args).run();
        ran.ends(2);
        assert!(ran.err.contains(message), "{}", ran.err);
    }
}
