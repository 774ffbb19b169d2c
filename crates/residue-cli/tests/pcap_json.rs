//! Tests that every line of `residue pcap verify --json` is described by its JSON Schema.

use crate::common::schema::{Schema, words_of_the_manual};
use crate::common::{residue, typed};
use residue_net::diagnose::CauseKind;
use residue_net::pcap::Format;
use residue_net::pcap::write::{Header, Writer};
use residue_net::unfollowed::Numbering;
use residue_testing::captures;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

fn schema() -> Value {
    typed("pcap verify --schema").run().json()
}

/// Returns the lines of all captures of the project, and of one that cannot be read.
fn lines() -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let doubled = folder.path().join("doubled.pcap");
    let link = residue_net::pcap::LinkType::ETHERNET;
    let mut writer = Writer::new(Vec::new(), Header::new(link)).unwrap();
    for i in 0..60_u8 {
        writer.packet(u64::from(i) * 1_000_000, 20, &[i / 2; 20]).unwrap();
    }
    std::fs::write(&doubled, writer.into_inner()).unwrap();
    let args = ["pcap", "verify", "--json", "--list=all", ".", "nosuch", "cases.csv"];
    let ran = residue(args).args([&doubled]).within(&captures()).run();
    ran.ends(2);
    ran.json_lines()
}

#[test]
fn every_line_is_described_and_every_member_occurs() {
    let schema = Schema { root: schema(), kind: "type" };
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
    let schema = Schema { root: schema(), kind: "type" };
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

/// The schema lists the names that the code has; the documents and the help explain the causes.
#[test]
fn names_are_those_of_the_code() {
    let schema = schema();
    let listed = |path: &str| -> BTreeSet<String> {
        let names = schema.pointer(path).unwrap().as_array().unwrap().iter();
        names.map(|name| name.as_str().unwrap_or("null").to_string()).collect()
    };
    // If one of these fails, crates/residue-net/src/json/pcap-verify.schema.json lacks names.
    let causes: BTreeSet<String> = CauseKind::ALL.iter().map(|it| it.name().into()).collect();
    assert_eq!(listed("/$defs/check/properties/cause/enum"), causes);
    let formats: BTreeSet<String> = Format::ALL.iter().map(ToString::to_string).collect();
    assert_eq!(listed("/$defs/capture/properties/format/enum"), formats);
    let mut kinds: BTreeSet<String> = Numbering::ALL.iter().map(|it| it.name().into()).collect();
    kinds.insert("null".into());
    assert_eq!(listed("/$defs/not_followed/properties/kind/enum"), kinds);

    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/packets.md");
    let docs = std::fs::read_to_string(docs).unwrap();
    let ran = typed("help pcap verify").run();
    let help = ran.text().split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, rows) = docs.split_once("| cause | the stored value |").unwrap();
    let rows = rows.lines().skip(2).map_while(|row| row.strip_prefix("| `")?.split_once('`'));
    let rows: Vec<&str> = rows.map(|(name, _)| name).chain(["unknown"]).collect();
    let names = CauseKind::ALL.map(CauseKind::name);
    assert_eq!(rows, names, "the table of causes in docs/packets.md");
    for name in names {
        assert!(help.contains(name), "{name} is not in the help");
    }
    for format in Format::ALL {
        assert!(docs.contains(&format!("`{format}`")), "{format} is not in docs/packets.md");
    }
    for kind in Numbering::ALL {
        let name = format!("`{}`", kind.name());
        assert!(docs.contains(&name), "{name} is not in docs/packets.md");
    }
}

/// The manual page names every member.
#[test]
fn the_manual_names_all_members() {
    let (schema, words) = (schema(), words_of_the_manual("pcap-verify"));
    for kind in ["capture", "check", "error"] {
        for name in schema["$defs"][kind]["properties"].as_object().unwrap().keys() {
            assert!(words.contains(name), "{kind}: {name}");
        }
    }
}
