//! Error-detection codes: the Internet checksum, XNS, Fletcher and ISO 8473, Adler-32, CRC-32C and
//! every other CRC.
//!
//! Each code is a residue: the Internet checksum modulo 65535, Fletcher modulo 255 or 65535, Adler
//! modulo 65521, a CRC modulo a polynomial. None is cryptographic: they detect accidents; an
//! attacker can forge any of them.
//!
//! | code | one-shot | streaming | bits |
//! |---|---|---|---|
//! | CRC-32C (iSCSI, SCTP, ext4) | [`crc32c`] | [`crc::crc32c::CRC_32C`]`.digest()` | 32 |
//! | CRC-32 (Ethernet, zip) | [`crc32`] | [`crc::Crc::digest`] | 32 |
//! | CRC-64/NVME | [`crc64_nvme`] | [`crc::Crc::digest`] | 64 |
//! | 113 named CRCs, or your own | [`crc::Crc::checksum`] | [`crc::Crc::digest`] | 1 to 128 |
//! | Internet checksum (RFC 1071) | [`internet::checksum`] | [`internet::Checksum`] | 16 |
//! | XNS IDP | [`xns::checksum`] | [`xns::Checksum`] | 16 |
//! | Fletcher-16 | [`fletcher16`] | [`fletcher::Fletcher16`] | 16 |
//! | Fletcher-32 | [`fletcher32`], [`fletcher::fletcher32_be`] | [`fletcher::Fletcher32`] | 32 |
//! | ISO 8473 and other check octets | [`fletcher::check_octets`] | | 16, 32 |
//! | Adler-32 (zlib) | [`adler32`] | [`adler::Adler32`] | 32 |
//! | xor, plain sums | [`baseline::Baseline::value`] | [`baseline::Checksum`] | 8, 16, 32 |
//!
//! Streaming types have `update`, `update_scattered` (for `&[&[u8]]` or `IoSlice`), `value` and
//! `combine`. Every code also has an *update*, which computes the new value from the old one and
//! the changed bytes without reading the rest. A [`Code`] is any of them, chosen by name at run
//! time. A [`Partial`] is the value and length of a piece of data; partials can be concatenated,
//! removed and replaced without reading the data again.
//!
//! ```
//! assert_eq!(residue::crc32c(b"123456789"), 0xe306_9283);
//! let code: residue::Code = "crc-16/ibm-sdlc".parse()?;
//! assert_eq!(code.value(b"123456789"), 0x906e);
//! # Ok::<(), residue::Error>(())
//! ```
//!
//! Each code has a table of *kernels*, its implementations. The first call chooses the best one
//! that this CPU supports. Set `RESIDUE_CPU` to a tier ([`cpu::tier_names`]) to emulate a lesser
//! CPU.
//!
//! # Features
//! `std` (default): reads `RESIDUE_CPU`, and detects CPU features on aarch64. Without it the crate
//! is `no_std`, allocates nothing, and detects features on x86-64 only.
//!
//! `rayon` (off by default, implies `std`): the module `parallel`, which spreads large data over
//! threads.

#![no_std]
#![deny(unsafe_code)]
// Targets without vector tiers leave the code for vectors unused.
#![cfg_attr(
    not(any(
        all(target_arch = "x86_64", target_feature = "sse2"),
        all(target_arch = "aarch64", target_feature = "neon", target_endian = "little")
    )),
    allow(dead_code, unused_macros, unused_imports)
)]

#[cfg(feature = "std")]
extern crate std;

/// Returns `cases` under an emulator (`cargo xtask cross`), else 1: tests run one case in so many.
#[cfg(test)]
const fn one_in(cases: usize) -> usize {
    if option_env!("RESIDUE_EMULATED").is_some() { cases } else { 1 }
}

pub mod adler;
#[allow(unsafe_code)]
mod arch;
pub mod baseline;
pub mod batch;
pub mod code;
pub mod copy;
pub mod cpu;
pub mod crc;
mod error;
pub mod fletcher;
pub mod internet;
#[allow(unsafe_code)]
pub mod kernel;
mod paired;
#[cfg(feature = "rayon")]
pub mod parallel;
pub mod partial;
mod weighted;
mod words;
pub mod xns;

pub use adler::adler32;
pub use arch::counter;
pub use code::{Code, Stream, Visitor};
pub use crc::crc32c::crc32c;
pub use error::Error;
pub use fletcher::{fletcher16, fletcher32};
pub use partial::Partial;

/// Computes CRC-32/ISO-HDLC, the CRC of Ethernet, zip, gzip and PNG, of `data` of any length.
///
/// ```
/// assert_eq!(residue::crc32(b"123456789"), 0xcbf4_3926);
/// ```
#[inline]
#[must_use]
pub fn crc32(data: &[u8]) -> u32 {
    <crc::compiled::Crc32 as crc::compiled::CompiledIn>::BEST.oneshot(&(), data)
}

/// Computes CRC-64/NVME, the CRC of NVMe data and of S3 objects, of `data` of any length.
///
/// ```
/// assert_eq!(residue::crc64_nvme(b"123456789"), 0xae8b_1486_0a79_9888);
/// ```
#[inline]
#[must_use]
pub fn crc64_nvme(data: &[u8]) -> u64 {
    <crc::compiled::Crc64Nvme as crc::compiled::CompiledIn>::BEST.oneshot(&(), data)
}

/// The programs of the page on kernels are tests of this crate.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/kernels.md")]
struct Kernels;
