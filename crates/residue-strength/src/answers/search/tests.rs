//! Compares searches with exhaustive trials, and divided searches with whole ones.

use super::*;

fn task(width: u32, question: Question) -> Task {
    Task::new(width, question).unwrap()
}

fn whole(task: Task, range: Range) -> Search {
    let mut search = Search::new(task, range);
    search.run(&Effort::new(), |_| Ok::<_, Error>(())).unwrap();
    search
}

fn koopmans(outcome: &Outcome) -> Vec<u128> {
    outcome.found.iter().map(|found| found.generator.koopman()).collect()
}

/// Returns the least weight of a codeword of `data` bits of data, by trying all.
fn tried(explicit: u64, data: u32) -> u32 {
    let word = |factor: u64| {
        (0..data).filter(|i| factor >> i & 1 == 1).fold(0_u64, |sum, i| sum ^ explicit << i)
    };
    (1..1 << data).map(|factor| word(factor).count_ones()).min().unwrap()
}

#[test]
fn narrow_widths_against_trying_all() {
    for width in 3..=8 {
        for data in [1, 2, 3, 5, 8, 11] {
            let all: Vec<(u64, u32)> = ((1 << width) + 1..2 << width)
                .step_by(2)
                .map(|explicit| (explicit, tried(explicit, data)))
                .collect();
            for distance in 3..=width + 1 {
                let good = |&&(explicit, least): &&(u64, u32)| {
                    let mirrored = explicit.reverse_bits() >> (63 - width);
                    least >= distance && explicit <= mirrored
                };
                let expected: Vec<u128> =
                    all.iter().filter(good).map(|(e, _)| u128::from(e >> 1)).collect();
                match Task::new(width, Question::Keep { distance, data: data.into() }) {
                    Ok(task) => {
                        let mut found = koopmans(&Outcome::of(&whole(task, Range::WHOLE)));
                        found.sort_unstable();
                        assert_eq!(found, expected, "{width}, {distance}, {data}");
                    }
                    Err(Error::Search(Fault::TooGood { .. })) => assert_eq!(expected, [0; 0]),
                    Err(error) => panic!("{error}"),
                }
            }
        }
    }
}

#[test]
fn longest_of_all_8_bit_polynomials() {
    let surveyed = Outcome::of(&whole(task(8, Question::Survey), Range::WHOLE));
    assert_eq!(surveyed.found.len(), 72);
    assert_eq!(surveyed.kind(), Kind::Exact);
    for distance in 3..=9 {
        let of = |found: &Found| {
            found.limits.iter().find(|limit| limit.distance == distance).map(|limit| limit.data)
        };
        let longest = surveyed.found.iter().filter_map(of).max();
        let expected: Vec<u128> = surveyed
            .found
            .iter()
            .filter(|found| longest.is_some() && of(found) == longest)
            .map(|found| found.generator.koopman())
            .collect();
        let best = Outcome::of(&whole(task(8, Question::Longest { distance }), Range::WHOLE));
        assert_eq!(best.found.first().map(Found::data), longest, "HD {distance}");
        assert_eq!(koopmans(&best), expected, "HD {distance}");
    }
}

/// Checks published profiles: each polynomial is found at its last bit, and not one bit later.
#[test]
fn published_polynomials_are_found() {
    for (name, width, distance, data) in [
        ("koopman:d175", 16, 6, 93),
        ("koopman:c86c", 16, 6, 135),
        ("crc-16/dnp", 16, 6, 135),
        ("crc-16/opensafety-a", 16, 5, 241),
        ("koopman:8d95", 16, 5, 62),
        ("koopman:8d95", 16, 4, 1149),
        ("crc-16/opensafety-b", 16, 4, 7985),
        ("crc-15/can", 15, 6, 112),
        ("crc-12/umts", 12, 4, 2035),
    ] {
        let (generator, _) = Generator::parse(name, None).unwrap();
        let one = generator.koopman().min(generator.reciprocal().koopman());
        let finds = |data| {
            let question = Question::Keep { distance, data };
            match Task::new(width, question) {
                Ok(task) => koopmans(&Outcome::of(&whole(task, Range::WHOLE))).contains(&one),
                Err(_) => false,
            }
        };
        assert!(finds(data), "{name}");
        assert!(!finds(data + 1), "{name}");
    }
}

