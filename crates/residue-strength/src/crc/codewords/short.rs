//! The shortest codeword of every weight, among the shortest codes.
//!
//! With few data bits all codewords can be tried: those with the first and the last bit set are g
//! times an odd polynomial, whose coefficients are changed one at a time in the order of the
//! reflected binary code (Gray), an exclusive or each.
//!
//! They are as many for every weight. Meeting in the middle takes the fewer sums the lighter the
//! codewords are, so where only light ones are wanted, less is tried here.

use crate::crc::Generator;

/// The number of data bits to which every codeword is tried: four million codewords.
const DATA: u32 = 22;

/// The largest weight that is light, and the number of data bits to which every codeword is tried
/// where no heavier ones are wanted.
const LIGHT: u32 = 6;
const DATA_OF_LIGHT: u32 = 10;

/// The first codeword found of the least span for each weight; `None` if all are longer than
/// [`Short::length`].
pub(crate) struct Short {
    words: Vec<Option<u128>>,
    /// The length up to which all codewords were tried; see [`Short::reach`].
    pub length: u64,
}

impl Short {
    /// Tries the codewords, for weights up to `most`.
    pub fn new(generator: &Generator, most: u32) -> Short {
        let g = generator.explicit();
        let mut words = vec![None; 129];
        let mut note = |word: u128| {
            words[word.count_ones() as usize].get_or_insert(word);
        };
        note(g);
        for top in 1..data(most) {
            // The coefficients of 1 and x^top stay; those between take all values.
            let mut word = g ^ g << top;
            note(word);
            for step in 1..1_u32 << (top - 1) {
                word ^= g << (step.trailing_zeros() + 1);
                note(word);
            }
        }
        Short { words, length: Short::reach(generator, most) }
    }

    /// Returns the codeword length up to which every codeword is tried for weights up to `most`, in
    /// bits.
    pub fn reach(generator: &Generator, most: u32) -> u64 {
        u64::from(data(most) + generator.width())
    }

    /// Returns the places of the shortest codeword of this weight.
    pub fn word(&self, weight: u32) -> Option<Vec<u64>> {
        let word = (*self.words.get(weight as usize)?)?;
        Some((0..128).filter(|place| word >> place & 1 == 1).collect())
    }
}

fn data(most: u32) -> u32 {
    if most <= LIGHT { DATA_OF_LIGHT } else { DATA }
}
