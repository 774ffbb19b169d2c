//! Tests of forged packets, and of outages that look like a path without the option.

use super::*;
use residue_testing::Random;
use std::collections::BTreeMap;

const FORGED: u64 = 200_000;

/// Returns a random segment of the connection, without its numbers.
fn random<'a>(random: &mut Random, of: Sketch<'a>) -> Sketch<'a> {
    let mut number = || random.below(1 << 32) as u32;
    Sketch { sequence: number(), acknowledgment: number(), ..of }
}

/// Returns a segment with a right check value.
fn protected(sketch: &Sketch, value: u8) -> Vec<u8> {
    let packet = sketch.packet();
    let mut buffer = Vec::new();
    let layout = Layout::of(value).unwrap();
    crate::value::write(&of(&packet), &layout, &mut buffer, &mut Vec::new()).unwrap();
    buffer
}

#[test]
fn forged_segments_do_not_change_what_is_sent() {
    // A host with a guard, and its peer without one.
    for own in [3, 5, 6, 7] {
        for opens in [true, false] {
            let mut host = engine(own);
            if opens {
                host.sends(&syn(), SECOND);
                host.gets(&syn_ack().packet(), SECOND).unwrap();
            } else {
                // The ports' roles are exchanged, the numbers stay.
                let there = Sketch { flags: SYN, acknowledgment: 0, ..syn_ack() };
                host.gets(&there.packet(), SECOND).unwrap();
                host.sends(&Sketch { flags: SYN | ACK, acknowledgment: 201, ..syn() }, SECOND);
            }
            assert_eq!(host.sends(&SKETCH, SECOND), SKETCH.packet());
            let mut numbers = Random(7);
            for count in 0..FORGED / 4 {
                let value = 2 + (count % 6) as u8;
                let forged = protected(&random(&mut numbers, back()), value);
                let _ = host.gets(&forged, SECOND);
                if count % 100 == 0 {
                    assert_eq!(host.sends(&SKETCH, SECOND), SKETCH.packet(), "{own}");
                }
            }
            assert_eq!(host.gets(&back().packet(), SECOND), Ok(back().packet()));
            assert_eq!((host.counters().adopted, host.entries().regular), (0, 1));
        }
    }
}

#[test]
fn forged_segments_of_all_ports_change_nothing() {
    let mut host = engine(5);
    let mut numbers = Random(8);
    for count in 0..FORGED {
        let ports = [80, count as u16];
        let forged = random(&mut numbers, Sketch { ports, ..back() });
        let _ = host.gets(&protected(&forged, 3 + (count % 3) as u8), SECOND);
        // The kernel knows 1 in 50 of them, and challenges.
        if count % 50 == 0 {
            let answer = Sketch { ports: [count as u16, 80], ..SKETCH };
            assert_eq!(host.sends(&answer, SECOND), answer.packet());
        }
    }
    assert_eq!(host.counters().adopted, 0);
    // Connections with the peers work as ever.
    let wire = host.sends(&Sketch { ports: [9, 80], ..syn() }, SECOND);
    assert_eq!(requested(&wire), Some(5));
    assert_eq!(host.entries().destinations, 0);
}

#[test]
fn values_of_others_are_not_taken_up() {
    let mut host = engine(4);
    for value in [2, 3, 5, 6, 7] {
        assert_eq!(host.gets(&protected(&back(), value), SECOND), Err(Reason::Orphan));
    }
    // Not even the numbers of the kernel help.
    host.sends(&SKETCH, SECOND);
    for value in [2, 3, 5, 6, 7] {
        assert_eq!(host.gets(&protected(&back(), value), SECOND), Err(Reason::Orphan));
    }
    assert!(host.gets(&protected(&back(), 4), SECOND).is_ok());
    assert_eq!(host.counters().adopted, 1);
}

#[test]
fn forged_segments_do_not_count_as_errors_of_tcp() {
    for value in 3..=GREATEST {
        let (mut client, mut server) = connected(value);
        let mut numbers = Random(u64::from(value));
        for count in 0..FORGED / 8 {
            // Plain, of another value, or with a wrong check value.
            let forged = random(&mut numbers, Sketch { data: b"forged", ..SKETCH });
            let packet = match count % 3 {
                0 => forged.packet(),
                1 => protected(&forged, if value == 5 { 4 } else { 5 }),
                _ => {
                    let mut packet = protected(&forged, value);
                    let at = packet.len() - 1;
                    packet.swap(at, at - 2);
                    packet
                }
            };
            // Value 4 has no number in it.
            let _ = server.gets(&packet, SECOND);
        }
        let counted = server.counters().received[usize::from(value)];
        assert!(counted.only_crc_bad + counted.missing + counted.both_bad < 3, "{counted:?}");
        assert!(counted.outside > FORGED / 16, "{counted:?}");
        assert_eq!(server.counters().failed_destinations, 0);
        let wire = client.sends(&SKETCH, SECOND);
        assert_eq!(server.gets(&wire, SECOND), Ok(SKETCH.packet()));
    }
}

