//! Questions and answers, as JSON. An answer is `{"error": "..."}` if the question cannot be
//! answered.

use crate::text::{bytes, formatted, hexadecimal};
use crate::{Page, capture, describe, every, identify, strength};
use residue::{Code, Partial};
use residue_identify::explain::explain;
use residue_identify::source::{Language, Method};
use serde::Deserialize;
use serde_json::{Value, json};

/// A question of the page.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
enum Question {
    /// Lists all codes with a name.
    List,
    /// Computes the values of the file, of `size` bytes, by these codes.
    Values { size: u64, codes: Vec<String> },
    /// Describes a code.
    Describe(describe::Described),
    /// Generates the source of a CRC.
    Source { code: String, language: String, method: String },
    /// Finds the length up to which each Hamming distance holds, and the distance at `bits` of
    /// data.
    Strength { code: String, bits: u64 },
    /// Shows the arithmetic of a code on typed data, which are short.
    Explain { code: String, kind: String, data: String },
    /// Finds the code that gave the values of some messages.
    Identify(identify::Asked),
    /// Verifies every check value of the capture in the file.
    Capture { name: String },
    /// Combines the values of two pieces of data, from the value and the length in bytes of each.
    Combine { code: String, first: Part, second: Part },
    /// Updates the value of `part` after the bytes `old`, at `offset`, became `new`.
    Edit { code: String, part: Part, offset: u64, old: String, new: String },
}

#[derive(Debug, Deserialize)]
struct Part {
    value: String,
    length: u64,
}

impl Part {
    /// Returns the partial of this value and length.
    fn of<'a>(&self, code: &'a Code) -> Result<Partial<'a>, String> {
        let value = hexadecimal("the value", &self.value)?;
        if value.checked_shr(code.width()).unwrap_or(0) != 0 {
            return Err(format!("the value {value:x} has more than {} bits", code.width()));
        }
        Partial::new(code, value, self.length).map_err(|error| error.to_string())
    }
}

/// Returns the answer to a question.
pub fn ask(question: &[u8], page: &mut impl Page) -> String {
    let question = serde_json::from_slice(question).map_err(|error| format!("question: {error}"));
    let answer = question.and_then(|question| answer(question, page));
    answer.unwrap_or_else(|error| json!({ "error": error })).to_string()
}

fn answer(question: Question, page: &mut impl Page) -> Result<Value, String> {
    match question {
        Question::List => Ok(describe::list()),
        Question::Values { size, codes } => {
            let codes = codes.iter().map(|name| code(name)).collect::<Result<Vec<_>, _>>()?;
            let values = every::values(&codes, size, page)?;
            let texts = codes.iter().zip(values).map(|(code, value)| formatted(code, value));
            Ok(json!({ "values": texts.collect::<Vec<_>>() }))
        }
        Question::Describe(described) => Ok(describe::describe(&described.code()?)),
        Question::Source { code: name, language, method } => {
            let code = code(&name)?;
            let params = code.params().ok_or_else(|| format!("{name} is not a CRC"))?;
            let language =
                Language::ALL.into_iter().find(|it| language.eq_ignore_ascii_case(it.name()));
            let language = language.ok_or("unknown language")?;
            let method = Method::ALL.into_iter().find(|it| it.name() == method);
            let method = method.ok_or("unknown method")?;
            Ok(json!({ "source": language.source(params, method)? }))
        }
        Question::Strength { code, bits } => strength::strength(&code, bits, page),
        Question::Explain { code: name, kind, data } => {
            let data = if kind == "hex" { bytes("the message", &data)? } else { data.into_bytes() };
            let shown = explain(&code(&name)?, &data).map_err(|error| error.to_string())?;
            Ok(json!({ "lines": shown.lines }))
        }
        Question::Identify(asked) => identify::identify(&asked),
        Question::Capture { name } => Ok(capture::verify(&name, page)),
        Question::Combine { code: name, first, second } => {
            let code = code(&name)?;
            let whole = first.of(&code)?.concat(&second.of(&code)?);
            let whole = whole.map_err(|error| error.to_string())?;
            Ok(json!({ "value": formatted(&code, whole.value()) }))
        }
        Question::Edit { code: name, part, offset, old, new } => {
            let code = code(&name)?;
            let whole = part.of(&code)?;
            let (value, length) = (whole.value(), whole.bytes());
            let (old, new) = (bytes("the old bytes", &old)?, bytes("the new bytes", &new)?);
            if old.len() != new.len() {
                return Err(format!(
                    "{} old bytes, but {} new ones: an edit keeps the length",
                    old.len(),
                    new.len()
                ));
            }
            let value = code.update(value, length, offset, &old, &new).ok_or_else(|| {
                format!("{} bytes at {offset} reach past the {length} bytes of data", old.len())
            })?;
            Ok(json!({ "value": formatted(&code, value) }))
        }
    }
}