/// Checks limits beyond the filter's tables, which the proof finds, or rejects.
#[test]
fn wide_limits() {
    for (koopman, distance, data) in [
        (0x82608edb_u128, 4, 91_607),
        (0x82608edb, 5, 2974),
        (0x8f6e37a0, 6, 5243),
        (0xba0dc66b, 6, 16_360),
        (0x992c1a4c, 6, 32_738),
        (0x8f6e37a0, 4, 2_147_483_615),
    ] {
        let task = task(32, Question::Keep { distance, data: data.min(LONGEST) });
        let mut worker = Worker::new(task, &Effort::new());
        let explicit = koopman << 1 | 1;
        let found = worker.judge(explicit, data).unwrap().unwrap();
        assert_eq!((found.data(), found.limits[0].kind), (data, Kind::Exact), "{koopman:x}");
        assert_eq!(worker.judge(explicit, data + 1), Ok(None), "{koopman:x}");
    }
}

/// Checks that primitive polynomials, phi(2^n - 1) / n in number, keep HD 3 longest, and with x + 1
/// HD 4.
#[test]
fn the_longest_are_the_primitive() {
    for (width, distance, data, count) in
        [(12, 3, 4083, 144), (12, 4, 2035, 176), (16, 3, 65_519, 2048), (16, 4, 32_751, 1800)]
    {
        let best = Outcome::of(&whole(task(width, Question::Longest { distance }), Range::WHOLE));
        assert!(best.found.iter().all(|found| found.data() == data), "{width}, {distance}");
        let images = |found: &Found| 1 + u32::from(found.generator.reciprocal() != found.generator);
        assert_eq!(best.found.iter().map(images).sum::<u32>(), count, "{width}, {distance}");
    }
}

/// Checks that a survey has the profiles.
#[test]
#[ignore = "long"]
fn surveys_agree_with_profiles() {
    for width in [3, 5, 8, 10] {
        let surveyed = Outcome::of(&whole(task(width, Question::Survey), Range::WHOLE));
        for found in &surveyed.found {
            let profile = Profile::new(&found.generator, &Effort::new());
            let data: Vec<u64> = found.limits.iter().map(|limit| limit.data).collect();
            assert_eq!(data, profile.lengths(), "{:x}", found.generator.explicit());
            assert!(found.limits.iter().all(|limit| limit.kind == Kind::Exact));
        }
    }
}

#[test]
fn pieces_make_the_whole() {
    let mut random = fastrand::Rng::with_seed(3);
    for question in [
        Question::Keep { distance: 4, data: 100 },
        Question::Keep { distance: 6, data: 20 },
        Question::Longest { distance: 4 },
        Question::Longest { distance: 5 },
    ] {
        let task = task(11, question);
        let expected = Outcome::of(&whole(task, Range::WHOLE));
        assert!(!expected.found.is_empty());
        for of in [1, 2, 3, 7, 64] {
            let mut parts = Vec::new();
            for index in 1..=of {
                let range = Range::new(index, of).unwrap();
                let mut search = Search::new(task, range);
                // Interrupted again and again, and each time read from its text.
                while !search.is_complete() {
                    search.advance(random.u64(1..200), &Effort::new()).unwrap();
                    let read = Search::parse(&search.text()).unwrap();
                    assert_eq!(read, search);
                    search = read;
                }
                parts.push((format!("part {index}"), search));
            }
            random.shuffle(&mut parts);
            assert_eq!(Outcome::merge(&parts).unwrap(), expected, "{of}");
        }
    }
}

