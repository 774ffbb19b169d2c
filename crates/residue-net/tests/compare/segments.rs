//! TCP data that network cards cut after one point, or join before the other.

use super::router::{Body, Captured, Traffic, capture};
use super::run;
use residue_fixtures::ip::Ends;
use residue_net::compare::{Event, Options, Outcome, Report, Toward};
use residue_net::pcap::LinkType;
use residue_net::pcap::write::{Header, Writer};
use residue_testing::Random;
use std::collections::BTreeSet;

/// Bytes of a segment on the wire.
pub(crate) const WIRE: usize = 1400;

/// A stream through a router.
#[derive(Clone, Copy, Debug)]
struct Stream {
    version: u8,
    /// Wire segments in a packet at each point, at most.
    together: [usize; 2],
    nat: bool,
    /// A wire segment that is lost.
    lost: Option<usize>,
    /// A wire segment of which a bit flips, and whether the checksum is computed anew.
    harmed: Option<(usize, bool)>,
    /// Whether the lost segment is sent again.
    resent: bool,
    /// The segments that the second capture misses at its start.
    late: usize,
    /// Time between bursts of ten segments, in nanoseconds.
    pause: u64,
    /// What the second clock is ahead of the first, and what it gains: nanoseconds, and those per
    /// second.
    clock: [i64; 2],
    /// The point at which the packets are in a tunnel.
    tunnel: Option<usize>,
    /// The points that see every packet twice.
    doubled: [bool; 2],
    /// The bytes of a packet that each point captures.
    snap: [usize; 2],
    /// The points whose frames have a VLAN tag; packets at the others have no link header.
    tagged: [bool; 2],
}

const PLAIN: Stream = Stream {
    version: 4,
    together: [1, 1],
    nat: false,
    lost: None,
    harmed: None,
    resent: false,
    late: 0,
    pause: 0,
    clock: [0, 0],
    tunnel: None,
    doubled: [false; 2],
    snap: [usize::MAX; 2],
    tagged: [true; 2],
};

pub(crate) fn ends(version: u8, host: u8) -> [Ends; 2] {
    match version {
        4 => {
            let [a, b] = [[192, 0, 2, host], [198, 51, 100, 7]];
            [Ends::V4([a, b]), Ends::V4([b, a])]
        }
        _ => {
            let mut all = [[0; 16]; 2];
            for (address, last) in all.iter_mut().zip([host, 7]) {
                address[..4].copy_from_slice(&[0x20, 1, 0x0d, 0xb8]);
                address[15] = last;
            }
            let [a, b] = all;
            [Ends::V6([a, b]), Ends::V6([b, a])]
        }
    }
}

