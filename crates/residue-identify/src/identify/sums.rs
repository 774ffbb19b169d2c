//! Sums with unknown settings: plain ones, exclusive or, Fletcher's and Adler's, rotating ones, and
//! Koopman's remainders.
//!
//! A sum of n units d is V = c + S mod m with S = d1 + ... + dn. The difference of two samples is
//! without the start c, and what it lacks to the difference of the values is a multiple of the
//! modulus m: their greatest common divisor is m, or one of its multiples. Fletcher's second sum is
//! W = e + n c + T mod m with T = n d1 + ... + dn, and a rotating one of words of k bits V = 2^n c
//! + 2^(n-1) d1 + ... + dn modulo 2^k - 1.

mod remainder;

use super::reading::{Form, Place};
use super::sample::{Read, Sample};
use super::{Found, Hit, Tally};
use std::fmt;

/// Moduli in use besides 2^w and 2^w - 1.
const USUAL: [u128; 5] = [251, 255, 65_521, 65_535, 4_294_967_291];
/// Moduli that Koopman recommends for sums of large blocks and for dual sums (arXiv:2302.13432,
/// arXiv:2304.13496).
const RECOMMENDED: [u128; 4] = [239, 253, 65_519, 65_525];

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
struct Sums {
    count: u128,
    plain: u128,
    weighted: u128,
    xor: u128,
}

fn units(message: &[u8], unit: usize, little: bool) -> impl Iterator<Item = u128> {
    message.chunks(unit).map(move |bytes| {
        let octet = |i: usize| u128::from(bytes.get(i).copied().unwrap_or(0));
        (0..unit).fold(0, |word, i| word << 8 | octet(if little { unit - 1 - i } else { i }))
    })
}

impl Sums {
    fn of(message: &[u8], unit: usize, little: bool) -> Sums {
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
fn rotated(a: u128, n: u128, k: u32) -> u128 {
    let (mask, n) = (u128::MAX >> (128 - k), (n % u128::from(k)) as u32);
    let a = a % mask;
    if n == 0 { a } else { (a << n | a >> (k - n)) & mask }
}

fn rotating(message: &[u8], unit: usize, little: bool) -> u128 {
    let (k, mask) = (8 * unit as u32, u128::MAX >> (128 - 8 * unit as u32));
    units(message, unit, little).fold(0, |sum, d| (rotated(sum, 1, k) + d) % mask)
}

impl Model {
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
            Kind::Bsd => message.iter().fold(start, |sum, &byte| {
                let turned = sum >> 1 | (sum & 1) << 15;
                (turned + u128::from(byte)) & 0xffff
            }),
            Kind::Remainder { zeros, parity } => {
                let Some(first) = message.first().map(|first| first ^ start as u8) else {
                    return 0;
                };
                let sum = remainder::remainder(message, first, zeros, m);
                if parity { sum << 1 | remainder::parity(message, first) } else { sum }
            }
        }
    }
}

/// The samples of one reading, prepared to solve for settings.
struct Known<'a> {
    read: &'a Read,
    /// The values, their bytes in the order of a number.
    values: Vec<u128>,
    samples: &'a [Sample],
    bits: u32,
    form: Form,
}

/// Finds sums that have the samples' values.
pub(super) fn search(
    samples: &[Sample],
    bits: u32,
    reads: &[Read],
    forms: &[Form],
    tally: &mut Tally,
) {
    if !bits.is_multiple_of(8) || bits > 64 || samples.len() < 2 {
        return;
    }
    for &form in forms.iter().filter(|form| form.place == Place::Low) {
        let values: Vec<u128> =
            samples.iter().map(|sample| form.ordered(sample.value, bits)).collect();
        for read in reads {
            let known = Known { read, values: values.clone(), samples, bits, form };
            for unit in [1, 2, 4, 8] {
                // Only words have an order of bytes.
                for little in [false, true].into_iter().take(if unit == 1 { 1 } else { 2 }) {
                    known.plain(unit, little, tally);
                    if bits.is_multiple_of(16) {
                        known.weighted(unit, little, tally);
                    }
                    if 8 * unit == bits as usize && bits > 8 {
                        known.rotating(unit, little, tally);
                    }
                }
            }
            if bits == 16 {
                let model = Model {
                    kind: Kind::Bsd,
                    unit: 1,
                    little: false,
                    modulus: 1 << 16,
                    start: 0,
                    end_around: false,
                };
                known.propose(model, 0.0, tally);
            }
            remainder::search(&known, tally);
        }
    }
}

