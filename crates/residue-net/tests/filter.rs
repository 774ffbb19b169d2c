//! Tests filters: what holds for which packets, and the errors of expressions.

use residue_net::filter::Filter;
use residue_net::pcap::{LinkType, Reader};
use residue_net::verify;
use std::fs::File;
use std::path::Path;

fn filter(expression: &str) -> Filter {
    Filter::parse(expression).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns an Ethernet frame.
fn frame(kind: u16, payload: &[u8]) -> Vec<u8> {
    let addresses = [0x02, 0, 0, 0, 0, 0xaa, 0x02, 0, 0, 0, 0, 0xbb];
    [&addresses[..], &kind.to_be_bytes(), payload].concat()
}

/// Returns an IPv4 packet; `fragment` is the field of that name.
fn ipv4(ends: [[u8; 4]; 2], protocol: u8, fragment: u16, payload: &[u8]) -> Vec<u8> {
    let [high, low] = fragment.to_be_bytes();
    let length = 20 + payload.len() as u8;
    let fixed = [0x45, 0, 0, length, 0, 1, high, low, 64, protocol, 0, 0];
    [&fixed[..], &ends[0], &ends[1], payload].concat()
}

/// Returns the ports and zeros, enough for any header of a transport.
fn ports(source: u16, destination: u16) -> Vec<u8> {
    let mut header = [source.to_be_bytes(), destination.to_be_bytes()].concat();
    header.resize(24, 0);
    header
}

const A: [u8; 4] = [10, 1, 2, 3];
const B: [u8; 4] = [192, 0, 2, 1];

/// Asserts for which of the packets, by number, each filter holds.
#[track_caller]
fn holds(packets: &[Vec<u8>], cases: &[(&str, &[usize])]) {
    for (expression, expected) in cases {
        let filter = filter(expression);
        let matches = |at: &usize| filter.matches(LinkType::ETHERNET, &packets[*at]);
        let found: Vec<usize> = (0..packets.len()).filter(matches).collect();
        assert_eq!(&found, expected, "{expression}");
    }
}

fn packets() -> Vec<Vec<u8>> {
    let v6 = |last: u8, next: u8, payload: &[u8]| {
        let mut header = vec![0x60, 0, 0, 0, 0, payload.len() as u8, next, 64];
        for end in [last, 0xfe] {
            header.extend([0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, end]);
        }
        [&header[..], payload].concat()
    };
    let mut broadcast = frame(0x0806, &[0, 1, 8, 0, 6, 4, 0, 1, 2, 0, 0, 0, 0, 0xbb]);
    broadcast.extend(A);
    broadcast.extend([0; 6]);
    broadcast.extend(B);
    broadcast[..6].fill(0xff);
    vec![
        // 0: TCP from A:1234 to B:80
        frame(0x0800, &ipv4([A, B], 6, 0, &ports(1234, 80))),
        // 1: UDP from B:53 to A:5353, with a VLAN tag
        frame(0x8100, &[&[0x20, 7, 8, 0][..], &ipv4([B, A], 17, 0, &ports(53, 5353))].concat()),
        // 2: TCP over IPv6
        frame(0x86dd, &v6(1, 6, &ports(443, 50000))),
        // 3: ARP of A for B
        broadcast,
        // 4: 0 in IPv4
        frame(0x0800, &ipv4([[1, 1, 1, 1], [2, 2, 2, 2]], 4, 0, &ipv4([A, B], 6, 0, &ports(5, 6)))),
        // 5: the first fragment of UDP; 6: a later one
        frame(0x0800, &ipv4([A, [224, 0, 0, 1]], 17, 0x2000, &ports(53, 53))),
        frame(0x0800, &ipv4([A, [224, 0, 0, 1]], 17, 0x0003, &ports(53, 53))),
        // 7: ICMP that quotes 0, which is not followed
        frame(
            0x0800,
            &ipv4([B, A], 1, 0, &[&[3; 8][..], &ipv4([A, B], 6, 0, &ports(1, 2))].concat()),
        ),
        // 8: SCTP, two tags
        frame(
            0x88a8,
            &[&[0, 9, 0x81, 0, 0, 7, 8, 0][..], &ipv4([B, B], 132, 0, &ports(80, 90))].concat(),
        ),
    ]
}

#[test]
fn primitives_hold_for_outer_and_inner_headers() {
    holds(
        &packets(),
        &[
            ("", &[0, 1, 2, 3, 4, 5, 6, 7, 8]),
            ("ip", &[0, 1, 4, 5, 6, 7, 8]),
            ("ip6", &[2]),
            ("arp", &[3]),
            ("tcp", &[0, 2, 4]),
            ("udp", &[1, 5, 6]),
            ("icmp", &[7]),
            ("sctp", &[8]),
            ("vlan", &[1, 8]),
            ("vlan 7", &[1, 8]),
            ("vlan 9", &[8]),
            ("vlan 7 and vlan 9", &[8]),
            ("vlan and udp", &[1]),
            ("host 10.1.2.3", &[0, 1, 3, 4, 5, 6, 7]),
            ("10.1.2.3", &[0, 1, 3, 4, 5, 6, 7]),
            ("src host 10.1.2.3", &[0, 3, 4, 5, 6]),
            ("dst host 10.1.2.3", &[1, 7]),
            ("src and dst host 192.0.2.1", &[8]),
            ("src or dst host 192.0.2.1", &[0, 1, 3, 4, 7, 8]),
            ("ip host 10.1.2.3", &[0, 1, 4, 5, 6, 7]),
            ("arp host 192.0.2.1", &[3]),
            ("arp src host 192.0.2.1", &[]),
            ("host 2001:db8::1", &[2]),
            ("ip6 dst host 2001:db8::fe", &[2]),
            ("net 10", &[0, 1, 3, 4, 5, 6, 7]),
            ("net 10.1.2", &[0, 1, 3, 4, 5, 6, 7]),
            ("net 10.1.3", &[]),
            ("src net 192.0.0.0/9", &[1, 7, 8]),
            ("src 192.0.0.0/9", &[1, 7, 8]),
            ("net 192.0.2.0 mask 255.255.255.0", &[0, 1, 3, 4, 7, 8]),
            ("net 0.0.0.0/0", &[0, 1, 3, 4, 5, 6, 7, 8]),
            ("net 2001:db8::/32", &[2]),
            ("dst net ::/0", &[2]),
            ("port 80", &[0, 8]),
            ("tcp port 80", &[0]),
            ("tcp port http", &[0]),
            ("src port 53", &[1, 5]),
            ("udp dst port 53", &[5]),
            ("port 0x50", &[0, 8]),
            ("portrange 80-90", &[0, 8]),
            ("src and dst portrange 80-90", &[8]),
            ("port 5", &[4]),
            ("ether host 02:00:00:00:00:bb", &[0, 1, 2, 3, 4, 5, 6, 7, 8]),
            ("ether src 2-0-0-0-0-bb", &[0, 1, 2, 3, 4, 5, 6, 7, 8]),
            ("ether dst 02:00:00:00:00:bb", &[]),
            ("ether broadcast", &[3]),
            ("broadcast or ip multicast", &[3, 5, 6]),
            ("multicast", &[3]),
            ("ip6 multicast", &[]),
            ("ip proto 4", &[4]),
            ("ip proto \\tcp", &[0, 4]),
            ("ip6 proto tcp", &[2]),
            ("proto 6", &[0, 2, 4]),
            ("ether proto 0x86dd", &[2]),
            ("ether proto arp", &[3]),
            ("less 58", &[0, 3, 5, 6]),
            ("greater 59", &[1, 2, 4, 7, 8]),
        ],
    );
}

#[test]
fn operators_group_from_the_left_and_values_repeat_words() {
    holds(
        &packets(),
        &[
            ("tcp or udp and port 53", &[1, 5]),
            ("tcp or (udp and port 53)", &[0, 1, 2, 4, 5]),
            ("udp and port 53 or tcp", &[0, 1, 2, 4, 5]),
            ("not tcp and not udp", &[3, 7, 8]),
            ("!tcp&&!udp", &[3, 7, 8]),
            ("not (tcp || udp)", &[3, 7, 8]),
            ("not not arp", &[3]),
            ("tcp port 80 or 443", &[0, 2]),
            ("tcp port (80 or 443)", &[0, 2]),
            ("port 80 and not 1234", &[8]),
            ("src 1.1.1.1 or 192.0.2.1", &[1, 4, 7, 8]),
            ("host 10.1.2.3 and tcp port 80", &[0]),
            ("((((arp))))", &[3]),
            (" \tarp\n", &[3]),
        ],
    );
}

/// Damaged and cut packets match by the headers that are there.
#[test]
fn cut_packets_match_by_what_was_captured() {
    let all = packets();
    let filters = ["host 10.1.2.3", "port 80 or 5", "arp host 10.1.2.3", "vlan 7", "multicast"];
    for packet in &all {
        for filter in filters.map(filter) {
            for length in 0..packet.len() {
                // At the last byte everything that filters ask for is there.
                let _ = filter.matches(LinkType::ETHERNET, &packet[..length]);
            }
            let cut = &packet[..packet.len() - 1];
            let cut_matches = filter.matches(LinkType::ETHERNET, cut);
            assert!(cut_matches <= filter.matches(LinkType::ETHERNET, packet));
        }
    }
    assert!(filter("port 80").matches(LinkType::ETHERNET, &all[0][..38]));
    assert!(!filter("port 80").matches(LinkType::ETHERNET, &all[0][..37]));
    assert!(filter("host 10.1.2.3").matches(LinkType::ETHERNET, &all[0][..34]));
}

#[test]
fn errors_show_the_place() {
    for (expression, place, message) in [
        ("host", 4..4, "expected an address (192.0.2.1 or 2001:db8::1) after `host`"),
        ("host 10.0.0 and tcp", 5..11, "expected an address"),
        ("host example.org", 5..16, "names of hosts are not looked up"),
        ("net 10.1.2.3/8", 4..14, "bits set that are not in its mask"),
        ("net 10.0.0.0/33", 4..15, "expected a net"),
        ("net 10.0.0.0 mask x", 18..19, "expected a mask"),
        ("tcp port 65536", 9..14, "expected a port (0 to 65535), got `65536`"),
        ("tcp port htp", 9..12, "expected a port"),
        ("icmp port 80", 10..12, "`icmp` has no ports"),
        ("tcp host 10.0.0.1", 9..17, "`tcp` has no addresses"),
        ("ip host ::1", 8..11, "`::1` is no address of `ip`"),
        ("portrange 5-4", 10..13, "expected a range of ports"),
        ("ether host 10.0.0.1", 11..19, "expected an Ethernet address"),
        ("ether", 5..5, "after `ether`"),
        ("tcp 80", 4..6, "a word such as `host` or `port` after `tcp`"),
        ("tcp and", 7..7, "expected a primitive"),
        ("tcp and and udp", 8..11, "expected a primitive"),
        ("tcp udp", 4..7, "expected"),
        ("port 80 tcp", 8..11, "expected `and`, `or` or the end"),
        ("(tcp", 0..1, "there is no `)`"),
        ("tcp)", 3..4, "there is no `(`"),
        ("()", 1..2, "expected a primitive"),
        ("80", 0..2, "expected a primitive"),
        ("htp", 0..3, "got `htp`"),
        ("tcp[13] & 2 != 0", 3..4, "comparisons of bytes"),
        ("len > 100", 4..5, "comparisons of bytes"),
        ("vlan 4096", 5..9, "0 to 4095"),
        ("less -1", 5..7, "expected a length"),
        ("ip proto 256", 9..12, "expected the number"),
        ("gateway 10.0.0.1", 0..7, "not supported"),
        ("port 80 or é", 11..13, "expected a port"),
        ("tcp; udp", 3..4, "no character `;`"),
    ] {
        let error = Filter::parse(expression).expect_err(expression);
        assert_eq!(error.place(), place, "{expression}: {error}");
        assert!(error.message().contains(message), "{expression}: {error}");
    }
    assert_eq!(
        Filter::parse("host 80 and tcp").unwrap_err().to_string(),
        "expected an address (192.0.2.1 or 2001:db8::1), got `80`\n  host 80 and tcp\n       ^^"
    );
    let long = format!("{}x", "tcp or ".repeat(100));
    let shown = Filter::parse(&long).unwrap_err().to_string();
    let lines: Vec<&str> = shown.lines().collect();
    assert!(lines.len() == 3 && lines[1].starts_with("  ...") && lines[1].len() < 80, "{shown}");
    assert_eq!(lines[1].find('x'), lines[2].find('^'));
}

/// No expression makes the parser or a filter panic, run long or use much stack.
#[test]
fn any_expression_is_read_or_refused() {
    for (part, count) in [("(", 100_000), ("not ", 100_000), ("tcp and ", 100_000), ("tcp or(", 70)]
    {
        assert!(Filter::parse(&part.repeat(count)).is_err());
    }
    let many = format!("{}tcp", "tcp and ".repeat(100_000));
    assert!(filter(&many).matches(LinkType::ETHERNET, &packets()[0]));
    assert!(
        !filter(&format!("{}tcp", "not ".repeat(100_001)))
            .matches(LinkType::RAW, &ipv4([A, B], 6, 0, &[]))
    );
    let words = [
        "host",
        "net",
        "port",
        "portrange",
        "proto",
        "src",
        "dst",
        "and",
        "or",
        "not",
        "(",
        ")",
        "tcp",
        "ip",
        "ip6",
        "ether",
        "arp",
        "vlan",
        "less",
        "10.0.0.1",
        "::1/0",
        "80",
        "1-2",
        "mask",
        "é",
        "",
        "multicast",
    ];
    // Every expression of up to four words.
    let packets = packets();
    let mut read = 0;
    for number in 0..words.len().pow(4) {
        let at = |place: u32| words[number / words.len().pow(place) % words.len()];
        let expression = [at(0), at(1), at(2), at(3)].join(" ");
        match Filter::parse(&expression) {
            Ok(filter) => {
                read += 1;
                for packet in packets.iter().take(if read % 97 == 0 { 9 } else { 0 }) {
                    let _ = filter.matches(LinkType::ETHERNET, packet);
                }
            }
            Err(error) => {
                let place = error.place();
                assert!(expression.get(place.clone()).is_some(), "{expression}: {place:?}");
                let shown = error.to_string();
                assert_eq!(shown.lines().count(), 3, "{expression}: {shown}");
            }
        }
    }
    assert!(read > 1000, "{read}");
}

/// Filters follow what verification follows: every good capture of the project with TCP has its
/// ports and addresses at the depth of its tunnel.
#[test]
fn tunnels_are_followed() {
    let captures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../captures");
    let mut seen = 0;
    for case in residue_fixtures::cases() {
        let name = format!("{}.good.{}", case.name, case.format.extension());
        let mut reader = Reader::new(File::open(captures.join(&name)).unwrap()).unwrap();
        let protocols = ["tcp", "udp", "sctp", "dccp", "icmp", "icmp6", "igmp", "ospf", "gre"];
        let mut found = [false; 9];
        while let Some(packet) = reader.next().unwrap() {
            for (found, protocol) in found.iter_mut().zip(protocols) {
                *found |= filter(protocol).matches_packet(&packet);
            }
            let fcs_or_cut =
                packet.fcs.is_some() || packet.wire_length as usize > packet.bytes.len();
            let both = filter("ip or ip6");
            assert!(
                fcs_or_cut
                    || both.matches_packet(&packet) == both.matches(packet.link, packet.bytes)
            );
        }
        let mut verified = Vec::new();
        verify::capture(File::open(captures.join(&name)).unwrap(), |buffer| {
            verified.extend(buffer.findings().map(|finding| finding.check.protocol.name));
        })
        .unwrap();
        for (protocol, found) in protocols.iter().zip(found) {
            let name = protocol.replace("icmp6", "icmpv6");
            if verified.contains(&name.as_str()) {
                assert!(found, "{}: {protocol}", case.name);
                seen += 1;
            }
        }
    }
    assert!(seen > 100, "{seen}");
}
