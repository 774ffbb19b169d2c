//! The kernels of a code as one list of any length, without allocation.

use super::visitor::{ValueEncoding, Visitor};
use crate::body::Family;
use crate::kernel::{Kernel, KernelInfo};

/// Finds the kernel at a place in a code's tables, which follow one another.
pub(super) struct Nth {
    place: usize,
    found: Option<KernelInfo>,
}

impl Visitor for Nth {
    fn table<F: Family<Value: Into<u128>>>(
        &mut self,
        kernels: &'static [Kernel<F>],
        _: impl FnOnce() -> F::Context,
        _: ValueEncoding,
    ) {
        if self.found.is_none() {
            self.found = kernels.get(self.place).map(Kernel::info);
            self.place = self.place.saturating_sub(kernels.len());
        }
    }
}

/// Lists the kernels of all tables that `visit` shows.
///
/// Each kernel is found by its index, which needs no memory for the list.
pub(super) fn listed(visit: impl Fn(&mut Nth)) -> impl Iterator<Item = KernelInfo> {
    let mut places = 0..;
    core::iter::from_fn(move || {
        let mut nth = Nth { place: places.next()?, found: None };
        visit(&mut nth);
        nth.found
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sums::koopman::{Koopman, Mod253};
    use crate::sums::xns::{self, Xns};
    use std::vec::Vec;

    #[test]
    fn kernels_are_listed_however_many_there_are() {
        for times in [0, 1, 2, 3, 40, 1000] {
            let visit = |nth: &mut Nth| {
                for _ in 0..times {
                    nth.table(xns::KERNELS, || (), ValueEncoding::PLAIN);
                    nth.table(Koopman::<Mod253>::KERNELS, || (), ValueEncoding::PLAIN);
                    nth.table::<Xns>(&[], || (), ValueEncoding::PLAIN);
                }
            };
            let once = || {
                let others = Koopman::<Mod253>::KERNELS.iter().map(Kernel::info);
                xns::KERNELS.iter().map(Kernel::info).chain(others)
            };
            let expected: Vec<KernelInfo> = (0..times).flat_map(|_| once()).collect();
            assert_eq!(listed(visit).collect::<Vec<_>>(), expected);
        }
    }
}
