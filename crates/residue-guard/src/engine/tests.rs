//! Tests of the rules, one by one. `golden.txt` has the bytes.

use super::*;
use crate::negotiate::GREATEST;
use crate::options;
use crate::packet::{ACK, FIN, RST, SYN, write_checksum};
use residue_net::agreements::agreed;
use residue_net::wire::tcp_checksum_option::DATA;

mod handshake;
mod hostile;
mod path;
mod restart;

const SECOND: Duration = Duration::from_secs(1);
const CLIENT: u8 = 1;
const SERVER: u8 = 2;
const MSS_1460: [u8; 4] = [2, 4, 5, 0xb4];

/// A segment of a test from one host to another, over IPv4.
#[derive(Clone, Copy)]
struct Sketch<'a> {
    from: u8,
    to: u8,
    ports: [u16; 2],
    flags: u8,
    sequence: u32,
    acknowledgment: u32,
    options: &'a [u8],
    data: &'a [u8],
}

const SKETCH: Sketch<'static> = Sketch {
    from: CLIENT,
    to: SERVER,
    ports: [50000, 80],
    flags: ACK,
    sequence: 101,
    acknowledgment: 201,
    options: &[],
    data: &[],
};

impl Sketch<'_> {
    fn packet(&self) -> Vec<u8> {
        let mut packet = vec![0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 6, 0, 0];
        packet.extend([10, 0, 0, self.from, 10, 0, 0, self.to]);
        packet.extend(self.ports.iter().flat_map(|port| port.to_be_bytes()));
        packet.extend(self.sequence.to_be_bytes());
        packet.extend(self.acknowledgment.to_be_bytes());
        packet.extend([(5 + self.options.len() as u8 / 4) << 4, self.flags, 1, 0, 0, 0, 0, 0]);
        packet.extend(self.options);
        packet.extend(self.data);
        let length = packet.len() as u16;
        packet[2..4].copy_from_slice(&length.to_be_bytes());
        let checksum = residue::internet::checksum(&packet[..20]);
        packet[10..12].copy_from_slice(&checksum.to_be_bytes());
        let Packet::Segment(segment) = Packet::parse(&packet) else { panic!("no segment") };
        let ip = segment.ip;
        write_checksum(&mut packet, &ip, &mut Vec::new());
        packet
    }
}

fn syn() -> Sketch<'static> {
    Sketch { flags: SYN, sequence: 100, acknowledgment: 0, options: &MSS_1460, ..SKETCH }
}

fn syn_ack() -> Sketch<'static> {
    let (flags, sequence, acknowledgment) = (SYN | ACK, 200, 101);
    Sketch { flags, sequence, acknowledgment, options: &MSS_1460, ..back() }
}

fn back() -> Sketch<'static> {
    let (ports, sequence, acknowledgment) = ([80, 50000], 201, 101);
    Sketch { from: SERVER, to: CLIENT, ports, sequence, acknowledgment, ..SKETCH }
}

/// A regular connection, and nothing else.
const REGULAR_ONE: Entries =
    Entries { opening: 0, answering: 0, established: 0, closing: 0, destinations: 0, regular: 1 };

/// Returns the bytes that are passed on.
fn taken(action: Action<'_>, packet: &[u8]) -> Result<Vec<u8>, Reason> {
    match action {
        Action::Pass => Ok(packet.to_vec()),
        Action::Replace(bytes) => Ok(bytes.to_vec()),
        Action::Drop(reason) => Err(reason),
    }
}

impl Engine {
    fn sends(&mut self, sketch: &Sketch, now: Duration) -> Vec<u8> {
        let packet = sketch.packet();
        taken(self.egress(&packet, now), &packet).unwrap()
    }

    fn gets(&mut self, packet: &[u8], now: Duration) -> Result<Vec<u8>, Reason> {
        taken(self.ingress(packet, now), packet)
    }
}

fn of(packet: &[u8]) -> Segment<'_> {
    match Packet::parse(packet) {
        Packet::Segment(segment) => segment,
        other => panic!("{other:?}"),
    }
}

fn has(packet: &[u8], kind: u8) -> bool {
    options::find(of(packet).options(), kind).is_some()
}

fn requested(packet: &[u8]) -> Option<u8> {
    request(&of(packet))
}

fn mss(packet: &[u8]) -> u16 {
    let options = of(packet).options();
    let place = options::find(options, options::MSS).unwrap();
    u16::from_be_bytes([options[place.start + 2], options[place.start + 3]])
}

