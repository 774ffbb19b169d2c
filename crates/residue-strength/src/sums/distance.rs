//! Hamming distances of sums: the length up to which every two wrong bits are detected.

use serde::Serialize;

use super::constants::{constants, counted};
use crate::Error;
use crate::codes::Undetected;
use crate::codes::additive::{Additive, Group, Kind, Work};
use crate::field::integer;

/// The Hamming distance of a sum at every length, with the errors that prove its limits.
#[derive(Clone, Debug, Serialize)]
pub struct Distance {
    /// The longest data, in bytes, for which every two wrong bits are detected; 0 if there are
    /// none.
    pub three_to: usize,
    /// An undetected error of two bits in data one byte longer.
    pub two: Undetected,
    /// An undetected error of three bits in data of one unit or less: no longer data have a Hamming
    /// distance of 4.
    pub three: Option<Undetected>,
}

/// Computes the Hamming distance of a sum; `None` for CRCs.
///
/// Every two wrong bits up to the limit are detected: that is computed from what every bit adds.
/// Both errors are found and confirmed by the code itself.
///
/// # Errors
///
/// Returns [`Error::Unconfirmed`] if computation or code contradict the limit.
pub fn distance(code: &Additive) -> Result<Option<Distance>, Error> {
    if code.crc() {
        return Ok(None);
    }
    if code.scaled() {
        return scaled(code).map(Some);
    }
    let limit = limit(code);
    if limit > 0 && !code.within(NoPair(code, limit)) {
        return Err(Error::Unconfirmed(code.name().into()));
    }
    let two = alone(code, limit + 1, 1)?;
    // A data bit, and one of each half of the value: the lowest bit of a unit is one, and a shorter
    // unit may have none.
    let three = match code.kind {
        Kind::Pairs(_, unit, _) => {
            let shorter = (1..unit as usize).find_map(|bytes| alone(code, bytes, 2).ok());
            Some(shorter.map_or_else(|| alone(code, unit as usize, 2), Ok)?)
        }
        _ => None,
    };
    Ok(Some(Distance { three_to: limit, two, three }))
}

/// Computes the Hamming distance of a sum in which bit i of data and value counts 2^i or -2^i.
///
/// Two bits d apart are undetected, in some data, exactly if 2^d is 1 or -1. The value is below the
/// modulus in right data, and any other value is detected.
fn scaled(code: &Additive) -> Result<Distance, Error> {
    let Kind::Residues(modulus, _) = code.kind else {
        return Err(Error::Unconfirmed(code.name().into()));
    };
    let apart = half_order(modulus);
    let three_to = (apart.saturating_sub(code.width().into()) / 8) as usize;
    let bits = 8 * (three_to as u64 + 1);
    // The lowest bit of the value, and the bit so far before it.
    let data = vec![bits + u64::from(code.width()) - 1 - apart];
    let last = (0..=255_u8).find_map(|last| {
        let nonzero = if last == 0 { vec![] } else { vec![(bits / 8 - 1, last)] };
        Undetected::new((code.name(), code.code()), bits, nonzero, data.clone(), 1).ok()
    });
    let two = last.ok_or_else(|| Error::Unconfirmed(code.name().into()))?;
    // One bit of the data moves up to 2^width, which is a number of two bits.
    Ok(Distance { three_to, two, three: Some(alone(code, 1, 2)?) })
}

/// Returns the least exponent of 2 whose power is 1 or -1 modulo an odd number.
fn half_order(modulus: u64) -> u64 {
    let mut totient = modulus;
    let mut primes = integer::prime_factors(modulus);
    primes.dedup();
    primes.iter().for_each(|prime| totient = totient / prime * (prime - 1));
    let mut order = totient;
    for prime in integer::prime_factors(totient) {
        if order.is_multiple_of(prime) && integer::power(2, order / prime, modulus) == 1 {
            order /= prime;
        }
    }
    let half = order / 2;
    let opposite = order.is_multiple_of(2) && integer::power(2, half, modulus) == modulus - 1;
    if opposite { half } else { order }
}

