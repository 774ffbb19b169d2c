//! Compares Hamming distances with published profiles, and with exhaustive trials.

use residue_strength::{Distance, Effort, Generator, Kind, Profile};

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
#[ignore = "long"]
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

/// Koopman's best polynomials keep each distance exactly as far as he says.
#[test]
#[ignore = "long"]
fn best_polynomials() {
    let known = Generator::known();
    let mut count = 0;
    for line in include_str!("../src/crc/best.csv").lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [width, distance, bits, koopman] = fields[..] else { panic!("{line}") };
        let (generator, _) = Generator::parse(&format!("koopman:{koopman}"), None).unwrap();
        assert_eq!(generator.width().to_string(), width, "{line}");
        assert!(known.contains(&generator), "{line}");
        let distance: u32 = distance.parse().unwrap();
        let profile = Profile::to(&generator, distance, &Effort::new());
        let limit = profile.limits.iter().find(|limit| limit.distance == distance).unwrap();
        assert_eq!((limit.data.to_string().as_str(), limit.kind), (bits, Kind::Exact), "{line}");
        count += 1;
    }
    assert!(count > 250, "{count}");
}

/// Returns the Hamming distances of 1, 2, 3, ... data bits, by trying all codewords.
fn tried(generator: &Generator, longest: u32) -> Vec<u32> {
    let g = generator.explicit();
    let mut least = u32::MAX;
    (1..=longest)
        .map(|data| {
            // Those with the first data bit set; the others were tried before.
            for factor in 1_u32 << (data - 1)..1 << data {
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

/// A difference-set code of 273 bits: its distance of 18 is that of the generator itself.
#[test]
fn crc_82_of_darc() {
    let (darc, _) = Generator::parse("crc-82/darc", None).unwrap();
    let profile = Profile::new(&darc, &Effort::new());
    assert_eq!(profile.order, 273);
    assert_eq!(profile.lengths(), [191; 16]);
    assert!(profile.limits.iter().all(|limit| limit.kind == Kind::Exact));
    for limit in &profile.limits {
        assert_eq!(limit.witness.as_ref().unwrap().places(), [0, 273]);
    }
    for (data, distance, places) in [(1, 18, 18), (191, 18, 18), (192, 2, 2), (12_000, 2, 2)] {
        let found = Distance::new(&darc, data, &Effort::new());
        assert_eq!((found.distance, found.kind), (distance, Kind::Exact), "{data}");
        assert_eq!(found.witness.unwrap().places().len(), places);
    }
    assert_eq!(tried(&darc, 20), [18; 20]);
}

/// Sparse polynomials, and dense ones, made of those of narrower codes.
#[test]
fn wide_polynomials_against_trying_all() {
    let explicit = |text: &str| Generator::parse(text, None).unwrap().0.explicit();
    let product = |a: u128, b: u128| {
        (0..128).filter(|bit| b >> bit & 1 == 1).fold(0, |sum, bit| sum ^ a << bit)
    };
    let dense = product(explicit("crc-24/openpgp"), explicit("crc-24/ble"));
    let of_80 = product(explicit("crc-16/t10-dif"), explicit("crc-16/cdma2000"));
    let of_67 = product(explicit("crc-16/xmodem"), 0b1011);
    // What all codewords of 22 data bits show needs no long search.
    let effort = Effort { sums: 1 << 18, ..Effort::new() };
    for (polynomial, width) in [
        (explicit("x^70+x^5+1"), 70),
        (explicit("x^81+x^27+x^9+1"), 81),
        (explicit("x^90+x^45+1"), 90),
        (product(dense, of_80), 80),
        (product(dense, of_67), 67),
    ] {
        let generator = Generator::new(polynomial).unwrap();
        assert_eq!(generator.width(), width);
        let profile = Profile::new(&generator, &effort);
        for (data, distance) in (1..).zip(tried(&generator, 16)) {
            assert_eq!(profile.distance(data), (distance, Kind::Exact), "{width}, {data}");
            let found = Distance::new(&generator, data, &effort);
            assert_eq!((found.distance, found.kind), (distance, Kind::Exact), "{width}, {data}");
        }
    }
}
