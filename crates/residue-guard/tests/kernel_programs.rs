//! The programs in the kernel and the engine give equal verdicts, on the segments of `golden.txt`
//! and on damaged and hostile ones. Needs Linux, and a user who may load programs; says why it
//! skips.

#![cfg(target_os = "linux")]

use residue_guard::kernel::layout::{
    AGREED, Config as KernelConfig, Connection, Counters, Key, Received, VERSION,
};
use residue_guard::kernel::trial::{Program, Trial};
use residue_guard::{Action, Config, Engine, Reason};
use std::time::Duration;

/// An Ethernet header of 14 bytes without its type.
const ADDRESSES: [u8; 12] = [2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1];
/// Offset of the checksum field in the TCP header.
const CHECKSUM: usize = 16;

struct Line {
    name: String,
    sent: Vec<u8>,
    wire: Vec<u8>,
}

fn bytes(hexadecimal: &str) -> Vec<u8> {
    let digits = |at| u8::from_str_radix(&hexadecimal[at..at + 2], 16).unwrap();
    (0..hexadecimal.len()).step_by(2).map(digits).collect()
}

/// The segments of a connection in `golden.txt`.
fn golden(version: u8, value: u8) -> Vec<Line> {
    let start = format!("{version} {value} ");
    let lines = include_str!("golden.txt").lines().filter_map(|line| line.strip_prefix(&start));
    lines
        .map(|line| {
            let [name, sent, wire, _] =
                line.split('|').map(str::trim).collect::<Vec<_>>().try_into().unwrap();
            Line { name: name.to_string(), sent: bytes(sent), wire: bytes(wire) }
        })
        .collect()
}

/// The programs with this value, or `None` to skip the test.
fn trial(value: u8, flags: u32) -> Option<Trial> {
    let config = KernelConfig {
        version: VERSION,
        value,
        instead: 5,
        tries: 2,
        flags,
        failed_time: 600_000_000_000,
        ..KernelConfig::default()
    };
    match Trial::new(&config) {
        Ok(trial) => Some(trial),
        Err(error) => {
            let why = format!("programs in the kernel: {error}");
            let required = std::env::var_os("RESIDUE_REQUIRE_ALL").is_some_and(|all| all == "1");
            assert!(!required, "{why}");
            println!("skipped: {why}");
            None
        }
    }
}

/// Offset of the TCP header in a packet of `golden.txt`.
fn start(packet: &[u8]) -> usize {
    if packet[0] >> 4 == 4 { 20 } else { 40 }
}

/// The key of a packet's connection, at its sender or its receiver.
fn key(packet: &[u8], is_sender: bool) -> Key {
    let address = |at: usize| {
        let mut address = [0; 16];
        if packet[0] >> 4 == 4 {
            address[10..12].fill(0xff);
            address[12..].copy_from_slice(&packet[12 + at * 4..16 + at * 4]);
        } else {
            address.copy_from_slice(&packet[8 + at * 16..24 + at * 16]);
        }
        address
    };
    let port = |at: usize| {
        let at = start(packet) + at * 2;
        u16::from_ne_bytes([packet[at], packet[at + 1]])
    };
    let [local, remote] = if is_sender { [0, 1] } else { [1, 0] };
    Key {
        local: address(local),
        remote: address(remote),
        local_port: port(local),
        remote_port: port(remote),
    }
}

fn agreed(value: u8) -> Connection {
    Connection { phase: AGREED, value, proven: 1, ..Connection::default() }
}

/// A frame with `tags` VLAN tags.
fn frame(packet: &[u8], tags: usize, to: &mut Vec<u8>) {
    to.clear();
    to.extend_from_slice(&ADDRESSES);
    for tag in 0..tags {
        to.extend_from_slice(if tag + 1 < tags { &[0x88, 0xa8, 0, 7] } else { &[0x81, 0, 0, 9] });
    }
    let is_ipv4 = packet.first().is_some_and(|byte| byte >> 4 == 4);
    to.extend_from_slice(if is_ipv4 { &[8, 0] } else { &[0x86, 0xdd] });
    to.extend_from_slice(packet);
}

/// Writes the ordinary checksum of a segment without extension headers.
fn complete(packet: &mut [u8]) {
    let start = start(packet);
    let length = packet.len() - start;
    packet[start + CHECKSUM..start + CHECKSUM + 2].fill(0);
    let mut sum = residue::internet::Checksum::new();
    sum.update(&packet[start - if start == 20 { 8 } else { 32 }..start]);
    sum.update(&[0, 6]);
    sum.update(&(length as u16).to_be_bytes());
    sum.update(&packet[start..]);
    packet[start + CHECKSUM..start + CHECKSUM + 2].copy_from_slice(&sum.value().to_be_bytes());
}

