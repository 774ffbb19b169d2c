//! Folding, with the last lane reduced by two CRC instructions.

use super::chain::HeadShift;
use super::shift::HasCrcInstruction;
use crate::arch::{CarryLessWide, CrcStep, Polynomial};
use crate::body::{Body, Edges};
use crate::crc::fold::{FoldLong, fold, fold_long};
use core::marker::PhantomData;

/// Folds as for any CRC of up to 64 bits, with the last lane reduced by two instructions; runs one
/// chain of instructions over data of up to `CHAIN_TO` bytes, at least 16.
///
/// Data of more than four vectors are folded out of line from `APART_FROM` bytes on.
pub(crate) struct FoldSteps<F, const CHAIN_TO: usize = 16, const APART_FROM: usize = 0>(
    PhantomData<F>,
);

impl<
    F: HasCrcInstruction,
    T: CrcStep<F::Polynomial> + CarryLessWide,
    const CHAIN_TO: usize,
    const APART_FROM: usize,
> Body<T> for FoldSteps<F, CHAIN_TO, APART_FROM>
{
    type Family = F;
    const EDGES: Edges =
        Edges::of(&[CHAIN_TO + 1, APART_FROM], &[<FoldStepsLong<F> as Body<T>>::EDGES]);
    #[inline(always)]
    fn run(tier: T, (): &(), state: u32, data: &[u8]) -> u32 {
        const { assert!(CHAIN_TO >= 16) };
        if data.len() <= CHAIN_TO {
            return <HeadShift<F> as Body<T>>::run(tier, &(), state, data);
        }
        if data.len() >= usize::max(APART_FROM, 64 * T::LANES + 1) {
            return tier.outline::<FoldStepsLong<F>>(&(), state, data);
        }
        let keys = &F::constants().fold;
        reduce(tier, fold::<T, true, 0, true>(tier, keys, state.into(), data))
    }
}

/// Folds data of more than four vectors as [`FoldSteps`] does; `AHEAD` says whether the data may be
/// so long that reading ahead pays; without it, the code needs no stack frame.
pub(crate) struct FoldStepsLong<F, const AHEAD: bool = true>(PhantomData<F>);

impl<F, T, const AHEAD: bool> Body<T> for FoldStepsLong<F, AHEAD>
where
    F: HasCrcInstruction,
    T: CrcStep<F::Polynomial> + CarryLessWide,
{
    type Family = F;
    const EDGES: Edges = <FoldLong as Body<T>>::EDGES;
    #[inline(always)]
    fn run(tier: T, (): &(), state: u32, data: &[u8]) -> u32 {
        let keys = &F::constants().fold;
        reduce(tier, fold_long::<T, true, AHEAD>(tier, keys, state.into(), data))
    }
}

/// Reduces a lane to the register.
#[inline(always)]
pub(super) fn reduce<P: Polynomial, T: CrcStep<P> + CarryLessWide>(tier: T, lane: T::V) -> u32 {
    let (low, high) = (tier.low_of(lane), tier.low_of(tier.high_down(lane)));
    tier.step8(tier.step8(0, low), high)
}
