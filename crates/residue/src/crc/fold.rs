//! Carry-less folding of any CRC of up to 64 bits, with lanes of 16 bytes.
//!
//! [`keys`](super::keys) derives the method, its constants and the reduction, with a small example
//! and a scalar program. This module adds the layout:
//!
//! - Accumulators are vectors of one, two or four lanes, *oriented* to be 128-bit integers. A lane
//!   of a reflected code is little-endian, with bit i the coefficient of x^(127-i); a lane of a
//!   normal code is big-endian, with bit i that of x^i, which costs a shuffle.
//! - The register is xored into the head. A length that is not a multiple of a vector's is padded
//!   in front, so no loop over a tail is needed. A head shorter than the register leaves the
//!   *spill* for the next vector. With AVX-512 the head is one permutation of bytes and one mask,
//!   both loaded from a table. Vectors of two lanes, whose loads have no masks, start at the first
//!   byte, and [`fold_rest`] folds the rest.
//! - Up to 64 bytes go lane by lane: with AVX2 a head would take two shuffles, an insertion and a
//!   selection; on Intel's cores products and permutations share a port, and on Zen 4 the
//!   permutation takes five cycles. With masks, CRCs with compiled-in constants take them at once
//!   ([`AtOnceOr`]), and vectors of two lanes up to 96 bytes.
//! - A function that holds a loop needs more registers than short data do, and would save them in
//!   each call, so loops over long data are functions of their own.
//! - Where the profile asks for it, the head of long data ends at a multiple of 64, so that no
//!   vector lies in two cache lines, and up to 63 bytes are left behind the last vector. The
//!   accumulators are folded onto that vector, which a permutation rotates by the length of this
//!   tail.
//! - At the end [`gather`] moves all lanes to the place of the last at once, and [`reduce128`]
//!   reduces that lane.

mod at_once;
mod lanes;
mod streams;

pub(crate) use at_once::AtOnceOr;
pub(super) use lanes::{oriented, product, reduce128, register_lane};
pub(crate) use streams::{FoldStreams, LongOrStreams};

use super::constants::{COPIES_FROM, Constants, Embedded};
use super::keys::Keys;
use crate::arch::{
    ALIGNED_FROM, CarryLess, CarryLessWide, aligns, laid_out_behind, lane_head, lane_tail,
    tail_bytes, with_ahead,
};
use crate::body::{Body, Edges};
use crate::cpu::ReadAhead;
use lanes::{fold_lane, oriented_lane, short};

/// Folds with four accumulators.
///
/// Data of up to `BY_LANE_TO` bytes (64 at most) or [`CarryLessWide::BY_LANE_TO`] are folded lane
/// by lane. Data of more than four vectors are folded out of line from `APART_FROM` bytes on, and
/// from [`ALIGNED_FROM`] on where the CPU gains by aligned vectors.
pub(crate) struct FoldByLength<const BY_LANE_TO: usize, const APART_FROM: usize>;

/// Folds with four accumulators.
pub(crate) type Fold = FoldByLength<0, APART_FROM>;

/// Folds with four accumulators, with all loops out of line, which takes less code.
pub(crate) type FoldApart = FoldByLength<0, 0>;

/// Folds as is best where vectors of 64 bytes need more time for their heads than for products,
/// with all loops out of line.
pub(crate) type FoldLanesApart = FoldByLength<BY_LANE_TO, 0>;

/// The most bytes that are folded lane by lane where vectors have 64 bytes.
///
/// A whole vector needs no head: by the static model of Ice Lake 64 bytes take port 5 for ten
/// cycles in it, for fifteen in lanes, and equal latency.
const BY_LANE_TO: usize = 63;

/// The length from which data are folded out of line, in loops that may read ahead. Shorter data,
/// blocks of 4096 bytes among them, need no stack frame and no second call.
const APART_FROM: usize = 4097;

impl<T: CarryLessWide, const BY_LANE_TO: usize, const APART_FROM: usize> Body<T>
    for FoldByLength<BY_LANE_TO, APART_FROM>
{
    type Family = Embedded;
    const EDGES: Edges = Edges::of(&[ALIGNED_FROM, APART_FROM], &[<FoldLong as Body<T>>::EDGES]);
    #[inline(always)]
    fn run(tier: T, context: &Constants, state: u64, data: &[u8]) -> u64 {
        let at_least = |from| data.len() >= usize::max(from, 64 * T::LANES + 1);
        // Asked first: where vectors are aligned, no jump depends on the other length.
        let apart = at_least(ALIGNED_FROM) && T::TAILS && aligns() || at_least(APART_FROM);
        // Two copies of the code, so that the loops do not test the bit order.
        if apart {
            tier.outline::<FoldLong>(context, state, data)
        } else if context.reflected {
            run::<T, true, BY_LANE_TO, APART_FROM>(tier, &context.fold, state, data)
        } else {
            run::<T, false, BY_LANE_TO, APART_FROM>(tier, &context.fold, state, data)
        }
    }
}

