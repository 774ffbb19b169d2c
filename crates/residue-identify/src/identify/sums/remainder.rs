//! Koopman's checksums: the message as one number, followed by zero bytes, modulo m.
//!
//! For a message M of n bytes, V = M 256^k mod m, where the k zero bytes make room for the value. A
//! seed is combined with the first byte by exclusive or. With the seed 0, M 256^k - V is a multiple
//! of the modulus, so that the greatest common divisor of two samples is m or a multiple of it.
//!
//! Source: Philip Koopman, An Improved Modular Addition Checksum Algorithm, arXiv:2304.13496.

use super::known::{Known, MOST_FACTOR, gcd};
use super::model::{Kind, Model, remainder};
use crate::identify::found::Tally;
use crate::identify::reading::Reading;
use crate::identify::untried::Untried;

/// Bytes of all messages up to which readings other than the plain one are tried.
const MOST_BYTES: usize = 1 << 16;
/// Bytes of a message up to which the modulus is found from the samples: of the message as it
/// stands, and of other readings.
const MOST_UNKNOWN: (usize, usize) = (2048, 64);
/// Returns the moduli that are recommended for values of this many bits, one less with a parity
/// bit.
fn recommended(bits: u32, parity: bool) -> &'static [u128] {
    match (bits, parity) {
        (8, false) => &[253, 251, 239],
        (8, true) => &[125],
        (16, false) => &[65_519, 65_521],
        (16, true) => &[32_749],
        (32, false) => &[4_294_967_291],
        (32, true) => &[2_147_483_629],
        _ => &[],
    }
}

/// Proposes checksums of the samples.
pub(super) fn search(known: &Known, tally: &mut Tally) {
    let messages = &known.read.messages;
    let plain = known.read.reading == Reading::PLAIN;
    let all: usize = messages.iter().map(Vec::len).sum();
    let longest = messages.iter().map(Vec::len).max().unwrap_or(0);
    // The value of a message without bytes is zero, which says nothing of the settings.
    let mut values = messages.iter().zip(&known.values).filter(|(message, _)| message.is_empty());
    if values.any(|(_, &value)| value > 0) {
        return;
    }
    if messages.iter().any(Vec::is_empty) || !plain && all > MOST_BYTES {
        tally.untried.insert(Untried::Remainders);
        return;
    }
    let bytes = known.bits as usize / 8;
    for with_parity in [false, true] {
        for zeros in [bytes, 0] {
            let kind = Kind::Remainder { zeros, parity: with_parity };
            for &modulus in recommended(known.bits, with_parity) {
                seeds(known, kind, modulus, tally);
            }
            let most = if plain { MOST_UNKNOWN.0 } else { MOST_UNKNOWN.1 };
            if longest <= most {
                unknown(known, kind, tally);
            } else {
                tally.untried.insert(Untried::Remainders);
            }
        }
    }
}

fn model(kind: Kind, modulus: u128, start: u128) -> Model {
    Model { kind, unit: 1, little: false, modulus, start, end_around: false }
}

/// Proposes every seed with which the first sample has its value.
fn seeds(known: &Known, kind: Kind, modulus: u128, tally: &mut Tally) {
    let Kind::Remainder { zeros, parity } = kind else { return };
    let (message, value) = (&known.read.messages[0], known.values[0] >> u32::from(parity));
    // Both the part without the first byte and the factor of that byte, by one pass each.
    let rest = remainder(message, 0, zeros, modulus);
    let factor = (remainder(message, 1, zeros, modulus) + modulus - rest) % modulus;
    for seed in 0..=255_u8 {
        let first = u128::from(message[0] ^ seed);
        if (first * factor + rest) % modulus == value {
            let free = if seed == 0 { 3.0 } else { 11.0 };
            known.propose(model(kind, modulus, seed.into()), free, tally);
        }
    }
}

