//! The two sums behind Fletcher and Adler over a block of items x_0, ..., x_(N-1): S = sum x_i and
//! W = sum (N - i) x_i, from vectors.
//!
//! From a start (A, B), the block's end is A' = A + S and B' = B + N A + W.
//!
//! Idea. A step is `C` = four vectors of `L` items, each with accumulators of its own, so that no instruction waits for the
//! one before. Accumulator j keeps, in separate lanes: `s`, the sum of its items; `w`, their sum weighted L..1 by place
//! in the vector; and `earlier`, the sum of all values `s` had at the start of each step, which counts every item once
//! for each later step. An item of vector j of a step with r steps behind it has weight C L r + L (C - 1 - j) + (L - place),
//! hence
//!
//! ```text
//! W = sum over j of: C L earlier_j + L (C - 1 - j) s_j + w_j
//! ```

use crate::arch::{ByteDot, WordDot};

/// Hands `absorb` the number of items, S and W of each block of bytes, and returns the bytes that fill no vector.
#[inline(always)]
pub(crate) fn blocks_of_bytes<T: ByteDot>(
    tier: T,
    data: &[u8],
    mut absorb: impl FnMut(u64, u64, u64),
) -> &[u8] {
    let (vectors, rest) = tier.blocks(data);
    let (steps, single) = vectors.as_chunks::<4>();
    for block in steps.chunks(BYTE_STEPS) {
        let (sum, weight) = bytes(tier, block);
        absorb((block.len() * 4 * T::BYTES) as u64, sum, weight);
    }
    if !single.is_empty() {
        let (sum, weight) = bytes(tier, single.as_chunks::<1>().0);
        absorb((single.len() * T::BYTES) as u64, sum, weight);
    }
    rest
}

/// The same for little-endian words; the bytes that fill no vector begin at a whole word.
#[inline(always)]
pub(crate) fn blocks_of_words<T: WordDot>(
    tier: T,
    data: &[u8],
    mut absorb: impl FnMut(u64, u64, u64),
) -> &[u8] {
    let (vectors, rest) = tier.blocks(data);
    let (steps, single) = vectors.as_chunks::<4>();
    for block in steps.chunks(WORD_STEPS) {
        let (sum, weight) = words(tier, block);
        absorb((block.len() * 4 * T::WORDS) as u64, sum, weight);
    }
    if !single.is_empty() {
        let (sum, weight) = words(tier, single.as_chunks::<1>().0);
        absorb((single.len() * T::WORDS) as u64, sum, weight);
    }
    rest
}

/// S and W of bytes. At most [`BYTE_STEPS`] steps.
#[inline(always)]
fn bytes<T: ByteDot, const C: usize>(tier: T, steps: &[[T::Block; C]]) -> (u64, u64) {
    let mut sums = [tier.zero(); C];
    let mut earlier = [tier.zero(); C];
    let mut weighted = [tier.zero(); C];
    for step in steps {
        for j in 0..C {
            let bytes = tier.load(&step[j]);
            earlier[j] = tier.add(earlier[j], sums[j]);
            sums[j] = tier.sum(sums[j], bytes);
            weighted[j] = tier.weigh(weighted[j], bytes);
        }
    }
    let (mut sum, mut weight) = (0, 0);
    for j in 0..C {
        let s = tier.sum_total(sums[j]);
        sum += s;
        weight += (C * T::BYTES) as u64 * tier.sum_total(earlier[j])
            + (T::BYTES * (C - 1 - j)) as u64 * s
            + tier.weigh_total(weighted[j]);
    }
    (sum, weight)
}

// The bounds are those of 64-byte vectors with a lane for every four bytes; narrower ones stay below them.

/// Bytes: a 32-bit lane of `sum` gains at most 1020 a step, one of `weigh` 63750, so one of `earlier` reaches
/// 1020 M (M - 1) / 2 in M steps.
const BYTE_STEPS: usize = 2048;
const _: () = {
    let m = BYTE_STEPS as u64;
    assert!(1020 * m * (m - 1) / 2 <= u32::MAX as u64 && 63750 * m <= u32::MAX as u64);
};

/// S and W of little-endian 16-bit words. At most [`WORD_STEPS`] steps.
///
/// The lanes hold signed sums of w - 32768; the bias is added back here.
#[inline(always)]
fn words<T: WordDot, const C: usize>(tier: T, steps: &[[T::Block; C]]) -> (u64, u64) {
    let mut sums = [tier.zero(); C];
    let mut earlier = [tier.zero(); C];
    let mut weighted = [tier.zero(); C];
    for step in steps {
        for j in 0..C {
            let words = tier.load(&step[j]);
            earlier[j] = tier.add(earlier[j], sums[j]);
            sums[j] = tier.sum(sums[j], words);
            weighted[j] = tier.weigh(weighted[j], words);
        }
    }
    let per_vector = T::WORDS as i64;
    let (mut sum, mut weight) = (0i64, 0i64);
    for j in 0..C {
        let s = tier.total(sums[j]);
        sum += s;
        weight += C as i64 * per_vector * tier.total(earlier[j])
            + per_vector * (C - 1 - j) as i64 * s
            + tier.total(weighted[j]);
    }
    let items = C as i64 * per_vector * steps.len() as i64;
    ((sum + 32768 * items) as u64, (weight + 32768 * (items * (items + 1) / 2)) as u64)
}

/// Words: a lane of `sum` moves by at most 65536 a step, so one of `earlier` by 65536 M (M - 1) / 2 in M steps; one of
/// `weigh` by at most 65536 * 32 a step.
const WORD_STEPS: usize = 256;
const _: () = {
    let m = WORD_STEPS as u64;
    assert!(65536 * m * (m - 1) / 2 <= i32::MAX as u64 && 65536 * 32 * m <= i32::MAX as u64);
};
