//! Sums on arrays.

use super::Portable;
use crate::arch::{ByteDot, WordDot};

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
