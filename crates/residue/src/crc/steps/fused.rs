//! CRC instructions and carry-less products at once: each block is part scalar, part vector.
//!
//! CRC instructions and carry-less products run on different units of a CPU, so a kernel that uses
//! both at once can be faster than either (P. Cawley, *fast-crc32*, 2022). The data are divided
//! between them.
//!
//! **Identity.** By rule 2 of [`gf2`](crate::crc::gf2), a message is the sum of parts that have
//! zeros in place of each other, and its register from zero is the xor of theirs. By rule 3 the
//! zeros before a part have no effect, and the n bytes after it multiply its register by x^(8n) mod
//! P: one carry-less product, as that factor is a constant. The parts can therefore be computed
//! side by side, each from zero, whatever the method: the chains of [`three_way`](super::three_way)
//! and those of tables, too.
//!
//! **By hand.** P = 13, message b2 4d: one unit takes b2, the other 4d.
//!
//! ```text
//! CRC of b2 = 7,   times x^8 mod P:   7 5 = 1b, modulo P 8      CRC of b2 00
//! CRC of 4d = 3                                                 CRC of 00 4d
//! 8 ^ 3 = b                                                     CRC of b2 4d
//! ```
//!
//! A *chain* is a sequence of CRC instructions over adjacent words. An instruction takes two or
//! three cycles and one or more can start in each, so one unit runs several chains, over adjacent
//! segments. A block is a few chains, then vectors:
//!
//! ```text
//! | chain 0 | chain 1 | chain 2 | vectors            | chain 0 | chain 1 | ...
//! ```
//!
//! The chains' registers are moved to the end of the block and added there to the register, which
//! is moved over the block. Accumulators are folded from one group of vectors to the next, and over
//! the chains between two blocks. Chains and accumulators meet only at the end of the data.
//!
//! **Program.** CRC-32C, in blocks of three chains of 24 bytes and eight lanes for four
//! accumulators. As for [folding](crate::crc::fold), a register is normalised to 64 bits and bits
//! are reversed: then the register and the polynomial are the lower 32 bits.
//!
//! ```rust
//! const POLY: u64 = 0x82f6_3b78;
//! const CHAIN: usize = 24;
//! const BLOCK: usize = 3 * CHAIN + 128;
//!
//! /// a x mod P; bit 63 - i is the coefficient of x^i.
//! fn times_x(a: u64) -> u64 {
//!     a >> 1 ^ if a & 1 == 1 { POLY } else { 0 }
//! }
//!
//! /// x^n mod P.
//! fn power(n: usize) -> u64 {
//!     (0..n).fold(1 << 63, |a, _| times_x(a))
//! }
//!
//! /// The carry-less product, an instruction in the kernels.
//! fn product(a: u64, b: u64) -> u128 {
//!     (0..64).filter(|&i| b >> i & 1 == 1).fold(0, |sum, i| sum ^ u128::from(a) << i)
//! }
//!
//! /// Moves a lane forward by a number of bytes.
//! fn fold(lane: u128, bytes: usize) -> u128 {
//!     let (high, low) = (lane as u64, (lane >> 64) as u64);
//!     product(high, power(8 * bytes + 63)) ^ product(low, power(8 * bytes - 1))
//! }
//!
//! /// The register after some bytes, in the kernels by CRC instructions.
//! fn crc(register: u64, bytes: &[u8]) -> u64 {
//!     bytes.iter().fold(register, |register, byte| {
//!         (0..8).fold(register ^ u64::from(*byte), |a, _| times_x(a))
//!     })
//! }
//!
//! /// Moves a register over zero bytes: it starts a lane of zeros, which is folded onto the last
//! /// 16 of them.
//! fn over(register: u64, bytes: usize) -> u64 {
//!     crc(0, &fold(register.into(), bytes - 16).to_le_bytes())
//! }
//!
//! fn crc32c(data: &[u8]) -> u32 {
//!     let (blocks, rest) = data.as_chunks::<BLOCK>();
//!     let (mut register, mut lanes) = (0xffff_ffff, [0; 4]);
//!     for block in blocks {
//!         let (segments, vectors) = block.split_at(3 * CHAIN);
//!         // One unit runs the chains,
//!         register = over(register, BLOCK);
//!         for (i, segment) in segments.chunks(CHAIN).enumerate() {
//!             register ^= over(crc(0, segment), BLOCK - (i + 1) * CHAIN);
//!         }
//!         // the other folds, first over the chains.
//!         let mut distance = 64 + 3 * CHAIN;
//!         for group in vectors.chunks(64) {
//!             for (lane, next) in lanes.iter_mut().zip(group.as_chunks::<16>().0) {
//!                 *lane = fold(*lane, distance) ^ u128::from_le_bytes(*next);
//!             }
//!             distance = 64;
//!         }
//!     }
//!     // The accumulators are the last 64 bytes of a message of zeros.
//!     let folded = lanes.iter().fold(0, |register, lane| crc(register, &lane.to_le_bytes()));
//!     !crc(register ^ folded, rest) as u32
//! }
//!
//! assert_eq!(crc32c(b"123456789"), 0xe306_9283);
//! let data: Vec<u8> = (0..=255).cycle().take(5000).collect();
//! assert_eq!(crc32c(&data), residue::crc32c(&data));
//! ```
//!
//!
//! **In the kernels** the two are finely mixed, because the queues before the units are short. The
//! products that move the register and the chains to the end of a block are added, and one
//! instruction reduces the sum. Accumulators are reduced after the last block only. The rest of the
//! data is folded, and goes *before* the blocks: the first of them needs the register at its end
//! only, so that nothing waits for the reduction.