fn engine(value: u8) -> Engine {
    Engine::new(Config::offering(value, 5))
}

fn requiring(value: u8) -> Engine {
    Engine::new(Config { policy: Policy::Require, ..Config::offering(value, 5) })
}

/// Both ends after SYN and SYN-ACK.
fn met(client: u8, server: u8) -> (Engine, Engine) {
    let (mut client, mut server) = (engine(client), engine(server));
    let wire = client.sends(&syn(), SECOND);
    server.gets(&wire, SECOND).unwrap();
    let wire = server.sends(&syn_ack(), SECOND);
    client.gets(&wire, SECOND).unwrap();
    (client, server)
}

/// Both ends after a segment of each.
fn connected(value: u8) -> (Engine, Engine) {
    let (mut client, mut server) = met(value, value);
    let wire = client.sends(&SKETCH, SECOND);
    server.gets(&wire, SECOND).unwrap();
    let wire = server.sends(&back(), SECOND);
    client.gets(&wire, SECOND).unwrap();
    (client, server)
}

/// Opens a connection on which nothing comes back.
fn hang(client: &mut Engine, port: u16, now: Duration) {
    let wire = client.sends(&Sketch { ports: [port, 80], ..syn() }, now);
    let Some(value) = requested(&wire) else { return };
    let mut server = engine(value);
    server.gets(&wire, now).unwrap();
    let answer = Sketch { ports: [80, port], ..syn_ack() };
    client.gets(&server.sends(&answer, now), now).unwrap();
    for _ in 0..10 {
        client.sends(&Sketch { ports: [port, 80], data: b"hello", ..SKETCH }, now);
    }
}

#[test]
fn a_late_or_forged_syn_changes_nothing() {
    let (mut client, mut server) = connected(5);
    let forged = Sketch { sequence: 777, ..syn() };
    for wire in [engine(3).sends(&forged, SECOND), forged.packet(), engine(5).sends(&syn(), SECOND)]
    {
        let received = server.gets(&wire, SECOND).unwrap();
        assert_eq!(requested(&received), None);
        // The kernel's challenge (RFC 5961) is protected as usual.
        let wire = server.sends(&back(), SECOND);
        assert_eq!(client.gets(&wire, SECOND), Ok(back().packet()));
        let wire = client.sends(&SKETCH, SECOND);
        assert_eq!(server.gets(&wire, SECOND), Ok(SKETCH.packet()));
    }
    assert_eq!(server.counters().doubtful_syns, 2);
}

#[test]
fn a_syn_that_the_kernel_answers_is_a_new_connection() {
    let (_, mut server) = connected(5);
    let mut client = engine(4);
    let again = Sketch { sequence: 776, ..syn() };
    server.gets(&client.sends(&again, SECOND), SECOND).unwrap();
    let answer = Sketch { sequence: 900, acknowledgment: 777, ..syn_ack() };
    client.gets(&server.sends(&answer, SECOND), SECOND).unwrap();
    let first = Sketch { sequence: 777, acknowledgment: 901, ..SKETCH };
    assert_eq!(server.gets(&client.sends(&first, SECOND), SECOND), Ok(first.packet()));
    assert_eq!(server.counters().agreed[4], 1);
    // A SYN without a request gets a regular answer.
    let (_, mut server) = connected(5);
    server.gets(&again.packet(), SECOND).unwrap();
    assert_eq!(server.sends(&answer, SECOND), answer.packet());
    assert_eq!(server.gets(&first.packet(), SECOND), Ok(first.packet()));
}

#[test]
fn a_forged_syn_on_a_regular_connection_changes_nothing() {
    let mut server = engine(5);
    server.gets(&engine(5).sends(&syn(), SECOND), SECOND).unwrap();
    assert_eq!(server.gets(&SKETCH.packet(), SECOND), Ok(SKETCH.packet()));
    assert_eq!(server.sends(&back(), SECOND), back().packet());
    assert_eq!(server.entries(), REGULAR_ONE);
}

