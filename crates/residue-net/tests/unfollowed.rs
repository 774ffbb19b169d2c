//! Tests that every end of a walk at an unparsed protocol is reported, and no other.

use residue_net::agreements::Agreements;
use residue_net::frame::{Found, Walk};
use residue_net::pcap::{LinkType, Packet};
use residue_net::summary::Summary;
use residue_net::unfollowed::{Numbering, Unfollowed};
use residue_net::verify::Verifier;
use residue_net::wire;

/// Parses hexadecimal digits with spaces.
fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(16)).collect();
    digits.chunks(2).map(|two| (two[0] * 16 + two[1]) as u8).collect()
}

/// An Ethernet frame with a type or length.
fn ether(number: u16, inner: &[u8]) -> Vec<u8> {
    [&[2; 12][..], &number.to_be_bytes()[..], inner].concat()
}

/// An IEEE 802.2 frame.
fn llc(inner: &str) -> Vec<u8> {
    let inner = hex(inner);
    ether(inner.len() as u16, &inner)
}

fn ipv4(protocol: u8, inner: &[u8]) -> Vec<u8> {
    let length = (20 + inner.len() as u16).to_be_bytes();
    let header = [0x45, 0, length[0], length[1], 0, 0, 0, 0, 64, protocol, 0, 0];
    [&header[..], &[192, 0, 2, 1, 192, 0, 2, 2], inner].concat()
}

fn udp(port: u16, inner: &str) -> Vec<u8> {
    let inner = hex(inner);
    let words = [50_000, port, 8 + inner.len() as u16, 0].map(u16::to_be_bytes);
    ipv4(17, &[&words.concat()[..], &inner].concat())
}

/// Returns a segment of the server of a port.
fn tcp(port: u16, sequence: u32, flags: u8, inner: &[u8]) -> Vec<u8> {
    let ports = [50_000, port].map(u16::to_be_bytes).concat();
    let rest = [0, 0, 0, 0, 0x50, flags, 0x20, 0, 0, 0, 0, 0];
    ipv4(6, &[&ports[..], &sequence.to_be_bytes(), &rest, inner].concat())
}

/// Returns the ends of the walk through a packet, as in reports.
fn ends(link: u32, bytes: &[u8]) -> Vec<String> {
    let (mut found, mut agreements) = (Found::default(), Agreements::default());
    let cut = residue_net::check::Reason::Cut;
    let mut walk = Walk::new(bytes, 0, cut, &mut found, &mut agreements);
    wire::walk(&mut walk, LinkType(link), None);
    found.unfollowed.iter().map(|(unfollowed, _)| unfollowed.to_string()).collect()
}

