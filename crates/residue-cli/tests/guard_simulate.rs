//! Tests `residue guard simulate`, which needs no privileges.

use serde_json::Value;

const WORDS: &str = "guard simulate --fault word-swap --value 3,4,5,6,7 --segments 4000 --one-in 4";

fn rows(more: &str) -> Vec<Value> {
    let ran = crate::common::residue(WORDS.split(' ').chain(more.split_whitespace())).run();
    ran.ends(0);
    ran.json().as_array().expect("rows").clone()
}

#[test]
fn a_crc_finds_what_plain_tcp_lets_through() {
    for version in ["", "--ipv6"] {
        let rows = rows(&format!("{version} --json"));
        let number = |row: &Value, name: &str| row[name].as_u64().expect("a number");
        assert_eq!(rows.len(), 6);
        for row in &rows {
            assert!(number(row, "segments") >= 4000 && number(row, "damaged") > 500, "{row}");
            assert_eq!(number(row, "hung"), 0, "{row}");
        }
        assert!(number(&rows[0], "wrong") > 1000 && number(&rows[0], "agreed") == 0, "{}", rows[0]);
        // Some arrived earlier, or after the end of the connection.
        assert!(number(&rows[0], "let_through") * 10 > number(&rows[0], "damaged") * 9);
        for (row, value) in rows[1..].iter().zip(3..) {
            assert_eq!(number(row, "agreed"), value, "{row}");
            assert_eq!([number(row, "wrong"), number(row, "let_through")], [0, 0], "{row}");
            assert_eq!(number(row, "caught"), number(row, "damaged"), "{row}");
        }
    }
}

#[test]
fn tables_say_the_same_as_json_and_seeds_repeat() {
    let json = rows("--json");
    assert_eq!(json, rows("--json"));
    assert_ne!(json, rows("--json --seed 2"));
    let ran = crate::common::typed(WORDS).args(["--csv"]).run();
    let lines: Vec<&str> = ran.ends(0).lines().collect();
    let names: Vec<&str> = lines[0].split(',').collect();
    for (line, row) in lines[1..].iter().zip(&json) {
        for (name, field) in names.iter().zip(line.split(',')).skip(2) {
            assert_eq!(row[*name].to_string(), *field, "{name}");
        }
    }
    let ran = crate::common::typed(WORDS).run();
    let text = ran.ends(0);
    assert!(text.contains(&json[0]["wrong"].to_string()), "{text}");
    assert!(text.ends_with("0 wrong bytes delivered in connections with a CRC\n"), "{text}");
}

#[test]
fn bad_words_are_refused() {
    for (words, says) in [
        ("guard simulate --fault gremlins", "gremlins"),
        ("guard simulate --value 8", "8"),
        ("guard simulate --one-in 1", "1"),
        ("guard simulate --segments 0", "0"),
    ] {
        let ran = crate::common::typed(words).run();
        ran.ends(2);
        assert!(ran.err.contains(says), "{words}: {}", ran.err);
    }
}
