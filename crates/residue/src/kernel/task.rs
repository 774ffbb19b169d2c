//! Tables of the work that is not "advance a state over bytes": batches of packets, products of polynomials.
//!
//! A *task* says what goes in and what comes out; a *line* of its table is one way to do it on one tier. Choice and safety
//! are those of kernels: `needs` comes from the tier's type, and nothing runs before it was compared with the CPU.

use super::{KernelInfo, Sort};
use crate::arch::{Enter, Tier};
use crate::cpu;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

/// What is to be done.
pub(crate) trait Task: 'static {
    /// What is worked on.
    type Input<'a>;
    /// What it gives.
    type Output;
}

/// A way to do a task, on every tier `T` for which it is implemented.
pub(crate) trait Perform<T: Tier>: 'static {
    type Task: Task;
    /// Does it. Implementations are `#[inline(always)]`.
    fn perform(tier: T, input: Input<'_, Self, T>) -> Output<Self, T>;
}

/// The input and the output of a way to do a task, spelled short.
pub(crate) type Input<'a, P, T> = <<P as Perform<T>>::Task as Task>::Input<'a>;
pub(crate) type Output<P, T> = <<P as Perform<T>>::Task as Task>::Output;

type Entry<K> = for<'a> unsafe fn(<K as Task>::Input<'a>) -> <K as Task>::Output;

/// One way to do the task `K`.
pub(crate) struct Line<K: Task> {
    info: KernelInfo,
    entry: Entry<K>,
}

impl<K: Task> Line<K> {
    pub(crate) const fn on<T: Enter, P: Perform<T, Task = K>>(name: &'static str) -> Self {
        let info = KernelInfo { name, needs: T::NEEDS, ..KernelInfo::PORTABLE };
        Line { info, entry: T::perform::<P> }
    }

    pub(crate) const fn method(mut self) -> Self {
        self.info.sort = Sort::Method;
        self
    }

    #[cfg(test)]
    pub(crate) const fn info(&self) -> KernelInfo {
        self.info
    }

    /// Does the task this way, if the CPU can.
    #[cfg(test)]
    pub(crate) fn force(&self, input: K::Input<'_>) -> Option<K::Output> {
        // SAFETY: the CPU has what the line needs.
        self.info.supported().then(|| unsafe { (self.entry)(input) })
    }
}

/// A task's table, best first, with the choice remembered: null until the first call.
pub(crate) struct Choice<K: Task> {
    lines: &'static [Line<K>],
    entry: AtomicPtr<()>,
}

impl<K: Task> Choice<K> {
    pub(crate) const fn new(lines: &'static [Line<K>]) -> Self {
        // With it there always is a line to choose.
        let last = &lines[lines.len() - 1].info;
        assert!(last.needs.is_none() && matches!(last.sort, Sort::Dispatched));
        Choice { lines, entry: AtomicPtr::new(ptr::null_mut()) }
    }

    #[cold]
    fn choose(&self) -> Entry<K> {
        let features = cpu::features();
        let fits = |line: &&Line<K>| {
            line.info.sort == Sort::Dispatched && features.contains(line.info.needs)
        };
        let line = self.lines.iter().find(fits);
        let entry = line.unwrap_or(&self.lines[self.lines.len() - 1]).entry;
        self.entry.store(entry as *mut (), Relaxed);
        entry
    }

    /// Does the task the best way this CPU can.
    #[inline]
    pub(crate) fn perform(&self, input: K::Input<'_>) -> K::Output {
        let pointer = self.entry.load(Relaxed);
        let entry = if pointer.is_null() {
            self.choose()
        } else {
            // SAFETY: only `choose` stores here, and it stores an `Entry<K>`.
            unsafe { core::mem::transmute::<*mut (), Entry<K>>(pointer) }
        };
        // SAFETY: `choose` took a line whose needs are within `cpu::features`.
        unsafe { entry(input) }
    }
}
