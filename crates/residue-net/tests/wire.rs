//! Tests of every protocol: the checks of a known packet are found, a change of any covered bit is
//! detected, and no damaged packet makes a walk panic.

use residue_net::agreements::Agreements;
use residue_net::check::{Check, Piece, Presence, Reason, Verdict};
use residue_net::frame::{Found, Walk};
use residue_net::pcap::LinkType;
use residue_net::wire;

/// A line of the file of packets.
struct Packet {
    name: &'static str,
    link: LinkType,
    fcs: Option<u8>,
    bytes: Vec<u8>,
    checks: Vec<&'static str>,
}

fn packets() -> Vec<Packet> {
    include_str!("packets.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let [name, link, bytes, checks] = line.split(" | ").collect::<Vec<_>>()[..] else {
                panic!("four columns: {line}");
            };
            let (link, fcs) = match link.split_once(" fcs ") {
                Some((link, fcs)) => (link, Some(fcs.parse().unwrap())),
                None => (link, None),
            };
            Packet {
                name,
                link: LinkType(link.parse().unwrap()),
                fcs,
                bytes: (0..bytes.len() / 2)
                    .map(|at| u8::from_str_radix(&bytes[2 * at..2 * at + 2], 16).unwrap())
                    .collect(),
                checks: checks.split(' ').collect(),
            }
        })
        .collect()
}

/// Returns the checks of a packet of which only `bytes` were captured.
fn find(packet: &Packet, bytes: &[u8], sent: usize) -> Found {
    let mut found = Found::default();
    let mut agreements = Agreements::default();
    let mut walk = Walk::new(bytes, sent as u32, Reason::Cut, &mut found, &mut agreements);
    wire::walk(&mut walk, packet.link, packet.fcs);
    found
}

/// Returns the name of the verdict. Two methods must agree: summing all, and recomputing the value.
fn verdict(check: &Check, bytes: &[u8], found: &Found) -> &'static str {
    let verdict = check.verdict(bytes, &found.pieces);
    if check.presence == Presence::Present {
        let stored = check.stored(bytes).expect("fields are captured");
        let computed = check.computed(bytes, &found.pieces).expect("so is what they cover");
        assert_eq!(check.rule.agrees(stored, computed), verdict == Verdict::Good, "{check:?}");
    }
    verdict.name()
}

fn verdicts(found: &Found, bytes: &[u8]) -> Vec<String> {
    let word = |check: &Check| match verdict(check, bytes, found) {
        "good" => check.protocol.name.to_string(),
        other => format!("{}={}", check.protocol.name, other.replace(' ', "-")),
    };
    found.checks.iter().map(word).collect()
}

#[test]
fn every_check_is_found() {
    for packet in packets() {
        let found = find(&packet, &packet.bytes, packet.bytes.len());
        assert_eq!(verdicts(&found, &packet.bytes), packet.checks, "{}", packet.name);
    }
}

/// A bit may determine whether there is a check, or where. Otherwise every check that covers it
/// detects its flip.
#[test]
fn every_covered_bit_counts() {
    for packet in packets() {
        let found = find(&packet, &packet.bytes, packet.bytes.len());
        for (index, check) in found.checks.iter().enumerate() {
            if verdict(check, &packet.bytes, &found) != "good" {
                continue;
            }
            let pieces = &found.pieces[check.pieces.start as usize..check.pieces.end as usize];
            let spans = pieces.iter().filter_map(|piece| match piece {
                Piece::Bytes(span) => Some(*span),
                Piece::PseudoHeader(_) | Piece::Given(_) => None,
            });
            for at in spans.chain(check.field).flat_map(|span| span.start..span.end) {
                for bit in 0..8 {
                    let mut bytes = packet.bytes.clone();
                    bytes[at as usize] ^= 1 << bit;
                    let Some(again) = find_same(&packet, &bytes, index, check) else { continue };
                    let word = verdict(&again.checks[index], &bytes, &again);
                    assert_ne!(word, "good", "{}: byte {at}, bit {bit}", packet.name);
                }
            }
        }
    }
}

/// Returns the checks found, if the check at `index` is still equal.
fn find_same(packet: &Packet, bytes: &[u8], index: usize, check: &Check) -> Option<Found> {
    let found = find(packet, bytes, bytes.len());
    let again = found.checks.get(index)?;
    let same = again.protocol == check.protocol
        && again.rule == check.rule
        && again.field == check.field
        && again.presence == check.presence;
    same.then_some(found)
}

