//! Kernels, the implementations of a code: one table per family, and the choice between them.
//!
//! A kernel is a *body* (generic over the vector operations it needs) on a *tier* (a marker that
//! proves the CPU has those operations, see the module `arch`). Its line in a family's `KERNELS`
//! makes two entries from the one body: `run`, from state to state, for streaming; and `oneshot`,
//! from bytes to finished value, where the constants of the start fold into the code and a short
//! input needs no stack frame. A line may name two more bodies: `copy`, which stores the bytes it
//! loads, and `batch`, for many packets at once. Dispatch, copies, batches, lists, tests and
//! benchmarks all read the table.
//!
//! Safety rests on one chain: `needs` comes from the tier's type, a kernel's entries are private
//! and `unsafe`, and the only ways to call them (`Dispatch`, [`Kernel::force`]) compare `needs`
//! with [`cpu::features`] first.

#[cfg(feature = "generic")]
use crate::arch::Portable;
use crate::arch::{Copying, Enter, Tier};
use crate::batch::Packets;
use crate::cpu::{self, Features};
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

/// The common properties of the kernels of one family: their state, its start, and the value at its
/// end.
#[doc(hidden)]
pub trait Family: Sized + 'static {
    /// The parameters of a kernel: `()`, or the constants of a polynomial.
    type With: 'static;
    /// The state between pieces of data, reduced so that equal data give equal states.
    type State: Copy + PartialEq + core::fmt::Debug;
    /// The check value.
    type Value: Copy + PartialEq + core::fmt::Debug;
    /// Returns the state before the first byte.
    fn start(with: &Self::With) -> Self::State;
    /// Returns the check value of a state.
    fn finish(with: &Self::With, state: Self::State) -> Self::Value;
}

/// An algorithm that computes a family's state on every tier `T` for which it is implemented.
pub(crate) trait Body<T: Tier>: 'static {
    type Family: Family;
    /// Advances `state` over `data`.
    ///
    /// Implementations are `#[inline(always)]`.
    fn run(
        tier: T,
        with: &<Self::Family as Family>::With,
        state: <Self::Family as Family>::State,
        data: &[u8],
    ) -> <Self::Family as Family>::State;
}

/// An algorithm that computes the values of many packets on every tier `T` for which it is
/// implemented.
pub(crate) trait Batch<T: Tier>: 'static {
    type Family: Family;
    /// Computes the value of each packet; there are as many values as packets.
    ///
    /// Implementations are `#[inline(always)]`.
    fn run(
        tier: T,
        with: &<Self::Family as Family>::With,
        packets: Packets<'_>,
        values: &mut [<Self::Family as Family>::Value],
    );
}

/// Runs body `Short` for data below `FROM` bytes, and body `Long`, out of line, from there on.
pub(crate) struct ByLength<Short, Long, const FROM: usize>(PhantomData<(Short, Long)>);

impl<T, Short, Long, const FROM: usize> Body<T> for ByLength<Short, Long, FROM>
where
    T: Tier,
    Short: Body<T>,
    Long: Body<T, Family = Short::Family>,
{
    type Family = Short::Family;
    #[inline(always)]
    fn run(tier: T, with: &With<Short, T>, state: State<Short, T>, data: &[u8]) -> State<Short, T> {
        if data.len() < FROM {
            Short::run(tier, with, state, data)
        } else {
            tier.outline::<Long>(with, state, data)
        }
    }
}

/// The parameters of the kernels of a body's family.
pub(crate) type With<B, T> = <<B as Body<T>>::Family as Family>::With;
pub(crate) type State<B, T> = <<B as Body<T>>::Family as Family>::State;
pub(crate) type Value<B, T> = <<B as Body<T>>::Family as Family>::Value;

/// The role of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    /// Chosen by the library where the CPU supports it.
    Dispatched,
    /// A single method, run only when tests or benchmarks ask for it by name.
    ///
    /// A kernel named `generic` is a vector body on arrays instead of vectors: it runs anywhere,
    /// slowly.
    Method,
    /// A single method, kept because the literature describes it.
    Historical,
}

impl Sort {
    /// Returns `dispatched`, `method` or `historical`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Sort::Dispatched => "dispatched",
            Sort::Method => "method",
            Sort::Historical => "historical",
        }
    }
}

/// Metadata common to all kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KernelInfo {
    /// The name: a Rust identifier, unique in its family.
    pub name: &'static str,
    /// The CPU features it needs.
    pub needs: Features,
    /// Its role.
    pub sort: Sort,
    /// The kernel of this table with identical code; benchmarks skip one of them.
    pub same_as: Option<&'static str>,
}

impl KernelInfo {
    pub(crate) const PORTABLE: KernelInfo = KernelInfo {
        name: "portable",
        needs: Features::NONE,
        sort: Sort::Dispatched,
        same_as: None,
    };