#[test]
fn every_place_where_a_walk_ends_at_an_unknown_protocol_is_reported() {
    let gre = |header: &str| ipv4(47, &hex(header));
    for (expected, link, bytes) in [
        ("link type 147 (private use)", 147, hex("00")),
        ("link type 65535", 65535, hex("00")),
        ("link type 129 (ARCNET)", 129, hex("01 02 0000 f7 00")),
        ("address family 5", 0, hex("05000000 45")),
        ("EtherType 88B5", 1, ether(0x88b5, &[0])),
        ("EtherType 8137 (IPX)", 1, ether(0x8137, &[0])),
        ("EtherType 88B5", 1, ether(0x8100, &hex("0001 88b5 00"))),
        ("EtherType 88B5", 113, hex("0000 0001 0006 020202020202 0000 88b5 00")),
        ("EtherType 88B5", 276, hex("88b5 0000 00000001 0001 00 06 0202020202020000 00")),
        ("EtherType 88CD (SERCOS III)", 1, ether(0x88cd, &[0])),
        ("EtherType 8902 (connectivity fault management)", 1, ether(0x8902, &[0])),
        (
            "SNAP protocol 00000C 0111 (unidirectional link detection)",
            1,
            llc("aa aa 03 00000c 0111 00"),
        ),
        ("EtherType 88E5 (MACsec: encrypted)", 1, ether(0x88e5, &hex("0c 00 00000001 00"))),
        ("LLC service access point E0 (IPX)", 1, llc("e0 e0 03 ffff")),
        ("LLC service access point FF (IPX without LLC)", 1, llc("ff ff 00 22")),
        ("SNAP protocol 080007 809B (AppleTalk)", 1, llc("aa aa 03 080007 809b 00")),
        ("OSI network layer protocol CF (PPP)", 107, hex("1841 03 cf ff03 0021")),
        ("PPP protocol 002D (TCP/IP with compressed headers)", 9, hex("ff03 002d 00")),
        ("PPP protocol 0053 (encrypted)", 9, hex("53 00")),
        (
            "IEEE 802.11 frame flag 40 (protected: encrypted)",
            105,
            [&hex("0840 0000")[..], &[2; 28]].concat(),
        ),
        ("IP version 7", 101, hex("70 00")),
        ("IP version 6", 1, ether(0x0800, &[0x60; 40])),
        ("IP version 4", 1, ether(0x86dd, &[0x45; 40])),
        ("IP protocol 46 (RSVP)", 101, ipv4(46, &[0x10, 1])),
        ("IP protocol 50 (ESP: encrypted)", 101, ipv4(50, &[0, 0, 0, 1])),
        ("IP protocol 115 (L2TP version 3)", 101, ipv4(115, &[0, 0, 0, 1])),
        ("IP protocol 97 (EtherIP)", 101, ipv4(97, &[0x40, 0])),
        ("GRE protocol 8380", 101, gre("0000 8380 00")),
        ("GRE protocol 9000 (Aruba)", 101, gre("0000 9000 00")),
        ("GRE protocol 0001 (IPX without LLC)", 101, gre("2001 0001 00000000")),
        ("GRE protocol 88BE", 101, gre("1000 88be 00000000 f0")),
        ("MPLS payload beginning with 9", 1, ether(0x8847, &hex("00010140 90 00"))),
        ("NSH next protocol 7", 1, ether(0x894f, &hex("0002 01 07 00000000"))),
        ("VXLAN next protocol 9", 101, udp(4790, "0c000009 00000000 00")),
        ("GUE protocol 6 (TCP)", 101, udp(6080, "0006 0000 00")),
        ("UDP port 6080 (GUE)", 101, udp(6080, "c006 0000 00")),
        ("UDP port 6081 (Geneve)", 101, udp(6081, "40 00 0800 00000000")),
        ("EtherType 88B5", 101, udp(6081, "00 00 88b5 00000000 00")),
        ("UDP port 1701 (L2TP version 3)", 101, udp(1701, "0003 0000 00000001")),
        ("UDP port 2268 (AMT)", 101, udp(2268, "06 00 000000000000")),
        ("UDP port 4500 (ESP: encrypted)", 101, udp(4500, "00000001 00000001")),
        ("UDP port 4342 (LISP control, signed)", 101, udp(4342, "88000000 00")),
        ("IP protocol 99", 101, udp(5072, "0000 0163 00000000 00 00")),
        (
            "CAPWAP payload 1 (DTLS: encrypted)",
            101,
            udp(5246, "01000000 16 fefd 0000 000000000000 0000"),
        ),
        (
            "CAPWAP payload 1 (DTLS: encrypted)",
            101,
            udp(5247, "01000000 17 fefd 0001 000000000000 0000"),
        ),
        ("CAPWAP payload 2 (fragment)", 101, udp(5247, "00100280 00070000 00")),
        ("CAPWAP payload 2 (fragment)", 101, udp(12222, "0a 00 0001 0000 00")),
        ("CAPWAP payload 3 (radio other than IEEE 802.11)", 101, udp(5247, "00100700 00000000 00")),
        ("UDP port 37008 (TZSP)", 101, udp(37008, "01 00 0001 01 000000 00")),
        ("UDP port 51820 (WireGuard: encrypted)", 101, udp(51820, "04000000 00000001")),
        ("UDP port 1153 (ANSI C12.22)", 101, udp(1153, "60 05 a2 03 06 01 7b")),
        ("UDP port 4713 (synchrophasor (IEEE C37.118))", 101, udp(4713, "aa01 0006 0001")),
        ("UDP port 5050 (Ether-S-Bus)", 101, udp(5050, "0000000d 01 00 0001 00 17 00 1234")),
        ("TCP port 1153 (ANSI C12.22)", 101, tcp(1153, 1, 16, &hex("60 05 a2 03"))),
        (
            "TCP port 4712 (synchrophasor (IEEE C37.118))",
            101,
            tcp(4712, 1, 16, &hex("aa41 0006 0001")),
        ),
        ("IP version 7", 101, udp(2152, "30ff 0001 00000001 70")),
        ("IP version 7", 101, udp(4341, "0000000000000000 70")),
        (
            "TCP port 3478 (STUN, across segments)",
            101,
            tcp(3478, 1, 16, &hex("0001 0000 2112a442")),
        ),
        (
            "TCP port 3478 (STUN, across segments)",
            101,
            tcp(5000, 1, 16, &hex("0014 0001 0000 2112a442")),
        ),
        ("TCP port 20000 (DNP3, within a frame)", 101, tcp(20000, 1, 16, &hex("0102"))),
    ] {
        assert_eq!(ends(link, &bytes), [expected], "link type {link}: {bytes:02x?}");
    }
    // A parsed tunnel has that port.
    let mut bytes = udp(4789, "08000000 00000000");
    bytes.extend(ether(0x88b5, &[0]));
    bytes[20..22].copy_from_slice(&51820u16.to_be_bytes());
    let length = bytes.len() as u16;
    bytes[2..4].copy_from_slice(&length.to_be_bytes());
    bytes[24..26].copy_from_slice(&(length - 20).to_be_bytes());
    assert_eq!(ends(101, &bytes), ["EtherType 88B5"]);
    // The largest depth of a walk, with the outermost header first.
    let mut bytes = ipv4(17, &[]);
    for _ in 0..40 {
        bytes = ipv4(4, &bytes);
    }
    assert_eq!(ends(101, &bytes), ["headers nested deeper than 24"]);
}

