//! The face of the crate `crc` 3, on residue.
//!
//! The kernels are chosen by the CPU, so the number of tables has no effect. Digests and checksums
//! are not `const`; `residue::crc::Crc::checksum_const` is.

use residue::crc::{Params, Width as Integer};
use std::marker::PhantomData;

pub use crc_catalog::algorithm::*;
pub use crc_catalog::{Algorithm, Width};

/// A way to compute a CRC; all are the same here.
pub trait Implementation {}

/// As many tables as the original would use.
#[derive(Copy, Clone)]
pub struct Table<const L: usize> {}

/// No table.
pub type NoTable = Table<0>;

impl<const L: usize> Implementation for Table<L> {}

/// A CRC.
#[derive(Clone)]
pub struct Crc<W: Width + Integer, I: Implementation = Table<1>> {
    /// Its parameters.
    pub algorithm: &'static Algorithm<W>,
    crc: residue::crc::Crc<W>,
    implementation: PhantomData<I>,
}

/// The CRC of data that may come in pieces.
#[derive(Clone)]
pub struct Digest<'a, W: Width + Integer, I: Implementation = Table<1>> {
    digest: residue::crc::Digest<W, &'a residue::crc::Crc<W>>,
    implementation: PhantomData<I>,
}

macro_rules! widths {
    ($($integer:ident)*) => {$(
        impl<I: Implementation> Crc<$integer, I> {
            /// Creates the CRC of these parameters.
            pub const fn new(algorithm: &'static Algorithm<$integer>) -> Self {
                let crc = residue::crc::Crc::new(&Params {
                    width: algorithm.width,
                    poly: algorithm.poly as u128,
                    init: algorithm.init as u128,
                    refin: algorithm.refin,
                    refout: algorithm.refout,
                    xorout: algorithm.xorout as u128,
                    ..Params::CUSTOM
                });
                Crc { algorithm, crc, implementation: PhantomData }
            }
        }
    )*};
}
widths!(u8 u16 u32 u64 u128);

impl<W: Width + Integer, I: Implementation> Crc<W, I> {
    /// Returns the CRC of the data.
    pub fn checksum(&self, bytes: &[u8]) -> W {
        self.crc.checksum(bytes)
    }

    /// Starts a digest.
    pub const fn digest(&self) -> Digest<'_, W, I> {
        Digest { digest: self.crc.digest(), implementation: PhantomData }
    }

    /// Starts a digest with another initial register, written as in the parameters.
    pub fn digest_with_initial(&self, initial: W) -> Digest<'_, W, I> {
        let digest = residue::crc::Digest::with_init(&self.crc, initial);
        Digest { digest, implementation: PhantomData }
    }
}

impl<W: Width + Integer, I: Implementation> Digest<'_, W, I> {
    /// Appends data.
    pub fn update(&mut self, bytes: &[u8]) {
        self.digest.update(bytes);
    }

    /// Returns the CRC.
    pub fn finalize(self) -> W {
        self.digest.value()
    }
}
