//! Tests of verification with a selection of packets.

use residue_net::check::Verdict;
use residue_net::filter::Filter;
use residue_net::pcap::Reader;
use residue_net::select::Selection;
use residue_net::verify::{self, Read};
use std::fs;
use std::path::Path;

/// A finding: packet, protocol, verdict.
type Found = Vec<(u64, &'static str, Verdict)>;

fn capture(name: &str) -> Vec<u8> {
    let captures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../captures");
    fs::read(captures.join(name)).unwrap()
}

fn run(file: &[u8], [filter, from, to]: [&str; 3]) -> (Read, Found) {
    let filter = (!filter.is_empty()).then(|| Filter::parse(filter).unwrap());
    let moment = |text: &str| (!text.is_empty()).then(|| text.parse().unwrap());
    let mut selection = Selection::new(filter, moment(from), moment(to));
    let mut found = Vec::new();
    let read = verify::selected(Reader::new(file).unwrap(), &mut selection, |buffer| {
        assert!(buffer.link.name().is_some());
        found.extend(
            buffer.findings().map(|it| (buffer.packet, it.check.protocol.name, it.verdict)),
        );
    });
    (read, found)
}

fn of(found: &Found, protocol: &str) -> Vec<Verdict> {
    found.iter().filter(|it| it.1 == protocol).map(|it| it.2).collect()
}

/// The checksum of a datagram in fragments is selected by its ports, which only the first fragment
/// has, and by its addresses.
#[test]
fn a_datagram_is_selected_by_the_headers_of_all_its_fragments() {
    for name in ["fragments-v4.bad.pcap", "fragments-v6.bad.pcap"] {
        let file = capture(name);
        let (all, everything) = run(&file, ["", "", ""]);
        let protocol = if of(&everything, "udp").is_empty() { "tcp" } else { "udp" };
        let all_of_it = of(&everything, protocol);
        assert!(all.selected.is_none() && !all_of_it.is_empty(), "{name}: {everything:?}");
        let mut port = None;
        verify::capture(&file[..], |buffer| {
            port = buffer.findings().find_map(|it| it.check.ports).or(port);
        })
        .unwrap();
        let [source, destination] = port.unwrap();
        for filter in [
            format!("src port {source}"),
            format!("{protocol} dst port {destination}"),
            format!("not port {}", destination ^ 1),
            protocol.to_string(),
            "ether host 02:00:00:00:00:01 or not ether broadcast".into(),
        ] {
            let (read, found) = run(&file, [&filter, "", ""]);
            assert!(read.selected.is_some() && read.packets == all.packets);
            assert_eq!(of(&found, protocol), all_of_it, "{name}: {filter}");
        }
        for filter in [
            format!("not port {source}"),
            format!("port {}", destination ^ 1),
            "arp".into(),
            "host 10.99.99.99".into(),
        ] {
            let (_, found) = run(&file, [&filter, "", ""]);
            assert!(of(&found, protocol).is_empty(), "{name}: {filter}: {found:?}");
        }
    }
}

/// The first fragment comes last. The message in it is selected by its protocol all the same.
#[test]
fn a_datagram_with_a_late_first_fragment_is_selected() {
    let file = capture("fragments-late.bad.pcap");
    for (filter, count) in [("icmp", 1), ("not icmp", 0), ("ip proto 1 and ether multicast", 0)] {
        assert_eq!(of(&run(&file, [filter, "", ""]).1, "icmp").len(), count, "{filter}");
    }
}

/// PDUs of a stream are selected by the addresses and ports of their connection. Their digests stay
/// good, because all packets are read.
#[test]
fn pdus_are_selected_with_their_connection() {
    let file = capture("iscsi.pcap");
    let (_, everything) = run(&file, ["", "", ""]);
    let digests = |found: &Found| {
        let mut digests: Vec<_> = found.iter().filter(|it| it.1.starts_with("iscsi")).collect();
        digests.sort_by_key(|it| (it.0, it.1));
        format!("{digests:?}")
    };
    assert!(!of(&everything, "iscsi.data").is_empty());
    for filter in ["tcp port 3260", "tcp", "not udp", "ip", "portrange 1-65535", "net 0.0.0.0/0"] {
        let (_, found) = run(&file, [filter, "", ""]);
        assert_eq!(digests(&found), digests(&everything), "{filter}");
    }
    let one = run(&file, ["src port 3260", "", ""]).1;
    let other = run(&file, ["dst port 3260", "", ""]).1;
    let both = one.iter().chain(&other).filter(|it| it.1.starts_with("iscsi")).count();
    assert_eq!(both, everything.iter().filter(|it| it.1.starts_with("iscsi")).count());
    for filter in ["not tcp", "host 10.99.99.99", "port 3261", "ip6"] {
        assert!(run(&file, [filter, "", ""]).1.is_empty(), "{filter}");
    }
}

/// Each finding of each capture of the project is selected by a filter or by its negation.
#[test]
fn a_filter_and_its_negation_share_all_findings() {
    let captures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../captures");
    let names = fs::read_dir(captures).unwrap().map(|entry| entry.unwrap().file_name());
    let names = names.map(|name| name.into_string().unwrap());
    let mut both = 0;
    for name in names.filter(|name| name.contains(".pcap")) {
        let file = capture(&name);
        let sorted = |mut found: Found| {
            found.sort();
            found
        };
        let all = sorted(run(&file, ["", "", ""]).1);
        for filter in ["tcp", "host 192.0.2.1 or udp", "port 80 and not vlan", "greater 100"] {
            let one = run(&file, [filter, "", ""]).1;
            let other = run(&file, [&format!("not ({filter})"), "", ""]).1;
            both += usize::from(!one.is_empty() && !other.is_empty());
            assert_eq!(sorted([one, other].concat()), all, "{name}: {filter}");
        }
    }
    assert!(both > 3, "{both}");
}

/// A capture of ten packets, one second apart.
fn timed() -> Vec<u8> {
    let good = capture("tcp-v4.good.pcap");
    let frame = &good[40..];
    let mut file = good[..24].to_vec();
    for second in 0..10_u32 {
        for word in [1_700_000_000 + second, 500_000, frame.len() as u32, frame.len() as u32] {
            file.extend(word.to_le_bytes());
        }
        file.extend(frame);
    }
    file
}

#[test]
fn ranges_of_times_begin_inclusively_and_end_exclusively() {
    let file = timed();
    for (from, to, packets) in [
        ("", "", 1..=10),
        ("0", "", 1..=10),
        ("3", "", 4..=10),
        ("", "3s", 1..=3),
        ("3", "5.5", 4..=6),
        ("2.000000001", "3.000000001", 4..=4),
        ("2023-11-14T22:13:22.5Z", "2023-11-14T23:13:24+01:00", 3..=4),
        ("2023-11-14T22:13:22.6Z", "10d", 4..=10),
    ] {
        let (read, found) = run(&file, ["", from, to]);
        let mut numbers: Vec<u64> = found.iter().map(|it| it.0).collect();
        numbers.dedup();
        assert_eq!(numbers, packets.clone().collect::<Vec<u64>>(), "{from} to {to}");
        let selected = (!from.is_empty() || !to.is_empty()).then_some(packets.count() as u64);
        assert_eq!((read.packets, read.selected), (10, selected), "{from} to {to}");
    }
    let (read, found) = run(&file, ["tcp port 80", "1", "2"]);
    assert_eq!((read.selected, found.len()), (Some(1), 2));
    let (read, found) = run(&file, ["udp", "1", "2"]);
    assert_eq!((read.selected, found.len()), (Some(0), 0));
}

/// Packets without a time, as in a simple packet block of pcapng, are in no range.
#[test]
fn packets_without_a_time_are_in_no_range() {
    let good = capture("tcp-v4.good.pcap");
    let frame = &good[40..];
    let mut file = Vec::new();
    let mut block = |kind: u32, body: &[u8]| {
        let padded = body.len().next_multiple_of(4);
        let length = (12 + padded as u32).to_le_bytes();
        file.extend(kind.to_le_bytes());
        file.extend(length);
        file.extend(body);
        file.resize(file.len() + padded - body.len(), 0);
        file.extend(length);
    };
    block(0x0a0d_0d0a, &[&0x1a2b_3c4d_u32.to_le_bytes()[..], &[1, 0, 0, 0], &[0xff; 8]].concat());
    block(1, &[1, 0, 0, 0, 0, 0, 0, 0]);
    block(3, &[&(frame.len() as u32).to_le_bytes()[..], frame].concat());
    assert_eq!(run(&file, ["", "", ""]).1.len(), 2);
    assert_eq!(run(&file, ["tcp", "", ""]).1.len(), 2);
    let (read, found) = run(&file, ["", "0", ""]);
    assert_eq!((read.selected, found.len()), (Some(0), 0));
}
