//! Finds the shortest description of values for one who knows the messages.

use super::columns::{Hole, Mark, Numbers, columns, marks};
use super::length::{alone, arrangements, magnitude, number};
use crate::identify::reading::{Form, Order, Place};
use crate::identify::relation::{Bit, Relation, Rule};
use std::collections::HashMap;

/// Bits by which a relation must be shorter than the values that it explains, as
/// [`CONVINCING`](crate::identify::CONVINCING) asks of a code.
const GAIN: f64 = 10.0;
/// The number of columns up to which pairs with factors other than 1 and -1 are tried.
const MOST_FACTORED: usize = 160;
/// The factors of two columns that are added.
const FACTORS: [i8; 8] = [1, -1, 2, -2, 3, -3, 4, -4];

/// The bits that name a kind of relation.
mod kind {
    pub const CONSTANT: f64 = 2.0;
    pub const COUNTER: f64 = 3.0;
    pub const COLUMN: f64 = 3.0;
    pub const LENGTH: f64 = 4.0;
    pub const XOR: f64 = 5.0;
    pub const TWO: f64 = 8.0;
    pub const BITS: f64 = 6.0;
    pub const NEAR: f64 = 6.0;
    pub const PARTS: f64 = 5.0;
}

/// The shortest description of some values.
pub(super) struct Described {
    /// Its length in bits.
    pub length: f64,
    /// The best relation that gives all values, if it gains enough.
    pub relation: Option<Relation>,
}

/// Describes the values, of `bits` bits, of different messages, 128 at most; bytes in the `hole`
/// are not looked at.
pub(super) fn describe(messages: &[&[u8]], values: &[u128], bits: u32, hole: Hole) -> Described {
    let columns = columns(messages, bits.div_ceil(8) as usize, hole);
    let known = Known { messages, columns: &columns, marks: &marks(messages, hole) };
    let octets = bits > 8 && bits.is_multiple_of(8);
    let orders: &[Order] = if octets { &[Order::Big, Order::Little] } else { &[Order::Big] };
    let mut best = known.whole(values, bits, orders);
    if octets && values.len() > 1 {
        for &order in orders {
            let form = Form { order, place: Place::Low };
            let ordered: Vec<u128> =
                values.iter().map(|&value| form.ordered(value, bits)).collect();
            let varying = ordered.iter().fold(0, |all, value| all | value ^ ordered[0]);
            // What varies, in bytes, with constants on both sides.
            let low = varying.trailing_zeros().min(bits - 1) / 8 * 8;
            let high = (128 - varying.leading_zeros()).next_multiple_of(8).max(low + 8);
            if high - low < bits {
                best.improve(known.parts(&ordered, bits, order, &[low, high]));
            }
        }
        let bytes: Vec<u32> = (1..bits / 8).map(|i| 8 * i).collect();
        best.improve(known.parts(values, bits, Order::Big, &bytes));
    }
    best
}

/// What is known when a value is described.
struct Known<'a> {
    messages: &'a [&'a [u8]],
    columns: &'a [Numbers],
    marks: &'a [Mark],
}

