//! The ways in which a message may have been fed to a code, and its value written.

use std::fmt;

/// The order in which the bytes of a message were fed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swap {
    /// The bytes as they stand.
    None,
    /// The last byte of each word first.
    ///
    /// Words have 2, 4 or 8 bytes; the last word is padded with zeros. Hardware units that are
    /// given whole little-endian words and take the highest bit first, as those of STM32, work in
    /// this order.
    Words(usize),
    /// The last byte of the message first.
    All,
}

/// The padding that was fed after a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Padding {
    /// Nothing.
    None,
    /// Copies of this byte that fill the last block of this many bytes.
    To(usize, u8),
    /// A fixed number of zeros.
    Zeros(usize),
}

/// The numbers that were fed for the bytes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// Each byte.
    All,
    /// Every second byte, from the first.
    Even,
    /// Every second byte, from the second.
    Odd,
    /// Both halves of each byte, the high one first, as bytes of their own.
    Halves,
    /// The bytes that the message's characters write as hexadecimal digits.
    Digits,
}

/// A way in which a message was fed to the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Bytes left out at the start.
    pub lead: usize,
    /// Bytes left out at the end.
    pub trail: usize,
    /// The numbers fed for the other bytes.
    pub taken: Taken,
    /// The padding fed after the other bytes.
    pub padding: Padding,
    /// The order.
    pub swap: Swap,
}

impl Reading {
    /// The message as it stands.
    pub const PLAIN: Reading =
        Reading { lead: 0, trail: 0, taken: Taken::All, padding: Padding::None, swap: Swap::None };

    /// Readings with bytes in another order, or more of them.
    pub(super) const ALTERED: [Reading; 20] = {
        const fn take(taken: Taken, lead: usize) -> Reading {
            Reading { taken, lead, ..Reading::PLAIN }
        }
        const fn swap(swap: Swap) -> Reading {
            Reading { swap, ..Reading::PLAIN }
        }
        const fn pad(padding: Padding) -> Reading {
            Reading { padding, ..Reading::PLAIN }
        }
        [
            swap(Swap::Words(4)),
            swap(Swap::Words(2)),
            swap(Swap::Words(8)),
            swap(Swap::All),
            pad(Padding::To(2, 0)),
            pad(Padding::To(4, 0)),
            pad(Padding::To(8, 0)),
            pad(Padding::To(16, 0)),
            pad(Padding::To(4, 0xff)),
            pad(Padding::To(8, 0xff)),
            pad(Padding::Zeros(1)),
            pad(Padding::Zeros(2)),
            pad(Padding::Zeros(4)),
            pad(Padding::Zeros(8)),
            take(Taken::Even, 0),
            take(Taken::Odd, 0),
            take(Taken::Halves, 0),
            take(Taken::Digits, 0),
            // Behind the mark and the type of a record: `:` of Intel HEX, `S1` of Motorola.
            take(Taken::Digits, 1),
            take(Taken::Digits, 2),
        ]
    };

    /// Returns readings with up to `most` bytes left out at each end, fewest first.
    pub(super) fn offsets(most: usize) -> Vec<Reading> {
        let all = (0..=most).flat_map(|lead| (0..=most).map(move |trail| (lead, trail)));
        let mut offsets: Vec<Reading> =
            all.skip(1).map(|(lead, trail)| Reading { lead, trail, ..Reading::PLAIN }).collect();
        offsets.sort_by_key(|reading| reading.lead + reading.trail);
        offsets
    }

    /// Returns the bytes that are fed; `None` if the message is shorter than what is left out, or
    /// holds no digits where they are read.
    #[must_use]
    pub fn apply(&self, message: &[u8]) -> Option<Vec<u8>> {
        let end = message.len().checked_sub(self.trail)?;
        let bytes = message.get(self.lead..end)?;
        let every_second = |from: usize| bytes.iter().skip(from).step_by(2).copied().collect();
        let mut bytes: Vec<u8> = match self.taken {
            Taken::All => bytes.to_vec(),
            Taken::Even => every_second(0),
            Taken::Odd => every_second(1),
            Taken::Halves => bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).collect(),
            Taken::Digits => from_digits(bytes)?,
        };
        match self.padding {
            Padding::None => {}
            Padding::To(block, with) => bytes.resize(bytes.len().next_multiple_of(block), with),
            Padding::Zeros(count) => bytes.resize(bytes.len() + count, 0),
        }
        match self.swap {
            Swap::None => {}
            Swap::Words(size) => {
                bytes.resize(bytes.len().next_multiple_of(size), 0);
                bytes.chunks_mut(size).for_each(<[u8]>::reverse);
            }
            Swap::All => bytes.reverse(),
        }
        Some(bytes)
    }
}

