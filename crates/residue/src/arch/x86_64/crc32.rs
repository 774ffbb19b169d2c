//! The `crc32` instruction.

use super::{Avx2Vpclmul, Avx512Vpclmul, Sse42, Sse42Pclmul};
use crate::arch::ops;
use crate::arch::{Castagnoli, CrcStep};
use core::arch::x86_64::*;

macro_rules! crc_step {
    ($($tier:ty),*) => {$(
        impl CrcStep<Castagnoli> for $tier {
            ops! {
                fn step8(self, register: u32, word: u64) -> u32 {
                    _mm_crc32_u64(u64::from(register), word) as u32
                }
                fn step4(self, register: u32, word: u32) -> u32 { _mm_crc32_u32(register, word) }
                fn step2(self, register: u32, word: u16) -> u32 { _mm_crc32_u16(register, word) }
                fn step1(self, register: u32, byte: u8) -> u32 { _mm_crc32_u8(register, byte) }
            }
        }
    )*};
}
crc_step!(Sse42, Sse42Pclmul, Avx2Vpclmul, Avx512Vpclmul);
