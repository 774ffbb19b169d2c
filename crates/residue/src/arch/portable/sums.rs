//! Sums on arrays.

use super::Portable;
use crate::arch::sums::{Bytes, Load, Unit, Weighted, WordSum, Words, few32};

impl Load for Portable {
    type V = [u8; 32];
    type Block = [u8; 32];
    const BYTES: usize = 32;
    const MASKS: bool = true;

    #[inline(always)]
    fn blocks(self, data: &[u8]) -> (&[[u8; 32]], &[u8]) {
        data.as_chunks()
    }

    #[inline(always)]
    fn null(self) -> [u8; 32] {
        [0; 32]
    }

    #[inline(always)]
    fn load(self, block: &[u8; 32]) -> [u8; 32] {
        *block
    }

    #[inline(always)]
    fn load_low(self, data: &[u8], from: usize) -> [u8; 32] {
        core::array::from_fn(|i| *data.get(from + i).unwrap_or(&0))
    }
}

/// Returns a word in the form that the vectors' multiply-adds take.
#[inline(always)]
fn biased(v: &[u8], word: usize) -> i32 {
    i32::from(u16::from_le_bytes([v[2 * word], v[2 * word + 1]])) - 32768
}

impl WordSum for Portable {
    type Lanes = [i32; 8];
    const BIAS: i32 = 32768;
    const WORDS_TO: usize = 0;
    type Narrow = Self;

    #[inline(always)]
    fn narrow(self) -> Self {
        self
    }

    #[inline(always)]
    fn lanes(self, each: i32) -> [i32; 8] {
        [each; 8]
    }

    #[inline(always)]
    fn sum(self, lanes: [i32; 8], v: [u8; 32], twice: bool) -> [i32; 8] {
        let first = if twice { 2 } else { 1 };
        core::array::from_fn(|i| lanes[i] + first * biased(&v, 2 * i) + biased(&v, 2 * i + 1))
    }

    #[inline(always)]
    fn add(self, a: [i32; 8], b: [i32; 8]) -> [i32; 8] {
        core::array::from_fn(|i| a[i] + b[i])
    }

    #[inline(always)]
    fn packed(self, lanes: [i32; 8]) -> u64 {
        let sum = |first| lanes.iter().skip(first).step_by(2).map(|&lane| lane as u64).sum::<u64>();
        sum(0) | sum(1) << 32
    }

    #[inline(always)]
    fn total(self, lanes: [i32; 8]) -> u64 {
        signed_total(lanes) as u64
    }

    #[inline(always)]
    fn columns(self, even: [i32; 8], odd: [i32; 8]) -> u64 {
        let lanes = self.add(even, odd).into_iter().zip([14, 12, 10, 8, 6, 4, 2, 0]);
        lanes.map(|(lane, bits)| (lane as u64) << bits).sum()
    }
}

fn signed_total(lanes: [i32; 8]) -> i64 {
    lanes.iter().map(|&lane| i64::from(lane)).sum()
}

/// Conversion of a vector's units to 32-bit lanes.
pub(crate) trait Units: Unit {
    const PER_STEP: usize = 128 / Self::BYTES;
    const BIAS: i64;
    const STEPS: usize;
    fn unit(v: &[u8; 32], i: usize) -> i32;
}

impl Units for Bytes {
    const BIAS: i64 = 0;
    const STEPS: usize = 1024;
    #[inline(always)]
    fn unit(v: &[u8; 32], i: usize) -> i32 {
        i32::from(v[i])
    }
}

impl Units for Words {
    const BIAS: i64 = 32768;
    const STEPS: usize = 128;
    #[inline(always)]
    fn unit(v: &[u8; 32], i: usize) -> i32 {
        biased(v, i)
    }
}

/// The sums in eight lanes, as in vectors of 32 bytes; in debug builds, additions check their
/// bounds.
#[derive(Clone, Copy)]
pub(crate) struct Sums {
    plain: [i32; 8],
    earlier: [i32; 8],
    weighted: [i32; 8],
}

impl<U: Units> Weighted<U> for Portable {
    type Sums = Sums;
    const BIAS: i64 = U::BIAS;
    const CENTRE: i32 = U::PER_STEP as i32 / 2;
    const STEPS: usize = U::STEPS;

    #[inline(always)]
    fn zero(self) -> Sums {
        Sums { plain: [0; 8], earlier: [0; 8], weighted: [0; 8] }
    }

    #[inline(always)]
    fn step(self, mut sums: Sums, v: [[u8; 32]; 4]) -> Sums {
        sums.earlier = self.add(sums.earlier, sums.plain);
        for e in 0..U::PER_STEP {
            let per_vector = U::PER_STEP / 4;
            let unit = U::unit(&v[e / per_vector], e % per_vector);
            let lane = e % per_vector * U::BYTES / 4;
            sums.plain[lane] += unit;
            let weight = U::PER_STEP as i32 - e as i32 - <Self as Weighted<U>>::CENTRE;
            sums.weighted[lane] += weight * unit;
        }
        sums
    }

    #[inline(always)]
    fn totals32(self, sums: Sums) -> [u32; 2] {
        <Self as Weighted<U>>::totals64(self, sums).map(|sum| sum as u32)
    }

    #[inline(always)]
    fn totals64(self, sums: Sums) -> [i64; 2] {
        let earlier = U::PER_STEP as i64 * signed_total(sums.earlier);
        [signed_total(sums.plain), signed_total(sums.weighted) + earlier]
    }

    #[inline(always)]
    fn few<const K: usize>(self, vectors: [[u8; 32]; K], units: usize) -> (u32, u32) {
        let mut step = [[0; 32]; 4];
        if <U as Units>::BIAS != 0 {
            // A zero word counts as the smallest: make those before the first vector neutral.
            step = [core::array::from_fn(|i| if i % 2 == 1 { 0x80 } else { 0 }); 4];
        }
        step[4 - K..].copy_from_slice(&vectors);
        let sums = <Self as Weighted<U>>::step(self, <Self as Weighted<U>>::zero(self), step);
        few32::<Self, U, K>(<Self as Weighted<U>>::totals32(self, sums), units)
    }
}
