//! Division bit by bit, in place of an instruction.

use super::Portable;
use crate::arch::{CrcStep, Polynomial};

impl<P: Polynomial> CrcStep<P> for Portable {
    #[inline(always)]
    fn step8(self, register: u32, word: u64) -> u32 {
        steps::<P>(register, &word.to_le_bytes())
    }

    #[inline(always)]
    fn step4(self, register: u32, word: u32) -> u32 {
        steps::<P>(register, &word.to_le_bytes())
    }

    #[inline(always)]
    fn step2(self, register: u32, word: u16) -> u32 {
        steps::<P>(register, &word.to_le_bytes())
    }

    #[inline(always)]
    fn step1(self, register: u32, byte: u8) -> u32 {
        steps::<P>(register, &[byte])
    }
}

#[inline(always)]
fn steps<P: Polynomial>(register: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(register, |register, byte| {
        (0..8).fold(register ^ u32::from(*byte), |register, _| {
            (register >> 1) ^ (P::POLY.reverse_bits() & (register & 1).wrapping_neg())
        })
    })
}
