//! Tests `residue pcap compare`.

use crate::common::schema::{Schema, words_of_the_manual};
use crate::common::{residue, typed};
use crate::router::{self, Plan, capture};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Writes the captures of a simulation, and returns what the router did.
fn simulated(plan: &Plan, folder: &Path) -> router::Account {
    let account = router::run(plan);
    let [lan, wan] = &account.captures;
    fs::write(folder.join("lan.pcap"), capture(lan, Some(1))).unwrap();
    fs::write(folder.join("wan.pcap"), capture(wan, Some(2))).unwrap();
    account
}

fn compare(folder: &Path, options: &[&str]) -> crate::common::Ran {
    let words = ["pcap", "compare", "lan.pcap", "wan.pcap"];
    residue(words.iter().chain(options)).within(folder).run()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// A capture is never replaced by what is written of it, under whatever name.
#[cfg(unix)]
#[test]
fn captures_are_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    simulated(&Plan { packets: 100, ..Plan::default() }, folder.path());
    let path = |name: &str| folder.path().join(name);
    let before = ["lan.pcap", "wan.pcap"].map(|name| fs::read(path(name)).unwrap());
    std::os::unix::fs::symlink("lan.pcap", path("link.pcap")).unwrap();
    fs::hard_link(path("wan.pcap"), path("hard.pcap")).unwrap();
    let absolute = path("wan.pcap");
    let names = [
        ("lan.pcap", "lan.pcap"),
        ("link.pcap", "lan.pcap"),
        ("./wan.pcap", "wan.pcap"),
        ("hard.pcap", "wan.pcap"),
        (absolute.to_str().unwrap(), "wan.pcap"),
    ];
    for (name, watched) in names {
        let ran = compare(folder.path(), &["--write", name]);
        ran.ends(2);
        assert!(ran.err.contains("which it would replace"), "{name}: {}", ran.err);
        let ran =
            residue(["pcap", "watch", "--prometheus", name, watched]).within(folder.path()).run();
        ran.ends(2);
        assert!(ran.err.contains("which it would replace"), "{name}: {}", ran.err);
        let after = ["lan.pcap", "wan.pcap"].map(|name| fs::read(path(name)).unwrap());
        assert!(after == before, "{name}");
    }
    let words = ["pcap", "watch", "--write", "new", "--prometheus", "new", "lan.pcap"];
    residue(words).within(folder.path()).run().ends(2);
    assert!(!path("new").exists());
    compare(folder.path(), &["--write", "-"]).ends(2);
    assert!(!path("-").exists());
}

#[test]
fn faults_of_a_router() {
    let folder = tempfile::tempdir().unwrap();
    let account = simulated(&Plan { packets: 3000, ..Plan::default() }, folder.path());
    let harmed = account.harmed.len();
    let all = lines(compare(folder.path(), &["--json"]).ends(1));
    let of = |name: &str| all.iter().filter(|line| line["event"] == name).collect::<Vec<_>>();
    let summary = all.last().unwrap();
    assert_eq!(summary["event"], "summary");
    let after = &summary["toward_after"];
    for (name, expected) in [
        ("lost", account.lost.len()),
        ("duplicated", account.duplicated as usize),
        ("reordered", account.reordered as usize),
        ("altered", harmed),
        ("extra", 0),
        ("translated", account.translated as usize),
    ] {
        assert_eq!(after[name], expected, "{name}");
        if name != "translated" {
            assert_eq!(of(name).len(), expected, "{name}");
        }
    }
    let groups = of("group");
    let grouped: u64 = groups.iter().map(|group| group["packets"].as_u64().unwrap()).sum();
    assert_eq!(
        (grouped as usize, groups.len() as u64),
        (harmed, summary["groups"].as_u64().unwrap())
    );
    for it in of("altered") {
        let group = groups[it["group"].as_u64().unwrap() as usize - 1];
        assert!(group["outcomes"][it["outcome"].as_str().unwrap()].as_u64() > Some(0), "{it}");
        assert!(account.harmed.contains_key(&it["before"].as_u64().unwrap()), "{it}");
    }

    let text = compare(folder.path(), &["--list"]);
    let text = text.ends(1);
    for part in [
        "rewritten: addresses or ports",
        "TTL lowered by 1",
        "computed anew, so right again",
        "unchanged and still right",
        "the device that also",
        "two bytes or words interchanged",
        "^^",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let count = |start: &str| text.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!((count("altered: "), count("lost: ")), (harmed, account.lost.len()));
    let short = compare(folder.path(), &["--top", "1"]);
    assert!(short.ends(1).contains("more groups (--top shows more)"));
}

#[test]
fn altered_packets_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let account = simulated(&Plan { packets: 2000, ..Plan::default() }, folder.path());
    compare(folder.path(), &["--write", "altered.pcapng"]).ends(1);
    let ran = typed("pcap verify --json altered.pcapng").within(folder.path()).run();
    let json = ran.json();
    assert_eq!(json["packets"], 2 * account.harmed.len());
    // No file is written, and none replaced, if the captures cannot be compared.
    fs::write(folder.path().join("kept"), "old").unwrap();
    fs::write(folder.path().join("wan.pcap"), "no capture").unwrap();
    compare(folder.path(), &["--write", "kept"]).ends(2);
    assert_eq!(fs::read(folder.path().join("kept")).unwrap(), b"old");
    compare(folder.path(), &["--write", "nowhere/new"]).ends(2);
}

