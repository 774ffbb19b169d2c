//! Sums and hash functions that change a word with each unit: by a rotation or a multiplication,
//! and by the unit.
//!
//! Each step can be undone, so that the value of one sample and its message give the start, and the
//! other samples confirm it.

use std::fmt;

/// The change of a word by a unit. Arithmetic is modulo 2^k in words of k bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Rotated left by so many bits, then the unit combined by exclusive or.
    RotateXor(u32),
    /// The unit combined by exclusive or, then rotated left.
    XorRotate(u32),
    /// Rotated left, then the unit added.
    RotateAdd(u32),
    /// The unit added, then rotated left.
    AddRotate(u32),
    /// Multiplied by an odd number, then the unit added.
    TimesAdd(u128),
    /// Multiplied by an odd number, then the unit combined by exclusive or.
    TimesXor(u128),
    /// The unit combined by exclusive or, then multiplied by an odd number.
    XorTimes(u128),
}

/// Multipliers in use: of Kernighan and Ritchie, Bernstein, sdbm and others, of FNV, of random
/// number generators.
pub(super) const MULTIPLIERS: [u128; 17] = [
    3,
    5,
    7,
    17,
    31,
    33,
    37,
    131,
    257,
    1313,
    13_131,
    65_599,
    69_069,
    131_313,
    1_000_003,
    0x0100_0193,
    0x0100_0000_01b3,
];

impl Step {
    /// Returns the word after a unit; `mask` has the bits of the word.
    pub(super) fn forward(self, word: u128, unit: u128, mask: u128) -> u128 {
        let times = |word: u128, m: u128| word.wrapping_mul(m) & mask;
        match self {
            Step::RotateXor(by) => rotated(word, by, mask) ^ unit & mask,
            Step::XorRotate(by) => rotated(word ^ unit & mask, by, mask),
            Step::RotateAdd(by) => rotated(word, by, mask).wrapping_add(unit) & mask,
            Step::AddRotate(by) => rotated(word.wrapping_add(unit) & mask, by, mask),
            Step::TimesAdd(m) => times(word, m).wrapping_add(unit) & mask,
            Step::TimesXor(m) => (times(word, m) ^ unit) & mask,
            Step::XorTimes(m) => times(word ^ unit, m),
        }
    }

    /// Returns the word after these units.
    pub(super) fn done(self, units: &[u128], word: u128, mask: u128) -> u128 {
        units.iter().fold(word, |word, &unit| self.forward(word, unit, mask))
    }

    /// Returns the word before these units, from that after them.
    pub(super) fn undone(self, units: &[u128], word: u128, mask: u128) -> u128 {
        let inverse = match self {
            Step::TimesAdd(m) | Step::TimesXor(m) | Step::XorTimes(m) => inverse(m),
            _ => 1,
        };
        let divided = |word: u128| word.wrapping_mul(inverse) & mask;
        let back = |word: u128, by: u32| rotated(word, mask.count_ones() - by, mask);
        units.iter().rev().fold(word, |word, &unit| match self {
            Step::RotateXor(by) => back(word ^ unit & mask, by),
            Step::XorRotate(by) => back(word, by) ^ unit & mask,
            Step::RotateAdd(by) => back(word.wrapping_sub(unit) & mask, by),
            Step::AddRotate(by) => back(word, by).wrapping_sub(unit) & mask,
            Step::TimesAdd(_) => divided(word.wrapping_sub(unit)),
            Step::TimesXor(_) => divided(word ^ unit),
            Step::XorTimes(_) => (divided(word) ^ unit) & mask,
        })
    }

    /// Returns whether values are linear in the bits of messages.
    pub(in crate::identify) fn is_linear(self) -> bool {
        matches!(self, Step::RotateXor(_) | Step::XorRotate(_))
    }
}

/// Rotates a word of as many bits as the mask has to the left, by fewer.
fn rotated(word: u128, by: u32, mask: u128) -> u128 {
    match by % mask.count_ones() {
        0 => word,
        by => (word << by | word >> (mask.count_ones() - by)) & mask,
    }
}

/// Returns the inverse of an odd number modulo 2^128: each step of Newton's method doubles the
/// right bits, of which there are three at first.
fn inverse(m: u128) -> u128 {
    (0..6).fold(m, |inverse, _| inverse.wrapping_mul(2_u128.wrapping_sub(m.wrapping_mul(inverse))))
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::RotateXor(by) => write!(f, "h = (h rotated left by {by}) xor d"),
            Step::XorRotate(by) => write!(f, "h = (h xor d) rotated left by {by}"),
            Step::RotateAdd(by) => write!(f, "h = (h rotated left by {by}) + d"),
            Step::AddRotate(by) => write!(f, "h = (h + d) rotated left by {by}"),
            Step::TimesAdd(m) => write!(f, "h = {m} h + d"),
            Step::TimesXor(m) => write!(f, "h = ({m} h) xor d"),
            Step::XorTimes(m) => write!(f, "h = {m} (h xor d)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_is_undone() {
        let mut random = residue_testing::Random(7);
        let mut number = || u128::from(random.next()) << 64 | u128::from(random.next());
        for bits in [8, 16, 24, 32, 40, 64] {
            let mask = u128::MAX >> (128 - bits);
            for _ in 0..50 {
                let (word, unit, m) = (number() & mask, number() & mask, number() & mask | 1);
                for by in [1, 3, bits - 1] {
                    for step in [
                        Step::RotateXor(by),
                        Step::XorRotate(by),
                        Step::RotateAdd(by),
                        Step::AddRotate(by),
                        Step::TimesAdd(m),
                        Step::TimesXor(m),
                        Step::XorTimes(m),
                    ] {
                        let after = step.forward(word, unit, mask);
                        assert!(after <= mask);
                        assert_eq!(
                            step.undone(&[unit], after, mask),
                            word,
                            "{step} of {bits} bits"
                        );
                    }
                }
            }
        }
        assert_eq!(Step::RotateXor(1).forward(0x81, 0xff, 0xff), 0xfc);
        assert_eq!(Step::TimesAdd(31).forward(97, 98, u32::MAX.into()), 3105);
    }
}
