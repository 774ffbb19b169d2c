//! Tests the comparison of two captures against simulated routers, whose faults are known exactly.

mod router;

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
        assert!(report.altered.len() > 40, "{}", report.altered.len());
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