/// Returns the longest data, in bytes, for which every two wrong bits are detected.
fn limit(code: &Additive) -> usize {
    let Kind::Pairs(modulus, unit, _) = code.kind else {
        // A bit of the data and the same bit of the value.
        return 0;
    };
    let units = match modulus as usize {
        // Two units are enough: the first counts twice, so that its highest bit adds nothing to B.
        modulus if modulus.is_power_of_two() => 1,
        // Units as far apart as the modulus count alike, and so the codeword must not be longer.
        // Two units of it are the check octets.
        modulus if code.octets() => modulus - 2,
        // The first of as many units as the modulus adds nothing to B.
        modulus => modulus - 1,
    };
    units * unit as usize
}

/// Returns one wrong bit of the first unit of `bytes` bytes of data that changes this many bits of
/// the value, for some last byte.
fn alone(code: &Additive, bytes: usize, value_bits: u32) -> Result<Undetected, Error> {
    for last in 0..=255 {
        let mut data = vec![0; bytes];
        data[bytes - 1] = last;
        let right = code.value(&data);
        for bit in 0..code.unit_bits().min(8 * bytes) {
            data[bit / 8] ^= 0x80 >> (bit % 8);
            let check = right ^ code.value(&data);
            data[bit / 8] ^= 0x80 >> (bit % 8);
            if check.count_ones() == value_bits {
                let nonzero = if last == 0 { vec![] } else { vec![(bytes as u64 - 1, last)] };
                let (named, bits) = ((code.name(), code.code()), 8 * bytes as u64);
                return Undetected::new(named, bits, nonzero, vec![bit as u64], check.into());
            }
        }
    }
    Err(Error::Unconfirmed(code.name().into()))
}

/// Computes whether a code of pairs detects every two wrong bits of `bytes` bytes of data and the
/// value after them.
struct NoPair<'a>(&'a Additive, usize);

