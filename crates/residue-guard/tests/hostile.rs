//! Malformed and hostile packets: nothing panics, tables stay within their limits, and what is
//! forwarded is a packet.

use proptest::prelude::*;
use residue_guard::negotiate::GREATEST;
use residue_guard::{Action, Config, Engine, Limits, Policy};
use std::time::Duration;

fn packets() -> Vec<Vec<u8>> {
    let digits = |text: &str, at: usize| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
    let bytes = |text: &str| (0..text.len()).step_by(2).map(|at| digits(text, at)).collect();
    let lines = include_str!("golden.txt").lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(|line| line.split('|').skip(1).map(|text| bytes(text.trim()))).collect()
}

const LIMITS: Limits =
    Limits { opening: 4, answering: 4, established: 4, closing: 4, destinations: 4, regular: 4 };

fn engine(value: u8, required: bool) -> Engine {
    let policy = if required { Policy::Require } else { Policy::Prefer };
    Engine::new(Config { limits: LIMITS, policy, ..Config::offering(value, 3) })
}

/// Either way through the engine; what goes on has the length that it says.
fn pass(engine: &mut Engine, sent: bool, packet: &[u8], now: Duration) {
    let action = if sent { engine.egress(packet, now) } else { engine.ingress(packet, now) };
    if let Action::Replace(bytes) = action {
        let said = if bytes[0] >> 4 == 4 { 2..4 } else { 4..6 };
        let fixed = if bytes[0] >> 4 == 4 { 0 } else { 40 };
        let said = usize::from(u16::from_be_bytes([bytes[said.start], bytes[said.start + 1]]));
        assert_eq!(said + fixed, bytes.len());
        assert!(bytes.len() <= packet.len() + 8);
    }
    let entries = engine.entries();
    let all = [entries.opening, entries.answering, entries.established, entries.closing];
    assert!(all.iter().all(|&count| count <= 4) && entries.destinations <= 4);
}

#[test]
fn cut_packets() {
    let packets = packets();
    for value in 1..=GREATEST {
        let mut engines = [engine(value, false), engine(value, true)];
        for packet in &packets {
            for length in 0..packet.len() {
                for engine in &mut engines {
                    pass(engine, length % 2 == 0, &packet[..length], Duration::ZERO);
                }
            }
        }
    }
}

/// Puts the checksums of a packet right, so that more of it is believed.
fn repair(packet: &mut [u8]) {
    let start = match packet.first().map(|byte| byte >> 4) {
        Some(4) if packet.len() >= 40 => 20,
        Some(6) if packet.len() >= 60 => 40,
        _ => return,
    };
    let length = packet.len() - start;
    let said = if start == 20 { length + 20 } else { length } as u16;
    let at = if start == 20 { 2 } else { 4 };
    packet[at..at + 2].copy_from_slice(&said.to_be_bytes());
    let mut sum = residue::internet::Checksum::new();
    sum.update(&packet[start - if start == 20 { 8 } else { 32 }..start]);
    sum.update(&[0, 6]);
    sum.update(&(length as u16).to_be_bytes());
    packet[start + 16..start + 18].fill(0);
    sum.update(&packet[start..]);
    let checksum = sum.value().to_be_bytes();
    packet[start + 16..start + 18].copy_from_slice(&checksum);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn changed_packets(
        value in 0..=GREATEST,
        required: bool,
        steps in prop::collection::vec(
            (
                any::<prop::sample::Index>(),
                prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
                any::<bool>(),
                any::<bool>(),
                0..200_u64,
            ),
            1..40,
        ),
    ) {
        let packets = packets();
        let mut engine = engine(value, required);
        let mut now = Duration::ZERO;
        for (which, changes, right, sent, seconds) in steps {
            let mut packet = packets[which.index(packets.len())].clone();
            for (at, byte) in changes {
                let at = at.index(packet.len());
                packet[at] = byte;
            }
            if right {
                repair(&mut packet);
            }
            now += Duration::from_secs(seconds);
            pass(&mut engine, sent, &packet, now);
        }
    }

    #[test]
    fn bytes_of_any_sort(version in 0..16_u8, rest in prop::collection::vec(any::<u8>(), 0..120)) {
        let mut packet = vec![version << 4 | 5];
        packet.extend(rest);
        if packet.len() > 9 {
            packet[9] = 6;
        }
        let mut engine = engine(5, false);
        pass(&mut engine, true, &packet, Duration::ZERO);
        pass(&mut engine, false, &packet, Duration::ZERO);
        repair(&mut packet);
        pass(&mut engine, false, &packet, Duration::ZERO);
    }
}
