//! Tests of paths with a smaller MTU.

use super::*;

/// Returns a router's report about a packet.
fn report(packet: &[u8], mtu: u16) -> Vec<u8> {
    let inner = &packet[..28];
    let mut report = vec![0x45, 0, 0, 56, 0, 0, 0, 0, 64, 1, 0, 0, 10, 0, 0, 9];
    report.extend(&packet[12..16]);
    let checksum = residue::internet::checksum(&report);
    report[10..12].copy_from_slice(&checksum.to_be_bytes());
    let mut icmp = vec![3, 4, 0, 0, 0, 0];
    icmp.extend(mtu.to_be_bytes());
    icmp.extend(inner);
    let checksum = residue::internet::checksum(&icmp);
    icmp[2..4].copy_from_slice(&checksum.to_be_bytes());
    report.extend(icmp);
    report
}

/// Returns a report over IPv6 about a segment with these ports and sequence number.
fn report_v6(ends: [[u8; 16]; 2], ports: [u16; 2], sequence: u32, mtu: u32) -> Vec<u8> {
    let mut icmp = vec![2, 0, 0, 0];
    icmp.extend(mtu.to_be_bytes());
    icmp.extend([0x60, 0, 0, 0, 0, 20, 6, 64]);
    icmp.extend(ends.concat());
    icmp.extend(ports.map(u16::to_be_bytes).concat());
    icmp.extend(sequence.to_be_bytes());
    let mut packet = vec![0x60, 0, 0, 0, 0, icmp.len() as u8, 58, 64];
    packet.extend([ends[1], ends[0]].concat());
    packet.extend(icmp);
    packet
}

#[test]
fn forged_reports_change_nothing() {
    let (mut client, mut server) = connected(5);
    let data = Sketch { data: &[7; 1000], ..SKETCH };
    let wire = client.sends(&data, SECOND);
    let other = Sketch { ports: [50001, 80], ..data }.packet();
    let far = Sketch { sequence: 0x4000_0000, ..data }.packet();
    let small = report(&wire, 500);
    for forged in [report(&other, 1000), report(&far, 1000), small] {
        assert_eq!(client.gets(&forged, SECOND), Ok(forged.clone()));
        assert_eq!(client.sends(&data, SECOND), wire);
    }
    let whole = report(&wire, 1280);
    for length in 0..whole.len() {
        let mut cut = whole[..length].to_vec();
        if length > 4 {
            cut[2..4].copy_from_slice(&(length as u16).to_be_bytes());
        }
        assert_eq!(client.gets(&cut, SECOND), Ok(cut.clone()));
    }
    assert_eq!(server.gets(&wire, SECOND), Ok(data.packet()));
    assert_eq!(client.counters().paths, 0);
}

/// The kernel's segments fill the path, and the option makes them longer.
#[test]
fn segments_are_split_to_fit() {
    for value in [2, 3, 4, 5, 6, 7] {
        let room = if value < 4 { 4 } else { 8 };
        let (mut client, mut server) = connected(value);
        let wire = client.sends(&Sketch { data: &[7; 1400], ..SKETCH }, SECOND);
        client.gets(&report(&wire, 1280), SECOND).unwrap();
        let data: Vec<u8> = (0..1240).map(|at| at as u8).collect();
        let flags = FIN | ACK;
        let whole = Sketch { flags, data: &data, ..SKETCH };
        let wire = client.sends(&whole, SECOND);
        assert_eq!(wire.len(), 1280);
        let (first, second) = data.split_at(1240 - room);
        let first = Sketch { flags: ACK, data: first, ..SKETCH };
        assert_eq!(server.gets(&wire, SECOND), Ok(first.packet()));
        let rest = client.rest().unwrap().to_vec();
        assert_eq!(client.rest(), None);
        // It passes through the engine again.
        assert_eq!(client.egress(&rest, SECOND), Action::Pass);
        let sequence = 101 + first.data.len() as u32;
        let second = Sketch { flags, sequence, data: second, ..SKETCH };
        assert_eq!(server.gets(&rest, SECOND), Ok(second.packet()));
        assert_eq!(client.counters().split, 1);
        // Shorter ones stay whole, and the report is old after some time.
        client.sends(&Sketch { data: &data[..1000], ..SKETCH }, SECOND);
        assert_eq!(client.rest(), None);
        assert_eq!(client.sends(&whole, SECOND * 700).len(), 1280 + room);
    }
}