impl Known<'_> {
    /// Records a model if it has all values. `free` bits of it were chosen after the samples.
    fn propose(&self, model: Model, free: f64, tally: &mut Tally) {
        tally.tried += 1.0;
        let right = |(message, value): (&Vec<u8>, &u128)| model.value(message, self.bits) == *value;
        if self.read.messages.iter().zip(&self.values).all(right) {
            let halves = if matches!(model.kind, Kind::Weighted { .. }) { 2.0 } else { 1.0 };
            let one = if model.modulus == 0 {
                f64::from(8 * model.unit as u32)
            } else {
                halves * (model.modulus as f64).log2()
            };
            let parity = matches!(model.kind, Kind::Remainder { parity: true, .. });
            let one = one + if parity { 1.0 } else { 0.0 };
            tally.hits.push(Hit {
                found: Found::Sum(model),
                family: None,
                reading: self.read.reading,
                form: self.form,
                chance: free - one * self.samples.len() as f64,
            });
        }
    }

    /// Returns the bits of information in a start: few if it is one that people choose.
    fn cost(start: u128, modulus: u128) -> f64 {
        if start < 2 || start + 1 == modulus { 2.0 } else { (modulus as f64).log2() }
    }

    /// Returns the moduli with which all differences vanish, each with its bits of information:
    /// usual ones, and the greatest.
    fn moduli(
        differences: impl Iterator<Item = i128>,
        most: u128,
        bits: u32,
        unit: usize,
    ) -> Vec<(u128, f64)> {
        let common =
            differences.fold(0, |common, difference| gcd(common, difference.unsigned_abs()));
        let whole = 1_u128 << bits;
        // Sums that never reach the modulus fit all moduli: the most usual are enough.
        let recommended = if common == 0 { &[][..] } else { &RECOMMENDED[..] };
        let mut moduli: Vec<(u128, f64)> = [&[whole, whole - 1], &USUAL[..], recommended]
            .concat()
            .into_iter()
            .filter(|m| common.is_multiple_of(*m))
            .map(|m| (m, 4.0))
            .collect();
        // Few differences have a chance factor in common besides the modulus.
        let factors = (1..=remainder::MOST_FACTOR).filter(|&factor| common.is_multiple_of(factor));
        moduli.extend(factors.map(|factor| (common / factor, f64::from(bits))));
        moduli.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        moduli.dedup_by_key(|(m, _)| *m);
        // A sum modulo 2^k - 1 may be written as the modulus.
        moduli.retain(|&(m, _)| {
            m > 1 && m <= whole && (most < m || most == m && (m + 1).is_power_of_two())
        });
        // Wide units of which only the lowest part counts, or which are sums of narrower ones.
        let half = |m: u128| (0..unit / 2).fold(1 % m, |power, _| power * 256 % m);
        let wide = 8 * unit > bits as usize && unit > 1;
        moduli.retain(|&(m, _)| !wide || !m.is_power_of_two() && half(m) != 1);
        moduli
    }

    fn plain(&self, unit: usize, little: bool, tally: &mut Tally) {
        let sums: Vec<Sums> =
            self.read.messages.iter().map(|message| Sums::of(message, unit, little)).collect();
        let (Some(first), Some(&value)) = (sums.first(), self.values.first()) else { return };
        let base = Model { kind: Kind::Xor, unit, little, modulus: 0, start: 0, end_around: false };
        let start = value ^ first.xor;
        let mask = u128::MAX >> (128 - self.bits);
        let cost = if start == 0 || start == mask { 1.0 } else { f64::from(self.bits) };
        if 8 * unit <= self.bits as usize {
            self.propose(Model { start, ..base }, cost, tally);
        }
        let most = self.values.iter().copied().max().unwrap_or(0);
        for negated in [false, true] {
            let start = |sums: &Sums, value: u128| {
                if negated {
                    value as i128 + sums.plain as i128
                } else {
                    value as i128 - sums.plain as i128
                }
            };
            let zero = start(first, value);
            let each =
                sums.iter().zip(&self.values).map(|(sums, &value)| start(sums, value) - zero);
            for (modulus, free) in Self::moduli(each, most, self.bits, unit) {
                let start = zero.rem_euclid(modulus as i128) as u128;
                // All ones are zero modulo 2^k - 1, and what complements start with.
                let starts =
                    [start, modulus].into_iter().take(if start == 0 && negated { 2 } else { 1 });
                for start in starts {
                    let kind = Kind::Plain { negated };
                    let model = Model { kind, modulus, start, ..base };
                    let free = free + Self::cost(start % modulus, modulus);
                    let before = tally.hits.len();
                    self.propose(model, free, tally);
                    if before == tally.hits.len() && (modulus + 1).is_power_of_two() {
                        self.propose(Model { end_around: true, ..model }, free, tally);
                    }
                }
            }
        }
    }

    fn weighted(&self, unit: usize, little: bool, tally: &mut Tally) {
        let half = self.bits / 2;
        let mask = u128::MAX >> (128 - half);
        let sums: Vec<Sums> =
            self.read.messages.iter().map(|message| Sums::of(message, unit, little)).collect();
        for first_high in [false, true] {
            let halves: Vec<[u128; 2]> = self
                .values
                .iter()
                .map(|&value| {
                    let halves = [value & mask, value >> half];
                    if first_high { [halves[1], halves[0]] } else { halves }
                })
                .collect();
            let most = halves.iter().flatten().copied().max().unwrap_or(0);
            let zero = halves[0][0] as i128 - sums[0].plain as i128;
            let first = |i: usize| halves[i][0] as i128 - sums[i].plain as i128 - zero;
            for late in [false, true] {
                let weighted = |i: usize| sums[i].weighted - if late { sums[i].plain } else { 0 };
                // The second sum wraps sooner than the first, whose start it contains n times.
                let rest = |i: usize| {
                    halves[i][1] as i128 - sums[i].count as i128 * zero - weighted(i) as i128
                };
                let each = (0..sums.len()).flat_map(|i| [first(i), rest(i) - rest(0)]);
                for (modulus, free) in Self::moduli(each, most, half, unit) {
                    let m = modulus as i128;
                    let start = zero.rem_euclid(m) as u128;
                    let second = rest(0).rem_euclid(m) as u128;
                    let model = Model {
                        kind: Kind::Weighted { first_high, late, second },
                        unit,
                        little,
                        modulus,
                        start,
                        end_around: false,
                    };
                    let free = free + Self::cost(start, modulus) + Self::cost(second, modulus);
                    self.propose(model, free, tally);
                }
            }
        }
    }

    fn rotating(&self, unit: usize, little: bool, tally: &mut Tally) {
        let (k, m) = (self.bits, u128::MAX >> (128 - self.bits));
        let (Some(message), Some(&value)) = (self.read.messages.first(), self.values.first())
        else {
            return;
        };
        let count = Sums::of(message, unit, little).count;
        let sum = rotating(message, unit, little);
        for negated in [false, true] {
            let whole = if negated { m - value } else { value } % m;
            let back = u128::from(k) - count % u128::from(k);
            let start = rotated((whole + m - sum) % m, back, k);
            for end_around in [false, true] {
                let kind = Kind::Rotating { negated };
                let model = Model { kind, unit, little, modulus: m, start, end_around };
                self.propose(model, Self::cost(start, m), tally);
            }
        }
    }
}

/// Returns the greatest common divisor of two numbers.
pub fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
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
