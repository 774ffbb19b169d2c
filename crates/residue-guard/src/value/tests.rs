use super::*;
use crate::negotiate::GREATEST;
use crate::options::{MOST, SACK};
use crate::packet::Packet;
use proptest::prelude::*;

/// A segment over IPv4 or IPv6, with IPv4 options or IPv6 extension headers.
fn packet(version: u8, extra: bool, options: &[u8], data: &[u8]) -> Vec<u8> {
    let length = 20 + options.len() + data.len();
    let mut packet;
    if version == 4 {
        let header: u8 = if extra { 24 } else { 20 };
        packet = vec![0x40 + header / 4, 0];
        packet.extend((u16::from(header) + length as u16).to_be_bytes());
        packet.extend([0, 0, 0x40, 0, 64, 6, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2]);
        packet.resize(header.into(), 1);
        let checksum = residue::internet::checksum(&packet);
        packet[10..12].copy_from_slice(&checksum.to_be_bytes());
    } else {
        packet = vec![0x60, 0, 0, 0];
        packet.extend((length as u16 + if extra { 8 } else { 0 }).to_be_bytes());
        packet.extend([if extra { 60 } else { 6 }, 64]);
        for host in [1, 2] {
            packet.extend([0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, host]);
        }
        if extra {
            packet.extend([6, 0, 1, 4, 0, 0, 0, 0]);
        }
    }
    packet.extend([4, 210, 0, 80, 0, 0, 0, 1, 0, 0, 0, 2]);
    packet.extend([(5 + options.len() as u8 / 4) << 4, 24, 32, 0, 0, 0, 0, 0]);
    packet.extend(options);
    packet.extend(data);
    let ip = of(&packet).ip;
    write_checksum(&mut packet, &ip, &mut Vec::new());
    packet
}

fn of(packet: &[u8]) -> Segment<'_> {
    match Packet::parse(packet) {
        Packet::Segment(segment) => segment,
        other => panic!("{other:?}"),
    }
}

fn sealed(packet: &[u8], value: u8) -> Vec<u8> {
    let mut buffer = Vec::new();
    let layout = Layout::of(value).unwrap();
    write(&of(packet), &layout, &mut buffer, &mut Vec::new()).unwrap();
    buffer
}

fn judged(packet: &[u8], value: u8) -> Judged {
    match Packet::parse(packet) {
        Packet::Segment(segment) => verify(&segment, &Layout::of(value).unwrap(), &mut Vec::new()),
        _ => Judged::Missing,
    }
}

fn restored(packet: &[u8]) -> Vec<u8> {
    let mut buffer = Vec::new();
    strip(&of(packet), &mut buffer, &mut Vec::new());
    buffer
}

/// Options that a kernel may send, none of which is option 15, up to a length.
fn options(most: usize) -> impl Strategy<Value = Vec<u8>> {
    let option = prop_oneof![
        Just(vec![1]),
        Just(vec![1, 1]),
        Just(vec![8, 10, 1, 2, 3, 4, 5, 6, 7, 8]),
        (1..=4_usize).prop_map(|blocks| {
            let mut option = vec![SACK, 2 + 8 * blocks as u8];
            option.resize(2 + 8 * blocks, 0x5a);
            option
        }),
        (16..=255_u8, prop::collection::vec(any::<u8>(), 0..12)).prop_map(|(kind, data)| [
            &[kind, data.len() as u8 + 2][..],
            &data
        ]
        .concat()),
    ];
    (prop::collection::vec(option, 0..6), any::<bool>()).prop_map(move |(all, ends)| {
        let mut options = Vec::new();
        for option in all {
            if options.len() + option.len() <= most {
                options.extend(option);
            }
        }
        // Padding after an end of the list is meaningless.
        let padding = if ends { 0 } else { 1 };
        options.resize(options.len().next_multiple_of(4), padding);
        options
    })
}

proptest! {
    #[test]
    fn what_was_put_in_comes_out(
        value in 1..=GREATEST,
        version in prop_oneof![Just(4_u8), Just(6)],
        extra: bool,
        options in options(32),
        data in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        let original = packet(version, extra, &options, &data);
        let wire = sealed(&original, value);
        prop_assert_eq!(judged(&wire, value), Judged::Good);
        prop_assert_eq!(restored(&wire), original);
        prop_assert!(wire.len() <= packet(version, extra, &options, &data).len() + 8);
    }

    #[test]
    fn full_headers_lose_padding_and_acknowledgments_only(
        value in 2..=GREATEST,
        options in options(MOST),
    ) {
        let original = packet(4, false, &options, b"data");
        let layout = Layout::of(value).unwrap();
        let mut wire = Vec::new();
        let written = write(&of(&original), &layout, &mut wire, &mut Vec::new());
        let all = |packet: &[u8]| -> Vec<Vec<u8>> {
            let options = of(packet).options();
            options::each(options)
                .filter(|&(kind, _)| kind != 1)
                .map(|(_, place)| options[place].to_vec())
                .collect()
        };
        let needed: usize =
            all(&original).iter().filter(|option| option[0] != SACK).map(Vec::len).sum();
        let ours = usize::from(layout.option);
        if let Ok(cut) = written {
            prop_assert_eq!(judged(&wire, value), Judged::Good);
            let back = restored(&wire);
            let (before, after) = (all(&original), all(&back));
            let others = |all: &[Vec<u8>]| {
                all.iter().filter(|option| option[0] != SACK).cloned().collect::<Vec<_>>()
            };
            prop_assert_eq!(others(&before), others(&after));
            let blocks = |all: &[Vec<u8>]| {
                let each = all.iter().filter(|option| option[0] == SACK);
                each.map(|option| option.len() / 8).sum::<usize>()
            };
            prop_assert_eq!(blocks(&before), blocks(&after) + usize::from(cut));
            // Nothing is cut that would fit, with the two bytes before a first block.
            let left = after.iter().map(Vec::len).sum::<usize>() + ours;
            prop_assert!(cut == 0 || left + 10 > MOST, "{} {}", left, cut);
        } else {
            prop_assert!(needed + ours > MOST);
        }
    }
}

