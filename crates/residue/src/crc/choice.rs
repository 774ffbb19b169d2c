//! The choice of the family that computes a CRC: one with compiled-in constants, or that of any.

use super::any::Crc;
use super::family::Register;
use super::width::Width;
use crate::kernel::Dispatch;

/// Evaluates an expression for the family that computes a CRC, with the dispatch of its kernels and
/// their parameters.
macro_rules! of_family {
    ($crc:expr, |$best:ident, $context:ident| $body:expr) => {{
        use $crate::crc::compiled::{Crc32, Crc32c, Crc64Nvme};
        use $crate::crc::{Compiled, Embedded, Engine, WideFamily};
        match ($crc.compiled(), $crc.engine()) {
            (Some(Compiled::Crc32c), _) => {
                let ($best, $context) = (Crc32c::DISPATCH, &());
                $body
            }
            (Some(Compiled::Crc32), _) => {
                let ($best, $context) = (Crc32::DISPATCH, &());
                $body
            }
            (Some(Compiled::Crc64Nvme), _) => {
                let ($best, $context) = (Crc64Nvme::DISPATCH, &());
                $body
            }
            (None, Engine::Embedded(constants)) => {
                let ($best, $context) = (Embedded::DISPATCH, constants);
                $body
            }
            (None, Engine::Wide(wide)) => {
                let ($best, $context) = (WideFamily::DISPATCH, wide);
                $body
            }
        }
    }};
}
pub(crate) use of_family;

impl<W: Width> Crc<W> {
    /// Returns the check value of `data`, of any length.
    #[inline]
    #[must_use]
    #[allow(clippy::useless_conversion)] // It is one for one family only.
    pub fn checksum(&self, data: &[u8]) -> W {
        of_family!(self, |best, context| W::of_low(best.oneshot(context, data).into()))
    }

    /// Returns the check value of data with the value `value`, followed by `data`, like zlib's
    /// `crc32(crc, data)`.
    ///
    /// To start, pass the CRC of the empty message. Bits of `value` above the width are ignored.
    ///
    /// ```
    /// use residue::crc::CRC_32C;
    /// assert_eq!(CRC_32C.extend(0x18d1_2335, b"6789"), 0xe306_9283); // after 12345
    /// ```
    #[inline]
    #[must_use]
    pub fn extend(&self, value: W, data: &[u8]) -> W {
        fn extend<F: Register, W: Width>(
            best: &Dispatch<F>,
            context: &F::Context,
            value: u128,
            data: &[u8],
        ) -> W {
            W::of_low(
                F::finish(context, best.run(context, F::register(context, value), data)).into(),
            )
        }
        let value = value.into() & self.params().mask();
        of_family!(self, |best, context| extend(best, context, value, data))
    }

    /// Checks in one pass, by the residue, whether `data` ends with its own check value.
    ///
    /// Returns `None` when [`Crc::append`] would.
    #[must_use]
    pub fn verify(&self, data: &[u8]) -> Option<bool> {
        let (_, bytes) = self.append(W::default())?;
        let good = self.checksum(data).into() ^ self.params().xorout == self.params().residue;
        Some(good && data.len() >= bytes)
    }

    #[allow(clippy::useless_conversion)] // It is one for one family only.
    pub(super) fn run(&self, state: u128, data: &[u8]) -> u128 {
        of_family!(self, |best, context| best.run(context, Width::of_low(state), data).into())
    }
}