#[test]
fn retransmissions_are_protected_again() {
    let (mut client, mut server) = met(5, 5);
    let data = Sketch { data: b"again", ..SKETCH };
    // The client's first segments are lost; the server repeats its answer.
    client.sends(&data, SECOND);
    let wire = server.sends(&syn_ack(), SECOND);
    assert_eq!(requested(&wire), Some(5));
    assert_eq!(mss(&client.gets(&wire, SECOND).unwrap()), 1452);
    let wire = client.sends(&data, SECOND);
    for _ in 0..2 {
        assert_eq!(server.gets(&wire, SECOND), Ok(data.packet()));
    }
    // The kernel has not accepted it, and repeats its answer.
    assert_eq!(requested(&server.sends(&syn_ack(), SECOND)), Some(5));
    assert_eq!(client.counters().failed_destinations, 0);
}

#[test]
fn what_hangs_is_remembered() {
    let mut client = engine(5);
    let destination = |port| Sketch { ports: [port, 80], ..syn() };
    let mut asked = Vec::new();
    for port in 1000..1003 {
        let wire = client.sends(&destination(port), SECOND);
        asked.push(requested(&wire));
        let Some(value) = requested(&wire) else { break };
        let mut server = engine(value);
        server.gets(&wire, SECOND).unwrap();
        let answer = Sketch { ports: [80, port], ..syn_ack() };
        client.gets(&server.sends(&answer, SECOND), SECOND).unwrap();
        // Nothing comes back.
        for _ in 0..10 {
            client.sends(&Sketch { ports: [port, 80], data: b"hello", ..SKETCH }, SECOND);
        }
    }
    assert_eq!(asked, [Some(5), Some(4), None]);
    assert_eq!((client.counters().failed_destinations, client.entries().destinations), (2, 1));
    // Other peers get requests as usual, and a working connection is not suspected.
    assert_eq!(requested(&client.sends(&Sketch { to: 3, ..syn() }, SECOND)), Some(5));
    let (mut client, mut server) = connected(5);
    for _ in 0..10 {
        client.sends(&Sketch { data: b"hello", ..SKETCH }, SECOND);
        assert_eq!(server.gets(&SKETCH.packet(), SECOND), Err(Reason::Missing));
    }
    for end in [client, server] {
        assert_eq!(end.counters().failed_destinations, 0);
    }
}

#[test]
fn rst_is_never_protected() {
    for value in 1..=GREATEST {
        let (mut client, mut server) = connected(value);
        let rst = Sketch { flags: RST | ACK, ..SKETCH };
        assert_eq!(client.sends(&rst, SECOND), rst.packet());
        assert_eq!((client.entries().closing, client.entries().established), (1, 0));
        assert_eq!(server.gets(&rst.packet(), SECOND), Ok(rst.packet()));
        assert_eq!(server.entries().closing, 1);
        // One with a wrong sequence number changes nothing.
        let (mut client, mut server) = connected(value);
        let forged = Sketch { sequence: 5000, ..rst }.packet();
        assert_eq!(server.gets(&forged, SECOND), Ok(forged.clone()));
        assert_eq!(server.entries().established, 1);
        let wire = client.sends(&SKETCH, SECOND);
        assert_eq!(server.gets(&wire, SECOND), Ok(SKETCH.packet()));
    }
}

#[test]
fn closed_and_idle_connections_are_forgotten() {
    let (mut client, mut server) = connected(5);
    let fin = Sketch { flags: FIN | ACK, ..SKETCH };
    server.gets(&client.sends(&fin, SECOND), SECOND).unwrap();
    assert_eq!((client.entries().established, server.entries().established), (1, 1));
    let fin = Sketch { flags: FIN | ACK, ..back() };
    client.gets(&server.sends(&fin, SECOND), SECOND).unwrap();
    assert_eq!((client.entries().closing, server.entries().closing), (1, 1));
    // The last acknowledgment is still protected, and repeated.
    let wire = client.sends(&SKETCH, SECOND * 100);
    assert_eq!(server.gets(&wire, SECOND * 100), Ok(SKETCH.packet()));
    client.egress(b"", SECOND * 222);
    assert_eq!((client.entries(), client.counters().expired), (Entries::default(), 1));
    let (mut client, _) = connected(5);
    client.egress(b"", SECOND * 86_400);
    assert_eq!(client.entries().established, 1);
    client.egress(b"", SECOND * 86_402);
    assert_eq!(client.entries(), Entries::default());
    let mut client = engine(5);
    client.sends(&syn(), SECOND);
    client.egress(b"", SECOND * 182);
    assert_eq!(client.entries(), Entries::default());
}

