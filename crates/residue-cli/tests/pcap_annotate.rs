//! Tests `residue pcap annotate`, and captures of mirror ports.

use crate::common::{residue, typed};
use crate::router::{self, Body, Plan, Traffic, capture};
use residue_net::pcap::write::{COMMENT, Header, NgWriter, Writer};
use residue_net::pcap::{ByteOrder, LinkType, Reader};
use residue_testing::{captures, installed, skip};
use std::fs;
use std::path::Path;
use std::process::Command;

/// A packet but for its number and its place: time, length on the wire, link type, length of the
/// frame check sequence, bytes.
type Seen = (Option<u64>, u32, u32, Option<u8>, Vec<u8>);

fn packets(bytes: &[u8]) -> Vec<Seen> {
    let mut reader = Reader::new(bytes).unwrap();
    let mut all = Vec::new();
    while let Ok(Some(packet)) = reader.next() {
        let time = packet.time.filter(|&time| time > 0);
        all.push((time, packet.wire_length, packet.link.0, packet.fcs, packet.bytes.to_vec()));
    }
    all
}

/// Returns the packets for which a display filter of tshark holds.
fn shown(folder: &Path, name: &str, filter: &str) -> Vec<u64> {
    let words = ["-n", "-r", name, "-Y", filter, "-T", "fields", "-e", "frame.number"];
    let output = Command::new("tshark").args(words).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| line.parse().unwrap()).collect()
}

/// Every capture of the project has the same packets after it is annotated, and its comments are
/// those of its wrong values.
#[test]
fn packets_stay_as_they_are_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let noted = folder.path().join("noted.pcapng");
    let mut with_notes = 0;
    for entry in walkdir::WalkDir::new(captures()).sort_by_file_name() {
        let entry = entry.unwrap();
        let name = entry.file_name().to_str().unwrap();
        if !entry.file_type().is_file() || !(name.contains("cap") || name.contains("snoop")) {
            continue;
        }
        let words = ["pcap", "annotate", entry.path().to_str().unwrap(), "-o"];
        let ran = residue(words).args([&noted]).run();
        if ran.code == 2 && !noted.exists() {
            continue;
        }
        let (before, after) = (fs::read(entry.path()).unwrap(), fs::read(&noted).unwrap());
        assert!(packets(&before) == packets(&after), "{name}: {ran:?}");
        with_notes += usize::from(!ran.text().starts_with("0 packets"));
        fs::remove_file(&noted).unwrap();
    }
    assert!(with_notes > 50, "{with_notes}");
}

#[test]
fn tshark_shows_the_comments() {
    if !installed("tshark") {
        return skip("tshark is not installed");
    }
    let folder = tempfile::tempdir().unwrap();
    let account = router::run(&Plan { packets: 3000, ..Plan::default() });
    let [lan, wan] = &account.captures;
    fs::write(folder.path().join("lan.pcap"), capture(lan, Some(1))).unwrap();
    fs::write(folder.path().join("wan.pcap"), capture(wan, Some(2))).unwrap();
    let run = |line: &str| typed(line).within(folder.path()).run();
    run("pcap annotate lan.pcap --after wan.pcap -o lost.pcapng").ends(0);
    let lost = shown(folder.path(), "lost.pcapng", "frame.comment contains \"residue: lost\"");
    assert_eq!(lost, account.lost.iter().copied().collect::<Vec<_>>());
    run("pcap annotate wan.pcap --before lan.pcap -o noted.pcapng.gz").ends(0);
    let of = |filter: &str| shown(folder.path(), "noted.pcapng.gz", filter).len();
    assert_eq!(of("frame.comment contains \"residue: altered\""), account.harmed.len());
    assert_eq!(of("frame.comment contains \"residue: duplicated\"") as u64, account.duplicated);
    // The filter of a group shows its packets.
    let json = run("pcap compare --json lan.pcap wan.pcap").json_lines();
    for group in json.iter().filter(|line| line["event"] == "group") {
        for (name, side) in [("lan.pcap", "before"), ("wan.pcap", "after")] {
            let filter = group["filters"][side].as_str().unwrap();
            let found = shown(folder.path(), name, filter).len() as u64;
            assert_eq!(found, group["packets"].as_u64().unwrap(), "{filter}");
        }
    }
}

/// The plugin makes fields of the comments.
#[test]
fn the_plugin_shows_causes() {
    if !installed("tshark") {
        return skip("tshark is not installed");
    }
    let folder = tempfile::tempdir().unwrap();
    let bad = captures().join("nat-tcp.bad.pcap");
    let words = ["pcap", "annotate", bad.to_str().unwrap(), "-o", "noted.pcapng"];
    residue(words).within(folder.path()).run().ends(0);
    let plugin = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packaging/wireshark/residue.lua");
    let script = format!("lua_script:{plugin}");
    let words = ["-n", "-X", &script, "-r", "noted.pcapng", "-T", "fields", "-e", "residue.cause"];
    let filter = ["-e", "residue.detail", "-Y", "residue.cause == \"rewritten\" && _ws.expert"];
    let output = Command::new("tshark")
        .args(words)
        .args(filter)
        .current_dir(folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 8, "{text}");
    assert!(text.starts_with("rewritten\ttcp 8782, should be CF87\n"), "{text}");
}

