//! Compares limits of Hamming distances, and the errors that prove them, with the codes themselves:
//! nothing here knows how a limit was found.
//!
//! Receivers are as lenient as possible: they take 0 and the modulus for one residue.

use proptest::prelude::*;
use residue::Code;
use residue::code::Sum;
use residue::fletcher::check_octets;
use residue_strength::additive::Additive;
use residue_strength::sums::{Distance, SUMS, distance};
use residue_strength::{Effort, Generator, Profile, Undetected, named};

/// The longest data that are laid out, in bytes; longer ones have their errors confirmed without.
const LAID_OUT: usize = 1 << 20;

/// Returns every sum with its Hamming distance.
fn sums() -> Vec<(Code, Distance)> {
    let all = SUMS.iter().filter_map(|name| {
        let code = Additive::named(name).unwrap();
        Some((code.code().clone(), distance(&code).unwrap()?))
    });
    let all: Vec<_> = all.collect();
    let every = Code::all().filter(|code| matches!(code, Code::Sum(_))).count();
    assert_eq!(all.len(), every, "a sum is missing from SUMS");
    all
}

/// Returns data with their check value behind them, highest byte first, as a sender has them.
fn sent(code: &Code, data: &[u8]) -> Vec<u8> {
    let value = code.value(data).to_be_bytes();
    let mut word = data.to_vec();
    word.extend(&value[16 - code.width() as usize / 8..]);
    word
}

/// Returns whether a receiver accepts data and check value.
fn accepted(code: &Code, word: &[u8]) -> bool {
    let (data, value) = word.split_at(word.len() - code.width() as usize / 8);
    let value = value.iter().fold(0, |value, &byte| value << 8 | u128::from(byte));
    let alike = |a: u128, b: u128, modulus: u128| a % modulus == b % modulus;
    let half = code.width() / 2;
    let halves = |modulus| {
        let (own, mask) = (code.value(data), (1 << half) - 1);
        alike(own >> half, value >> half, modulus) && alike(own & mask, value & mask, modulus)
    };
    match code {
        Code::Sum(Sum::Iso8473) => check_octets::verify(word),
        Code::Sum(Sum::FourOctets) => check_octets::verify_four(word),
        Code::Sum(Sum::Internet | Sum::Xns) => alike(code.value(data), value, 65535),
        Code::Sum(Sum::Fletcher16 | Sum::Rfc1146B8) => halves(255),
        Code::Sum(Sum::Fletcher32 | Sum::Fletcher32Be | Sum::Rfc1146B16) => halves(65535),
        Code::Sum(Sum::Adler32) => halves(65521),
        Code::Sum(Sum::Dual16) => halves(253),
        Code::Sum(Sum::Dual32) => halves(65525),
        _ => code.value(data) == value,
    }
}

fn flip(word: &mut [u8], bit: usize) {
    word[bit / 8] ^= 0x80 >> (bit % 8);
}

/// Returns the codeword that an undetected error of a sum happens to, behind `before` zero bytes,
/// without and with the error.
fn twice(code: &Code, error: &Undetected, before: usize) -> [Vec<u8>; 2] {
    let mut data = vec![0; before + error.bits() as usize / 8];
    error.nonzero().iter().for_each(|&(place, byte)| data[before + place as usize] = byte);
    let right = sent(code, &data);
    let mut wrong = right.clone();
    error.data().iter().for_each(|&bit| flip(&mut wrong, 8 * before + bit as usize));
    let check = u128::from_str_radix(error.check(), 16).unwrap().to_be_bytes();
    let octets = wrong[data.len()..].iter_mut().rev();
    octets.zip(check.iter().rev()).for_each(|(octet, change)| *octet ^= change);
    [right, wrong]
}

fn differing_bits([a, b]: &[Vec<u8>; 2]) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
}

