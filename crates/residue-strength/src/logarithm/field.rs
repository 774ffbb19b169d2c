//! Arithmetic modulo a generator, fast enough for millions of logarithms.

use crate::gf2;

/// Arithmetic modulo a polynomial of degree 3 to 64 by tables.
pub(super) struct Field {
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
pub(super) struct Lookup {
    shift: u32,
    slots: Vec<(u64, u32)>,
}

impl Lookup {
    /// Stores the exponents of 1, `step`, `step`^2, ...: `count` of them.
    pub fn new(field: &Field, step: u64, count: u32) -> Lookup {
        let bits = (2 * count).ilog2() + 1;
        let mut lookup = Lookup { shift: 64 - bits, slots: vec![(0, 0); 1 << bits] };
        let mut power = 1;
        for exponent in 0..count {
            let slot = lookup.slot(power);
            lookup.slots[slot] = (power, exponent);
            power = field.multiply(power, step);
        }
        lookup
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
