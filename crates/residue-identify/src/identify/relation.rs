//! Relations of a value to its message that are no codes: constants, counters, copies, fields that
//! are scaled, added or combined.

use super::reading::{Form, Order, Place};
use std::fmt;

/// Some bytes of a message, as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// The first byte, counted from the start, or from the end.
    pub at: usize,
    /// Whether [`Column::at`] counts from the end, where the last byte is at 1.
    pub from_end: bool,
    /// The number of bytes, 1 to 16.
    pub bytes: usize,
    /// Whether the lowest byte is the first.
    pub little: bool,
}

impl Column {
    /// Returns the place of the first byte in a message of this length; `None` if the message is
    /// too short.
    pub(super) fn place(&self, length: usize) -> Option<usize> {
        let at = if self.from_end { length.checked_sub(self.at)? } else { self.at };
        (at.checked_add(self.bytes)? <= length).then_some(at)
    }

    /// Returns the number in a message; `None` if the message is too short.
    #[must_use]
    pub fn number(&self, message: &[u8]) -> Option<u128> {
        let at = self.place(message.len())?;
        let bytes = &message[at..at + self.bytes];
        let add = |value: u128, &byte: &u8| value << 8 | u128::from(byte);
        Some(if self.little { bytes.iter().rev().fold(0, add) } else { bytes.iter().fold(0, add) })
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.from_end { "-" } else { "" };
        match self.bytes {
            1 => write!(f, "the byte at offset {sign}{}", self.at),
            bytes => {
                let first = if self.little { "lowest" } else { "highest" };
                write!(f, "the {bytes} bytes at offset {sign}{} ({first} first)", self.at)
            }
        }
    }
}

/// A bit of a value: the exclusive or of bits of the message, each a byte and the exponent of the
/// bit in it, and perhaps 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bit {
    /// The bits of the message, two at most.
    pub of: Vec<(Column, u32)>,
    /// Whether the result is inverted.
    pub inverted: bool,
}

/// What a value is, if it is no code's.
#[derive(Clone, Debug, PartialEq)]
pub enum Rule {
    /// It is the same in all messages.
    Constant(u128),
    /// It grows by a step from each message to the next, in the order in which they were given.
    Counter {
        /// The first message's.
        start: u128,
        /// The step, modulo 2^bits.
        step: u128,
    },
    /// The sum of a constant, the message's bytes times a factor, and columns times factors, modulo
    /// 2^bits.
    Linear {
        /// The factor of the message's length in bytes.
        length: u128,
        /// The columns, two at most, with their factors.
        of: Vec<(u128, Column)>,
        /// The constant.
        plus: u128,
    },
    /// The exclusive or of columns, one or two, and a constant.
    Xor {
        /// The columns.
        of: Vec<Column>,
        /// The constant.
        with: u128,
    },
    /// Its bits are bits of the message, or the exclusive or of two, lowest first.
    Bits(Vec<Bit>),
    /// Each part of it has a relation of its own: the lowest bit of the part, and the relation.
    Parts(Vec<(u32, Relation)>),
}

/// A relation that gives the values of all messages.
#[derive(Clone, Debug, PartialEq)]
pub struct Relation {
    /// The rule.
    pub rule: Rule,
    /// The order of the value's bytes.
    pub order: Order,
    /// Bits of the value's field.
    pub bits: u32,
    /// The bits that describe the relation, which are fewer than those of the values.
    pub length: f64,
    /// The bits of the values that it explains, at most.
    pub explains: f64,
}

impl Relation {
    /// Returns the field of a message, as it is written; `index` counts the messages in their
    /// order, from 0. Returns `None` if the message is too short.
    #[must_use]
    pub fn field(&self, message: &[u8], index: usize) -> Option<u128> {
        let mask = u128::MAX >> (128 - self.bits);
        let value = match &self.rule {
            Rule::Constant(value) => *value,
            Rule::Counter { start, step } => start.wrapping_add(step.wrapping_mul(index as u128)),
            Rule::Linear { length, of, plus } => {
                let mut sum = plus.wrapping_add(length.wrapping_mul(message.len() as u128));
                for (factor, column) in of {
                    sum = sum.wrapping_add(factor.wrapping_mul(column.number(message)?));
                }
                sum
            }
            Rule::Xor { of, with } => {
                let mut value = *with;
                for column in of {
                    value ^= column.number(message)?;
                }
                value
            }
            Rule::Bits(bits) => {
                let mut value = 0;
                for (i, bit) in bits.iter().enumerate() {
                    let mut all = u128::from(bit.inverted);
                    for (column, exponent) in &bit.of {
                        all ^= column.number(message)? >> exponent & 1;
                    }
                    value |= all << i;
                }
                value
            }
            Rule::Parts(parts) => {
                let mut value = 0;
                for (shift, part) in parts {
                    value |= part.field(message, index)? << shift;
                }
                value
            }
        };
        Some(Form { order: self.order, place: Place::Low }.field(
            value & mask,
            self.bits,
            self.bits,
        ))
    }

    /// Returns a number of two's complement with its sign, and the number without it.
    fn signed(&self, value: u128) -> (bool, u128) {
        let mask = u128::MAX >> (128 - self.bits);
        let negated = value.wrapping_neg() & mask;
        if negated < value & mask { (true, negated) } else { (false, value & mask) }
    }
}

impl fmt::Display for Relation {
    /// Writes it as the end of a sentence: "the value is ...".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.rule {
            Rule::Constant(value) => write!(f, "{value:#x} in all messages")?,
            Rule::Counter { step, .. } => {
                let (down, step) = self.signed(*step);
                let way = if down { "down" } else { "up" };
                write!(f, "a counter: it goes {way} by {step} from each message to the next")?;
            }
            Rule::Linear { length, of, plus } => {
                let columns = of.iter().map(|(factor, column)| (*factor, column.to_string()));
                let bytes = (*length != 0).then(|| (*length, "the number of bytes".to_string()));
                for (i, (factor, what)) in columns.chain(bytes).enumerate() {
                    let (minus, factor) = self.signed(factor);
                    f.write_str(match (i, minus) {
                        (0, false) => "",
                        (0, true) => "minus ",
                        (_, false) => " plus ",
                        (_, true) => " minus ",
                    })?;
                    if factor != 1 {
                        write!(f, "{factor} times ")?;
                    }
                    f.write_str(&what)?;
                }
                match self.signed(*plus) {
                    (_, 0) => {}
                    (true, plus) => write!(f, " minus {plus}")?,
                    (false, plus) => write!(f, " plus {plus}")?,
                }
            }
            Rule::Xor { of, with } => {
                let mut words: Vec<String> = of.iter().map(ToString::to_string).collect();
                if *with != 0 {
                    words.push(format!("{with:#x}"));
                }
                f.write_str(&words.join(" xor "))?;
            }
            Rule::Bits(_) => f.write_str(
                "bits of the message: each of its bits is one of them, the exclusive or of two, or \
                 always the same",
            )?,
            Rule::Parts(parts) => {
                f.write_str("made of parts: ")?;
                for (i, (shift, part)) in parts.iter().rev().enumerate() {
                    let (from, to) = (shift, shift + part.bits - 1);
                    write!(f, "{}bits {from} to {to} are {part}", if i > 0 { "; " } else { "" })?;
                }
            }
        }
        if self.order == Order::Little {
            f.write_str("; its lowest byte is first")?;
        }
        Ok(())
    }
}