impl Known<'_> {
    /// Describes the values as one number.
    fn whole(&self, values: &[u128], bits: u32, orders: &[Order]) -> Described {
        let mut best = Described { length: f64::from(bits) * values.len() as f64, relation: None };
        if values.len() < 2 {
            return best;
        }
        let bytes = bits.div_ceil(8) as usize;
        let columns = self.columns.iter().filter(|it| it.column.bytes <= bytes).collect();
        for &order in orders {
            let form = Form { order, place: Place::Low };
            let values: Vec<u128> = values.iter().map(|&value| form.ordered(value, bits)).collect();
            let mut search = Search {
                messages: self.messages,
                values: &values,
                columns: &columns,
                order,
                bits,
                orders: (orders.len() as f64).log2(),
                best: &mut best,
            };
            search.free();
            search.columns();
            search.pairs();
            search.bit_by_bit(self.marks);
            search.near();
        }
        best
    }

    /// Describes parts of the values by themselves, which are cut at these bits.
    fn parts(&self, values: &[u128], bits: u32, order: Order, cuts: &[u32]) -> Described {
        // Which parts they are.
        let mut all = Described { length: kind::PARTS, relation: None };
        let (mut parts, mut explains, mut shift) = (Vec::new(), 0.0, 0);
        for &end in cuts.iter().chain([&bits]).filter(|&&end| end > 0) {
            let size = end - shift;
            if size == 0 {
                continue;
            }
            let mask = u128::MAX >> (128 - size);
            let part: Vec<u128> = values.iter().map(|value| value >> shift & mask).collect();
            let described = self.whole(&part, size, &[Order::Big]);
            all.length += described.length;
            if let Some(relation) = described.relation {
                explains += relation.explains;
                parts.push((shift, relation));
            }
            shift = end;
        }
        if parts.iter().map(|(_, part)| part.bits).sum::<u32>() == bits {
            let length = kind::PARTS + parts.iter().map(|(_, part)| part.length).sum::<f64>();
            let rule = Rule::Parts(parts);
            all.relation = Some(Relation { rule, order, bits, length, explains });
        }
        all
    }
}

impl Described {
    /// Takes what is better of another description.
    fn improve(&mut self, other: Described) {
        self.length = self.length.min(other.length);
        if let Some(relation) = other.relation
            && self.relation.as_ref().is_none_or(|own| relation.length < own.length)
        {
            self.relation = Some(relation);
        }
    }
}

/// Two sums of the differences of numbers from the first, each times a power of an odd constant.
///
/// They are linear: the sketch of a sum of columns is the sum of their sketches, so that two
/// columns that give the values are found without looking at their numbers. Other columns may have
/// the sketch by chance.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Sketch([u128; 2]);

impl Sketch {
    fn of(values: &[u128]) -> Sketch {
        const BASES: [u128; 2] =
            [0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835, 0xd1b5_4a32_d192_ed03_82ef_3e0f_6a09_e667];
        let sum = |base: u128| {
            values.iter().fold(0_u128, |sum, value| {
                sum.wrapping_mul(base).wrapping_add(value.wrapping_sub(values[0]))
            })
        };
        Sketch(BASES.map(sum))
    }

    fn times(self, factor: u128, mask: u128) -> Sketch {
        Sketch(self.0.map(|sum| sum.wrapping_mul(factor) & mask))
    }

    fn minus(self, other: Sketch, mask: u128) -> Sketch {
        let [a, b] = [0, 1].map(|i| self.0[i].wrapping_sub(other.0[i]) & mask);
        Sketch([a, b])
    }
}

/// Returns the exclusive or of the differences of numbers from the first, each rotated by its own
/// number of bits: that of two columns combined is the exclusive or of theirs.
fn pattern(values: &[u128], mask: u128) -> u128 {
    values.iter().fold(0, |all, value| all.rotate_left(37) ^ (value ^ values[0]) & mask)
}

/// The search for descriptions with one order of the value's bytes.
struct Search<'a> {
    messages: &'a [&'a [u8]],
    values: &'a [u128],
    columns: &'a Vec<&'a Numbers>,
    order: Order,
    bits: u32,
    /// Bits that name the order.
    orders: f64,
    best: &'a mut Described,
}

