//! Verdicts on received segments, and what is sent.

use super::common::*;
use residue_guard::Reason;
use residue_guard::kernel::layout::{Counters, Received};
use residue_guard::kernel::trial::Program;
use residue_guard::negotiate::GREATEST;
use std::time::Duration;

#[test]
fn golden_segments_both_ways() {
    let mut output = Vec::new();
    let mut input = Vec::new();
    each_value(|value, trial| {
        let mut expected = 0;
        for version in [4, 6] {
            for line in golden(version, value) {
                let is_plain = line.name.starts_with("syn") || line.name == "rst";
                let context = format!("IPv{version}, value {value}, {}", line.name);
                for is_sender in [true, false] {
                    trial.insert(&key(&line.wire, is_sender), &agreed(value)).unwrap();
                }
                for tags in 0..3 {
                    let sent = if is_plain { line.wire.clone() } else { placed(&line.wire, value) };
                    frame(&sent, tags, &mut input);
                    let run = trial.run(Program::Egress, &input, 1, &mut output).unwrap();
                    assert!(run.passes, "{context}, sent");
                    assert_eq!(output[14 + tags * 4..], line.wire, "{context}, sent");
                    frame(&line.wire, tags, &mut input);
                    for program in [Program::Xdp, Program::Ingress] {
                        let run = trial.run(program, &input, 1, &mut output).unwrap();
                        assert!(run.passes, "{context}, {program:?}");
                        let is_replaced = program == Program::Xdp || !keeps_checksum(value);
                        let received = if is_replaced { &sent } else { &line.wire };
                        assert_eq!(&output[14 + tags * 4..], received, "{context}, {program:?}");
                    }
                    expected += u64::from(!is_plain);
                }
            }
        }
        let counters = trial.counters().unwrap();
        let received = Received { both_good: 2 * expected, ..Received::default() };
        assert_eq!(counters.received[usize::from(value)], received);
        assert_eq!(counters.sent[usize::from(value)], expected);
    });
}

/// Damages a packet.
fn damage(random: &mut Random, packet: &mut Vec<u8>) {
    let start = start(packet);
    for _ in 0..=random.below(3) {
        let length = packet.len();
        match random.below(12) {
            0..3 => {
                let at = random.below(length);
                packet[at] ^= 1 << random.below(8);
            }
            3 => {
                let at = random.below(length);
                packet[at] = random.next() as u8;
            }
            // Two words of the segment.
            4..6 => {
                let words = (length - start) / 2;
                let [a, b] = [(); 2].map(|()| start + random.below(words) * 2);
                let (one, other) = ([packet[a], packet[a + 1]], [packet[b], packet[b + 1]]);
                packet[a..a + 2].copy_from_slice(&other);
                packet[b..b + 2].copy_from_slice(&one);
            }
            // The TCP header, whose length may stay.
            6 => {
                let at = start + random.below(60.min(length - start));
                packet[at] = random.next() as u8;
            }
            // Options: kinds and lengths.
            7 => {
                let at = start + 20 + random.below(40);
                if at < length {
                    packet[at] = [0, 1, 2, 5, 6, 8, 14, 15, 19, 29, 34, 254][random.below(12)];
                }
            }
            // The length of the TCP header.
            8 => packet[start + 12] = (random.below(16) as u8) << 4,
            // Flags.
            9 => packet[start + 13] = random.below(64) as u8,
            // A change after which the checksum is made anew.
            10 if length > start + 20 => {
                let at = start + 20 + random.below(length - start - 20);
                packet[at] ^= 1 << random.below(8);
                // Unless the version was damaged.
                if self::start(packet) == start {
                    complete(packet);
                }
            }
            // Cut, with or without the length in the IP header.
            _ => {
                let left = start + random.below(length - start);
                if random.below(2) == 0 && left > start + 20 {
                    packet.truncate(left);
                    let said = if start == 20 { left } else { left - 40 } as u16;
                    let at = if start == 20 { 2 } else { 4 };
                    packet[at..at + 2].copy_from_slice(&said.to_be_bytes());
                } else {
                    packet.truncate(left.max(start + 1));
                }
                return;
            }
        }
    }
}