    /// Returns whether this CPU (under the mask `RESIDUE_CPU`) can run the kernel.
    #[must_use]
    pub fn supported(&self) -> bool {
        cpu::features().contains(self.needs)
    }
}

type Run<F> = unsafe fn(&<F as Family>::With, <F as Family>::State, &[u8]) -> <F as Family>::State;
type Oneshot<F> = unsafe fn(&<F as Family>::With, &[u8]) -> <F as Family>::Value;
type CopyRun<F> =
    unsafe fn(&<F as Family>::With, <F as Family>::State, &[u8], *mut u8) -> <F as Family>::State;
type BatchRun<F> = unsafe fn(&<F as Family>::With, Packets<'_>, &mut [<F as Family>::Value]);

/// The functions of a kernel.
struct Entries<F: Family> {
    run: Run<F>,
    oneshot: Oneshot<F>,
    copy: Option<CopyRun<F>>,
    batch: Option<BatchRun<F>>,
}

impl<F: Family> Clone for Entries<F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: Family> Copy for Entries<F> {}

/// One implementation of the codes of family `F`.
#[doc(hidden)]
pub struct Kernel<F: Family> {
    info: KernelInfo,
    entries: Entries<F>,
}

impl<F: Family> Kernel<F> {
    /// Makes the kernel of body `B` on tier `T`.
    pub(crate) const fn on<T: Enter, B: Body<T, Family = F>>(name: &'static str) -> Self {
        let (run, oneshot) = (T::enter::<B>, T::enter_oneshot::<B>);
        Kernel {
            info: KernelInfo { name, needs: T::NEEDS, ..KernelInfo::PORTABLE },
            entries: Entries { run, oneshot, copy: None, batch: None },
        }
    }

    /// Makes the kernel of body `B`, written for vectors, on arrays.
    ///
    /// Its one-shot entry calls the other, which halves what is compiled; nobody uses these kernels
    /// for speed.
    #[cfg(feature = "generic")]
    pub(crate) const fn generic<B: Body<Portable, Family = F>>(name: &'static str) -> Self {
        unsafe fn oneshot<B: Body<Portable>>(
            with: &With<B, Portable>,
            data: &[u8],
        ) -> Value<B, Portable> {
            // SAFETY: the tier needs nothing.
            let state = unsafe { Portable::enter::<B>(with, B::Family::start(with), data) };
            B::Family::finish(with, state)
        }
        let (run, oneshot) = (Portable::enter::<B>, oneshot::<B>);
        Kernel {
            info: KernelInfo { name, sort: Sort::Method, ..KernelInfo::PORTABLE },
            entries: Entries { run, oneshot, copy: None, batch: None },
        }
    }

    /// Adds a body that stores the bytes it loads, for [`crate::copy`].
    pub(crate) const fn copying<T: Enter, B: Body<Copying<T>, Family = F>>(mut self) -> Self {
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

    /// Makes the kernel of body `B` on another architecture, for lists.
    ///
    /// No CPU this is compiled for has its `needs`, so it never runs.
    #[allow(
        clippy::extra_unused_type_parameters,
        reason = "a body that no line names would be unused"
    )]
    pub(crate) const fn elsewhere<B>(name: &'static str, needs: Features) -> Self {
        Kernel {
            info: KernelInfo { name, needs, ..KernelInfo::PORTABLE },
            entries: Entries {
                run: |_, state, _| state,
                oneshot: |with, _| F::finish(with, F::start(with)),
                copy: None,
                batch: None,
            },
        }
    }

    pub(crate) const fn same_as(mut self, name: &'static str) -> Self {
        self.info.same_as = Some(name);
        self
    }

    pub(crate) const fn method(mut self) -> Self {
        self.info.sort = Sort::Method;
        self
    }

    pub(crate) const fn historical(mut self) -> Self {
        self.info.sort = Sort::Historical;
        self
    }

    /// Returns name, needs and role.
    #[must_use]
    pub const fn info(&self) -> KernelInfo {
        self.info
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
        let usable = features.intersection(cpu::features());
        usable.contains(self.info.needs).then_some(Forced { entries: self.entries })
    }
}

