//! Compares Hamming distances with published profiles, and with exhaustive trials.

use residue_strength::{Effort, Generator, Kind, Profile};

/// Koopman's published profiles: name, width, polynomial, data bits to which HD 3, 4, 5, ... hold.
const PUBLISHED: &str = include_str!("profiles.csv");

fn published() -> impl Iterator<Item = (&'static str, Generator, Vec<u64>)> {
    PUBLISHED.lines().skip(1).map(|line| {
        let fields: Vec<&str> = line.rsplitn(5, ',').collect();
        let [_, profile, koopman, _, name] = fields[..] else { panic!("{line}") };
        let (generator, _) = Generator::parse(&format!("koopman:{koopman}"), None).unwrap();
        let lengths = profile.split_whitespace().map(|length| length.parse().unwrap()).collect();
        (name, generator, lengths)
    })
}

#[test]
fn published_profiles() {
    let mut count = 0;
    for (name, generator, lengths) in published() {
        let profile = Profile::new(&generator, &Effort::new());
        // Some published lists end before the data are one bit long.
        let mut found = profile.lengths();
        if generator.width() > 32 || name.starts_with("zoo") || name == "sparse" {
            found.truncate(lengths.len());
        }
        assert_eq!(found, lengths, "{name} {:x}", generator.koopman());
        for limit in &profile.limits[..found.len()] {
            assert_eq!(limit.kind, Kind::Exact, "{name}");
            let witness = limit.witness.as_ref().unwrap();
            assert!(witness.weight() < limit.distance);
            assert_eq!(witness.span(), u128::from(limit.data + 1) + u128::from(generator.width()));
        }
        count += 1;
    }
    assert!(count >= 60);
}

/// Returns the Hamming distances of 1, 2, 3, ... data bits, by trying all codewords.
fn tried(generator: &Generator, longest: u32) -> Vec<u32> {
    let g = generator.explicit() as u64;
    let mut least = u32::MAX;
    (1..=longest)
        .map(|data| {
            // Those with the first data bit set; the others were tried before.
            for factor in 1_u64 << (data - 1)..1 << data {
                let word =
                    (0..data).filter(|i| factor >> i & 1 == 1).fold(0, |sum, i| sum ^ g << i);
                least = least.min(word.count_ones());
            }
            least
        })
        .collect()
}

#[test]
fn every_8_bit_polynomial_against_trying_all() {
    for normal in (1..256).step_by(2) {
        let generator = Generator::new(256 | normal).unwrap();
        let profile = Profile::new(&generator, &Effort::new());
        for (data, distance) in (1..).zip(tried(&generator, 14)) {
            assert_eq!(profile.distance(data), (distance, Kind::Exact), "{normal:x}, {data} bits");
        }
        let mirrored = Profile::new(&generator.reciprocal(), &Effort::new());
        assert_eq!(profile.lengths(), mirrored.lengths(), "{normal:x}");
    }
}

#[test]
fn narrow_polynomials_against_trying_all() {
    for explicit in (9..256).step_by(2) {
        let generator = Generator::new(explicit).unwrap();
        let profile = Profile::new(&generator, &Effort::new());
        for (data, distance) in (1..).zip(tried(&generator, 12)) {
            assert_eq!(profile.distance(data).0, distance, "{explicit:b}, {data} bits");
        }
    }
}

#[test]
fn mirrored_polynomials_are_equally_strong() {
    for (name, generator, _) in published().filter(|(_, g, _)| (12..=24).contains(&g.width())) {
        let [one, other] = [generator, generator.reciprocal()]
            .map(|generator| Profile::new(&generator, &Effort::new()).lengths());
        assert_eq!(one, other, "{name}");
    }
}
