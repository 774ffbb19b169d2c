//! Segments with every value, and what SYNs agree upon.

use super::*;
use crate::agreements::Agreements;
use crate::check::Verdict;
use crate::frame::Found;
use crate::pcap::LinkType;

/// Walks from 192.0.2.1 port 1234 to 192.0.2.2 port 80, around a segment in hexadecimal.
fn packet(segment: &str) -> Vec<u8> {
    let mut packet = vec![0x45, 0, 0, 0, 0, 0, 0, 0, 64, 6, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2];
    let digit = |at: usize| u8::from_str_radix(&segment[at..at + 2], 16).unwrap();
    packet.extend((0..segment.len()).step_by(2).map(digit));
    packet[3] = packet.len() as u8;
    packet
}

fn checks(packets: &[&str]) -> (Vec<Check>, Vec<Verdict>) {
    let mut agreements = Agreements::default();
    let mut found = Found::default();
    let mut verdicts = Vec::new();
    for segment in packets {
        found.clear();
        let bytes = packet(segment);
        let mut walk = Walk::new(&bytes, 0, Reason::Cut, &mut found, &mut agreements);
        crate::wire::walk(&mut walk, LinkType::IPV4, None);
        verdicts =
            found.checks[1..].iter().map(|check| check.verdict(&bytes, &found.pieces)).collect();
    }
    (found.checks.split_off(1), verdicts)
}

const SEGMENTS: [(u8, &str); 6] = [
    (1, "04d20050000000010000000250182000 70cd0000 68656c6c6f"),
    (2, "04d20050000000010000000260182000 5c3b0000 0f04c854 68656c6c6f"),
    (3, "04d20050000000010000000260182000 72a00000 0f040c3c 68656c6c6f"),
    (4, "04d20050000000010000000270182000 3cff0000 0f069a71bb4c0101 68656c6c6f"),
    (5, "04d20050000000010000000270182000 ee9c0000 0f06f209b2160101 68656c6c6f"),
    (7, "04d20050000000010000000270182000 0f720000 0f067df0055b0101 68656c6c6f"),
];

fn syns(value: u8, answer: u8) -> [String; 2] {
    let syn = |ports: &str, flags: &str, value: u8| {
        format!("{ports}000000000000000060{flags}2000000000000e03{value:02x}00")
    };
    // Both from the same address, but the ports distinguish the ends.
    [syn("04d20050", "02", value), syn("04d20050", "02", answer)]
}

#[test]
fn golden_segments_without_their_syns() {
    for (value, segment) in &SEGMENTS[1..] {
        let (checks, verdicts) = checks(&[&segment.replace(' ', "")]);
        let alternate = checks.iter().find(|check| check.protocol == &ALTERNATE).unwrap();
        assert!(verdicts.iter().all(|&verdict| verdict == Verdict::Good), "{value}");
        let field: u32 = alternate.field.iter().map(|span| span.len()).sum();
        assert_eq!(field, 4, "{value}");
        assert_eq!(checks.len(), if *value >= 4 { 2 } else { 1 }, "{value}");
    }
}

#[test]
fn an_agreement_decides() {
    // Value 1 needs no option, so only the SYNs show it. `Connection` orders the ends: one SYN
    // serves for both here.
    let [syn, _] = syns(1, 1);
    let segment = SEGMENTS[0].1.replace(' ', "");
    let (_, verdicts) = checks(&[&segment]);
    assert_eq!(verdicts, [Verdict::Bad]);
    let mut agreements = Agreements::default();
    let (connection, side) = Connection::of(&[192, 0, 2, 1], &[192, 0, 2, 2], [1234, 80]);
    agreements.syn(connection, side, true, Some(1));
    agreements.syn(connection, 1 - side, false, Some(1));
    let mut found = Found::default();
    for (segment, expected) in [(&syn, None), (&segment, Some(Verdict::Good))] {
        found.clear();
        let bytes = packet(segment);
        let mut walk = Walk::new(&bytes, 0, Reason::Cut, &mut found, &mut agreements);
        crate::wire::walk(&mut walk, LinkType::IPV4, None);
        if let Some(expected) = expected {
            assert_eq!(found.checks[1].protocol, &ALTERNATE);
            assert_eq!(found.checks[1].verdict(&bytes, &found.pieces), expected);
        }
    }
}

/// A host that gets no answer repeats its SYN with and without the request, and so does the other
/// one its SYN-ACK. Segments show which of them the peer has taken.
#[test]
fn requests_that_are_repeated_without_the_option() {
    let ends = [&[10, 0, 0, 1][..], &[10, 0, 0, 2]];
    let connection = || Connection::of(ends[0], ends[1], [50_000, 80]).0;
    let side = |from: usize| {
        Connection::of(ends[from], ends[1 - from], [[50_000, 80], [80, 50_000]][from]).1
    };
    for (syns, expected) in [
        (&[(0, Some(5)), (1, Some(5))][..], Some(5)),
        (&[(0, Some(5)), (0, None), (1, Some(5)), (1, None)], None),
        (&[(0, Some(5)), (1, Some(5)), (1, None)], None),
        (&[(0, Some(5)), (1, None)], Some(0)),
        // Ports that are used again, without a request.
        (&[(0, Some(5)), (1, Some(5)), (0, None), (1, None)], Some(0)),
    ] {
        let mut agreements = Agreements::default();
        for &(from, value) in syns {
            agreements.syn(connection(), side(from), from == 0, value);
        }
        assert_eq!(agreements.of(&connection()), expected, "{syns:?}");
    }
}
