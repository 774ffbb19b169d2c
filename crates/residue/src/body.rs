//! Bodies and tiers, as traits: an algorithm, and what it runs on.
//!
//! An algorithm is written once and compiled for every tier that has the operations it needs. This
//! folder only declares: it holds no instruction and no algorithm of a code, and uses `cpu` for the
//! names of features.

mod compose;
mod packets;
#[allow(unsafe_code)] // Declarations only: an entry is unsafe to call.
mod tier;

pub(crate) use compose::{ByLength, OutOfLine};
pub(crate) use packets::{Form, Source};
pub use packets::{Packets, Spans};
pub(crate) use tier::{Batch, Body, Context, State, Value};
pub use tier::{Enter, Tier};

/// The common properties of the kernels of one family: their state, its start, and the value at its
/// end.
pub trait Family: Sized + 'static {
    /// The parameters of a kernel: `()`, or the constants of a polynomial.
    type Context: 'static;
    /// The state between pieces of data, reduced so that equal data give equal states.
    type State: Copy + PartialEq + core::fmt::Debug;
    /// The check value.
    type Value: Copy + PartialEq + core::fmt::Debug;
    /// The length from which a kernel that stores the bytes it loads is faster than a copy and then
    /// a check. Such kernels may rely on it.
    // Zen 4, 2026-11-24, `cargo xtask rivals --modes copy --sizes 384,550,768`: at 768 bytes the
    // Internet checksum gains a tenth and Adler-32 a quarter, at 384 they lose as much.
    const COPIES_FROM: usize = 768;
    /// Without a kernel that stores the bytes it loads, this many bytes are copied and then read
    /// again from a cache. It is a multiple of all words.
    // Emerald Rapids, 2026-11-30, `cargo xtask rivals --portable --quick --modes copy --sizes
    // 64K,1M`: of the speed of a copy and then a check, by 4, 8, 16 and 128 KiB, the Internet
    // checksum of 1 MiB has 1.40, 1.28, 1.15 and 1.04, Adler-32 of 64 KiB 0.96, 0.96, 0.94 and
    // 1.00.
    const BLOCK: usize = 8 << 10;
    /// Returns the state before the first byte.
    fn start(context: &Self::Context) -> Self::State;
    /// Returns the check value of a state.
    fn finish(context: &Self::Context, state: Self::State) -> Self::Value;
}

/// Lengths of data in bytes: those of a body's blocks, and those from which it changes its method.
///
/// Tests take all lengths to four blocks of the widest vectors, and then those around these and
/// their multiples.
#[derive(Clone, Copy, Debug)]
pub struct Edges(&'static [usize], &'static [Edges]);

impl Edges {
    /// No length above those that are all tested.
    pub(crate) const NONE: Edges = Edges::at(&[]);

    pub(crate) const fn at(lengths: &'static [usize]) -> Edges {
        Edges(lengths, &[])
    }

    /// Adds the edges of the parts of a body.
    pub(crate) const fn of(lengths: &'static [usize], parts: &'static [Edges]) -> Edges {
        Edges(lengths, parts)
    }

    /// Passes each length to a function.
    pub fn each(self, take: &mut dyn FnMut(usize)) {
        self.0.iter().for_each(|&length| take(length));
        self.1.iter().for_each(|part| part.each(take));
    }
}
