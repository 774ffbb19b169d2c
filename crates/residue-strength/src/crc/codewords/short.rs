//! The shortest codeword of every weight, among the shortest codes.
//!
//! With few data bits all codewords can be tried: those with the first and the last bit set are g
//! times an odd polynomial, whose coefficients are changed one at a time in the order of the
//! reflected binary code (Gray), an exclusive or each.

use crate::crc::Generator;

/// The number of data bits to which every codeword is tried: four million codewords.
const DATA: u32 = 22;

/// The first codeword found of the least span for each weight; `None` if all are longer than
/// [`Short::length`].
pub(crate) struct Short {
    words: Vec<Option<u128>>,
    /// The length up to which all codewords were tried; see [`Short::reach`].
    pub length: u64,
}

impl Short {
    pub fn new(generator: &Generator) -> Short {
        let g = generator.explicit();
        let mut words = vec![None; 129];
        let mut note = |word: u128| {
            words[word.count_ones() as usize].get_or_insert(word);
        };
        note(g);
        for top in 1..DATA {
            // The coefficients of 1 and x^top stay; those between take all values.
            let mut word = g ^ g << top;
            note(word);
            for step in 1..1_u32 << (top - 1) {
                word ^= g << (step.trailing_zeros() + 1);
                note(word);
            }
        }
        Short { words, length: Short::reach(generator) }
    }

    /// Returns the codeword length up to which every codeword is tried, in bits.
    pub fn reach(generator: &Generator) -> u64 {
        u64::from(DATA + generator.width())
    }

    /// Returns the places of the shortest codeword of this weight.
    pub fn word(&self, weight: u32) -> Option<Vec<u64>> {
        let word = (*self.words.get(weight as usize)?)?;
        Some((0..128).filter(|place| word >> place & 1 == 1).collect())
    }
}