use super::chain::HeadShift;
use super::fold::{FoldSteps, reduce};
use super::shift::{HasCrcInstruction, shift_key};
use crate::arch::{CarryLessWide, CrcStep, in_order, streamed, tail_bytes};
use crate::body::{Body, Edges};
use crate::crc::fold::{gather_tail, to_four};
use crate::crc::keys::Keys;
use core::marker::PhantomData;

/// The least length from which to read ahead, if the tier and the CPU do.
///
/// Chains and vectors are read at two places, so less time is lost where data come from memory.
/// On an Emerald Rapids (2026-11-29) reading ahead gains 2 % there at 32 KiB and 6 % from 256 KiB
/// on; where data are in a cache, it costs up to 4 % and 2 % (docs/speed/peers.md).
const AHEAD_FROM: usize = 256 << 10;

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
        let blocks_ahead = T::AHEAD.map_or(0, |way| way.distance().div_ceil(BLOCK));
        let mut v = [t.key(0); SUMS];
        for (at, block) in blocks.iter().enumerate() {
            let (scalar, vectors) = block.split_at(Self::SCALAR);
            let (vectors, _) = t.blocks(vectors);
            let (vectors, _) = vectors.as_chunks::<SUMS>();
            let (chains, _) = scalar.as_chunks::<CHAIN>();
            let mut c = [0; CHAINS];
            let mut key = far;
            let (lines, _) = blocks.get(at + blocks_ahead).unwrap_or(block).as_chunks::<64>();
            for group in 0..groups {
                if STREAMED {
                    let [from, to] = [group, group + 1].map(|at| BLOCK / 64 * at / groups);
                    t.prefetch(&lines[from..to]);
                }
                for i in 0..SUMS {
                    // Finely mixed, because the queues before the units are short.
                    for word in words * i / SUMS..words * (i + 1) / SUMS {
                        for (c, chain) in c.iter_mut().zip(chains) {
                            let (chain, _) = chain.as_chunks::<8>();
                            *c = t.step8(*c, u64::from_le_bytes(chain[words * group + word]));
                            in_order();
                        }
                    }
                    v[i] = t.fold(v[i], key, t.load_wide(&vectors[group][i]));
                    in_order();
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
    const EDGES: Edges = Edges::of(&[BLOCK], &[<FoldSteps<F> as Body<T>>::EDGES]);
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
        } else if data.len() >= AHEAD_FROM && streamed(T::AHEAD, data.len()) {
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
