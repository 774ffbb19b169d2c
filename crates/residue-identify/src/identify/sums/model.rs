//! Computes sums with any settings.

use super::step::Step;
use std::fmt;

/// The operation on the units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// start + d1 + ... + dn, or what takes that to zero: start - d1 - ... - dn.
    Plain {
        /// Whether units are subtracted.
        negated: bool,
    },
    /// start xor d1 xor ... xor dn.
    Xor,
    /// Fletcher's two sums. The field holds the second in its upper half, or the first.
    Weighted {
        /// Whether the first sum stands in the upper half.
        first_high: bool,
        /// Whether the second sum takes the first before it takes a unit.
        late: bool,
        /// The second sum's start.
        second: u128,
    },
    /// Each unit is added to the sum rotated left by one, or the result is what takes it to zero.
    Rotating {
        /// Whether the result is complemented.
        negated: bool,
    },
    /// start + d1 + ... + dn modulo a power of two, combined with a constant by exclusive or.
    Changed {
        /// The constant.
        xorout: u128,
    },
    /// A word that each unit changes.
    Iterated {
        /// The change.
        step: Step,
        /// What the last word is combined with by exclusive or: nothing, or ones.
        xorout: u128,
    },
    /// Each byte is added to the sum rotated right by one, modulo 2^16: the program sum of BSD.
    Bsd,
    /// The message as one number, highest byte first, modulo the modulus: Koopman's checksum. The
    /// start is combined with the first byte by exclusive or.
    Remainder {
        /// The number of zero bytes after the message.
        zeros: usize,
        /// Whether the parity of the message follows as the lowest bit.
        parity: bool,
    },
}

/// A sum, with its settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Model {
    /// The operation on the units.
    pub kind: Kind,
    /// Bytes of a unit. The last one is filled up with zeros.
    pub unit: usize,
    /// Whether a unit's lowest byte comes first.
    pub little: bool,
    /// The modulus of the sum, or of both; 0 for exclusive or.
    pub modulus: u128,
    /// The start of the (first) sum.
    pub start: u128,
    /// Whether a sum that is a multiple of the modulus, though not zero, is written as the modulus.
    pub end_around: bool,
}

/// The units of a message, summed in every way that is needed.
pub(super) struct Sums {
    pub count: u128,
    pub plain: u128,
    pub weighted: u128,
    pub xor: u128,
}

pub(super) fn units(message: &[u8], unit: usize, little: bool) -> impl Iterator<Item = u128> {
    message.chunks(unit).map(move |bytes| {
        let octet = |i: usize| u128::from(bytes.get(i).copied().unwrap_or(0));
        (0..unit).fold(0, |word, i| word << 8 | octet(if little { unit - 1 - i } else { i }))
    })
}

impl Sums {
    pub fn of(message: &[u8], unit: usize, little: bool) -> Sums {
        let mut sums = Sums { count: 0, plain: 0, weighted: 0, xor: 0 };
        for d in units(message, unit, little) {
            sums.count += 1;
            // Messages have at most 2^24 bytes, so that nothing reaches 2^128.
            sums.plain += d;
            sums.weighted += sums.plain;
            sums.xor ^= d;
        }
        sums
    }
}

/// a 2^n modulo 2^k - 1.
pub(super) fn rotated(a: u128, n: u128, k: u32) -> u128 {
    let (mask, n) = (u128::MAX >> (128 - k), (n % u128::from(k)) as u32);
    let a = a % mask;
    if n == 0 { a } else { (a << n | a >> (k - n)) & mask }
}

pub(super) fn rotating(message: &[u8], unit: usize, little: bool) -> u128 {
    let (k, mask) = (8 * unit as u32, u128::MAX >> (128 - 8 * unit as u32));
    units(message, unit, little).fold(0, |sum, d| (rotated(sum, 1, k) + d) % mask)
}

impl Model {
    /// Returns the bits of information in a value, if all were equally likely.
    pub(in crate::identify) fn information(&self) -> f64 {
        let halves = if matches!(self.kind, Kind::Weighted { .. }) { 2.0 } else { 1.0 };
        let parity = matches!(self.kind, Kind::Remainder { parity: true, .. });
        match self.modulus {
            0 => f64::from(8 * self.unit as u32),
            modulus => halves * (modulus as f64).log2() + f64::from(u8::from(parity)),
        }
    }

