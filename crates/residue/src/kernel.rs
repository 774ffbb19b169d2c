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
use crate::cpu::{self, Features, Product, Profile};
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

mod compose;

pub(crate) use compose::{ByLength, OutOfLine};

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
    /// The length from which a kernel that stores the bytes it loads is faster than a copy and then
    /// a check. Such kernels may rely on it.
    // Zen 4, 2026-11-24, `cargo xtask rivals --modes copy --sizes 384,550,768`: at 768 bytes the
    // Internet checksum gains a tenth and Adler-32 a quarter, at 384 they lose as much.
    const COPIES_FROM: usize = 768;
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
    pub(crate) fn run(&self, _: T, with: &F::With, state: F::State, data: &[u8]) -> F::State {
        // SAFETY: the marker exists, so the CPU has the features of the tier.
        unsafe { (self.run)(with, state, data) }
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
    /// The product it prefers: it is dispatched only where [`Profile::product`] is the same.
    pub product: Option<Product>,
    /// The kernel of this table with identical code; benchmarks skip one of them.
    pub same_as: Option<&'static str>,
}

impl KernelInfo {
    pub(crate) const PORTABLE: KernelInfo = KernelInfo {
        name: "portable",
        needs: Features::NONE,
        sort: Sort::Dispatched,
        product: None,
        same_as: None,
    };

    /// Returns whether this CPU (under the mask `RESIDUE_CPU`) can run the kernel.
    #[must_use]
    pub fn supported(&self) -> bool {
        cpu::features().contains(self.needs)
    }

    /// Returns whether a CPU with `features` can run the kernel and prefers its product.
    fn suits(&self, features: Features, profile: &Profile) -> bool {
        features.contains(self.needs) && self.product.is_none_or(|one| one == profile.product)
    }

    /// Returns whether the kernel may be chosen on this architecture.
    const fn may_be_chosen(&self) -> bool {
        matches!(self.sort, Sort::Dispatched) && Features::POSSIBLE.contains(self.needs)
    }
}

pub(crate) type Run<F> =
    unsafe fn(&<F as Family>::With, <F as Family>::State, &[u8]) -> <F as Family>::State;
pub(crate) type Oneshot<F> = unsafe fn(&<F as Family>::With, &[u8]) -> <F as Family>::Value;
pub(crate) type CopyRun<F> =
    unsafe fn(&<F as Family>::With, <F as Family>::State, &[u8], *mut u8) -> <F as Family>::State;
pub(crate) type BatchRun<F> =
    unsafe fn(&<F as Family>::With, Packets<'_>, &mut [<F as Family>::Value]);

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

    /// Makes the kernel of body `B` on tier `T`, with a one-shot entry that calls the other.
    ///
    /// It takes a few cycles more and halves what is compiled: for CPUs that are rare.
    #[cfg_attr(
        not(any(feature = "generic", all(target_arch = "x86_64", target_feature = "sse2"))),
        allow(dead_code)
    )]
    pub(crate) const fn small<T: Enter, B: Body<T, Family = F>>(name: &'static str) -> Self {
        unsafe fn oneshot<T: Enter, B: Body<T>>(with: &With<B, T>, data: &[u8]) -> Value<B, T> {
            // SAFETY: the caller ensures that the CPU has what the tier needs.
            let state = unsafe { T::enter::<B>(with, B::Family::start(with), data) };
            B::Family::finish(with, state)
        }
        let (run, oneshot) = (T::enter::<B>, oneshot::<T, B>);
        Kernel {
            info: KernelInfo { name, needs: T::NEEDS, ..KernelInfo::PORTABLE },
            entries: Entries { run, oneshot, copy: None, batch: None },
        }
    }

    /// Makes the kernel of body `B`, written for vectors, on arrays.
    #[cfg(feature = "generic")]
    pub(crate) const fn generic<B: Body<Portable, Family = F>>(name: &'static str) -> Self {
        Kernel::small::<Portable, B>(name).method()
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

    /// Makes the kernel of body `B` on another architecture, or on a tier that the crate was built
    /// without, for lists.
    ///
    /// Its `needs` are not in [`Features::POSSIBLE`], so it never runs.
    #[allow(
        clippy::extra_unused_type_parameters,
        reason = "a body that no line names would be unused"
    )]
    pub(crate) const fn elsewhere<B>(name: &'static str, needs: Features) -> Self {
        assert!(!Features::POSSIBLE.contains(needs));
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

    /// Limits dispatch to CPUs on which `product` is the faster one.
    pub(crate) const fn by(mut self, product: Product) -> Self {
        self.info.product = Some(product);
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
        // Kernels look at it, but do not find it.
        cpu::profile();
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
        // SAFETY: `self` is made only by `Kernel::force_on`, which checks that the CPU has the
        // features the kernel needs.
        unsafe { (self.entries.run)(with, state, data) }
    }

    /// Returns the check value of `data`.
    #[inline]
    pub fn value(&self, with: &F::With, data: &[u8]) -> F::Value {
        // SAFETY: as in `run`.
        unsafe { (self.entries.oneshot)(with, data) }
    }

    /// Does what [`Dispatch::copy`] does.
    #[cfg(test)]
    pub(crate) fn copy(
        &self,
        with: &F::With,
        state: F::State,
        from: &[u8],
        to: &mut [MaybeUninit<u8>],
    ) -> Option<F::State> {
        let copy = self.entries.copy.filter(|_| from.len() == to.len())?;
        // SAFETY: as in `Dispatch::copy`.
        Some(unsafe { copy(with, state, from, to.as_mut_ptr().cast()) })
    }

    /// Does what [`Dispatch::batch`] does.
    #[cfg(test)]
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

/// Returns the dispatched kernel of `kernels` for a CPU with `features`: the first whose needs are
/// met, and whose product, if it has one, is the faster one by `profile`.
///
/// Returns `None` only for tables without dispatched kernels.
#[must_use]
#[doc(hidden)]
pub fn best<F: Family>(
    kernels: &'static [Kernel<F>],
    features: Features,
    profile: &Profile,
) -> Option<&'static Kernel<F>> {
    let suits = |info: KernelInfo| info.sort == Sort::Dispatched && info.suits(features, profile);
    kernels.iter().find(|kernel| suits(kernel.info))
}

