//! Tests that a protocol is wherever one must be; they name the file to edit, and what is missing.

use residue_net::agreements::Agreements;
use residue_net::check::Reason;
use residue_net::frame::{Found, Walk};
use residue_net::pcap::LinkType;
use residue_net::unfollowed::{Numbering, Unfollowed};
use residue_net::wire;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Values in streams, which packets and fixtures of one frame do not have: they are tested in
/// tests/iscsi and tests/stream.
const STREAMS: [&str; 2] = ["iscsi", "nvme_tcp"];
/// Protocols without a fixture: LMP's checksum is only in drafts.
const NO_FIXTURE: [&str; 1] = ["lmp"];
/// Check values of which only a fixture has one.
const ONLY_FIXTURE: [&str; 2] = ["ospf.lls", "tcp.alternate"];

fn text(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the files of protocols, without `.rs`, and the names of the check values of each.
fn protocols() -> Vec<(String, Vec<String>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/wire");
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let names = text.split("name: \"").skip(1).filter_map(|rest| rest.split('"').next());
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        all.push((stem, names.map(String::from).collect()));
    }
    all.sort();
    assert!(all.len() > 50);
    all
}

#[test]
fn every_check_value_has_a_packet_a_fixture_and_a_row() {
    let packets = text("tests/packets.txt");
    let columns = packets.lines().filter_map(|line| line.rsplit_once(" | "));
    let in_packets: BTreeSet<&str> = columns.flat_map(|(_, checks)| checks.split(' ')).collect();
    let docs = text("../../docs/packets.md");
    let cases = residue_fixtures::cases();
    let mut missing = Vec::new();
    for (file, names) in protocols() {
        // One of them is enough: PDUs of one header have one check.
        let has_case = cases.iter().any(|case| names.iter().any(|name| name == case.protocol));
        for name in &names {
            let mut must = |is_there: bool, what: &str| {
                if !is_there {
                    missing.push(format!("`{name}` of src/wire/{file}.rs: {what}"));
                }
            };
            must(
                docs.lines().any(|row| row.starts_with('|') && row.contains(&format!("`{name}`"))),
                "a row in docs/packets.md",
            );
            if STREAMS.contains(&file.as_str()) {
                continue;
            }
            must(
                in_packets.contains(name.as_str()) || ONLY_FIXTURE.contains(&name.as_str()),
                "a packet in crates/residue-net/tests/packets.txt",
            );
            must(
                has_case || NO_FIXTURE.contains(&file.as_str()),
                &format!(
                    "a case in crates/residue-fixtures/src/{file}.rs, which src/lib.rs there lists"
                ),
            );
        }
    }
    assert!(missing.is_empty(), "missing:\n{}", missing.join("\n"));
}

/// Returns the names of what is found in an Ethernet frame or raw IP packet: check values, and ends
/// at protocols that are not read.
fn found(link: LinkType, bytes: &[u8]) -> (Vec<&'static str>, Vec<Unfollowed>) {
    let (mut found, mut agreements) = (Found::default(), Agreements::default());
    wire::walk(&mut Walk::new(bytes, 0, Reason::Cut, &mut found, &mut agreements), link, None);
    let checks = found.checks.iter().map(|check| check.protocol.name).collect();
    (checks, found.unfollowed.iter().map(|(unfollowed, _)| *unfollowed).collect())
}

/// EtherTypes that have a name because other contents under them are not read: encrypted MACsec,
/// and Arista's tag of an unknown kind.
const PARTLY_READ: [u64; 2] = [0x88e5, 0xd28b];

/// A protocol that is read must be neither among those known to be without check values, nor among
/// the names of those that are not read.
#[test]
fn ether_types_that_are_read_are_not_listed_as_unread() {
    for number in 0x0600..=0xffff_u16 {
        let value = u64::from(number);
        let listed = Unfollowed::new(Numbering::EtherType, value);
        let is_plain = listed.is_none();
        let has_name = listed.is_some_and(|it| it.name().is_some());
        if !is_plain && !has_name || PARTLY_READ.contains(&value) {
            continue;
        }
        for content in [0, 0x45, 0xff] {
            let bytes = [&[2; 12][..], &number.to_be_bytes(), &[content; 80]].concat();
            let expected = (Vec::new(), listed.into_iter().collect());
            assert_eq!(
                found(LinkType::ETHERNET, &bytes),
                expected,
                "EtherType {number:04X} is read: remove it from `is_plain_ether_type` or \
                 `ether_type` in crates/residue-net/src/unfollowed.rs"
            );
        }
    }
}