#[test]
fn fast_open_and_data_are_taken_from_syns() {
    let options = [2, 4, 5, 0xb4, 34, 10, 1, 2, 3, 4, 5, 6, 7, 8, 1, 1];
    let experiment = [2, 4, 5, 0xb4, 254, 4, 0xf9, 0x89];
    for options in [&options[..], &experiment] {
        let wire = engine(5).sends(&Sketch { options, data: b"early", ..syn() }, SECOND);
        assert_eq!(requested(&wire), Some(5));
        assert!(!has(&wire, options::FAST_OPEN) && !has(&wire, 254));
        assert!(of(&wire).payload().is_empty() && of(&wire).checksum_is_good(&mut Vec::new()));
        // A peer whose guard leaves them in.
        let mut asked = [&[14, 3, 5, 1], options].concat();
        asked.resize(asked.len().next_multiple_of(4), 1);
        let packet = Sketch { options: &asked, data: b"early", ..syn() }.packet();
        let received = engine(5).gets(&packet, SECOND).unwrap();
        assert!(!has(&received, options::FAST_OPEN) && of(&received).payload().is_empty());
    }
    // Without a negotiation they stay.
    let mut idle = Engine::new(Config::default());
    let sketch = Sketch { options: &options, data: b"early", ..syn() };
    assert_eq!(idle.sends(&sketch, SECOND), sketch.packet());
}

#[test]
fn options_that_leave_no_room() {
    // 18 bytes of an unknown option, MSS (4), window scale (3), timestamps (10), 5 bytes of another
    // one.
    let mut full = vec![77, 18];
    full.resize(18, 7);
    full.extend([2, 4, 5, 0xb4, 3, 3, 7, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8, 77, 5, 1, 1, 1]);
    assert_eq!(full.len(), 40);
    let mut client = engine(5);
    let sketch = Sketch { options: &full, ..syn() };
    assert_eq!(client.sends(&sketch, SECOND), sketch.packet());
    assert_eq!((client.counters().no_room, client.entries().opening), (1, 0));
    assert_eq!(requiring(5).egress(&sketch.packet(), SECOND), Action::Drop(Reason::NoRoom));
    // In a connection, the option is required.
    let (mut client, _) = connected(5);
    let packet = Sketch { options: &full, ..SKETCH }.packet();
    assert_eq!(client.egress(&packet, SECOND), Action::Drop(Reason::NoRoom));
    let long = vec![0; 65535 - 40];
    let packet = Sketch { data: &long, ..SKETCH }.packet();
    assert_eq!(client.egress(&packet, SECOND), Action::Drop(Reason::NoRoom));
}

#[test]
fn signed_connections_are_left_alone() {
    let mut signature = vec![19, 18];
    signature.resize(20, 1);
    for kind in [19, 29] {
        signature[0] = kind;
        for mut host in [engine(5), requiring(5)] {
            let sketch = Sketch { options: &signature, ..syn() };
            assert_eq!(host.sends(&sketch, SECOND), sketch.packet());
            let answer = Sketch { options: &signature, ..syn_ack() }.packet();
            assert_eq!(host.gets(&answer, SECOND), Ok(answer));
            let data = Sketch { options: &signature, ..SKETCH };
            assert_eq!(host.sends(&data, SECOND), data.packet());
            assert_eq!(host.entries(), Entries::default());
        }
    }
}

#[test]
fn a_guard_nearer_to_the_application_is_left_to_it() {
    for mut outer in [engine(3), requiring(3)] {
        let (mut inner, mut server) = (engine(5), engine(5));
        let mut both = |inner: &mut Engine, sketch: &Sketch| {
            let wire = inner.sends(sketch, SECOND);
            assert_eq!(outer.egress(&wire, SECOND), Action::Pass);
            wire
        };
        server.gets(&both(&mut inner, &syn()), SECOND).unwrap();
        let answer = server.sends(&syn_ack(), SECOND);
        inner.gets(&answer, SECOND).unwrap();
        assert_eq!(server.gets(&both(&mut inner, &SKETCH), SECOND), Ok(SKETCH.packet()));
        let wire = server.sends(&back(), SECOND);
        assert_eq!(outer.ingress(&answer, SECOND), Action::Pass);
        assert_eq!(outer.ingress(&wire, SECOND), Action::Pass);
        assert_eq!(inner.gets(&wire, SECOND), Ok(back().packet()));
        assert_eq!(outer.entries().established, 1);
    }
}

