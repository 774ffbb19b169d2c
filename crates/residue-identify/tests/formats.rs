//! Message formats without any check value: constants, counters, copies, scaled and mixed columns,
//! lengths, times, text.

use residue_identify::Sample;
use residue_testing::Random;

/// The kinds of fields that are no check values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Constant,
    Counter,
    Copy,
    Scaled,
    Sum,
    Xor,
    Weighted,
    Difference,
    Length,
    Time,
    Text,
    Walk,
    Decimal,
    Gray,
    OneHot,
    Status,
}

pub const KINDS: [Kind; 16] = [
    Kind::Constant,
    Kind::Counter,
    Kind::Copy,
    Kind::Scaled,
    Kind::Sum,
    Kind::Xor,
    Kind::Weighted,
    Kind::Difference,
    Kind::Length,
    Kind::Time,
    Kind::Text,
    Kind::Walk,
    Kind::Decimal,
    Kind::Gray,
    Kind::OneHot,
    Kind::Status,
];

/// A format: its messages are the same in every run.
#[derive(Clone, Debug)]
pub struct Format {
    pub kind: Kind,
    /// Bytes of the field.
    pub bytes: usize,
    /// The number of messages that are searched with.
    pub count: usize,
    little: bool,
    seed: u64,
    header: Vec<u8>,
    /// Bytes of the counter in the message; 0 for none.
    counter: usize,
    counter_little: bool,
    step: u64,
    /// Bytes of each of two columns of measured values, which are random walks, or random.
    column: usize,
    random: bool,
    /// Whether random bytes of random number follow.
    payload: bool,
    /// Where the field stands in a whole message: the number of bytes before it, or at the end.
    place: Option<usize>,
}

fn number(value: u64, bytes: usize, little: bool) -> Vec<u8> {
    let mut all = value.to_le_bytes()[..bytes].to_vec();
    if !little {
        all.reverse();
    }
    all
}

fn decimal(mut value: u64) -> u64 {
    let mut digits = 0;
    for i in 0..16 {
        digits |= (value % 10) << (4 * i);
        value /= 10;
    }
    digits
}

impl Format {
    /// Returns the format of this number.
    pub fn new(index: usize) -> Format {
        let mut random = Random(0x0f0f_1234 ^ (index as u64) << 24);
        let kind = KINDS[index % KINDS.len()];
        let header = random.below(6);
        let mut format = Format {
            kind,
            bytes: [1, 2, 3, 4][index / KINDS.len() % 4],
            count: 4 + random.below(37),
            little: random.below(2) == 1,
            seed: random.next(),
            header: random.bytes(header),
            counter: random.below(3),
            counter_little: random.below(2) == 1,
            step: [1, 1, 1, 2, 4, 10, 100, 256][random.below(8)],
            column: [1, 1, 2][random.below(3)],
            random: random.below(3) == 0,
            payload: random.below(4) == 0 || kind == Kind::Length,
            place: [None, None, None, Some(0), Some(1), Some(2)][random.below(6)],
        };
        // Something in a message differs from others.
        if format.counter == 0 && format.column == 0 && !format.payload {
            format.counter = 1;
        }
        format
    }

    /// Returns the two columns of the message of this number.
    fn columns(&self, i: usize) -> [u64; 2] {
        [1, 2].map(|salt| {
            let start = Random(self.seed ^ salt).next() & 0xff;
            let mut random = Random(self.seed ^ salt << 8 ^ (i as u64) << 32);
            if self.random {
                return random.next();
            }
            // A walk of small steps, slowly.
            (0..=i as u64).fold(start + 0x100, |sum, j| {
                let step = Random(self.seed ^ salt << 8 ^ j << 32).below(7) as u64;
                (sum + step).wrapping_sub(3)
            })
        })
    }

    /// Returns the message of this number, without the field, and the field.
    pub fn sample(&self, i: usize) -> Sample {
        let mask = u64::MAX >> (64 - 8 * self.bytes);
        let start = Random(self.seed ^ 77).next();
        let n = i as u64;
        let [a, b] = self.columns(i).map(|it| it & (u64::MAX >> (64 - 8 * self.column)));
        let mut own = Random(self.seed ^ 0xabc ^ n << 24);
        let mut message = self.header.clone();
        message.extend(number(start.wrapping_add(n), self.counter, self.counter_little));
        message.extend(number(a, self.column, self.counter_little));
        message.push(self.seed as u8);
        message.extend(number(b, self.column, self.counter_little));
        if self.payload {
            let length = own.below(24);
            message.extend(own.bytes(length));
        }
        let value = match self.kind {
            Kind::Constant => start,
            Kind::Counter => start.wrapping_add(n * self.step),
            Kind::Copy => a,
            Kind::Scaled => a * (2 + self.seed % 9) + start % 50,
            Kind::Sum => a + b,
            Kind::Xor => a ^ b,
            Kind::Weighted => 3 * a + b,
            Kind::Difference => a.wrapping_sub(b),
            Kind::Length => message.len() as u64 + self.seed % 8,
            Kind::Time => (start & mask >> 1) + n * 1000 + own.below(30) as u64,
            Kind::Text => {
                let text = format!("{:06} T={:+05} V={:04}", n, a as i64 - 300, b);
                message = text.into_bytes();
                let digits = format!("{:04}", (start % 500 + 7 * n + own.below(5) as u64) % 10_000);
                digits.bytes().fold(0, |value, digit| value << 8 | u64::from(digit))
            }
            Kind::Walk => self.columns(i + 3)[1].wrapping_mul(5).wrapping_add(own.below(3) as u64),
            Kind::Decimal => decimal(start % 1000 + n),
            Kind::Gray => {
                let n = start % 97 + n;
                n ^ n >> 1
            }
            Kind::OneHot => 1 << ((start + n) % (8 * self.bytes as u64)),
            Kind::Status => [0, 1, 3, 0x80][own.below(4)],
        };
        let field = number(value & mask, self.bytes, self.little);
        let value = field.iter().fold(0, |value, &byte| value << 8 | u128::from(byte));
        Sample { message, value }
    }

    /// Returns different samples, the first `count`, or those after them.
    pub fn samples(&self, from: usize, count: usize) -> Vec<Sample> {
        let mut all: Vec<Sample> = Vec::new();
        for sample in (from..from + count).map(|i| self.sample(i)) {
            // Equal messages with different values are refused.
            if all.iter().all(|other| other.message != sample.message) {
                all.push(sample);
            }
        }
        all
    }

    /// Returns a message with the field in it.
    pub fn frame(&self, sample: &Sample) -> Vec<u8> {
        let mut message = sample.message.clone();
        let at = self.place.unwrap_or(message.len()).min(message.len());
        let field = sample.value.to_be_bytes();
        message.splice(at..at, field[16 - self.bytes..].iter().copied());
        message
    }
}