impl Search<'_> {
    fn mask(&self) -> u128 {
        u128::MAX >> (128 - self.bits)
    }

    /// Returns the bits that name one of the columns.
    fn choice(&self) -> f64 {
        (self.columns.len().max(1) as f64).log2()
    }

    /// Records a relation if it is the best. `explains`: the bits of the values that it gives.
    fn relation(&mut self, rule: Rule, length: f64, explains: f64) {
        let length = length + self.orders;
        if length + GAIN <= explains
            && self.best.relation.as_ref().is_none_or(|best| length < best.length)
        {
            let (order, bits) = (self.order, self.bits);
            self.best.relation = Some(Relation { rule, order, bits, length, explains });
        }
        self.best.length = self.best.length.min(length);
    }

    /// Returns the bits of the values that a relation to columns explains: a value for each
    /// different input, or its place among the other messages.
    fn explained<'a>(&self, columns: impl Iterator<Item = &'a [u128]>) -> f64 {
        let mut inputs: Vec<Vec<u128>> = vec![Vec::new(); self.values.len()];
        for column in columns {
            inputs.iter_mut().zip(column).for_each(|(input, value)| input.push(*value));
        }
        inputs.sort_unstable();
        inputs.dedup();
        (f64::from(self.bits) * inputs.len() as f64).max(arrangements(self.values))
    }

    /// Describes the values without the messages, or by their lengths.
    fn free(&mut self) {
        let (first, bits) = (self.values[0], self.bits);
        let raw = f64::from(bits) * self.values.len() as f64;
        let step = self.values[1].wrapping_sub(first) & self.mask();
        let all = self.values.windows(2).all(|it| it[1].wrapping_sub(it[0]) & self.mask() == step);
        if all && step == 0 {
            self.relation(Rule::Constant(first), kind::CONSTANT + f64::from(bits), raw);
        } else if all {
            let length = kind::COUNTER + f64::from(bits) + number(step, bits);
            self.relation(Rule::Counter { start: first, step }, length, raw);
        }
        self.best.length = self.best.length.min(alone(self.values, bits) + self.orders);
        let lengths: Vec<u128> = self.messages.iter().map(|it| it.len() as u128).collect();
        if let Some((length, plus)) = self.linear(&lengths) {
            let rule = Rule::Linear { length, of: Vec::new(), plus };
            let bits = kind::LENGTH + number(length, bits) + number(plus, bits);
            self.relation(rule, bits, self.explained([&lengths[..]].into_iter()));
        }
    }

    /// Returns the factor and the constant with which a column gives the values.
    fn linear(&self, column: &[u128]) -> Option<(u128, u128)> {
        let mask = self.mask();
        let (c0, v0) = (column[0], self.values[0]);
        // The difference with the fewest factors of two determines the factor, up to the highest
        // bits, which do not matter: it is the least of them.
        let pairs = column.iter().zip(self.values);
        let pairs = pairs.map(|(c, v)| (c.wrapping_sub(c0) & mask, v.wrapping_sub(v0) & mask));
        let (c, v) = pairs.filter(|(c, _)| *c != 0).min_by_key(|(c, _)| c.trailing_zeros())?;
        let twos = c.trailing_zeros();
        if v & ((1 << twos) - 1) != 0 {
            return None;
        }
        let bits = self.bits - twos;
        let small = u128::MAX >> (128 - bits);
        // Newton's iteration: an inverse modulo 2^k is one modulo 2^(2k) after a step.
        let odd = c >> twos;
        let inverse = (0..7).fold(1_u128, |inverse, _| {
            inverse.wrapping_mul(2_u128.wrapping_sub(odd.wrapping_mul(inverse)))
        });
        let factor = (v >> twos).wrapping_mul(inverse) & small;
        let negative = factor > magnitude(factor, bits);
        let factor = if negative { factor | (mask & !small) } else { factor };
        let plus = v0.wrapping_sub(factor.wrapping_mul(c0)) & mask;
        let fits = |(c, v): (&u128, &u128)| factor.wrapping_mul(*c).wrapping_add(plus) & mask == *v;
        // The factor 0 is no relation.
        (factor != 0 && column.iter().zip(self.values).all(fits)).then_some((factor, plus))
    }

    /// Describes the values by one column: scaled, or combined with a constant.
    fn columns(&mut self) {
        let columns = self.columns;
        for Numbers { column, values } in columns {
            if let Some((factor, plus)) = self.linear(values) {
                let rule = Rule::Linear { length: 0, of: vec![(factor, *column)], plus };
                let length = number(factor, self.bits) + number(plus, self.bits) - 1.0;
                let explains = self.explained([&values[..]].into_iter());
                self.relation(rule, kind::COLUMN + self.choice() + length, explains);
            }
            let with = (values[0] ^ self.values[0]) & self.mask();
            if values.iter().zip(self.values).all(|(c, v)| (c ^ v) & self.mask() == with) {
                let rule = Rule::Xor { of: vec![*column], with };
                let length = kind::XOR + self.choice() + f64::from(self.bits);
                let explains = self.explained([&values[..]].into_iter());
                self.relation(rule, length, explains);
            }
        }
    }

    /// Describes the values by two columns, added with small factors, or combined by exclusive or.
    fn pairs(&mut self) {
        self.added();
        self.combined();
    }

    /// Describes the values by two columns, added with small factors.
    fn added(&mut self) {
        let (columns, mask, bits) = (self.columns, self.mask(), self.bits);
        let few = if columns.len() > MOST_FACTORED { 2 } else { FACTORS.len() };
        let scaled: Vec<(Sketch, usize, u128)> = columns
            .iter()
            .enumerate()
            .flat_map(|(i, it)| {
                let sketch = Sketch::of(&it.values);
                let factors = FACTORS[..few].iter().map(|&factor| factor as i128 as u128);
                factors.map(move |factor| (sketch.times(factor, mask), i, factor))
            })
            .collect();
        let whole = Sketch::of(self.values);
        let mut sorted = scaled.clone();
        sorted.sort_by_key(|(sketch, ..)| *sketch);
        for &(sketch, i, factor) in &scaled {
            let Numbers { column, values } = columns[i];
            let rest = whole.minus(sketch, mask);
            let from = sorted.partition_point(|(sketch, ..)| *sketch < rest);
            let alike = sorted[from..].iter().take_while(|(sketch, ..)| *sketch == rest);
            let plus = |j: usize, other: u128, k: usize| {
                let sum = factor.wrapping_mul(values[k]);
                let sum = sum.wrapping_add(other.wrapping_mul(columns[j].values[k]));
                self.values[k].wrapping_sub(sum) & mask
            };
            let fits = |&(_, j, other): &&(Sketch, usize, u128)| {
                let first = plus(*j, *other, 0);
                i != *j && (1..values.len()).all(|k| plus(*j, *other, k) == first)
            };
            let Some(&(_, j, other)) = alike.into_iter().find(fits) else { continue };
            let plus = plus(j, other, 0);
            let of = vec![(factor & mask, *column), (other & mask, columns[j].column)];
            let numbers: f64 = [factor, other, plus].iter().map(|&it| number(it, bits)).sum();
            let length = kind::TWO + 2.0 * self.choice() + numbers;
            let explains = self.explained([&values[..], &columns[j].values].into_iter());
            self.relation(Rule::Linear { length: 0, of, plus }, length, explains);
        }
    }

    /// Describes the values by two columns, combined by exclusive or.
    fn combined(&mut self) {
        let (columns, mask, bits) = (self.columns, self.mask(), self.bits);
        let each: Vec<(u128, usize)> =
            columns.iter().enumerate().map(|(i, it)| (pattern(&it.values, mask), i)).collect();
        let whole = pattern(self.values, mask);
        let mut sorted = each.clone();
        sorted.sort_unstable();
        for &(own, i) in &each {
            let Numbers { column, values } = columns[i];
            let from = sorted.partition_point(|&it| it <= (own ^ whole, i));
            let alike = sorted[from..].iter().take_while(|(pattern, _)| *pattern == own ^ whole);
            let with =
                |j: usize, k: usize| (values[k] ^ columns[j].values[k] ^ self.values[k]) & mask;
            let fits = |&&(_, j): &&(u128, usize)| {
                let first = with(j, 0);
                (1..values.len()).all(|k| with(j, k) == first)
            };
            let Some(&(_, j)) = alike.into_iter().find(fits) else { continue };
            let with = with(j, 0);
            let free = if with == 0 { 1.0 } else { 1.0 + f64::from(bits) };
            let length = kind::TWO + 2.0 * self.choice() + free;
            let explains = self.explained([&values[..], &columns[j].values].into_iter());
            let of = vec![*column, columns[j].column];
            self.relation(Rule::Xor { of, with }, length, explains);
        }
    }

    /// Describes each bit of the values by one or two bits of the messages.
    fn bit_by_bit(&mut self, marks: &[Mark]) {
        let count = self.values.len();
        let all = u128::MAX >> (128 - count);
        let index: HashMap<u128, usize> =
            marks.iter().enumerate().map(|(i, (vector, _))| (*vector, i)).collect();
        let find = |wanted: u128| {
            let inverted = [wanted, wanted ^ all].map(|it| index.get(&it).copied());
            inverted[0].map(|i| (i, false)).or(inverted[1].map(|i| (i, true)))
        };
        let (one, of) = (2.0 + (2.0 * marks.len().max(1) as f64).log2(), |i: usize| marks[i].1);
        let two = one + (marks.len().max(1) as f64).log2() - 1.0;
        let (mut length, mut rule) = (kind::BITS, Some(Vec::new()));
        for exponent in 0..self.bits {
            let bits = self.values.iter().enumerate();
            let wanted: u128 = bits.map(|(i, value)| (value >> exponent & 1) << i).sum();
            let pair = || {
                marks.iter().enumerate().find_map(|(i, (vector, _))| {
                    find(wanted ^ vector).map(|(j, inverted)| (i, j, inverted))
                })
            };
            let (bit, cost) = if wanted == 0 || wanted == all {
                (Some(Bit { of: Vec::new(), inverted: wanted != 0 }), 3.0)
            } else if let Some((i, inverted)) = find(wanted) {
                (Some(Bit { of: vec![of(i)], inverted }), one)
            } else if let (true, Some((i, j, inverted))) = (two < count as f64, pair()) {
                (Some(Bit { of: vec![of(i), of(j)], inverted }), two)
            } else {
                (None, 2.0 + count as f64)
            };
            length += cost;
            rule = rule.zip(bit).map(|(mut rule, bit)| {
                rule.push(bit);
                rule
            });
        }
        // Values of constants and counters alone are described better without the messages.
        match rule {
            Some(rule) => {
                let explains = self.explained(self.columns.iter().map(|it| &it.values[..]));
                self.relation(Rule::Bits(rule), length, explains);
            }
            None => self.best.length = self.best.length.min(length + self.orders),
        }
    }

    /// Describes the values by their small differences from a column, or the few that there are.
    fn near(&mut self) {
        let (mask, columns) = (self.mask(), self.columns);
        for Numbers { values, .. } in columns {
            let pairs = || values.iter().zip(self.values);
            let apart: Vec<u128> = pairs().map(|(c, v)| v.wrapping_sub(*c) & mask).collect();
            let sum: Vec<u128> = pairs().map(|(c, v)| v.wrapping_add(*c) & mask).collect();
            let xor: Vec<u128> = pairs().map(|(c, v)| (c ^ v) & mask).collect();
            for rest in [apart, sum, xor] {
                let length = kind::NEAR + self.choice() + self.orders + alone(&rest, self.bits);
                self.best.length = self.best.length.min(length);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_testing::Random;

    fn described(messages: &[Vec<u8>], values: &[u128], bits: u32) -> Described {
        let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        describe(&messages, values, bits, None)
    }

    /// Messages of 12 bytes: a header, a counter of two bytes, random bytes.
    fn messages(count: usize) -> Vec<Vec<u8>> {
        let mut random = Random(9);
        let rest = |i: usize| [&[0x55, 0xaa, 1, i as u8 + 7][..], &random.bytes(8)].concat();
        (0..count).map(rest).collect()
    }

    #[test]
    fn every_relation_is_found_and_predicts_other_messages() {
        let all = messages(60);
        let number = |m: &[u8], at: usize| u128::from(m[at]) << 8 | u128::from(m[at + 1]);
        type Value = fn(usize, &[u8], &dyn Fn(&[u8], usize) -> u128) -> u128;
        let cases: [(&str, Value); 14] = [
            ("0x1234 in all messages", |_, _, _| 0x1234),
            ("a counter: it goes down by 3", |i, _, _| 0x2000 - 3 * i as u128),
            ("the 2 bytes at offset 6 (highest first)", |_, m, n| n(m, 6)),
            ("the 2 bytes at offset 6 (lowest first)", |_, m, n| n(m, 6).swap_bytes() >> 112),
            ("3 times the byte at offset 5 plus 1000", |_, m, _| 3 * u128::from(m[5]) + 1000),
            ("minus the byte at offset 5", |_, m, _| 0xffff & 0_u128.wrapping_sub(m[5].into())),
            ("the 2 bytes at offset 6 (highest first) xor 0xbeef", |_, m, n| n(m, 6) ^ 0xbeef),
            ("the byte at offset 5 plus the byte at offset 9", |_, m, _| {
                u128::from(m[5]) + u128::from(m[9])
            }),
            ("plus the byte at offset 9 minus 4", |_, m, _| {
                (3 * u128::from(m[5]) + u128::from(m[9]) - 4) & 0xffff
            }),
            ("the byte at offset 5 xor the byte at offset 9", |_, m, _| (m[5] ^ m[9]).into()),
            ("the 2 bytes at offset 6 (highest first) xor", |_, m, n| n(m, 6) ^ n(m, 9)),
            ("bits of the message", |_, m, n| n(m, 6) >> 3 & 0x0ff1),
            ("bits of the message", |_, m, n| n(m, 6) ^ n(m, 6) >> 1),
            ("bits of the message", |_, m, _| (m[5].reverse_bits() ^ 0x5a).into()),
        ];
        for (words, value) in cases {
            let values: Vec<u128> =
                all.iter().enumerate().map(|(i, m)| value(i, m, &number)).collect();
            for (order, swapped) in [(Order::Big, false), (Order::Little, true)] {
                let form = Form { order, place: Place::Low };
                let written: Vec<u128> =
                    values.iter().map(|&value| form.field(value, 16, 16)).collect();
                let found = described(&all[..30], &written[..30], 16);
                let relation = found.relation.unwrap_or_else(|| panic!("{words}"));
                let said = relation.to_string();
                assert!(swapped || said.contains(words), "{words}: {said}");
                for (i, message) in all.iter().enumerate() {
                    assert_eq!(relation.field(message, i), Some(written[i]), "{said}");
                }
                assert!(found.length <= relation.length && relation.length < 30.0 * 16.0);
            }
        }
    }

    #[test]
    fn lengths_of_messages() {
        let all: Vec<Vec<u8>> = (0..40).map(|i| vec![i; 5 + usize::from(i) * 7 % 23]).collect();
        let values: Vec<u128> = all.iter().map(|message| message.len() as u128 + 2).collect();
        let relation = described(&all, &values, 16).relation.unwrap();
        assert_eq!(relation.to_string(), "the number of bytes plus 2");
        assert_eq!(relation.field(&[0; 77], 0), Some(79));
    }

    #[test]
    fn random_values_are_no_relation() {
        let mut random = Random(10);
        for bits in [8, 16, 24, 32] {
            for count in [2, 3, 4, 8, 20, 60] {
                let all = messages(count);
                let values: Vec<u128> =
                    all.iter().map(|_| u128::from(random.next()) >> (64 - bits)).collect();
                let found = described(&all, &values, bits);
                assert_eq!(found.relation, None, "{bits} {count}");
                let raw = f64::from(bits) * count as f64;
                assert!(found.length > raw - 12.0, "{bits} {count}: {}", found.length);
            }
        }
    }

    #[test]
    fn bytes_of_the_hole_are_no_columns() {
        let all = messages(20);
        let messages: Vec<&[u8]> = all.iter().map(Vec::as_slice).collect();
        let values: Vec<u128> = all.iter().map(|message| message[6].into()).collect();
        assert!(describe(&messages, &values, 8, None).relation.is_some());
        let place = |_: usize| Some(6);
        assert_eq!(describe(&messages, &values, 8, Some((&place, 1))).relation, None);
    }
}
