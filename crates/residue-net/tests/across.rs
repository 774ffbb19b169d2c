//! Tests of repairs across several packets.

use residue_fixtures::ip::{Ends, V4};
use residue_fixtures::{Frame, ethernet, gre, ipv4, udp};
use residue_net::Error;
use residue_net::fix::{Policy, Repairer};
use residue_net::nat::{self, Mapping};
use residue_net::pcap::write::{Header, Writer};
use residue_net::pcap::{LinkType, Reader};
use residue_net::rewrite::Rewriter;
use residue_net::verify;
use std::io::Read as _;

fn capture(frames: &[Vec<u8>]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut writer = Writer::new(&mut file, Header::new(LinkType::ETHERNET)).unwrap();
    for bytes in frames {
        let frame = Frame::whole(bytes.clone());
        writer.packet(0, frame.wire_length, &frame.bytes).unwrap();
    }
    file
}

fn repaired(file: &[u8]) -> Result<Vec<u8>, Error> {
    let repairer = Repairer::new(|| Reader::new(file), Policy::all(), |_| {})?;
    let mut rewriter = Rewriter::new(file, &repairer.across(), |buffer, edits| {
        edits.extend(repairer.repairs(buffer).iter().flat_map(|repair| repair.edits()));
    })?;
    let mut repaired = Vec::new();
    rewriter.read_to_end(&mut repaired).map_err(|source| Error::Io { doing: "repair", source })?;
    Ok(repaired)
}

/// Returns the verdicts of all checks, by name of the protocol.
fn verdicts(file: &[u8]) -> Vec<(&'static str, &'static str)> {
    let mut all = Vec::new();
    verify::capture(file, |buffer| {
        all.extend(buffer.findings().map(|it| (it.check.protocol.name, it.verdict.name())));
    })
    .unwrap();
    all
}

/// Returns the offset in the file of the field of a check.
fn field(file: &[u8], protocol: &str, number: usize) -> u64 {
    let mut fields = Vec::new();
    verify::capture(file, |buffer| {
        for finding in buffer.findings().filter(|it| it.check.protocol.name == protocol) {
            fields.extend(buffer.places.offset(finding.check.field[0].start));
        }
    })
    .unwrap();
    fields[number]
}

/// Changes a 16-bit word so that a sum over it and a previous change stays equal.
fn give_back(file: &mut [u8], at: usize, changed: (u8, u8), low: bool) {
    let word = u16::from_be_bytes([file[at], file[at + 1]]);
    let place = |byte: u8| if low { u16::from(byte) } else { u16::from(byte) << 8 };
    let word = residue::internet::update(word, place(changed.0), place(changed.1));
    file[at..at + 2].copy_from_slice(&word.to_be_bytes());
}

/// The transport checksum is in the first fragment, inside a tunnel whose checksum covers it, and
/// follows.
#[test]
fn a_repaired_fragment_inside_a_checksummed_tunnel() {
    let ends = [[10, 0, 0, 1], [10, 0, 0, 2]];
    let datagram = Ends::V4(ends);
    let udp = udp::datagram(datagram, [7, 9], &[0x5a; 100]);
    let fragments = ipv4::fragments(ends, 17, &udp, 64);
    let frames: Vec<Vec<u8>> = fragments
        .iter()
        .map(|fragment| V4.frame(47, &gre::packet_with_checksum(0x0800, fragment)))
        .collect();
    let good = capture(&frames);
    assert!(verdicts(&good).iter().all(|(_, verdict)| *verdict == "good"), "{:?}", verdicts(&good));

    // The inner value is damaged, and the outer one computed over the damage.
    let mut bad = good.clone();
    let at = field(&good, "udp", 0) as usize;
    let before = bad[at];
    bad[at] ^= 0x42;
    give_back(&mut bad, field(&good, "gre", 0) as usize, (before, before ^ 0x42), false);
    let wrong: Vec<_> =
        verdicts(&bad).into_iter().filter(|(_, verdict)| *verdict != "good").collect();
    assert_eq!(wrong, [("udp", "bad")]);
    assert_eq!(repaired(&bad).unwrap(), good);
}

/// A digest is in a segment long before the end of its PDU: the TCP checksum of the segment
/// follows.
#[test]
fn a_repaired_digest() {
    let good = include_bytes!("../../../captures/iscsi.pcap");
    assert!(verdicts(good).iter().all(|(_, verdict)| *verdict == "good"));
    for (protocol, number) in [("iscsi.header", 3), ("iscsi.data", 2)] {
        let mut bad = good.to_vec();
        let at = field(good, protocol, number) as usize;
        let before = bad[at];
        bad[at] ^= 0x10;
        // Offset and parity of the checksum of the segment with the digest.
        let (mut tcp, mut low) = (None, false);
        verify::capture(&good[..], |buffer| {
            let inside = buffer.places.offset(0).is_some_and(|start| {
                (start..start + buffer.bytes.len() as u64).contains(&(at as u64))
            });
            for finding in buffer.findings().filter(|it| inside && it.check.protocol.name == "tcp")
            {
                let start = buffer.places.offset(finding.check.field[0].start).unwrap();
                // The checksum is 16 bytes into the segment, so it has the segment's parity.
                (tcp, low) = (Some(start as usize), (at as u64 - start) % 2 == 1);
            }
        })
        .unwrap();
        give_back(&mut bad, tcp.unwrap(), (before, before ^ 0x10), low);
        let wrong: Vec<_> =
            verdicts(&bad).into_iter().filter(|(_, verdict)| *verdict != "good").collect();
        assert_eq!(wrong, [(protocol, "bad")]);
        assert_eq!(repaired(&bad).unwrap(), good);
    }
}

/// Fragments that were captured twice, as on a mirrored port, are changed in both copies, in every
/// order: each copy of the first fragment holds the value.
#[test]
fn copies_of_fragments_are_changed_alike() {
    let ends = [[10, 0, 0, 1], [10, 0, 0, 2]];
    let datagram = Ends::V4(ends);
    let udp = udp::datagram(datagram, [7, 9], &[0x5a; 200]);
    let ethernet = |packet: &Vec<u8>| ethernet::frame(0x800, packet);
    let fragments = ipv4::fragments(ends, 17, &udp, 64);
    let frames: Vec<Vec<u8>> = fragments.iter().map(ethernet).collect();
    let [a, b] = &frames[..] else { panic!("{} fragments", frames.len()) };
    // What follows the last missing fragment is of another datagram, which never ends.
    for order in [vec![a, a, b, b], vec![a, a, a, b], vec![b, b, a]] {
        let order: Vec<Vec<u8>> = order.into_iter().cloned().collect();
        let good = capture(&order);
        let mut bad = good.clone();
        let value = [udp[6], udp[7]];
        let places: Vec<usize> =
            good.windows(8).enumerate().filter(|(_, at)| *at == &udp[..8]).map(|it| it.0).collect();
        for place in &places {
            bad[place + 6] ^= 0x40;
        }
        assert_eq!(repaired(&bad).unwrap(), good, "{} copies of {value:?}", places.len());

        let mapping: Mapping = "10.0.0.1=192.0.2.77".parse().unwrap();
        let mut translated = good.clone();
        verify::capture(&good[..], |buffer| {
            for (at, _, new) in nat::translate(buffer, &[mapping]) {
                translated[at as usize] = new;
            }
        })
        .unwrap();
        assert_eq!(verdicts(&translated), verdicts(&good));
        assert_ne!(translated, good);
    }
}