/// A kernel that the CPU was found to support.
#[doc(hidden)]
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
    pub fn run(&self, with: &F::With, state: F::State, data: &[u8]) -> F::State {
        // SAFETY: `self` is made only by `Kernel::force_on` and `Dispatch::chosen`, which check
        // that the CPU has the features the kernel needs.
        unsafe { (self.entries.run)(with, state, data) }
    }

    /// Returns the check value of `data`.
    #[inline]
    pub fn value(&self, with: &F::With, data: &[u8]) -> F::Value {
        // SAFETY: as in `run`.
        unsafe { (self.entries.oneshot)(with, data) }
    }

    /// Advances `state` over `from`, and copies to `to` all bytes of `from` that the body loads as
    /// vectors.
    ///
    /// Returns `None`, and does nothing, if the kernel does not copy or the lengths differ.
    pub(crate) fn copy(
        &self,
        with: &F::With,
        state: F::State,
        from: &[u8],
        to: &mut [MaybeUninit<u8>],
    ) -> Option<F::State> {
        let copy = self.entries.copy.filter(|_| from.len() == to.len())?;
        // SAFETY: as in `run`; `to` is as long as `from`, and does not overlap it because it is
        // borrowed mutably.
        Some(unsafe { copy(with, state, from, to.as_mut_ptr().cast()) })
    }

    /// Returns whether the kernel has a body for many packets.
    pub(crate) const fn batches(&self) -> bool {
        self.entries.batch.is_some()
    }

    /// Computes the value of each packet.
    ///
    /// Returns `None`, and does nothing, if the kernel has no body for many packets.
    pub(crate) fn batch(
        &self,
        with: &F::With,
        packets: Packets<'_>,
        values: &mut [F::Value],
    ) -> Option<()> {
        let batch = self.entries.batch?;
        // SAFETY: as in `run`.
        unsafe { batch(with, packets, values) };
        Some(())
    }
}

/// Returns the dispatched kernel that `features` select from `kernels`: the first whose needs are
/// met.
///
/// Returns `None` only for tables without dispatched kernels.
#[must_use]
#[doc(hidden)]
pub fn best<F: Family>(
    kernels: &'static [Kernel<F>],
    features: Features,
) -> Option<&'static Kernel<F>> {
    let fits = |k: &&Kernel<F>| k.info.sort == Sort::Dispatched && features.contains(k.info.needs);
    kernels.iter().find(fits)
}

/// A family's table with the remembered choice: null until the first call.
pub(crate) struct Dispatch<F: Family> {
    kernels: &'static [Kernel<F>],
    chosen: AtomicPtr<Kernel<F>>,
    // The entries of the chosen kernel. Going through its line in the table would slow down the
    // shortest data.
    run: AtomicPtr<()>,
    oneshot: AtomicPtr<()>,
}

impl<F: Family> Dispatch<F> {
    pub(crate) const fn new(kernels: &'static [Kernel<F>]) -> Self {
        // The last kernel must run anywhere, so that there is always one to choose.
        let last = &kernels[kernels.len() - 1].info;
        assert!(last.needs.is_none() && matches!(last.sort, Sort::Dispatched));
        Dispatch {
            kernels,
            chosen: AtomicPtr::new(ptr::null_mut()),
            run: AtomicPtr::new(ptr::null_mut()),
            oneshot: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// Returns the kernels, best first.
    pub(crate) const fn kernels(&self) -> &'static [Kernel<F>] {
        self.kernels
    }

    #[cold]
    fn choose(&self) -> &'static Kernel<F> {
        let kernel = best(self.kernels, cpu::features());
        let kernel = kernel.unwrap_or(&self.kernels[self.kernels.len() - 1]);
        self.chosen.store(ptr::from_ref(kernel).cast_mut(), Relaxed);
        self.run.store(kernel.entries.run as *mut (), Relaxed);
        self.oneshot.store(kernel.entries.oneshot as *mut (), Relaxed);
        kernel
    }

    /// Returns the best kernel this CPU can run.
    #[inline]
    pub(crate) fn chosen(&self) -> Forced<F> {
        let pointer = self.chosen.load(Relaxed);
        // SAFETY: the pointer is null, or from `choose`, which stores references to statics.
        let kernel = unsafe { pointer.as_ref() }.unwrap_or_else(|| self.choose());
        Forced { entries: kernel.entries }
    }

    #[inline]
    pub(crate) fn run(&self, with: &F::With, state: F::State, data: &[u8]) -> F::State {
        let pointer = self.run.load(Relaxed);
        let run = if pointer.is_null() {
            self.choose().entries.run
        } else {
            // SAFETY: only `choose` stores here, and it stores a `Run<F>`.
            unsafe { core::mem::transmute::<*mut (), Run<F>>(pointer) }
        };
        // SAFETY: `choose` selects only kernels whose needs are within `cpu::features`.
        unsafe { run(with, state, data) }
    }

    #[inline]
    pub(crate) fn oneshot(&self, with: &F::With, data: &[u8]) -> F::Value {
        let pointer = self.oneshot.load(Relaxed);
        let oneshot = if pointer.is_null() {
            self.choose().entries.oneshot
        } else {
            // SAFETY: only `choose` stores here, and it stores a `Oneshot<F>`.
            unsafe { core::mem::transmute::<*mut (), Oneshot<F>>(pointer) }
        };
        // SAFETY: as in `run`.
        unsafe { oneshot(with, data) }
    }
}