/// Returns what both points capture.
fn captured(stream: &Stream, seed: u64) -> [Vec<u8>; 2] {
    let mut random = Random(seed);
    let mut points: [Vec<Captured>; 2] = Default::default();
    let sent = 60;
    for connection in 0..3_u8 {
        let data = random.bytes(sent * WIRE - 333);
        let base = random.next() as u32;
        let port = 40_000 + u16::from(connection);
        let translated = if stream.nat { port + 1000 } else { port };
        let host = [10 + connection, if stream.nat { 200 } else { 10 + connection }];
        let time = |segment: usize| {
            1_000_000_000 + segment as u64 * 400_000 + segment as u64 / 10 * stream.pause
        };
        let mut id = 100;
        let mut packet = |point: usize, at: usize, bytes: &[u8], time: u64, bad: bool| {
            let ports = [[port, translated][point], 80];
            id += 1;
            let sequence = base.wrapping_add(at as u32);
            let body = Body { traffic: Traffic::Tcp, ports, sequence, id, data: bytes.to_vec() };
            let [there, _] = ends(stream.version, host[point]);
            let mut packet = body.packet(there, 64 - point as u8);
            if bad {
                *packet.last_mut().unwrap() ^= 4;
            }
            points[point].push((time, packet));
        };
        let pieces: Vec<&[u8]> = data.chunks(WIRE).collect();
        for (i, group) in pieces.chunks(stream.together[0]).enumerate() {
            let first = i * stream.together[0];
            packet(0, first * WIRE, &group.concat(), time(first), false);
        }
        // Joined before the second point, as far as one follows the other.
        let mut waiting: Vec<(usize, Vec<u8>)> = Vec::new();
        let mut flush = |waiting: &mut Vec<(usize, Vec<u8>)>| {
            let Some((first, _)) = waiting.first() else { return };
            let (first, last) = (*first, first + waiting.len() - 1);
            let bytes: Vec<u8> = waiting.drain(..).flat_map(|(_, bytes)| bytes).collect();
            packet(1, first * WIRE, &bytes, time(last) + 150_000, false);
        };
        let mut bad = Vec::new();
        for (i, piece) in pieces.iter().enumerate().skip(stream.late) {
            let own = connection == 1;
            if own && stream.lost == Some(i) {
                flush(&mut waiting);
                continue;
            }
            let mut bytes = piece.to_vec();
            match stream.harmed.filter(|(harmed, _)| own && *harmed == i) {
                // Nothing joins what is wrong.
                Some((_, false)) => {
                    flush(&mut waiting);
                    bad.push((i, bytes));
                    continue;
                }
                Some((_, true)) => *bytes.last_mut().unwrap() ^= 4,
                None => {}
            }
            waiting.push((i, bytes));
            // No card waits for another burst.
            if waiting.len() == stream.together[1] || stream.pause > 0 && i % 10 == 9 {
                flush(&mut waiting);
            }
        }
        flush(&mut waiting);
        for (i, bytes) in bad {
            packet(1, i * WIRE, &bytes, time(i) + 150_000, true);
        }
        if let Some(again) = stream.lost.filter(|_| stream.resent && connection == 1) {
            for point in [0, 1] {
                let arrival = time(sent) + 150_000 * point as u64;
                packet(point, again * WIRE, pieces[again], arrival, false);
            }
        }
        // Datagrams, which UDP offload cuts or joins.
        let sizes = |i: usize| if i % 10 == 9 { 170 } else { 300 };
        let parts: Vec<Vec<u8>> = (0..sent / 2).map(|i| random.bytes(sizes(i))).collect();
        let mut id = 7000;
        let mut datagram = |point: usize, parts: &[Vec<u8>]| {
            id += 1;
            let (ports, data) = ([[port, translated][point], 80], parts.concat());
            let body = Body { traffic: Traffic::Udp, ports, sequence: 0, id, data };
            let [there, _] = ends(stream.version, host[point]);
            body.packet(there, 64 - point as u8)
        };
        let together = stream.together.map(|it| it.min(10));
        for (i, group) in parts.chunks(together[0]).enumerate() {
            points[0].push((time(2 * i * together[0]) + 1000, datagram(0, group)));
        }
        let at = |of: u8, place: Option<usize>| place.filter(|_| connection == of);
        let lost = at(1, stream.lost.map(|lost| lost / 2));
        let harmed = at(2, stream.harmed.map(|(harmed, _)| harmed / 2));
        let mut i = stream.late.div_ceil(2);
        while i < parts.len() {
            let goes_on = |j: &usize| Some(*j) != lost && Some(*j) != harmed && *j < parts.len();
            // As many as follow each other in a burst, and none behind the last of a large one.
            let burst = if stream.pause > 0 { 5 } else { 10 };
            let most = together[1].min(burst - i % burst);
            let count = (i..i + most).take_while(goes_on).count();
            let arrival = time(2 * (i + count.max(1) - 1)) + 151_000;
            if count > 0 {
                points[1].push((arrival, datagram(1, &parts[i..i + count])));
            } else if Some(i) == harmed {
                let mut packet = datagram(1, &parts[i..=i]);
                *packet.last_mut().unwrap() ^= 8;
                points[1].push((arrival, packet));
            }
            i += count.max(1);
        }
        // Answers, which show the direction and the clocks.
        for segment in (0..sent).step_by(4) {
            let bytes = random.bytes(20);
            for point in [1, 0].into_iter().filter(|&point| point == 0 || segment >= stream.late) {
                let ports = [80, [port, translated][point]];
                let sequence = 7 + 20 * segment as u32;
                let body =
                    Body { traffic: Traffic::Tcp, ports, sequence, id: 9, data: bytes.clone() };
                let [_, back] = ends(stream.version, host[point]);
                let sent = time(segment) + 200_000 + 150_000 * (1 - point as u64);
                points[point].push((sent, body.packet(back, 63 + point as u8)));
            }
        }
    }
    let mut point = 0;
    points.map(|packets| {
        point += 1;
        seen(stream, point - 1, packets)
    })
}

