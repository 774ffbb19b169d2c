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
use crate::code::{ValueEncoding, of_sum};
use crate::crc::compiled::{CompiledIn, Crc32, Crc64Nvme};
use crate::crc::crc32c::Crc32c;
use crate::crc::{CRC_32, CRC_32C, CRC_64_NVME, Crc, Width, of_family};
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

/// Advances `state` over `from`, and copies `from` to `to`.
///
/// # Panics
/// If the lengths differ.
pub(crate) fn run<F: Family>(
    best: &Dispatch<F>,
    with: &F::With,
    state: F::State,
    from: &[u8],
    to: &mut (impl Destination + ?Sized),
) -> F::State {
    let to = to.bytes();
    if from.len() == to.len() && from.len() >= FUSED_FROM {
        // Data too short for a vector is loaded as a word.
        let last = from.len() - 8;
        copy_bytes(&from[last..], &mut to[last..]);
        if let Some(state) = best.copy(with, state, from, to) {
            return state;
        }
    }
    let mut state = state;
    in_blocks(from, to, |block| state = best.run(with, state, block));
    state
}

/// Copies `from` to `to` in blocks, and gives each to `update`.
///
/// # Panics
/// If the lengths differ.
pub(crate) fn in_blocks(
    from: &[u8],
    to: &mut (impl Destination + ?Sized),
    mut update: impl FnMut(&[u8]),
) {
    let to = to.bytes();
    assert!(from.len() == to.len(), "{} bytes are copied to {}", from.len(), to.len());
    for (from, to) in from.chunks(BLOCK).zip(to.chunks_mut(BLOCK)) {
        copy_bytes(from, to);
        update(from);
    }
}

fn copy<F: Family>(
    best: &Dispatch<F>,
    with: &F::With,
    from: &[u8],
    to: &mut (impl Destination + ?Sized),
) -> F::Value {
    F::finish(with, run(best, with, F::start(with), from, to))
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
    let start = rfc1950::state(value);
    rfc1950::Adler::finish(&(), run(&rfc1950::BEST, &(), start, from, to))
}

/// Copies `from` to `to` and returns [`Crc::checksum`] of the bytes.
///
/// # Panics
/// If the lengths differ.
#[allow(clippy::useless_conversion)] // It is one for one family only.
pub fn crc<W: Width>(crc: &Crc<W>, from: &[u8], to: &mut (impl Destination + ?Sized)) -> W {
    of_family!(crc, |best, with| W::of_low(copy(best, with, from, to).into()))
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

#[cfg(test)]
mod tests {
    use super::sealed::Sealed;
    use super::*;
    use crate::kernel::Kernel;
    use std::{vec, vec::Vec};

    /// Compares the copies of every kernel this CPU can run, not only of the chosen one.
    fn compare<F: Family>(kernels: &'static [Kernel<F>], with: &F::With) {
        let noise = |i: u32| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8;
        let data: Vec<u8> = (0..20_000).map(noise).collect();
        let around = [1500, 2048, 4096, 5120, 8192, 9000, 16_384];
        let lengths = (FUSED_FROM..FUSED_FROM + 300).chain(around.map(|n| n - 1)).chain(around);
        for n in lengths.step_by(crate::one_in(11)) {
            let from = &data[n % 61..n % 61 + n];
            for kernel in kernels {
                let Some(forced) = kernel.force() else {
                    continue;
                };
                let mut to = vec![0; n];
                // As `run` does.
                to[n - 8..].copy_from_slice(&from[n - 8..]);
                let copied = forced.copy(with, F::start(with), from, to[..].bytes());
                if let Some(state) = copied {
                    let name = kernel.info().name;
                    let value = F::finish(with, state);
                    assert_eq!(value, forced.value(with, from), "{name} of {n} bytes");
                    assert!(to == from, "{name} of {n} bytes");
                }
            }
        }
    }

    #[test]
    fn every_kernel_that_copies() {
        compare(Crc32c::KERNELS, &());
        compare(Crc32::KERNELS, &());
        compare(Crc64Nvme::KERNELS, &());
        compare(rfc1071::KERNELS, &());
        compare(rfc1950::KERNELS, &());
        compare(idp::KERNELS, &());
        compare(Bytes255::KERNELS, &());
        compare(Words65535::KERNELS, &());
        for params in [crate::crc::catalog::CRC_16_XMODEM, crate::crc::catalog::CRC_16_ARC] {
            let crc = Crc::<u16>::new(&params);
            compare(crate::crc::KERNELS, crc.constants().expect("16 bits"));
        }
    }
}
