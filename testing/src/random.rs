/// Bytes of the header of a pcap file.
const HEADER: usize = 24;

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

    /// Returns one of these captures with a few mutations: bits, bytes, numbers, missing, repeated
    /// and foreign parts. Half of them spare the header of the file, without which nothing is read.
    pub fn mutated(&mut self, files: &[Vec<u8>]) -> Vec<u8> {
        let mut file = files[self.below(files.len())].clone();
        let spared = if self.below(2) == 0 { HEADER.min(file.len()) } else { 0 };
        for _ in 0..1 + self.below(6) {
            let place = spared + self.below(file.len() - spared);
            let end = (place + 1 + self.below(64)).min(file.len());
            match self.below(9) {
                _ if place == file.len() => file.push(self.below(256) as u8),
                0 | 1 => file[place] ^= 1 << self.below(8),
                2 => file[place] = [0, 1, 0x7f, 0x80, 0xff][self.below(5)],
                3 => file[place] = self.below(256) as u8,
                4 => file[place..end].fill([0, 0xff][self.below(2)]),
                5 => drop(file.drain(place..end)),
                6 => {
                    let again = file[place..end].to_vec();
                    let at = spared + self.below(file.len() - spared);
                    file.splice(at..at, again);
                }
                7 => {
                    let other = &files[self.below(files.len())];
                    let from = self.below(other.len());
                    let part = other[from..(from + 200).min(other.len())].to_vec();
                    file.splice(place..place, part);
                }
                _ => file.truncate(place.max(HEADER)),
            }
        }
        file
    }
}

/// Returns random bytes, always the same: a shorter result is the beginning of a longer one.
#[must_use]
pub fn noise(length: usize) -> Vec<u8> {
    Random(0).bytes(length)
}
