//! The packets compared with packets known from elsewhere, and the cases with what they promise.

use super::*;
use crate::case::spoil;
use crate::ip::{A, B, Ends, V4, V6};
use crate::tcp::Tcp;
use std::collections::HashSet;
use std::ops::Range;

fn from_hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits
        .chunks_exact(2)
        .map(|two| u8::from_str_radix(str::from_utf8(two).unwrap(), 16).unwrap())
        .collect()
}

#[test]
fn alternate_checksums_of_the_literature() {
    // Values 1 and 2 after RFC 1146, 3 to 5 after Sahu 2019, chapter 7.
    let segments = [
        "04d2005000000001000000025018200070cd000068656c6c6f",
        "04d200500000000100000002601820005c3b00000f04c85468656c6c6f",
        "04d2005000000001000000026018200072a000000f040c3c68656c6c6f",
        "04d200500000000100000002701820003cff00000f069a71bb4c010168656c6c6f",
        "04d20050000000010000000270182000ee9c00000f06f209b216010168656c6c6f",
    ];
    for (value, segment) in (1..).zip(segments) {
        assert_eq!(tcp_checksum_option::segment(V4, value, b"hello"), from_hex(segment), "{value}");
    }
    // Computed bit by bit by crates/residue-guard/tests/golden.py.
    let seventh = "04d200500000000100000002701820000f7200000f067df0055b010168656c6c6f";
    assert_eq!(tcp_checksum_option::segment(V4, 7, b"hello"), from_hex(seventh));
    let syn = tcp_checksum_option::syn(V4, [1234, 80], false, 4);
    assert_eq!(syn[12..14], [0x60, 2]);
    assert_eq!(syn[20..], [14, 3, 4, 1]);
}

#[test]
fn an_ipv4_header_of_the_literature() {
    let mut header = from_hex("4500003044224000800600008c7c19acae241e2b");
    ipv4::seal(&mut header);
    assert_eq!(header[10..12], [0x44, 0x2e]);
    let packet = ipv4::packet([A, B], 17, &[1; 8], b"data");
    assert_eq!((packet[0], packet.len(), packet[3]), (0x47, 32, 32));
    assert_eq!(residue::internet::reference(&packet[..28]), 0);
}

#[test]
fn sums_with_pseudo_headers_come_out_as_zero() {
    for ends in [V4, V6] {
        for (protocol, message) in
            [(6, tcp::segment(ends)), (17, udp::datagram(ends, [1, 2], DATA))]
        {
            let all = [ends.pseudo_bytes(protocol, message.len()), message].concat();
            assert_eq!(residue::internet::reference(&all), 0);
        }
        let mut never_zero = udp::summing_to_zero(ends, [1, 2]);
        assert_eq!(never_zero[6..8], [0xff, 0xff]);
        never_zero[6..8].fill(0);
        let length = never_zero.len();
        let all = [ends.pseudo_bytes(17, length), never_zero].concat();
        assert_eq!(residue::internet::reference(&all), 0);
    }
}

#[test]
fn values_that_scapy_and_tshark_gave() {
    let packet = roce::packet(V4, b"the check values of residue classes");
    assert_eq!(packet[packet.len() - 4..], [0xee, 0x5f, 0x9e, 0x5a]);
    let message = stun::binding_request();
    assert_eq!(message[message.len() - 8..message.len() - 4], [0x80, 0x28, 0, 4]);
    assert_eq!(usize::from(message[3]), message.len() - 20);
}

#[test]
fn the_cases_of_the_comparison_come_first_and_names_are_unique() {
    let cases = cases();
    assert!(cases.iter().map(|case| case.name).take(54).eq(comparison::NAMES));
    let names: HashSet<_> = cases.iter().map(|case| case.name).collect();
    assert_eq!(names.len(), cases.len());
    let plain = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    assert!(names.iter().all(|name| plain(name)));
}

/// Returns where two frames differ: from the first such byte to after the last.
fn difference(one: &Frame, other: &Frame) -> Option<Range<usize>> {
    assert_eq!((one.bytes.len(), one.wire_length), (other.bytes.len(), other.wire_length));
    let differs = |&at: &usize| one.bytes[at] != other.bytes[at];
    let first = (0..one.bytes.len()).find(differs)?;
    Some(first..(0..one.bytes.len()).rfind(differs)? + 1)
}

