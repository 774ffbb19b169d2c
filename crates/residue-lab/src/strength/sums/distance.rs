//! Hamming distances of sums: up to which length every two wrong bits are seen.

use serde::Serialize;

use super::{constants, counted};
use crate::strength::additive::{Additive, Group, Kind, Work};

/// The Hamming distance of a sum at every length, with the errors that prove where it ends.
#[derive(Clone, Debug, Serialize)]
pub struct Distance {
    /// The longest data, in bytes, with every two wrong bits seen; 0 if there are none.
    pub three_to: usize,
    /// Two wrong bits that are not seen, in the shortest data that have them.
    pub two: Undetected,
    /// Three wrong bits that are not seen: there is no Hamming distance of 4 from here on.
    pub three: Option<Undetected>,
}

/// An error that is not seen, and the data it happens to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Undetected {
    /// Bytes of the data.
    pub bytes: usize,
    /// The bytes of the data that are not zero, by place.
    pub data: Vec<(usize, u8)>,
    /// Wrong bits of the data, by place: 0 is the first byte's highest bit.
    pub data_bits: Vec<usize>,
    /// Wrong bits of the check value: 0 is its lowest.
    pub value_bits: Vec<u32>,
}

impl Undetected {
    /// Whether the code, by the library's own kernels, does not see it: the value of the wrong data is the wrong value.
    #[must_use]
    pub fn verify(&self, code: &Additive) -> bool {
        let mut data = vec![0; self.bytes];
        self.data.iter().for_each(|&(place, byte)| data[place] = byte);
        let right = code.value(&data);
        self.data_bits.iter().for_each(|&bit| data[bit / 8] ^= 0x80 >> (bit % 8));
        let wrong = self.value_bits.iter().fold(right, |value, bit| value ^ 1 << bit);
        !(self.data_bits.is_empty() && self.value_bits.is_empty()) && code.value(&data) == wrong
    }
}

/// The Hamming distance of a sum; `None` for CRCs. What it claims is computed: no two wrong bits up to the limit, by
/// looking at the constants of all bits; and both errors are verified.
#[must_use]
pub fn distance(code: &Additive) -> Option<Distance> {
    let (limit, two, three) = match code.kind {
        Kind::Bits if code.crc() => return None,
        // A bit of the data and the same bit of the value.
        Kind::Bits | Kind::Residues(_, 1) => (0, last(code.width() as usize / 8, vec![0]), None),
        // The value of one word is the word, rotated left.
        Kind::Residues(..) => (0, last(2, vec![1]), None),
        Kind::Pairs(modulus, unit, bits) => {
            let unit = unit as usize;
            let blocks = if modulus.is_power_of_two() { 1 } else { modulus as usize - 1 };
            let bytes = (blocks + 1) * unit;
            // The first unit counts as often in B as makes 0 of it: only A changes. Modulo a power of two, where two
            // blocks are enough, if the bit is the highest. (A of Adler-32 starts at 1, whose bit 0 would carry.)
            let bit = match modulus {
                65521 => 1,
                _ if modulus.is_power_of_two() => bits - 1,
                _ => 0,
            };
            let two = Undetected {
                bytes,
                data: Vec::new(),
                data_bits: vec![place(unit, 0, bit)],
                value_bits: vec![bit],
            };
            // x, -2x, x in three units one after another.
            let middle = place(unit, 1, 1);
            let three = Undetected {
                bytes: 3 * unit,
                data: vec![(middle / 8, 0x80 >> (middle % 8))],
                data_bits: vec![place(unit, 0, 0), middle, place(unit, 2, 0)],
                value_bits: Vec::new(),
            };
            (blocks * unit, two, Some(three))
        }
    };
    let holds = limit == 0 || code.within(NoPair(code, limit));
    let seen = !two.verify(code) || three.as_ref().is_some_and(|three| !three.verify(code));
    (holds && !seen).then_some(Distance { three_to: limit, two, three })
}

/// The lowest bit of a zero word, and a bit of the value.
fn last(bytes: usize, value_bits: Vec<u32>) -> Undetected {
    Undetected { bytes, data: Vec::new(), data_bits: vec![8 * bytes - 1], value_bits }
}

/// Where a bit of a unit is; 0 is the unit's lowest. Units of two bytes are little-endian, as Fletcher-32 has them.
fn place(unit: usize, number: usize, bit: u32) -> usize {
    8 * (unit * number + bit as usize / 8) + 7 - bit as usize % 8
}

/// Whether no two wrong bits, of `bytes` bytes of data and the pair A, B behind them, go unseen.
struct NoPair<'a>(&'a Additive, usize);

impl Work for NoPair<'_> {
    type Output = bool;
    fn run<G: Group>(self, group: G) -> bool {
        let NoPair(code, bytes) = self;
        let constants = constants(code, bytes);
        let counts = counted(constants.iter().copied());
        // Two bits of the data: their constants are the same, or opposite. One bit never goes unseen.
        let alone = |(&constant, &count): (&u32, &u64)| {
            let opposite = group.sub(0, constant);
            constant != 0 && count == 1 && (opposite == constant || !counts.contains_key(&opposite))
        };
        // One of the data and one of the value: the constant is a power of two in one half, and 0 in the other.
        let of_value = |bit: u32| {
            let change = 1 << bit;
            counts.contains_key(&change) || counts.contains_key(&group.sub(0, change))
        };
        let half = code.width() / 2;
        // Two of the value are seen: the data have one value.
        counts.iter().all(alone) && !(0..half).any(|bit| of_value(bit) || of_value(bit + 16))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_those_of_the_proofs() {
        for (name, limit) in [
            ("xor-8", 0),
            ("xor-32", 0),
            ("sum-16", 0),
            ("internet", 0),
            ("xns", 0),
            ("fletcher-16", 254),
            ("fletcher-32", 2 * 65534),
            ("fletcher-16/mod256", 1),
            ("fletcher-32/mod65536", 2),
            ("adler-32", 65520),
        ] {
            let code = Additive::named(name).unwrap();
            let found = distance(&code).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(found.three_to, limit, "{name}");
            assert!(found.two.verify(&code));
        }
        let code = Additive::named("fletcher-16").unwrap();
        assert!(code.within(NoPair(&code, 254)) && !code.within(NoPair(&code, 255)));
        let code = Additive::named("adler-32").unwrap();
        assert!(!code.within(NoPair(&code, 65521)));
    }

    #[test]
    fn what_is_seen_is_no_witness() {
        let code = Additive::named("fletcher-16").unwrap();
        let mut two = distance(&code).unwrap().two;
        two.bytes -= 1;
        assert!(!two.verify(&code));
        let none = Undetected { bytes: 4, data: vec![], data_bits: vec![], value_bits: vec![] };
        assert!(!none.verify(&code));
    }
}