#[test]
fn exit_codes() {
    let folder = tempfile::tempdir().unwrap();
    let plan = Plan { packets: 500, damaged: 0, lost: 20, ..Plan::default() };
    simulated(&plan, folder.path());
    compare(folder.path(), &[]).ends(0);
    compare(folder.path(), &["--strict"]).ends(1);
    simulated(&Plan { lost: 0, duplicated: 0, late: 0, ..plan.clone() }, folder.path());
    let ran = compare(folder.path(), &["--strict", "--late", "0.01"]);
    assert!(ran.ends(0).contains("nothing altered"));
    // Of other traffic.
    let other = tempfile::tempdir().unwrap();
    simulated(&Plan { seed: 9, ..plan.clone() }, other.path());
    fs::copy(other.path().join("wan.pcap"), folder.path().join("wan.pcap")).unwrap();
    let ran = compare(folder.path(), &[]);
    assert!(ran.err.contains("no packet is in both captures"), "{}", ran.err);
    ran.ends(2);
    // Two of its packets are in the other by chance: nothing follows for the others.
    let [one, two] = [&plan, &Plan { seed: 9, ..plan.clone() }].map(router::run);
    let [lan, mut wan] = [one.captures[0].clone(), two.captures[1].clone()];
    wan.extend(one.captures[1].iter().skip(100).take(2).cloned());
    wan.sort_by_key(|(time, _)| *time);
    fs::write(folder.path().join("lan.pcap"), capture(&lan, Some(1))).unwrap();
    fs::write(folder.path().join("wan.pcap"), capture(&wan, Some(2))).unwrap();
    let ran = compare(folder.path(), &[]);
    assert!(ran.err.contains("packets are in both captures, too few"), "{}", ran.err);
    ran.ends(2);
    // Cut in a record: the part before is compared.
    simulated(&plan, folder.path());
    let wan = fs::read(folder.path().join("wan.pcap")).unwrap();
    fs::write(folder.path().join("wan.pcap"), &wan[..wan.len() - 7]).unwrap();
    let ran = compare(folder.path(), &[]);
    assert!(ran.err.contains("wan.pcap"), "{}", ran.err);
    assert!(ran.ends(2).contains("matched"));
}

#[test]
fn a_capture_from_standard_input_and_a_missing_one() {
    let folder = tempfile::tempdir().unwrap();
    simulated(&Plan { packets: 50, ..Plan::default() }, folder.path());
    let lan = fs::read(folder.path().join("lan.pcap")).unwrap();
    let ran = typed("pcap compare - wan.pcap").within(folder.path()).input(&lan).run();
    assert!(ran.ends(0).contains("-: 50 packets"));
    let ran = typed("pcap compare lan.pcap missing").within(folder.path()).run();
    assert!(ran.code == 2 && ran.err.contains("missing"), "{ran:?}");
}

/// The page has the course of the losses, every group with what to do next, and all data; captures
/// that have nothing in common get none, and no comments.
#[test]
fn a_page_and_none_of_unrelated_captures() {
    let folder = tempfile::tempdir().unwrap();
    let account = simulated(&Plan { packets: 3000, ..Plan::default() }, folder.path());
    let page = folder.path().join("page/index.html");
    let ran = compare(folder.path(), &["--report", "page"]);
    assert!(ran.err.contains("index.html"), "{}", ran.err);
    let groups = lines(compare(folder.path(), &["--json"]).ends(1));
    let groups = groups.iter().filter(|line| line["event"] == "group").count();
    let text = fs::read_to_string(&page).unwrap();
    assert_eq!(
        (text.matches("<h3>Group ").count(), text.matches("<dt>next</dt>").count()),
        (groups, groups)
    );
    assert!(["losses", "delays", "places"].iter().all(|it| text.contains(&format!("figure-{it}"))));
    let flows = fs::read_to_string(folder.path().join("page/flows.csv")).unwrap();
    let lost = flows.lines().skip(1).map(|line| line.rsplit(',').nth(6).unwrap().parse::<usize>());
    assert_eq!(lost.map(Result::unwrap).sum::<usize>(), account.lost.len(), "{flows}");

    fs::remove_dir_all(folder.path().join("page")).unwrap();
    let other = router::run(&Plan { packets: 3000, seed: 9, ..Plan::default() });
    fs::write(folder.path().join("wan.pcap"), capture(&other.captures[1], Some(2))).unwrap();
    let ran = compare(folder.path(), &["--report", "page"]);
    ran.ends(2);
    assert!(!page.exists() && ran.err.contains("in both captures"), "{}", ran.err);
    let line = "pcap annotate wan.pcap --before lan.pcap -o noted.pcapng";
    let ran = typed(line).within(folder.path()).run();
    ran.ends(2);
    assert!(ran.err.contains("lan.pcap: ") && !folder.path().join("noted.pcapng").exists());
}