#[test]
fn forged_plain_segments_do_not_turn_the_guard_off() {
    let mut client = engine(5);
    let mut numbers = Random(3);
    for port in 1000..1040 {
        let ports = [port, 80];
        let mut server = engine(5);
        server.gets(&client.sends(&Sketch { ports, ..syn() }, SECOND), SECOND).unwrap();
        let answer = Sketch { ports: [80, port], ..syn_ack() };
        client.gets(&server.sends(&answer, SECOND), SECOND).unwrap();
        for _ in 0..1000 {
            let forged = random(&mut numbers, Sketch { ports: [80, port], ..back() });
            assert!(client.gets(&forged.packet(), SECOND).is_err());
            assert!(
                server
                    .gets(&Sketch { ports, ..random(&mut numbers, SKETCH) }.packet(), SECOND)
                    .is_err()
                    || server.entries().established == 0
            );
        }
        let wire = client.sends(&Sketch { ports, ..SKETCH }, SECOND);
        assert_eq!(server.gets(&wire, SECOND), Ok(Sketch { ports, ..SKETCH }.packet()));
        assert_eq!(server.counters().agreed[5], 1);
    }
    assert_eq!((client.counters().failed_destinations, client.entries().regular), (0, 0));
}

#[test]
fn an_outage_does_not_turn_the_guard_off() {
    let mut client = engine(5);
    // SYNs at 0 and 1 seconds are lost.
    for second in [0, 1, 3] {
        client.sends(&syn(), SECOND * second);
    }
    client.gets(&syn_ack().packet(), SECOND * 3).unwrap();
    assert_eq!((client.entries().regular, client.entries().destinations), (1, 1));
    assert!(client.destinations(SECOND * 4, 9).is_empty());
    let next = Sketch { ports: [50001, 80], ..syn() };
    assert_eq!(requested(&client.sends(&next, SECOND * 4)), Some(5));
    // It works, and the outage is forgotten.
    let mut server = engine(5);
    server.gets(&engine(5).sends(&next, SECOND), SECOND).unwrap();
    let answer = Sketch { ports: [80, 50001], ..syn_ack() };
    client.gets(&server.sends(&answer, SECOND), SECOND * 4).unwrap();
    let ports = [50001, 80];
    let wire = client.sends(&Sketch { ports, ..SKETCH }, SECOND * 4);
    server.gets(&wire, SECOND).unwrap();
    let wire = server.sends(&Sketch { ports: [80, 50001], ..back() }, SECOND);
    client.gets(&wire, SECOND * 4).unwrap();
    assert_eq!(client.entries().destinations, 0);
}

#[test]
fn lost_packets_of_the_queue_weaken_nothing() {
    let mut client = engine(5);
    client.packets_were_lost(SECOND);
    let copies = [1, 2, 4, 8, 16].map(|second| {
        assert_eq!(requested(&client.sends(&syn(), SECOND * second)), Some(5));
        client.rest().is_some()
    });
    assert_eq!(copies, [false, false, false, false, true]);
    let mut client = engine(5);
    client.packets_were_lost(SECOND);
    hang(&mut client, 1000, SECOND);
    assert_eq!(client.entries().destinations, 0);
    hang(&mut client, 1001, SECOND * 12);
    assert_eq!(client.entries().destinations, 1);
}

#[test]
fn what_fails_is_reported_and_forgotten() {
    let mut client = engine(4);
    hang(&mut client, 1000, SECOND);
    let [destination] = &client.destinations(SECOND * 31, 9)[..] else { panic!("one") };
    let expected = crate::Destination {
        address: "10.0.0.2".to_string(),
        value: None,
        failure: crate::Failure::NothingGood,
        age: 30,
        left: 90,
    };
    assert_eq!(*destination, expected);
    let next = Sketch { ports: [1001, 80], ..syn() };
    assert_eq!(client.sends(&next, SECOND * 31), next.packet());
    assert_eq!(client.forget(), 1);
    let next = Sketch { ports: [1002, 80], ..syn() };
    assert_eq!(requested(&client.sends(&next, SECOND * 31)), Some(4));
}

