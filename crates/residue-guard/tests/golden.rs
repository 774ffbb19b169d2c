//! Segments of every value and kind over IPv4 and IPv6, computed by another implementation
//! (`golden.txt`); those of value 7 by `golden.py`.

use residue_guard::{Action, Config, Engine};
use std::time::Duration;

struct Line {
    name: String,
    sent: Vec<u8>,
    wire: Vec<u8>,
    received: Vec<u8>,
}

fn bytes(hexadecimal: &str) -> Vec<u8> {
    let digits = |at| u8::from_str_radix(&hexadecimal[at..at + 2], 16).unwrap();
    (0..hexadecimal.len()).step_by(2).map(digits).collect()
}

/// The lines of each connection: IP version, value, segments.
fn connections() -> Vec<(u8, u8, Vec<Line>)> {
    let mut all: Vec<(u8, u8, Vec<Line>)> = Vec::new();
    let text = include_str!("golden.txt");
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let [name, sent, wire, received] =
            line.split('|').map(str::trim).collect::<Vec<&str>>().try_into().unwrap();
        let [version, value, name] = name.split(' ').collect::<Vec<&str>>().try_into().unwrap();
        let (version, value) = (version.parse().unwrap(), value.parse().unwrap());
        let [sent, wire, received] = [sent, wire, received].map(bytes);
        let line = Line { name: name.to_string(), sent, wire, received };
        match all.last_mut() {
            Some(last) if (last.0, last.1) == (version, value) => last.2.push(line),
            _ => all.push((version, value, vec![line])),
        }
    }
    all
}

fn taken(action: Action<'_>, packet: &[u8]) -> Vec<u8> {
    match action {
        Action::Pass => packet.to_vec(),
        Action::Replace(bytes) => bytes.to_vec(),
        Action::Drop(reason) => panic!("dropped: {reason}"),
    }
}

#[test]
fn both_directions_of_every_connection() {
    let connections = connections();
    assert_eq!(connections.len(), 14);
    for (version, value, lines) in &connections {
        assert_eq!(lines.len(), 8);
        let mut ends = [(); 2].map(|()| Engine::new(Config::offering(*value, 5)));
        for (line, time) in lines.iter().zip(1..) {
            let now = Duration::from_millis(time);
            let context = format!("IPv{version}, value {value}, {}", line.name);
            // From the lower port's end or the higher one's.
            let back = line.name == "syn-ack" || line.name == "data-back";
            let [opener, answerer] = &mut ends;
            let (from, to) = if back { (answerer, opener) } else { (opener, answerer) };
            let wire = taken(from.egress(&line.sent, now), &line.sent);
            assert_eq!(wire, line.wire, "{context}, sent");
            let received = taken(to.ingress(&line.wire, now), &line.wire);
            assert_eq!(received, line.received, "{context}, received");
        }
        let value = usize::from(*value);
        for engine in &ends {
            assert_eq!(engine.counters().agreed[value], 1);
            assert_eq!(engine.counters().received[value].bad(), 0);
        }
        assert_eq!(ends[0].counters().sent[value], 4);
        assert_eq!(ends[0].counters().received[value].both_good, 1);
        assert_eq!(ends[1].counters().received[value].both_good, 4);
        let cut = ends[0].counters().sack_blocks_cut;
        assert_eq!(cut, if value <= 3 { 0 } else { 1 }, "value {value}");
    }
}

/// The bytes behind the IP header of a connection's segment.
fn segment(version: u8, value: u8, name: &str) -> Vec<u8> {
    let connections = connections();
    let of = |each: &&(u8, u8, Vec<Line>)| (each.0, each.1) == (version, value);
    let lines = &connections.iter().find(of).unwrap().2;
    let line = lines.iter().find(|line| line.name == name).unwrap();
    line.wire[if version == 4 { 20 } else { 40 }..].to_vec()
}

#[test]
fn the_sources_segments() {
    for (value, expected) in [
        (1, "04d2005000000001000000025018200070cd000068656c6c6f"),
        (2, "04d200500000000100000002601820005c3b00000f04c85468656c6c6f"),
        (3, "04d2005000000001000000026018200072a000000f040c3c68656c6c6f"),
        (4, "04d200500000000100000002701820003cff00000f069a71bb4c010168656c6c6f"),
        (5, "04d20050000000010000000270182000ee9c00000f06f209b216010168656c6c6f"),
    ] {
        assert_eq!(segment(4, value, "data"), bytes(expected), "{value}");
    }
}

/// Every bit of a segment with a value is covered by its checks.
#[test]
fn every_flipped_bit_is_dropped() {
    for (version, value, lines) in connections() {
        let engines = || {
            let mut ends = [(); 2].map(|()| Engine::new(Config::offering(value, 5)));
            for line in &lines[..3] {
                let [opener, answerer] = &mut ends;
                let back = line.name == "syn-ack";
                let (from, to) = if back { (answerer, opener) } else { (opener, answerer) };
                taken(from.egress(&line.sent, Duration::ZERO), &line.sent);
                taken(to.ingress(&line.wire, Duration::ZERO), &line.wire);
            }
            ends
        };
        let [_, mut answerer] = engines();
        let line = &lines[3];
        let start = if version == 4 { 20 } else { 40 };
        // Ports make it another connection's segment; flags and lengths are tried below.
        for at in start + 4..line.wire.len() {
            for bit in 0..8 {
                let mut packet = line.wire.clone();
                packet[at] ^= 1 << bit;
                if at == start + 13 && packet[at] & 6 != 0 {
                    continue;
                }
                // Without a usable header it is no segment; the kernel drops it.
                match answerer.ingress(&packet, Duration::ZERO) {
                    Action::Drop(_) => {}
                    Action::Pass => assert!(at == start + 12, "value {value}, byte {at}"),
                    Action::Replace(_) => panic!("value {value}, byte {at}, bit {bit}"),
                }
            }
        }
        let received = taken(answerer.ingress(&line.wire, Duration::ZERO), &line.wire);
        assert_eq!(received, line.received);
    }
}