/// The entries of one kind of the dispatched kernels of a family, best first, with the remembered
/// choice.
///
/// `E` is a pointer to a function, or an optional one. Each kind has a static of its own, so that
/// the linker drops kinds that a program does not call.
pub(crate) struct Choice<E, L: ?Sized = [Line<E>]> {
    /// The entry, or [`UNDECIDED`] until the first call. Going through its line would slow down the
    /// shortest data.
    chosen: AtomicPtr<()>,
    entry: PhantomData<E>,
    lines: L,
}

/// One kind of entry of a dispatched kernel.
#[derive(Clone, Copy)]
pub(crate) struct Line<E> {
    info: KernelInfo,
    entry: E,
}

/// The address of no function.
const UNDECIDED: *mut () = ptr::without_provenance_mut(1);

impl<E: Copy> Choice<E> {
    /// Returns the entry of the best kernel this CPU can run.
    #[inline]
    fn get(&self) -> E {
        // Where all kernels are portable, the compiler then calls the one directly.
        if let [only] = &self.lines {
            return only.entry;
        }
        let chosen = self.chosen.load(Relaxed);
        if chosen == UNDECIDED {
            return self.choose();
        }
        // SAFETY: only `choose` stores here, and it stores an `E`, which is as large as a pointer.
        unsafe { core::mem::transmute_copy(&chosen) }
    }

    #[cold]
    fn choose(&self) -> E {
        let suits = |line: &&Line<E>| line.info.suits(cpu::features(), cpu::profile());
        let line = self.lines.iter().find(suits).unwrap_or(&self.lines[self.lines.len() - 1]);
        // SAFETY: an `E` is a pointer, or an optional one.
        self.chosen.store(unsafe { core::mem::transmute_copy(&line.entry) }, Relaxed);
        line.entry
    }
}

/// Returns the number of kernels that may be dispatched on this architecture.
pub(crate) const fn count<F: Family>(kernels: &[Kernel<F>]) -> usize {
    // The last kernel must run anywhere, so that there is always one to choose.
    let last = &kernels[kernels.len() - 1].info;
    assert!(last.may_be_chosen() && last.needs.is_none() && last.product.is_none());
    let (mut count, mut i) = (0, 0);
    while i < kernels.len() {
        count += kernels[i].info.may_be_chosen() as usize;
        i += 1;
    }
    count
}