/// Returns the bytes that hexadecimal digits write; `None` if there are other characters, or no
/// whole number of bytes.
pub(super) fn from_digits(text: &[u8]) -> Option<Vec<u8>> {
    let digit = |&byte: &u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let digits: Vec<u8> = text.iter().map(digit).collect::<Option<_>>()?;
    let (pairs, []) = digits.as_chunks::<2>() else { return None };
    Some(pairs.iter().map(|[high, low]| high << 4 | low).collect())
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = |count: usize| if count == 1 { "" } else { "s" };
        let mut words = Vec::new();
        if self.lead > 0 {
            words.push(format!("without its first {} byte{}", self.lead, s(self.lead)));
        }
        if self.trail > 0 {
            words.push(format!("without its last {} byte{}", self.trail, s(self.trail)));
        }
        match self.taken {
            Taken::All => {}
            Taken::Even => words.push("with only every second byte, from the first".into()),
            Taken::Odd => words.push("with only every second byte, from the second".into()),
            Taken::Halves => words.push("with both halves of each byte as bytes".into()),
            Taken::Digits => words.push("with its characters read as hexadecimal digits".into()),
        }
        match self.padding {
            Padding::None => {}
            Padding::To(block, with) => {
                let with =
                    if with == 0 { "zero bytes".into() } else { format!("bytes {with:02x}") };
                words.push(format!("padded with {with} to a multiple of {block} bytes"));
            }
            Padding::Zeros(count) => {
                words.push(format!("followed by {count} zero byte{}", s(count)))
            }
        }
        match self.swap {
            Swap::None => {}
            Swap::Words(size) => {
                words.push(format!("with the bytes of each {}-bit word swapped", 8 * size))
            }
            Swap::All => words.push("from its last byte to its first".to_string()),
        }
        if words.is_empty() {
            return f.write_str("the whole message");
        }
        write!(f, "the message {}", words.join(", "))
    }
}

/// The order in which a value's bytes are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Highest first.
    Big,
    /// Lowest first.
    Little,
    /// Lowest 16-bit word first, each with its highest byte first.
    Words,
    /// Highest 16-bit word first, each with its lowest byte first.
    Swapped,
    /// Highest first, each with its low half first.
    Halves,
}

/// The place of a value in a field of another width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the lowest bits; of a value that is too wide, its lowest bits.
    Low,
    /// In the highest bits; of a value that is too wide, its highest bits.
    High,
}

/// The bits of a value that a field holds which is too narrow for all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The end of the value that they are taken from.
    pub place: Place,
    /// Their number.
    pub bits: u32,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.place == Place::Low { "low" } else { "high" };
        write!(f, "the {place} {} bit{}", self.bits, if self.bits == 1 { "" } else { "s" })
    }
}

/// A way in which a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// The bytes' order.
    pub order: Order,
    /// The value's place in the field.
    pub place: Place,
}

impl Form {
    /// The form of an ordinary number.
    pub const PLAIN: Form = Form { order: Order::Big, place: Place::Low };

    /// Returns all forms that differ in a field of this many bits, plain ones first: with both byte
    /// orders, if `octets`.
    pub(super) fn all(bits: u32) -> Vec<Form> {
        let orders: &[Order] = match bits {
            8 => &[Order::Big, Order::Halves],
            16 => &[Order::Big, Order::Little, Order::Halves],
            24 => &[Order::Big, Order::Little],
            bits if bits.is_multiple_of(16) && bits > 0 => {
                &[Order::Big, Order::Little, Order::Words, Order::Swapped]
            }
            bits if bits.is_multiple_of(8) && bits > 8 => &[Order::Big, Order::Little],
            _ => &[Order::Big],
        };
        let places = [Place::Low, Place::High];
        places
            .iter()
            .flat_map(|&place| orders.iter().map(move |&order| Form { order, place }))
            .collect()
    }

    /// Returns whether it is the form to try first.
    pub(super) fn is_plain(self, octets: bool) -> bool {
        self == Form::PLAIN || octets && self == Form { order: Order::Little, place: Place::Low }
    }

    /// Returns the field with its bytes in the order of a number; the operation is its own inverse.
    pub(super) fn ordered(self, field: u128, bits: u32) -> u128 {
        let bytes = bits.div_ceil(8);
        let lowest = |value: u128| value >> (128 - 8 * bytes);
        match self.order {
            Order::Big => field,
            Order::Little => lowest(field.swap_bytes()),
            Order::Words => swapped_in_words(lowest(field.swap_bytes())),
            Order::Swapped => swapped_in_words(field),
            Order::Halves => {
                const LOW: u128 = u128::MAX / 17;
                (field & LOW) << 4 | field >> 4 & LOW
            }
        }
    }

    /// Returns the value of this many bits in the field, if it is no wider: `None` if the field's
    /// other bits are not zero.
    pub(super) fn value(self, field: u128, bits: u32, width: u32) -> Option<u128> {
        let (number, spare) = (self.ordered(field, bits), bits.checked_sub(width)?);
        match self.place {
            Place::Low => (number <= u128::MAX >> (128 - width)).then_some(number),
            Place::High => (spare > 0 && number & ((1 << spare) - 1) == 0).then(|| number >> spare),
        }
    }

