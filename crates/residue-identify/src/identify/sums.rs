//! Sums with unknown settings: plain ones, exclusive or, Fletcher's and Adler's, rotating ones, and
//! Koopman's remainders.
//!
//! A sum of n units d is V = c + S mod m with S = d1 + ... + dn. The difference of two samples is
//! without the start c, and what it lacks to the difference of the values is a multiple of the
//! modulus m: their greatest common divisor is m, or one of its multiples. Fletcher's second sum is
//! W = e + n c + T mod m with T = n d1 + ... + dn, and a rotating one of words of k bits V = 2^n c
//! + 2^(n-1) d1 + ... + dn modulo 2^k - 1.

mod iterated;
mod known;
mod model;
mod reach;
mod remainder;
mod step;

use super::found::Tally;
use super::reading::Place;
use super::sample::Query;
use super::untried::Untried;
pub(super) use known::gcd;
use known::{Known, MOST_FACTOR};
pub use model::{Kind, Model};
use model::{Sums, rotated, rotating};
pub(super) use reach::{others, unreached};
pub use step::Step;

/// Moduli in use besides 2^w and 2^w - 1.
const USUAL: [u128; 5] = [251, 255, 65_521, 65_535, 4_294_967_291];
/// Moduli that Koopman recommends for sums of large blocks and for dual sums (arXiv:2302.13432,
/// arXiv:2304.13496).
const RECOMMENDED: [u128; 4] = [239, 253, 65_519, 65_525];

/// Finds sums that have the samples' values.
pub(super) fn search(query: Query, tally: &mut Tally) {
    let Query { samples, bits, reads, forms } = query;
    if !bits.is_multiple_of(8) || bits > 64 {
        tally.untried.insert(Untried::SumFields(bits));
        return;
    }
    if samples.len() < 2 {
        tally.untried.insert(Untried::Sums);
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
            iterated::search(&known, tally);
        }
    }
}

impl Known<'_> {
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
        tally: &mut Tally,
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
        // With a larger factor than those that are removed, it may be a multiple of a modulus.
        if common / (MOST_FACTOR + 1) > most {
            tally.untried.insert(Untried::Moduli);
        }
        // Few differences have a chance factor in common besides the modulus.
        let factors = (1..=MOST_FACTOR).filter(|&factor| common.is_multiple_of(factor));
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
            for (modulus, free) in Self::moduli(each, most, self.bits, unit, tally) {
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
                for (modulus, free) in Self::moduli(each, most, half, unit, tally) {
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
