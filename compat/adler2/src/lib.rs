//! The face of the crate `adler2` 2, on residue.

use std::hash::Hasher;
use std::io::{self, BufRead};

/// An Adler-32 value, of data that may come in pieces.
#[derive(Debug, Copy, Clone)]
pub struct Adler32(u32);

impl Adler32 {
    /// Creates the value of no data.
    #[inline]
    pub fn new() -> Self {
        Adler32(1)
    }

    /// Continues from a value.
    #[inline]
    pub const fn from_checksum(sum: u32) -> Self {
        Adler32(sum)
    }

    /// Returns the value.
    #[inline]
    pub fn checksum(&self) -> u32 {
        self.0
    }

    /// Appends data.
    #[inline]
    pub fn write_slice(&mut self, bytes: &[u8]) {
        self.0 = residue::adler32_extend(self.0, bytes);
    }
}

impl Default for Adler32 {
    #[inline]
    fn default() -> Self {
        Adler32::new()
    }
}

impl Hasher for Adler32 {
    #[inline]
    fn finish(&self) -> u64 {
        u64::from(self.0)
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        self.write_slice(bytes);
    }
}

/// Returns the Adler-32 of the data.
#[inline]
pub fn adler32_slice(data: &[u8]) -> u32 {
    residue::adler32(data)
}

/// Returns the Adler-32 of all data of a reader.
///
/// # Errors
/// Returns the errors of the reader.
pub fn adler32<R: BufRead>(mut reader: R) -> io::Result<u32> {
    let mut sum = Adler32::new();
    loop {
        let data = reader.fill_buf()?;
        if data.is_empty() {
            return Ok(sum.checksum());
        }
        sum.write_slice(data);
        let length = data.len();
        reader.consume(length);
    }
}
