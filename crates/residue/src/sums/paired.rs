//! 16-bit words summed by pairs in 32-bit elements of vectors: the Internet checksum, and XNS.
//!
//! - x86-64 multiplies by ones and adds pairs of *signed* words in one instruction (`pmaddwd`; with
//!   VNNI `vpdpwssd`, which also accumulates). Words are unsigned, so each is biased by 8000 (one
//!   exclusive or). Elements start at the bias of all vectors to come, so the final sums are exact,
//!   are not negative and need no correction. `neon` adds unsigned pairs (`uadalp`), without a
//!   bias.
//! - Short data takes no loop; longer data takes eight accumulators, so that no addition waits for
//!   another, and elements are added up before they can overflow.
//! - The position of a word in a vector does not matter to the Internet checksum, so nothing is
//!   shifted at the end of data: AVX2 adds the *last* vectors under a mask that removes what the
//!   first ones have covered, and only an address depends on the length. AVX-512 loads under a
//!   mask.
//! - XNS weights the first word of each pair twice. The eight elements of 32 bytes then differ by
//!   powers of four only, by which they are multiplied once, at the end. Zeros behind the data cost
//!   nothing, and the number of words becomes one rotation.

use crate::arch::{WordSum, in_two_streams};
use crate::body::{Body, Edges, Tier};
use crate::cpu;
use crate::sums::running::Summed;
use core::marker::PhantomData;

/// A family whose codes follow from sums of 16-bit words in lanes.
pub(crate) trait Paired: Summed {
    /// Whether the first word of each pair counts twice.
    const TWICE: bool;
    /// Whether the lane of a word matters.
    const IN_PLACE: bool;
    /// Returns the state after `bytes` more bytes, from the lanes of vectors with an even and with
    /// an odd index.
    fn join<T: WordSum>(
        tier: T,
        state: Self::State,
        lanes: [T::Lanes; 2],
        bytes: usize,
    ) -> Self::State;
}

/// Returns the total bias of `vectors` vectors in each lane.
#[inline(always)]
fn bias<F: Paired, T: WordSum>(vectors: usize) -> i32 {
    (if F::TWICE { 3 } else { 2 }) * T::BIAS * vectors as i32
}

/// The length from which narrower vectors are taken where the profile says so. They cost a
/// thirteenth in caches, and gain a quarter where data come from memory (`Profile::narrow_loads`).
const NARROW_FROM: usize = 4096;

/// Returns whether the CPU reads data that come from memory faster by narrower vectors.
#[inline(always)]
fn narrow_loads() -> bool {
    cpu::found_profile().is_some_and(|profile| profile.narrow_loads)
}

/// The lengths from which [`sum`] changes its method.
pub(crate) struct EdgesOf<F, T>(PhantomData<(F, T)>);

impl<F: Paired, T: WordSum> EdgesOf<F, T> {
    pub(crate) const ALL: Edges = Edges::of(
        &[NARROW_FROM],
        &[<Long<F> as Body<T>>::EDGES, <Long<F> as Body<T::Narrow>>::EDGES],
    );
}

