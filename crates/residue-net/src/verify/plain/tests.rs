//! Plain packets are those in which the walk finds the same values, all of them right, and nothing
//! else.

use super::super::verifier::walked;
use super::{Numbers, Right};
use crate::agreements::Agreements;
use crate::buffer::Buffer;
use crate::check::{Presence, Verdict};
use crate::frame::Found;
use crate::pcap::{LinkType, Packet, Reader};
use crate::summary::{Protocols, Summary};
use crate::wire::{ipv4, tcp, udp};
use std::fs;

/// Compares the two judgements of a packet; returns whether it is plain and right.
fn same(packet: &Packet<'_>, what: &dyn Fn() -> String) -> bool {
    let Some(right) = Right::of(packet, true) else { return false };
    let (mut found, mut agreements) = (Found::default(), Agreements::default());
    let buffer = walked(packet, &mut found, &mut agreements);
    let walked: Vec<_> = buffer.findings().map(|it| (it.check.protocol, it.verdict)).collect();
    let transport = if right.is_tcp { &tcp::TCP } else { &udp::UDP };
    let expected = [(&ipv4::HEADER, Verdict::Good), (transport, Verdict::Good)];
    let hint = "not plain, as `is_plain_datagram` or `is_plain_stream` in wire.rs must say";
    assert_eq!(walked, expected[usize::from(!right.is_v4)..], "{}: {hint}", what());
    let addresses = buffer.findings().last().map(|it| (it.addresses(), it.check.ports.is_some()));
    assert_eq!(addresses, Some((right.addresses, true)), "{}", what());
    let Found { fragments, segments, unfollowed, .. } = buffer.found;
    let is_all = fragments.is_empty() && segments.is_empty() && unfollowed.is_empty();
    assert!(is_all && !agreements.know_any(), "{}", what());
    assert!(agreements.are_asked == right.is_tcp && !buffer.is_cut, "{}", what());
    true
}

/// Returns a captured Ethernet frame.
fn frame(bytes: &[u8]) -> Packet<'_> {
    let (number, offset, link, fcs, time) = (1, 0, LinkType::ETHERNET, None, None);
    Packet { number, offset, link, bytes, wire_length: bytes.len() as u32, fcs, time }
}

/// Makes all values of a frame right, inner before outer.
fn repair(bytes: &mut [u8]) {
    let (mut found, mut agreements) = (Found::default(), Agreements::default());
    let copy = bytes.to_vec();
    let Buffer { found, .. } = walked(&frame(&copy), &mut found, &mut agreements);
    for check in found.checks.iter().rev().filter(|check| check.presence == Presence::Present) {
        if let Some(value) = check.computed(bytes, &found.pieces) {
            check.store(bytes, value);
        }
    }
}

#[test]
fn packets_of_all_captures() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../captures");
    let (mut packets, mut plain) = (0, 0);
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let Ok(mut reader) = Reader::new(fs::File::open(&path).unwrap()) else { continue };
        while let Ok(Some(packet)) = reader.next() {
            packets += 1;
            let what = || format!("{}: packet {}", path.display(), packet.number);
            plain += u64::from(same(&packet, &what));
        }
    }
    assert!(packets > 200 && plain > 20 && plain < packets, "{plain} of {packets}");
}

/// Number of bytes of data in [`frames`], and of padding behind them, which nothing covers.
const DATA: usize = 32;
const PADDING: usize = 3;

