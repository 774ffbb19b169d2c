//! Tests `residue pcap survey`.

use crate::common::{residue, typed};
use residue_fixtures::ip::V4;
use residue_fixtures::tcp::Tcp;
use residue_net::pcap::LinkType;
use residue_net::pcap::write::{Header, Writer};
use std::fs::File;
use std::path::Path;

/// A segment with a flipped bit, its retransmission, and a damaged segment without one.
fn capture(path: &Path) {
    let mut writer =
        Writer::new(File::create(path).unwrap(), Header::new(LinkType::ETHERNET)).unwrap();
    let mut write = |sequence: u32, damage: Option<usize>| {
        let segment =
            Tcp { numbers: [sequence, 1], data: b"nobody is to read this", ..Tcp::default() };
        let mut frame = V4.frame(6, &segment.segment(V4));
        if let Some(place) = damage {
            let start = frame.len() - segment.data.len();
            frame[start + place] ^= 4;
        }
        writer.packet(0, frame.len() as u32, &frame).unwrap();
    };
    write(100, Some(3));
    write(100, None);
    write(200, Some(5));
}

#[test]
fn counts_and_shapes_alone_are_printed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pcap");
    capture(&path);
    let survey = |option: &str| {
        let mut args = vec!["pcap", "survey", "a.pcap"];
        args.extend((!option.is_empty()).then_some(option));
        residue(args).within(folder.path()).run().ends(0).to_string()
    };
    let json: serde_json::Value = serde_json::from_str(&survey("--json")).unwrap();
    for (name, expected) in
        [("segments", 3), ("good", 1), ("bad", 2), ("matched", 1), ("unmatched", 1)]
    {
        assert_eq!(json[name], expected, "{name}");
    }
    assert_eq!(json["shapes"], serde_json::json!({ "bit": 1 }));
    assert_eq!(json["offsets_modulo_64"], serde_json::json!({ "3": 1 }));
    assert_eq!(survey("--csv"), "shape,segments\nbit,1\n");
    let text = survey("");
    assert!(text.contains("one bit flipped"), "{text}");
    for option in ["", "--json", "--csv"] {
        let printed = survey(option);
        for secret in ["192.0.2", "1234", "nobody"] {
            assert!(!printed.contains(secret), "{secret} in {printed}");
        }
    }
}

#[test]
fn what_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let ran = typed("pcap survey nosuch.pcap").within(folder.path()).run();
    assert!(ran.err.contains("nosuch.pcap"), "{}", ran.err);
    ran.ends(2);
}