#[test]
fn new_connections_have_segments_that_fit() {
    let (mut client, _) = connected(5);
    let wire = client.sends(&Sketch { data: &[7; 1400], ..SKETCH }, SECOND);
    client.gets(&report(&wire, 1280), SECOND).unwrap();
    let mut server = engine(5);
    let ports = [50001, 80];
    server.gets(&client.sends(&Sketch { ports, ..syn() }, SECOND), SECOND).unwrap();
    let wire = server.sends(&Sketch { ports: [80, 50001], ..syn_ack() }, SECOND);
    let received = client.gets(&wire, SECOND).unwrap();
    assert_eq!(mss(&received), 1280 - 40 - 8);
}

#[test]
fn reports_over_ipv6() {
    let ends = [1, 2].map(|host| {
        let mut address = [0; 16];
        (address[0], address[15]) = (0xfd, host);
        address
    });
    let report = report_v6(ends, [50000, 80], 101, 1400);
    let Packet::TooBig(parsed) = Packet::parse(&report) else { panic!("a report") };
    assert_eq!((parsed.mtu, parsed.sequence, parsed.key.local.1), (1400, 101, 50000));
    assert!(matches!(Packet::parse(&report_v6(ends, [1, 2], 3, 70_000)), Packet::Other));
}

/// A device behind which the client has another address and port, and which changes a byte of some
/// headers, as if it were meant: it computes the checksum anew.
fn translated(packet: &[u8], to_server: bool, changed: Option<usize>) -> Vec<u8> {
    let mut packet = packet.to_vec();
    let (last_of_address, low_of_port) = if to_server { (15, 21) } else { (19, 23) };
    for at in [last_of_address, low_of_port] {
        packet[at] = packet[at].wrapping_add(if to_server { 100 } else { 156 });
    }
    if let Some(at) = changed {
        packet[20 + at] ^= 0x10;
    }
    let ip = of(&packet).ip;
    write_checksum(&mut packet, &ip, &mut Vec::new());
    packet
}

/// Offsets of sequence number, acknowledgment number, flags and window.
const HEADER: [usize; 4] = [7, 11, 13, 15];

#[test]
fn through_a_nat_value_7_covers_the_header_in_both_directions() {
    for value in [4, 7] {
        let (mut client, mut server) = (engine(value), engine(value));
        // The server's kernel sees another client.
        let of_server = |sketch: Sketch<'static>| Sketch { to: 101, ports: [80, 50100], ..sketch };
        let syn = translated(&client.sends(&syn(), SECOND), true, None);
        server.gets(&syn, SECOND).unwrap();
        let answer = server.sends(&of_server(syn_ack()), SECOND);
        client.gets(&translated(&answer, false, None), SECOND).unwrap();
        let there = client.sends(&Sketch { data: b"question", ..SKETCH }, SECOND);
        server.gets(&translated(&there, true, None), SECOND).unwrap();
        let back = server.sends(&of_server(Sketch { data: b"answer", ..back() }), SECOND);
        client.gets(&translated(&back, false, None), SECOND).unwrap();
        let mut through = Vec::new();
        for at in HEADER {
            let results = [
                server.gets(&translated(&there, true, Some(at)), SECOND).map(drop),
                client.gets(&translated(&back, false, Some(at)), SECOND).map(drop),
            ];
            assert!(value == 4 || results == [Err(Reason::Crc); 2], "{at}: {results:?}");
            through.extend(results);
        }
        let delivered = through.iter().filter(|result| result.is_ok()).count();
        assert_eq!(delivered, if value == 4 { through.len() } else { 0 });
        for end in [client, server] {
            assert_eq!(end.counters().agreed[usize::from(value)], 1);
            // As good as before.
            assert_eq!(end.counters().failed_destinations, 0);
        }
    }
}