/// Returns frames to change, with the offset of the transport header: TCP with and without a time
/// stamp, and UDP; each over IPv4 with and without a tag, and over IPv6.
fn frames() -> Vec<(Vec<u8>, usize)> {
    let tcp = |header_length: u8| {
        let mut segment = vec![0; 20];
        segment[..4].copy_from_slice(&[200, 1, 1, 187]);
        segment[12..14].copy_from_slice(&[header_length << 4, 0x18]);
        segment
            .extend(&[1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2][..usize::from(header_length) * 4 - 20]);
        segment
    };
    let udp = vec![200, 1, 1, 187, 0, 8 + DATA as u8, 0xff, 0xff];
    let mut frames = Vec::new();
    for (protocol, mut payload) in [(6, tcp(5)), (6, tcp(8)), (17, udp)] {
        payload.extend((0..DATA as u8).map(|byte| byte.wrapping_mul(37) | 0x81));
        let length = payload.len() as u8;
        let v4 = [0x45, 0, 0, 20 + length, 7, 7, 0x40, 0, 64, protocol, 0, 0]
            .into_iter()
            .chain([192, 0, 2, 1, 198, 51, 100, 2]);
        let v6 = [0x60, 0, 0, 0, 0, length, protocol, 64].into_iter().chain(2..34);
        let types: [(&[u8], Vec<u8>); 3] = [
            (&[0x08, 0x00], v4.clone().collect()),
            (&[0x81, 0x00, 0, 9, 0x08, 0x00], v4.collect()),
            (&[0x86, 0xdd], v6.collect()),
        ];
        for (ether_type, ip) in types {
            let mut bytes = [&[2; 12], ether_type, &ip, &payload, &[9; PADDING]].concat();
            repair(&mut bytes);
            assert!(same(&frame(&bytes), &|| format!("{bytes:x?}")), "{bytes:x?}");
            frames.push((bytes, 12 + ether_type.len() + ip.len()));
        }
    }
    frames
}

/// Every byte of the headers, and of the first data, gets every value, and all values are repaired:
/// other lengths, types, versions, fragments, options, ports.
#[test]
fn changed_bytes() {
    let (mut all, mut plain) = (0, 0);
    for (original, _) in frames() {
        for place in 12..original.len() - PADDING {
            for value in 0..=255 {
                let mut bytes = original.clone();
                bytes[place] = value;
                for is_repaired in [false, true] {
                    if is_repaired {
                        repair(&mut bytes);
                    }
                    let what = || format!("{value:#x} at {place} of {original:x?}");
                    all += 1;
                    plain += u64::from(same(&frame(&bytes), &what));
                    // Cut, or claimed to be longer.
                    let long = Packet { wire_length: bytes.len() as u32 + 1, ..frame(&bytes) };
                    assert!(!same(&long, &what));
                    same(&frame(&bytes[..bytes.len() - PADDING - 1]), &what);
                }
            }
        }
    }
    assert!(plain > all / 5 && plain < all, "{plain} of {all}");
}

/// All ports, and data in which a cookie of STUN may begin anywhere.
#[test]
fn ports_and_cookies() {
    let mut walked = 0;
    for (original, transport) in frames() {
        let data = original.len() - PADDING - DATA;
        for port in 0..=u16::MAX {
            for place in [transport, transport + 2] {
                let mut bytes = original.clone();
                bytes[place..place + 2].copy_from_slice(&port.to_be_bytes());
                repair(&mut bytes);
                let what = || format!("port {port} at {place} of {original:x?}");
                walked += u64::from(!same(&frame(&bytes), &what));
            }
        }
        for place in 0..16 {
            for first in [0, 1, 3, 0x40, 0x43, 0x4f, 0x60, 0x80] {
                for length in 0..64 {
                    let mut bytes = original.clone();
                    bytes[data..data + 4].copy_from_slice(&[first, 1, 0, length]);
                    bytes[data + place..data + place + 4]
                        .copy_from_slice(&[0x21, 0x12, 0xa4, 0x42]);
                    repair(&mut bytes);
                    let what = || format!("{first:#x}, {length}, {place} in {original:x?}");
                    walked += u64::from(!same(&frame(&bytes), &what));
                }
            }
        }
    }
    assert!(walked > 1000, "{walked}");
}

#[test]
fn numbers_by_protocol() {
    let (mut numbers, mut counts) = (Numbers::default(), Protocols::default());
    let frames = frames();
    let right = |nth: usize, allows_tcp| Right::of(&frame(&frames[nth].0), allows_tcp);
    for nth in 0..frames.len() {
        numbers.add(&right(nth, true).unwrap());
    }
    numbers.flush(&mut counts);
    numbers.flush(&mut counts);
    let mut summary = Summary::new();
    summary.count(&counts);
    let good: Vec<_> = summary.protocols().values().map(|(it, all)| (it.name, all.good)).collect();
    assert_eq!(good, [("ip", 6), ("tcp", 6), ("udp", 3)]);
    assert!(right(0, false).is_none() && right(8, false).is_some(), "UDP alone is allowed");
}

#[test]
fn no_numbers() {
    let (mut summary, mut counts) = (Summary::new(), Protocols::default());
    Numbers::default().flush(&mut counts);
    summary.count(&counts);
    assert!(summary.protocols().is_empty());
}
