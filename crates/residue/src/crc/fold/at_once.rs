//! Data of up to 64 bytes, by one way for all lengths.
//!
//! Idea. Where lengths vary, branches on them mispredict, and that takes longer than the products
//! of such data. Here the data are loaded under a mask. The zeros behind them multiply the message
//! by a power of x, and the constants divide by it ([`powers`](crate::crc::powers)).

use super::lanes::{reduce64, reduce128, register_lane};
use crate::arch::{CarryLess, CarryLessMasked, laid_out_behind, scalar};
use crate::body::{Body, Edges};
use crate::crc::family::CompiledIn;
use crate::crc::keys::Keys;
use crate::crc::width::Width;
use core::marker::PhantomData;

/// Multiplies data of up to 64 bytes at once, and runs `B` for longer data.
///
/// Two lengths, those of numbers and of addresses, go by words, which has less latency; and so do
/// empty data, whose address may be in an absent page, where a load under a mask takes 90 ns.
///
/// On Zen 4, CRC-32 of 1 to 64 bytes at random takes 7 ns, lane by lane 13; of one length from 17
/// on 5.2 to 5.5, lane by lane 4.9 to 5.7 (2026-11-28, `cargo xtask rivals -c crc-32 -m
/// mixed,throughput`).
pub(crate) struct AtOnceOr<N, B>(PhantomData<(N, B)>);

impl<N: CompiledIn, T: CarryLessMasked, B: Body<T, Family = N>> Body<T> for AtOnceOr<N, B> {
    type Family = N;
    const EDGES: Edges = B::EDGES;
    #[inline(always)]
    fn run(t: T, (): &(), state: N::Word, data: &[u8]) -> N::Word {
        let n = data.len();
        if n > 64 {
            laid_out_behind();
            return B::run(t, &(), state, data);
        }
        // One comparison for 0, 8 and 16: for a list the compiler branches on `n <= 16` first,
        // which mispredicts.
        let few_words = n.rotate_right(3) <= 2;
        let keys = &N::constants().fold;
        let register = if few_words {
            words::<T>(t, keys, state.into(), data)
        } else {
            let register = register_lane::<T, true>(t, state.into());
            // Kept apart: the two ways would end in one, to which this one would jump.
            scalar(reduce64::<T, true>(t, keys, t.dot(data, register, N::powers().from(n))))
        };
        N::Word::of_low(register.into())
    }
}

/// Computes the register after 0, 8 or 16 bytes.
#[inline(always)]
fn words<T: CarryLess>(t: T, keys: &Keys, state: u64, data: &[u8]) -> u64 {
    debug_assert!(matches!(data.len(), 0 | 8 | 16));
    if let Some(lane) = data.first_chunk() {
        let lane = t.xor(t.load(lane), register_lane::<T, true>(t, state));
        reduce128::<T, true>(t, keys, lane)
    } else if let Some(word) = data.first_chunk() {
        let word = u64::from_le_bytes(*word) ^ state;
        reduce64::<T, true>(t, keys, t.lane_of(word.into()))
    } else {
        state
    }
}
