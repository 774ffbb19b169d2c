use super::*;
use crate::effort::budget::Budget;
use crate::field::gf2::product;

fn generator(text: &str) -> Generator {
    Generator::parse(text, None).unwrap().0
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
#[ignore = "long"]
fn long_data_cost_no_more_than_the_codeword_that_settles_them() {
    let mut random = fastrand::Rng::with_seed(9);
    let widths = (24..=64).step_by(4);
    let mut all: Vec<Generator> = widths.map(|width| composed(&mut random, width)).collect();
    all.extend(["crc-64/ecma-182", "crc-32", "crc-32c", "koopman:a2572962"].map(generator));
    let mut found = 0;
    for generator in &all {
        let order = factor::order(&factor::factors(generator.explicit()));
        let search = |weight: u32, to| {
            let mut shortest = Shortest::of_all(generator, order, weight).last()?;
            let (_, work, _) = Budget::of(1 << 22, 1, |effort| shortest.search_to(to, effort));
            let span = shortest.places()?.last()? + 1;
            (shortest.weight() == weight && shortest.none_to() > Short::reach(generator, weight))
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
    assert!(found > 10, "{found}");
}

#[test]
#[ignore = "long"]
fn one_long_question_is_settled_by_a_short_codeword() {
    let ecma = generator("crc-64/ecma-182");
    let ask = |data| Budget::of(u64::MAX, 1, |effort| Distance::new(&ecma, data, effort));
    let (near, near_work, _) = ask(126_702);
    for data in [160_000, 1 << 32] {
        let (found, work, _) = ask(data);
        assert_eq!((found.distance, found.kind), (4, Kind::Exact));
        assert_eq!(found.witness, near.witness);
        assert!(work <= 3 * near_work, "{data} bits: {work}, {near_work}");
    }
    assert_eq!(near.witness.unwrap().span(), 126_702 + 64);
    let profile = Profile::to(&ecma, 5, &Effort::new());
    assert_eq!(profile.lengths(), [8_589_606_850, 8_589_606_850, 126_701]);
}

/// Fewer codewords are tried where only light ones are wanted.
#[test]
#[ignore = "long"]
fn few_distances_are_the_first_of_all() {
    let mut random = fastrand::Rng::with_seed(4);
    let mut all: Vec<Generator> =
        (257..512).step_by(10).map(|explicit| Generator::new(explicit).unwrap()).collect();
    all.extend((0..36).map(|number| composed(&mut random, 9 + number % 12)));
    for generator in &all {
        let whole = Profile::new(generator, &Effort::new());
        for most in [3, 4, 5, 6, 7, 8] {
            let some = Profile::to(generator, most, &Effort::new());
            let plain = |limit: &Limit| (limit.distance, limit.data, limit.kind);
            let first = whole.limits.iter().filter(|limit| limit.distance <= most);
            let first: Vec<_> = first.map(plain).collect();
            let found: Vec<_> = some.limits.iter().map(plain).collect();
            assert_eq!(found, first, "{:x} to {most}", generator.explicit());
        }
    }
}
