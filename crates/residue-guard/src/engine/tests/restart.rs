//! Tests of connections that outlive their engine.

use super::*;

const DATA_SENT: Sketch<'static> = Sketch { data: b"hello", ..SKETCH };

/// The peer speaks first: its segment is a claim, which the kernel's answer confirms.
#[test]
fn an_engine_that_starts_anew_takes_connections_up_again() {
    for value in 2..=6 {
        let (mut client, _) = connected(value);
        let mut server = engine(value);
        let wire = client.sends(&DATA_SENT, SECOND);
        let mut bad = wire.clone();
        *bad.last_mut().unwrap() ^= 1;
        assert_eq!(server.gets(&bad, SECOND), Err(Reason::Orphan));
        assert_eq!(server.gets(&wire, SECOND), Ok(DATA_SENT.packet()));
        assert_eq!((server.counters().claims, server.counters().adopted), (1, 0));
        let answer = Sketch { acknowledgment: 106, ..back() };
        let wire = server.sends(&answer, SECOND);
        assert_eq!(client.gets(&wire, SECOND), Ok(answer.packet()));
        assert_eq!((server.entries().established, server.counters().adopted), (1, 1));
        assert!(server.gets(&bad, SECOND).is_err());
    }
}

/// This host speaks first: its segments are lost, and show the kernel's numbers.
#[test]
fn the_kernels_segments_confirm_the_next_one_of_the_peer() {
    let (mut client, _) = connected(5);
    let mut server = engine(5);
    assert_eq!(server.sends(&back(), SECOND), back().packet());
    assert_eq!(server.entries().regular, 1);
    assert!(client.gets(&back().packet(), SECOND).is_err());
    let wire = client.sends(&DATA_SENT, SECOND);
    assert_eq!(server.gets(&wire, SECOND), Ok(DATA_SENT.packet()));
    assert_eq!((server.entries().established, server.entries().regular), (1, 0));
    let wire = server.sends(&back(), SECOND);
    assert_eq!(client.gets(&wire, SECOND), Ok(back().packet()));
    // A plain segment that is not the next one is forged; the next one is of a peer without a
    // guard.
    let late = Sketch { sequence: 90, ..SKETCH };
    assert_eq!(server.gets(&late.packet(), SECOND), Err(Reason::Missing));
    assert_eq!(server.entries().regular, 0);
    assert_eq!(server.gets(&SKETCH.packet(), SECOND), Ok(SKETCH.packet()));
    assert_eq!(server.entries().regular, 1);
}

#[test]
fn a_saved_state_continues_connections_in_both_directions() {
    for value in 1..=GREATEST {
        let (mut client, server) = connected(value);
        let saved = server.save(SECOND * 9);
        let mut server = engine(4);
        assert_eq!(server.restore(&saved, SECOND * 9), Ok(1));
        assert_eq!((server.entries().established, server.counters().restored), (1, 1));
        // This host speaks next.
        let answer = Sketch { data: b"more", ..back() };
        let wire = server.sends(&answer, SECOND * 9);
        assert_eq!(client.gets(&wire, SECOND), Ok(answer.packet()), "{value}");
        let wire = client.sends(&DATA_SENT, SECOND);
        assert_eq!(server.gets(&wire, SECOND * 9), Ok(DATA_SENT.packet()));
    }
}

#[test]
fn a_restored_connection_of_other_numbers_is_over() {
    let (_, server) = connected(5);
    let mut again = engine(5);
    again.restore(&server.save(SECOND), SECOND).unwrap();
    // The ports have another, regular connection now.
    let other = Sketch { sequence: 0x7000_0000, acknowledgment: 0x5000_0000, ..back() };
    assert_eq!(again.sends(&other, SECOND), other.packet());
    assert_eq!((again.entries().established, again.entries().regular), (0, 1));
}

#[test]
fn failed_destinations_are_saved() {
    let mut client = engine(4);
    let now = SECOND * 1000;
    hang(&mut client, 1000, now);
    let mut again = engine(4);
    assert_eq!(again.restore(&client.save(now), now), Ok(1));
    assert_eq!(again.destinations(now, 9), client.destinations(now, 9));
    assert_eq!(requested(&again.sends(&syn(), now)), None);
}

#[test]
fn bytes_of_any_kind_are_no_state() {
    let (_, server) = connected(5);
    let saved = server.save(SECOND);
    for length in 0..saved.len() {
        assert!(engine(5).restore(&saved[..length], SECOND).is_err(), "{length}");
    }
    for at in 0..saved.len() {
        let mut bad = saved.clone();
        bad[at] ^= 0x10;
        let error = engine(5).restore(&bad, SECOND).unwrap_err();
        assert_eq!(error == StateError::Format, at < 4, "{at}");
        // The CRC is right, too.
        let content = bad.len() - 4;
        let crc = residue::crc32c(&bad[..content]);
        bad[content..].copy_from_slice(&crc.to_be_bytes());
        let mut engine = engine(5);
        let _ = engine.restore(&bad, SECOND);
        engine.sends(&back(), SECOND);
        assert!(engine.entries().established <= 1);
    }
}
