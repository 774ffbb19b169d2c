//! Kernels: the ways to compute a code, one table per family, and the choice between them.
//!
//! A kernel is a *body* (generic over the vector operations it needs) on a *tier* (a marker that proves the CPU has
//! those operations, see the module `arch`). Its line in a family's `KERNELS` makes two entries from the one body:
//! `run`, from state to state, for streaming; and `whole`, from bytes to finished value, where the constants of the
//! start fold into the code and a short input needs no stack frame.
//!
//! Safety rests on one chain: `needs` comes from the tier's type, a kernel's entries are private and `unsafe`, and the
//! only ways to call them (`Dispatch`, [`Kernel::force`]) compare `needs` with [`cpu::features`] first.

pub(crate) mod task;

use crate::arch::{Copying, Enter, Tier};
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

/// A body's family, with, state and value, spelled short.
pub(crate) type With<B, T> = <<B as Body<T>>::Family as Family>::With;
pub(crate) type State<B, T> = <<B as Body<T>>::Family as Family>::State;
pub(crate) type Value<B, T> = <<B as Body<T>>::Family as Family>::Value;

/// What a kernel is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    /// Chosen by the library where the CPU has what it needs.
    Dispatched,
    /// A single method: run only when asked for by name, by tests and benchmarks. One named `generic` is a vector body
    /// on arrays instead of vectors: it runs anywhere, slowly.
    Method,
    /// The same, kept because the literature describes it.
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

/// What can be told of a kernel of any family.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KernelInfo {
    /// Its name: a Rust identifier, unique in its family.
    pub name: &'static str,
    /// What the CPU must have.
    pub needs: Features,
    /// What it is for.
    pub sort: Sort,
    /// The kernel of the same table that has the same body: no use in measuring both.
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
type Whole<F> = unsafe fn(&<F as Family>::With, &[u8]) -> <F as Family>::Value;

/// One way to compute the codes of family `F`.
pub struct Kernel<F: Family> {
    info: KernelInfo,
    run: Run<F>,
    whole: Whole<F>,
}

impl<F: Family> Kernel<F> {
    pub(crate) const fn on<T: Enter, B: Body<T, Family = F>>(name: &'static str) -> Self {
        Kernel {
            info: KernelInfo { name, needs: T::NEEDS, sort: Sort::Dispatched, same_as: None },
            run: T::enter::<B>,
            whole: T::enter_whole::<B>,
        }
    }

    /// The kernel of body `B` on another architecture, for lists: no CPU this is compiled for has its `needs`, so it never
    /// runs.
    #[allow(
        clippy::extra_unused_type_parameters,
        reason = "a body that no line names would be unused"
    )]
    pub(crate) const fn elsewhere<B>(name: &'static str, needs: Features) -> Self {
        Kernel {
            info: KernelInfo { name, needs, sort: Sort::Dispatched, same_as: None },
            run: |_, state, _| state,
            whole: |with, _| F::finish(with, F::start(with)),
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

    /// As [`Kernel::force`], under a smaller set of features: tests walk the tiers of one CPU with it.
    #[must_use]
    pub fn force_on(&self, features: Features) -> Option<Forced<F>> {
        let usable = features.intersection(cpu::features());
        usable.contains(self.info.needs).then_some(Forced { run: self.run, whole: self.whole })
    }
}

/// A kernel that the CPU was found to support.
pub struct Forced<F: Family> {
    run: Run<F>,
    whole: Whole<F>,
}

impl<F: Family> Clone for Forced<F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: Family> Copy for Forced<F> {}

impl<F: Family> Forced<F> {
    /// Advances `state` over `data`. The state is [`Family::start`]'s or a kernel's result: the sums' bounds hold for
    /// reduced states only.
    #[inline]
    pub fn run(&self, with: &F::With, state: F::State, data: &[u8]) -> F::State {
        // SAFETY: `Kernel::force_on`, the only maker of `self`, found that the CPU has what the kernel needs.
        unsafe { (self.run)(with, state, data) }
    }

    /// The check value of `data`.
    #[inline]
    pub fn value(&self, with: &F::With, data: &[u8]) -> F::Value {
        // SAFETY: as in `run`.
        unsafe { (self.whole)(with, data) }
    }
}

/// The dispatched kernel that `features` select from `kernels`: the first whose needs are met. `None` only for tables that
/// are not dispatched from.
#[must_use]
pub fn best<F: Family>(
    kernels: &'static [Kernel<F>],
    features: Features,
) -> Option<&'static Kernel<F>> {
    let fits = |k: &&Kernel<F>| k.info.sort == Sort::Dispatched && features.contains(k.info.needs);
    kernels.iter().find(fits)
}

