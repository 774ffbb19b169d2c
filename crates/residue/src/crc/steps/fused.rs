//! CRC instructions and carry-less products at once: each block is part scalar, part vector.
//!
//! `docs/kernels.md`, *Instructions and products at once*, derives the method, with a small example
//! and a scalar program. Here the two are finely mixed, because the queues before the units are
//! short. The products that move the register and the chains to the end of a block are added, and
//! one instruction reduces the sum. Accumulators are reduced after the last block only.

use super::{FoldSteps, HasCrcInstruction, HeadShift, reduce, shift_key};
use crate::arch::{CarryLessWide, CrcStep, streamed, tail_bytes};
use crate::body::Body;
use crate::crc::fold::{Keys, gather_tail, to_four};
use core::marker::PhantomData;

/// Folds what is left over, then runs blocks of `BLOCK` bytes.
///
/// A block is `CHAINS` chains of `CHAIN` bytes, then vectors for `SUMS` accumulators, 4 or 8.
pub(crate) struct Fused<
    F,
    const BLOCK: usize,
    const CHAINS: usize,
    const CHAIN: usize,
    const SUMS: usize,
>(PhantomData<F>);

impl<
    F: HasCrcInstruction,
    const BLOCK: usize,
    const CHAINS: usize,
    const CHAIN: usize,
    const SUMS: usize,
> Fused<F, BLOCK, CHAINS, CHAIN, SUMS>
{
    /// The bytes of the chains.
    const SCALAR: usize = CHAINS * CHAIN;

    /// The factors that move each chain's register to the end of its block.
    const TO_END: [u64; CHAINS] = {
        let mut keys = [0; CHAINS];
        let mut chain = 0;
        while chain < CHAINS {
            keys[chain] = shift_key(F::MULTIPLES, (BLOCK - (chain + 1) * CHAIN) as u64);
            chain += 1;
        }
        keys
    };

    /// The factor that moves a register over a block.
    const OVER_BLOCK: u128 = shift_key(F::MULTIPLES, BLOCK as u64) as u128;

    /// Returns the number of groups of vectors in a block, if they have `lanes` lanes; a group has
    /// one vector for each accumulator.
    const fn groups(lanes: usize) -> usize {
        let (vectors, group) = (BLOCK - Self::SCALAR, 16 * lanes * SUMS);
        assert!(vectors.is_multiple_of(group) && (CHAIN / 8).is_multiple_of(vectors / group));
        vectors / group
    }

    /// Returns the factors that move an accumulator from the last group of a block to the first of
    /// the next.
    const fn over_chains(lanes: usize) -> u128 {
        Keys::distance(8 * (Self::SCALAR + 16 * lanes * SUMS) as u64, F::MULTIPLES, true)
    }

    #[inline(always)]
    fn blocks<T: CrcStep<F::Polynomial> + CarryLessWide, const STREAMED: bool>(
        t: T,
        mut register: u32,
        blocks: &[[u8; BLOCK]],
    ) -> u32 {
        let keys = &F::constants().fold;
        let groups = const { Self::groups(T::LANES) };
        // Words of each chain for one group.
        let words = const { CHAIN / 8 / Self::groups(T::LANES) };
        let near = keys.vectors(t, SUMS);
        let far = t.key(const { Self::over_chains(T::LANES) });
        let mut v = [t.key(0); SUMS];
        for block in blocks {
            let (scalar, vectors) = block.split_at(Self::SCALAR);
            let (vectors, _) = t.blocks(vectors);
            let (vectors, _) = vectors.as_chunks::<SUMS>();
            let (chains, _) = scalar.as_chunks::<CHAIN>();
            let mut c = [0; CHAINS];
            let mut key = far;
            for group in 0..groups {
                if STREAMED {
                    for line in BLOCK / 64 * group / groups..BLOCK / 64 * (group + 1) / groups {
                        t.read_ahead(&block.as_chunks::<64>().0[line]);
                    }
                }
                for i in 0..SUMS {
                    // Finely mixed, because the queues before the units are short.
                    for word in words * i / SUMS..words * (i + 1) / SUMS {
                        for (c, chain) in c.iter_mut().zip(chains) {
                            let (chain, _) = chain.as_chunks::<8>();
                            *c = t.step8(*c, u64::from_le_bytes(chain[words * group + word]));
                        }
                    }
                    v[i] = t.fold(v[i], key, t.load_wide(&vectors[group][i]));
                }
                key = near;
            }
            let product = |register: u32, key: u128| {
                t.product::<0x00>(t.lane_of(u128::from(register)), t.lane_of(key))
            };
            let mut sum = product(register, Self::OVER_BLOCK);
            for (c, key) in c.iter().zip(const { &Self::TO_END }) {
                sum = t.xor(sum, product(*c, u128::from(*key)));
            }
            register = t.step8(0, t.low_of(sum));
        }
        let last = to_four(t, keys, v);
        register ^ reduce(t, gather_tail::<T, true>(t, keys, last, &[], 0))
    }
}

impl<
    F: HasCrcInstruction,
    T: CrcStep<F::Polynomial> + CarryLessWide,
    const BLOCK: usize,
    const CHAINS: usize,
    const CHAIN: usize,
    const SUMS: usize,
> Body<T> for Fused<F, BLOCK, CHAINS, CHAIN, SUMS>
{
    type Family = F;
    #[inline(always)]
    fn run(tier: T, (): &(), state: u32, data: &[u8]) -> u32 {
        // What is left over goes before the blocks: they need its register at their end only. A few
        // bytes go behind them where the CPU wants vectors in one cache line each.
        let (data, behind) = data.split_at(data.len() - tail_bytes::<T>(data));
        let (rest, blocks) = data.as_rchunks::<BLOCK>();
        let state = <FoldSteps<F> as Body<T>>::run(tier, &(), state, rest);
        // Two copies of the code: a test in the loop would cost as much as reading ahead.
        let register = if blocks.is_empty() {
            state
        } else if streamed(T::AHEAD, data.len()) {
            Self::blocks::<T, true>(tier, state, blocks)
        } else {
            Self::blocks::<T, false>(tier, state, blocks)
        };
        if T::TAILS && !behind.is_empty() {
            <HeadShift<F> as Body<T>>::run(tier, &(), register, behind)
        } else {
            register
        }
    }
}
