//! The lines of the tables: kernels, their functions, and the first that suits a CPU.

use super::{KernelInfo, Role};
#[cfg(feature = "generic")]
use crate::arch::Portable;
use crate::body::{Batch, Body, Context, Edges, Enter, Family, Packets, Value};
use crate::cpu::{self, Features, Profile};

// The context comes last, so that a public function, which has none, calls an entry with its own
// arguments where they are.
pub(crate) type Run<F> =
    unsafe fn(<F as Family>::State, &[u8], &<F as Family>::Context) -> <F as Family>::State;
pub(crate) type Oneshot<F> = unsafe fn(&[u8], &<F as Family>::Context) -> <F as Family>::Value;
pub(crate) type CopyRun<F> = unsafe fn(
    &<F as Family>::Context,
    <F as Family>::State,
    &[u8],
    *mut u8,
) -> <F as Family>::State;
pub(crate) type BatchRun<F> =
    unsafe fn(&<F as Family>::Context, Packets<'_>, &mut [<F as Family>::Value]);

/// The functions of a kernel.
pub(crate) struct Entries<F: Family> {
    pub(super) run: Run<F>,
    pub(super) oneshot: Oneshot<F>,
    pub(super) copy: Option<CopyRun<F>>,
    pub(super) batch: Option<BatchRun<F>>,
}

impl<F: Family> Clone for Entries<F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: Family> Copy for Entries<F> {}

/// One implementation of the codes of family `F`.
pub struct Kernel<F: Family> {
    pub(super) info: KernelInfo,
    pub(super) entries: Entries<F>,
    edges: Edges,
}

impl<F: Family> Kernel<F> {
    /// Makes the kernel of body `B` on tier `T`.
    pub(crate) const fn on<T: Enter, B: Body<T, Family = F>>(name: &'static str) -> Self {
        let (run, oneshot) = (T::enter::<B>, T::enter_oneshot::<B>);
        Kernel {
            info: KernelInfo { name, needs: T::NEEDS, ..KernelInfo::PORTABLE },
            entries: Entries { run, oneshot, copy: None, batch: None },
            edges: B::EDGES,
        }
    }

    /// Makes the kernel of body `B` on tier `T`, with a one-shot entry that calls the other.
    ///
    /// It takes a few cycles more and halves what is compiled: for CPUs that are rare.
    pub(crate) const fn compact<T: Enter, B: Body<T, Family = F>>(name: &'static str) -> Self {
        unsafe fn oneshot<T: Enter, B: Body<T>>(
            data: &[u8],
            context: &Context<B, T>,
        ) -> Value<B, T> {
            // SAFETY: the caller ensures that the CPU has what the tier needs.
            let state = unsafe { T::enter::<B>(B::Family::start(context), data, context) };
            B::Family::finish(context, state)
        }
        let (run, oneshot) = (T::enter::<B>, oneshot::<T, B>);
        Kernel {
            info: KernelInfo { name, needs: T::NEEDS, ..KernelInfo::PORTABLE },
            entries: Entries { run, oneshot, copy: None, batch: None },
            edges: B::EDGES,
        }
    }

    /// Makes the kernel of body `B`, written for vectors, on arrays.
    #[cfg(feature = "generic")]
    pub(crate) const fn generic<B: Body<Portable, Family = F>>(name: &'static str) -> Self {
        Kernel::compact::<Portable, B>(name).method()
    }

    /// Adds a body that stores the bytes it loads, for [`crate::copy`].
    pub(crate) const fn copying<T: Enter, B: Body<T::Copying, Family = F>>(mut self) -> Self {
        assert!(self.info.needs.contains(T::NEEDS));
        self.entries.copy = Some(T::enter_copying::<B>);
        self
    }

    /// Adds a body that computes the values of many packets, for [`crate::batch`].
    pub(crate) const fn batched<T: Enter, B: Batch<T, Family = F>>(mut self) -> Self {
        assert!(self.info.needs.contains(T::NEEDS));
        self.entries.batch = Some(T::enter_batch::<B>);
        self
    }

    /// Makes the kernel of body `B` on another architecture, or on a tier that the crate was built
    /// without, for lists.
    ///
    /// Its `needs` are not in [`Features::POSSIBLE`], so it never runs.
    #[allow(
        clippy::extra_unused_type_parameters,
        reason = "a body that no line names would be unused"
    )]
    pub(crate) const fn unavailable<B>(name: &'static str, needs: Features) -> Self {
        assert!(!Features::POSSIBLE.contains(needs));
        Kernel {
            info: KernelInfo { name, needs, ..KernelInfo::PORTABLE },
            entries: Entries {
                run: |state, _, _| state,
                oneshot: |_, context| F::finish(context, F::start(context)),
                copy: None,
                batch: None,
            },
            edges: Edges::NONE,
        }
    }

    pub(crate) const fn same_as(mut self, name: &'static str) -> Self {
        self.info.same_as = Some(name);
        self
    }

    pub(crate) const fn method(mut self) -> Self {
        self.info.role = Role::Method;
        self
    }

    pub(crate) const fn historical(mut self) -> Self {
        self.info.role = Role::Historical;
        self
    }

    /// Limits dispatch to CPUs on which byte matrices are faster for CRCs of `width` bits.
    pub(crate) const fn by_matrices(mut self, width: u32) -> Self {
        self.info.matrices = Some(width);
        self
    }

    /// Returns name, needs and role.
    #[must_use]
    pub const fn info(&self) -> KernelInfo {
        self.info
    }

    /// Returns the lengths around which to test it.
    #[must_use]
    pub const fn edges(&self) -> Edges {
        self.edges
    }

    /// Returns the kernel, ready to run, if this CPU has the features it needs.
    #[must_use]
    pub fn force(&self) -> Option<Forced<F>> {
        self.force_on(cpu::features())
    }

    /// Returns the kernel, ready to run, under a smaller set of features than this CPU's.
    ///
    /// Tests walk the tiers of one CPU with it.
    #[must_use]
    pub fn force_on(&self, features: Features) -> Option<Forced<F>> {
        // Kernels look at it, but do not find it.
        cpu::profile();
        let usable = features.intersection(cpu::features());
        usable.contains(self.info.needs).then_some(Forced { entries: self.entries })
    }
}

