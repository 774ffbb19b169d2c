//! Carry-less arithmetic and the CRC-32C step on integers.

use super::Portable;
use crate::arch::{CarryLess, CarryLessWide, Crc32cStep};

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
