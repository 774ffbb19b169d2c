//! What a visitor of all kernels of a code sees.

use super::sum::Sum;
use crate::body::Family;
use crate::kernel::Kernel;

/// A visitor of the kernel tables of a [`Code`](super::Code), each with the types of its family.
pub trait Visitor {
    /// Visits one table.
    ///
    /// `context` makes the parameters of the kernels, which for tables takes some microseconds;
    /// `encoding` converts the family's value to the code's.
    fn table<F: Family<Value: Into<u128>, Context: Clone>>(
        &mut self,
        kernels: &'static [Kernel<F>],
        context: impl FnOnce() -> F::Context,
        encoding: ValueEncoding,
    );
}

/// The conversion of a family's value to a code's value.
///
/// Most codes use the family's value unchanged; some swap bytes or compute check octets.
#[derive(Clone, Copy, Debug)]
pub struct ValueEncoding(Option<Sum>);

impl ValueEncoding {
    /// The family's value is the code's.
    pub(crate) const PLAIN: ValueEncoding = ValueEncoding(None);

    /// Returns the conversion for `sum`.
    pub(crate) const fn of_sum(sum: Sum) -> ValueEncoding {
        ValueEncoding(Some(sum))
    }

    /// Converts `value`, the family's value of `data`, to the code's value.
    #[must_use]
    pub fn of(self, value: u128, data: &[u8]) -> u128 {
        let nonzero = || data.iter().any(|&byte| byte != 0);
        self.0.map_or(value, |sum| sum.encode(value as u32, data.len() as u64, nonzero).into())
    }
}