/// Blocks with comments and other options, of both byte orders and of all kinds.
#[test]
fn blocks_keep_their_options() {
    let ends = residue_fixtures::ip::V6;
    let body =
        Body { traffic: Traffic::Udp, ports: [7, 8], sequence: 0, id: 0, data: vec![1, 2, 3] };
    let mut wrong = body.packet(ends, 9);
    *wrong.last_mut().unwrap() ^= 1;
    let right = body.packet(ends, 9);
    let (link, length) = (LinkType::RAW.0 as u16, wrong.len() as u32);
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let flags: &[u8] = &[1, 0, 0, 0];
        let mut writer = NgWriter::new(Vec::new(), order, &[(COMMENT, b"a section")]).unwrap();
        writer.interface(link, 0, &[(2, b"eth0")]).unwrap();
        writer.packet(0, 5000, length, &wrong, &[]).unwrap();
        writer.packet(0, 6000, length, &wrong, &[(COMMENT, b"mine"), (2, flags)]).unwrap();
        writer.packet(0, 7000, length, &right, &[(COMMENT, b"mine")]).unwrap();
        writer.old_packet(0, 8000, length, &wrong, &[(2, flags)]).unwrap();
        writer.simple_packet(length, &wrong).unwrap();
        writer.block(0x1234, b"unknown", &[]).unwrap();
        let bytes = writer.into_inner();
        fs::write(path("in.pcapng"), &bytes).unwrap();
        let ran = typed("pcap annotate in.pcapng -o out.pcapng").within(folder.path()).run();
        let text = ran.ends(0);
        assert!(text.starts_with("3 packets annotated\n1 simple packet block without"), "{text}");
        let noted = fs::read(path("out.pcapng")).unwrap();
        assert!(packets(&bytes) == packets(&noted));
        let count = |what: &[u8]| noted.windows(what.len()).filter(|it| *it == what).count();
        assert_eq!([count(b"residue: "), count(b"mine"), count(b"eth0")], [3, 2, 1]);
        assert_eq!([count(b"a section"), count(b"unknown"), count(&[0xff; 8])], [1, 1, 1]);
        if installed("tshark") {
            let both = shown(folder.path(), "out.pcapng", "frame.comment == \"mine\"");
            assert_eq!(both, [2, 3]);
        }
        // A capture that ends in a block.
        fs::write(path("in.pcapng"), &bytes[..bytes.len() - 9]).unwrap();
        let ran = typed("pcap annotate in.pcapng -o cut.pcapng").within(folder.path()).run();
        assert!(ran.ends(2).starts_with("3 packets"));
        let cut = fs::read(path("cut.pcapng")).unwrap();
        assert!(cut == noted[..noted.len() - 9]);
    }
    for line in ["pcap annotate missing -o out", "pcap annotate in.pcapng -o no/where.pcapng"] {
        typed(line).within(folder.path()).run().ends(2);
    }
}

/// A mirror port gives every packet twice, with another VLAN tag or none, and with padding.
#[test]
fn doubled_captures_are_named_and_halved() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let account = router::run(&Plan { packets: 2000, damaged: 0, ..Plan::default() });
    let single = &account.captures[1];
    let mut writer = Writer::new(Vec::new(), Header::new(LinkType::ETHERNET)).unwrap();
    for (time, packet) in single {
        let kind: [u8; 2] = if packet[0] >> 4 == 4 { [8, 0] } else { [0x86, 0xdd] };
        let plain = [&[2; 12][..], &kind, packet, &[0; 4]].concat();
        let tagged = [&[2; 12][..], &[0x81, 0, 0, 7], &kind, packet].concat();
        writer.packet(*time, plain.len() as u32, &plain).unwrap();
        writer.packet(time + 4000, tagged.len() as u32, &tagged).unwrap();
    }
    fs::write(path("span.pcap"), writer.into_inner()).unwrap();
    fs::write(path("lan.pcap"), capture(&account.captures[0], Some(1))).unwrap();
    let run = |line: &str| typed(line).within(folder.path()).run();
    let copies = single.len();
    let text = run("pcap verify span.pcap");
    assert!(text.ends(0).contains(&format!("every packet twice ({copies} copies)")), "{text:?}");
    assert_eq!(run("pcap verify --json span.pcap").json()["copies"], copies);
    assert!(run("pcap verify --json lan.pcap").json()["copies"].is_null());

    let text = run("pcap fix span.pcap --drop-doubled -o once.pcap");
    let all = 2 * copies;
    assert_eq!(text.ends(0), format!("{copies} copies left out, of {all} packets\n"));
    let once = packets(&fs::read(path("once.pcap")).unwrap());
    assert!(once.iter().map(|it| it.0.unwrap()).eq(single.iter().map(|it| it.0)));
    let text = run("pcap fix lan.pcap --drop-doubled -o same.pcap");
    assert!(text.ends(0).contains("does not hold every packet twice"));
    assert!(fs::read(path("same.pcap")).unwrap() == fs::read(path("lan.pcap")).unwrap());

    let json = run("pcap compare --json lan.pcap span.pcap").json_lines();
    let summary = json.last().unwrap();
    let of = |name: &str| summary["toward_after"][name].as_u64().unwrap();
    assert_eq!(summary["after"]["copies"], copies);
    let expected = [account.lost.len() as u64, account.duplicated, 0];
    assert_eq!([of("lost"), of("duplicated"), of("extra")], expected);
}
