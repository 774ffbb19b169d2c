//! Tests the comparison of two captures against simulated routers, whose faults are known exactly.

mod boundaries;
mod router;
mod segments;

use residue_net::compare::{self, Event, Kind, Options, Outcome, Report, Toward};
use residue_net::pcap::Reader;
use residue_net::survey::Shape;
use router::{Account, Harm, Plan, Traffic, capture};
use std::collections::{BTreeMap, BTreeSet};

fn run(captures: [&[u8]; 2], options: Options, each: &mut dyn FnMut(Event<'_>)) -> Report {
    let sketches = captures.map(|bytes| compare::sketch(Reader::new(bytes).unwrap()));
    let readers = captures.map(|bytes| Reader::new(bytes).unwrap());
    compare::run(&sketches, readers, options, each)
}

fn compared(account: &Account, options: Options) -> (Report, BTreeSet<u64>) {
    let [one, two] = &account.captures;
    let mut lost = BTreeSet::new();
    let report = run([&capture(one, Some(1)), &capture(two, Some(2))], options, &mut |event| {
        if let Event::Lost { seen, .. } = event {
            lost.insert(seen.number);
        }
    });
    (report, lost)
}

/// Asserts that all faults of a simulation are found, and nothing else.
#[track_caller]
fn exact(plan: &Plan) -> Report {
    let account = router::run(plan);
    let (report, lost) = compared(&account, Options::default());
    assert_eq!(lost, account.lost);
    let [after, before] = &report.directions;
    let harmed = account.harmed.len() as u64;
    assert_eq!(
        (after.lost, after.extra, after.duplicated, after.reordered, after.altered),
        (account.lost.len() as u64, 0, account.duplicated, account.reordered, harmed)
    );
    assert_eq!(before.matched + before.lost + before.extra + before.altered, 0);
    assert_eq!(after.matched, (plan.packets - account.lost.len()) as u64);
    assert_eq!(after.translated, account.translated);
    assert_eq!([report.points[0].outside, report.points[1].outside], [0, 0]);
    let found: BTreeSet<u64> = report.altered.iter().map(|it| it.packets[0]).collect();
    assert_eq!(found, account.harmed.keys().copied().collect());
    grouped(&report, &account);
    report
}

/// Asserts that every damaged packet is in the group of its damage.
#[track_caller]
fn grouped(report: &Report, account: &Account) {
    let mut groups: BTreeMap<(Kind, Outcome), BTreeSet<u64>> = BTreeMap::new();
    for group in compare::groups(&report.altered) {
        assert_eq!(group.toward, Toward::After);
        for &member in &group.members {
            let it = &report.altered[member];
            groups.entry((group.kind, it.outcome)).or_default().insert(it.packets[0]);
        }
    }
    let mut planted: BTreeMap<(Kind, Outcome), BTreeSet<u64>> = BTreeMap::new();
    let stuck = Kind::Stuck { from_data: false, offset: 21, bit: 5, value: true };
    for (&number, harm) in &account.harmed {
        let key = match harm {
            Harm::Bit => (Kind::Shape(Shape::Bit), Outcome::Noticed),
            Harm::BitRecomputed => (Kind::Shape(Shape::Bit), Outcome::Recomputed),
            Harm::Swap => (Kind::Shape(Shape::Swap), Outcome::Blind),
            Harm::Stuck => (stuck, Outcome::Recomputed),
            Harm::Zeroed => (Kind::Shape(Shape::Zeroed), Outcome::Recomputed),
            Harm::Repeated => (Kind::Shape(Shape::Stale), Outcome::Noticed),
        };
        planted.entry(key).or_default().insert(number);
    }
    assert_eq!(groups, planted);
}

#[test]
fn every_fault_of_ten_thousand_packets_is_found_and_grouped() {
    for seed in 1..=4 {
        let report = exact(&Plan { seed, ..Plan::default() });
        assert!(report.altered.len() > 75, "{}", report.altered.len());
    }
}

#[test]
fn clocks_may_differ() {
    for clock in [3_600_000_000_000, 86_400_000_000_000 * 400] {
        let report = exact(&Plan { clock, packets: 3000, ..Plan::default() });
        let difference = report.clocks.difference.abs_diff(clock as i64);
        assert!(difference < 4_000_000, "{difference}");
    }
}

#[test]
fn one_version_and_one_protocol() {
    for traffic in [
        vec![(Traffic::Tcp, 6), (Traffic::Udp, 6), (Traffic::Icmp, 6)],
        vec![(Traffic::Icmp, 4), (Traffic::Icmp, 6)],
        vec![(Traffic::UdpWithoutChecksum, 4)],
        vec![(Traffic::Udp, 4)],
    ] {
        exact(&Plan { traffic, packets: 2000, damaged: 40, ..Plan::default() });
    }
}

#[test]
fn without_translation_and_without_faults() {
    let plan = Plan { lost: 0, duplicated: 0, late: 0, damaged: 0, ..Plan::default() };
    exact(&Plan { packets: 2000, ..plan.clone() });
    exact(&Plan { packets: 2000, nat: false, ..plan });
}

/// A plan without faults.
fn faultless(packets: usize) -> Plan {
    Plan { packets, lost: 0, duplicated: 0, late: 0, damaged: 0, ..Plan::default() }
}

fn ignore(_: Event<'_>) {}

#[test]
fn empty_captures() {
    let account = router::run(&faultless(50));
    let full = capture(&account.captures[0], None);
    let empty = capture(&[], None);
    for (captures, outside) in
        [([&full, &empty], [50, 0]), ([&empty, &full], [0, 50]), ([&empty, &empty], [0, 0])]
    {
        let report = run(captures.map(Vec::as_slice), Options::default(), &mut ignore);
        assert_eq!(report.points.each_ref().map(|point| point.outside), outside);
        assert_eq!(report.total(|it| it.matched + it.lost + it.extra + it.altered), 0);
    }
}

#[test]
fn captures_in_the_wrong_order() {
    let account = router::run(&Plan { packets: 3000, ..Plan::default() });
    let [one, two] = account.captures.each_ref().map(|packets| capture(packets, Some(1)));
    let report = run([&two, &one], Options::default(), &mut ignore);
    assert!(report.seems_swapped());
    let [after, before] = &report.directions;
    assert_eq!(after.matched + after.lost + after.altered, 0);
    assert_eq!(
        (before.lost, before.extra, before.duplicated, before.reordered, before.altered),
        (
            account.lost.len() as u64,
            0,
            account.duplicated,
            account.reordered,
            account.harmed.len() as u64
        )
    );
}

#[test]
fn one_capture_is_part_of_the_other() {
    let account = router::run(&faultless(3000));
    let [one, two] = &account.captures;
    let (all, part) = (capture(one, None), capture(&two[1000..2000], Some(2)));
    let report = run([&all, &part], Options::default(), &mut ignore);
    assert_eq!((report.directions[0].matched, report.points[0].outside), (1000, 2000));
    assert_eq!(report.total(|it| it.lost + it.extra + it.altered + it.duplicated), 0);
    let (part, all) = (capture(&one[1000..2000], None), capture(two, Some(2)));
    let report = run([&part, &all], Options::default(), &mut ignore);
    assert_eq!((report.directions[0].matched, report.points[1].outside), (1000, 2000));
    assert_eq!(report.total(|it| it.lost + it.extra + it.altered + it.duplicated), 0);
}

#[test]
fn equal_captures() {
    let account = router::run(&faultless(500));
    let bytes = capture(&account.captures[0], Some(7));
    let report = run([&bytes, &bytes], Options::default(), &mut ignore);
    assert_eq!(report.directions[0].matched, 500);
    assert_eq!(report.total(|it| it.lost + it.extra + it.altered + it.reordered + it.late), 0);
}

/// Puts IPv4 packets of both versions into IPv4.
fn tunnelled(packets: &[router::Captured]) -> Vec<router::Captured> {
    let ends = residue_fixtures::ip::Ends::V4([[192, 0, 2, 8], [192, 0, 2, 9]]);
    let wrap = |(time, packet): &router::Captured| {
        let protocol = if packet[0] >> 4 == 4 { 4 } else { 41 };
        (*time, ends.packet(protocol, packet))
    };
    packets.iter().map(wrap).collect()
}

#[test]
fn a_tunnel_at_one_point_or_at_both() {
    let account = router::run(&Plan { packets: 3000, ..Plan::default() });
    let [one, two] = &account.captures;
    for (before, after) in [
        (one.clone(), tunnelled(two)),
        (tunnelled(one), two.clone()),
        (tunnelled(one), tunnelled(two)),
    ] {
        let captures = [capture(&before, Some(1)), capture(&after, None)];
        let report = run(captures.each_ref().map(Vec::as_slice), Options::default(), &mut ignore);
        let after = &report.directions[0];
        assert_eq!(
            (after.lost, after.extra, after.duplicated, after.altered),
            (account.lost.len() as u64, 0, account.duplicated, account.harmed.len() as u64)
        );
        let found: BTreeSet<u64> = report.altered.iter().map(|it| it.packets[0]).collect();
        assert_eq!(found, account.harmed.keys().copied().collect());
    }
}

/// Splits long IPv4 packets into fragments.
fn fragmented(packets: &[router::Captured]) -> Vec<router::Captured> {
    const PART: usize = 512;
    let mut fragments = Vec::new();
    for (time, packet) in packets {
        if packet[0] >> 4 != 4 || packet.len() < 20 + PART {
            fragments.push((*time, packet.clone()));
            continue;
        }
        let parts: Vec<&[u8]> = packet[20..].chunks(PART).collect();
        for (place, part) in parts.iter().enumerate() {
            let mut fragment = [&packet[..20], part].concat();
            let more = if place + 1 < parts.len() { 0x2000 } else { 0 };
            let offset = (place * PART / 8) as u16 | more;
            fragment[2..4].copy_from_slice(&(20 + part.len() as u16).to_be_bytes());
            fragment[6..8].copy_from_slice(&offset.to_be_bytes());
            fragment[10..12].fill(0);
            let sum = residue::internet::checksum(&fragment[..20]);
            fragment[10..12].copy_from_slice(&sum.to_be_bytes());
            fragments.push((*time, fragment));
        }
    }
    fragments
}

#[test]
fn fragments_at_one_point() {
    let account = router::run(&Plan { packets: 2000, ..Plan::default() });
    let [one, two] = &account.captures;
    for (before, after) in [(one.clone(), fragmented(two)), (fragmented(one), two.clone())] {
        let captures = [capture(&before, Some(1)), capture(&after, None)];
        let report = run(captures.each_ref().map(Vec::as_slice), Options::default(), &mut ignore);
        let counts = report.points.each_ref().map(|point| point.counts.reassembled);
        assert!(counts.iter().sum::<u64>() > 300, "{counts:?}");
        let after = &report.directions[0];
        assert_eq!(
            (after.lost, after.extra, after.altered),
            (account.lost.len() as u64, 0, account.harmed.len() as u64)
        );
    }
}

/// Returns a capture of which no packet has more than `most` bytes.
fn cut(packets: &[router::Captured], most: usize) -> Vec<u8> {
    use residue_net::pcap::LinkType;
    use residue_net::pcap::write::{Header, Writer};
    let mut writer = Writer::new(Vec::new(), Header::new(LinkType::RAW)).unwrap();
    for (time, packet) in packets {
        let bytes = &packet[..packet.len().min(most)];
        writer.packet(*time, packet.len() as u32, bytes).unwrap();
    }
    writer.into_inner()
}

#[test]
fn a_snap_length_at_either_point() {
    let account = router::run(&Plan { packets: 3000, damaged: 0, ..Plan::default() });
    let [one, two] = &account.captures;
    for lengths in [[96, 9999], [9999, 128], [128, 96]] {
        let captures = [cut(one, lengths[0]), cut(two, lengths[1])];
        let report = run(captures.each_ref().map(Vec::as_slice), Options::default(), &mut ignore);
        let after = &report.directions[0];
        assert_eq!(
            (after.lost, after.extra, after.altered, after.reordered),
            (account.lost.len() as u64, 0, 0, account.reordered)
        );
    }
    // Nobody knows whether a check value over what was not captured is right.
    let traffic = vec![(Traffic::Tcp, 4), (Traffic::Udp, 4), (Traffic::Tcp, 6)];
    let account = router::run(&Plan { packets: 3000, traffic, ..Plan::default() });
    let [one, two] = &account.captures;
    for lengths in [[96, 96], [96, 9999], [9999, 128]] {
        let captures = [cut(one, lengths[0]), cut(two, lengths[1])];
        let report = run(captures.each_ref().map(Vec::as_slice), Options::default(), &mut ignore);
        for altered in &report.altered {
            assert!(account.harmed.contains_key(&altered.packets[0]), "{altered:?}");
            let cut = lengths[1] < 9999 || altered.outcome != Outcome::Noticed;
            assert!(!cut || altered.outcome == Outcome::Unknown, "{lengths:?} {altered:?}");
        }
    }
    // Damage beyond the snap length is not seen, other damage is.
    let account = router::run(&Plan { packets: 3000, ..Plan::default() });
    let [one, two] = &account.captures;
    let report = run([&cut(one, 800), &cut(two, 9999)], Options::default(), &mut ignore);
    let found: BTreeSet<u64> = report.altered.iter().map(|it| it.packets[0]).collect();
    assert!(found.len() > 5 && found.iter().all(|number| account.harmed.contains_key(number)));
}

/// Damages the header of packet `at` of the second capture, and returns what is reported.
#[track_caller]
fn with_header(change: impl Fn(&mut Vec<u8>)) -> compare::Altered {
    let plan = Plan { traffic: vec![(Traffic::Tcp, 4)], ..faultless(400) };
    let mut account = router::run(&plan);
    change(&mut account.captures[1][200].1);
    let (report, lost) = compared(&account, Options::default());
    assert!(lost.is_empty(), "{lost:?}");
    assert_eq!((report.total(|it| it.extra), report.altered.len()), (0, 1));
    assert_eq!(report.altered[0].packets, [201, 201]);
    report.altered[0].clone()
}

fn seal(packet: &mut [u8]) {
    packet[10..12].fill(0);
    let sum = residue::internet::checksum(&packet[..20]);
    packet[10..12].copy_from_slice(&sum.to_be_bytes());
}

#[test]
fn damage_to_headers() {
    let name = |it: &compare::Altered| it.fields[0].name;
    let it = with_header(|packet| packet[17] ^= 4);
    assert_eq!((name(&it), it.outcome), ("destination address", Outcome::Noticed));
    let it = with_header(|packet| {
        packet[4] ^= 8;
        seal(packet);
    });
    assert_eq!((name(&it), it.outcome), ("identification", Outcome::Recomputed));
    let it = with_header(|packet| packet[33] ^= 4);
    assert_eq!((name(&it), it.outcome), ("flags", Outcome::Noticed));
    let it = with_header(|packet| packet[25] ^= 64);
    assert_eq!((name(&it), it.outcome), ("sequence number", Outcome::Noticed));
    let it = with_header(|packet| packet[22] ^= 1);
    assert_eq!((name(&it), it.outcome), ("destination port", Outcome::Noticed));
    let it = with_header(|packet| packet[36] ^= 1);
    assert_eq!((name(&it), it.outcome), ("checksum", Outcome::Noticed));
    let it = with_header(|packet| packet[10] ^= 1);
    assert_eq!((it.fields[0].protocol, name(&it)), ("IPv4", "checksum"));
    // A swap of words of the sequence and acknowledgment number, to which the sum is blind.
    let it = with_header(|packet| {
        packet.swap(26, 30);
        packet.swap(27, 31);
    });
    assert_eq!((it.damage.shape, it.outcome), (Shape::Swap, Outcome::Blind));
}

#[test]
fn equal_packets_are_taken_in_order() {
    let plan = Plan { traffic: vec![(Traffic::Tcp, 6)], ..faultless(200) };
    let mut account = router::run(&plan);
    // Ten equal packets, two of which are lost, and one of another kind arrives three times.
    for captured in &mut account.captures {
        let first = captured[50].1.clone();
        captured[51..60].iter_mut().for_each(|it| it.1.clone_from(&first));
    }
    account.captures[1].drain(55..57);
    let again = account.captures[1][100].clone();
    account.captures[1].splice(101..101, [again.clone(), again]);
    let (report, _) = compared(&account, Options::default());
    let after = &report.directions[0];
    assert_eq!((after.lost, after.duplicated, after.extra, after.altered), (2, 2, 0, 0));
    assert_eq!(after.reordered, 0);
}

#[test]
fn late_packets() {
    let account = router::run(&Plan { packets: 3000, lost: 0, damaged: 0, ..Plan::default() });
    let options = Options { late: Some(20_000_000), ..Options::default() };
    let (report, _) = compared(&account, options);
    let [one, two] = &account.captures;
    assert!(report.directions[0].late > 20 && one.len() < two.len());
    let delays = &report.directions[0].delays;
    assert!((2_000_000..2_100_000).contains(&delays.least), "{}", delays.least);
    assert!((40_000_000..42_000_000).contains(&(delays.most - delays.least)));
}

#[test]
fn limits_hold_and_every_packet_is_accounted_for() {
    let plan = Plan { lost: 3, late: 5, packets: 3000, ..Plan::default() };
    let account = router::run(&plan);
    for most in [1, 10, 100] {
        let options = Options { most, ..Options::default() };
        let (report, _) = compared(&account, options);
        assert!(report.crowded > 0 || most == 100);
        let [after, before] = &report.directions;
        let matched = after.matched + before.matched;
        assert_eq!(
            matched + after.lost + before.extra + report.points[0].outside,
            report.points[0].compared
        );
        let arrived = after.extra + after.duplicated + before.lost;
        assert_eq!(matched + arrived + report.points[1].outside, report.points[1].compared);
    }
}

#[test]
fn mutated_captures() {
    let account = router::run(&Plan { packets: 300, ..Plan::default() });
    let captures = account.captures.each_ref().map(|packets| capture(packets, Some(1)));
    let mut random = residue_testing::Random(77);
    for _ in 0..200 {
        let mut both = captures.clone();
        for _ in 0..40 {
            let which = random.below(2);
            let place = 24 + random.below(both[which].len() - 24);
            both[which][place] = random.next() as u8;
        }
        let shorter = random.below(both[1].len() - 24) + 24;
        if random.below(3) == 0 {
            both[1].truncate(shorter);
        }
        let report = run([&both[0], &both[1]], Options::default(), &mut ignore);
        compare::groups(&report.altered).iter().for_each(|group| drop(group.culprit()));
        let [after, before] = &report.directions;
        assert_eq!(
            after.matched
                + before.matched
                + after.lost
                + before.extra
                + before.duplicated
                + report.points[0].outside,
            report.points[0].compared
        );
    }
}
