//! The tier that needs nothing: vectors as arrays, which the compiler may turn into whatever vectors a CPU has.

use super::{ByteDot, CarryLess, CarryLessWide, Crc32cStep, WordDot, tier};
use crate::cpu::Features;

tier!(
    /// Any CPU.
    Portable,
    Features::NONE
);

/// Hides a value from the optimiser, so that the loop around it stays scalar. Free on 64-bit architectures with inline
/// assembly; elsewhere the value goes through memory, which takes some cycles.
#[inline(always)]
pub(crate) fn scalar(mut value: u64) -> u64 {
    #[cfg(all(
        any(
            target_arch = "x86_64",
            target_arch = "aarch64",
            target_arch = "riscv64",
            target_arch = "powerpc64",
            target_arch = "s390x"
        ),
        not(miri)
    ))]
    // SAFETY: the assembly is empty: it reads and writes one register and nothing else.
    unsafe {
        core::arch::asm!("/* {0} */", inout(reg) value, options(pure, nomem, nostack, preserves_flags));
    }
    #[cfg(not(all(
        any(
            target_arch = "x86_64",
            target_arch = "aarch64",
            target_arch = "riscv64",
            target_arch = "powerpc64",
            target_arch = "s390x"
        ),
        not(miri)
    )))]
    {
        value = core::hint::black_box(value);
    }
    value
}

impl WordDot for Portable {
    type V = [i32; 8];
    type Block = [u8; 32];
    const WORDS: usize = 16;

    #[inline(always)]
    fn blocks(self, data: &[u8]) -> (&[[u8; 32]], &[u8]) {
        data.as_chunks()
    }

    #[inline(always)]
    fn zero(self) -> [i32; 8] {
        [0; 8]
    }

    #[inline(always)]
    fn load(self, block: &[u8; 32]) -> [i32; 8] {
        let (pairs, _) = block.as_chunks::<4>();
        core::array::from_fn(|i| (u32::from_le_bytes(pairs[i]) ^ 0x8000_8000) as i32)
    }

    #[inline(always)]
    fn sum(self, lanes: [i32; 8], words: [i32; 8]) -> [i32; 8] {
        core::array::from_fn(|i| lanes[i] + i32::from(words[i] as i16) + (words[i] >> 16))
    }

    #[inline(always)]
    fn weigh(self, lanes: [i32; 8], words: [i32; 8]) -> [i32; 8] {
        core::array::from_fn(|i| {
            let weight = 16 - 2 * i as i32;
            lanes[i] + i32::from(words[i] as i16) * weight + (words[i] >> 16) * (weight - 1)
        })
    }

    #[inline(always)]
    fn add(self, a: [i32; 8], b: [i32; 8]) -> [i32; 8] {
        core::array::from_fn(|i| a[i] + b[i])
    }

    #[inline(always)]
    fn total(self, lanes: [i32; 8]) -> i64 {
        lanes.iter().map(|&lane| i64::from(lane)).sum()
    }
}

impl ByteDot for Portable {
    type V = [u8; 32];
    type Lanes = [u32; 8];
    type Block = [u8; 32];
    const BYTES: usize = 32;

    #[inline(always)]
    fn blocks(self, data: &[u8]) -> (&[[u8; 32]], &[u8]) {
        data.as_chunks()
    }

    #[inline(always)]
    fn zero(self) -> [u32; 8] {
        [0; 8]
    }

    #[inline(always)]
    fn load(self, block: &[u8; 32]) -> [u8; 32] {
        *block
    }

    #[inline(always)]
    fn sum(self, lanes: [u32; 8], bytes: [u8; 32]) -> [u32; 8] {
        core::array::from_fn(|i| {
            lanes[i] + (0..4).map(|k| u32::from(bytes[8 * k + i])).sum::<u32>()
        })
    }

    #[inline(always)]
    fn weigh(self, lanes: [u32; 8], bytes: [u8; 32]) -> [u32; 8] {
        core::array::from_fn(|i| {
            let weighted = |k: usize| (32 - 8 * k - i) as u32 * u32::from(bytes[8 * k + i]);
            lanes[i] + (0..4).map(weighted).sum::<u32>()
        })
    }

    #[inline(always)]
    fn add(self, a: [u32; 8], b: [u32; 8]) -> [u32; 8] {
        core::array::from_fn(|i| a[i] + b[i])
    }

