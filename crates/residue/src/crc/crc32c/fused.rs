//! CRC-32C instructions and carry-less products at once: each block is part scalar, part vector.
//!
//! Idea. The two run on different units, and a CRC is linear: the message is the sum of one that has zeros where the vectors
//! go and one that has zeros where the chains of instructions go. The first leaves a register, the second four accumulators,
//! and the two do not meet before the end. A block's chains start from zero, so blocks depend on each other only by the product
//! that moves the register over a block, and the one that moves an accumulator over the chains.
//!
//! A block is [`CHAINS`] chains of [`CHAIN`] bytes, then [`VECTORS`] bytes of vectors: as many bytes for either unit, for on
//! the CPUs this serves, with vectors of two lanes, each takes 8 bytes a cycle. To mix the two is P. Cawley's idea (*fast-crc32*, 2022).

use super::{CRC_32C, Crc32c, FoldSteps, shift_key};
use crate::arch::{CarryLessWide, Crc32cStep, STREAMED_FROM};
use crate::crc::catalog;
use crate::crc::fold::{Keys, fold_on};
use crate::kernel::Body;

const CHAINS: usize = 4;
const CHAIN: usize = 128;
const SCALAR: usize = CHAINS * CHAIN;
const VECTORS: usize = 512;
const BLOCK: usize = SCALAR + VECTORS;

/// What moves each chain's register to the end of its block.
static TO_END: [u64; CHAINS] = {
    let mut keys = [0; CHAINS];
    let mut chain = 0;
    while chain < CHAINS {
        keys[chain] = shift_key((BLOCK - (chain + 1) * CHAIN) as u64);
        chain += 1;
    }
    keys
};
/// What moves a register over a block.
const OVER_BLOCK: u128 = shift_key(BLOCK as u64) as u128;

/// What moves an accumulator from the last group of four vectors of `lanes` lanes in a block to the first of the next.
const fn over_chains(lanes: usize) -> u128 {
    let poly = (catalog::CRC_32_ISCSI.poly as u64) << 32;
    Keys::distance(8 * (SCALAR + 64 * lanes) as u64, poly, true)
}

/// Blocks, then folding.
pub(super) struct Fused;

impl<T: Crc32cStep + CarryLessWide> Body<T> for Fused {
    type Family = Crc32c;
    #[inline(always)]
    fn run(tier: T, (): &(), state: u32, data: &[u8]) -> u32 {
        match CRC_32C.constants() {
            Some(constants) if data.len() >= BLOCK => {
                let (blocks, rest) = data.as_chunks::<BLOCK>();
                // Two copies of the code: in the loop the question would cost as much as the reading ahead.
                let state = if data.len() >= STREAMED_FROM {
                    run::<T, true>(tier, &constants.fold, state, blocks)
                } else {
                    run::<T, false>(tier, &constants.fold, state, blocks)
                };
                <FoldSteps as Body<T>>::run(tier, &(), state, rest)
            }
            _ => <FoldSteps as Body<T>>::run(tier, &(), state, data),
        }
    }
}

#[inline(always)]
fn run<T: Crc32cStep + CarryLessWide, const STREAMED: bool>(
    t: T,
    keys: &Keys,
    mut state: u32,
    blocks: &[[u8; BLOCK]],
) -> u32 {
    let count = const { VECTORS / (16 * T::LANES) };
    let near = keys.vectors(t, 4);
    let far = t.key(const { over_chains(T::LANES) });
    let mut v: Option<[T::W; 4]> = None;
    for block in blocks {
        let (scalar, vectors) = block.split_at(SCALAR);
        let (vectors, _) = t.blocks(vectors);
        let (chains, _) = scalar.as_chunks::<CHAIN>();
        let mut c = [0; CHAINS];
        let mut next = [t.load_wide(&vectors[0]); 4];
        for (i, vector) in vectors[..count].iter().enumerate() {
            if STREAMED {
                for line in BLOCK / 64 * i / count..BLOCK / 64 * (i + 1) / count {
                    t.read_ahead(&block.as_chunks::<64>().0[line]);
                }
            }
            // Finely mixed: the queues before the units are short.
            for word in CHAIN / 8 * i / count..CHAIN / 8 * (i + 1) / count {
                for (c, chain) in c.iter_mut().zip(chains) {
                    let (chain, _) = chain.as_chunks::<8>();
                    *c = t.step8(*c, u64::from_le_bytes(chain[word]));
                }
            }
            let vector = t.load_wide(vector);
            next[i % 4] = match v {
                _ if i >= 4 => t.fold(next[i % 4], near, vector),
                Some(v) => t.fold(v[i], far, vector),
                None => vector,
            };
        }
        v = Some(next);
        let mut sum = t.product::<0x00>(t.lane_of(u128::from(state)), t.lane_of(OVER_BLOCK));
        for (c, key) in c.iter().zip(&TO_END) {
            let key = t.lane_of(u128::from(*key));
            sum = t.xor(sum, t.product::<0x00>(t.lane_of(u128::from(*c)), key));
        }
        state = t.step8(0, t.low_of(sum));
    }
    match v {
        Some(v) => {
            let lane = fold_on::<T, true>(t, keys, v, &[]);
            let (low, high) = (t.low_of(lane), t.low_of(t.high_down(lane)));
            state ^ t.step8(t.step8(0, low), high)
        }
        None => state,
    }
}
