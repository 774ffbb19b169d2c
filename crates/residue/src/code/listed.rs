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
    use crate::Code;
    use crate::crc::crc32c;
    use crate::sums::xns::{self, Xns};
    use std::vec::Vec;

    /// Counts the kernels of all tables.
    struct Lines(usize);

    impl Visitor for Lines {
        fn table<F: Family<Value: Into<u128>>>(
            &mut self,
            kernels: &'static [Kernel<F>],
            _: impl FnOnce() -> F::Context,
            _: ValueEncoding,
        ) {
            self.0 += kernels.len();
        }
    }

    #[test]
    fn every_code_lists_every_line_of_its_tables() {
        let wide = "width=128,poly=5".parse().unwrap();
        let own = "width=16,poly=1f2b,refin=true".parse().unwrap();
        for code in Code::all().chain([wide, own]) {
            let mut lines = Lines(0);
            code.visit(&mut lines);
            assert!(lines.0 > 0, "{code}");
            assert_eq!(code.kernels().count(), lines.0, "{code}");
        }
        let crc32c: Code = "crc-32c".parse().unwrap();
        assert!(crc32c.kernels().eq(crc32c::KERNELS.iter().map(Kernel::info)));
    }

    #[test]
    fn kernels_are_listed_however_many_there_are() {
        for times in [0, 1, 2, 3, 40, 1000] {
            let visit = |nth: &mut Nth| {
                for _ in 0..times {
                    nth.table(xns::KERNELS, || (), ValueEncoding::PLAIN);
                    nth.table(crc32c::KERNELS, || (), ValueEncoding::PLAIN);
                    nth.table::<Xns>(&[], || (), ValueEncoding::PLAIN);
                }
            };
            let once = || {
                let others = crc32c::KERNELS.iter().map(Kernel::info);
                xns::KERNELS.iter().map(Kernel::info).chain(others)
            };
            let expected: Vec<KernelInfo> = (0..times).flat_map(|_| once()).collect();
            assert_eq!(listed(visit).collect::<Vec<_>>(), expected);
        }
    }
}
