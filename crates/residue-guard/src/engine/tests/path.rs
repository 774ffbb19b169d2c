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

fn mtu_of(report: &[u8]) -> u16 {
    assert_eq!(residue::internet::checksum(&report[20..]), 0);
    u16::from_be_bytes([report[26], report[27]])
}

#[test]
fn the_reported_mtu_leaves_room() {
    for (value, room) in [(1, 0), (2, 4), (3, 4), (4, 8), (5, 8), (6, 8)] {
        let (mut client, _) = connected(value);
        let wire = client.sends(&Sketch { data: &[7; 1400], ..SKETCH }, SECOND);
        let received = client.gets(&report(&wire, 1280), SECOND).unwrap();
        assert_eq!(mtu_of(&received), 1280 - room, "{value}");
        assert_eq!(client.counters().mtu_lowered, u64::from(room > 0));
    }
}

#[test]
fn forged_reports_change_nothing() {
    let (mut client, mut server) = connected(5);
    let data = Sketch { data: &[7; 1000], ..SKETCH };
    let wire = client.sends(&data, SECOND);
    let other = Sketch { ports: [50001, 80], ..data }.packet();
    let far = Sketch { sequence: 0x4000_0000, ..data }.packet();
    let small = report(&wire, 60);
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
    assert_eq!(client.counters().mtu_lowered, 0);
}

/// The kernel accepts no MTU below 1280 for IPv6.
#[test]
fn segments_are_cut_where_the_kernel_does_not_make_them_smaller() {
    let (mut client, mut server) = connected(5);
    let wire = client.sends(&Sketch { data: &[7; 1400], ..SKETCH }, SECOND);
    client.gets(&report(&wire, 1280), SECOND).unwrap();
    let flags = FIN | ACK;
    let whole = Sketch { flags, data: &[7; 1240], ..SKETCH };
    let wire = client.sends(&whole, SECOND);
    assert_eq!(wire.len(), 1280);
    let shorter = Sketch { flags: ACK, data: &[7; 1232], ..SKETCH };
    assert_eq!(server.gets(&wire, SECOND), Ok(shorter.packet()));
    // TCP sends the rest.
    let rest = Sketch { flags, sequence: 101 + 1232, data: &[7; 8], ..SKETCH };
    let wire = client.sends(&rest, SECOND);
    assert_eq!(server.gets(&wire, SECOND), Ok(rest.packet()));
    assert_eq!(client.counters().shortened, 1);
    // The report has a time.
    assert_eq!(client.sends(&whole, SECOND * 700).len(), 1288);
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
    let mut buffer = Vec::new();
    parsed.rewrite(1392, &mut buffer);
    assert_eq!(buffer[44..48], [0, 0, 0x05, 0x70]);
    assert!(matches!(Packet::parse(&report_v6(ends, [1, 2], 3, 70_000)), Packet::Other));
}