#[test]
fn damaged_segments_get_the_verdict_of_the_engine() {
    let mut output = Vec::new();
    let mut input = Vec::new();
    for (value, program) in (1..=GREATEST)
        .flat_map(|value| [Program::Xdp, Program::Ingress].map(|program| (value, program)))
    {
        let Some(trial) = trial(value, 0) else { return };
        let mut random = Random(u64::from(value));
        let mut counts = Received::default();
        let connections = [4, 6].map(|version| golden(version, value));
        let mut engines = [0, 1].map(|at| Ends::new(value, &connections[at]));
        for lines in &connections {
            trial.insert(&key(&lines[3].wire, false), &agreed(value)).unwrap();
        }
        for number in 0..segments() {
            let line = &connections[number % 2][3];
            let receiver = key(&line.wire, false);
            let [opener, answerer] = engines[number % 2].get();
            let mut packet = right(&mut random, opener, line);
            if random.below(16) != 0 {
                damage(&mut random, &mut packet);
            }
            frame(&packet, random.below(3), &mut input);
            let expected = verdict(answerer.ingress(&packet, Duration::ZERO));
            // The kernel refuses to run a program of tc with less than an IP header.
            let Ok(run) = trial.run(program, &input, 1, &mut output) else { continue };
            // A segment of a connection that is not known is left to the kernel.
            let is_known = packet.len() >= start(&packet) + 4 && key(&packet, false) == receiver;
            if !is_known && expected == Some(Reason::Orphan) {
                assert!(run.passes);
                engines[number % 2].are_fresh = false;
                continue;
            }
            assert_eq!(run.passes, expected.is_none(), "{program:?}: {expected:?}, {packet:02x?}");
            let start = start(&packet);
            // Where the header was moved, this is no flag, which does no harm.
            engines[number % 2].are_fresh =
                is_known && packet.get(start + 13).is_some_and(|flags| flags & 6 == 0);
            match expected {
                Some(Reason::Checksum) => counts.only_tcp_bad += 1,
                Some(Reason::Crc) => counts.only_crc_bad += 1,
                Some(Reason::Both) => counts.both_bad += 1,
                Some(Reason::Missing) => counts.missing += 1,
                _ => {}
            }
        }
        let Counters { received, bad_syns, .. } = trial.counters().unwrap();
        let found = received[usize::from(value)];
        // The engine gives the same reason for a SYN with a wrong checksum.
        let only_tcp_bad = found.only_tcp_bad + bad_syns;
        let found_bad = Received { both_good: 0, only_tcp_bad, ..found };
        assert_eq!(found_bad, counts, "value {value}, {program:?}");
        assert!(found.both_good > 0 && found.both_bad > 0, "{found:?}");
        // Value 1 has no option, and values in the checksum field are the only check.
        assert_eq!(found.missing > 0, value > 1, "{found:?}");
        let has_two = keeps_checksum(value);
        assert_eq!([found.only_crc_bad, found.only_tcp_bad].map(|bad| bad > 0), [has_two; 2]);
    }
}

/// What the program of sent packets writes is right for the engine, and nothing else changes.
#[test]
fn sent_segments_are_right_for_the_engine() {
    let mut output = Vec::new();
    let mut input = Vec::new();
    each_value(|value, trial| {
        let mut random = Random(u64::from(value));
        let connections = [4, 6].map(|version| golden(version, value));
        let mut engines = [0, 1].map(|at| engines(value, &connections[at]));
        for lines in &connections {
            trial.insert(&key(&lines[3].wire, true), &agreed(value)).unwrap();
        }
        for number in 0..segments() {
            let line = &connections[number % 2][3];
            let [opener, answerer] = &mut engines[number % 2];
            let wire = right(&mut random, opener, line);
            let sent = placed(&wire, value);
            frame(&sent, random.below(3), &mut input);
            let run = trial.run(Program::Egress, &input, 1, &mut output).unwrap();
            assert!(run.passes);
            let packet = &output[output.len() - wire.len()..];
            assert_eq!(packet, wire, "value {value}");
            assert_eq!(verdict(answerer.ingress(packet, Duration::ZERO)), None);
        }
    });
}

/// Options of every kind and length, in every number.
#[test]
fn hostile_options_get_the_verdict_of_the_engine() {
    let mut output = Vec::new();
    let mut input = Vec::new();
    each_value(|value, trial| {
        let lines = golden(4, value);
        let line = &lines[3];
        let receiver = key(&line.wire, false);
        let mut random = Random(u64::from(value) << 8);
        let mut ends = Ends::new(value, &lines);
        trial.insert(&receiver, &agreed(value)).unwrap();
        for _ in 0..segments() / 10 {
            let mut packet = line.wire[..40].to_vec();
            let mut options = Vec::new();
            while options.len() < 40 && random.below(12) != 0 {
                match random.below(6) {
                    0 => options.push(1),
                    1 => options.extend([15, 6, 0, 0, 0, 0]),
                    2 => options.extend([15, random.below(9) as u8, 0, 0]),
                    3 => options.extend([random.next() as u8, random.below(12) as u8]),
                    4 => options.extend([14, 3, value]),
                    _ => options.push(random.below(3) as u8),
                }
            }
            options.truncate(40);
            options.resize(options.len().next_multiple_of(4), 1);
            packet.extend(&options);
            let words = (5 + options.len() / 4) as u8;
            packet[32] = words << 4;
            packet.extend((0..random.below(100)).map(|_| random.next() as u8));
            let length = packet.len() as u16;
            packet[2..4].copy_from_slice(&length.to_be_bytes());
            complete(&mut packet);
            if random.below(4) == 0 {
                packet[32] = (random.below(16) as u8) << 4;
                complete(&mut packet);
            }
            let [_, answerer] = ends.get();
            let expected = verdict(answerer.ingress(&packet, Duration::ZERO));
            ends.are_fresh = true;
            frame(&packet, 0, &mut input);
            for program in [Program::Xdp, Program::Ingress] {
                let run = trial.run(program, &input, 1, &mut output).unwrap();
                assert_eq!(run.passes, expected.is_none(), "{expected:?}, {packet:02x?}");
            }
            // In the other direction, the packet may get an option, but is none the worse.
            let run = trial.run(Program::Egress, &input, 1, &mut output).unwrap();
            if run.passes {
                assert!(output.len() == input.len() || output.len() == input.len() + 8);
            }
        }
    });
}
