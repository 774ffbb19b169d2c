//! Random CRCs and messages.

use residue::crc::Params;
use std::error::Error;

/// A generator of random numbers.
pub struct Random(pub u64);

impl Random {
    /// Returns 64 random bits.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Returns a random number of `width` bits.
    pub fn bits(&mut self, width: u8) -> u128 {
        let wide = u128::from(self.next()) << 64 | u128::from(self.next());
        wide >> (128 - u32::from(width))
    }

    /// Returns a random number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 40) as usize % limit
    }

    /// Returns a CRC with random parameters; its polynomial has a constant term.
    pub fn crc(&mut self, width: u8) -> Result<Params, Box<dyn Error>> {
        let reflections = (self.below(2) == 1, self.below(2) == 1);
        let (poly, init, xorout) = (self.bits(width) | 1, self.bits(width), self.bits(width));
        Ok(Params::new("custom", width, poly, init, reflections, xorout)?)
    }

    /// Returns `count` different lengths from 4 to 31 bytes.
    pub fn lengths(&mut self, count: usize) -> Vec<usize> {
        let mut lengths: Vec<usize> = Vec::new();
        while lengths.len() < count {
            let length = 4 + self.below(28);
            if !lengths.contains(&length) {
                lengths.push(length);
            }
        }
        lengths
    }

    /// Returns a random message of `length` bytes.
    pub fn message(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.below(256) as u8).collect()
    }
}