/// Puts `with` in place of the option's data of a segment whose option comes first.
fn with_data(packet: &[u8], with: [u8; 4]) -> Vec<u8> {
    let mut packet = packet.to_vec();
    let at = start(&packet) + 20;
    assert_eq!(packet[at..at + 2], [15, 6]);
    packet[at + 2..at + 6].copy_from_slice(&with);
    complete(&mut packet);
    packet
}

/// Random numbers (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, most: usize) -> usize {
        (self.next() % most as u64) as usize
    }
}

/// Engines at both ends of a golden connection, after the handshake.
fn engines(value: u8, lines: &[Line]) -> [Engine; 2] {
    let mut ends = [(); 2].map(|()| Engine::new(Config::offering(value, 5)));
    for line in &lines[..3] {
        let [opener, answerer] = &mut ends;
        let back = line.name == "syn-ack";
        let (from, to) = if back { (answerer, opener) } else { (opener, answerer) };
        from.egress(&line.sent, Duration::ZERO);
        to.ingress(&line.wire, Duration::ZERO);
    }
    ends
}

/// Engines that are made anew after a segment that may change their connection.
struct Ends<'a> {
    value: u8,
    lines: &'a [Line],
    engines: [Engine; 2],
    are_fresh: bool,
}

impl Ends<'_> {
    fn new(value: u8, lines: &[Line]) -> Ends<'_> {
        Ends { value, lines, engines: engines(value, lines), are_fresh: true }
    }

    fn get(&mut self) -> &mut [Engine; 2] {
        if !self.are_fresh {
            self.engines = engines(self.value, self.lines);
        }
        self.are_fresh = false;
        &mut self.engines
    }
}

