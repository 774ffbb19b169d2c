//! Discrete logarithms to the base x modulo a primitive polynomial, fast enough for millions.
//!
//! The logarithm modulo a divisor q of the number of units is found by raising to the power units /
//! q and looking the result up among the q powers of x^(units / q) (Pohlig and Hellman). Not all
//! divisors are needed: logarithms are known modulo the product of those used.

use super::{gf2, integer};

/// The largest divisor whose powers are kept, whatever the memory.
const LARGEST: u64 = 1 << 23;

/// Divisors are taken until their product is this large.
const ENOUGH: u128 = 1 << 60;

/// Arithmetic modulo a polynomial of degree 3 to 64 by tables.
pub(crate) struct Field {
    pub f: u128,
    /// The products of byte i: its part of a word's 16th power, and its residue above x^64.
    sixteenth: Box<[[u64; 256]; 8]>,
    reduced: Box<[[u64; 256]; 8]>,
}

impl Field {
    pub fn new(f: u128) -> Field {
        let table = |image: &dyn Fn(u32) -> u64| {
            let mut table = Box::new([[0; 256]; 8]);
            for (byte, row) in (0..).zip(table.iter_mut()) {
                for value in 1..256_usize {
                    let bit = value.trailing_zeros();
                    row[value] = row[value & (value - 1)] ^ image(8 * byte + bit);
                }
            }
            table
        };
        let x = gf2::divide(2, f).1;
        let sixteenth = |bit: u32| gf2::power(x, (16 * bit).into(), f) as u64;
        let above = |bit: u32| gf2::power(x, (64 + bit).into(), f) as u64;
        Field { f, sixteenth: table(&sixteenth), reduced: table(&above) }
    }

    fn through(table: &[[u64; 256]; 8], value: u64) -> u64 {
        table
            .iter()
            .zip(value.to_le_bytes())
            .fold(0, |sum, (row, byte)| sum ^ row[usize::from(byte)])
    }

    pub fn multiply(&self, a: u64, b: u64) -> u64 {
        // Multiples of a by all polynomials of four terms.
        let mut multiples = [0_u128; 16];
        for i in 1..16 {
            multiples[i] = multiples[i / 2] << 1 ^ if i % 2 == 1 { a.into() } else { 0 };
        }
        let product = (0..16)
            .rev()
            .fold(0, |product: u128, i| product << 4 ^ multiples[(b >> (4 * i) & 15) as usize]);
        let low = product as u64;
        let mut value = low ^ Field::through(&self.reduced, (product >> 64) as u64);
        // Of a lower degree, the low word has bits above it as well.
        let degree = gf2::degree(self.f);
        if degree < 64 {
            value = gf2::divide(value.into(), self.f).1 as u64;
        }
        value
    }

    /// Returns 1, value, ..., value^15.
    pub fn powers(&self, value: u64) -> [u64; 16] {
        let mut powers = [1; 16];
        for i in 1..16 {
            powers[i] = self.multiply(powers[i - 1], value);
        }
        powers
    }

    /// Returns value^n from the value's [`Field::powers`], four bits of n at a time: a 16th power
    /// is linear.
    pub fn power(&self, powers: &[u64; 16], n: u64) -> u64 {
        let digits = (67 - n.leading_zeros()) / 4;
        (0..digits).rev().fold(1, |result, digit| {
            let raised = Field::through(&self.sixteenth, result);
            match n >> (4 * digit) & 15 {
                0 => raised,
                digit => self.multiply(raised, powers[digit as usize]),
            }
        })
    }
}

/// Powers of a unit, and their exponents: a table with open addressing.
struct Lookup {
    shift: u32,
    slots: Vec<(u64, u32)>,
}

impl Lookup {
    /// Stores the exponents of 1, `step`, `step`^2, ...: `count` of them.
    pub fn new(field: &Field, step: u64, count: u32) -> Lookup {
        let bits = Lookup::bits(count);
        let mut lookup = Lookup { shift: 64 - bits, slots: vec![(0, 0); 1 << bits] };
        let mut power = 1;
        for exponent in 0..count {
            let slot = lookup.slot(power);
            lookup.slots[slot] = (power, exponent);
            power = field.multiply(power, step);
        }
        lookup
    }

