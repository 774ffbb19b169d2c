//! Tests `residue strength search`.

use crate::common::typed;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

fn search(arguments: &[&str]) -> crate::common::Run {
    typed("strength search").args(arguments)
}

#[test]
fn polynomials_that_keep_a_distance() {
    let arguments = ["--width", "16", "--length", "135", "--hd", "6"];
    let ran = search(&arguments).run();
    let text = ran.ends(0);
    for part in ["crc-16/dnp", "exact", "{1,"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let json = search(&[&arguments[..], &["--json"]].concat()).run().json();
    assert_eq!(json["kind"], "exact");
    let found = json["found"].as_array().unwrap();
    assert!(!found.is_empty());
    for one in found {
        let limit = &one["limits"][0];
        assert!(limit["data_bits"].as_u64().unwrap() >= 135, "{one}");
        let error = &limit["undetected"];
        let check = u64::from_str_radix(error["check"].as_str().unwrap(), 16).unwrap();
        assert!(error["data"].as_array().unwrap().len() + (check.count_ones() as usize) < 6);
        assert_eq!(error["bits"].as_u64(), limit["data_bits"].as_u64().map(|bits| bits + 1));
    }
    let csv = search(&[&arguments[..], &["--csv"]].concat()).run();
    assert_eq!(csv.ends(0).lines().count(), found.len() + 1);
}

#[test]
fn the_longest_and_a_survey() {
    let json = search(&["--width", "8", "--hd", "4", "--json"]).run().json();
    assert_eq!(json["found"][0]["limits"][0]["data_bits"], 119);
    let ran = search(&["--width", "8", "--survey"]).run();
    let lines = ran.ends(0).lines().skip(2);
    let lines: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    assert_eq!(lines.len(), 72);
    for part in ["{247,13,6}", "{85,85,2,2}", "{9,9,9}", "crc-8/smbus"] {
        assert!(lines.iter().any(|line| line.contains(part)), "{part}");
    }
    let none = search(&["--width", "9", "--hd", "10"]).run();
    assert!(none.ends(0).contains("1 bits of data"));
}

fn files(dir: &Path) -> Vec<String> {
    (1..=4).map(|i| dir.join(format!("part {i}")).display().to_string()).collect()
}

#[test]
fn ranges_merge() {
    let dir = tempfile::tempdir().unwrap();
    let parts = files(dir.path());
    let arguments = ["--width", "14", "--length", "40", "--hd", "5"];
    for (i, part) in (1..).zip(&parts) {
        let range = format!("{i}/4");
        let ran = search(&[&arguments[..], &["--range", &range, "--checkpoint", part]].concat());
        assert!(ran.run().ends(0).contains("bound"));
    }
    let whole = search(&[&arguments[..], &["--json"]].concat()).run().json();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let merged = search(&[&["--json", "--merge"], &parts[..]].concat()).run().json();
    assert_eq!(merged, whole);
    let three = search(&["--merge", parts[3], parts[0], parts[2]]).run();
    assert!(three.ends(0).contains("missing: range 2/4"), "{}", three.text());
    assert!(three.text().contains("(bound)"));
    let twice = search(&["--merge", parts[1], parts[1]]).run();
    assert_eq!(twice.code, 2);
    assert!(twice.err.contains("same candidates"), "{}", twice.err);
}

/// A search that is killed after its first checkpoint, and again later, has the same result.
#[test]
fn a_killed_search_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("checkpoint");
    let name = file.display().to_string();
    let arguments = ["--width", "15", "--survey", "--range", "3/4"];
    let kept = [&arguments[..], &["--checkpoint", &name, "--csv"]].concat();
    let next = || {
        let text = std::fs::read_to_string(&file).unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        json["search"]["next"].as_u64().unwrap()
    };
    let mut before = 2 << 12;
    for _ in 0..2 {
        let mut child = Command::new(crate::common::RESIDUE)
            .args([&["strength", "search"], &kept[..]].concat())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while !file.exists() || next() == before {
            assert!(child.try_wait().unwrap().is_none(), "ended before it was killed");
            std::thread::sleep(Duration::from_millis(5));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!((before + 1..3 << 12).contains(&next()), "{}", next());
        before = next();
    }
    let resumed = search(&kept).run();
    assert!(resumed.err.contains("continuing"), "{}", resumed.err);
    let whole = search(&[&arguments[..], &["--csv"]].concat()).run();
    assert_eq!(resumed.ends(0), whole.ends(0));
    // A complete checkpoint is only read.
    let again = search(&kept).run();
    assert_eq!(again.ends(0), whole.text());
    assert!(again.err.contains("4,096 of 4,096 candidates"), "{}", again.err);
}

#[test]
fn damaged_and_foreign_checkpoints() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("checkpoint");
    let file = path.display().to_string();
    let arguments = ["--width", "10", "--length", "20", "--hd", "5", "--checkpoint", &file];
    search(&arguments).run().ends(0);
    let good = std::fs::read_to_string(&path).unwrap();
    let other = ["--width", "10", "--length", "21", "--hd", "5", "--checkpoint", &file];
    let ran = search(&other).run();
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("another search"), "{}", ran.err);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), good);
    for bad in
        ["", "{}", "noise", &good[..good.len() / 2], &good.replacen("\"next\":", "\"next\":1", 1)]
    {
        std::fs::write(&path, bad).unwrap();
        let ran = search(&arguments).run();
        assert_eq!(ran.code, 2, "{bad}");
        assert!(ran.err.contains("damaged"), "{}", ran.err);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), bad);
    }
}