/// Swaps every pair of words of a segment. The sums of value 1 do not detect all swaps: their
/// weights repeat.
#[test]
fn no_swap_of_words_goes_unnoticed() {
    let data: Vec<u8> = (0..200_u32).map(|at| (at * at * 7 + at) as u8).collect();
    let options = [1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 9];
    for version in [4, 6] {
        let start = if version == 4 { 20 } else { 40 };
        let original = packet(version, false, &options, &data);
        for value in 1..=GREATEST {
            let wire = sealed(&original, value);
            let payload = wire.len() - data.len();
            let (mut only_crc, mut swaps, mut missed) = (0, 0, 0);
            for one in (start..wire.len()).step_by(2) {
                for other in (one + 2..wire.len()).step_by(2) {
                    let mut swapped = wire.clone();
                    swapped.swap(one, other);
                    swapped.swap(one + 1, other + 1);
                    // Under value 7 the ports alone make it another connection's segment, as a NAT
                    // does.
                    let is_a_nats = |at| at < start + 4 || at == start + 16;
                    if swapped == wire || value == 7 && is_a_nats(one) && is_a_nats(other) {
                        continue;
                    }
                    swaps += 1;
                    let judged = judged(&swapped, value);
                    if value <= 2 || value == 4 && one < payload {
                        missed += u32::from(judged == Judged::Good);
                        continue;
                    }
                    assert_ne!(judged, Judged::Good, "value {value}, {one} and {other}");
                    only_crc += u32::from(judged == Judged::OnlyCrcBad);
                }
            }
            assert!(swaps > 5000);
            assert!(value <= 3 || only_crc > 4000, "value {value}: {only_crc}");
            assert_eq!(missed > 0, matches!(value, 1 | 4), "value {value}: {missed}");
        }
    }
}

/// Moves data to another place in the stream, with its acknowledgment: 4 does not cover the header.
#[test]
fn value_4_does_not_see_the_header() {
    let wire = sealed(&packet(4, false, &[], b"a few bytes of data."), 4);
    for value in 4..=GREATEST {
        let expected = if value == 4 { Judged::Good } else { Judged::OnlyCrcBad };
        let mut wire = if value == 4 {
            wire.clone()
        } else {
            sealed(&packet(4, false, &[], b"a few bytes of data."), value)
        };
        for at in 24..26 {
            wire.swap(at + 2, at + 6);
        }
        assert_eq!(judged(&wire, value), expected);
    }
}

/// Value 7 covers every bit of the segment but the ports and the checksum field, and nothing else:
/// whatever a NAT changes stays right.
#[test]
fn value_7_covers_what_a_nat_leaves() {
    for version in [4, 6] {
        let start = if version == 4 { 20 } else { 40 };
        let options = [8, 10, 1, 2, 3, 4, 5, 6, 7, 8, 1, 1];
        let wire = sealed(&packet(version, false, &options, b"data"), 7);
        // As a device that computes the checksum anew.
        let judged = |at: usize, bit: u8| {
            let mut changed = wire.clone();
            changed[at] ^= 1 << bit;
            let ip = of(&changed).ip;
            write_checksum(&mut changed, &ip, &mut Vec::new());
            judged(&changed, 7)
        };
        let addresses = if version == 4 { 12..20 } else { 8..40 };
        for at in addresses.chain(start..start + 4) {
            for bit in 0..8 {
                assert_eq!(judged(at, bit), Judged::Good, "byte {at}, bit {bit}");
            }
        }
        let rest = start + 4..wire.len();
        // The length of the header decides where the option is.
        for at in rest.filter(|&at| at != start + 12 && !(start + 16..start + 18).contains(&at)) {
            for bit in 0..8 {
                let judged = judged(at, bit);
                let expected = [Judged::OnlyCrcBad, Judged::Missing];
                assert!(expected.contains(&judged), "byte {at}, bit {bit}: {judged:?}");
            }
        }
    }
}

#[test]
fn options_that_cannot_be_read_hide_nothing() {
    let wire = sealed(&packet(4, false, &[1, 1, 1, 1], b"data"), 5);
    for (at, byte) in [(40, 0), (40, 14), (41, 0), (41, 1), (41, 5), (41, 200), (41, 7)] {
        let mut bad = wire.clone();
        bad[at] = byte;
        assert_eq!(judged(&bad, 5), Judged::Missing, "{at} {byte}");
    }
    // Two options.
    let twice = [15, 6, 1, 2, 3, 4, 1, 1];
    assert_eq!(judged(&sealed(&packet(4, false, &twice, b"data"), 5), 5), Judged::Missing);
}
