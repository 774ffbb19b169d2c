//! TCP data of which the points have other boundaries: sent again, or altered across them.

use super::router::{Body, Captured, Traffic, capture};
use super::run;
use super::segments::{WIRE, ends};
use residue_net::compare::{Event, Options};
use residue_testing::Random;

/// A segment with these data, from number `at` on.
fn body(at: usize, data: &[u8], id: u16) -> Body {
    let (traffic, ports) = (Traffic::Tcp, [40_000, 80]);
    Body { traffic, ports, sequence: at as u32, id, data: data.to_vec() }
}

/// A segment with a timestamp option.
fn stamped(body: &Body, version: u8, ttl: u8, stamp: u32) -> Vec<u8> {
    let options = [&[1, 1, 8, 10], &stamp.to_be_bytes()[..], &[0; 4]].concat();
    let body = Body { data: [&options, &body.data[..]].concat(), ..body.clone() };
    let mut packet = body.packet(ends(version, 10)[0], ttl);
    let transport = if version == 4 { 20 } else { 40 };
    packet[transport + 12] += 0x30;
    let check = &mut packet[transport + 16..transport + 18];
    // RFC 1624, equation 3.
    let sum = u32::from(!u16::from_be_bytes([check[0], check[1]])) + 0x3000;
    check.copy_from_slice(&(!((sum & 0xffff) + (sum >> 16)) as u16).to_be_bytes());
    packet
}

/// A part of a large segment is sent again by itself just before that part arrives, and is then
/// lost. They differ in identification and timestamp.
#[test]
fn a_part_of_a_large_segment_is_not_what_was_sent_again() {
    for version in [4, 6] {
        let mut points: [Vec<Captured>; 2] = Default::default();
        let data = Random(11).bytes(4 * WIRE);
        let body = |at: usize, length: usize, id| body(at, &data[at..at + length], id);
        let start = 1_000_000_000;
        let large = stamped(&body(0, 4 * WIRE, 500), version, 64, 7);
        let again = stamped(&body(WIRE, WIRE, 900), version, 64, 9);
        points[0].extend([(start, large), (start + 4_900_000, again)]);
        for part in 0..4 {
            let packet = stamped(&body(part * WIRE, WIRE, 500 + part as u16), version, 63, 7);
            points[1].push((start + 5_000_000 + part as u64 * 10_000, packet));
        }
        // Others, which both points see alike.
        for i in 0..200 {
            let body = Body { sequence: i, ..body(0, 400 + i as usize, i as u16) };
            let other = |ttl| body.packet(ends(version, 11)[0], ttl);
            let time = start + 10_000_000 + u64::from(i) * 100_000;
            points[0].push((time, other(64)));
            points[1].push((time + 50_000, other(63)));
        }
        let captures = points.map(|packets| capture(&packets, None));
        let report = run([&captures[0], &captures[1]], Options::default(), &mut |_| ());
        let after = &report.directions[0];
        let counts = [after.altered, after.extra, after.lost + report.points[0].outside];
        assert_eq!((counts, after.resegmented), ([0, 0, 1], [1, 4]), "{version} {report:?}");
    }
}