#[inline(always)]
fn run<
    T: CarryLessWide,
    const REFLECTED: bool,
    const BY_LANE_TO: usize,
    const APART_FROM: usize,
>(
    t: T,
    keys: &Keys,
    state: u64,
    data: &[u8],
) -> u64 {
    if data.len() <= 16 {
        short::<T, REFLECTED>(t, keys, state, data)
    } else {
        // Code for some lengths only, which the CRCs with compiled-in constants are worth.
        let lane = if APART_FROM == 0 {
            fold::<T, REFLECTED, BY_LANE_TO, false>(t, keys, state, data)
        } else if data.len() <= T::NARROW_TO {
            fold::<T::Narrow, REFLECTED, BY_LANE_TO, false>(t.narrow(), keys, state, data)
        } else {
            fold::<T, REFLECTED, BY_LANE_TO, true>(t, keys, state, data)
        };
        reduce128::<T, REFLECTED>(t, keys, lane)
    }
}

// `FoldLong` needs more than four vectors.
const _: () = assert!(COPIES_FROM > 4 * 64);

/// Folds data of more than four vectors.
///
/// The CRCs with compiled-in constants share its code, which takes the constants by reference.
pub(crate) struct FoldLong;

impl<T: CarryLessWide> Body<T> for FoldLong {
    type Family = Embedded;
    const EDGES: Edges = Edges::at(&[64 * T::LANES, 128 * T::LANES]);
    #[inline(always)]
    fn run(tier: T, context: &Constants, state: u64, data: &[u8]) -> u64 {
        let keys = &context.fold;
        if context.reflected {
            let lane = fold_long::<T, true, true>(tier, keys, state, data);
            reduce128::<T, true>(tier, keys, lane)
        } else {
            let lane = fold_long::<T, false, true>(tier, keys, state, data);
            reduce128::<T, false>(tier, keys, lane)
        }
    }
}

/// Folds the register and more than 16 bytes of data to one congruent lane; no more than four
/// vectors unless `LONG`.
#[inline(always)]
pub(super) fn fold<
    T: CarryLessWide,
    const REFLECTED: bool,
    const BY_LANE_TO: usize,
    const LONG: bool,
>(
    t: T,
    keys: &Keys,
    state: u64,
    data: &[u8],
) -> T::V {
    // The head of short data is a whole vector.
    const { assert!(BY_LANE_TO <= 64 && (!T::LEAVES_REST || T::BY_LANE_TO >= 16 * T::LANES)) };
    if data.len() <= T::BY_LANE_TO.max(BY_LANE_TO) {
        return by_lanes::<T, REFLECTED>(t, keys, state, data);
    }
    let head = t.head(data, register_lane::<T, REFLECTED>(t, state));
    let (vectors, rest) = t.blocks(&data[head.bytes..]);
    let load = |block| oriented::<T, REFLECTED>(t, t.load_wide(block));

    let first = oriented::<T, REFLECTED>(t, head.first);
    let spilled = |block| oriented::<T, REFLECTED>(t, t.xor_wide(t.load_wide(block), head.spill));
    let lane = match vectors {
        [] => gather(t, keys, [first]),
        [b] => gather(t, keys, [first, spilled(b)]),
        [b, c] => gather(t, keys, [first, spilled(b), load(c)]),
        [b, c, d, more @ ..] => {
            let four = [first, spilled(b), load(c), load(d)];
            // Not by the number of vectors, of which the compiler would make a table of jumps.
            if LONG && data.len() > 64 * T::LANES {
                laid_out_behind();
                // They are shorter than `APART_FROM`.
                gather(t, keys, fold_on::<T, REFLECTED>(t, keys, four, more, None))
            } else {
                gather(t, keys, four)
            }
        }
    };
    after_vectors::<T, REFLECTED>(t, keys, lane, rest, data)
}

