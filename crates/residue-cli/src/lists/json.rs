//! The output of `residue sum --json`, read as a list.

use crate::output::escape;
use serde::Deserialize;
use serde::de::{Deserializer as _, Error as _, SeqAccess, Visitor};
use std::fmt;
use std::io::{self, BufRead, Write};

/// A file in the document.
#[derive(Deserialize)]
struct Row {
    file: String,
    codes: Vec<Value>,
}

/// A value of a file.
#[derive(Deserialize)]
struct Value {
    code: String,
    value: String,
    /// Set for a composite value, which is not a value of the file.
    parts: Option<usize>,
}

/// Converts a JSON document to tagged lines, one for each value. Returns `false` if the input is no
/// such document: file names may begin with `[` as well. If `zero` is set, lines end with a zero
/// byte and names are not escaped.
pub fn as_lines(mut input: impl BufRead, lines: impl Write, zero: bool) -> io::Result<bool> {
    if input.fill_buf()?.starts_with(b"\xef\xbb\xbf") {
        input.consume(3);
    }
    if !input.fill_buf()?.trim_ascii_start().starts_with(b"[") {
        return Ok(false);
    }
    let mut failed = None;
    let mut json = serde_json::Deserializer::from_reader(input);
    let read =
        json.deserialize_seq(Lines { lines, zero, failed: &mut failed }).and_then(|()| json.end());
    match (failed, read) {
        (Some(error), _) => Err(error),
        (None, Err(error)) if error.is_io() => Err(error.into()),
        (None, read) => Ok(read.is_ok()),
    }
}

struct Lines<'a, W> {
    lines: W,
    zero: bool,
    /// The error of writing a line, which serde's error type cannot hold.
    failed: &'a mut Option<io::Error>,
}

impl<'de, W: Write> Visitor<'de> for Lines<'_, W> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of files")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut rows: A) -> Result<(), A::Error> {
        while let Some(Row { file, codes }) = rows.next_element()? {
            for value in codes {
                if let Err(error) = self.lines.write_all(&line(&file, &value, self.zero)) {
                    *self.failed = Some(error);
                    return Err(A::Error::custom("cannot write a line"));
                }
            }
        }
        Ok(())
    }
}

/// Returns `CODE (name) = value`, or an invalid line for a composite value.
fn line(file: &str, value: &Value, zero: bool) -> Vec<u8> {
    let (name, escaped) = if zero { (file.into(), false) } else { escape(file.as_bytes()) };
    let mut line = if escaped { b"\\".to_vec() } else { Vec::new() };
    // A newline in a code or value would start another line.
    let on_one_line = |text: &str| text.replace(['\n', '\r', '\0'], " ");
    line.extend(on_one_line(&value.code).bytes());
    line.extend(b" (");
    line.extend(name);
    // The prefix makes it hexadecimal for cksum as well, whose own lists are decimal.
    line.extend(b") = 0x");
    line.extend(on_one_line(&value.value).bytes());
    if value.parts.is_some() {
        line.extend(b" of its parts");
    }
    line.push(if zero { 0 } else { b'\n' });
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Option<String> {
        let mut lines = Vec::new();
        let is_json = as_lines(text.as_bytes(), &mut lines, false).unwrap();
        is_json.then(|| String::from_utf8(lines).unwrap())
    }

    #[test]
    fn values_become_tagged_lines() {
        let text = r#" [{"file":"a\nb","codes":[{"code":"crc-32","value":"cbf43926"}]},
            {"file":"c","codes":[{"code":"x\ny","value":"1\n2"},
                {"code":"d","value":"3","parts":2}]}] "#;
        let expected = "\\crc-32 (a\\nb) = 0xcbf43926\nx y (c) = 0x1 2\nd (c) = 0x3 of its parts\n";
        assert_eq!(lines(text).as_deref(), Some(expected));
        assert_eq!(lines("[]").as_deref(), Some(""));
    }

    #[test]
    fn other_texts_are_no_json() {
        for text in ["", "e3069283  a\n", "[Group] a.mkv A3B1C2D4\n", "[", "[{}]", "[] []", "{}"] {
            assert_eq!(lines(text), None, "{text}");
        }
    }

    #[test]
    fn a_failing_write_is_an_error() {
        let text = r#"[{"file":"a","codes":[{"code":"crc-32","value":"cbf43926"}]}]"#;
        let error = as_lines(text.as_bytes(), &mut [0_u8; 5][..], false).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WriteZero);
    }
}