#[test]
fn applications_and_protocols_without_check_values_are_not_reported() {
    for (link, bytes) in [
        (1, ether(0x0806, &[0; 28])),
        (1, ether(0x88cc, &[0; 28])),
        (1, ether(0x888e, &[0; 28])),
        (1, ether(0x88f7, &[0; 28])),
        (1, llc("42 42 03 0000")),
        (1, llc("aa aa 03 00000c 010b 00")),
        (1, llc("fe fe bf 00")),
        (9, hex("ff03 c021 01")),
        (9, hex("8021 01")),
        (107, hex("1841 03 08 75")),
        (101, ipv4(59, &[0])),
        (101, ipv4(6, &[0; 3])),
        (101, udp(53, "0001")),
        (101, udp(443, "40 01")),
        (101, udp(4500, "ff")),
        (101, udp(4500, "00000000 0102")),
        (101, udp(51820, "01000000 00000001")),
        // An answer of a name server to a client on the port of a tunnel.
        (101, udp(37008, "1234 8180 0001 0001 0000 0000")),
        (101, udp(5247, "1234 8180 0001 0001 0000 0000")),
        (101, udp(5050, "1234 8180 0001 0001 0000 0000")),
        (101, udp(4713, "aa01 0100 0001")),
        (101, udp(1153, "1234 8180 0001 0001 0000 0000")),
        (101, tcp(4712, 1, 16, &hex("474554202f"))),
        (101, tcp(1153, 1, 16, &hex("474554202f"))),
        (101, udp(1701, "c802 000c")),
        // CAPWAP in the clear: control, keep-alive; LWAPP's control; an AYIYA heartbeat; a map
        // request of LISP; GTP', and a request of GTP version 0.
        (101, udp(5246, "00100200 00000000 00000001")),
        (101, udp(5247, "00100208 00000000 00")),
        (101, udp(12223, "0c 00 0001 0000 00")),
        (101, udp(5072, "4152 1029 00000000")),
        (101, udp(4342, "10000000 00")),
        (101, udp(3386, "0ef0 0005 0001 0700020000")),
        (101, udp(3386, "1e01 0000 0000 0000 00000000 0000000000000000")),
        // Other applications on these ports.
        (101, udp(5072, "1234 8180 0001 0001 0000 0000")),
        (101, udp(12222, "1234 8180 0001 0001 0000 0000")),
        // A channel of TURN with data that are not STUN.
        (101, udp(3478, "4000 0004 80000000")),
        (101, tcp(3478, 1, 16, &hex("4000 0004 80000000"))),
        (101, udp(2152, "3201 0004 00000000 0000 0000")),
        (101, tcp(443, 1, 16, &[0x17, 3, 3])),
        (101, tcp(20000, 1, 16, &[])),
        (101, tcp(20000, 1, 16, &hex("0564 05 c0 0100 0200 0000"))),
    ] {
        assert_eq!(ends(link, &bytes), [""; 0], "link type {link}: {bytes:02x?}");
    }
}