/// Folds the register and data of more than four vectors to one congruent lane; `AHEAD` says
/// whether the data may be so long that reading ahead pays.
#[inline(always)]
pub(super) fn fold_long<T: CarryLessWide, const REFLECTED: bool, const AHEAD: bool>(
    t: T,
    keys: &Keys,
    state: u64,
    data: &[u8],
) -> T::V {
    let behind = tail_bytes::<T>(data);
    let whole = &data[..data.len() - behind];
    let head = t.head(whole, register_lane::<T, REFLECTED>(t, state));
    let (vectors, rest) = t.blocks(&whole[head.bytes..]);
    let load = |block| oriented::<T, REFLECTED>(t, t.load_wide(block));
    let first = oriented::<T, REFLECTED>(t, head.first);
    let Some(([b, c, d], more)) = vectors.split_first_chunk() else {
        // No caller passes such data.
        return t.lane_of(0);
    };
    let second = oriented::<T, REFLECTED>(t, t.xor_wide(t.load_wide(b), head.spill));
    let way = if AHEAD { T::AHEAD } else { None };
    let v = fold_on::<T, REFLECTED>(t, keys, [first, second, load(c), load(d)], more, way);
    let lane = gather_tail::<T, REFLECTED>(t, keys, v, data, behind);
    after_vectors::<T, REFLECTED>(t, keys, lane, rest, data)
}

/// Folds a lane for the data before the rest, and the rest if the tier leaves one, to one congruent
/// lane.
#[inline(always)]
fn after_vectors<T: CarryLessWide, const REFLECTED: bool>(
    t: T,
    keys: &Keys,
    lane: T::V,
    rest: &[u8],
    data: &[u8],
) -> T::V {
    match data.last_chunk() {
        Some(last) if T::LEAVES_REST => fold_rest::<T, REFLECTED>(t, keys, lane, rest, last),
        _ => lane,
    }
}

/// Folds a lane for the data before the rest, and the rest, to one congruent lane; `last` holds the
/// last 16 bytes.
#[inline(always)]
fn fold_rest<T: CarryLess, const REFLECTED: bool>(
    t: T,
    keys: &Keys,
    mut lane: T::V,
    mut rest: &[u8],
    last: &[u8; 16],
) -> T::V {
    // After vectors of two lanes, at most one lane and some bytes are left.
    if let Some((next, after)) = rest.split_first_chunk() {
        lane = fold_lane(t, keys, lane, 1, oriented_lane::<T, REFLECTED>(t, t.load(next)));
        rest = after;
    }
    if rest.is_empty() {
        return lane;
    }
    let lane = oriented_lane::<T, REFLECTED>(t, lane);
    let [first, second] = lane_tail(t, lane, last, rest.len());
    let first = oriented_lane::<T, REFLECTED>(t, first);
    fold_lane(t, keys, first, 1, oriented_lane::<T, REFLECTED>(t, second))
}

/// Folds the register and 17 to 64 bytes to one congruent lane, lane by lane.
#[inline(always)]
fn by_lanes<T: CarryLess, const REFLECTED: bool>(
    t: T,
    keys: &Keys,
    state: u64,
    data: &[u8],
) -> T::V {
    let oriented = |v| oriented_lane::<T, REFLECTED>(t, v);
    let fold = |v, lanes, data| fold_lane(t, keys, v, lanes, data);
    let head = lane_head(t, data, register_lane::<T, REFLECTED>(t, state));
    let first = oriented(head.first);
    match data[head.bytes..].as_chunks::<16>().0 {
        [second] => fold(first, 1, oriented(t.xor(t.load(second), head.spill))),
        [second, third] => {
            let second = oriented(t.xor(t.load(second), head.spill));
            fold(first, 2, fold(second, 1, oriented(t.load(third))))
        }
        [second, third, fourth] => {
            let second = oriented(t.xor(t.load(second), head.spill));
            let sum = fold(oriented(t.load(third)), 1, oriented(t.load(fourth)));
            fold(first, 3, fold(second, 2, sum))
        }
        _ => first,
    }
}

