//! Headers between IP and the segment: options of IPv4, and extension headers of IPv6.

use super::common::*;
use residue_guard::Action;
use residue_guard::kernel::trial::Program;
use std::time::Duration;

/// An extension header: its protocol, and its bytes, the first of which is the next protocol.
type Header = (u8, Vec<u8>);

fn hop_by_hop() -> Header {
    (0, vec![0, 0, 1, 4, 0, 0, 0, 0])
}

fn destination() -> Header {
    let mut bytes = vec![0; 16];
    bytes[1..4].copy_from_slice(&[1, 1, 12]);
    (60, bytes)
}

/// A routing header with this number of hosts on the rest of the way.
fn routing(left: u8) -> Header {
    let mut bytes = vec![0; 24];
    (bytes[1], bytes[3]) = (2, left);
    (43, bytes)
}

/// A fragment header with an offset in units of 8 bytes.
fn fragment(offset: u16, is_followed: bool) -> Header {
    let mut bytes = vec![0, 0, 0, 0, 1, 2, 3, 4];
    bytes[2..4].copy_from_slice(&(offset << 3 | u16::from(is_followed)).to_be_bytes());
    (44, bytes)
}

fn authentication() -> Header {
    (51, vec![0, 4, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
}

/// Puts headers between the IPv6 header of a packet and its segment.
fn extended(packet: &[u8], headers: &[Header]) -> Vec<u8> {
    let mut longer = packet[..40].to_vec();
    let mut next_at = 6;
    for (protocol, bytes) in headers {
        longer[next_at] = *protocol;
        next_at = longer.len();
        longer.extend(bytes);
    }
    longer[next_at] = 6;
    longer.extend(&packet[40..]);
    let length = (longer.len() - 40) as u16;
    longer[4..6].copy_from_slice(&length.to_be_bytes());
    longer
}

/// Puts options, a multiple of 4 bytes, behind the IPv4 header of a packet.
fn with_options(packet: &[u8], options: &[u8]) -> Vec<u8> {
    let mut longer = [&packet[..20], options, &packet[20..]].concat();
    longer[0] += (options.len() / 4) as u8;
    let length = longer.len() as u16;
    longer[2..4].copy_from_slice(&length.to_be_bytes());
    longer[10..12].fill(0);
    let sum = residue::internet::checksum(&longer[..20 + options.len()]);
    longer[10..12].copy_from_slice(&sum.to_be_bytes());
    longer
}

/// Chains of extension headers, with those that the guard leaves alone last.
fn chains() -> Vec<Vec<Header>> {
    vec![
        vec![hop_by_hop()],
        vec![destination()],
        vec![routing(0)],
        vec![fragment(0, false)],
        vec![hop_by_hop(), destination(), routing(0), fragment(0, false), destination()],
        vec![destination(); 8],
        // From here on, the guard has nothing to judge.
        vec![destination(); 9],
        vec![routing(1)],
        vec![fragment(1, false)],
        vec![fragment(1, true), destination()],
        vec![authentication()],
        vec![hop_by_hop(), (253, vec![0; 8])],
    ]
}

/// Number of chains before those that the guard leaves alone.
const READ: usize = 6;

#[test]
fn extension_headers_both_ways() {
    let (mut input, mut output) = (Vec::new(), Vec::new());
    each_value(|value, trial| {
        let lines = golden(6, value);
        let line = &lines[3];
        for is_sender in [true, false] {
            trial.insert(&key(&line.wire, is_sender), &agreed(value)).unwrap();
        }
        let mut random = Random(u64::from(value));
        let mut good = 0;
        for (number, chain) in chains().iter().enumerate() {
            let is_read = number < READ;
            let [mut opener, mut answerer] = engines(value, &lines);
            let sent = plain(&mut random, line);
            let Action::Replace(wire) = opener.egress(&sent, Duration::ZERO) else { panic!() };
            let wire = wire.to_vec();
            let placed = placed(&wire, value);
            let right = extended(if is_read { &wire } else { &placed }, chain);

            // The engine adds the option to what has none, the program fills it in.
            let engine = opener.egress(&extended(&sent, chain), Duration::ZERO);
            match engine {
                Action::Replace(bytes) => assert!(is_read && bytes == right, "{number}"),
                other => assert!(!is_read && other == Action::Pass, "{number}: {other:?}"),
            }
            frame(&extended(&placed, chain), number % 3, &mut input);
            let run = trial.run(Program::Egress, &input, 1, &mut output).unwrap();
            assert!(run.passes && output[14 + number % 3 * 4..] == right, "{number}");

            // Received, right and with a bit of the last byte flipped.
            let arrived = extended(&wire, chain);
            for flipped in [0, 1] {
                let mut arrived = arrived.clone();
                *arrived.last_mut().unwrap() ^= flipped;
                let expected = verdict(answerer.ingress(&arrived, Duration::ZERO));
                assert_eq!(expected.is_some(), is_read && flipped == 1, "{number}: {expected:?}");
                frame(&arrived, number % 3, &mut input);
                for program in [Program::Xdp, Program::Ingress] {
                    let run = trial.run(program, &input, 1, &mut output).unwrap();
                    assert_eq!(run.passes, expected.is_none(), "{number}, {program:?}");
                }
            }
            good += 2 * u64::from(is_read);
        }
        let received = trial.counters().unwrap().received[usize::from(value)];
        let bad = received.only_crc_bad + received.both_bad;
        assert_eq!((received.both_good, bad), (good, good), "{received:?}");
    });
}

/// First fragments of a guarded connection cannot be judged: dropped in both directions.
#[test]
fn first_fragments_are_dropped() {
    let (mut input, mut output) = (Vec::new(), Vec::new());
    each_value(|value, trial| {
        let lines = golden(6, value);
        let wire = &lines[3].wire;
        let [_, mut answerer] = engines(value, &lines);
        for is_sender in [true, false] {
            trial.insert(&key(wire, is_sender), &agreed(value)).unwrap();
        }
        for chain in [vec![fragment(0, true)], vec![hop_by_hop(), fragment(0, true), routing(0)]] {
            let packet = extended(wire, &chain);
            assert!(verdict(answerer.ingress(&packet, Duration::ZERO)).is_some());
            frame(&packet, 0, &mut input);
            for program in [Program::Egress, Program::Xdp, Program::Ingress] {
                assert!(!trial.run(program, &input, 1, &mut output).unwrap().passes, "{program:?}");
            }
        }
        assert_eq!(trial.counters().unwrap().fragments, 6);
    });
}

/// Random chains of random headers, cut anywhere.
#[test]
fn hostile_extension_headers_get_the_verdict_of_the_engine() {
    let (mut input, mut output) = (Vec::new(), Vec::new());
    each_value(|value, trial| {
        let lines = golden(6, value);
        trial.insert(&key(&lines[3].wire, false), &agreed(value)).unwrap();
        let mut random = Random(u64::from(value) << 16);
        let mut ends = Ends::new(value, &lines);
        let (mut passed, mut dropped) = (0, 0);
        for _ in 0..segments() / 10 {
            let [opener, answerer] = ends.get();
            let packet = right(&mut random, opener, &lines[3]);
            let headers: Vec<Header> = (0..random.below(10))
                .map(|_| {
                    let (mut protocol, mut bytes) = match random.below(8) {
                        0 => hop_by_hop(),
                        1..4 => destination(),
                        4 => routing(u8::from(random.below(4) == 0)),
                        5 => fragment(u16::from(random.below(4) == 0), random.below(3) == 0),
                        6 => authentication(),
                        _ => (random.next() as u8, vec![random.next() as u8; 8]),
                    };
                    match random.below(24) {
                        0 => protocol = random.next() as u8,
                        1 => bytes[1] = random.next() as u8,
                        _ => {}
                    }
                    (protocol, bytes)
                })
                .collect();
            let mut packet = extended(&packet, &headers);
            match random.below(6) {
                // Cut, with the length in the header or without.
                0 => {
                    packet.truncate(41 + random.below(packet.len() - 41));
                    if random.below(3) > 0 {
                        let length = (packet.len() - 40) as u16;
                        packet[4..6].copy_from_slice(&length.to_be_bytes());
                    }
                }
                1..3 => {
                    let at = 40 + random.below(packet.len() - 40);
                    packet[at] ^= 1 << random.below(8);
                }
                _ => {}
            }
            // Another connection is left to the kernel, and the engine judges it without state.
            frame(&packet, random.below(3), &mut input);
            let orphans = trial.counters().unwrap().orphans;
            let expected = verdict(answerer.ingress(&packet, Duration::ZERO));
            for program in [Program::Xdp, Program::Ingress] {
                let Ok(run) = trial.run(program, &input, 1, &mut output) else { continue };
                if expected == Some(residue_guard::Reason::Orphan) {
                    assert!(run.passes);
                } else {
                    assert_eq!(run.passes, expected.is_none(), "{expected:?}, {packet:02x?}");
                }
                if run.passes { passed += 1 } else { dropped += 1 }
            }
            assert_eq!(trial.counters().unwrap().orphans, orphans);
        }
        assert!(passed > 100 && dropped > 100, "{passed} {dropped}");
    });
}

/// An acknowledgment that the kernel sends without a socket gets the option appended, whatever lies
/// between IP and the segment.
#[test]
fn an_option_is_appended_behind_other_headers() {
    let (mut input, mut output) = (Vec::new(), Vec::new());
    each_value(|value, trial| {
        let connections = [4, 6].map(|version| golden(version, value));
        let [v4, v6] = [0, 1].map(|at| connections[at][2].sent.as_slice());
        let packets = [
            v4.to_vec(),
            with_options(v4, &[1, 1, 1, 0]),
            with_options(v4, &[1; 40]),
            v6.to_vec(),
            extended(v6, &[destination()]),
            extended(v6, &[hop_by_hop(), routing(0), fragment(0, false)]),
        ];
        for (number, packet) in packets.into_iter().enumerate() {
            let lines = &connections[usize::from(number >= 3)];
            let [_, mut answerer] = engines(value, lines);
            trial.insert(&key(&lines[3].wire, true), &agreed(value)).unwrap();
            frame(&packet, 0, &mut input);
            let run = trial.run(Program::Egress, &input, 1, &mut output).unwrap();
            assert!(run.passes);
            let packet = &output[14..];
            let added = if value == 1 { 0 } else { 8 };
            assert_eq!(packet.len(), input.len() - 14 + added, "{number}");
            let verdict = verdict(answerer.ingress(packet, Duration::ZERO));
            assert_eq!(verdict, None, "{number}: {packet:02x?}");
            let received = answerer.counters().received[usize::from(value)];
            assert!(received.both_good > 0 && received.bad() == 0, "{number}");
            if number < 3 {
                let header = usize::from(packet[0] & 15) * 4;
                assert_eq!(residue::internet::checksum(&packet[..header]), 0, "{number}");
            }
        }
        assert_eq!(trial.counters().unwrap().appended, if value == 1 { 0 } else { 6 });
    });
}