    /// Returns the binary logarithm of the slots for so many exponents: a half of them are free.
    fn bits(count: u32) -> u32 {
        (2 * count).ilog2() + 1
    }

    /// Returns the memory for so many exponents, in bytes.
    fn memory(count: u64) -> u64 {
        (size_of::<(u64, u32)>() as u64) << Lookup::bits(count as u32)
    }

    /// Returns the slot of this power, or the free one for it.
    ///
    /// No power is 0, which marks a free slot.
    fn slot(&self, power: u64) -> usize {
        // The fractional part of the golden ratio spreads best.
        let mut slot = (power.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize;
        while self.slots[slot].0 != power && self.slots[slot].0 != 0 {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        slot
    }

    pub fn find(&self, power: u64) -> u32 {
        self.slots[self.slot(power)].1
    }
}

/// A method to take logarithms to the base x modulo a primitive polynomial.
pub(crate) struct Logarithms {
    pub field: Field,
    divisors: Vec<Divisor>,
    /// The product of the divisors.
    pub modulus: u128,
}

/// A divisor of the number of units, with the data for logarithms modulo it.
struct Divisor {
    /// The number of units divided by the divisor.
    exponent: u64,
    /// The factor of the logarithm modulo the divisor in the Chinese remainder theorem.
    weight: u128,
    powers: Lookup,
}

impl Logarithms {
    /// Creates tables of at most `memory` bytes; `None` if too few divisors of the units fit.
    pub fn new(f: u128, units: u64, memory: u64) -> Option<Logarithms> {
        let primes = integer::prime_factors(units);
        let mut powers: Vec<u64> =
            primes.chunk_by(|a, b| a == b).map(|same| same.iter().product()).collect();
        powers.retain(|&q| q <= LARGEST);
        let mut modulus = 1;
        let (mut used, mut free) = (Vec::new(), memory);
        for q in powers.into_iter().rev() {
            if modulus < ENOUGH && Lookup::memory(q) <= free {
                modulus *= u128::from(q);
                free -= Lookup::memory(q);
                used.push(q);
            }
        }
        // With less than this, too many pairs look like codewords.
        if modulus < (u128::from(units) >> 16).max(1 << 10) {
            return None;
        }
        let field = Field::new(f);
        let x = field.powers(2);
        let divisors = used
            .into_iter()
            .map(|q| {
                let rest = modulus / u128::from(q);
                // The inverse of the rest modulo q, found by trying.
                let inverse = (1..=u128::from(q))
                    .find(|i| rest % u128::from(q) * i % u128::from(q) == 1 % u128::from(q));
                let step = field.power(&x, units / q);
                Divisor {
                    exponent: units / q,
                    weight: rest * inverse.unwrap_or(0) % modulus,
                    powers: Lookup::new(&field, step, q as u32),
                }
            })
            .collect();
        Some(Logarithms { field, divisors, modulus })
    }

    /// Returns the memory of the tables, in bytes.
    pub fn memory(&self) -> u64 {
        self.divisors.iter().map(|divisor| divisor.powers.slots.len()).sum::<usize>() as u64
            * size_of::<(u64, u32)>() as u64
    }

    /// Returns the logarithm modulo `modulus` of a value that is not 0.
    pub fn of(&self, value: u64) -> u64 {
        let powers = self.field.powers(value);
        let parts = self.divisors.iter().map(|divisor| {
            let power = self.field.power(&powers, divisor.exponent);
            u128::from(divisor.powers.find(power)) * divisor.weight % self.modulus
        });
        (parts.sum::<u128>() % self.modulus) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_of_powers() {
        let f = 1 << 64 | 0xad93_d235_94c9_3659;
        let field = Field::new(f);
        for n in [0, 1, 63, 64, 1 << 40, u64::MAX - 1] {
            let expected = gf2::power(2, n.into(), f) as u64;
            assert_eq!(field.power(&field.powers(2), n), expected);
        }
        let small = Logarithms::new(0x1_04c1_1db7, u32::MAX.into(), 1 << 30).unwrap();
        for n in [0, 1, 31, 32, 65_537, 4_000_000_000] {
            assert_eq!(small.of(gf2::power(2, n, 0x1_04c1_1db7) as u64), n as u64);
        }
    }
}