/// A kernel that the CPU was found to support.
pub struct Forced<F: Family> {
    entries: Entries<F>,
}

impl<F: Family> Clone for Forced<F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: Family> Copy for Forced<F> {}

impl<F: Family> Forced<F> {
    /// Advances `state` over `data`.
    ///
    /// The state must be that of [`Family::start`] or a kernel's result: the sums' bounds hold for
    /// reduced states only.
    #[inline]
    pub fn run(&self, context: &F::Context, state: F::State, data: &[u8]) -> F::State {
        // SAFETY: `self` is made only by `Kernel::force_on`, which checks that the CPU has the
        // features the kernel needs.
        unsafe { (self.entries.run)(state, data, context) }
    }

    /// Returns the check value of `data`.
    #[inline]
    pub fn value(&self, context: &F::Context, data: &[u8]) -> F::Value {
        // SAFETY: as in `run`.
        unsafe { (self.entries.oneshot)(data, context) }
    }

    /// Advances `state` over `from`, and copies it to `to`. The last eight bytes may stay as they
    /// are: the library copies them before it calls a kernel.
    ///
    /// Returns `None`, and does nothing, if the kernel does not copy, the lengths differ, or there
    /// are fewer bytes than [`Family::COPIES_FROM`].
    pub fn copy(
        &self,
        context: &F::Context,
        state: F::State,
        from: &[u8],
        to: &mut [u8],
    ) -> Option<F::State> {
        let fits = from.len() == to.len() && from.len() >= F::COPIES_FROM;
        let copy = self.entries.copy.filter(|_| fits)?;
        // SAFETY: as in `Dispatch::copy`.
        Some(unsafe { copy(context, state, from, to.as_mut_ptr()) })
    }

    /// Computes the value of each packet.
    ///
    /// Returns `None`, and does nothing, if the kernel has no body for many packets or there are
    /// not as many places for values.
    pub fn batch(
        &self,
        context: &F::Context,
        packets: Packets<'_>,
        values: &mut [F::Value],
    ) -> Option<()> {
        let batch = self.entries.batch.filter(|_| packets.len() == values.len())?;
        // SAFETY: as in `run`.
        unsafe { batch(context, packets, values) };
        Some(())
    }
}

/// Returns the dispatched kernel of `kernels` for a CPU with `features`: the first whose needs are
/// met, and whose matrices, if it has some, are faster by `profile`.
///
/// Returns `None` only for tables without dispatched kernels.
#[must_use]
pub fn best<F: Family>(
    kernels: &'static [Kernel<F>],
    features: Features,
    profile: &Profile,
) -> Option<&'static Kernel<F>> {
    let suits = |info: KernelInfo| info.role == Role::Dispatched && info.suits(features, profile);
    kernels.iter().find(|kernel| suits(kernel.info))
}