/// A NAT that takes segments of value 3 for damaged forwards them as they are, and the server,
/// which knows no such connection, resets it.
#[test]
fn resets_before_any_good_segment_lead_to_value_4() {
    let (mut client, _) = met(3, 3);
    client.sends(&SKETCH, SECOND);
    let rst = Sketch { flags: RST, ..back() };
    // One with other numbers is forged.
    client.gets(&Sketch { sequence: 7, ..rst }.packet(), SECOND).unwrap();
    assert_eq!(client.entries().destinations, 0);
    client.gets(&rst.packet(), SECOND).unwrap();
    assert!(client.destinations(SECOND, 9).is_empty());
    // A second connection, of the same ports.
    let mut server = engine(3);
    server.gets(&client.sends(&syn(), SECOND * 2), SECOND).unwrap();
    client.gets(&server.sends(&syn_ack(), SECOND), SECOND * 2).unwrap();
    client.sends(&SKETCH, SECOND * 2);
    client.gets(&rst.packet(), SECOND * 2).unwrap();
    let next = Sketch { ports: [1001, 80], ..syn() };
    assert_eq!(requested(&client.sends(&next, SECOND * 3)), Some(4));
    // A connection that works may be reset.
    let (mut client, _) = connected(3);
    client.gets(&rst.packet(), SECOND).unwrap();
    assert_eq!(client.entries().destinations, 0);
}

#[test]
fn regular_connections_are_counted_while_they_live() {
    let mut host = engine(5);
    let mut open = BTreeMap::new();
    for port in 1000..1010 {
        let ports = [port, 80];
        host.sends(&Sketch { ports, ..syn() }, SECOND);
        host.gets(&Sketch { ports: [80, port], ..syn_ack() }.packet(), SECOND).unwrap();
        host.sends(&Sketch { ports, ..SKETCH }, SECOND);
        open.insert(port, ports);
    }
    assert_eq!(host.entries().regular, 10);
    let flags = FIN | ACK;
    host.sends(&Sketch { ports: open[&1000], flags, ..SKETCH }, SECOND);
    let fin = Sketch { ports: [80, 1000], flags, ..back() };
    host.gets(&fin.packet(), SECOND).unwrap();
    host.gets(&Sketch { ports: [80, 1001], flags: RST, ..back() }.packet(), SECOND).unwrap();
    assert_eq!((host.entries().regular, host.entries().closing), (8, 2));
}

/// A flood of claims displaces no connection that others are opening.
#[test]
fn claims_have_their_own_class() {
    let mut server = engine(5);
    let mut client = engine(5);
    server.gets(&client.sends(&syn(), SECOND), SECOND).unwrap();
    let mut numbers = Random(5);
    for port in 0..10_000 {
        let forged = random(&mut numbers, Sketch { ports: [port, 80], from: 9, ..SKETCH });
        server.gets(&protected(&forged, 5), SECOND).unwrap();
    }
    let wire = server.sends(&syn_ack(), SECOND);
    assert_eq!(requested(&wire), Some(5));
}

/// A flood makes the kernel answer SYNs with cookies, and displaces the first segments of a
/// connection. Later ones would make that kernel reset it.
#[test]
fn the_first_segment_comes_first() {
    for value in [3, 4, 5] {
        let (mut client, mut server) = met(value, value);
        let data = Sketch { data: b"hello", ..SKETCH };
        let next = Sketch { sequence: data.sequence + 5, ..data };
        let wires = [data, next].map(|sketch| client.sends(&sketch, SECOND));
        assert_eq!(server.gets(&wires[1], SECOND), Err(Reason::Early));
        assert_eq!(server.gets(&wires[0], SECOND), Ok(data.packet()));
        assert_eq!(server.gets(&wires[1], SECOND), Ok(next.packet()));
        assert_eq!(server.counters().agreed[usize::from(value)], 1);
    }
}

/// A kernel that answers SYNs with cookies answers forged ones with the ports of a connection that
/// opens, too, and completes the handshake of the true one.
#[test]
fn forged_syns_do_not_displace_a_handshake() {
    for value in 3..=GREATEST {
        let (mut client, mut server) = met(value, value);
        for number in 1..=2 {
            let forged = Sketch { sequence: 1000 * number, ..syn() };
            server.gets(&engine(value).sends(&forged, SECOND), SECOND).unwrap();
            let (sequence, acknowledgment) = (5000 * number, 1000 * number + 1);
            let cookie = Sketch { sequence, acknowledgment, ..syn_ack() };
            assert_eq!(requested(&server.sends(&cookie, SECOND)), Some(value));
        }
        let data = Sketch { data: b"hello", ..SKETCH };
        let next = Sketch { sequence: data.sequence + 5, ..data };
        let wires = [data, next].map(|sketch| client.sends(&sketch, SECOND));
        assert_eq!(server.gets(&wires[1], SECOND), Err(Reason::Early));
        assert_eq!(server.gets(&wires[0], SECOND), Ok(data.packet()));
        assert_eq!(server.gets(&wires[1], SECOND), Ok(next.packet()));
        let wire = server.sends(&back(), SECOND);
        assert_eq!(client.gets(&wire, SECOND), Ok(back().packet()));
        assert_eq!(server.counters().agreed[usize::from(value)], 1);
    }
}