/// Bits that receivers ignore: the packet, the offset of the tunnel's header, and the bits from
/// there on.
const RESERVED: &[(&str, usize, &[u8])] = &[
    // RFC 7348 section 5: all but the I flag.
    ("vxlan", 28, &[0xf7, 0xff, 0xff, 0xff, 0, 0, 0, 0xff]),
    ("vxlan, old port", 28, &[0xf7, 0xff, 0xff, 0xff, 0, 0, 0, 0xff]),
    // draft-ietf-nvo3-vxlan-gpe: also B (a copy for several receivers) and O (operations).
    ("vxlan-gpe", 28, &[0xc3, 0xff, 0xff, 0, 0, 0, 0, 0xff]),
    ("vxlan-gpe, nsh", 28, &[0xc3, 0xff, 0xff, 0, 0, 0, 0, 0xff]),
    ("vxlan-gpe without next protocol", 28, &[0xc3, 0xff, 0xff, 0xff, 0, 0, 0, 0xff]),
    // RFC 8926 section 3.4: also O (control) and C (critical options).
    ("geneve with options over IPv6", 48, &[0, 0xff, 0, 0, 0, 0, 0, 0xff]),
    // TS 29.281 section 5.1: the spare bit.
    ("gtp-u", 28, &[0x08]),
    ("gtp-u with extensions", 28, &[0x08]),
    // RFC 2661 section 3.1: all x, and P (priority).
    ("l2tp", 28, &[0x35, 0xf0]),
    // RFC 2784 section 2.3 and RFC 1701: recursion control, strict routing, and the bits after
    // them.
    ("gre with key and sequence", 20, &[0x0f, 0xf8]),
    ("gre, ethernet", 20, &[0x0f, 0xf8]),
    ("gre in udp", 28, &[0x0f, 0xf8]),
    ("erspan I", 20, &[0x0f, 0xf8]),
    ("erspan II", 28, &[0, 0, 0, 0, 0xff, 0xf0]),
    // RFC 2637 section 4.1.
    ("pptp", 20, &[0x0f, 0x78]),
    // RFC 3378 section 2: the twelve bits after the version.
    ("etherip", 20, &[0x0f, 0xff]),
    // RFC 9300 section 5.1: R, and the keys of encrypted packets, which these are not.
    ("lisp", 28, &[0x07]),
    // RFC 8300 section 2.2: O (operations), U, and the four bits before the type of metadata.
    ("nsh", 14, &[0x30, 0, 0xf0]),
    ("vxlan-gpe, nsh in nsh", 36, &[0x30, 0, 0xf0]),
    // IEEE 802.1BR: priority, group and the numbers of extenders mean nothing here.
    ("e-tag", 14, &[0xff; 6]),
    ("vn-tag", 14, &[0xff; 4]),
    ("hsr", 14, &[0xff; 4]),
    // RFC 5415 section 4.3: the radio, the flags after K, the numbers of fragments that it is not.
    ("capwap, 802.3", 28, &[0, 0x07, 0xc0, 0x07, 0xff, 0xff, 0xff, 0xff]),
    ("capwap, 802.11", 28, &[0, 0x07, 0xc0, 0x07, 0xff, 0xff, 0xff, 0xff]),
    // RFC 9301 section 5.8: all but the type and the flag of a signature.
    ("lisp control, encapsulated", 28, &[0x07, 0xff, 0xff, 0xff]),
    // GSM 09.60: whether there is an N-PDU number, whose place is there in any case.
    ("gtp version 0", 28, &[0x01]),
    // IEEE 802.1AE: the two bits before the short length.
    ("macsec, integrity only", 14, &[0, 0xc0]),
];

#[test]
fn reserved_bits_change_nothing_that_is_found() {
    let packets = packets();
    for &(name, start, bits) in RESERVED {
        let packet = packets.iter().find(|packet| packet.name == name).expect(name);
        for most in [0xff, 1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80] {
            let mut bytes = packet.bytes.clone();
            for (byte, bits) in bytes[start..].iter_mut().zip(bits) {
                *byte |= bits & most;
            }
            let found = find(packet, &bytes, bytes.len());
            let mut verdicts = verdicts(&found, &bytes);
            // The outer UDP checksum may cover the header of the tunnel.
            if let Some(outer) = verdicts.get_mut(1).filter(|outer| *outer == "udp=bad") {
                outer.truncate(3);
            }
            assert_eq!(verdicts, packet.checks, "{name}: bits {most:#x}");
        }
    }
}

/// Files of tunnels and parts of protocols without such bits, or whose bits [`RESERVED`] has under
/// the name of another.
const NO_RESERVED: [&str; 13] = [
    "ayiya",
    "gue",
    "ip",
    "ipv6",
    "link",
    "llc",
    "mpls",
    "pdu",
    "ppi",
    "ppp",
    "pseudowire",
    "storage",
    "teredo",
];

