//! Copies and check values in one pass, for the families and for the functions of
//! [`crate::copy`].

use super::Dispatch;
use crate::arch::{copy_bytes, uninit};
use crate::body::Family;
use core::mem::MaybeUninit;

/// A destination of copies: `[u8]` or `[MaybeUninit<u8>]`.
pub trait Destination: sealed::Sealed {}

mod sealed {
    pub trait Sealed {
        fn bytes(&mut self) -> &mut [core::mem::MaybeUninit<u8>];
    }
}

impl Destination for [u8] {}
impl sealed::Sealed for [u8] {
    fn bytes(&mut self) -> &mut [MaybeUninit<u8>] {
        uninit(self)
    }
}

impl<const N: usize> Destination for [u8; N] {}
impl<const N: usize> sealed::Sealed for [u8; N] {
    fn bytes(&mut self) -> &mut [MaybeUninit<u8>] {
        uninit(self)
    }
}

impl Destination for [MaybeUninit<u8>] {}
impl sealed::Sealed for [MaybeUninit<u8>] {
    fn bytes(&mut self) -> &mut [MaybeUninit<u8>] {
        self
    }
}

/// Advances `state` over `from`, and copies `from` to `to`.
///
/// # Panics
/// If the lengths differ.
pub(crate) fn run<F: Family>(
    best: &Dispatch<F>,
    context: &F::Context,
    state: F::State,
    from: &[u8],
    to: &mut (impl Destination + ?Sized),
) -> F::State {
    let to = to.bytes();
    if from.len() == to.len() {
        if from.len() < F::COPIES_FROM {
            copy_bytes(from, to);
            return best.run(context, state, from);
        }
        if let Some(state) = best.copy(context, state, from, to) {
            return state;
        }
    }
    let mut state = state;
    in_blocks::<F>(from, to, |block| state = best.run(context, state, block));
    state
}

/// Copies `from` to `to` in blocks of [`Family::BLOCK`] bytes, and gives each to `update`.
///
/// # Panics
/// If the lengths differ.
pub(crate) fn in_blocks<F: Family>(
    from: &[u8],
    to: &mut (impl Destination + ?Sized),
    mut update: impl FnMut(&[u8]),
) {
    let to = to.bytes();
    assert!(from.len() == to.len(), "{} bytes are copied to {}", from.len(), to.len());
    for (from, to) in from.chunks(F::BLOCK).zip(to.chunks_mut(F::BLOCK)) {
        copy_bytes(from, to);
        update(from);
    }
}

#[inline]
pub(crate) fn copy<F: Family>(
    best: &Dispatch<F>,
    context: &F::Context,
    from: &[u8],
    to: &mut (impl Destination + ?Sized),
) -> F::Value {
    let to = to.bytes();
    if from.len() != to.len() {
        return long(best, context, from, to);
    }
    if from.len() >= F::COPIES_FROM
        && let Some(state) = best.copy(context, F::start(context), from, to)
    {
        return F::finish(context, state);
    }
    if from.len() > F::BLOCK {
        return long(best, context, from, to);
    }
    copy_bytes(from, to);
    best.oneshot(context, from)
}

/// Copies in blocks, out of line: the registers that it needs would have to be saved for short data
/// too.
///
/// # Panics
/// If the lengths differ.
#[inline(never)]
fn long<F: Family>(
    best: &Dispatch<F>,
    context: &F::Context,
    from: &[u8],
    to: &mut [MaybeUninit<u8>],
) -> F::Value {
    let mut state = F::start(context);
    in_blocks::<F>(from, to, |block| state = best.run(context, state, block));
    F::finish(context, state)
}