/// Returns the capture of a point that these packets pass.
fn seen(stream: &Stream, point: usize, mut packets: Vec<Captured>) -> Vec<u8> {
    packets.sort_by_key(|(time, _)| *time);
    if stream.tunnel == Some(point) {
        for (i, (_, packet)) in packets.iter_mut().enumerate() {
            let mut ends = [[203, 0, 113, 1], [203, 0, 113, 2]];
            if !forward(packet) {
                ends.reverse();
            }
            let protocol = if packet[0] >> 4 == 4 { 4 } else { 41 };
            let mut outer = Ends::V4(ends).packet(protocol, packet);
            outer[4..6].copy_from_slice(&(i as u16 + 1).to_be_bytes());
            outer[10..12].fill(0);
            let sum = residue::internet::checksum(&outer[..20]);
            outer[10..12].copy_from_slice(&sum.to_be_bytes());
            *packet = outer;
        }
    }
    if stream.doubled[point] {
        packets = packets
            .into_iter()
            .flat_map(|(time, packet)| [(time, packet.clone()), (time + 3000, packet)])
            .collect();
        packets.sort_by_key(|(time, _)| *time);
    }
    if point == 1 {
        let [ahead, gains] = stream.clock;
        for (time, _) in &mut packets {
            let since = *time as i64 - 1_000_000_000;
            *time = (*time as i64 + ahead + since / 1000 * gains / 1_000_000) as u64;
        }
    }
    let bytes = capture(&packets, stream.tagged[point].then_some(1 + point as u8));
    if stream.snap[point] == usize::MAX {
        return bytes;
    }
    let mut reader = residue_net::pcap::Reader::new(&bytes[..]).unwrap();
    let link = if stream.tagged[point] { LinkType::ETHERNET } else { LinkType::RAW };
    let mut writer = Writer::new(Vec::new(), Header::new(link)).unwrap();
    while let Some(packet) = reader.next().unwrap() {
        let kept = &packet.bytes[..packet.bytes.len().min(stream.snap[point])];
        writer.packet(packet.time.unwrap(), packet.wire_length, kept).unwrap();
    }
    writer.into_inner()
}

/// Returns whether a packet travels toward the second point: to port 80.
fn forward(packet: &[u8]) -> bool {
    let header = if packet[0] >> 4 == 4 { 20 } else { 40 };
    packet[header + 2..header + 4] == [0, 80]
}

fn compared(stream: &Stream, seed: u64) -> (Report, usize) {
    let [one, two] = captured(stream, seed);
    let mut lost = 0;
    let report = run([&one, &two], Options::default(), &mut |event| {
        lost += usize::from(matches!(event, Event::Lost { .. }));
    });
    (report, lost)
}

const TOGETHER: [[usize; 2]; 5] = [[1, 1], [5, 1], [1, 5], [40, 1], [7, 3]];

#[test]
fn segmentation_offload_is_no_damage() {
    for version in [4, 6] {
        for nat in [false, true] {
            for together in TOGETHER {
                let stream = Stream { version, nat, together, ..PLAIN };
                let (report, lost) = compared(&stream, 1);
                let [after, before] = &report.directions;
                let faults = after.extra + after.duplicated + after.altered + before.altered;
                assert_eq!((lost, faults + before.extra), (0, 0), "{stream:?} {report:?}");
                let offload = after.resegmented.iter().all(|count| *count > 0);
                assert_eq!(offload, together != [1, 1], "{stream:?}");
            }
        }
    }
}

#[test]
fn what_is_lost_from_a_large_segment_is_found() {
    for nat in [false, true] {
        for together in TOGETHER {
            for lost in [7, 29, 52] {
                let stream = Stream { nat, together, lost: Some(lost), ..PLAIN };
                let (report, found) = compared(&stream, 2);
                assert_eq!(found, 2, "{stream:?} {report:?}");
                let after = &report.directions[0];
                assert_eq!((after.extra, after.altered), (0, 0), "{stream:?} {report:?}");
            }
        }
    }
}

/// A segment that is sent again repairs a loss, and only that.
#[test]
fn what_is_sent_again_is_told_from_what_is_lost() {
    for together in TOGETHER {
        for (nat, late) in [(false, 0), (true, 12)] {
            let stream = Stream { nat, late, together, lost: Some(29), resent: true, ..PLAIN };
            let (report, lost) = compared(&stream, 8);
            let after = &report.directions[0];
            assert_eq!((lost, after.again, after.repaired), (2, 1, 1), "{stream:?} {report:?}");
            let total = report.survey.total(Toward::After);
            assert_eq!((total.lost, total.again, total.repaired), (2, 1, 1));
            let by_flow = report.survey.flows().into_iter().filter(|it| it.2.lost > 0);
            let protocols: Vec<u8> = by_flow.map(|(_, flow, _)| flow.protocol).collect();
            assert_eq!(protocols.iter().sum::<u8>(), 6 + 17, "{protocols:?}");
            let intervals = report.survey.intervals[0].iter().map(|it| it.lost);
            assert_eq!(intervals.sum::<u64>(), 2);
        }
    }
}

