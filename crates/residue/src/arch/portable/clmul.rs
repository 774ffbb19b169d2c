//! Carry-less arithmetic on integers.

use super::Portable;
use crate::arch::clmul::integer_lanes;
use crate::arch::{CarryLess, CarryLessWide, Head};
use core::array::from_fn;

impl CarryLess for Portable {
    integer_lanes!();

    #[inline(always)]
    fn product<const HALVES: i32>(self, a: u128, b: u128) -> u128 {
        let half = |v: u128, high: bool| if high { v >> 64 } else { v & u128::from(u64::MAX) };
        mul(half(a, HALVES & 0x01 != 0), half(b, HALVES & 0x10 != 0))
    }
}

/// Returns the carry-less product of 64-bit numbers.
#[inline(always)]
fn mul(a: u128, b: u128) -> u128 {
    (0..64).fold(0, |sum, bit| {
        let chosen = (b >> bit & 1).wrapping_neg();
        sum ^ (a << bit & chosen)
    })
}

/// Four lanes, as in the widest vectors.
impl CarryLessWide for Portable {
    type W = [u128; 4];
    type Narrow = Self;
    type Block = [u8; 64];
    const LANES: usize = 4;
    const TAILS: bool = true;

    #[inline(always)]
    fn narrow(self) -> Self {
        self
    }

    #[inline(always)]
    fn blocks(self, data: &[u8]) -> (&[[u8; 64]], &[u8]) {
        data.as_chunks()
    }

    #[inline(always)]
    fn load_wide(self, block: &[u8; 64]) -> [u128; 4] {
        let (lanes, _) = block.as_chunks();
        from_fn(|i| u128::from_le_bytes(lanes[i]))
    }

    #[inline(always)]
    fn keys(self, table: &[u128; 17], first: usize) -> [u128; 4] {
        from_fn(|i| table[first + i])
    }

    #[inline(always)]
    fn key(self, key: u128) -> [u128; 4] {
        [key; 4]
    }

    #[inline(always)]
    fn xor_wide(self, a: [u128; 4], b: [u128; 4]) -> [u128; 4] {
        from_fn(|i| a[i] ^ b[i])
    }

    #[inline(always)]
    fn fold(self, v: [u128; 4], key: [u128; 4], data: [u128; 4]) -> [u128; 4] {
        from_fn(|i| {
            let low = self.product::<0x00>(v[i], key[i]);
            let high = self.product::<0x11>(v[i], key[i]);
            low ^ high ^ data[i]
        })
    }

    #[inline(always)]
    fn reverse(self, v: [u128; 4]) -> [u128; 4] {
        v.map(u128::swap_bytes)
    }

    #[inline(always)]
    fn last_lane(self, v: [u128; 4]) -> [u128; 4] {
        [0, 0, 0, v[3]]
    }

    #[inline(always)]
    fn tail(self, v: [u128; 4], last: &[u8; 64], bytes: usize) -> [[u128; 4]; 2] {
        let mut message = [0; 128];
        for (i, lane) in v.iter().enumerate() {
            message[64 - bytes + 16 * i..][..16].copy_from_slice(&lane.to_le_bytes());
        }
        message[128 - bytes..].copy_from_slice(&last[64 - bytes..]);
        let (blocks, _) = message.as_chunks();
        [self.load_wide(&blocks[0]), self.load_wide(&blocks[1])]
    }

    #[inline(always)]
    fn sum_lanes(self, v: [u128; 4]) -> u128 {
        v[0] ^ v[1] ^ v[2] ^ v[3]
    }

    #[inline(always)]
    fn head(self, data: &[u8], register: u128) -> Head<[u128; 4]> {
        let bytes = data.len().wrapping_sub(1) % 64 + 1;
        let mut message = [0; 128];
        message[64 - bytes..64].copy_from_slice(&data[..bytes]);
        for (byte, added) in message[64 - bytes..].iter_mut().zip(register.to_le_bytes()) {
            *byte ^= added;
        }
        let (blocks, _) = message.as_chunks();
        Head { first: self.load_wide(&blocks[0]), spill: self.load_wide(&blocks[1]), bytes }
    }
}

// Only for tests: with all sets of taps it would double the time to compile the crate.
#[cfg(test)]
impl crate::arch::ByteMatrix for Portable {
    #[inline(always)]
    fn matrix(self, rows: u64) -> [u128; 4] {
        [u128::from(rows); 4]
    }

    #[inline(always)]
    fn multiply(self, v: [u128; 4], matrix: [u128; 4]) -> [u128; 4] {
        let rows = (matrix[0] as u64).to_be_bytes();
        let product = |byte: u8| {
            let bit = |i: usize| ((rows[i] & byte).count_ones() as u8 & 1) << i;
            (0..8).fold(0, |sum, i| sum | bit(i))
        };
        v.map(|lane| u128::from_le_bytes(lane.to_le_bytes().map(product)))
    }
}
