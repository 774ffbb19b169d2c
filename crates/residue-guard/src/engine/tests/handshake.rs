//! Tests of agreements of two ends.

use super::*;

#[test]
fn every_pair_of_values_over_a_handshake() {
    for one in 0..=GREATEST {
        for other in 0..=GREATEST {
            let (mut client, mut server) = met(one, other);
            let data = Sketch { data: b"hello", ..SKETCH };
            let wire = client.sends(&data, SECOND);
            assert_eq!(server.gets(&wire, SECOND), Ok(data.packet()), "{one}, {other}");
            let expected = match agreed(one, other) {
                Some(value) => value,
                // Both count a 6 as 5.
                None => agreed(if one == 6 { 5 } else { one }, if other == 6 { 5 } else { other })
                    .unwrap(),
            };
            for end in [&client, &server] {
                let counted = usize::from(expected);
                // A host without an answer has not requested.
                assert!(expected == 0 || end.counters().agreed[counted] == 1, "{one}, {other}");
                assert_eq!(
                    end.counters().agreed[1..].iter().sum::<u64>(),
                    u64::from(expected != 0)
                );
            }
            assert_eq!(has(&wire, DATA), expected >= 2, "{one}, {other}");
            let answer = Sketch { data: b"world", ..back() };
            let wire = server.sends(&answer, SECOND);
            assert_eq!(client.gets(&wire, SECOND), Ok(answer.packet()));
        }
    }
}

#[test]
fn segment_sizes_leave_room() {
    for (value, room) in [(1, 0), (2, 4), (3, 4), (4, 8), (5, 8), (6, 8), (7, 8)] {
        let (mut client, mut server) = (engine(value), engine(value));
        let wire = client.sends(&syn(), SECOND);
        assert_eq!((requested(&wire), mss(&wire)), (Some(value), 1460));
        let received = server.gets(&wire, SECOND).unwrap();
        assert_eq!((requested(&received), mss(&received)), (None, 1460 - room));
        let wire = server.sends(&syn_ack(), SECOND);
        assert_eq!((requested(&wire), mss(&wire)), (Some(value), 1460));
        let received = client.gets(&wire, SECOND).unwrap();
        assert_eq!((requested(&received), mss(&received)), (None, 1460 - room));
    }
    let mut server = Engine::new(Config { mss: Some(1220), ..Config::offering(4, 4) });
    let wire = engine(4).sends(&syn(), SECOND);
    assert_eq!(mss(&server.gets(&wire, SECOND).unwrap()), 1212);
    // A small one stays.
    let wire = engine(4).sends(&Sketch { options: &[2, 4, 0, 50], ..syn() }, SECOND);
    assert_eq!(mss(&engine(4).gets(&wire, SECOND).unwrap()), 48);
}

#[test]
fn a_peer_without_the_option_gets_regular_tcp() {
    for value in 0..=GREATEST {
        let mut client = engine(value);
        client.sends(&syn(), SECOND);
        assert_eq!(client.gets(&syn_ack().packet(), SECOND), Ok(syn_ack().packet()));
        let data = Sketch { data: b"hello", ..SKETCH };
        assert_eq!(client.sends(&data, SECOND), data.packet());
        assert_eq!(client.counters().agreed[0], 1);
        assert_eq!(client.entries(), REGULAR_ONE);
        let mut server = engine(value);
        assert_eq!(server.gets(&syn().packet(), SECOND), Ok(syn().packet()));
        assert_eq!(server.sends(&syn_ack(), SECOND), syn_ack().packet());
        assert_eq!(server.entries(), Entries::default());
    }
}

/// Sent and received packets wait in different queues. A SYN that the kernel repeated may come to
/// the engine after the answer to the first one.
#[test]
fn a_repeated_syn_behind_its_answer_changes_nothing() {
    for value in 1..=GREATEST {
        let (mut client, mut server) = met(value, value);
        let wire = client.sends(&syn(), SECOND);
        assert_eq!(requested(&wire), Some(value));
        let data = Sketch { data: b"hello", ..SKETCH };
        let first = client.sends(&data, SECOND);
        assert_eq!(server.gets(&first, SECOND), Ok(data.packet()), "{value}");
        assert_eq!(has(&first, DATA), value >= 2);
        let received = server.gets(&wire, SECOND).unwrap();
        assert_eq!(requested(&received), None);
        let late = server.sends(&syn_ack(), SECOND);
        assert_eq!(requested(&late), Some(value), "{value}");
        let answer = Sketch { data: b"world", ..back() };
        let wire = server.sends(&answer, SECOND);
        assert_eq!(client.gets(&wire, SECOND), Ok(answer.packet()), "{value}");
        for end in [&client, &server] {
            assert_eq!(end.counters().agreed.iter().sum::<u64>(), 1);
            assert_eq!(end.counters().agreed[usize::from(value)], 1, "{value}");
        }

        let mut client = engine(value);
        client.sends(&syn(), SECOND);
        client.gets(&syn_ack().packet(), SECOND).unwrap();
        // The peer has answered that it has no guard.
        assert_eq!(client.sends(&syn(), SECOND), syn().packet(), "{value}");
        assert_eq!(client.gets(&syn_ack().packet(), SECOND), Ok(syn_ack().packet()));
        assert_eq!(client.counters().agreed[0], 1);
        assert_eq!(client.entries(), REGULAR_ONE);
    }
}

