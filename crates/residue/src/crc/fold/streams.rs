//! Folding of data that come from memory, in two streams.

use super::{FoldLong, gather, product, reduce128, register_lane};
use crate::arch::{CarryLessWide, STREAM_BYTES, STREAMS_FROM, in_two_streams};
use crate::body::{Body, ByLength, Edges, OutOfLine};
use crate::crc::constants::{Constants, Embedded};
use core::marker::PhantomData;

/// Folds long data of a reflected CRC in two streams, if they come from memory and the CPU gains by
/// it; runs `Rest` on what is left, at least five vectors, or on all.
pub(crate) struct FoldStreams<Rest = FoldLong>(PhantomData<Rest>);

/// Runs `Long`, which takes `FROM` bytes and more, but folds data that come from memory in two
/// streams if the CPU gains by it.
pub(crate) type LongOrStreams<Long, const FROM: usize> = ByLength<
    OutOfLine<Long>,
    OutOfLine<FoldStreams<ByLength<OutOfLine<FoldLong>, OutOfLine<Long>, FROM>>>,
    STREAMS_FROM,
>;

impl<T: CarryLessWide, Rest: Body<T, Family = Embedded>> Body<T> for FoldStreams<Rest> {
    type Family = Embedded;
    const EDGES: Edges = Rest::EDGES;
    #[inline(always)]
    fn run(tier: T, context: &Constants, mut state: u64, mut data: &[u8]) -> u64 {
        debug_assert!(context.reflected);
        if in_two_streams(data.len()) {
            // What is left after the pairs is more than four vectors.
            let (pairs, _) = data[..data.len() - 5 * 64].as_chunks();
            for pair in pairs {
                state = two_streams(tier, context, state, pair);
            }
            data = &data[size_of_val(pairs)..];
        }
        tier.outline::<Rest>(context, state, data)
    }
}

/// Computes the register after two streams, which are read side by side, the second from zero.
#[inline(always)]
fn two_streams<T: CarryLessWide>(
    t: T,
    context: &Constants,
    state: u64,
    pair: &[u8; 2 * STREAM_BYTES],
) -> u64 {
    let keys = &context.fold;
    let key = keys.vectors(t, 4);
    let load = |block: &T::Block| t.load_wide(block);
    let four = |[a, b, c, d]: &[T::Block; 4]| [load(a), load(b), load(c), load(d)];
    let (first, second) = pair.split_at(STREAM_BYTES);
    let steps = |data| t.blocks(data).0.as_chunks().0;
    let ([one, first @ ..], [two, second @ ..]) = (steps(first), steps(second)) else {
        // A stream has more steps.
        return state;
    };
    let mut sums = [four(one), four(two)];
    sums[0][0] = t.head(&pair[..16 * T::LANES], register_lane::<T, true>(t, state)).first;
    for (one, two) in first.iter().zip(second) {
        for i in 0..4 {
            sums[0][i] = t.fold(sums[0][i], key, load(&one[i]));
            sums[1][i] = t.fold(sums[1][i], key, load(&two[i]));
        }
    }
    // Not by `map`, which is not inlined.
    let [first, second] = sums;
    let first = reduce128::<T, true>(t, keys, gather(t, keys, first));
    let second = reduce128::<T, true>(t, keys, gather(t, keys, second));
    const { assert!(STREAM_BYTES.is_power_of_two()) };
    const OVER_STREAM: usize = STREAM_BYTES.ilog2() as usize;
    product(t, context, first, context.powers[OVER_STREAM]) ^ second
}
