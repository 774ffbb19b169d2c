//! Tests that every line of `residue pcap verify --json` is described by its JSON Schema.

mod common;

use common::residue;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn captures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../captures")
}

fn schema() -> Value {
    residue(["pcap", "verify", "--schema"]).run().json()
}

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
struct Schema {
    root: Value,
}

impl Schema {
    fn check(&self, value: &Value) -> Result<(), String> {
        let kinds = &self.root["$defs"];
        let kind = value["type"].as_str().ok_or("no type")?;
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

/// The two patterns of the schema.
fn has_form(text: &str, pattern: &Value) -> bool {
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    match pattern.as_str().unwrap() {
        "^[0-9A-F]+$" => {
            !text.is_empty() && text.chars().all(|c| matches!(c, '0'..='9' | 'A'..='F'))
        }
        time if time.contains("T[0-9]{2}:") => shape == "0000-00-00T00:00:00.000000000Z",
        other => panic!("pattern {other}"),
    }
}

/// Returns the lines of all captures of the project, and of one that cannot be read.
fn lines() -> Vec<Value> {
    let args = ["pcap", "verify", "--json", "--list=all", ".", "nosuch", "cases.csv"];
    let ran = residue(args).within(&captures()).run();
    ran.ends(2);
    ran.json_lines()
}

#[test]
fn every_line_is_described_and_every_member_occurs() {
    let schema = Schema { root: schema() };
    let lines = lines();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for line in &lines {
        schema.check(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let kind = line["type"].as_str().unwrap();
        seen.extend(line.as_object().unwrap().keys().map(|name| format!("{kind}.{name}")));
    }
    for (kind, least) in [("capture", 200), ("check", 1000), ("error", 2)] {
        let count = lines.iter().filter(|line| line["type"] == kind).count();
        assert!(count >= least, "{kind}: {count}");
        for name in schema.root["$defs"][kind]["properties"].as_object().unwrap().keys() {
            let name = format!("{kind}.{name}");
            assert!(seen.contains(&name), "{name} never occurs");
        }
    }
    let checks: usize = lines.iter().filter(|line| line["type"] == "check").count();
    let columns =
        ["good", "bad", "offloaded", "absent", "illegal", "unverifiable", "length_conflict"];
    let counted = lines.iter().filter(|line| line["type"] == "capture");
    let counted: u64 =
        counted.flat_map(|line| columns.map(|it| line["total"][it].as_u64().unwrap())).sum();
    assert_eq!(checks as u64, counted);
}

/// The validator refuses lines with a member missing, added, or of another type.
#[test]
fn other_lines_are_refused() {
    let schema = Schema { root: schema() };
    let lines = lines();
    for kind in ["capture", "check", "error"] {
        let line = lines.iter().find(|line| line["type"] == kind).unwrap();
        schema.check(line).unwrap();
        let required = schema.root["$defs"][kind]["required"].as_array().unwrap();
        for name in line.as_object().unwrap().keys() {
            let mut changed = line.clone();
            changed[name] = json!([{ "a": -1.5 }, true]);
            assert!(schema.check(&changed).is_err(), "{kind}.{name}");
            changed.as_object_mut().unwrap().remove(name);
            let is_required = required.contains(&Value::from(name.as_str()));
            assert_eq!(schema.check(&changed).is_err(), is_required, "{kind}.{name}");
        }
        let mut added = line.clone();
        added["new"] = json!(1);
        assert!(schema.check(&added).is_err(), "{kind}");
    }
    let capture = lines.iter().find(|line| line["type"] == "capture").unwrap();
    let mut negative = capture.clone();
    negative["total"]["good"] = json!(-1);
    assert!(schema.check(&negative).is_err());
}

/// The manual page names every member.
#[test]
fn the_manual_names_all_members() {
    let schema = schema();
    let dir = tempfile::tempdir().unwrap();
    residue(["man".as_ref(), dir.path().as_os_str()]).run().ends(0);
    let page = std::fs::read_to_string(dir.path().join("residue-pcap-verify.1")).unwrap();
    let (_, json) = page.split_once(".SH JSON\n").expect("a section on JSON");
    let words: BTreeSet<&str> = json.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    for kind in ["capture", "check", "error"] {
        for name in schema["$defs"][kind]["properties"].as_object().unwrap().keys() {
            assert!(words.contains(name.as_str()), "{kind}: {name}");
        }
    }
}
