//! Checks that work of every kind keeps its budget.

use super::compare::{self, Question, Subject, Traffic};
use crate::crc::confirm::confirm;
use crate::crc::{Distance, Generator, Profile, Weights};
use crate::effort::budget::Budget;
use crate::{Effort, Error, Kind};

fn generator(text: &str) -> Generator {
    Generator::parse(text, None).unwrap().0
}

/// Any work, and whether the budget let it find all.
type Work<'a> = Box<dyn Fn(&Effort<'_>) -> bool + 'a>;

fn settled(profile: &Profile) -> bool {
    profile.limits.iter().all(|limit| limit.kind == Kind::Exact)
}

/// One step of any work, in sums: what a thread may still do after the time is up.
const STEP: u64 = 1 << 24;

#[test]
#[ignore = "long"]
fn all_work_ends_when_the_time_is_up() {
    let (nvme, k2, crc) =
        (generator("crc-64/nvme"), generator("koopman:992c1a4c"), generator("crc-32"));
    let random = Generator::new(1 << 64 | 0x9e37_79b9_7f4a_7c15).unwrap();
    // By logarithms, as far as they reach.
    // 2^45 - 1 has small factors alone: its tables of logarithms are small.
    let primitive = Generator::new(1 << 45 | 0x1b).unwrap();
    let confirmed = Profile::to(&primitive, 5, &Effort { sums: 1 << 25, ..Effort::new() });
    let long = Profile::to(&crc, 5, &Effort::new());
    let counted = |code: &Generator, data, most, effort: &Effort<'_>| {
        let counted = Weights::new(code, data, most, effort);
        assert!(matches!(counted, Ok(_) | Err(Error::Time)));
        counted.is_ok()
    };
    let question = Question {
        data: 12_000,
        rates: vec!["1e-6".into()],
        traffic: Traffic::Frames(1.0),
        exact: false,
    };
    let subjects =
        ["crc-64/nvme", "crc-32", "koopman:992c1a4c"].map(|name| Subject::parse(name).unwrap());
    let works: Vec<(&str, Work<'_>)> = vec![
        ("profile", Box::new(|effort: &Effort<'_>| settled(&Profile::new(&nvme, effort)))),
        (
            "profile, not primitive",
            Box::new(|effort: &Effort<'_>| settled(&Profile::new(&random, effort))),
        ),
        ("profile of 32 bits", Box::new(|effort: &Effort<'_>| settled(&Profile::new(&k2, effort)))),
        (
            "distance",
            Box::new(|effort: &Effort<'_>| {
                Distance::new(&nvme, 1 << 23, effort).kind == Kind::Exact
            }),
        ),
        (
            "confirmed by logarithms",
            Box::new(|effort: &Effort<'_>| confirm(&long, effort).is_some()),
        ),
        ("confirmed", Box::new(|effort: &Effort<'_>| confirm(&confirmed, effort).is_some())),
        (
            "weights one by one",
            Box::new(|effort: &Effort<'_>| counted(&crc, 12_112, Some(4), effort)),
        ),
        ("weights of few data", Box::new(|effort: &Effort<'_>| counted(&nvme, 26, None, effort))),
        (
            "weights of the dual",
            Box::new(|effort: &Effort<'_>| counted(&generator("crc-24/ble"), 3000, None, effort)),
        ),
        (
            "comparison",
            Box::new(|effort: &Effort<'_>| {
                let codes = compare::compare(&subjects, &question, effort).unwrap().codes;
                codes.iter().all(|code| !code.few.is_empty())
            }),
        ),
    ];
    for (what, work) in &works {
        for (threads, sums) in [(2, 0), (1, 1), (2, 1 << 16), (1, 1 << 19)] {
            let (_, made, late) = Budget::of(sums, threads, work);
            assert!(made <= sums + threads as u64 * STEP, "{what}: {made} of {sums} sums");
            assert!(late <= 64 * STEP, "{what}: {late} more after {sums} sums");
            assert!(late > 0 || made <= sums, "{what}: nobody asked");
        }
        let (found_all, made, late) = Budget::of(0, 1, work);
        assert!(!found_all && made == 0 && late > 0, "{what}");
    }
}