    /// Returns the field that holds a value of this many bits, or as many of them as it can.
    #[must_use]
    pub fn field(self, value: u128, bits: u32, width: u32) -> u128 {
        let mask = u128::MAX >> (128 - bits.clamp(1, 128));
        let number = match self.place {
            Place::Low => value & mask,
            Place::High if width > bits => value >> (width - bits),
            Place::High => value << (bits - width) & mask,
        };
        self.ordered(number, bits)
    }
}

/// Swaps the two bytes of each 16-bit word.
fn swapped_in_words(value: u128) -> u128 {
    const LOW: u128 = 0x00ff_00ff_00ff_00ff_00ff_00ff_00ff_00ff;
    (value & LOW) << 8 | value >> 8 & LOW
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Order::Big => "highest byte first",
            Order::Little => "lowest byte first",
            Order::Words => "lowest 16-bit word first, highest byte of each first",
            Order::Swapped => "highest 16-bit word first, lowest byte of each first",
            Order::Halves => "with the halves of each byte swapped",
        })
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.order.fmt(f)?;
        match self.place {
            Place::Low => Ok(()),
            Place::High => f.write_str(", in the highest bits"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_fed() {
        let message = b"abcde";
        let fed = |reading: Reading| reading.apply(message).map(|b| String::from_utf8(b).unwrap());
        let plain = Reading::PLAIN;
        assert_eq!(fed(plain).unwrap(), "abcde");
        assert_eq!(fed(Reading { swap: Swap::Words(4), ..plain }).unwrap(), "dcba\0\0\0e");
        assert_eq!(fed(Reading { swap: Swap::All, lead: 1, ..plain }).unwrap(), "edcb");
        assert_eq!(fed(Reading { padding: Padding::To(4, b'.'), ..plain }).unwrap(), "abcde...");
        assert_eq!(
            fed(Reading { padding: Padding::Zeros(1), trail: 2, ..plain }).unwrap(),
            "abc\0"
        );
        assert_eq!(fed(Reading { lead: 3, trail: 2, ..plain }).unwrap(), "");
        assert_eq!(fed(Reading { lead: 3, trail: 3, ..plain }), None);
        assert_eq!(fed(Reading { trail: 6, ..plain }), None);
        assert_eq!(Reading::offsets(2).len(), 8);
        assert_eq!(fed(Reading { taken: Taken::Even, ..plain }).unwrap(), "ace");
        assert_eq!(fed(Reading { taken: Taken::Odd, lead: 1, ..plain }).unwrap(), "ce");
        let halves = Reading { taken: Taken::Halves, trail: 4, ..plain };
        assert_eq!(fed(halves).unwrap(), "\u{6}\u{1}");
        let digits = Reading { taken: Taken::Digits, lead: 1, ..plain };
        assert_eq!(digits.apply(b":4a6B"), Some(vec![0x4a, 0x6b]));
        for none in [&b":4a6"[..], b":4g", b"", b":\xff0"] {
            assert_eq!(digits.apply(none), None);
        }
    }

    #[test]
    fn how_values_are_written() {
        let written =
            |order, place, value, bits, width| Form { order, place }.field(value, bits, width);
        use {Order::*, Place::*};
        assert_eq!(written(Little, Low, 0x1234_5678, 32, 32), 0x7856_3412);
        assert_eq!(written(Words, Low, 0x1234_5678, 32, 32), 0x5678_1234);
        assert_eq!(written(Swapped, Low, 0x1234_5678, 32, 32), 0x3412_7856);
        assert_eq!(written(Halves, Low, 0x1234, 16, 16), 0x2143);
        assert_eq!(written(Halves, Low, 0xf1, 8, 8), 0x1f);
        assert_eq!(written(Big, High, 0x123, 16, 12), 0x1230);
        assert_eq!(written(Little, High, 0x123, 16, 12), 0x3012);
        assert_eq!(written(Big, Low, 0x1234_5678, 16, 32), 0x5678);
        assert_eq!(written(Little, High, 0x1234_5678, 16, 32), 0x3412);
        for bits in [3, 8, 12, 16, 24, 32, 48, 64, 80, 128] {
            let mask = u128::MAX >> (128 - bits);
            for form in Form::all(bits) {
                for width in [bits, bits - 1, bits - 2] {
                    let value = 0x0123_4567_89ab_cdef_0fed_cba9_8765_4321 & mask >> (bits - width);
                    if width == bits && form.place == High {
                        continue;
                    }
                    let field = form.field(value, bits, width);
                    assert!(field <= mask, "{form:?} {bits}");
                    assert_eq!(
                        form.value(field, bits, width),
                        Some(value),
                        "{form:?} {bits} {width}"
                    );
                }
            }
        }
        assert_eq!(Form::PLAIN.value(0x1234, 16, 12), None);
        assert_eq!(Form::PLAIN.value(0x12, 8, 16), None);
    }
}
