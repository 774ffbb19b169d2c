//! The registers of a generator over all parts of a message that begin and end at marks.
//!
//! H(a, b) is M x^w mod P of the bytes a to b, from the register 0. An initial value I adds I x^n
//! for n bits. A field of k bytes at p counts as zeros if what it and the zeros behind it leave,
//! H(p, b) + H(p + k, b), is added. It is left out if the part before it, H(a, b) + H(p, b), is
//! moved by its bytes, x^(-8k), and H(p + k, b) is added.

use crate::identify::family::Modulus;

/// The registers, by the marks at which parts end and begin.
pub(super) struct Grid {
    /// `columns[b][a]`: of the bytes from mark a to mark b, for a up to b.
    columns: Vec<Vec<u128>>,
}

impl Grid {
    /// Computes the registers over parts of `message` between `marks`, which ascend.
    pub fn new(message: &[u8], marks: &[usize], modulus: Modulus, refin: bool) -> Grid {
        let table: Vec<u128> = (0..=255).map(|byte| modulus.byte(byte)).collect();
        let mask = u128::MAX >> (128 - modulus.width);
        let mut columns: Vec<Vec<u128>> = (0..marks.len()).map(|_| Vec::new()).collect();
        for (a, &from) in marks.iter().enumerate() {
            let (mut register, mut at) = (0_u128, from);
            for (b, &to) in marks.iter().enumerate().skip(a) {
                for &byte in &message[at..to] {
                    let byte = if refin { byte.reverse_bits() } else { byte };
                    let top = (register >> (modulus.width - 8)) as u8 ^ byte;
                    register = (register << 8 & mask) ^ table[usize::from(top)];
                }
                at = to;
                columns[b].push(register);
            }
        }
        Grid { columns }
    }

    /// Returns the registers of the parts that end at this mark, by the mark at which they begin.
    pub fn ending(&self, b: usize) -> &[u128] {
        &self.columns[b]
    }
}

impl Modulus {
    /// Returns what a byte at the top of the register leaves: a x^w mod P.
    fn byte(self, byte: u8) -> u128 {
        // The width is 8 at least.
        self.times(u128::from(byte), self.power_of_x(u64::from(self.width)))
    }

    /// Returns x^(-n).
    pub(super) fn inverse_power_of_x(self, n: usize) -> u128 {
        // x times (P - 1) / x is 1 modulo P, for a P with a constant term.
        let inverse = self.poly >> 1 | 1 << (self.width - 1);
        (0..n).fold(1, |power, _| self.times(power, inverse))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue::crc::{Params, catalog};

    #[test]
    fn registers_are_those_of_the_definition() {
        let message: Vec<u8> = (0..40).map(|i| (i * 37 + 11) as u8).collect();
        let marks = [0, 1, 2, 7, 20, 39, 40];
        for params in catalog::ALL.iter().filter(|params| params.width >= 8) {
            let modulus = Modulus { width: params.width.into(), poly: params.poly };
            let grid = Grid::new(&message, &marks, modulus, params.refin);
            let zero = Params { init: 0, xorout: 0, refout: false, ..*params };
            for (b, &to) in marks.iter().enumerate() {
                for (a, &from) in marks[..=b].iter().enumerate() {
                    let register = zero.reference(&message[from..to]);
                    assert_eq!(grid.ending(b)[a], register, "{} {from}..{to}", params.name);
                }
            }
            let there = modulus.power_of_x(24);
            assert_eq!(modulus.times(there, modulus.inverse_power_of_x(24)), 1);
        }
    }
}