/// Proposes moduli that the samples have in common, with the seed 0.
fn unknown(known: &Known, kind: Kind, tally: &mut Tally) {
    let Kind::Remainder { zeros, parity } = kind else { return };
    let shift = u32::from(parity);
    let values: Vec<u128> = known.values.iter().map(|value| value >> shift).collect();
    let messages = &known.read.messages;
    let multiples = messages
        .iter()
        .zip(&values)
        .take(2)
        .map(|(message, &value)| Big::of(message, zeros, value));
    let multiples: Option<Vec<Big>> = multiples.collect();
    let Some([a, b]) = multiples.as_deref() else { return };
    let Some(mut common) = a.clone().gcd(b.clone()) else { return };
    for (message, value) in messages.iter().zip(&values).skip(2) {
        if common < 2 {
            return;
        }
        let value = value % common;
        let rest = remainder(message, message[0], zeros, common);
        common = gcd(common, (rest + common - value) % common);
    }
    let bits = known.bits - shift;
    let most = values.iter().copied().max().unwrap_or(0);
    for factor in 1..=MOST_FACTOR {
        let modulus = common / factor;
        // Modulo 255 and 65535 it is a sum, modulo a power of two the end of the message.
        let other = modulus < 3 || 65_535 % modulus == 0 || modulus.is_power_of_two();
        if !common.is_multiple_of(factor) || other || modulus <= most || modulus >> bits > 0 {
            continue;
        }
        known.propose(model(kind, modulus, 0), f64::from(bits), tally);
    }
}

/// A natural number of any size, lowest word first, without zero words at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Big(Vec<u64>);

impl Big {
    /// Returns the message as a number, times 256^zeros, minus `value`; `None` if that is negative.
    fn of(message: &[u8], zeros: usize, value: u128) -> Option<Big> {
        let mut bytes: Vec<u8> = std::iter::repeat_n(0, zeros).collect();
        bytes.extend(message.iter().rev());
        let word =
            |chunk: &[u8]| chunk.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        let number = Big(bytes.chunks(8).map(word).collect()).trimmed();
        number.minus(&Big(vec![value as u64, (value >> 64) as u64]).trimmed())
    }

    fn trimmed(mut self) -> Big {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        self
    }

    fn less(&self, other: &Big) -> bool {
        let words = || self.0.iter().rev().cmp(other.0.iter().rev());
        self.0.len().cmp(&other.0.len()).then_with(words).is_lt()
    }

    fn minus(mut self, other: &Big) -> Option<Big> {
        if self.less(other) {
            return None;
        }
        let mut borrow = false;
        for (i, word) in self.0.iter_mut().enumerate() {
            let (part, under) = word.overflowing_sub(other.0.get(i).copied().unwrap_or(0));
            let (part, again) = part.overflowing_sub(borrow.into());
            (*word, borrow) = (part, under || again);
        }
        Some(self.trimmed())
    }

    /// Returns the odd part.
    fn odd(mut self) -> Big {
        let zeros = self.0.iter().take_while(|&&word| word == 0).count();
        self.0.drain(..zeros);
        let bits = self.0.first().map_or(0, |word| word.trailing_zeros());
        if bits > 0 {
            for i in 0..self.0.len() {
                let above = self.0.get(i + 1).map_or(0, |word| word << (64 - bits));
                self.0[i] = self.0[i] >> bits | above;
            }
        }
        self.trimmed()
    }

    /// Returns the odd part of the greatest common divisor of two numbers; `None` if one is zero,
    /// or it has more than 120 bits.
    ///
    /// An even modulus is not found; those recommended are odd.
    fn gcd(self, other: Big) -> Option<u128> {
        let (mut a, mut b) = (self.odd(), other.odd());
        if a.0.is_empty() || b.0.is_empty() {
            return None;
        }
        while a != b {
            if a.less(&b) {
                std::mem::swap(&mut a, &mut b);
            }
            a = a.minus(&b)?.odd();
        }
        match a.0[..] {
            [low] => Some(low.into()),
            [low, high] if high >> 56 == 0 => Some(u128::from(high) << 64 | u128::from(low)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn big_numbers() {
        let big = |value: u128| Big(vec![value as u64, (value >> 64) as u64]).trimmed();
        let pairs = [
            (65_519 * 1_000_003, 65_519 * 999_983 * 64, 65_519),
            (3 << 100, 9 << 70, 3),
            (u128::MAX, 255, 255),
            (7, 7, 7),
        ];
        for (a, b, divisor) in pairs {
            assert_eq!(big(a).gcd(big(b)), Some(divisor));
            assert_eq!(big(b).gcd(big(a)), Some(divisor));
        }
        assert_eq!(big(0).gcd(big(5)), None);
        assert_eq!(big(1 << 64).minus(&big(1)), Some(big((1 << 64) - 1)));
        assert_eq!(big(1).minus(&big(2)), None);
        assert_eq!(Big::of(&[0x12, 0x34], 1, 0x12_3400), Some(Big(vec![])));
        assert_eq!(Big::of(&[0x12, 0x34], 1, 5), Some(big(0x12_33fb)));
        assert_eq!(Big::of(&[1], 0, 2), None);
    }
}
