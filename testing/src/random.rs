/// A generator of random numbers for tests: Steele, Lea and Flood's SplitMix64 (OOPSLA 2014).
///
/// Equal seeds give equal numbers.
pub struct Random(pub u64);

impl Random {
    /// Returns 64 random bits.
    #[expect(clippy::should_implement_trait, reason = "there is always a next number")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// Returns a random number less than `limit`, or 0 if that is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next()) * limit as u128) >> 64) as usize
    }

    /// Returns random bytes.
    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(length + 7);
        while bytes.len() < length {
            bytes.extend(self.next().to_le_bytes());
        }
        bytes.truncate(length);
        bytes
    }
}

/// Returns random bytes, always the same: a shorter result is the beginning of a longer one.
#[must_use]
pub fn noise(length: usize) -> Vec<u8> {
    Random(0).bytes(length)
}