fn code(name: &str) -> Result<Code, String> {
    name.parse().map_err(|error| match error {
        residue::Error::UnknownCode(name) => name.to_string(),
        error => format!("`{}`: {error}", name.escape_debug()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file in memory.
    pub struct Bytes(pub Vec<u8>);

    impl Page for Bytes {
        fn read(&mut self, offset: u64, into: &mut [u8]) -> Result<usize, String> {
            let rest = &self.0[(offset as usize).min(self.0.len())..];
            let count = rest.len().min(into.len());
            into[..count].copy_from_slice(&rest[..count]);
            Ok(count)
        }

        fn progress(&self, _: u64, _: u64) {}
    }

    fn asked(question: Value) -> Value {
        let answer = ask(question.to_string().as_bytes(), &mut Bytes(b"123456789".to_vec()));
        serde_json::from_str(&answer).unwrap()
    }

    #[test]
    fn values_combined_and_edited() {
        let values = asked(
            json!({ "do": "values", "size": 9, "codes": ["crc32c", "adler-32", "width=5,poly=9"] }),
        );
        assert_eq!(values["values"][0], "e3069283");
        assert_eq!(values["values"][1], "091e01de");
        let combined = asked(json!({
            "do": "combine", "code": "crc-32c",
            "first": { "value": "18d12335", "length": 5 },
            "second": { "value": "c27e5db2", "length": 4 },
        }));
        assert_eq!(combined["value"], "e3069283");
        let edited = asked(json!({
            "do": "edit", "code": "internet", "part": { "value": "b861", "length": 20 },
            "offset": 8, "old": "40 11", "new": "3f 11",
        }));
        assert_eq!(edited["value"], "b961");
    }

    #[test]
    fn errors_say_what_and_where() {
        let error = |question| asked(question)["error"].as_str().unwrap_or_default().to_string();
        let part = json!({ "value": "10000", "length": 4 });
        for (question, says) in [
            (json!({ "do": "nothing" }), "unknown variant"),
            (
                json!({ "do": "values", "size": 9, "codes": ["crc-99"] }),
                "no code has the name `crc-99`",
            ),
            (json!({ "do": "values", "size": 10, "codes": ["xns"] }), "ended after 9 of 10 bytes"),
            (json!({ "do": "values", "size": 9, "codes": ["width=200,poly=7"] }), "1 to 128 bits"),
            (
                json!({ "do": "combine", "code": "xns", "first": part, "second": part }),
                "more than 16 bits",
            ),
            (
                json!({ "do": "edit", "code": "crc-16", "part": { "value": "1", "length": 4 },
                    "offset": 3, "old": "0001", "new": "0002" }),
                "reach past",
            ),
            (
                json!({ "do": "edit", "code": "crc-16", "part": { "value": "1", "length": 4 },
                    "offset": 0, "old": "0g", "new": "" }),
                "`g` is not a hexadecimal digit",
            ),
            (json!({ "do": "strength", "code": "adler-32", "bits": 8 }), "is not a CRC"),
        ] {
            let said = error(question.clone());
            assert!(said.contains(says), "{question}: {said}");
        }
    }
}