#[test]
fn golden_segments_both_ways() {
    let mut output = Vec::new();
    let mut input = Vec::new();
    for value in 4..=6 {
        let Some(trial) = trial(value, 0) else { return };
        let mut expected = 0;
        for version in [4, 6] {
            for line in golden(version, value) {
                let is_plain = line.name.starts_with("syn") || line.name == "rst";
                let context = format!("IPv{version}, value {value}, {}", line.name);
                for is_sender in [true, false] {
                    trial.insert(&key(&line.wire, is_sender), &agreed(value)).unwrap();
                }
                for tags in 0..3 {
                    let placeholder = [0, 0, 0, value];
                    let sent = if is_plain {
                        line.wire.clone()
                    } else {
                        with_data(&line.wire, placeholder)
                    };
                    frame(&sent, tags, &mut input);
                    let run = trial.run(Program::Egress, &input, 1, &mut output).unwrap();
                    assert!(run.passes, "{context}, sent");
                    assert_eq!(output[14 + tags * 4..], line.wire, "{context}, sent");
                    frame(&line.wire, tags, &mut input);
                    for program in [Program::Xdp, Program::Ingress] {
                        let run = trial.run(program, &input, 1, &mut output).unwrap();
                        assert!(run.passes, "{context}, {program:?}");
                        let received = if program == Program::Xdp { &sent } else { &line.wire };
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
    }
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
            10 => {
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

/// Number of damaged segments of each value and program.
fn segments() -> usize {
    let count = std::env::var("RESIDUE_KERNEL_SEGMENTS").ok();
    count.map_or(100_000, |count| count.parse().expect("a number of segments"))
}

/// Verdict of the engine, with the counter for the reason.
fn verdict(action: Action<'_>) -> Option<Reason> {
    match action {
        Action::Drop(reason) => Some(reason),
        Action::Pass | Action::Replace(_) => None,
    }
}

/// A segment as the answerer of a golden connection gets it, right by the value.
fn right(random: &mut Random, opener: &mut Engine, line: &Line) -> Vec<u8> {
    let mut sent = line.sent.clone();
    let start = start(&sent);
    let header = start + usize::from(sent[start + 12] >> 4) * 4;
    sent.truncate(header);
    let length = [0, 1, 5, 100, 447, 448, 536, 1000, 1448][random.below(9)];
    sent.extend((0..length).map(|_| random.next() as u8));
    let said = if start == 20 { sent.len() } else { sent.len() - 40 } as u16;
    let at = if start == 20 { 2 } else { 4 };
    sent[at..at + 2].copy_from_slice(&said.to_be_bytes());
    complete(&mut sent);
    match opener.egress(&sent, Duration::ZERO) {
        Action::Replace(bytes) => bytes.to_vec(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn damaged_segments_get_the_verdict_of_the_engine() {
    let mut output = Vec::new();
    let mut input = Vec::new();
    for (value, program) in
        (4..=6).flat_map(|value| [Program::Xdp, Program::Ingress].map(|program| (value, program)))
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
        assert!(found.only_crc_bad > 0 && found.both_bad > 0 && found.missing > 0, "{found:?}");
        assert!(found.both_good > 0 && found.only_tcp_bad > 0, "{found:?}");
    }
}

/// What the program of sent packets writes is right for the engine, and nothing else changes.
#[test]
fn sent_segments_are_right_for_the_engine() {
    let mut output = Vec::new();
    let mut input = Vec::new();
    for value in 4..=6 {
        let Some(trial) = trial(value, 0) else { return };
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
            let sent = with_data(&wire, [0, 0, 0, value]);
            frame(&sent, random.below(3), &mut input);
            let run = trial.run(Program::Egress, &input, 1, &mut output).unwrap();
            assert!(run.passes);
            let packet = &output[output.len() - wire.len()..];
            assert_eq!(packet, wire, "value {value}");
            assert_eq!(verdict(answerer.ingress(packet, Duration::ZERO)), None);
        }
    }
}

/// Options of every kind and length, in every number.
#[test]
fn hostile_options_get_the_verdict_of_the_engine() {
    let mut output = Vec::new();
    let mut input = Vec::new();
    for value in 4..=6 {
        let Some(trial) = trial(value, 0) else { return };
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
    }
}

/// Without XDP, the kernel merges segments before the program sees them, if their options are
/// equal: with value 4, those with equal data.
#[test]
fn merged_segments() {
    let mut output = Vec::new();
    let mut input = Vec::new();
    let Some(trial) = trial(4, 0) else { return };
    let lines = golden(4, 4);
    let line = &lines[3];
    trial.insert(&key(&line.wire, false), &agreed(4)).unwrap();
    for (size, count, rest) in [(100, 3, 0), (1448, 2, 7), (536, 2, 535), (1, 5, 0)] {
        let data: Vec<u8> = (0..size).map(|at| at as u8).collect();
        let data = [data.repeat(count), data[..rest].to_vec()].concat();
        let mut packet = [&line.wire[..48], &data].concat();
        let length = packet.len() as u16;
        packet[2..4].copy_from_slice(&length.to_be_bytes());
        let value = residue::crc32c(&data[..size]).to_be_bytes();
        let packet = with_data(&packet, value);
        frame(&packet, 0, &mut input);
        let mut run = |input: &[u8]| {
            let run = trial.run_merged(Program::Ingress, input, 1, size as u32, &mut output);
            run.unwrap().passes
        };
        // The last one may be shorter, if it happens to have the same value.
        assert_eq!(run(&input), rest == 0, "{size}");
        for at in (14 + 48..input.len()).step_by(13) {
            input[at] ^= 0x20;
            assert!(!run(&input), "{size} {at}");
            input[at] ^= 0x20;
        }
    }
    let received = trial.counters().unwrap().received[4];
    assert!(received.both_good > 0 && received.only_crc_bad > 0, "{received:?}");
}

/// Forged SYNs leave nothing behind: the kernel's own handshakes make the entries.
#[test]
fn forged_syns_take_no_memory() {
    let mut output = Vec::new();
    let mut input = Vec::new();
    let Some(trial) = trial(5, 0) else { return };
    let lines = golden(4, 5);
    let live = key(&lines[3].wire, false);
    trial.insert(&live, &agreed(5)).unwrap();
    let mut packet = lines[0].wire.clone();
    for number in 0..1_000_000_u32 {
        packet[12..16].copy_from_slice(&number.to_be_bytes());
        complete(&mut packet);
        frame(&packet, 0, &mut input);
        assert!(trial.run(Program::Xdp, &input, 1, &mut output).unwrap().passes);
    }
    for (map, count) in [("connections", 1), ("answers", 0), ("destinations", 0)] {
        assert_eq!(trial.entries(map).unwrap(), count, "{map}");
    }
    assert!(trial.get(&live).unwrap().is_some());
}

/// Prints the durations of the programs by the size of a segment: `--ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn durations() {
    let mut output = Vec::new();
    let mut input = Vec::new();
    for value in 4..=6 {
        let Some(trial) = trial(value, 0) else { return };
        let lines = golden(4, value);
        let line = &lines[3];
        for data in [0, 536, 1448] {
            let mut opener = engines(value, &lines).into_iter().next().unwrap();
            let mut sent = line.sent[..40].to_vec();
            sent.extend((0..data).map(|at| at as u8));
            let length = sent.len() as u16;
            sent[2..4].copy_from_slice(&length.to_be_bytes());
            complete(&mut sent);
            let wire = match opener.egress(&sent, Duration::ZERO) {
                Action::Replace(bytes) => bytes.to_vec(),
                other => panic!("{other:?}"),
            };
            for is_sender in [true, false] {
                trial.insert(&key(&wire, is_sender), &agreed(value)).unwrap();
            }
            frame(&wire, 0, &mut input);
            let best = |program| {
                let mut run = || trial.run(program, &input, 2000, &mut output).unwrap().nanoseconds;
                (0..30).map(|_| run()).min().unwrap()
            };
            let [egress, ingress] = [Program::Egress, Program::Ingress].map(best);
            println!("value {value}, {data} bytes: egress {egress} ns, ingress {ingress} ns");
        }
    }
}
