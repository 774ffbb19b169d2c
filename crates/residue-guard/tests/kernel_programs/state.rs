//! Segments that the kernel has merged, the memory of the programs, and their speed.

use super::common::*;
use residue_guard::Action;
use residue_guard::kernel::layout::{
    AGREED, Answer, CLOSING, Connection, LARGE_RECEIVED, PARTIAL, REASON_LARGE, REQUIRE,
    STEP_NOTHING, STEP_OWN,
};
use residue_guard::kernel::trial::Program;
use residue_guard::negotiate::GREATEST;
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

/// A host whose server has closed a connection keeps it for a minute, and its peer may open another
/// one with the same ports and any value. Its first segment shows the kernel its value.
#[test]
fn a_new_connection_on_the_ports_of_a_closed_one() {
    let test = "state::a_new_connection_on_the_ports_of_a_closed_one";
    with_sockets(test, &["192.0.2.1 1234", "2001:db8::1 1234"], new_on_closed);
}

fn new_on_closed() {
    let (mut input, mut output) = (Vec::new(), Vec::new());
    let mut random = Random(1);
    for (old, new) in (1..=GREATEST).flat_map(|old| (2..=GREATEST).map(move |new| (old, new))) {
        let Some(trial) = trial(6, PARTIAL) else { return };
        for version in [4, 6] {
            let lines = golden(version, new);
            let [mut opener, _] = engines(new, &lines);
            let wire = right(&mut random, &mut opener, &lines[3]);
            let [bad, shown] = [spoilt(&wire, new), placed(&wire, new)];
            let closed = Connection { phase: CLOSING, window: 1, ..agreed(old) };
            trial.insert(&key(&wire, false), &closed).unwrap();
            for program in [Program::Xdp, Program::Ingress] {
                frame(&wire, 0, &mut input);
                assert!(trial.run(program, &input, 1, &mut output).unwrap().passes, "{old} {new}");
                assert_eq!(output[14..], shown, "{program:?}: {old} {new}");
                frame(&bad, 0, &mut input);
                assert!(!trial.run(program, &input, 1, &mut output).unwrap().passes);
            }
        }
        let counters = trial.counters().unwrap();
        let good = counters.received[usize::from(old)].both_good;
        let expected = if old == new { (4, 0) } else { (0, 4) };
        assert_eq!((good, counters.unconfirmed), expected, "{old} {new}");
        // A segment with an option is of no connection with value 1.
        let expected = if old == 1 { (0, 4) } else { (4, 0) };
        assert_eq!((counters.out_of_window, counters.orphans), expected, "{old} {new}");
    }
}

/// Value 1 has no option. A segment that is right by it counts as such after this host's answer to
/// a request, or for a connection that is closed; without that, it is the kernel's to judge.
#[test]
fn a_value_without_an_option() {
    let (mut input, mut output) = (Vec::new(), Vec::new());
    let mut random = Random(1);
    for flags in [0, REQUIRE] {
        for version in [4, 6] {
            let Some(trial) = trial(1, flags) else { return };
            let lines = golden(version, 1);
            let [mut opener, _] = engines(1, &lines);
            let wire = right(&mut random, &mut opener, &lines[3]);
            let (plain, receiver) = (placed(&wire, 1), key(&wire, false));
            let closed = Connection { phase: CLOSING, ..agreed(1) };
            let answer = Answer { asked: 1, tries: 1, passed: 1, ..Answer::default() };
            for program in [Program::Xdp, Program::Ingress] {
                let mut left = |packet: &[u8]| {
                    frame(packet, 0, &mut input);
                    assert!(trial.run(program, &input, 1, &mut output).unwrap().passes);
                    output[14..].to_vec()
                };
                assert_eq!(left(&wire), wire, "nothing is known");
                trial.insert_answer(&receiver, &answer).unwrap();
                assert_eq!(left(&plain), plain, "a regular segment");
                assert_eq!(trial.answer(&receiver).unwrap(), Some(answer));
                assert_eq!(left(&wire), plain, "the value that was asked for");
                let shown = Answer { shown: 1, ..answer };
                assert_eq!(trial.answer(&receiver).unwrap(), Some(shown));
                trial.insert_answer(&receiver, &Answer { asked: 2, ..answer }).unwrap();
                assert_eq!(left(&wire), wire, "another value was asked for");
                trial.insert(&receiver, &closed).unwrap();
                assert_eq!(left(&wire), plain, "of the closed connection");
                assert_eq!(left(&plain), plain, "of a new one on its ports");
                trial.remove(&receiver).unwrap();
            }
            let counters = trial.counters().unwrap();
            assert_eq!((counters.unconfirmed, counters.received[1].both_good), (2, 2));
        }
    }
}

/// One segment in 65,536 leaves open whether its checksum is complete, so XDP cannot change it. The
/// first one of a connection is then dropped, and TCP repeats it: without its value, the kernel
/// would take the connection for a regular one.
#[test]
fn a_checksum_that_may_be_partial() {
    let test = "state::a_checksum_that_may_be_partial";
    with_sockets(test, &["192.0.2.1 1234"], maybe_partial);
}