/// A family's table with the choice remembered: two words, null until the first call.
pub(crate) struct Dispatch<F: Family> {
    kernels: &'static [Kernel<F>],
    run: AtomicPtr<()>,
    whole: AtomicPtr<()>,
}

impl<F: Family> Dispatch<F> {
    pub(crate) const fn new(kernels: &'static [Kernel<F>]) -> Self {
        // With it there always is a kernel to choose.
        let last = &kernels[kernels.len() - 1].info;
        assert!(last.needs.is_none() && matches!(last.sort, Sort::Dispatched));
        Dispatch {
            kernels,
            run: AtomicPtr::new(ptr::null_mut()),
            whole: AtomicPtr::new(ptr::null_mut()),
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
        self.run.store(kernel.run as *mut (), Relaxed);
        self.whole.store(kernel.whole as *mut (), Relaxed);
        kernel
    }

    #[inline]
    pub(crate) fn run(&self, with: &F::With, state: F::State, data: &[u8]) -> F::State {
        let pointer = self.run.load(Relaxed);
        let run = if pointer.is_null() {
            self.choose().run
        } else {
            // SAFETY: only `choose` stores here, and it stores a `Run<F>`.
            unsafe { core::mem::transmute::<*mut (), Run<F>>(pointer) }
        };
        // SAFETY: `choose` took a kernel whose needs are within `cpu::features`.
        unsafe { run(with, state, data) }
    }

    #[inline]
    pub(crate) fn whole(&self, with: &F::With, data: &[u8]) -> F::Value {
        let pointer = self.whole.load(Relaxed);
        let whole = if pointer.is_null() {
            self.choose().whole
        } else {
            // SAFETY: only `choose` stores here, and it stores a `Whole<F>`.
            unsafe { core::mem::transmute::<*mut (), Whole<F>>(pointer) }
        };
        // SAFETY: as in `run`.
        unsafe { whole(with, data) }
    }
}

type CopyRun<F> =
    unsafe fn(&<F as Family>::With, <F as Family>::State, &[u8], *mut u8) -> <F as Family>::State;

/// A body that stores what it loads (see [`crate::copy`]).
pub(crate) struct CopyKernel<F: Family> {
    needs: Features,
    run: CopyRun<F>,
}

impl<F: Family> CopyKernel<F> {
    pub(crate) const fn on<T: Enter, B: Body<Copying<T>, Family = F>>() -> Self {
        CopyKernel { needs: T::NEEDS, run: T::enter_copying::<B> }
    }

    /// Whether this CPU can run it.
    pub(crate) fn supported(&self) -> bool {
        cpu::features().contains(self.needs)
    }

    /// Advances `state` over `from`, and copies to `to` all of `from` that the body loads as vectors. `None`, and nothing
    /// is done, if the CPU cannot or the lengths differ.
    pub(crate) fn run(
        &self,
        with: &F::With,
        state: F::State,
        from: &[u8],
        to: &mut [MaybeUninit<u8>],
    ) -> Option<F::State> {
        if !self.supported() || from.len() != to.len() {
            return None;
        }
        // SAFETY: the CPU has what the kernel needs; `to` is as long as `from`, and borrowed mutably, so apart from it.
        Some(unsafe { (self.run)(with, state, from, to.as_mut_ptr().cast()) })
    }
}
