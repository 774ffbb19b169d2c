//! The face of the crate `crc32fast` 1, on residue.

use std::{fmt, hash};

pub use residue::crc32 as hash;

/// A CRC-32 of data that may come in pieces.
#[derive(Clone, Default)]
pub struct Hasher {
    crc: u32,
    bytes: u64,
}

impl Hasher {
    /// Creates the CRC of no data.
    #[inline]
    #[must_use]
    pub fn new() -> Self {
        Hasher::default()
    }

    /// Continues from a CRC of data of unknown length.
    #[inline]
    #[must_use]
    pub fn new_with_initial(init: u32) -> Self {
        Hasher { crc: init, bytes: 0 }
    }

    /// Continues from a CRC of `amount` bytes.
    #[inline]
    #[must_use]
    pub fn new_with_initial_len(init: u32, amount: u64) -> Self {
        Hasher { crc: init, bytes: amount }
    }

    #[doc(hidden)]
    #[must_use]
    pub fn internal_new_baseline(init: u32, amount: u64) -> Self {
        Hasher::new_with_initial_len(init, amount)
    }

    #[doc(hidden)]
    #[must_use]
    pub fn internal_new_specialized(init: u32, amount: u64) -> Option<Self> {
        Some(Hasher::new_with_initial_len(init, amount))
    }

    /// Appends data.
    #[inline]
    pub fn update(&mut self, data: &[u8]) {
        self.bytes += data.len() as u64;
        self.crc = residue::crc32_extend(self.crc, data);
    }

    /// Returns the number of bytes so far.
    #[inline]
    #[must_use]
    pub fn total_len(&self) -> u64 {
        self.bytes
    }

    /// Returns the CRC.
    #[inline]
    #[must_use]
    pub fn finalize(self) -> u32 {
        self.crc
    }

    /// Forgets all data.
    #[inline]
    pub fn reset(&mut self) {
        *self = Hasher::new();
    }

    /// Appends the data of another CRC, by its value and length.
    pub fn combine(&mut self, other: &Self) {
        self.bytes += other.bytes;
        self.crc = residue::crc::CRC_32.combine(self.crc, other.crc, other.bytes);
    }
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("crc32fast::Hasher").finish()
    }
}

impl hash::Hasher for Hasher {
    fn write(&mut self, bytes: &[u8]) {
        self.update(bytes);
    }

    fn finish(&self) -> u64 {
        u64::from(self.crc)
    }
}
