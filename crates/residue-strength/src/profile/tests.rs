use super::*;
use crate::Error;
use crate::Weights;
use crate::compare::{self, Question, Subject, Traffic};
use crate::gf2::product;
use std::sync::atomic::{AtomicU64, Ordering};

fn generator(text: &str) -> Generator {
    Generator::parse(text, None).unwrap().0
}

/// A budget of sums, which ends the work once so many were made, and counts all sums, and those
/// made afterwards.
struct Budget {
    sums: u64,
    made: AtomicU64,
    late: AtomicU64,
}

impl Budget {
    fn new(sums: u64) -> Budget {
        Budget { sums, made: AtomicU64::new(0), late: AtomicU64::new(0) }
    }

    fn spend(&self, sums: u64) -> bool {
        if self.made.load(Ordering::Relaxed) >= self.sums {
            self.late.fetch_add(sums.max(1), Ordering::Relaxed);
            return false;
        }
        self.made.fetch_add(sums, Ordering::Relaxed);
        true
    }

    /// Returns the result of `work`, and the sums it made after the budget ended.
    fn of<T>(sums: u64, threads: usize, work: impl FnOnce(&Effort<'_>) -> T) -> (T, u64, u64) {
        let budget = Budget::new(sums);
        let spend = |sums| budget.spend(sums);
        let result = work(&Effort { threads, spend: &spend, ..Effort::new() });
        (result, budget.made.into_inner(), budget.late.into_inner())
    }
}

/// Any work, and whether the budget let it find all.
type Work<'a> = Box<dyn Fn(&Effort<'_>) -> bool + 'a>;

fn settled(profile: &Profile) -> bool {
    profile.limits.iter().all(|limit| limit.kind == Kind::Exact)
}

/// One step of any work, in sums: what a thread may still do after the time is up.
const STEP: u64 = 1 << 24;

#[test]
fn all_work_ends_when_the_time_is_up() {
    let (nvme, k2, crc) =
        (generator("crc-64/nvme"), generator("koopman:992c1a4c"), generator("crc-32"));
    let random = Generator::new(1 << 64 | 0x9e37_79b9_7f4a_7c15).unwrap();
    // By logarithms, as far as they reach.
    let confirmed = Profile::to(&nvme, 5, &Effort { sums: 1 << 25, ..Effort::new() });
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
            Box::new(|effort: &Effort<'_>| logarithm::confirm(&long, effort).is_some()),
        ),
        (
            "confirmed",
            Box::new(|effort: &Effort<'_>| logarithm::confirm(&confirmed, effort).is_some()),
        ),
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
        for threads in [1, 2] {
            for sums in [0, 1, 1 << 17, 1 << 21] {
                let (_, made, late) = Budget::of(sums, threads, work);
                assert!(made <= sums + threads as u64 * STEP, "{what}: {made} of {sums} sums");
                assert!(late <= 64 * STEP, "{what}: {late} more after {sums} sums");
                assert!(late > 0 || made <= sums, "{what}: nobody asked");
            }
        }
        let (found_all, made, late) = Budget::of(0, 1, work);
        assert!(!found_all && made == 0 && late > 0, "{what}");
    }
}

/// Returns a polynomial whose codewords are shorter than those of most: a product of small ones.
fn composed(random: &mut fastrand::Rng, width: u32) -> Generator {
    let (mut all, mut left) = (1, width);
    while left > 0 {
        let degree = random.u32(1..=left.min(12));
        all = product(all, 1 << degree | random.u128(..1 << degree) | 1);
        left -= degree;
    }
    Generator::new(all).unwrap()
}

#[test]
fn long_data_cost_no_more_than_the_codeword_that_settles_them() {
    let mut random = fastrand::Rng::with_seed(9);
    let mut all: Vec<Generator> = (24..=64).map(|width| composed(&mut random, width)).collect();
    all.extend(["crc-64/ecma-182", "crc-32", "crc-32c", "koopman:a2572962"].map(generator));
    let mut found = 0;
    for generator in &all {
        let order = factor::order(&factor::factors(generator.explicit()));
        let search = |weight: u32, to| {
            let mut shortest = Shortest::of_all(generator, order, weight).last()?;
            let (_, work, _) = Budget::of(1 << 24, 1, |effort| shortest.search_to(to, effort));
            let span = shortest.places()?.last()? + 1;
            (shortest.weight() == weight && shortest.none_to() > Short::reach(generator))
                .then_some((span, work))
        };
        for weight in 3..=8 {
            let Some((span, far)) = search(weight, order) else { continue };
            let (same, near) = search(weight, span).unwrap();
            assert_eq!(same, span);
            // The first search has so many sums however near the codeword is.
            let most = 5 * near + (1 << 16);
            assert!(far <= most, "{:x}, {weight} bits: {far} for {near}", generator.explicit());
            found += 1;
        }
    }
    assert!(found > 20, "{found}");
}

#[test]
fn one_long_question_is_settled_by_a_short_codeword() {
    let ecma = generator("crc-64/ecma-182");
    let ask = |data| Budget::of(u64::MAX, 1, |effort| Distance::new(&ecma, data, effort));
    let (near, near_work, _) = ask(126_702);
    for data in [160_000, 8_000_000, 1 << 32] {
        let (found, work, _) = ask(data);
        assert_eq!((found.distance, found.kind), (4, Kind::Exact));
        assert_eq!(found.witness, near.witness);
        assert!(work <= 3 * near_work, "{data} bits: {work}, {near_work}");
    }
    assert_eq!(near.witness.unwrap().span(), 126_702 + 64);
    let profile = Profile::to(&ecma, 5, &Effort::new());
    assert_eq!(profile.lengths(), [8_589_606_850, 8_589_606_850, 126_701]);
}