#[test]
fn altered_bytes_in_segments_of_any_boundaries_are_found() {
    for nat in [false, true] {
        for together in TOGETHER {
            for recomputed in [false, true] {
                let harmed = Some((23, recomputed));
                let stream = Stream { nat, together, harmed, ..PLAIN };
                let (report, lost) = compared(&stream, 3);
                let after = &report.directions[0];
                let found: Vec<Outcome> = report.altered.iter().map(|it| it.outcome).collect();
                let expected = match (recomputed, together) {
                    (false, _) => Outcome::Noticed,
                    // It is not shown whether the card found the checksum right.
                    (true, [1, 5]) => Outcome::Unknown,
                    (true, _) => Outcome::Recomputed,
                };
                // The TCP segment, and the UDP datagram.
                let both = BTreeSet::from([expected, Outcome::Noticed]);
                assert_eq!(found.len(), 2, "{stream:?} {report:?}");
                assert_eq!((BTreeSet::from_iter(found), lost), (both, 0), "{stream:?}");
                assert_eq!((report.altered[0].bits, after.extra), (1, 0), "{stream:?}");
            }
        }
    }
}

/// What the second capture misses at its start is no damage, and no packet is paired with one that
/// was sent later.
#[test]
fn a_capture_that_starts_late_accuses_nobody() {
    for together in TOGETHER {
        let stream = Stream { together, late: 12, ..PLAIN };
        let (report, _) = compared(&stream, 4);
        let [after, before] = &report.directions;
        assert_eq!((after.altered, before.altered, after.extra), (0, 0, 0), "{stream:?}");
    }
}

/// Neighbour discovery, mDNS and the like stay on their link: they are neither lost nor extra.
#[test]
fn what_no_router_forwards_is_not_lost() {
    let [one, two] = captured(&PLAIN, 5);
    let mut random = Random(6);
    let mut link = |host: u8| -> Vec<Captured> {
        let six = |first: [u8; 2]| {
            let mut address = [0; 16];
            address[..2].copy_from_slice(&first);
            address[15] = host;
            address
        };
        let global = six([0x20, 1]);
        let ends = [
            Ends::V4([[192, 0, 2, host], [224, 0, 0, 251]]),
            Ends::V4([[169, 254, 1, host], [169, 254, 2, host]]),
            Ends::V6([six([0xfe, 0x80]), six([0xff, 2])]),
            Ends::V6([global, six([0xff, 2])]),
        ];
        let mut packets: Vec<Captured> = Vec::new();
        for i in 0..24_u64 {
            let ends = ends[i as usize % 4];
            let data = random.bytes(40);
            let ports = [5353, 5353];
            let body = Body { traffic: Traffic::Udp, ports, sequence: 0, id: i as u16, data };
            packets.push((1_002_000_000 + i * 300_000, body.packet(ends, 255)));
        }
        // A neighbour solicitation between addresses that routers do forward.
        let ends = Ends::V6([global, six([0x20, 2])]);
        let message = [&[135, 0, 0, 0], &random.bytes(20)[..]].concat();
        let message = residue_fixtures::ip::seal(message, ends, 58, 2);
        packets.push((1_005_000_000, ends.packet(58, &message)));
        packets
    };
    let merged = |bytes: &[u8], mut more: Vec<Captured>| {
        let mut reader = residue_net::pcap::Reader::new(bytes).unwrap();
        while let Some(packet) = reader.next().unwrap() {
            more.push((packet.time.unwrap(), packet.bytes[16 + 2..].to_vec()));
        }
        more.sort_by_key(|(time, _)| *time);
        capture(&more, Some(1))
    };
    let [one, two] = [merged(&one, link(3)), merged(&two, link(4))];
    let report = run([&one, &two], Options::default(), &mut |_| {});
    let total = report.total(|it| it.lost + it.extra + it.altered + it.duplicated);
    assert_eq!((total, report.points.map(|point| point.local)), (0, [25, 25]));
}