/// All data are sent again with other boundaries, a byte of them is altered then, and a card joins
/// the segments of each time before the second capture.
#[test]
fn altered_bytes_in_what_was_sent_again_with_other_boundaries_are_found() {
    const SHIFT: usize = 600;
    for version in [4, 6] {
        // In the first, a middle and the last segment: at its ends, and on both sides of the
        // boundary of the first time.
        for segment in [0, 1, 2] {
            for at in [0, 100, WIRE - SHIFT - 1, WIRE - SHIFT, WIRE - 1] {
                let mut points: [Vec<Captured>; 2] = Default::default();
                let mut data = Random(12).bytes(4 * WIRE);
                let start = 1_000_000_000;
                for (from, parts, id, time) in
                    [(0, 4, 500, start), (SHIFT, 3, 900, start + 20_000_000)]
                {
                    for part in 0..parts {
                        let at = from + part * WIRE;
                        let body = body(at, &data[at..at + WIRE], id + part as u16);
                        let packet = stamped(&body, version, 64, 7);
                        points[0].push((time + part as u64 * 1000, packet));
                    }
                    if from == SHIFT {
                        data[SHIFT + segment * WIRE + at] ^= 1;
                    }
                    let large = body(from, &data[from..from + parts * WIRE], id);
                    points[1].push((time + 500_000, stamped(&large, version, 63, 7)));
                }
                let captures = points.map(|packets| capture(&packets, None));
                let mut pairs = Vec::new();
                let report = run([&captures[0], &captures[1]], Options::default(), &mut |event| {
                    if let Event::Altered { altered, .. } = event {
                        pairs.push(altered.packets);
                    }
                });
                let after = &report.directions[0];
                let counts = [after.altered, after.extra, after.lost, after.resegmented[1]];
                assert_eq!(counts, [1, 0, 0, 2], "{version} {segment} {at} {report:?}");
                // The segment that was sent again, by number.
                assert_eq!(pairs, [[5 + segment as u64, 2]], "{version} {segment} {at}");
            }
        }
    }
}

/// A block of zeros is most of what a packet has in common with one of the other point, or all.
#[test]
fn altered_blocks_are_found_wherever_the_other_boundaries_are() {
    let length = 12 * WIRE;
    for (cut, block) in [(1000, 512), (1000, 64), (WIRE - 8, 16), (WIRE + 24, 24)] {
        for at in (WIRE..length - 2 * WIRE).step_by(if block > 64 { 97 } else { 31 }) {
            let mut data = Random(13).bytes(length);
            let mut points: [Vec<Captured>; 2] = Default::default();
            for (point, size) in [(0, WIRE), (1, cut)] {
                if point == 1 {
                    data[at..at + block].fill(0);
                }
                for (part, piece) in data.chunks(size).enumerate() {
                    let body = body(part * size, piece, part as u16);
                    let time = 1_000_000_000 + part as u64 * 1000 + point as u64 * 500_000;
                    let packet = body.packet(ends(4, 10)[0], 64 - point as u8);
                    points[point].push((time, packet));
                }
            }
            let captures = points.map(|packets| capture(&packets, None));
            let report = run([&captures[0], &captures[1]], Options::default(), &mut |_| ());
            let after = &report.directions[0];
            let others = [after.extra, after.lost, report.directions[1].altered];
            assert!(after.altered > 0 && others == [0; 3], "{cut} {block} {at} {report:?}");
        }
    }
}

/// A new connection between the same ports has numbers of the one before. A card joins the segments
/// of each before the second capture; the boundaries differ.
#[test]
fn a_new_connection_with_the_numbers_of_the_one_before_alters_nothing() {
    for (shift, pause) in [0, 1, 600, WIRE, 4 * WIRE - 1]
        .into_iter()
        .flat_map(|shift| [20_000_000, 200_000_000, 5_000_000_000].map(|pause| (shift, pause)))
    {
        let mut points: [Vec<Captured>; 2] = Default::default();
        for (connection, from) in [(0, 0), (1, shift)] {
            let data = Random(20 + connection).bytes(4 * WIRE);
            let start = 1_000_000_000 + connection * pause;
            for (part, piece) in data.chunks(WIRE).enumerate() {
                let body = body(from + part * WIRE, piece, part as u16);
                let packet = stamped(&body, 4, 64, connection as u32);
                points[0].push((start + part as u64 * 1000, packet));
            }
            let large = stamped(&body(from, &data, 0), 4, 63, connection as u32);
            points[1].push((start + 500_000, large));
        }
        let captures = points.map(|packets| capture(&packets, None));
        let report = run([&captures[0], &captures[1]], Options::default(), &mut |_| ());
        let after = &report.directions[0];
        let counts = [after.altered, after.extra, after.lost, after.resegmented[0]];
        assert_eq!(counts, [0, 0, 0, 8], "{shift} {pause} {report:?}");
    }
}
