//! The integers that hold the values of CRCs.

use core::fmt::{Debug, Display, LowerHex, UpperHex};
use core::hash::Hash;

/// An integer that holds the values of a CRC: `u8`, `u16`, `u32`, `u64` or `u128`.
///
/// The CRC may be narrower; the upper bits of its values are then 0.
pub trait Width:
    sealed::Sealed
    + Copy
    + Default
    + Ord
    + Hash
    + Debug
    + Display
    + LowerHex
    + UpperHex
    + Into<u128>
    + Send
    + Sync
    + 'static
{
    /// Bits in the integer.
    const BITS: usize;
    /// Makes the integer from its lowest bits.
    #[doc(hidden)]
    #[must_use]
    fn of_low(bits: u128) -> Self;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! widths {
    ($($integer:ident)*) => {$(
        impl sealed::Sealed for $integer {}

        impl Width for $integer {
            const BITS: usize = $integer::BITS as usize;

            #[inline(always)]
            fn of_low(bits: u128) -> Self {
                bits as $integer
            }
        }

        impl super::Crc<$integer> {
            /// Computes the check value of `data` at compile time, by tables, a byte at a time.
            ///
            /// At run time [`Crc::checksum`](super::Crc::checksum) is faster.
            ///
            /// ```
            /// use residue::crc::CRC_32C;
            /// const GREETING: u32 = CRC_32C.checksum_const(b"123456789");
            /// assert_eq!(GREETING, 0xe306_9283);
            /// ```
            #[must_use]
            pub const fn checksum_const(&self, data: &[u8]) -> $integer {
                self.const_value(data) as $integer
            }
        }
    )*};
}
widths!(u8 u16 u32 u64 u128);
