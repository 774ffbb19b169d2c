//! Bodies as data.

use super::Run;
use crate::body::{Body, Enter, Family};
use core::marker::PhantomData;

/// A body on a tier as a value, for data that choose among bodies.
///
/// The linker drops bodies that no data name.
pub(crate) struct Outlined<T, F: Family> {
    run: Run<F>,
    tier: PhantomData<T>,
}

impl<T: Enter, F: Family> Outlined<T, F> {
    // Architectures without byte matrices make none.
    #[allow(dead_code)]
    pub(crate) const fn new<B: Body<T, Family = F>>() -> Self {
        Outlined { run: T::enter::<B>, tier: PhantomData }
    }

    /// Advances `state` over `data`.
    #[inline(always)]
    pub(crate) fn run(&self, _: T, context: &F::Context, state: F::State, data: &[u8]) -> F::State {
        // SAFETY: the marker exists, so the CPU has the features of the tier.
        unsafe { (self.run)(state, data, context) }
    }
}

impl<T, F: Family> Clone for Outlined<T, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, F: Family> Copy for Outlined<T, F> {}

impl<T, F: Family> core::fmt::Debug for Outlined<T, F> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Outlined")
    }
}
