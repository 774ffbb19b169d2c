use super::*;

fn plan(fault: Fault, value: Option<u8>) -> Plan {
    Plan { fault, value, version: 4, segments: 3000, one_in: 10, seed: 1 }
}

#[test]
fn nothing_bad_happens_on_a_good_network() {
    for fault in [Fault::Nothing, Fault::Loss, Fault::Reorder, Fault::Duplicate] {
        for version in [4, 6] {
            for value in std::iter::once(None).chain((1..=GREATEST).map(Some)) {
                let row = run(&Plan { version, ..plan(fault, value) });
                assert_eq!((row.wrong, row.damaged, row.too_long), (0, 0, 0), "{row:?}");
                assert_eq!((row.connections, row.hung), (1, 0), "{row:?}");
                assert_eq!(row.agreed, value.unwrap_or(0), "{row:?}");
                assert!(row.delivered > 1_000_000, "{row:?}");
                assert!(row.counters.received.iter().all(|each| each.bad() == 0), "{row:?}");
            }
        }
    }
}

#[test]
fn the_same_seed_gives_the_same() {
    let plan = plan(Fault::Everything, Some(5));
    assert_eq!(run(&plan), run(&plan));
    assert_ne!(run(&plan), run(&Plan { seed: 2, ..plan }));
}

#[test]
fn a_nat_leads_to_value_4_and_leaves_7() {
    for (value, connections, agreed) in
        [(3, 2, 4), (5, 2, 4), (6, 2, 4), (4, 1, 4), (7, 1, 7), (1, 2, 0)]
    {
        let row = run(&plan(Fault::Nat, Some(value)));
        assert_eq!((row.connections, row.agreed), (connections, agreed), "{row:?}");
        assert_eq!((row.hung, row.wrong), (connections - 1, 0), "{row:?}");
        assert!(row.delivered > 1_000_000, "{row:?}");
    }
}

#[test]
fn a_crc_catches_what_a_nat_hides_from_tcp() {
    let plain = run(&plan(Fault::NatDamage, None));
    assert!(plain.wrong > 0 && plain.let_through == plain.damaged, "{plain:?}");
    for value in 3..=GREATEST {
        let agreed = if value == 7 { 7 } else { 4 };
        let row = run(&plan(Fault::NatDamage, Some(value)));
        assert_eq!((row.agreed, row.wrong, row.let_through), (agreed, 0, 0), "{row:?}");
        assert!(row.counters.received[usize::from(agreed)].only_crc_bad > 100, "{row:?}");
    }
}

/// Without a NAT, every value that covers the header detects it; through a NAT, only 7 does.
#[test]
fn a_changed_sequence_number_is_detected_by_value_7_even_through_a_nat() {
    for version in [4, 6] {
        for (fault, value, agreed) in [
            (Fault::Sequence, 4, 4),
            (Fault::NatSequence, 4, 4),
            (Fault::Sequence, 3, 3),
            (Fault::Sequence, 5, 5),
            (Fault::Sequence, 6, 6),
            (Fault::Sequence, 7, 7),
            (Fault::NatSequence, 7, 7),
        ] {
            let row = run(&Plan { version, ..plan(fault, Some(value)) });
            assert_eq!((row.agreed, row.connections), (agreed, 1), "{row:?}");
            assert!(row.damaged > 200, "{row:?}");
            if value == 4 {
                assert!(row.wrong > 1000 && row.let_through > 200, "{row:?}");
            } else {
                assert_eq!((row.wrong, row.let_through), (0, 0), "{row:?}");
            }
        }
    }
}

#[test]
fn without_option_14_it_is_regular_tcp() {
    for value in 1..=GREATEST {
        let row = run(&plan(Fault::NoRequest, Some(value)));
        assert_eq!((row.agreed, row.connections, row.wrong), (0, 1, 0), "{row:?}");
        assert!(row.delivered > 1_000_000, "{row:?}");
    }
}

#[test]
fn without_option_15_the_path_is_remembered() {
    for (value, connections) in [(3, 3), (4, 2), (5, 3), (6, 3), (7, 3)] {
        let row = run(&plan(Fault::NoData, Some(value)));
        assert_eq!((row.agreed, row.connections, row.wrong), (0, connections, 0), "{row:?}");
        assert!(row.delivered > 1_000_000, "{row:?}");
    }
}

/// TCP detects these byte pairs and bit flips.
#[test]
fn what_tcp_notices_it_notices_still() {
    for fault in [Fault::BytePair, Fault::BitFlip] {
        let row = run(&plan(fault, None));
        assert_eq!((row.wrong, row.caught), (0, row.damaged), "{row:?}");
        assert!(row.damaged > 0);
    }
}

/// At least 10^5 damaged segments: plain TCP delivers wrong bytes, the guard none.
#[test]
fn over_a_hundred_thousand_damaged_segments() {
    let everything = |value, version| Plan {
        segments: 120_000,
        one_in: 4,
        version,
        ..plan(Fault::Everything, value)
    };
    let plain = run(&everything(None, 4));
    assert!(plain.wrong > 1000 && plain.let_through > 1000, "{plain:?}");
    let mut damaged = 0;
    for (value, version) in [(3, 4), (4, 6), (5, 4), (6, 6), (7, 4)] {
        let row = run(&everything(Some(value), version));
        assert_eq!((row.wrong, row.let_through, row.too_long), (0, 0, 0), "{row:?}");
        // Segments under way at the end count as neither.
        assert!(row.caught <= row.damaged && row.caught + 200 > row.damaged, "{row:?}");
        assert_eq!((row.agreed, row.hung), (value, 0), "{row:?}");
        damaged += row.caught;
    }
    assert!(damaged >= 100_000, "{damaged}");
}
