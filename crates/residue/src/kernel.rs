//! Kernels: the ways to compute a code, one table per family, and the choice between them.
//!
//! A kernel is a *body* (generic over the vector operations it needs) on a *tier* (a marker that
//! proves the CPU has those operations, see the module `arch`). Its line in a family's `KERNELS`
//! makes two entries from the one body: `run`, from state to state, for streaming; and `oneshot`,
//! from bytes to finished value, where the constants of the start fold into the code and a short
//! input needs no stack frame. A line may name two bodies more: `copy`, which stores what it loads,
//! and `batch`, for many packets at once. Nothing else mentions a kernel: dispatch, copies,
//! batches, lists, tests and benchmarks read the table.
//!
//! Safety rests on one chain: `needs` comes from the tier's type, a kernel's entries are private
//! and `unsafe`, and the only ways to call them (`Dispatch`, [`Kernel::force`]) compare `needs`
//! with [`cpu::features`] first.

use crate::arch::{Copying, Enter, Tier};
use crate::batch::Packets;
use crate::cpu::{self, Features};
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

/// What the kernels of one family have in common: their state, and how it begins and ends.
pub trait Family: Sized + 'static {
    /// What a kernel needs beside the bytes: `()`, or the constants of a polynomial.
    type With: 'static;
    /// The state between pieces of data; reduced, so that equal data give equal states.
    type State: Copy + PartialEq + core::fmt::Debug;
    /// The check value.
    type Value: Copy + PartialEq + core::fmt::Debug;
    /// The state before the first byte.
    fn start(with: &Self::With) -> Self::State;
    /// The check value of a state.
    fn finish(with: &Self::With, state: Self::State) -> Self::Value;
}

/// A way to compute a family's state, on every tier `T` for which it is implemented.
pub(crate) trait Body<T: Tier>: 'static {
    type Family: Family;
    /// Advances `state` over `data`. Implementations are `#[inline(always)]`.
    fn run(
        tier: T,
        with: &<Self::Family as Family>::With,
        state: <Self::Family as Family>::State,
        data: &[u8],
    ) -> <Self::Family as Family>::State;
}

/// A way to compute the values of many packets, on every tier `T` for which it is implemented.
pub(crate) trait Batch<T: Tier>: 'static {
    type Family: Family;
    /// Computes the value of each packet; there are as many values as packets. Implementations are
    /// `#[inline(always)]`.
    fn run(
        tier: T,
        with: &<Self::Family as Family>::With,
        packets: Packets<'_>,
        values: &mut [<Self::Family as Family>::Value],
    );
}

/// One body for data below `FROM` bytes and another, out of line, from there on.
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

/// The `With`, `State` and `Value` of a body's family.
pub(crate) type With<B, T> = <<B as Body<T>>::Family as Family>::With;
pub(crate) type State<B, T> = <<B as Body<T>>::Family as Family>::State;
pub(crate) type Value<B, T> = <<B as Body<T>>::Family as Family>::Value;

/// What a kernel is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    /// Chosen by the library where the CPU has what it needs.
    Dispatched,
    /// A single method: run only when asked for by name, by tests and benchmarks. One named
    /// `generic` is a vector body on arrays instead of vectors: it runs anywhere, slowly.
    Method,
    /// A single method, kept because the literature describes it.
    Historical,
}

impl Sort {
    /// `dispatched`, `method` or `historical`.
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
    /// Its name: a Rust identifier, unique in its family.
    pub name: &'static str,
    /// What the CPU must have.
    pub needs: Features,
    /// What it is for.
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

    /// Whether this CPU (under the mask `RESIDUE_CPU`) can run the kernel.
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

/// One way to compute the codes of family `F`.
pub struct Kernel<F: Family> {
    info: KernelInfo,
    entries: Entries<F>,
}

impl<F: Family> Kernel<F> {
    /// The kernel of body `B` on tier `T`.
    pub(crate) const fn on<T: Enter, B: Body<T, Family = F>>(name: &'static str) -> Self {
        let (run, oneshot) = (T::enter::<B>, T::enter_oneshot::<B>);
        Kernel {
            info: KernelInfo { name, needs: T::NEEDS, ..KernelInfo::PORTABLE },
            entries: Entries { run, oneshot, copy: None, batch: None },
        }
    }

    /// Adds a body that stores what it loads, for [`crate::copy`].
    pub(crate) const fn copying<T: Enter, B: Body<Copying<T>, Family = F>>(mut self) -> Self {
        assert!(self.info.needs.contains(T::NEEDS));
        self.entries.copy = Some(T::enter_copying::<B>);
        self
    }

