//! Finds sums and hash functions whose word is changed by each unit, and sums whose value is
//! changed by an exclusive or.
//!
//! The start follows from one sample, as each [`Step`] can be undone. An unknown multiplier, or
//! exclusive or, is found bit by bit from the lowest: the lowest bits of a sum, a product and an
//! exclusive or depend on the lowest bits of their operands only, so that wrong choices contradict
//! the samples before the next bit is chosen.

use super::known::Known;
use super::model::{Kind, Model, Sums, units};
use super::step::{MULTIPLIERS, Step};
use crate::identify::found::{CONVINCING, Tally};
use crate::identify::untried::Untried;

/// Bytes of all messages up to which they are searched.
const MOST_BYTES: usize = 1 << 15;
/// Choices of lowest bits that are pursued at once.
const MOST_CHOICES: usize = 1 << 10;
/// Samples below which the unknown multipliers are too many.
const FEWEST: usize = 4;

/// Proposes models of the samples.
pub(super) fn search(known: &Known, tally: &mut Tally) {
    // What a simpler sum explains would be explained by these once more.
    if tally.hits.iter().any(|hit| hit.reading == known.read.reading && hit.chance <= CONVINCING) {
        return;
    }
    let bytes: usize = known.read.messages.iter().map(Vec::len).sum();
    if bytes > MOST_BYTES {
        tally.untried.insert(Untried::LongIterated);
        return;
    }
    let word = known.bits as usize / 8;
    let wide = [(word, false), (word, true)];
    let shapes = if word > 1 { &[&[(1, false)], &wide[..]].concat()[..] } else { &[(1, false)] };
    for &(unit, little) in shapes {
        let rotations = (1..known.bits).flat_map(|by| {
            [Step::RotateXor(by), Step::XorRotate(by), Step::RotateAdd(by), Step::AddRotate(by)]
        });
        let products = MULTIPLIERS
            .into_iter()
            .flat_map(|m| [Step::TimesAdd(m), Step::TimesXor(m), Step::XorTimes(m)]);
        let shape = Shape::of(known, unit, little);
        for step in rotations.chain(products) {
            known.iterated(step, &shape, 0.0, tally);
        }
    }
    known.changed(tally);
    known.multiplied(tally);
}

/// Units of a size, and those of the first messages.
struct Shape {
    unit: usize,
    little: bool,
    first: Vec<u128>,
    second: Vec<u128>,
}

impl Shape {
    fn of(known: &Known, unit: usize, little: bool) -> Shape {
        let of = |i: usize| {
            let message = known.read.messages.get(i);
            message.map(|it| units(it, unit, little).collect()).unwrap_or_default()
        };
        Shape { unit, little, first: of(0), second: of(1) }
    }
}

impl Known<'_> {
    fn mask(&self) -> u128 {
        u128::MAX >> (128 - self.bits)
    }

    /// Proposes a step with the start that the first sample has. `free` bits of it were chosen.
    fn iterated(&self, step: Step, shape: &Shape, free: f64, tally: &mut Tally) {
        let (mask, &Shape { unit, little, .. }) = (self.mask(), shape);
        let [value, others @ ..] = &self.values[..] else { return };
        for xorout in [0, mask] {
            let start = step.undone(&shape.first, value ^ xorout, mask);
            let end = step.done(&shape.second, start, mask);
            // The second sample contradicts nearly all of them.
            if others.first().is_some_and(|value| end ^ xorout != *value) {
                tally.tried += 1.0;
                continue;
            }
            let kind = Kind::Iterated { step, xorout };
            let modulus = mask + 1;
            let model = Model { kind, unit, little, modulus, start, end_around: false };
            self.propose(model, free + Known::cost(start, modulus), tally);
        }
    }

    /// Proposes sums of bytes whose value is changed by an exclusive or.
    fn changed(&self, tally: &mut Tally) {
        let mask = self.mask();
        let sums: Vec<u128> =
            self.read.messages.iter().map(|message| Sums::of(message, 1, false).plain).collect();
        let value = |[start, xorout]: [u128; 2], i: usize| start.wrapping_add(sums[i]) ^ xorout;
        let Some(found) = self.bit_by_bit(value, 0) else { return };
        for [start, xorout] in found {
            // Those of complements have their own kind.
            if xorout != 0 && xorout != mask {
                let kind = Kind::Changed { xorout };
                let modulus = mask + 1;
                let model =
                    Model { kind, unit: 1, little: false, modulus, start, end_around: false };
                self.propose(model, f64::from(self.bits) + Known::cost(start, modulus), tally);
            }
        }
    }

    /// Proposes steps by a multiplier that has no name.
    fn multiplied(&self, tally: &mut Tally) {
        if self.samples.len() < FEWEST {
            tally.untried.insert(Untried::Multipliers);
            return;
        }
        let bytes = Shape::of(self, 1, false);
        for of in [Step::TimesAdd, Step::TimesXor, Step::XorTimes] {
            let value = |[start, m]: [u128; 2], i: usize| {
                let step = of(m);
                let units = self.read.messages[i].iter().map(|&byte| byte.into());
                units.fold(start, |word, unit: u128| step.forward(word, unit, u128::MAX))
            };
            match self.bit_by_bit(value, 1) {
                Some(found) => found.into_iter().map(|[_, m]| m).for_each(|m| {
                    if !MULTIPLIERS.contains(&m) {
                        self.iterated(of(m), &bytes, f64::from(self.bits), tally);
                    }
                }),
                None => {
                    tally.untried.insert(Untried::Multipliers);
                }
            }
        }
    }

    /// Returns the pairs of numbers with which all samples have their values, where the lowest bits
    /// of a value depend on the lowest bits of both only; `None` if too many are possible.
    ///
    /// The lowest bit of the second is at least `odd`. If that is 0, the numbers are a start and an
    /// exclusive or, of which pairs with equal values are one.
    fn bit_by_bit(
        &self,
        value: impl Fn([u128; 2], usize) -> u128,
        odd: u128,
    ) -> Option<Vec<[u128; 2]>> {
        let mut found = vec![[0, 0]];
        for bit in 0..self.bits {
            let mask = u128::MAX >> (127 - bit);
            let mut more = Vec::new();
            for &[a, b] in &found {
                for choice in 0..4_u128 {
                    let pair = [a | (choice >> 1) << bit, b | (choice & 1) << bit];
                    if bit == 0 && pair[1] < odd {
                        continue;
                    }
                    let right = |i: usize| (value(pair, i) ^ self.values[i]) & mask == 0;
                    if (0..self.values.len()).all(right) {
                        more.push(pair);
                    }
                }
            }
            if odd == 0 {
                // Without a carry, a bit of the start and one of the exclusive or are the same: the
                // start remains small.
                let values = |&pair: &[u128; 2]| -> Vec<u128> {
                    (0..self.values.len()).map(|i| value(pair, i)).collect()
                };
                more.sort_by_cached_key(values);
                more.dedup_by_key(|pair| values(pair));
            }
            if more.len() > MOST_CHOICES {
                return None;
            }
            found = more;
        }
        Some(found)
    }
}
