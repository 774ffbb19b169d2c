//! The contents of the buffers, and where they begin.

use std::str::FromStr;

/// The contents of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Data {
    /// Pseudo-random bytes, fresh for every sample.
    #[default]
    Random,
    /// 00.
    Zeros,
    /// FF: every addition of a one's-complement sum carries.
    Ones,
    /// 00, 01, ..., FF, 00, ...
    Ramp,
}

impl Data {
    /// The names `--data` takes.
    pub const NAMES: [&str; 4] = ["random", "zeros", "ones", "ramp"];

    /// Returns the name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Data::NAMES[self as usize]
    }

    /// Fills `bytes`.
    pub fn fill(self, random: &mut fastrand::Rng, bytes: &mut [u8]) {
        match self {
            Data::Random => random.fill(bytes),
            Data::Zeros => bytes.fill(0),
            Data::Ones => bytes.fill(0xff),
            Data::Ramp => {
                bytes.iter_mut().zip((0u8..=255).cycle()).for_each(|(byte, value)| *byte = value)
            }
        }
    }
}

impl FromStr for Data {
    type Err = String;

    fn from_str(name: &str) -> Result<Data, String> {
        let all = [Data::Random, Data::Zeros, Data::Ones, Data::Ramp];
        let found = all.into_iter().find(|data| data.name() == name);
        found.ok_or_else(|| format!("data are one of {}", Data::NAMES.join(", ")))
    }
}

/// A buffer whose first byte lies at a multiple of 64.
#[derive(Debug)]
pub struct Buffer {
    bytes: Vec<u8>,
    start: usize,
}

impl Buffer {
    /// Room for `length` bytes at any offset below 64.
    #[must_use]
    pub fn new(length: usize) -> Buffer {
        let bytes = vec![0; length + 128];
        let start = bytes.as_ptr().align_offset(64).min(64);
        Buffer { bytes, start }
    }

    /// Returns `length` bytes, `offset` (below 64) after a multiple of 64.
    pub fn slice(&mut self, offset: usize, length: usize) -> &mut [u8] {
        let from = self.start + offset % 64;
        &mut self.bytes[from..from + length]
    }
}

/// Drives everything else out of the caches.
#[derive(Debug)]
pub struct Evictor(Vec<u8>);

impl Evictor {
    /// Allocates 64 MiB.
    ///
    /// A machine with a larger last-level cache keeps some of what it held.
    #[must_use]
    pub fn new() -> Evictor {
        Evictor(vec![1; 64 << 20])
    }

    /// Reads one byte of every cache line.
    pub fn evict(&self) {
        std::hint::black_box(
            self.0.iter().step_by(64).fold(0u8, |sum, byte| sum.wrapping_add(*byte)),
        );
    }
}

impl Default for Evictor {
    fn default() -> Self {
        Evictor::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_aligned() {
        for offset in 0..64 {
            let mut buffer = Buffer::new(100);
            assert_eq!(buffer.slice(offset, 100).as_ptr().align_offset(64), (64 - offset) % 64);
        }
    }

    #[test]
    fn names_are_those_of_the_variants() {
        for name in Data::NAMES {
            assert_eq!(name.parse::<Data>().map(Data::name), Ok(name));
        }
        assert!("noise".parse::<Data>().is_err());
    }
}