/// Sums up to eight vectors at once, longer data by [`Long`].
#[inline(always)]
pub(crate) fn sum<F: Paired, T: WordSum>(tier: T, state: F::State, data: &[u8]) -> F::State {
    let n = data.len();
    let start = |vectors| tier.lanes(bias::<F, T>(vectors));
    let sum = |lanes, v| tier.sum(lanes, v, F::TWICE);
    let lanes = if n <= T::BYTES {
        [sum(start(1), tier.load_low(data, 0)), start(0)]
    } else if n <= 2 * T::BYTES {
        let (a, b) = (tier.load_whole(data, 0), tier.load_low(data, T::BYTES));
        [sum(start(1), a), sum(start(1), b)]
    } else if n <= 4 * T::BYTES {
        let [a, b, c, d] = tier.load_3_or_4(data);
        [sum(sum(start(2), a), c), sum(sum(start(2), b), d)]
    } else if n <= T::STRAIGHT_TO {
        let [a, b, c, d] = tier.load_four(data);
        let [e, f, g, h] = if F::IN_PLACE {
            tier.load_step(data, 4 * T::BYTES)
        } else {
            tier.load_rest_step(data, 4 * T::BYTES)
        };
        let (ae, bf) = (sum(sum(start(4), a), e), sum(sum(start(4), b), f));
        let (cg, dh) = (sum(sum(start(0), c), g), sum(sum(start(0), d), h));
        [tier.add(ae, cg), tier.add(bf, dh)]
    } else if T::NARROWS && n >= NARROW_FROM && narrow_loads() {
        return tier.narrow().outline::<Long<F>>(&(), state, data);
    } else {
        return tier.outline::<Long<F>>(&(), state, data);
    };
    F::join(tier, state, lanes, n)
}

/// Runs steps of eight vectors.
pub(crate) struct Long<F>(PhantomData<F>);

impl<F> Long<F> {
    /// Steps before the lanes are emptied: a lane takes three words per vector, and up to eight
    /// vectors follow.
    const STEPS: usize = 1364;
}

impl<F: Paired, T: WordSum> Body<T> for Long<F> {
    type Family = F;
    const EDGES: Edges = Edges::at(&[8 * T::BYTES, 8 * T::BYTES * Self::STEPS]);
    #[inline(always)]
    fn run(tier: T, (): &(), mut state: F::State, data: &[u8]) -> F::State {
        const {
            let vectors = 8 * Long::<F>::STEPS as u64 + 8;
            assert!(vectors * 3 * 65535 <= i32::MAX as u64 && 8 * T::BYTES % 32 == 0);
        };
        let sum = |lanes, v| tier.sum(lanes, v, F::TWICE);
        let streams = T::IN_STREAMS && in_two_streams(data.len());
        for block in data.chunks(8 * T::BYTES * Self::STEPS) {
            let (vectors, rest) = tier.blocks(block);
            let (steps, single) = vectors.as_chunks::<8>();
            let mut lanes = [tier.lanes(0); 8];
            lanes[0] = tier.lanes(bias::<F, T>(vectors.len() / 2 + 1));
            lanes[1] = tier.lanes(bias::<F, T>(vectors.len().div_ceil(2)));
            // Both halves side by side, if in two streams.
            let (first, second) = steps.split_at(if streams { steps.len() / 2 } else { 0 });
            for (one, other) in first.iter().zip(second) {
                for step in [one, other] {
                    for i in 0..8 {
                        lanes[i] = sum(lanes[i], tier.load(&step[i]));
                    }
                }
            }
            for step in &second[first.len()..] {
                for i in 0..8 {
                    lanes[i] = sum(lanes[i], tier.load(&step[i]));
                }
            }
            // One to seven vectors and the rest: no addition waits for another.
            let (fours, single) = single.as_chunks::<4>();
            if let [four] = fours {
                for i in 0..4 {
                    lanes[i] = sum(lanes[i], tier.load(&four[i]));
                }
            }
            let (twos, single) = single.as_chunks::<2>();
            if let [two] = twos {
                for i in 0..2 {
                    lanes[4 + i] = sum(lanes[4 + i], tier.load(&two[i]));
                }
            }
            let from = block.len() - rest.len();
            let last =
                if F::IN_PLACE { tier.load_low(block, from) } else { tier.load_rest(block, from) };
            if let [one] = single {
                lanes[6] = sum(lanes[6], tier.load(one));
                lanes[7] = sum(lanes[7], last);
            } else {
                lanes[6] = sum(lanes[6], last);
            }
            for width in [4, 2] {
                for i in 0..width {
                    lanes[i] = tier.add(lanes[i], lanes[i + width]);
                }
            }
            state = F::join(tier, state, [lanes[0], lanes[1]], block.len());
        }
        state
    }
}