fn schema() -> Schema {
    Schema { root: typed("pcap compare --schema").run().json(), kind: "event" }
}

/// The simulated router does not change the length of packets.
const UNSEEN: [&str; 1] = ["altered.length_change"];

/// Every line of simulations with all kinds of faults is described, and every member occurs.
#[test]
fn every_line_is_described_and_every_member_occurs() {
    let schema = schema();
    let folder = tempfile::tempdir().unwrap();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut check = |ran: crate::common::Ran| {
        for line in lines(&String::from_utf8(ran.out).unwrap()) {
            schema.check(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
            let kind = line["event"].as_str().unwrap();
            seen.extend(line.as_object().unwrap().keys().map(|name| format!("{kind}.{name}")));
        }
    };
    for seed in 0..3 {
        let plan = Plan { packets: 3000, seed, ..Plan::default() };
        let account = simulated(&plan, folder.path());
        check(compare(folder.path(), &["--json", "--flows", "--late", "0.01"]));
        // Packets that the first point did not see.
        let [lan, _] = account.captures;
        let seen_packets = lan.into_iter().enumerate().filter(|(at, _)| at % 50 != 7);
        let fewer: Vec<_> = seen_packets.map(|(_, packet)| packet).collect();
        fs::write(folder.path().join("lan.pcap"), capture(&fewer, Some(1))).unwrap();
        check(compare(folder.path(), &["--json"]));
    }
    // Cut in a record.
    let wan = fs::read(folder.path().join("wan.pcap")).unwrap();
    fs::write(folder.path().join("wan.pcap"), &wan[..wan.len() - 7]).unwrap();
    check(compare(folder.path(), &["--json"]));
    let unseen: Vec<String> = members(&schema).filter(|name| !seen.contains(name)).collect();
    assert_eq!(unseen, UNSEEN);
}

/// The members of all kinds of lines: `lost.packet`.
fn members(schema: &Schema) -> impl Iterator<Item = String> {
    let kinds = schema.root["$defs"].as_object().unwrap().iter();
    let kinds = kinds.filter(|(_, it)| !it["properties"]["event"].is_null());
    kinds.flat_map(|(kind, it)| {
        let names = it["properties"].as_object().unwrap().keys();
        names.map(move |name| format!("{kind}.{name}"))
    })
}

/// The manual page names every member.
#[test]
fn the_manual_names_all_members() {
    let words = words_of_the_manual("pcap-compare");
    for member in members(&schema()) {
        let (_, name) = member.split_once('.').unwrap();
        assert!(words.contains(name), "{member}");
    }
}

/// TCP data in large segments before a card and in small ones behind it are called offload.
#[test]
fn offload_is_named() {
    use residue_fixtures::ip::Ends;
    let folder = tempfile::tempdir().unwrap();
    let ends = Ends::V4([[192, 0, 2, 1], [192, 0, 2, 2]]);
    let data = residue_testing::noise(40_000);
    let packets = |each: usize, ttl: u8| -> Vec<router::Captured> {
        let packet = |(i, data): (usize, &[u8])| {
            let sequence = (i * each) as u32;
            let time = 1_000_000_000 + sequence as u64 * 100;
            let body = router::Body {
                traffic: router::Traffic::Tcp,
                ports: [4000, 80],
                sequence,
                id: 7 + i as u16,
                data: data.to_vec(),
            };
            (time, body.packet(ends, ttl))
        };
        data.chunks(each).enumerate().map(packet).collect()
    };
    fs::write(folder.path().join("lan.pcap"), capture(&packets(10_000, 64), Some(1))).unwrap();
    fs::write(folder.path().join("wan.pcap"), capture(&packets(1000, 63), Some(2))).unwrap();
    let ran = compare(folder.path(), &["--strict"]);
    let text = ran.ends(0);
    assert!(
        text.contains("which offload does at lan.pcap") && text.contains("4 packets"),
        "{text}"
    );
    assert!(text.contains("nothing altered"), "{text}");
    let ran = compare(folder.path(), &["--json"]);
    let lines = lines(ran.ends(0));
    let direction = lines.iter().find_map(|line| line.get("toward_after")).unwrap();
    assert_eq!(direction["resegmented"], serde_json::json!([4, 40]), "{direction}");
}