impl Work for NoPair<'_> {
    type Output = bool;
    fn run<G: Group>(self, group: G) -> bool {
        let NoPair(code, bytes) = self;
        // Check octets are units like any other.
        let octets = if code.octets() { code.width() as usize / 8 } else { 0 };
        let constants = constants(code, bytes + octets);
        let counts = counted(constants.iter().copied());
        // Two bits of the data: their constants are equal, or opposite. One bit is always detected.
        let alone = |(&constant, &count): (&u32, &u64)| {
            let opposite = group.sub(0, constant);
            constant != 0 && count == 1 && (opposite == constant || !counts.contains_key(&opposite))
        };
        // One of the data and one of the value: the constant is a power of two in one half, and 0
        // in the other.
        let of_value = |bit: u32| {
            let change = 1 << bit;
            counts.contains_key(&change) || counts.contains_key(&group.sub(0, change))
        };
        let bits = if code.octets() { 0 } else { code.width() / 2 };
        // Two of the value are detected: the data have one value.
        counts.iter().all(alone) && !(0..bits).any(|bit| of_value(bit) || of_value(bit + 16))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_those_of_the_proofs() {
        for (name, limit) in [
            ("xor-8", 0),
            ("xor-32", 0),
            ("sum-16", 0),
            ("internet", 0),
            ("xns", 0),
            ("fletcher-16", 254),
            ("rfc1146-8", 254),
            ("iso-8473", 253),
            ("fletcher-32", 2 * 65534),
            ("four-octets", 2 * 65533),
            ("fletcher-16/mod256", 1),
            ("fletcher-32/mod65536", 2),
            ("adler-32", 65520),
            ("koopman-8", 12),
            ("koopman-16", 4092),
            ("koopman-32", 268_435_451),
            ("dual-16", 4 * 252),
            ("dual-32", 4 * 65524),
        ] {
            let code = Additive::named(name).unwrap();
            let found = distance(&code).unwrap().unwrap_or_else(|| panic!("{name}"));
            assert_eq!(found.three_to, limit, "{name}");
            assert_eq!(found.two.bits(), 8 * (limit as u64 + 1), "{name}");
        }
    }

    /// Tries every two bits of data and value, for some data of the longest length and a byte more.
    #[test]
    fn koopmans_limit_is_met_by_every_pair() {
        let code = Additive::named("koopman-8").unwrap();
        let mut random = fastrand::Rng::with_seed(3);
        let undetected = |bytes: usize, right: &[u8]| {
            let value = code.value(right) as u8;
            let all = [right, &[value]].concat();
            let flipped = |a: usize, b: usize| {
                let mut wrong = all.clone();
                wrong[a / 8] ^= 0x80 >> (a % 8);
                wrong[b / 8] ^= 0x80 >> (b % 8);
                code.value(&wrong[..bytes]) == u32::from(wrong[bytes])
            };
            (0..8 * all.len()).any(|a| (0..a).any(|b| flipped(a, b)))
        };
        let mut found = [false; 2];
        for _ in 0..300 {
            for (more, found) in found.iter_mut().enumerate() {
                let mut data = vec![0; 12 + more];
                random.fill(&mut data);
                *found |= undetected(12 + more, &data);
            }
        }
        assert_eq!(found, [false, true]);
        for (modulus, apart) in [(253, 110), (239, 119), (65519, 32_759), (32749, 16_374)] {
            assert_eq!(half_order(modulus), apart);
            let power = |d| integer::power(2, d, modulus);
            assert!((1..apart).all(|d| power(d) != 1 && power(d) != modulus - 1));
        }
    }

    /// Tries every two bits of data and value of the longest data, and of data of a word more, by
    /// what a word of one bit makes of both sums.
    #[test]
    fn the_limit_of_dual_16_is_met_by_every_pair() {
        let value = |words: usize, bit: u32| {
            let mut data = vec![0; 4 * words];
            data[..4].copy_from_slice(&(1_u32 << bit).to_be_bytes());
            residue::dual::reference::<residue::koopman::Mod253>(&data)
        };
        // What a wrong bit may do to A and B, as far as a receiver distinguishes it.
        let signed = |a: u32, b: u32| [[a, b], [(253 - a) % 253, (253 - b) % 253]];
        for (most, undetected) in [(252, 0), (253, 8)] {
            let mut bits: Vec<[[u32; 2]; 2]> = (1..=most)
                .flat_map(|words| (0..32).map(move |bit| value(words, bit)))
                .map(|value| signed(value & 0xff, value >> 8))
                .collect();
            bits.extend((0..8).flat_map(|bit| [signed(1 << bit, 0), signed(0, 1 << bit)]));
            assert_eq!(bits.len(), 32 * most + 16);
            let pairs = |(i, one): (usize, &[[u32; 2]; 2])| {
                assert!(one[0] != [0, 0]);
                bits[..i].iter().filter(|two| two.contains(&one[0])).count()
            };
            // The lowest eight bits of the first of 253 words, each with its bit of A.
            assert_eq!(bits.iter().enumerate().map(pairs).sum::<usize>(), undetected, "{most}");
        }
        for modulus in [253, 65525] {
            let power = |d| integer::power(2, d, modulus);
            assert!((1..32).all(|d| power(d) != 1 && power(d) != modulus - 1));
        }
        assert_eq!([half_order(253), half_order(65525)], [110, 1310]);
    }

    #[test]
    fn one_unit_more_has_a_pair() {
        for (name, limit) in [
            ("fletcher-16", 254),
            ("rfc1146-8", 254),
            ("iso-8473", 253),
            ("four-octets", 2 * 65533),
            ("adler-32", 65520),
            ("dual-16", 4 * 252),
            ("dual-32", 4 * 65524),
        ] {
            let code = Additive::named(name).unwrap();
            let more = limit + code.unit_bits() / 8;
            assert!(code.within(NoPair(&code, limit)), "{name}");
            assert!(!code.within(NoPair(&code, more)), "{name}");
        }
    }
}
