//! Segments that the kernel has merged, the memory of the programs, and their speed.

use super::common::*;
use residue_guard::Action;
use residue_guard::kernel::trial::Program;
use std::time::Duration;

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
    each_value(|value, trial| {
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
    });
}