/// A header without a check value is read for what is inside: bits that mean nothing must not hide
/// it.
#[test]
fn every_tunnel_has_its_reserved_bits() {
    for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/wire")).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if path.is_dir() || std::fs::read_to_string(&path).unwrap().contains("Protocol {") {
            continue;
        }
        assert!(
            RESERVED.iter().any(|(packet, ..)| packet.contains(&name))
                || NO_RESERVED.contains(&name.as_str()),
            "src/wire/{name}.rs: bits that receivers ignore are missing in RESERVED in \
             crates/residue-net/tests/wire.rs; if it has none, its name in NO_RESERVED"
        );
    }
}

#[test]
fn cut_packets_are_not_judged_beyond_the_cut() {
    for packet in packets() {
        let whole = find(&packet, &packet.bytes, packet.bytes.len());
        for length in 0..packet.bytes.len() {
            let bytes = &packet.bytes[..length];
            let found = find(&packet, bytes, packet.bytes.len());
            for check in &found.checks {
                let word = verdict(check, bytes, &found);
                // If the length of the quoted packet is unknown, only a right checksum shows an
                // extension.
                let same = whole.checks.iter().find(|same| same.field == check.field);
                let same = same.map(|same| verdict(same, &packet.bytes, &whole));
                assert!(
                    word == "unverifiable" || Some(word) == same,
                    "{}, cut to {length}: {} is {word}, and was {same:?}",
                    packet.name,
                    check.protocol.name,
                );
            }
        }
    }
}

#[test]
fn damaged_packets_do_no_harm() {
    let try_out = |packet: &Packet, bytes: &[u8], sent: usize| {
        let found = find(packet, bytes, sent);
        assert!(found.checks.len() <= bytes.len(), "{}: more checks than bytes", packet.name);
        for check in &found.checks {
            verdict(check, bytes, &found);
        }
    };
    for packet in packets() {
        for length in 0..=packet.bytes.len() {
            for sent in [length, packet.bytes.len(), u32::MAX as usize] {
                try_out(&packet, &packet.bytes[..length], sent);
            }
        }
        for at in 0..packet.bytes.len() {
            for byte in 0..=255 {
                let mut bytes = packet.bytes.clone();
                bytes[at] = byte;
                try_out(&packet, &bytes, bytes.len());
            }
        }
    }
}

/// Tags without end cost no more than their bytes, and no memory.
#[test]
fn a_packet_of_nothing_but_tags() {
    for (number, length) in [(0x8100u16, 4), (0x893f, 8), (0x8926, 6), (0x88e7, 18), (0x8903, 16)] {
        let mut tag = vec![0; length];
        tag[length - 2..].copy_from_slice(&number.to_be_bytes());
        let mut bytes = vec![0; 12];
        bytes.extend(number.to_be_bytes());
        bytes.extend(tag.iter().cycle().take(250_000 / length * length));
        let case = Packet { name: "", link: LinkType(1), fcs: None, bytes, checks: Vec::new() };
        let found = find(&case, &case.bytes, case.bytes.len());
        assert!(found.checks.is_empty() && found.unfollowed.is_empty(), "{number:x}");
    }
}

/// An aggregate of very many frames, each of another unknown protocol.
#[test]
fn reports_of_one_packet_are_bounded() {
    let mut bytes = vec![0x88, 1];
    bytes.extend([0; 22]);
    bytes.extend([0x80, 0]);
    for number in 0..10_000u16 {
        bytes.extend([0; 12]);
        bytes.extend([0, 8, 0xaa, 0xaa, 3, 0, 0, 1]);
        bytes.extend(number.to_be_bytes());
        bytes.extend([0, 0]);
    }
    let case = Packet { name: "", link: LinkType(105), fcs: None, bytes, checks: Vec::new() };
    let found = find(&case, &case.bytes, case.bytes.len());
    assert!((2..100).contains(&found.unfollowed.len()), "{}", found.unfollowed.len());
}

/// Endlessly nested headers.
#[test]
fn nesting_is_bounded() {
    let mut packet: Vec<u8> = Vec::new();
    for left in (0..1000_u16).rev() {
        let total = (20 * (left + 1)).to_be_bytes();
        packet.extend([0x45, 0, total[0], total[1], 0, 0, 0, 0, 64, 4, 0, 0]);
        packet.extend([192, 0, 2, 1, 192, 0, 2, 2]);
    }
    let case =
        Packet { name: "", link: LinkType::RAW, fcs: None, bytes: packet, checks: Vec::new() };
    let found = find(&case, &case.bytes, case.bytes.len());
    assert!((2..100).contains(&found.checks.len()), "{}", found.checks.len());
}