/// What may be combined.
fn combinations() -> Vec<Stream> {
    let hour = 3_600_000_000_000;
    let mut all = Vec::new();
    let offloads = [[1, 1], [5, 1], [1, 5], [5, 2]];
    let places = [(None, [false; 2]), (Some(0), [false; 2]), (Some(1), [true, false])];
    let doubled = [[false; 2], [true, false], [false, true]];
    let cuts = [[usize::MAX; 2], [usize::MAX, 150], [150; 2]];
    for (i, together) in offloads.into_iter().enumerate() {
        for nat in [false, true] {
            for (tunnel, tagged) in places {
                for doubled in doubled {
                    for snap in cuts {
                        for late in [0, 12] {
                            let version =
                                if (i + late + usize::from(nat)) % 2 == 0 { 4 } else { 6 };
                            let drifts = (late > 0) == nat;
                            let pause = if drifts { [60, 4][i % 2] * 1_000_000_000 } else { 0 };
                            let clock = if drifts { [2 * hour, 50_000] } else { [-hour, 0] };
                            all.push(Stream {
                                version,
                                together,
                                nat,
                                late,
                                pause,
                                clock,
                                tunnel,
                                doubled,
                                snap,
                                tagged,
                                ..PLAIN
                            });
                        }
                    }
                }
            }
        }
    }
    all
}

/// Offload, translation, tunnels, VLANs, mirror ports, short captures, late ones and clocks, in all
/// combinations: nothing undamaged is called damaged.
#[test]
fn nothing_is_altered_where_nothing_was_damaged() {
    let mut wrong = Vec::new();
    for (seed, stream) in combinations().into_iter().enumerate() {
        let (report, lost) = compared(&stream, seed as u64);
        let faults = [0, 1].map(|at| of(&report, at));
        let copies = report.points.each_ref().map(|point| point.counts.copies > 0);
        if lost > 0 || faults != [[0; 4]; 2] || copies != stream.doubled {
            let altered: Vec<_> = report
                .altered
                .iter()
                .map(|it| (it.outcome, it.damage, &it.fields, it.grown))
                .take(2)
                .collect();
            wrong.push(format!("{lost} {faults:?} {copies:?} {stream:?} {altered:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}: {:#?}", wrong.len(), &wrong[..wrong.len().min(9)]);
}

#[test]
fn what_is_damaged_or_lost_is_found_in_every_combination() {
    let mut wrong = Vec::new();
    println!("Wire segments in a packet at each point; faults injected/found");
    println!(
        "IP together  NAT   tunnel VLAN           twice          cut    late drift altered lost"
    );
    for (seed, stream) in combinations().into_iter().enumerate() {
        let stream = Stream { lost: Some(27), harmed: Some((44, seed % 2 == 0)), ..stream };
        let (report, lost) = compared(&stream, seed as u64);
        // The last byte of a segment is captured unless it is cut.
        let altered = u64::from(stream.snap == [usize::MAX; 2]);
        let faults = [0, 1].map(|at| of(&report, at));
        // Of TCP and of UDP. Where datagrams are cut that the points have with other boundaries, a
        // lost part may not show.
        let shows = stream.together == [1, 1] || stream.snap == [usize::MAX; 2];
        let most = if shows || lost != 1 { 2 } else { 1 };
        let again = report.total(|it| it.again) + report.total(|it| it.repaired);
        let cut = stream.snap.map(|snap| snap != usize::MAX);
        println!(
            "{:>2} {:<9} {:<5} {:<6} {:<14} {:<14} {:<6} {:>4} {:<5} {:>5}/{} {:>2}/{}",
            stream.version,
            format!("{:?}", stream.together),
            stream.nat,
            stream.tunnel.map_or("none".to_string(), |point| point.to_string()),
            format!("{:?}", stream.tagged),
            format!("{:?}", stream.doubled),
            cut.map(|cut| if cut { "yes" } else { "no" }).join(","),
            stream.late,
            stream.clock[1] != 0,
            2 * altered,
            faults[0][2],
            most,
            lost,
        );
        if lost != most || again > 0 || faults != [[0, 0, 2 * altered, most as u64], [0; 4]] {
            wrong.push(format!("{lost} {faults:?} {stream:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}: {:#?}", wrong.len(), &wrong[..wrong.len().min(9)]);
}

/// Packets that are extra, duplicated, altered and lost.
fn of(report: &Report, direction: usize) -> [u64; 4] {
    let it = &report.directions[direction];
    [it.extra, it.duplicated, it.altered, it.lost]
}