#[test]
fn who_requires_protection_gets_it_or_nothing() {
    let mut client = requiring(5);
    client.sends(&syn(), SECOND);
    assert_eq!(client.gets(&syn_ack().packet(), SECOND), Err(Reason::Refused));
    assert_eq!(client.egress(&SKETCH.packet(), SECOND), Action::Drop(Reason::Refused));
    assert_eq!(client.gets(&back().packet(), SECOND), Err(Reason::Refused));
    let rst = Sketch { flags: RST, ..SKETCH }.packet();
    assert_eq!(client.egress(&rst, SECOND), Action::Pass);
    let mut server = requiring(5);
    assert_eq!(server.gets(&syn().packet(), SECOND), Err(Reason::Refused));
    assert_eq!(server.egress(&syn_ack().packet(), SECOND), Action::Drop(Reason::Refused));
    // A path that removes the option from the answer.
    server.gets(&engine(5).sends(&syn(), SECOND), SECOND).unwrap();
    server.sends(&syn_ack(), SECOND);
    assert_eq!(server.gets(&SKETCH.packet(), SECOND), Err(Reason::Refused));
    // SYNs keep the option.
    let mut client = requiring(5);
    for _ in 0..10 {
        assert_eq!(requested(&client.sends(&syn(), SECOND)), Some(5));
    }
}

/// Sends a SYN or SYN-ACK with the option; returns the copy without it, if one follows, which the
/// engine leaves alone.
fn copy(end: &mut crate::Engine, sent: &Sketch, now: Duration) -> Option<Vec<u8>> {
    let wire = end.sends(sent, now);
    let copy = end.rest().map(<[u8]>::to_vec);
    assert_eq!(requested(&wire), Some(5));
    if let Some(copy) = &copy {
        assert_eq!((requested(copy), copy.len()), (None, wire.len() - 4));
        assert_eq!(end.egress(copy, now), Action::Pass);
    }
    copy
}