#[test]
fn every_sum_has_an_undetected_error_of_two_bits_one_byte_beyond_its_limit() {
    for (code, distance) in sums() {
        assert_eq!(distance.two.bits(), 8 * (distance.three_to as u64 + 1), "{code}");
        for (error, weight) in [(Some(&distance.two), 2), (distance.three.as_ref(), 3)] {
            let Some(error) = error.filter(|error| error.bits() <= 8 * LAID_OUT as u64) else {
                continue;
            };
            let [right, wrong] = twice(&code, error, 0);
            assert!(accepted(&code, &right) && accepted(&code, &wrong), "{code} {error:?}");
            assert_eq!(differing_bits(&[right, wrong]), weight, "{code} {error:?}");
        }
    }
}

/// Tries all errors of one to three bits in data of one to four bytes: of one byte in all data
/// there are.
#[test]
fn short_data_have_the_distance_that_is_computed_and_no_smaller_one() {
    let mut random = fastrand::Rng::with_seed(5);
    for (code, distance) in sums() {
        for bytes in 1..=4 {
            // Data of less than a unit may have a Hamming distance of 4 or more.
            let three = distance.three.as_ref().map_or(0, Undetected::bits);
            let claimed = match bytes {
                _ if bytes > distance.three_to => 2,
                1 if three > 8 => 4,
                _ => 3,
            };
            let all: Vec<Vec<u8>> = match bytes {
                1 => (0..=255).map(|byte| vec![byte]).collect(),
                _ => (0..60).map(|_| (0..bytes).map(|_| random.u8(..)).collect()).collect(),
            };
            let mut least = 4;
            for data in all {
                let mut word = sent(&code, &data);
                assert!(accepted(&code, &word));
                let bits = 8 * word.len();
                for i in 0..bits {
                    flip(&mut word, i);
                    assert!(!accepted(&code, &word), "{code}: bit {i} of {data:02x?}");
                    for j in i + 1..bits {
                        flip(&mut word, j);
                        if accepted(&code, &word) {
                            least = least.min(2);
                        }
                        for k in if bytes == 1 { j + 1..bits } else { 0..0 } {
                            flip(&mut word, k);
                            if accepted(&code, &word) {
                                least = least.min(3);
                            }
                            flip(&mut word, k);
                        }
                        flip(&mut word, j);
                    }
                    flip(&mut word, i);
                }
            }
            let least = if bytes == 1 { least } else { least.min(3) };
            assert_eq!(least, claimed, "{code} at {bytes} bytes");
        }
    }
}

