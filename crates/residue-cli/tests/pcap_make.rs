//! Tests `residue pcap make`, and the captures in the repository.

use crate::common::{residue, typed};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Files in `captures/` that `residue pcap make` does not write.
const OTHERS: [&str; 2] = ["README.md", "iscsi.pcap"];

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn kept_captures_are_those_that_are_made() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../captures");
    let dir = tempfile::tempdir().unwrap();
    let made = dir.path().join("a/b");
    residue(["pcap".as_ref(), "make".as_ref(), made.as_os_str()]).run().ends(0);
    let both: BTreeSet<String> = names(&kept).union(&names(&made)).cloned().collect();
    let read = |folder: &Path, name: &str| fs::read(folder.join(name)).ok();
    let differ: Vec<&String> = both
        .iter()
        .filter(|name| !OTHERS.contains(&name.as_str()))
        .filter(|name| read(&kept, name) != read(&made, name))
        .collect();
    assert!(
        differ.is_empty(),
        "captures/ has other bytes than `residue pcap make` writes: {differ:?}\n\
         If that is meant (a new case, say), delete those files, run \
         `cargo run -- pcap make captures/`, and look at the difference before you commit it. \
         If only the .gz files differ, flate2 compresses in another way now: the same holds."
    );
    assert!(both.len() > 300, "{}", both.len());
}

#[test]
fn synthetic() {
    let dir = tempfile::tempdir().unwrap();
    let make = |name: &str, more: &[&str]| {
        let args = [&["pcap", "make", "--synthetic", "3000000", name], more].concat();
        residue(args).within(dir.path()).run()
    };
    let made = make("a.pcap", &["--json"]);
    made.ends(0);
    let made = made.json();
    let bytes = fs::read(dir.path().join("a.pcap")).unwrap();
    assert_eq!(made["bytes"], bytes.len());
    assert!((3_000_000..3_002_000).contains(&bytes.len()), "{}", bytes.len());
    // `pcap verify` finds the planted errors.
    let found = typed("pcap verify --json --list a.pcap").within(dir.path()).run();
    found.ends(1);
    let lines = found.json_lines();
    assert_eq!(lines[0]["packets"], made["packets"]);
    let packets: Vec<_> = lines[1..].iter().map(|check| check["packet"].clone()).collect();
    assert_eq!(packets, *made["planted"].as_array().unwrap());
    assert!(!packets.is_empty());

    let text = make("b.pcap", &[]);
    let text = text.ends(0).to_string();
    assert!(text.starts_with(&format!("{} bytes, {} packets, ", bytes.len(), made["packets"])));
    assert_eq!(fs::read(dir.path().join("b.pcap")).unwrap(), bytes);
    make("c.pcap", &["--seed", "43"]).ends(0);
    assert_ne!(fs::read(dir.path().join("c.pcap")).unwrap(), bytes);
}