#[test]
fn pairs_of_the_comparison_differ_in_one_check_value() {
    for case in cases().into_iter().filter(|case| comparison::place(case.name).is_some()) {
        assert_eq!(case.good.len(), case.bad.len());
        let all: Vec<_> = case
            .good
            .iter()
            .zip(&case.bad)
            .filter_map(|(good, bad)| difference(good, bad))
            .collect();
        let [field] = &all[..] else { panic!("{}: {all:?}", case.name) };
        let longest = if matches!(case.protocol, "sctp" | "eth.fcs") { 4 } else { 2 };
        assert!(field.len() <= longest, "{}: {field:?}", case.name);
    }
}

#[test]
fn pairs_differ_and_bad_packets_are_flagged() {
    for case in cases() {
        assert_eq!(case.good.len(), case.bad.len());
        assert_ne!(case.good, case.bad, "{}", case.name);
        let is_flagged = case.bad_verdicts.iter().any(|&(name, _)| name == case.protocol);
        assert!(is_flagged || case.name == "positive-zero", "{}", case.name);
    }
}

#[test]
fn the_place_of_a_field_is_that_of_the_last_copy() {
    assert_eq!(spoil(b"abcabcd", b"abc", 1..3), [b'a', b'b', b'c', b'a', 0x38, 0x39, b'd']);
    assert_eq!(spoil(&[0x5a, 0x5a], &[0x5a, 0x5a], 0..2), [0x66, 0x66]);
    assert_eq!(spoil(b"abc", b"xyz", 0..1), b"abc");
}

#[test]
fn synthetic_captures_are_what_they_say() {
    let make = |bytes, seed| {
        let mut file = Vec::new();
        let done = synthetic(&mut file, bytes, seed).unwrap();
        assert_eq!(done.bytes, file.len() as u64);
        (file, done)
    };
    let (file, done) = make(4_000_000, 42);
    assert!((4_000_000..4_002_000).contains(&file.len()));
    assert_eq!((&file, &done), (&make(4_000_000, 42).0, &make(4_000_000, 42).1));
    assert_ne!(file, make(4_000_000, 43).0);
    // A shorter one is the beginning of a longer one.
    let (short, _) = make(1_000_000, 42);
    assert_eq!(short, file[..short.len()]);

    let (mut at, mut packets, mut six, mut tcp) = (24, 0, 0, 0);
    let mut lengths = [0; 3];
    while let Some(header) = file.get(at..at + 16) {
        let length = u32::from_le_bytes(header[8..12].try_into().unwrap()) as usize;
        assert_eq!(header[8..12], header[12..16]);
        let frame = &file[at + 16..at + 16 + length];
        let is_six = frame[12..14] == [0x86, 0xdd];
        six += u64::from(is_six);
        tcp += u64::from(frame[if is_six { 20 } else { 23 }] == 6);
        lengths[if length < 100 { 0 } else { 1 + usize::from(length == 1500) }] += 1;
        assert!(matches!(length, 64 | 74 | 576 | 1500));
        at += 16 + length;
        packets += 1;
    }
    assert_eq!((at, packets), (file.len(), done.packets));
    let share = |count: u64| (count as f64 / packets as f64 * 1000.0).round() as i64;
    let near = |share: i64, expected: i64| (share - expected).abs() < 25;
    assert!(near(share(six), 400) && near(share(tcp), 700));
    let expected = [7000 / 16, 4000 / 16, 5000 / 16];
    assert!(lengths.iter().zip(expected).all(|(&count, expected)| near(share(count), expected)));
    assert!((1..20).contains(&done.planted.len()), "{:?}", done.planted);
    assert!(done.planted.is_sorted() && done.planted.iter().all(|&number| number <= packets));
}

#[test]
fn ends_turn() {
    assert_eq!(V6.turned().turned(), V6);
    let Ends::V4([source, destination]) = V4.turned() else { panic!() };
    assert_eq!((source, destination), ([192, 0, 2, 2], [192, 0, 2, 1]));
    assert_eq!(Tcp::default().segment(V4), tcp::segment(V4));
}
