//! Instructions that divide by one polynomial of degree 32.

use super::Tier;

/// A polynomial that some CPU has an instruction for.
pub(crate) trait Polynomial: 'static {
    /// Its coefficients without that of x^32, bit i that of x^i.
    const POLY: u32;
}

/// Castagnoli's polynomial: x86-64 and aarch64 divide by it.
pub(crate) struct Castagnoli;

impl Polynomial for Castagnoli {
    const POLY: u32 = 0x1edc_6f41;
}

/// The polynomial of Ethernet: aarch64 divides by it.
pub(crate) struct Ethernet;

impl Polynomial for Ethernet {
    const POLY: u32 = 0x04c1_1db7;
}

/// The instruction that divides by the polynomial `P`, lowest bit first.
pub(crate) trait CrcStep<P: Polynomial>: Tier {
    /// The register after the eight bytes of `word`, lowest first.
    fn step8(self, register: u32, word: u64) -> u32;
    /// The register after the four bytes of `word`, lowest first.
    fn step4(self, register: u32, word: u32) -> u32;
    /// The register after the two bytes of `word`, lowest first.
    fn step2(self, register: u32, word: u16) -> u32;
    /// The register after one byte.
    fn step1(self, register: u32, byte: u8) -> u32;
}