    /// Adds a way to compute the values of many packets, for [`crate::batch`].
    pub(crate) const fn batched<T: Enter, B: Batch<T, Family = F>>(mut self) -> Self {
        assert!(self.info.needs.contains(T::NEEDS));
        self.entries.batch = Some(T::enter_batch::<B>);
        self
    }

    /// The kernel of body `B` on another architecture, for lists: no CPU this is compiled for has
    /// its `needs`, so it never runs.
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

    /// Name, needs and sort.
    #[must_use]
    pub const fn info(&self) -> KernelInfo {
        self.info
    }

    /// The kernel, ready to run, if this CPU has what it needs.
    #[must_use]
    pub fn force(&self) -> Option<Forced<F>> {
        self.force_on(cpu::features())
    }

    /// As [`Kernel::force`], under a smaller set of features: tests walk the tiers of one CPU with
    /// it.
    #[must_use]
    pub fn force_on(&self, features: Features) -> Option<Forced<F>> {
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
    /// Advances `state` over `data`. The state is [`Family::start`]'s or a kernel's result: the
    /// sums' bounds hold for reduced states only.
    #[inline]
    pub fn run(&self, with: &F::With, state: F::State, data: &[u8]) -> F::State {
        // SAFETY: `Kernel::force_on` and `Dispatch::chosen`, the only makers of `self`, found that
        // the CPU has what the kernel needs.
        unsafe { (self.entries.run)(with, state, data) }
    }

    /// The check value of `data`.
    #[inline]
    pub fn value(&self, with: &F::With, data: &[u8]) -> F::Value {
        // SAFETY: as in `run`.
        unsafe { (self.entries.oneshot)(with, data) }
    }

    /// Advances `state` over `from`, and copies to `to` all of `from` that the body loads as
    /// vectors. Returns `None`, and does nothing, if the kernel does not copy or the lengths
    /// differ.
    pub(crate) fn copy(
        &self,
        with: &F::With,
        state: F::State,
        from: &[u8],
        to: &mut [MaybeUninit<u8>],
    ) -> Option<F::State> {
        let copy = self.entries.copy.filter(|_| from.len() == to.len())?;
        // SAFETY: as in `run`; `to` is as long as `from`, and borrowed mutably, so apart from it.
        Some(unsafe { copy(with, state, from, to.as_mut_ptr().cast()) })
    }

    /// Whether the kernel has a way to compute the values of many packets.
    pub(crate) const fn batches(&self) -> bool {
        self.entries.batch.is_some()
    }

    /// Computes the value of each packet. Returns `None`, and does nothing, if the kernel has no
    /// way of its own to do that.
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

/// The dispatched kernel that `features` select from `kernels`: the first whose needs are met.
/// `None` only for tables that are not dispatched from.
#[must_use]
pub fn best<F: Family>(
    kernels: &'static [Kernel<F>],
    features: Features,
) -> Option<&'static Kernel<F>> {
    let fits = |k: &&Kernel<F>| k.info.sort == Sort::Dispatched && features.contains(k.info.needs);
    kernels.iter().find(fits)
}

/// A family's table with the choice remembered: null until the first call.
pub(crate) struct Dispatch<F: Family> {
    kernels: &'static [Kernel<F>],
    chosen: AtomicPtr<Kernel<F>>,
    // The chosen kernel's, without the step through its line: it would cost the shortest data.
    run: AtomicPtr<()>,
    oneshot: AtomicPtr<()>,
}

impl<F: Family> Dispatch<F> {
    pub(crate) const fn new(kernels: &'static [Kernel<F>]) -> Self {
        // With it there always is a kernel to choose.
        let last = &kernels[kernels.len() - 1].info;
        assert!(last.needs.is_none() && matches!(last.sort, Sort::Dispatched));
        Dispatch {
            kernels,
            chosen: AtomicPtr::new(ptr::null_mut()),
            run: AtomicPtr::new(ptr::null_mut()),
            oneshot: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// The kernels, best first.
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

    /// The best kernel this CPU can run.
    #[inline]
    pub(crate) fn chosen(&self) -> Forced<F> {
        let pointer = self.chosen.load(Relaxed);
        // SAFETY: it is null, or from `choose`, which stores references to statics.
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
        // SAFETY: `choose` took a kernel whose needs are within `cpu::features`.
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