/// A connection that hangs shows little about the path to a peer with which the value worked
/// lately: the peer may drop segments in a flood. A second one in succession counts.
#[test]
fn one_connection_that_hangs_is_not_enough_for_a_known_peer() {
    let (mut client, _) = connected(5);
    hang(&mut client, 1000, SECOND * 10);
    assert!(client.destinations(SECOND * 20, 9).is_empty());
    let next = Sketch { ports: [1001, 80], ..syn() };
    assert_eq!(requested(&client.sends(&next, SECOND * 20)), Some(5));
    hang(&mut client, 1002, SECOND * 30);
    assert_eq!(client.destinations(SECOND * 31, 9).len(), 1);
    let next = Sketch { ports: [1003, 80], ..syn() };
    assert_eq!(requested(&client.sends(&next, SECOND * 31)), Some(4));
    // Long after a good connection, one is enough, as for an unknown peer.
    let (mut client, _) = connected(5);
    hang(&mut client, 1000, SECOND * 700);
    assert_eq!(client.destinations(SECOND * 701, 9).len(), 1);
}

/// A flood of SYNs displaces a handshake, and the kernel repeats its SYN-ACK. Without the option
/// that one would make the connection regular.
#[test]
fn a_displaced_handshake_does_not_become_regular() {
    let mut config = Config::offering(5, 5);
    config.limits.answering = 64;
    let (mut client, mut server) = (engine(5), Engine::new(config));
    let answer = |port: u16| Sketch { ports: [80, port], ..syn_ack() };
    // The server knows its peer.
    server.gets(&client.sends(&syn(), SECOND), SECOND).unwrap();
    client.gets(&server.sends(&syn_ack(), SECOND), SECOND).unwrap();
    server.gets(&client.sends(&SKETCH, SECOND), SECOND).unwrap();

    let next = Sketch { ports: [50001, 80], ..syn() };
    let wire = client.sends(&next, SECOND);
    server.gets(&wire, SECOND).unwrap();
    assert_eq!(requested(&server.sends(&answer(50001), SECOND)), Some(5));
    for port in 1000..1100 {
        let forged = Sketch { from: 9, ports: [port, 80], ..syn() };
        server.gets(&engine(5).sends(&forged, SECOND), SECOND).unwrap();
    }
    let repeated = answer(50001).packet();
    let dropped = Action::Drop(Reason::Displaced);
    assert_eq!(server.egress(&repeated, SECOND * 2), dropped);
    server.gets(&wire, SECOND * 2).unwrap();
    assert_eq!(requested(&server.sends(&answer(50001), SECOND * 2)), Some(5));

    // Regular handshakes go on: of the same peer, and of one that is not known.
    for (from, port) in [(CLIENT, 50002), (7, 50003)] {
        let regular = Sketch { from, ports: [port, 80], ..syn() };
        assert_eq!(server.gets(&regular.packet(), SECOND * 2), Ok(regular.packet()));
        let answer = Sketch { to: from, ..answer(port) };
        assert_eq!(server.sends(&answer, SECOND * 2), answer.packet());
    }
    // Answers to SYNs that another interface has received pass, too, after the flood.
    assert_eq!(server.sends(&answer(50004), SECOND * 20), answer(50004).packet());
}

/// A kernel that begins to answer with cookies gives a repeated SYN another number.
#[test]
fn a_syn_that_is_answered_again_with_another_number() {
    for acknowledged in [200, 900] {
        let (mut client, mut server) = (engine(5), engine(5));
        let wire = client.sends(&syn(), SECOND);
        let answers = [200, 900].map(|sequence| Sketch { sequence, ..syn_ack() }).map(|answer| {
            server.gets(&wire, SECOND).unwrap();
            server.sends(&answer, SECOND)
        });
        assert_eq!(answers.each_ref().map(|answer| requested(answer)), [Some(5); 2]);
        let taken = &answers[usize::from(acknowledged == 900)];
        client.gets(taken, SECOND).unwrap();
        let first = Sketch { acknowledgment: acknowledged + 1, ..SKETCH };
        let wire = client.sends(&first, SECOND);
        assert_eq!(server.gets(&wire, SECOND), Ok(first.packet()));
        assert_eq!(server.counters().agreed, [0, 0, 0, 0, 0, 1, 0, 0]);
    }
}