/// Tries every pair of bits of data and value, with every pair of values they can have.
#[test]
#[ignore = "long"]
fn no_pair_of_bits_is_undetected_at_the_limit() {
    let mut random = fastrand::Rng::with_seed(6);
    for (code, distance) in sums() {
        let limit = distance.three_to;
        if !(2..300).contains(&limit) {
            continue;
        }
        // For each two bits there is a k by which they differ; and by the complement they do the
        // other way round.
        let mut all: Vec<Vec<u8>> = vec![vec![0; limit], vec![0xff; limit]];
        for k in 0..11 {
            let mut data = vec![0; limit];
            (0..8 * limit).filter(|bit| bit >> k & 1 == 1).for_each(|bit| flip(&mut data, bit));
            all.push(data.iter().map(|byte| !byte).collect());
            all.push(data);
        }
        all.extend((0..4).map(|_| (0..limit).map(|_| random.u8(..)).collect::<Vec<u8>>()));
        for data in all {
            let mut word = sent(&code, &data);
            for i in 0..8 * word.len() {
                flip(&mut word, i);
                for j in 0..i {
                    flip(&mut word, j);
                    assert!(!accepted(&code, &word), "{code}: bits {j} and {i} of {limit} bytes");
                    flip(&mut word, j);
                }
                flip(&mut word, i);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(100)
    })]

    #[test]
    #[ignore = "long"]
    fn pairs_near_every_limit_are_detected_up_to_it_and_not_beyond(
        pick in any::<prop::sample::Index>(),
        near in -3_i64..=3,
        places in any::<[prop::sample::Index; 2]>(),
        alike in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let name = pick.get(&SUMS);
        let additive = Additive::named(name).unwrap();
        let Some(found) = distance(&additive).unwrap() else { return Ok(()) };
        let (code, limit) = (additive.code(), found.three_to);
        if limit > LAID_OUT {
            return Ok(());
        }
        let bytes = (limit as i64 + near).max(1) as usize;
        if bytes <= limit {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut data = vec![0; bytes];
            random.fill(&mut data);
            let mut word = sent(code, &data);
            let (bits, unit) = (8 * word.len(), additive.unit_bits());
            let first = places[0].index(bits);
            // The same bit of two units, as those undetected have, or any.
            let second = match alike {
                true => first % unit + unit * places[1].index(bits / unit),
                false => places[1].index(bits),
            };
            if first != second && second < bits {
                flip(&mut word, first);
                flip(&mut word, second);
                prop_assert!(!accepted(code, &word), "{code}: {first}, {second} of {bytes} bytes");
            }
        } else {
            // What is in front of the error, in whole units, does not matter.
            let before = (bytes - limit - 1) * additive.unit_bits() / 8;
            let [right, wrong] = twice(code, &found.two, before);
            prop_assert!(accepted(code, &right) && accepted(code, &wrong), "{code} at {bytes}");
        }
    }

    #[test]
    fn limits_of_random_crcs_are_confirmed_by_them(
        width in 3_u32..=16,
        bits in any::<[u64; 3]>(),
        reflected in any::<[bool; 2]>(),
        seed in any::<u64>(),
    ) {
        let mask = (1_u64 << width) - 1;
        let [poly, init, xorout] = bits.map(|bits| bits & mask);
        let text = format!(
            "width={width},poly={:x},init={init:x},refin={},refout={},xorout={xorout:x}",
            poly | 1, reflected[0], reflected[1]
        );
        let (generator, _) = Generator::parse(&text, None).unwrap();
        let (name, code) = named(&text, &generator);
        prop_assert_eq!(&name, &text);
        let profile = Profile::to(&generator, 6, &Effort::new().within(1));
        let mut random = fastrand::Rng::with_seed(seed);
        for limit in &profile.limits {
            // One bit beyond: by hand, in random data.
            let error = Undetected::of_limit(limit, (&name, &code)).unwrap().unwrap();
            let bytes = error.bits().div_ceil(8) as usize;
            let pad = 8 * bytes - error.bits() as usize;
            let mut data = vec![0; bytes];
            random.fill(&mut data);
            let value = code.value(&data);
            let mask =
                |bit: usize| if reflected[0] { 1 << (bit % 8) } else { 0x80_u8 >> (bit % 8) };
            for &bit in error.data() {
                let bit = bit as usize + pad;
                data[bit / 8] ^= mask(bit);
            }
            let check = u128::from_str_radix(error.check(), 16).unwrap();
            prop_assert_eq!(code.value(&data) ^ check, value);
            let wrong = error.data().len() as u32 + check.count_ones();
            prop_assert!(wrong < limit.distance);
            // At the limit: errors of fewer bits than the distance are detected.
            for _ in 0..200 {
                let length = limit.data as usize + width as usize;
                let count = random.usize(1..limit.distance as usize).min(length);
                let places: Vec<usize> =
                    random.choose_multiple(0..length, count).into_iter().collect();
                let bytes = limit.data.div_ceil(8) as usize;
                let pad = 8 * bytes - limit.data as usize;
                let mut data = vec![0; bytes];
                random.fill(&mut data);
                let mut value = code.value(&data);
                for place in places {
                    match place.checked_sub(limit.data as usize) {
                        None => data[(place + pad) / 8] ^= mask(place + pad),
                        Some(bit) => value ^= 1 << bit,
                    }
                }
                prop_assert_ne!(code.value(&data), value, "{} at {}", text, limit.data);
            }
        }
    }
}

#[test]
fn limits_of_the_catalogue_are_confirmed_by_every_code_that_has_the_polynomial() {
    for params in
        residue::crc::catalog::ALL.iter().filter(|params| (3..=24).contains(&params.width))
    {
        let (generator, _) = Generator::parse(params.name, None).unwrap();
        let (name, code) = named(params.name, &generator);
        assert_eq!(name, params.name);
        for limit in &Profile::to(&generator, 8, &Effort::new().within(5)).limits {
            assert!(Undetected::of_limit(limit, (&name, &code)).unwrap().is_some(), "{name}");
        }
    }
}