/// Returns the counts of packets with raw IP.
fn counted(packets: &[Vec<u8>]) -> Vec<(Option<Unfollowed>, u64)> {
    let (mut verifier, mut summary) = (Verifier::new(), Summary::new());
    for (number, bytes) in (1..).zip(packets) {
        let packet = Packet {
            number,
            bytes,
            offset: 0,
            wire_length: bytes.len() as u32,
            link: LinkType::RAW,
            fcs: None,
            time: None,
        };
        verifier.packet(&packet, |buffer| summary.buffer(buffer));
    }
    verifier.finish(|buffer| summary.buffer(buffer));
    summary.unfollowed()
}

fn is(numbering: Numbering, value: u64) -> Option<Unfollowed> {
    Some(Unfollowed { numbering, value })
}

#[test]
fn streams_whose_beginning_is_missing_are_reported_with_their_packets() {
    for port in [860, 3260, 4420, 8009] {
        let data = |number: u32| tcp(port, 1 + 100 * number, 16, &[0x33; 100]);
        let packets: Vec<_> = (0..5).map(data).collect();
        assert_eq!(counted(&packets), [(is(Numbering::TcpPort, u64::from(port)), 5)]);
        // Another protocol begins on that port.
        let begun = [vec![tcp(port, 0, 2, &[])], packets].concat();
        assert!(counted(&begun).is_empty());
        // No data is sent.
        assert!(counted(&[tcp(port, 1, 16, &[])]).is_empty());
    }
}

#[test]
fn fragments_without_the_first_are_reported_with_their_packets() {
    let fragment = |identification: u8, offset: u8, more: bool| {
        let mut packet = ipv4(17, &[0; 16]);
        packet[5] = identification;
        packet[6] = if more { 0x20 } else { 0 };
        packet[7] = offset;
        packet
    };
    let lost = [fragment(1, 2, true), fragment(1, 4, false), fragment(2, 2, false)];
    assert_eq!(counted(&lost), [(is(Numbering::Fragments, 17), 3)]);
    // With the first fragment, the checksum is unverifiable, and the datagram is parsed.
    assert!(counted(&[fragment(1, 0, true)]).is_empty());
    assert!(counted(&[fragment(1, 0, true), fragment(1, 2, false)]).is_empty());
}

#[test]
fn kinds_are_counted_once_each_most_packets_first_and_bounded_in_number() {
    let esp = ipv4(50, &[1; 8]);
    let packets = [ipv4(46, &[1]), esp.clone(), ipv4(4, &esp), udp(53, "00")];
    let protocol = |number| is(Numbering::IpProtocol, number);
    assert_eq!(counted(&packets), [(protocol(50), 2), (protocol(46), 1)]);
    let all = (0..1000u16).map(|number| {
        let protocol = 0xa000 + number;
        ipv4(47, &[&[0, 0][..], &protocol.to_be_bytes(), &[0]].concat())
    });
    let counts = counted(&all.collect::<Vec<_>>());
    assert_eq!(counts.len(), 257);
    assert_eq!(counts.last(), Some(&(None, 1000 - 256)));
}