#[test]
fn fragments_of_a_guarded_connection_are_dropped() {
    let (_, mut server) = connected(5);
    let mut fragment = Sketch { data: &[0; 64], ..SKETCH }.packet();
    fragment[6] = 0x20;
    assert_eq!(server.ingress(&fragment, SECOND), Action::Drop(Reason::Fragment));
    // Without the first fragment, the others are useless, and their connection is unknown.
    fragment[7] = 8;
    assert_eq!(server.ingress(&fragment, SECOND), Action::Pass);
    fragment[7] = 0;
    assert_eq!(engine(5).ingress(&fragment, SECOND), Action::Pass);
}

#[test]
fn checks_are_counted_apart() {
    let (mut client, mut server) = connected(4);
    let wire = client.sends(&Sketch { data: b"a word or two", ..SKETCH }, SECOND);
    let last = wire.len() - 1;
    let mut only_crc = wire.clone();
    // Two words are swapped.
    for at in 0..2 {
        only_crc.swap(last - 2 - at, last - 6 - at);
    }
    assert_eq!(server.gets(&only_crc, SECOND), Err(Reason::Crc));
    let mut only_tcp = wire.clone();
    only_tcp[20 + 15] ^= 1;
    assert_eq!(server.gets(&only_tcp, SECOND), Err(Reason::Checksum));
    let mut both = wire.clone();
    both[last] ^= 1;
    assert_eq!(server.gets(&both, SECOND), Err(Reason::Both));
    assert_eq!(
        server.gets(&Sketch { data: b"?", ..SKETCH }.packet(), SECOND),
        Err(Reason::Missing)
    );
    let counted = server.counters().received[4];
    let expected = crate::Received {
        both_good: 1,
        only_tcp_bad: 1,
        only_crc_bad: 1,
        both_bad: 1,
        missing: 1,
        outside: 0,
    };
    assert_eq!(counted, expected);
}

#[test]
fn floods_take_no_more_than_they_may() {
    let limits = crate::Limits {
        opening: 8,
        answering: 16,
        established: 8,
        closing: 8,
        destinations: 8,
        regular: 8,
    };
    let mut server = Engine::new(Config { limits, ..Config::offering(4, 4) });
    let (mut client, _) = connected(4);
    let real = client.sends(&SKETCH, SECOND);
    server.gets(&real, SECOND).unwrap();
    server.sends(&back(), SECOND);
    assert_eq!(server.entries().established, 1);
    let mut opener = Engine::new(Config::offering(4, 4));
    for port in 0..20_000 {
        let ports = [port, 80];
        let wire = opener.sends(&Sketch { ports, from: 9, ..syn() }, SECOND);
        server.gets(&wire, SECOND).unwrap();
        server.sends(&Sketch { ports: [80, port], to: 9, ..syn_ack() }, SECOND);
        server.sends(&Sketch { ports: [port, 443], from: SERVER, to: 7, ..syn() }, SECOND);
    }
    let entries = server.entries();
    assert_eq!((entries.opening, entries.answering, entries.established), (8, 16, 1));
    assert_eq!(opener.entries().opening, 4096);
    // The connection has not noticed.
    let wire = client.sends(&SKETCH, SECOND);
    assert_eq!(server.gets(&wire, SECOND), Ok(SKETCH.packet()));
}

#[test]
fn a_reopening_peer_gets_its_challenge() {
    // The client lost its connection and opens it again; the server's kernel answers within the old
    // one.
    let (_, mut server) = connected(5);
    let mut client = engine(5);
    let again = Sketch { sequence: 776, ..syn() };
    server.gets(&client.sends(&again, SECOND), SECOND).unwrap();
    let wire = server.sends(&back(), SECOND);
    assert_eq!(client.gets(&wire, SECOND), Ok(back().packet()));
    assert_eq!(client.entries().opening, 1);
    let mut bad = wire.clone();
    bad[25] ^= 1;
    assert_eq!(client.gets(&bad, SECOND), Err(Reason::Orphan));
}

#[test]
fn damaged_syns_are_dropped() {
    for sketch in [syn(), Sketch { from: CLIENT, to: SERVER, ..syn_ack() }] {
        let mut packet = sketch.packet();
        packet[26] ^= 1;
        let mut server = engine(5);
        assert_eq!(server.gets(&packet, SECOND), Err(Reason::Checksum));
        assert_eq!(server.counters().bad_syns, 1);
        assert_eq!(Engine::new(Config::default()).ingress(&packet, SECOND), Action::Pass);
    }
}
