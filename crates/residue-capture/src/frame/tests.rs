//! Tests of frames, in blocks as the kernel fills them.

use super::*;

/// A packet as the kernel stores it.
struct Stored<'a> {
    bytes: &'a [u8],
    status: u32,
    tag: (u16, u16),
    hardware: u16,
    kind: u8,
}

const PLAIN: Stored<'static> =
    Stored { bytes: &[], status: 0, tag: (0, 0), hardware: libc::ARPHRD_ETHER, kind: 0 };

fn put(block: &mut [u8], at: usize, bytes: &[u8]) {
    block[at..at + bytes.len()].copy_from_slice(bytes);
}

/// Returns a block of packets, each with room before it.
fn block(packets: &[Stored]) -> Vec<u8> {
    const FIRST: usize = 48;
    const SIZE: usize = 256;
    let mut block = vec![0xee; FIRST + SIZE * packets.len()];
    put(&mut block, 12, &(packets.len() as u32).to_ne_bytes());
    put(&mut block, 16, &(FIRST as u32).to_ne_bytes());
    for (number, packet) in packets.iter().enumerate() {
        let at = FIRST + SIZE * number;
        let start = ADDRESS + 20 + ROOM;
        let length = packet.bytes.len() as u32;
        let words = [SIZE as u32, 5, 7, length, length + 1, packet.status];
        for (place, word) in words.into_iter().enumerate() {
            put(&mut block, at + 4 * place, &word.to_ne_bytes());
        }
        put(&mut block, at + 24, &(start as u16).to_ne_bytes());
        put(&mut block, at + 32, &u32::from(packet.tag.1).to_ne_bytes());
        put(&mut block, at + 36, &packet.tag.0.to_ne_bytes());
        let address = at + ADDRESS;
        put(&mut block, address + 2, &0x86dd_u16.to_be_bytes());
        put(&mut block, address + 8, &packet.hardware.to_ne_bytes());
        put(&mut block, address + 10, &[packet.kind, 6, 1, 2, 3, 4, 5, 6, 0, 0]);
        put(&mut block, at + start, packet.bytes);
    }
    block
}

/// Returns the bytes, lengths and evidence of the frames of a block.
fn frames(mut block: Vec<u8>, link: Link) -> Vec<(Vec<u8>, u32, Evidence)> {
    let mut packets = Packets::of(&mut block, link);
    let mut all = Vec::new();
    while let Some(frame) = packets.next() {
        assert_eq!(frame.time, 5_000_000_007);
        all.push((frame.bytes.to_vec(), frame.wire_length, frame.evidence));
    }
    all
}

const ETHERNET: Link = Link::Own(LinkType::ETHERNET);
const FRAME: &[u8] = b"DDDDDDSSSSSSttpayload";

#[test]
fn statuses() {
    let of = |status| Stored { bytes: FRAME, status, ..PLAIN };
    let (incomplete, valid) = (libc::TP_STATUS_CSUMNOTREADY, libc::TP_STATUS_CSUM_VALID);
    let packets = [of(0), of(incomplete), of(valid), of(incomplete | valid), of(1 | 4)];
    let evidence = [
        Evidence::Complete,
        Evidence::Incomplete,
        Evidence::Checked,
        Evidence::Incomplete,
        Evidence::Complete,
    ];
    let expected = evidence.map(|evidence| (FRAME.to_vec(), 22, evidence));
    assert_eq!(frames(block(&packets), ETHERNET), expected);
}

#[test]
fn tags() {
    let (valid, stated) = (libc::TP_STATUS_VLAN_VALID, libc::TP_STATUS_VLAN_TPID_VALID);
    let of = |status, tag| Stored { bytes: FRAME, status, tag, ..PLAIN };
    let packets = [
        of(valid, (0, 0x6005)),
        of(valid | stated, (0x88a8, 5)),
        of(0, (0x8100, 5)),
        Stored { bytes: &FRAME[..12], ..of(valid, (0, 5)) },
        Stored { bytes: &FRAME[..11], ..of(valid, (0, 5)) },
    ];
    let found: Vec<_> = frames(block(&packets), ETHERNET).into_iter().map(|it| it.0).collect();
    let expected: [&[u8]; 5] = [
        b"DDDDDDSSSSSS\x81\x00\x60\x05ttpayload",
        b"DDDDDDSSSSSS\x88\xa8\x00\x05ttpayload",
        FRAME,
        b"DDDDDDSSSSSS\x81\x00\x00\x05",
        &FRAME[..11],
    ];
    assert_eq!(found, expected);
    // The tag counts on the wire; IP packets have no place for one.
    assert_eq!(frames(block(&packets), ETHERNET)[0].1, 26);
    assert_eq!(frames(block(&packets), Link::Own(LinkType::RAW))[0].0, FRAME);
}

#[test]
fn cooked() {
    let plain = Stored { bytes: b"packet", hardware: 776, kind: 4, ..PLAIN };
    let status = libc::TP_STATUS_VLAN_VALID;
    let packets = [Stored { ..plain }, Stored { status, tag: (0, 9), ..plain }];
    let found = frames(block(&packets), Link::Cooked);
    let head = b"\x00\x04\x03\x08\x00\x06\x01\x02\x03\x04\x05\x06\x00\x00";
    assert_eq!(found[0].0, [&head[..], b"\x86\xddpacket"].concat());
    assert_eq!(found[0].1, 6 + 1 + 16);
    assert_eq!(found[1].0, [&head[..], b"\x81\x00\x00\x09\x86\xddpacket"].concat());
}

#[test]
fn loopback_packets_count_once() {
    let on = |hardware, kind| Stored { bytes: FRAME, hardware, kind, ..PLAIN };
    let packets = [on(772, 4), on(772, 0), on(1, 4), on(772, 4), on(1, 0)];
    assert_eq!(frames(block(&packets), ETHERNET).len(), 3);
    assert_eq!(Packets::of(&mut block(&packets), ETHERNET).count(), 3);
}

#[test]
fn contradictions_end_a_block() {
    let packets = [(); 3].map(|()| Stored { bytes: FRAME, ..PLAIN });
    let whole = block(&packets);
    for at in (0..whole.len() - 4).step_by(2) {
        for value in [0, 1, 0x7fff_ffff, u32::MAX] {
            let mut block = whole.clone();
            put(&mut block, at, &value.to_ne_bytes());
            for link in [ETHERNET, Link::Cooked] {
                let mut packets = Packets::of(&mut block, link);
                let mut count = 0;
                while packets.next().is_some() {
                    count += 1;
                }
                assert!(count <= whole.len() / 48, "{at} {value}");
            }
        }
    }
    for length in 0..whole.len() {
        let mut block = whole[..length].to_vec();
        let mut packets = Packets::of(&mut block, ETHERNET);
        while packets.next().is_some() {}
    }
}

#[test]
fn links() {
    for (hardware, expected) in [
        (1, ETHERNET),
        (772, ETHERNET),
        (0xfffe, Link::Own(LinkType::RAW)),
        (519, Link::Own(LinkType::RAW)),
        (801, Link::Own(LinkType(105))),
        (803, Link::Own(LinkType(127))),
        (776, Link::Cooked),
        (512, Link::Cooked),
    ] {
        assert_eq!(Link::of_hardware(hardware), expected, "{hardware}");
    }
}
