//! The integers that hold the values of CRCs.

use core::fmt::{Debug, Display, LowerHex, UpperHex};
use core::hash::Hash;
use core::ops::{BitXor, Not};

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
    + BitXor<Output = Self>
    + Not<Output = Self>
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
    /// Returns the lowest 64 bits.
    #[doc(hidden)]
    #[must_use]
    fn low(self) -> u64;
    /// Shifts towards lower bits; the result is zero if all bits leave.
    #[doc(hidden)]
    #[must_use]
    fn down(self, bits: usize) -> Self;
    /// Shifts towards higher bits; the result is zero if all bits leave.
    #[doc(hidden)]
    #[must_use]
    fn up(self, bits: usize) -> Self;
    /// Returns all bits in opposite order.
    #[doc(hidden)]
    #[must_use]
    fn reversed(self) -> Self;
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

            #[inline(always)]
            fn low(self) -> u64 {
                self as u64
            }

            #[inline(always)]
            fn down(self, bits: usize) -> Self {
                self.checked_shr(bits as u32).unwrap_or(0)
            }

            #[inline(always)]
            fn up(self, bits: usize) -> Self {
                self.checked_shl(bits as u32).unwrap_or(0)
            }

            #[inline(always)]
            fn reversed(self) -> Self {
                self.reverse_bits()
            }
        }
    )*};
}
widths!(u8 u16 u32 u64 u128);
