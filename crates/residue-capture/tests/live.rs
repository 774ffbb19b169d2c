//! Tests the verdicts on packets whose checksums a network card has yet to complete, and the file
//! of damaged packets.

use residue_capture::damaged::{Damaged, describe};
use residue_capture::live::{Counts, Evidence, Live};
use residue_net::check::Verdict;
use residue_net::pcap::{LinkType, Packet, Reader};
use residue_net::select::Selection;
use residue_net::verify::Verifier;
use std::fs::File;
use std::path::Path;

const EVIDENCE: [Evidence; 4] =
    [Evidence::None, Evidence::Incomplete, Evidence::Checked, Evidence::Complete];

/// Returns the first packet of a capture.
fn first(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../captures").join(name);
    let mut reader = Reader::new(File::open(path).expect(name)).expect(name);
    let packet = reader.next().expect(name).expect(name);
    assert_eq!(packet.link, LinkType::ETHERNET, "{name}");
    packet.bytes.to_vec()
}

fn packet(bytes: &[u8]) -> Packet<'_> {
    let (link, wire_length) = (LinkType::ETHERNET, bytes.len() as u32);
    Packet { number: 1, offset: 0, link, bytes, wire_length, fcs: None, time: Some(7) }
}

/// Returns the names, places and verdicts of the checks of a packet.
fn checks(bytes: &[u8]) -> Vec<(&'static str, usize, Verdict)> {
    let mut all = Vec::new();
    Verifier::new().packet(&packet(bytes), |buffer| {
        all.extend(buffer.findings().map(|finding| {
            let check = finding.check;
            (check.protocol.name, check.field[0].start as usize, finding.verdict)
        }));
    });
    all
}

/// Verifies one packet.
fn live(bytes: &[u8], evidence: Evidence) -> Live {
    let mut live = Live::new(Selection::default());
    live.packet(&packet(bytes), evidence, |_| {});
    live.finish();
    live
}

/// Returns good, bad and offloaded checks of a protocol.
fn numbers(live: &Live, protocol: &str) -> (u64, u64, u64) {
    let protocols = live.summary.protocols();
    let (_, counts) = protocols[protocol];
    (counts.good, counts.bad, counts.offloaded)
}

#[test]
fn a_sum_of_the_pseudo_header() {
    let bytes = first("tcp-offload.bad.pcap");
    let (_, _, verdict) = checks(&bytes).pop().expect("a check");
    assert_eq!(verdict, Verdict::Offloaded);
    for evidence in EVIDENCE {
        let live = live(&bytes, evidence);
        // On the wire, nothing will complete it.
        let is_bad = evidence == Evidence::Complete;
        let expected = if is_bad { (0, 1, 0) } else { (0, 0, 1) };
        assert_eq!(numbers(&live, "tcp"), expected, "{evidence:?}");
        assert_eq!(live.counts.never_completed, u64::from(is_bad));
        assert_eq!(live.counts.wrong_packets, u64::from(is_bad));
        assert_eq!(live.counts.to_complete, u64::from(evidence == Evidence::Incomplete));
    }
}

/// Fields without a sum of the pseudo-header, as those of SCTP.
#[test]
fn fields_that_no_value_shows() {
    for (name, protocol) in
        [("sctp-v4.good.pcap", "sctp"), ("tcp-v4.good.pcap", "tcp"), ("udp-v4.good.pcap", "udp")]
    {
        let good = first(name);
        let (_, field, _) = *checks(&good).last().expect("a check");
        let mut bytes = good.clone();
        bytes[field] ^= 0x40;
        for evidence in EVIDENCE {
            let counts = numbers(&live(&bytes, evidence), protocol);
            let is_offloaded = evidence == Evidence::Incomplete;
            assert_eq!(counts, if is_offloaded { (0, 0, 1) } else { (0, 1, 0) }, "{evidence:?}");
            // A good value stays good.
            assert_eq!(numbers(&live(&good, evidence), protocol), (1, 0, 0), "{evidence:?}");
        }
        // The header's own checksum is never left to the network card.
        bytes[24] ^= 1;
        let counts = numbers(&live(&bytes, Evidence::Incomplete), "ip");
        assert_eq!(counts, (0, 1, 0), "{name}");
    }
}

