//! Instructions that divide by one polynomial of degree 32.

use crate::body::Tier;

/// A polynomial with an instruction on some CPU.
pub(crate) trait Polynomial: 'static {
    /// The coefficients without that of x^32; bit i is that of x^i.
    const POLY: u32;
}

/// Castagnoli's polynomial, with instructions on x86-64 and aarch64.
pub(crate) struct Castagnoli;

impl Polynomial for Castagnoli {
    const POLY: u32 = 0x1edc_6f41;
}

/// The polynomial of Ethernet, with instructions on aarch64.
pub(crate) struct Ethernet;

impl Polynomial for Ethernet {
    const POLY: u32 = 0x04c1_1db7;
}

/// The instruction that divides by the polynomial `P`, lowest bit first.
pub(crate) trait CrcStep<P: Polynomial>: Tier {
    /// Returns the register after the eight bytes of `word`, lowest first.
    fn step8(self, register: u32, word: u64) -> u32;
    /// Returns the register after the four bytes of `word`, lowest first.
    fn step4(self, register: u32, word: u32) -> u32;
    /// Returns the register after the two bytes of `word`, lowest first.
    fn step2(self, register: u32, word: u16) -> u32;
    /// Returns the register after one byte.
    fn step1(self, register: u32, byte: u8) -> u32;
}