/// Folds four oriented vectors of the message, and the vectors after them, to the last four;
/// `way` is the way to read ahead, if any.
#[inline(always)]
pub(super) fn fold_on<T: CarryLessWide, const REFLECTED: bool>(
    t: T,
    keys: &Keys,
    mut v: [T::W; 4],
    mut vectors: &[T::Block],
    way: Option<ReadAhead>,
) -> [T::W; 4] {
    let load = |block| oriented::<T, REFLECTED>(t, t.load_wide(block));
    if T::EIGHT && vectors.len() >= 12 {
        let [a, b, c, d] = v;
        let (more, after) = vectors.split_at(4);
        let v8 = [a, b, c, d, load(&more[0]), load(&more[1]), load(&more[2]), load(&more[3])];
        let (steps, rest) = after.as_chunks();
        v = to_four(t, keys, walk::<T, REFLECTED, 8>(t, keys, v8, steps, way));
        vectors = rest;
    }
    let (steps, rest) = vectors.as_chunks();
    let v = walk::<T, REFLECTED, 4>(t, keys, v, steps, way);
    let key = keys.vectors(t, 4);
    // The rest moves the accumulators side by side; one after the other, each would wait for a
    // product.
    match rest {
        [a] => [v[1], v[2], v[3], t.fold(v[0], key, load(a))],
        [a, b] => [v[2], v[3], t.fold(v[0], key, load(a)), t.fold(v[1], key, load(b))],
        [a, b, c] => [
            v[3],
            t.fold(v[0], key, load(a)),
            t.fold(v[1], key, load(b)),
            t.fold(v[2], key, load(c)),
        ],
        _ => v,
    }
}

/// Walks `N` accumulators over the data in steps of `N` vectors.
#[inline(always)]
fn walk<T: CarryLessWide, const REFLECTED: bool, const N: usize>(
    t: T,
    keys: &Keys,
    mut v: [T::W; N],
    steps: &[[T::Block; N]],
    way: Option<ReadAhead>,
) -> [T::W; N] {
    let key = keys.vectors(t, N);
    let (first, last) = with_ahead(way, steps);
    for (step, ahead) in first {
        t.prefetch(ahead);
        v = fold_step::<T, REFLECTED, N>(t, key, v, step);
    }
    for step in last {
        v = fold_step::<T, REFLECTED, N>(t, key, v, step);
    }
    v
}

/// Folds each accumulator onto its vector of a step.
#[inline(always)]
fn fold_step<T: CarryLessWide, const REFLECTED: bool, const N: usize>(
    t: T,
    key: T::W,
    mut v: [T::W; N],
    step: &[T::Block; N],
) -> [T::W; N] {
    for i in 0..N {
        v[i] = t.fold(v[i], key, oriented::<T, REFLECTED>(t, t.load_wide(&step[i])));
    }
    v
}

/// Folds adjacent oriented vectors, a multiple of four, onto the last four.
#[inline(always)]
pub(super) fn to_four<T: CarryLessWide, const N: usize>(
    t: T,
    keys: &Keys,
    v: [T::W; N],
) -> [T::W; 4] {
    let key = keys.vectors(t, 4);
    let mut last = [v[0]; 4];
    for (i, v) in v.into_iter().enumerate() {
        last[i % 4] = if i < 4 { v } else { t.fold(last[i % 4], key, v) };
    }
    last
}

/// Folds four oriented vectors and the last `behind` bytes of `data` to one congruent lane.
#[inline(always)]
pub(super) fn gather_tail<T: CarryLessWide, const REFLECTED: bool>(
    t: T,
    keys: &Keys,
    v: [T::W; 4],
    data: &[u8],
    behind: usize,
) -> T::V {
    if behind == 0 {
        return gather(t, keys, v);
    }
    let start = data.len().saturating_sub(16 * T::LANES);
    let ([last], _) = t.blocks(&data[start..]) else {
        // No caller passes such data.
        return t.lane_of(0);
    };
    let [a, b, c, d] = v;
    let sum = t.fold(c, keys.vectors(t, 1), d);
    let sum = t.fold(b, keys.vectors(t, 2), sum);
    let sum = t.fold(a, keys.vectors(t, 3), sum);
    let [first, second] = t.tail(oriented::<T, REFLECTED>(t, sum), last, behind);
    gather(t, keys, [oriented::<T, REFLECTED>(t, first), oriented::<T, REFLECTED>(t, second)])
}

/// Moves all lanes of adjacent vectors to the place of the last one, each by its own factor.
#[inline(always)]
pub(super) fn gather<T: CarryLessWide, const N: usize>(t: T, keys: &Keys, v: [T::W; N]) -> T::V {
    let mut sum = t.last_lane(v[N - 1]);
    for (i, v) in v.into_iter().enumerate() {
        sum = t.fold(v, t.keys(&keys.lanes, 17 - T::LANES * (N - i)), sum);
    }
    t.sum_lanes(sum)
}
