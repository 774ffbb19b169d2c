//! Copies data and computes its check value in one pass, so that data is read once.
//!
//! Network stacks and storage engines copy every byte they check. Fused, the check hides behind the
//! copy's stores, or the copy behind the check's arithmetic, whichever is slower; apart, the two
//! times add up.
//!
//! ```
//! let mut to = [0; 9];
//! assert_eq!(residue::copy::crc32c(b"123456789", &mut to), 0xe306_9283);
//! assert_eq!(&to, b"123456789");
//! ```
//!
//! The destination is `&mut [u8]` or `&mut [MaybeUninit<u8>]`, all of which is then initialised.
//!
//! # Panics
//! All functions panic if the lengths of the two differ, as [`slice::copy_from_slice`] does.

use crate::code::{Code, ValueEncoding, of_sum};
use crate::crc::compiled::{Crc32, Crc32c, Crc64Nvme};
use crate::crc::{CRC_32, CRC_32C, CRC_64_NVME, Crc, Width, of_family};
pub use crate::kernel::copy::Destination;
use crate::kernel::copy::{copy, run};
use crate::sums::adler::Adler;
use crate::sums::fletcher::{Mod255, Mod65535};
use crate::sums::internet::Internet;
use crate::sums::running::Summed;
use crate::sums::xns::Xns;

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident -> $value:ty: $best:expr;)*) => {$(
        $(#[$doc])*
        ///
        /// # Panics
        /// If the lengths differ.
        pub fn $name(from: &[u8], to: &mut (impl Destination + ?Sized)) -> $value {
            copy($best, &(), from, to) as $value
        }
    )*};
}

functions! {
    /// Copies `from` to `to` and returns [`crc32c`](crate::crc32c) of the bytes.
    crc32c -> u32: Crc32c::DISPATCH;
    /// Copies `from` to `to` and returns [`crc32`](crate::crc32) of the bytes.
    crc32 -> u32: Crc32::DISPATCH;
    /// Copies `from` to `to` and returns [`crc64_nvme`](crate::crc64_nvme) of the bytes.
    crc64_nvme -> u64: Crc64Nvme::DISPATCH;
    /// Copies `from` to `to` and returns [`internet::checksum`](crate::internet::checksum) of the
    /// bytes.
    internet -> u16: Internet::DISPATCH;
    /// Copies `from` to `to` and returns [`adler32`](crate::adler32) of the bytes.
    adler32 -> u32: Adler::DISPATCH;
    /// Copies `from` to `to` and returns [`fletcher16`](crate::fletcher16) of the bytes.
    fletcher16 -> u16: Mod255::DISPATCH;
    /// Copies `from` to `to` and returns [`fletcher32`](crate::fletcher32) of the bytes.
    fletcher32 -> u32: Mod65535::DISPATCH;
    /// Copies `from` to `to` and returns [`xns::checksum`](crate::xns::checksum) of the bytes.
    xns -> u16: Xns::DISPATCH;
}

macro_rules! extend {
    ($($(#[$doc:meta])* $name:ident: $crc:ident, $value:ty;)*) => {$(
        $(#[$doc])*
        ///
        /// # Panics
        /// If the lengths differ.
        pub fn $name(value: $value, from: &[u8], to: &mut (impl Destination + ?Sized)) -> $value {
            crc_extend(&$crc, value, from, to)
        }
    )*};
}

extend! {
    /// Copies `from` to `to` and returns [`crc32c_extend`](crate::crc32c_extend) of the bytes.
    crc32c_extend: CRC_32C, u32;
    /// Copies `from` to `to` and returns [`crc32_extend`](crate::crc32_extend) of the bytes.
    crc32_extend: CRC_32, u32;
    /// Copies `from` to `to` and returns [`crc64_nvme_extend`](crate::crc64_nvme_extend) of the
    /// bytes.
    crc64_nvme_extend: CRC_64_NVME, u64;
}

/// Copies `from` to `to` and returns [`adler32_extend`](crate::adler32_extend) of the bytes.
///
/// # Panics
/// If the lengths differ.
pub fn adler32_extend(value: u32, from: &[u8], to: &mut (impl Destination + ?Sized)) -> u32 {
    let start = Adler::state_of(value);
    Adler::value_of(run(Adler::DISPATCH, &(), start, from, to))
}

/// Copies `from` to `to` and returns [`Crc::checksum`] of the bytes.
///
/// # Panics
/// If the lengths differ.
#[allow(clippy::useless_conversion)] // It is one for one family only.
pub fn crc<W: Width>(crc: &Crc<W>, from: &[u8], to: &mut (impl Destination + ?Sized)) -> W {
    of_family!(crc, |best, context| W::of_low(copy(best, context, from, to).into()))
}

/// Copies `from` to `to` and returns [`Crc::extend`] of the bytes.
///
/// # Panics
/// If the lengths differ.
pub fn crc_extend<W: Width>(
    crc: &Crc<W>,
    value: W,
    from: &[u8],
    to: &mut (impl Destination + ?Sized),
) -> W {
    let mut digest = crc.resume(value, 0);
    digest.update_copying(from, to);
    digest.value()
}

/// Copies `from` to `to` and returns [`Code::value`] of the bytes.
///
/// # Panics
/// If the lengths differ.
pub fn code(code: &Code, from: &[u8], to: &mut (impl Destination + ?Sized)) -> u128 {
    match code {
        Code::Crc(of) => crc(of, from, to),
        Code::Sum(sum) => {
            let value = of_sum!(sum.family(), |best| copy(best, &(), from, to).into());
            ValueEncoding::of_sum(*sum).of(value, from)
        }
    }
}