/// Declares functions that make the [`Choice`] among `N` kernels of a table, the result of
/// [`count`], for each kind of entry.
macro_rules! choices {
    ($($name:ident: $entry:ty;)*) => {
        $(pub(crate) const fn $name<F: Family, const N: usize>(
            kernels: &[Kernel<F>],
        ) -> Choice<$entry, [Line<$entry>; N]> {
            const { assert!(size_of::<$entry>() == size_of::<*mut ()>()) };
            let Kernel { info, entries } = &kernels[kernels.len() - 1];
            let mut lines = [Line { info: *info, entry: entries.$name }; N];
            let (mut count, mut i) = (0, 0);
            while i < kernels.len() {
                let Kernel { info, entries } = &kernels[i];
                if info.may_be_chosen() {
                    lines[count] = Line { info: *info, entry: entries.$name };
                    count += 1;
                }
                i += 1;
            }
            Choice { chosen: AtomicPtr::new(UNDECIDED), entry: PhantomData, lines }
        })*
    };
}
choices! {
    run: Run<F>;
    oneshot: Oneshot<F>;
    copy: Option<CopyRun<F>>;
    batch: Option<BatchRun<F>>;
}

/// The choice among the kernels of a family, made by [`dispatch`].
///
/// It is a constant that holds the addresses of statics: the compiler then calls a choice without
/// a load, in other crates too, and the linker drops the statics that a program does not use.
pub(crate) struct Dispatch<F: Family> {
    pub(crate) kernels: &'static &'static [Kernel<F>],
    pub(crate) run: &'static Choice<Run<F>>,
    pub(crate) oneshot: &'static Choice<Oneshot<F>>,
    pub(crate) copy: &'static Choice<Option<CopyRun<F>>>,
    pub(crate) batch: &'static Choice<Option<BatchRun<F>>>,
}

/// Makes the [`Dispatch`] of a family from its table of kernels, a constant.
macro_rules! dispatch {
    ($family:ty, $kernels:expr) => {{
        use $crate::kernel::{self, BatchRun, Choice, CopyRun, Line, Oneshot, Run};
        const COUNT: usize = kernel::count::<$family>($kernels);
        static TABLE: &[kernel::Kernel<$family>] = $kernels;
        static RUN: Choice<Run<$family>, [Line<Run<$family>>; COUNT]> = kernel::run($kernels);
        static ONESHOT: Choice<Oneshot<$family>, [Line<Oneshot<$family>>; COUNT]> =
            kernel::oneshot($kernels);
        static COPY: Choice<Option<CopyRun<$family>>, [Line<Option<CopyRun<$family>>>; COUNT]> =
            kernel::copy($kernels);
        static BATCH: Choice<Option<BatchRun<$family>>, [Line<Option<BatchRun<$family>>>; COUNT]> =
            kernel::batch($kernels);
        kernel::Dispatch {
            kernels: &TABLE,
            run: &RUN,
            oneshot: &ONESHOT,
            copy: &COPY,
            batch: &BATCH,
        }
    }};
}
pub(crate) use dispatch;

impl<F: Family> Dispatch<F> {
    /// Returns the kernels, best first.
    pub(crate) const fn kernels(&self) -> &'static [Kernel<F>] {
        self.kernels
    }

    /// Advances `state` over `data`.
    #[inline]
    pub(crate) fn run(&self, with: &F::With, state: F::State, data: &[u8]) -> F::State {
        // SAFETY: a `Choice` returns entries of kernels whose needs are within `cpu::features`.
        unsafe { self.run.get()(with, state, data) }
    }

    /// Returns the check value of `data`.
    #[inline]
    pub(crate) fn oneshot(&self, with: &F::With, data: &[u8]) -> F::Value {
        // SAFETY: as in `run`.
        unsafe { self.oneshot.get()(with, data) }
    }

    /// Advances `state` over `from`, and copies to `to` all bytes of `from` that the body loads as
    /// vectors.
    ///
    /// Returns `None`, and does nothing, if the kernel does not copy or the lengths differ.
    #[inline]
    pub(crate) fn copy(
        &self,
        with: &F::With,
        state: F::State,
        from: &[u8],
        to: &mut [MaybeUninit<u8>],
    ) -> Option<F::State> {
        let copy = self.copy.get().filter(|_| from.len() == to.len())?;
        // SAFETY: as in `run`; `to` is as long as `from`, and does not overlap it because it is
        // borrowed mutably.
        Some(unsafe { copy(with, state, from, to.as_mut_ptr().cast()) })
    }

    /// Returns whether the kernel has a body for many packets.
    pub(crate) fn batches(&self) -> bool {
        self.batch.get().is_some()
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
        let batch = self.batch.get()?;
        // SAFETY: as in `run`.
        unsafe { batch(with, packets, values) };
        Some(())
    }
}
