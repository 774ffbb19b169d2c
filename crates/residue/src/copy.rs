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

use crate::arch::{copy_bytes, uninit};
use crate::code::{Spelling, of_sum};
use crate::crc::compiled::{CompiledIn, Crc32, Crc64Nvme};
use crate::crc::crc32c::Crc32c;
use crate::crc::{Crc, of_family};
use crate::fletcher::{Bytes255, Variant, Words65535};
use crate::kernel::{Dispatch, Family};
use crate::{Code, adler as rfc1950, internet as rfc1071, xns as idp};
use core::mem::MaybeUninit;

/// A destination of copies: `[u8]` or `[MaybeUninit<u8>]`.
pub trait Destination: sealed::Sealed {}

mod sealed {
    pub trait Sealed {
        fn bytes(&mut self) -> &mut [core::mem::MaybeUninit<u8>];
    }
}

impl Destination for [u8] {}
impl sealed::Sealed for [u8] {
    fn bytes(&mut self) -> &mut [MaybeUninit<u8>] {
        uninit(self)
    }
}

impl<const N: usize> Destination for [u8; N] {}
impl<const N: usize> sealed::Sealed for [u8; N] {
    fn bytes(&mut self) -> &mut [MaybeUninit<u8>] {
        uninit(self)
    }
}

impl Destination for [MaybeUninit<u8>] {}
impl sealed::Sealed for [MaybeUninit<u8>] {
    fn bytes(&mut self) -> &mut [MaybeUninit<u8>] {
        self
    }
}

/// The length from which a fused kernel is used; shorter data is still in the first-level cache
/// when it is read again.
const FUSED_FROM: usize = 1024;

/// Without a fused kernel, this many bytes are copied and then read again from the first-level
/// cache. The number is even, so that no word is cut.
const BLOCK: usize = 4096;

fn copy<F: Family>(
    best: &Dispatch<F>,
    with: &F::With,
    from: &[u8],
    to: &mut (impl Destination + ?Sized),
) -> F::Value {
    let to = to.bytes();
    assert!(from.len() == to.len(), "{} bytes are copied to {}", from.len(), to.len());
    let mut state = F::start(with);
    if from.len() >= FUSED_FROM {
        // Data too short for a vector is loaded as a word.
        let last = from.len() - 8;
        copy_bytes(&from[last..], &mut to[last..]);
        if let Some(state) = best.chosen().copy(with, state, from, to) {
            return F::finish(with, state);
        }
    }
    for (from, to) in from.chunks(BLOCK).zip(to.chunks_mut(BLOCK)) {
        copy_bytes(from, to);
        state = best.run(with, state, from);
    }
    F::finish(with, state)
}

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
    crc32c -> u32: Crc32c::BEST;
    /// Copies `from` to `to` and returns [`crc32`](crate::crc32) of the bytes.
    crc32 -> u32: Crc32::BEST;
    /// Copies `from` to `to` and returns [`crc64_nvme`](crate::crc64_nvme) of the bytes.
    crc64_nvme -> u64: Crc64Nvme::BEST;
    /// Copies `from` to `to` and returns [`internet::checksum`](crate::internet::checksum) of the
    /// bytes.
    internet -> u16: &rfc1071::BEST;
    /// Copies `from` to `to` and returns [`adler32`](crate::adler32) of the bytes.
    adler32 -> u32: &rfc1950::BEST;
    /// Copies `from` to `to` and returns [`fletcher16`](crate::fletcher16) of the bytes.
    fletcher16 -> u16: Bytes255::BEST;
    /// Copies `from` to `to` and returns [`fletcher32`](crate::fletcher32) of the bytes.
    fletcher32 -> u32: Words65535::BEST;
    /// Copies `from` to `to` and returns [`xns::checksum`](crate::xns::checksum) of the bytes.
    xns -> u16: &idp::BEST;
}

/// Copies `from` to `to` and returns [`Crc::checksum`] of the bytes.
///
/// # Panics
/// If the lengths differ.
#[allow(clippy::useless_conversion)] // It is one for one family only.
pub fn crc(crc: &Crc, from: &[u8], to: &mut (impl Destination + ?Sized)) -> u128 {
    of_family!(crc, |best, with| copy(best, with, from, to).into())
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
            Spelling::of_sum(*sum).of(value, from)
        }
    }
}
