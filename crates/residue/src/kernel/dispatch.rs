//! The choice of a kernel, made once for each CPU and remembered.

use super::{BatchRun, CopyRun, Entries, Kernel, KernelInfo, Oneshot, Run};
use crate::arch::copy_bytes;
use crate::body::{Family, Packets};
use crate::cpu;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

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
        self.with(|entry| entry, || self.choose())
    }

    /// Returns `known` of the entry if it was chosen before, or `first()`.
    ///
    /// An `Option` would be a second branch, and the compiler would no longer know which of them is
    /// seldom taken.
    #[inline(always)]
    fn with<V>(&self, known: impl FnOnce(E) -> V, first: impl FnOnce() -> V) -> V {
        // Where all kernels are portable, the compiler then calls the one directly.
        if let [only] = &self.lines {
            return known(only.entry);
        }
        let chosen = self.chosen.load(Relaxed);
        if chosen == UNDECIDED {
            return first();
        }
        // SAFETY: only `choose` stores here, and it stores an `E`, which is as large as a pointer.
        known(unsafe { core::mem::transmute_copy(&chosen) })
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
    assert!(last.may_be_chosen() && last.needs.is_none() && last.matrices.is_none());
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
        impl<F: Family> Entries<F> {
            $(pub(crate) const fn $name<const N: usize>(
                kernels: &[Kernel<F>],
            ) -> Choice<$entry, [Line<$entry>; N]> {
                const { assert!(size_of::<$entry>() == size_of::<*mut ()>()) };
                let Kernel { info, entries, .. } = &kernels[kernels.len() - 1];
                let mut lines = [Line { info: *info, entry: entries.$name }; N];
                let (mut count, mut i) = (0, 0);
                while i < kernels.len() {
                    let Kernel { info, entries, .. } = &kernels[i];
                    if info.may_be_chosen() {
                        lines[count] = Line { info: *info, entry: entries.$name };
                        count += 1;
                    }
                    i += 1;
                }
                Choice { chosen: AtomicPtr::new(UNDECIDED), entry: PhantomData, lines }
            })*
        }
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
pub(crate) enum Dispatch<F: Family> {
    Among {
        kernels: &'static &'static [Kernel<F>],
        run: &'static Choice<Run<F>>,
        oneshot: &'static Choice<Oneshot<F>>,
        copy: &'static Choice<Option<CopyRun<F>>>,
        batch: &'static Choice<Option<BatchRun<F>>>,
    },
    /// The table of a family that dispatches the last kernel on all CPUs, which may be generic.
    Last(&'static [Kernel<F>]),
}

/// Makes the [`Dispatch`] of a family from its table of kernels, a constant.
///
/// In unit tests that is the last kernel: statics are compiled whether a program uses them or not,
/// and these name all kernels, which the tests in `tests/` compare.
#[cfg(test)]
macro_rules! dispatch {
    ($family:ty, $kernels:expr) => {
        $crate::kernel::Dispatch::<$family>::Last($kernels)
    };
}
#[cfg(not(test))]
macro_rules! dispatch {
    ($family:ty, $kernels:expr) => {{
        use $crate::kernel::{self, BatchRun, Choice, CopyRun, Entries, Line, Oneshot, Run};
        const COUNT: usize = kernel::count::<$family>($kernels);
        static TABLE: &[kernel::Kernel<$family>] = $kernels;
        static RUN: Choice<Run<$family>, [Line<Run<$family>>; COUNT]> = Entries::run($kernels);
        static ONESHOT: Choice<Oneshot<$family>, [Line<Oneshot<$family>>; COUNT]> =
            Entries::oneshot($kernels);
        static COPY: Choice<Option<CopyRun<$family>>, [Line<Option<CopyRun<$family>>>; COUNT]> =
            Entries::copy($kernels);
        static BATCH: Choice<Option<BatchRun<$family>>, [Line<Option<BatchRun<$family>>>; COUNT]> =
            Entries::batch($kernels);
        kernel::Dispatch::Among {
            kernels: &TABLE,
            run: &RUN,
            oneshot: &ONESHOT,
            copy: &COPY,
            batch: &BATCH,
        }
    }};
}
pub(crate) use dispatch;

/// Gives a type the choice among the kernels of its table, a constant.
macro_rules! dispatched {
    ($family:ty, $kernels:expr) => {
        impl $family {
            pub(crate) const DISPATCH: &'static $crate::kernel::Dispatch<Self> =
                &$crate::kernel::dispatch!($family, $kernels);
        }
    };
}
pub(crate) use dispatched;

/// Returns the entry of one kind of the kernel that is chosen.
macro_rules! choice {
    ($dispatch:expr, $entry:ident) => {
        match $dispatch {
            Dispatch::Among { $entry, .. } => $entry.get(),
            Dispatch::Last(kernels) => kernels[kernels.len() - 1].entries.$entry,
        }
    };
}

impl<F: Family> Dispatch<F> {
    /// Makes the choice of the last kernel, the only one of its table that is dispatched.
    pub(crate) const fn last(kernels: &'static [Kernel<F>]) -> Self {
        assert!(count(kernels) == 1);
        Dispatch::Last(kernels)
    }

    /// Returns the kernels, best first.
    pub(crate) const fn kernels(&self) -> &'static [Kernel<F>] {
        match self {
            Dispatch::Among { kernels, .. } => kernels,
            Dispatch::Last(kernels) => kernels,
        }
    }

    /// Advances `state` over `data`.
    #[inline]
    pub(crate) fn run(&self, context: &F::Context, state: F::State, data: &[u8]) -> F::State {
        /// Chooses, and calls the choice. With this call, a function that only computes a state
        /// saves no register, and calls the entry by a jump.
        ///
        /// # Safety
        /// The choice must be that of a [`Dispatch`].
        #[cold]
        #[inline(never)]
        unsafe fn first<F: Family>(
            state: F::State,
            data: &[u8],
            context: &F::Context,
            run: &Choice<Run<F>>,
        ) -> F::State {
            // SAFETY: the caller ensures it.
            unsafe { run.choose()(state, data, context) }
        }
        // SAFETY: a `Choice` returns entries of kernels whose needs are within `cpu::features`, and
        // the last kernel of a table needs nothing.
        unsafe {
            match self {
                Dispatch::Among { run, .. } => run.with(
                    |entry| entry(state, data, context),
                    || first::<F>(state, data, context, run),
                ),
                Dispatch::Last(kernels) => {
                    (kernels[kernels.len() - 1].entries.run)(state, data, context)
                }
            }
        }
    }

    /// Returns the check value of `data`.
    #[inline]
    pub(crate) fn oneshot(&self, context: &F::Context, data: &[u8]) -> F::Value {
        /// Calls an entry that the compiler would otherwise inline, one beside the other where a
        /// function calls those of many families.
        ///
        /// # Safety
        /// The CPU must have what the kernel needs.
        #[inline(never)]
        unsafe fn apart<F: Family>(
            data: &[u8],
            context: &F::Context,
            entry: Oneshot<F>,
        ) -> F::Value {
            // SAFETY: the caller ensures it.
            unsafe { entry(data, context) }
        }
        /// Chooses, and calls the choice, as in `run`.
        ///
        /// # Safety
        /// The choice must be that of a [`Dispatch`].
        #[cold]
        #[inline(never)]
        unsafe fn first<F: Family>(
            data: &[u8],
            context: &F::Context,
            oneshot: &Choice<Oneshot<F>>,
        ) -> F::Value {
            // SAFETY: the caller ensures it.
            unsafe { oneshot.choose()(data, context) }
        }
        // SAFETY: as in `run`.
        unsafe {
            match self {
                Dispatch::Among { oneshot, .. } => oneshot
                    .with(|entry| entry(data, context), || first::<F>(data, context, oneshot)),
                Dispatch::Last(kernels) => {
                    apart::<F>(data, context, kernels[kernels.len() - 1].entries.oneshot)
                }
            }
        }
    }

    /// Advances `state` over `from`, of [`Family::COPIES_FROM`] bytes or more, and copies it to
    /// `to`.
    ///
    /// Returns `None`, and does nothing, if the kernel does not copy or the lengths differ.
    #[inline]
    pub(crate) fn copy(
        &self,
        context: &F::Context,
        state: F::State,
        from: &[u8],
        to: &mut [MaybeUninit<u8>],
    ) -> Option<F::State> {
        let copy = choice!(self, copy).filter(|_| from.len() == to.len())?;
        // The kernel copies what it loads as vectors. Data too short for one is loaded as a word.
        let last = from.len().checked_sub(8)?;
        copy_bytes(&from[last..], &mut to[last..]);
        // SAFETY: as in `run`; `to` is as long as `from`, and does not overlap it because it is
        // borrowed mutably.
        Some(unsafe { copy(context, state, from, to.as_mut_ptr().cast()) })
    }

    /// Returns whether the kernel has a body for many packets.
    pub(crate) fn batches(&self) -> bool {
        choice!(self, batch).is_some()
    }

    /// Computes the value of each packet.
    ///
    /// Returns `None`, and does nothing, if the kernel has no body for many packets.
    pub(crate) fn batch(
        &self,
        context: &F::Context,
        packets: Packets<'_>,
        values: &mut [F::Value],
    ) -> Option<()> {
        let batch = choice!(self, batch)?;
        // SAFETY: as in `run`.
        unsafe { batch(context, packets, values) };
        Some(())
    }
}