    #[inline(always)]
    fn sum_total(self, lanes: [u32; 8]) -> u64 {
        lanes.iter().map(|&lane| u64::from(lane)).sum()
    }

    #[inline(always)]
    fn weigh_total(self, lanes: [u32; 8]) -> u64 {
        self.sum_total(lanes)
    }
}

impl CarryLess for Portable {
    type V = u128;

    #[inline(always)]
    fn load(self, bytes: &[u8; 16]) -> u128 {
        u128::from_le_bytes(*bytes)
    }

    #[inline(always)]
    fn lane_of(self, lane: u128) -> u128 {
        lane
    }

    #[inline(always)]
    fn bits_of(self, lane: u128) -> u128 {
        lane
    }

    #[inline(always)]
    fn xor(self, a: u128, b: u128) -> u128 {
        a ^ b
    }

    #[inline(always)]
    fn fold(self, v: u128, key: u128, data: u128) -> u128 {
        let (low, high) = ((v as u64, key as u64), ((v >> 64) as u64, (key >> 64) as u64));
        self.mul(low.0, low.1) ^ self.mul(high.0, high.1) ^ data
    }

    #[inline(always)]
    fn reverse(self, v: u128) -> u128 {
        v.swap_bytes()
    }

    #[inline(always)]
    fn shuffle(self, v: u128, index: &[u8; 16]) -> u128 {
        let bytes = v.to_le_bytes();
        u128::from_le_bytes(index.map(|i| if i < 16 { bytes[usize::from(i)] } else { 0 }))
    }

    #[inline(always)]
    fn mul(self, a: u64, b: u64) -> u128 {
        (0..64).fold(0, |sum, bit| {
            let chosen = u128::from(b >> bit & 1).wrapping_neg();
            sum ^ (u128::from(a) << bit & chosen)
        })
    }
}

impl CarryLessWide for Portable {
    type W = [u128; 2];
    type Block = [u8; 32];
    const LANES: usize = 2;

    #[inline(always)]
    fn blocks(self, data: &[u8]) -> (&[[u8; 32]], &[u8]) {
        data.as_chunks()
    }

    #[inline(always)]
    fn load_wide(self, block: &[u8; 32]) -> [u128; 2] {
        let (lanes, _) = block.as_chunks::<16>();
        [u128::from_le_bytes(lanes[0]), u128::from_le_bytes(lanes[1])]
    }

    #[inline(always)]
    fn first_lane(self, lane: u128) -> [u128; 2] {
        [lane, 0]
    }

    #[inline(always)]
    fn all_lanes(self, lane: u128) -> [u128; 2] {
        [lane; 2]
    }

    #[inline(always)]
    fn xor_wide(self, a: [u128; 2], b: [u128; 2]) -> [u128; 2] {
        [a[0] ^ b[0], a[1] ^ b[1]]
    }

    #[inline(always)]
    fn fold_wide(self, v: [u128; 2], key: [u128; 2], data: [u128; 2]) -> [u128; 2] {
        [self.fold(v[0], key[0], data[0]), self.fold(v[1], key[1], data[1])]
    }

    #[inline(always)]
    fn reverse_wide(self, v: [u128; 2]) -> [u128; 2] {
        v.map(u128::swap_bytes)
    }

    #[inline(always)]
    fn lane(self, v: [u128; 2], index: usize) -> u128 {
        v[index % 2]
    }
}

impl Crc32cStep for Portable {
    #[inline(always)]
    fn step8(self, state: u32, word: u64) -> u32 {
        word.to_le_bytes().into_iter().fold(state, |state, byte| self.step1(state, byte))
    }

    #[inline(always)]
    fn step4(self, state: u32, word: u32) -> u32 {
        word.to_le_bytes().into_iter().fold(state, |state, byte| self.step1(state, byte))
    }

    #[inline(always)]
    fn step2(self, state: u32, word: u16) -> u32 {
        word.to_le_bytes().into_iter().fold(state, |state, byte| self.step1(state, byte))
    }

    #[inline(always)]
    fn step1(self, state: u32, byte: u8) -> u32 {
        (0..8).fold(state ^ u32::from(byte), |state, _| {
            (state >> 1) ^ (0x82f6_3b78 & (state & 1).wrapping_neg())
        })
    }
}
