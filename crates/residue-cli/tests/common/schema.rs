//! JSON Schema, as far as the project's schemas use it.

use serde_json::Value;
use std::collections::BTreeSet;

/// The words of JSON Schema that [`Schema`] knows, beside those that only describe.
const WORDS: [&str; 17] = [
    "$ref",
    "additionalProperties",
    "allOf",
    "const",
    "description",
    "enum",
    "items",
    "maximum",
    "maxItems",
    "minItems",
    "minimum",
    "oneOf",
    "pattern",
    "properties",
    "required",
    "title",
    "type",
];

/// A validator for the part of JSON Schema in use. It also refuses members that are not described.
pub struct Schema {
    pub root: Value,
    /// The member that says of which kind a line is.
    pub kind: &'static str,
}

impl Schema {
    /// Returns why a line does not fit, if so.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        let kinds = &self.root["$defs"];
        let kind = value[self.kind].as_str().ok_or("no kind")?;
        self.valid(&kinds[kind], value, kind)?;
        // The line is of one kind only.
        let others = self.root["oneOf"].as_array().unwrap().iter();
        let fitting = others.filter(|kind| self.valid(kind, value, "").is_ok()).count();
        if fitting == 1 { Ok(()) } else { Err(format!("{fitting} kinds fit")) }
    }

    fn resolve<'a>(&'a self, schema: &'a Value) -> &'a Value {
        match schema["$ref"].as_str() {
            Some(path) => self.root.pointer(path.strip_prefix('#').unwrap()).expect(path),
            None => schema,
        }
    }

    fn valid(&self, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
        let schema = self.resolve(schema);
        let items = value.as_array().map(|items| items.len() as u64);
        let words = schema.as_object().unwrap_or_else(|| panic!("{at}: no schema"));
        for (word, wanted) in words {
            assert!(WORDS.contains(&word.as_str()), "{at}: the validator does not know {word}");
            let fits = match word.as_str() {
                "type" => match wanted {
                    Value::Array(types) => types.iter().any(|wanted| is_type(value, wanted)),
                    wanted => is_type(value, wanted),
                },
                "const" => value == wanted,
                "enum" => wanted.as_array().unwrap().contains(value),
                "minimum" => value.as_f64().is_none_or(|value| value >= wanted.as_f64().unwrap()),
                "maximum" => value.as_f64().is_none_or(|value| value <= wanted.as_f64().unwrap()),
                "minItems" => items.is_none_or(|items| items >= wanted.as_u64().unwrap()),
                "maxItems" => items.is_none_or(|items| items <= wanted.as_u64().unwrap()),
                "pattern" => value.as_str().is_some_and(|text| has_form(text, wanted)),
                "required" => {
                    let names = wanted.as_array().unwrap().iter();
                    names.into_iter().all(|name| value.get(name.as_str().unwrap()).is_some())
                }
                "oneOf" => {
                    let options = wanted.as_array().unwrap().iter();
                    options.filter(|option| self.valid(option, value, at).is_ok()).count() == 1
                }
                "allOf" => {
                    let parts = wanted.as_array().unwrap();
                    parts.iter().all(|part| self.valid(part, value, at).is_ok())
                }
                _ => true,
            };
            if !fits {
                return Err(format!("{at}: {word} {wanted}: {value}"));
            }
        }
        for item in value.as_array().filter(|_| schema["items"].is_object()).into_iter().flatten() {
            self.valid(&schema["items"], item, &format!("{at}[]"))?;
        }
        let described =
            schema["properties"].is_object() || schema["additionalProperties"].is_object();
        for (name, member) in value.as_object().filter(|_| described).into_iter().flatten() {
            let at = format!("{at}.{name}");
            match (&schema["properties"][name], &schema["additionalProperties"]) {
                (Value::Null, Value::Null) => return Err(format!("{at} is not described")),
                (Value::Null, other) => self.valid(other, member, &at)?,
                (own, _) => self.valid(own, member, &at)?,
            }
        }
        Ok(())
    }
}

fn is_type(value: &Value, wanted: &Value) -> bool {
    match wanted.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("type {other}"),
    }
}

/// The patterns of the schemas.
fn has_form(text: &str, pattern: &Value) -> bool {
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    match pattern.as_str().unwrap() {
        "^[0-9A-F]+$" => {
            !text.is_empty() && text.chars().all(|c| matches!(c, '0'..='9' | 'A'..='F'))
        }
        "^[0-9a-f]*$" => text.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f')),
        time if time.contains("T[0-9]{2}:") => shape == "0000-00-00T00:00:00.000000000Z",
        other => panic!("pattern {other}"),
    }
}

/// Returns the words of the section on JSON in the manual page of a command.
pub fn words_of_the_manual(command: &str) -> BTreeSet<String> {
    let dir = tempfile::tempdir().unwrap();
    crate::common::residue(["man".as_ref(), dir.path().as_os_str()]).run().ends(0);
    let page = std::fs::read_to_string(dir.path().join(format!("residue-{command}.1"))).unwrap();
    let (_, json) = page.split_once(".SH JSON\n").expect("a section on JSON");
    json.split(|c: char| !c.is_alphanumeric() && c != '_').map(String::from).collect()
}