/// An outer checksum over an incomplete inner one is right once that is complete.
#[test]
fn tunnels() {
    let good = first("vxlan-sum-tcp.good.pcap");
    let all = checks(&good);
    let places: Vec<_> = all.iter().map(|(name, place, _)| (*name, *place)).collect();
    let [("ip", _), ("udp", outer), ("ip", inner_ip), ("tcp", inner)] = places[..] else {
        panic!("{places:?}")
    };
    let mut bytes = good.clone();
    bytes[inner] ^= 0x55;
    let live_of = |bytes: &[u8], evidence| {
        let live = live(bytes, evidence);
        (numbers(&live, "udp"), numbers(&live, "tcp"), numbers(&live, "ip"))
    };
    let (one_bad, one_offloaded) = ((0, 1, 0), (0, 0, 1));
    assert_eq!(live_of(&bytes, Evidence::Complete), (one_bad, one_bad, (2, 0, 0)));
    assert_eq!(live_of(&bytes, Evidence::Incomplete), (one_offloaded, one_offloaded, (2, 0, 0)));
    // If the outer one is incomplete, only it is.
    let mut bytes = good.clone();
    bytes[outer] ^= 0x55;
    assert_eq!(live_of(&bytes, Evidence::Incomplete), (one_offloaded, (1, 0, 0), (2, 0, 0)));
    // Damage of the inner header is not hidden.
    let mut bytes = good;
    bytes[inner] ^= 0x55;
    bytes[inner_ip] ^= 1;
    assert_eq!(live_of(&bytes, Evidence::Incomplete), (one_offloaded, one_offloaded, (1, 1, 0)));
}

#[test]
fn counts_of_packets() {
    let bytes = first("tcp-v4.good.pcap");
    let mut live = Live::new(Selection::default());
    let mut cut = packet(&bytes);
    cut.wire_length += 9;
    for packet in [packet(&bytes), cut] {
        assert!(!live.packet(&packet, Evidence::Complete, |_| {}));
    }
    let length = bytes.len() as u64;
    let expected = Counts {
        packets: 2,
        selected: 2,
        bytes: 2 * length + 9,
        cut_packets: 1,
        ..Counts::default()
    };
    assert_eq!(live.counts, expected);
}

#[test]
fn selected_packets_are_counted() {
    let bytes = first("tcp-v4.bad.pcap");
    for (filter, selected) in [("tcp", 1), ("udp", 0)] {
        let filter = filter.parse().expect("a filter");
        let mut live = Live::new(Selection::new(Some(filter), None, None));
        let is_wrong = live.packet(&packet(&bytes), Evidence::Complete, |_| {});
        assert_eq!(is_wrong, selected == 1);
        let Counts { packets, selected: found, wrong_packets, .. } = live.counts;
        assert_eq!((packets, found, wrong_packets), (1, selected, selected));
        assert_eq!(live.summary.total().wrong(), selected);
    }
}

#[test]
fn the_file_of_damaged_packets() {
    let bytes = first("tcp-v4.bad.pcap");
    let mut comment = String::new();
    let mut live = Live::new(Selection::default());
    live.packet(&packet(&bytes), Evidence::Complete, |finding| describe(finding, &mut comment));
    assert!(comment.starts_with("tcp: bad, ") && comment.contains("should be "), "{comment}");
    // Each block takes less than the packet, the comment and 64 bytes.
    let room = 3 * (bytes.len() + comment.len() + 64) as u64;
    let mut file = Vec::new();
    let mut damaged = Damaged::new(&mut file, "eth0", room).expect("memory");
    let raw = Packet { link: LinkType::RAW, ..packet(&bytes[14..]) };
    for packet in [packet(&bytes), raw, packet(&bytes), packet(&bytes), packet(&bytes)] {
        damaged.packet(&packet, &comment).expect("memory");
    }
    assert_eq!((damaged.written, damaged.left_out), (3, 2));
    let text = String::from_utf8_lossy(&file);
    assert!(text.contains("eth0") && text.matches(&comment).count() == 3, "{text}");
    let mut reader = Reader::new(&file[..]).expect("a capture");
    for (link, expected) in [
        (LinkType::ETHERNET, &bytes[..]),
        (LinkType::RAW, &bytes[14..]),
        (LinkType::ETHERNET, &bytes[..]),
    ] {
        let packet = reader.next().expect("a packet").expect("a packet");
        assert_eq!((packet.link, packet.bytes, packet.time), (link, expected, Some(7)));
    }
    assert!(reader.next().expect("the end").is_none());
}
