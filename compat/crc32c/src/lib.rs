//! The face of the crate `crc32c` 0.6, on residue.

use std::hash::Hasher;
use std::io::{self, Read, Write};

pub use residue::{crc32c, crc32c_extend as crc32c_append};

/// Returns the CRC-32C of two pieces of data, from their CRCs and the length of the second one.
#[inline]
#[must_use]
pub fn crc32c_combine(crc1: u32, crc2: u32, len2: usize) -> u32 {
    residue::crc::CRC_32C.combine(crc1, crc2, len2 as u64)
}

/// A hasher whose hash is the CRC-32C.
#[derive(Default)]
pub struct Crc32cHasher(u32);

impl Crc32cHasher {
    /// Continues from a CRC.
    #[must_use]
    pub fn new(initial: u32) -> Self {
        Crc32cHasher(initial)
    }
}

impl Hasher for Crc32cHasher {
    fn finish(&self) -> u64 {
        u64::from(self.0)
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = crc32c_append(self.0, bytes);
    }
}

/// A reader with the CRC-32C of all bytes that were read.
pub struct Crc32cReader<R: Read> {
    crc: u32,
    inner: R,
}

/// A writer with the CRC-32C of all bytes that were written.
pub struct Crc32cWriter<W: Write> {
    crc: u32,
    inner: W,
}

impl<R: Read> Crc32cReader<R> {
    /// Wraps a reader.
    pub fn new(inner: R) -> Self {
        Self::new_with_seed(inner, 0)
    }

    /// Wraps a reader and continues from a CRC.
    pub fn new_with_seed(inner: R, seed: u32) -> Self {
        Crc32cReader { crc: seed, inner }
    }

    /// Returns the reader.
    pub fn into_inner(self) -> R {
        self.inner
    }

    /// Returns the CRC.
    pub fn crc32c(&self) -> u32 {
        self.crc
    }
}

impl<R: Read> Read for Crc32cReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.crc = crc32c_append(self.crc, &buffer[..length]);
        Ok(length)
    }
}

impl<W: Write> Crc32cWriter<W> {
    /// Wraps a writer.
    pub fn new(inner: W) -> Self {
        Self::new_with_seed(inner, 0)
    }

    /// Wraps a writer and continues from a CRC.
    pub fn new_with_seed(inner: W, seed: u32) -> Self {
        Crc32cWriter { crc: seed, inner }
    }

    /// Returns the writer.
    pub fn into_inner(self) -> W {
        self.inner
    }

    /// Returns the CRC.
    pub fn crc32c(&self) -> u32 {
        self.crc
    }
}

impl<W: Write> Write for Crc32cWriter<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let length = self.inner.write(buffer)?;
        self.crc = crc32c_append(self.crc, &buffer[..length]);
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