fn maybe_partial() {
    let (mut input, mut output) = (Vec::new(), Vec::new());
    let Some(trial) = trial(5, PARTIAL) else { return };
    let lines = golden(4, 5);
    let mut random = Random(1);
    let [mut opener, _] = engines(5, &lines);
    // That of the pseudo-header, not complemented.
    let is_open = |wire: &Vec<u8>| {
        let mut sum = residue::internet::Checksum::new();
        sum.update(&wire[12..20]);
        sum.update(&[0, 6]);
        sum.update(&(wire.len() as u16 - 20).to_be_bytes());
        (!sum.value()).to_be_bytes() == wire[20 + 16..][..2]
    };
    let wire = std::iter::repeat_with(|| right(&mut random, &mut opener, &lines[3]))
        .find(is_open)
        .unwrap();
    frame(&wire, 0, &mut input);
    let receiver = key(&wire, false);
    for (known, passes) in [
        (None, false),
        (Some(Connection { phase: CLOSING, ..agreed(5) }), false),
        (Some(Connection { phase: CLOSING, ..agreed(4) }), false),
        (Some(agreed(5)), true),
    ] {
        if let Some(known) = &known {
            trial.insert(&receiver, known).unwrap();
        }
        let run = trial.run(Program::Xdp, &input, 1, &mut output).unwrap();
        assert_eq!(run.passes, passes, "{known:?}");
    }
}

/// A listening socket takes no segment with data: forged ones are the kernel's to answer, as
/// without a guard, and their check value is not computed.
#[test]
fn strangers_of_a_listener() {
    with_sockets("state::strangers_of_a_listener", &["192.0.2.1 1234"], strangers);
}

fn strangers() {
    let (mut input, mut output) = (Vec::new(), Vec::new());
    let mut random = Random(1);
    for value in 2..=GREATEST {
        let Some(trial) = trial(value, 0) else { return };
        let lines = golden(4, value);
        let [mut opener, _] = engines(value, &lines);
        let right = right(&mut random, &mut opener, &lines[3]);
        let wrong = spoilt(&right, value);
        for (port, unconfirmed, orphans) in [(1234_u16, 2, 2), (1235, 0, 0)] {
            let before = trial.counters().unwrap();
            for (packet, is_right) in [(&right, true), (&wrong, false)] {
                let mut packet = packet.clone();
                packet[20..22].copy_from_slice(&port.to_be_bytes());
                if keeps_checksum(value) {
                    complete(&mut packet);
                }
                frame(&packet, 0, &mut input);
                for program in [Program::Xdp, Program::Ingress] {
                    let passes = trial.run(program, &input, 1, &mut output).unwrap().passes;
                    assert_eq!(passes, is_right || port == 1235, "{value} {port} {is_right}");
                    assert_eq!(output[14..] == packet[..], port == 1235 || !is_right);
                }
            }
            let after = trial.counters().unwrap();
            assert_eq!(after.unconfirmed - before.unconfirmed, unconfirmed, "{value} {port}");
            assert_eq!(after.orphans - before.orphans, orphans, "{value} {port}");
        }
    }
}

/// Connections that have ended displace none that is open, however many there are.
#[test]
fn closed_connections_go_first() {
    let Some(trial) = trial(5, 0) else { return };
    let line = &golden(4, 5)[3];
    let numbered = |number: u32| {
        let mut key = key(&line.wire, false);
        key.remote[12..].copy_from_slice(&number.to_be_bytes());
        key
    };
    for number in 0..100 {
        trial.insert(&numbered(number), &agreed(5)).unwrap();
    }
    for number in 100..216_100 {
        let closed = Connection { phase: CLOSING, ..agreed(5) };
        trial.insert(&numbered(number), &closed).unwrap();
    }
    for number in 0..100 {
        let known = trial.get(&numbered(number)).unwrap();
        assert_eq!(known.map(|known| known.phase), Some(AGREED), "{number}");
    }
    assert!(trial.entries("closed").unwrap() <= 65_536);
}

/// A path that divides large segments is known by the parts, or by large segments that are bad
/// while small ones are good. Fragments prove it; bad ones must be those of two connections.
#[test]
fn large_segments_that_do_not_arrive() {
    let (mut input, mut output) = (Vec::new(), Vec::new());
    each_value(|value, trial| {
        let lines = golden(4, value);
        let wire = &lines[3].wire;
        let receiver = key(wire, false);
        let reset = |value, large| {
            let known = Connection { since: u64::MAX, large, ..agreed(value) };
            trial.insert(&receiver, &known).unwrap();
        };
        let mut fragment = wire.clone();
        fragment[6] = 0x20;
        let mut large = wire.clone();
        large.extend([0; 700]);
        let length = large.len() as u16;
        large[2..4].copy_from_slice(&length.to_be_bytes());
        complete(&mut large);
        for (packet, connections) in [(&fragment, 1), (&large, 2)] {
            trial.remove_destination(&receiver.remote).unwrap();
            for (count, has_large) in [(1, true), (connections, false)] {
                for number in 1..=count {
                    reset(value, if has_large { LARGE_RECEIVED } else { 0 });
                    for _ in 0..4 {
                        let known = trial.destination(&receiver.remote).unwrap();
                        let step = known.map_or(STEP_OWN, |known| known.step);
                        assert_eq!(step, STEP_OWN, "{value} {number}");
                        frame(packet, 0, &mut input);
                        assert!(!trial.run(Program::Xdp, &input, 1, &mut output).unwrap().passes);
                    }
                }
            }
            let known = trial.destination(&receiver.remote).unwrap().unwrap();
            assert_eq!((known.step, known.reason), (STEP_NOTHING, REASON_LARGE), "{value}");
        }
    });
}

/// Forged SYNs leave nothing behind: the kernel's own handshakes make the entries.
#[test]
#[ignore = "long"]
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

/// Not a test: it is run by hand.
mod by_hand {
    use super::*;

    /// Prints the durations of the programs by the size of a segment:
    /// `--ignored --nocapture durations`.
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
                    let mut run =
                        || trial.run(program, &input, 2000, &mut output).unwrap().nanoseconds;
                    (0..30).map(|_| run()).min().unwrap()
                };
                let [egress, ingress] = [Program::Egress, Program::Ingress].map(best);
                println!("value {value}, {data} bytes: egress {egress} ns, ingress {ingress} ns");
            }
        });
    }
}
