//! The CRC instructions.

use super::{Crc, CrcPmull, CrcPmullEor3};
use crate::arch::ops;
use crate::arch::{Castagnoli, CrcStep, Ethernet};
use core::arch::aarch64::*;

macro_rules! crc_step {
    ($polynomial:ty, $step8:ident, $step4:ident, $step2:ident, $step1:ident: $($tier:ty),*) => {$(
        impl CrcStep<$polynomial> for $tier {
            ops! {
                fn step8(self, register: u32, word: u64) -> u32 { $step8(register, word) }
                fn step4(self, register: u32, word: u32) -> u32 { $step4(register, word) }
                fn step2(self, register: u32, word: u16) -> u32 { $step2(register, word) }
                fn step1(self, register: u32, byte: u8) -> u32 { $step1(register, byte) }
            }
        }
    )*};
}
crc_step!(Castagnoli, __crc32cd, __crc32cw, __crc32ch, __crc32cb: Crc, CrcPmull, CrcPmullEor3);
crc_step!(Ethernet, __crc32d, __crc32w, __crc32h, __crc32b: Crc, CrcPmull, CrcPmullEor3);