#[test]
fn silence_leads_to_a_copy_without_the_option() {
    let mut client = engine(5);
    let copies = [(); 4].map(|()| copy(&mut client, &syn(), SECOND).is_some());
    assert_eq!(copies, [false, false, true, true]);
    assert_eq!(client.counters().silent, 2);
    // After an outage, the one with the option is answered; the answer to the other one is late.
    let mut late = engine(5);
    let copies = [(); 3].map(|()| copy(&mut late, &syn(), SECOND).is_some());
    assert_eq!(copies, [false, false, true]);
    let mut server = engine(5);
    server.gets(&engine(5).sends(&syn(), SECOND), SECOND).unwrap();
    late.gets(&server.sends(&syn_ack(), SECOND), SECOND).unwrap();
    late.gets(&syn_ack().packet(), SECOND).unwrap();
    assert!(has(&late.sends(&SKETCH, SECOND), DATA));
    assert_eq!((late.counters().agreed[5], late.counters().agreed[0]), (1, 0));
    assert_eq!(client.gets(&syn_ack().packet(), SECOND), Ok(syn_ack().packet()));
    // It may have been an outage. After a second time, the next one does not wait again.
    let again = Sketch { ports: [50001, 80], ..syn() };
    let copies = [(); 3].map(|()| copy(&mut client, &again, SECOND * 2).is_some());
    assert_eq!(copies, [false, false, true]);
    let answer = Sketch { ports: [80, 50001], ..syn_ack() };
    client.gets(&answer.packet(), SECOND * 2).unwrap();
    let next = Sketch { ports: [50002, 80], ..syn() };
    assert_eq!(client.sends(&next, SECOND * 3), next.packet());
    assert_eq!(client.counters().failed_destinations, 1);
    // After a minute it tries again.
    assert_eq!(requested(&client.sends(&next, SECOND * 63)), Some(5));

    // A peer that had a guard lately has one: its path may lose SYNs, in a flood.
    let (mut client, _) = connected(5);
    // Linux repeats SYNs like this since 6.5, and like that before.
    let (dense, sparse) = (&[0, 1, 2, 3, 4, 5, 7, 11, 19][..], &[0, 1, 3, 7, 15][..]);
    for (minute, times, most) in [(3, dense, 8), (6, sparse, 4), (16, dense, 2), (17, sparse, 2)] {
        let again = Sketch { ports: [50_000 + minute as u16, 80], ..syn() };
        let mut at = |second: &u32| copy(&mut client, &again, SECOND * (60 * minute + second));
        let asked: Vec<bool> = times.iter().map(|second| at(second).is_none()).collect();
        let expected: Vec<bool> = (0..times.len()).map(|number| number < most).collect();
        assert_eq!(asked, expected, "{minute}");
    }

    let (mut client, mut server) = (engine(5), engine(5));
    server.gets(&client.sends(&syn(), SECOND), SECOND).unwrap();
    // The kernel may accept the SYN without it.
    assert_eq!(mss(&server.gets(&syn().packet(), SECOND).unwrap()), 1452);
    let copies = [(); 3].map(|()| copy(&mut server, &syn_ack(), SECOND).is_some());
    assert_eq!(copies, [false, false, true]);
    // The client's first segment shows which of them arrived.
    for has_option in [true, false] {
        let mut server = engine(5);
        server.gets(&engine(5).sends(&syn(), SECOND), SECOND).unwrap();
        let wire = server.sends(&syn_ack(), SECOND);
        let copies = [(); 2].map(|()| copy(&mut server, &syn_ack(), SECOND));
        let mut client = engine(5);
        client.sends(&syn(), SECOND);
        let arrives = if has_option { &wire } else { copies[1].as_ref().unwrap() };
        client.gets(arrives, SECOND).unwrap();
        let wire = client.sends(&SKETCH, SECOND);
        assert_eq!(has(&wire, DATA), has_option);
        assert_eq!(server.gets(&wire, SECOND), Ok(SKETCH.packet()));
        assert_eq!(has(&server.sends(&back(), SECOND), DATA), has_option);
    }
}

#[test]
fn both_open_at_once() {
    for (one, other, value) in [(5, 5, 5), (3, 4, 4), (3, 5, 5), (6, 6, 6), (6, 3, 5), (6, 4, 4)] {
        let (mut left, mut right) = (engine(one), engine(other));
        let answer = Sketch { flags: SYN, acknowledgment: 0, ..syn_ack() };
        let (to_right, to_left) = (left.sends(&syn(), SECOND), right.sends(&answer, SECOND));
        right.gets(&to_right, SECOND).unwrap();
        left.gets(&to_left, SECOND).unwrap();
        let crossing = Sketch { flags: SYN | ACK, acknowledgment: 201, ..syn() };
        let to_right = left.sends(&crossing, SECOND);
        let to_left = right.sends(&syn_ack(), SECOND);
        assert!(requested(&to_right).is_some() && requested(&to_left).is_some());
        right.gets(&to_right, SECOND).unwrap();
        left.gets(&to_left, SECOND).unwrap();
        let wire = left.sends(&SKETCH, SECOND);
        assert_eq!(right.gets(&wire, SECOND), Ok(SKETCH.packet()), "{one}, {other}");
        let wire = right.sends(&back(), SECOND);
        assert_eq!(left.gets(&wire, SECOND), Ok(back().packet()), "{one}, {other}");
        let agreed = [left, right].map(|end| end.counters().agreed[value]);
        assert_eq!(agreed, [1, 1], "{one}, {other}");
    }
}

#[test]
fn a_lost_syn_ack_of_two_that_cross_is_not_needed() {
    let (mut left, mut right) = (engine(5), engine(3));
    let answer = Sketch { flags: SYN, acknowledgment: 0, ..syn_ack() };
    let (to_right, to_left) = (left.sends(&syn(), SECOND), right.sends(&answer, SECOND));
    right.gets(&to_right, SECOND).unwrap();
    left.gets(&to_left, SECOND).unwrap();
    let crossing = Sketch { flags: SYN | ACK, acknowledgment: 201, ..syn() };
    let wire = left.sends(&crossing, SECOND);
    right.gets(&wire, SECOND).unwrap();
    let wire = right.sends(&back(), SECOND);
    assert_eq!(left.gets(&wire, SECOND), Ok(back().packet()));
    assert_eq!(left.counters().agreed[5], 1);
}