    /// Returns the value of a message as it is written in a field of `bits` bits.
    #[must_use]
    pub fn value(&self, message: &[u8], bits: u32) -> u128 {
        let Model { unit, little, modulus: m, start, .. } = *self;
        let sums = || Sums::of(message, unit, little);
        let written = |residue: u128, whole: u128| {
            if residue == 0 && whole > 0 && self.end_around { m } else { residue }
        };
        match self.kind {
            Kind::Xor => start ^ sums().xor,
            Kind::Plain { negated: false } => {
                let whole = start + sums().plain;
                written(whole % m, whole)
            }
            Kind::Plain { negated: true } => {
                let part = sums().plain % m;
                written((start % m + m - part) % m, start)
            }
            Kind::Weighted { first_high, late, second } => {
                let sums = sums();
                let weighted = sums.weighted - if late { sums.plain } else { 0 };
                let first = (start + sums.plain) % m;
                let second = (second + sums.count % m * start + weighted) % m;
                let half = bits / 2;
                if first_high { first << half | second } else { second << half | first }
            }
            Kind::Rotating { negated } => {
                let k = 8 * unit as u32;
                let sum = rotating(message, unit, little);
                let whole = rotated(start, sums().count, k) + sum;
                let residue = whole % m;
                let residue = if negated { (m - residue) % m } else { residue };
                written(residue, 1)
            }
            Kind::Changed { xorout } => ((start + sums().plain) % m) ^ xorout,
            Kind::Iterated { step, xorout } => {
                let units = units(message, unit, little);
                units.fold(start, |word, unit| step.forward(word, unit, m - 1)) ^ xorout
            }
            Kind::Bsd => message.iter().fold(start, |sum, &byte| {
                let turned = sum >> 1 | (sum & 1) << 15;
                (turned + u128::from(byte)) & 0xffff
            }),
            Kind::Remainder { zeros, parity } => {
                let Some(first) = message.first().map(|first| first ^ start as u8) else {
                    return 0;
                };
                let sum = remainder(message, first, zeros, m);
                if parity { sum << 1 | self::parity(message, first) } else { sum }
            }
        }
    }
}

/// Returns the remainder of the message as a number, with `first` in place of its first byte, and
/// `zeros` zero bytes after it.
pub(super) fn remainder(message: &[u8], first: u8, zeros: usize, modulus: u128) -> u128 {
    let Some(rest) = message.get(1..) else { return 0 };
    let zeros = std::iter::repeat_n(&0, zeros);
    let bytes = || rest.iter().chain(zeros);
    match u32::try_from(modulus) {
        Ok(modulus) => {
            let modulus = u64::from(modulus);
            let step = |sum: u64, &byte: &u8| (sum << 8 | u64::from(byte)) % modulus;
            bytes().fold(u64::from(first) % modulus, step).into()
        }
        Err(_) => {
            let step = |sum: u128, &byte: &u8| (sum << 8 | u128::from(byte)) % modulus;
            bytes().fold(u128::from(first) % modulus, step)
        }
    }
}

/// Returns the parity of the message's bits, with `first` in place of its first byte.
pub(super) fn parity(message: &[u8], first: u8) -> u128 {
    let rest = message.get(1..).unwrap_or_default();
    u128::from(rest.iter().fold(first, |all, byte| all ^ byte).count_ones() & 1)
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match (self.unit, self.little) {
            (1, _) => "bytes".to_string(),
            (unit, true) => format!("little-endian {}-bit words", 8 * unit),
            (unit, false) => format!("big-endian {}-bit words", 8 * unit),
        };
        let Model { modulus, start, .. } = self;
        match self.kind {
            Kind::Xor => write!(f, "exclusive or of {words}, from {start:#x}")?,
            Kind::Plain { negated: false } => {
                write!(f, "sum of {words} modulo {modulus}, from {start:#x}")?;
                if (self.unit, *modulus, *start) == (1, 65_535, 0) {
                    f.write_str(" (as the program sum of System V)")?;
                }
            }
            Kind::Plain { negated: true } => {
                write!(f, "{start:#x} minus the sum of {words}, modulo {modulus}")?;
            }
            Kind::Weighted { first_high, late, second } => {
                let order = if first_high { "A:B" } else { "B:A" };
                write!(
                    f,
                    "Fletcher's sums of {words} modulo {modulus}, {order}, A from {start:#x}, B \
                     from {second:#x}"
                )?;
                if late {
                    f.write_str(", B taking A before the unit")?;
                }
            }
            Kind::Rotating { negated } => {
                write!(
                    f,
                    "one's-complement sum of {words}, rotated left after each, from {start:#x}"
                )?;
                if negated {
                    f.write_str(", complemented")?;
                }
            }
            Kind::Changed { xorout } => write!(
                f,
                "sum of {words} modulo {modulus}, from {start:#x}, exclusive or {xorout:#x}"
            )?,
            Kind::Iterated { step, xorout } => {
                write!(f, "{step} for each d of the {words}, modulo {modulus}, from {start:#x}")?;
                if xorout > 0 {
                    f.write_str(", complemented")?;
                }
            }
            Kind::Bsd => f.write_str(
                "sum of bytes modulo 65536, rotated right before each (the program sum of BSD)",
            )?,
            Kind::Remainder { zeros, parity } => {
                f.write_str("the message as a number")?;
                if zeros > 0 {
                    let s = if zeros == 1 { "" } else { "s" };
                    write!(f, ", followed by {zeros} zero byte{s}")?;
                }
                write!(f, ", modulo {modulus}")?;
                if parity {
                    f.write_str(", followed by its parity")?;
                }
                if zeros > 0 {
                    f.write_str(" (Koopman's checksum)")?;
                }
                if *start > 0 {
                    write!(f, ", seed {start:#x}")?;
                }
            }
        }
        if self.end_around {
            f.write_str(", zero written as all ones")?;
        }
        Ok(())
    }
}