#[test]
fn gaps_and_overlaps() {
    let task = task(10, Question::Keep { distance: 4, data: 30 });
    let part = |index, of| (format!("{index}/{of}"), whole(task, Range::new(index, of).unwrap()));
    let mut half = Search::new(task, Range::new(6, 8).unwrap());
    half.advance(32, &Effort::new()).unwrap();
    let parts = [part(1, 8), part(2, 4), ("6/8".into(), half), part(8, 8)];
    let merged = Outcome::merge(&parts).unwrap();
    assert_eq!(
        merged.missing,
        ["50 % of range 6/8", "range 2/8", "ranges 5/8 to 5/8", "range 7/8"]
            .map(|words| words.replace("ranges 5/8 to 5/8", "range 5/8"))
    );
    assert_eq!(merged.kind(), Kind::AtLeast);
    assert_eq!(merged.tried, 4.5 / 8.0);
    let overlap = Outcome::merge(&[part(1, 2), part(2, 4)]);
    assert!(matches!(overlap, Err(Error::Search(Fault::Overlap { .. }))), "{overlap:?}");
    let other = Task::new(10, Question::Survey).unwrap();
    let foreign = Outcome::merge(&[part(1, 2), ("b".into(), Search::new(other, Range::WHOLE))]);
    assert!(matches!(foreign, Err(Error::Search(Fault::Foreign { .. }))), "{foreign:?}");
    assert!(matches!(Outcome::merge(&[]), Err(Error::Search(Fault::Nothing))));
}

#[test]
fn damaged_texts() {
    let text = whole(task(8, Question::Keep { distance: 4, data: 100 }), Range::WHOLE).text();
    assert!(Search::parse(&text).is_ok());
    for at in 0..text.len() - 1 {
        let mut bytes = text.clone().into_bytes();
        bytes[at] ^= 1;
        if let Ok(damaged) = String::from_utf8(bytes) {
            assert!(Search::parse(&damaged).is_err(), "byte {at}: {damaged}");
        }
        assert!(Search::parse(&text[..at]).is_err(), "cut at {at}");
    }
}

#[test]
fn hamming_s_bound() {
    // The perfect codes, with and without a bit more.
    for (width, distance, data) in [(3, 3, 4), (8, 3, 247), (4, 4, 4), (11, 7, 12), (12, 8, 12)] {
        assert!(spheres_fit(data, distance, width), "{width} {distance} {data}");
        assert!(!spheres_fit(data + 1, distance, width), "{width} {distance} {data}");
    }
    assert!(spheres_fit(1 << 62, 3, 64));
    assert!(!spheres_fit(u64::MAX, 65, 64));
    // Golay's code is found by its generator, of which there is one pair.
    let golay =
        Outcome::of(&whole(task(11, Question::Keep { distance: 7, data: 12 }), Range::WHOLE));
    assert_eq!(golay.found.len(), 1);
    assert_eq!(golay.found[0].generator.reciprocal().explicit(), 0xc75 | 0x800);
}

#[test]
fn faults() {
    use Question::{Keep, Longest, Survey};
    let fault = |width, question| match Task::new(width, question) {
        Err(Error::Search(fault)) => fault,
        other => panic!("{other:?}"),
    };
    assert_eq!(fault(2, Survey), Fault::Width(2));
    assert_eq!(fault(65, Survey), Fault::Width(65));
    assert_eq!(fault(32, Survey), Fault::Surveyed { width: 32, most: 20 });
    assert_eq!(fault(8, Longest { distance: 1 }), Fault::Distance(1));
    assert_eq!(fault(8, Longest { distance: 10 }), Fault::Weight { width: 8, distance: 10 });
    assert_eq!(fault(8, Keep { distance: 3, data: 0 }), Fault::Empty);
    let data = 1 << 40;
    assert_eq!(fault(64, Keep { distance: 4, data }), Fault::Long { data, most: LONGEST });
    let wide = Keep { distance: 5, data: 1000 };
    assert!(matches!(fault(16, wide), Fault::TooGood { .. }));
}
