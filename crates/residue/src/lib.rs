//! Error-detection codes: the Internet checksum, XNS, Fletcher and ISO 8473, Adler-32, CRC-32C and
//! every other CRC.
//!
//! Each code is a residue: the Internet checksum modulo 65535, Fletcher modulo 255 or 65535, Adler
//! modulo 65521, a CRC modulo a polynomial. None is cryptographic: they detect accidents; an
//! attacker can forge any of them.
//!
//! | code | one-shot | streaming | value |
//! |---|---|---|---|
//! | CRC-32C (iSCSI, SCTP, ext4) | [`crc32c`] | [`crc::CRC_32C`]`.digest()` | `u32` |
//! | CRC-32 (Ethernet, zip) | [`crc32`] | [`crc::CRC_32`]`.digest()` | `u32` |
//! | CRC-64/NVME | [`crc64_nvme`] | [`crc::CRC_64_NVME`]`.digest()` | `u64` |
//! | CRCs by name, or your own | [`crc::Crc::checksum`] | [`crc::Crc::digest`] | `u8` to `u128` |
//! | Internet checksum (RFC 1071) | [`internet::checksum`] | [`internet::Checksum`] | `u16` |
//! | XNS IDP | [`xns::checksum`] | [`xns::Checksum`] | `u16` |
//! | Fletcher-16 | [`fletcher16`] | [`fletcher::Fletcher16`] | `u16` |
//! | Fletcher-32 | [`fletcher32`], [`fletcher::fletcher32_be`] | [`fletcher::Fletcher32`] | `u32` |
//! | ISO 8473 and other check octets | [`fletcher::check_octets`] | | 2 or 4 bytes |
//! | Adler-32 (zlib) | [`adler32`] | [`adler::Adler32`] | `u32` |
//! | dual sums of large blocks | [`dual::dual16`], [`dual::dual32`] | [`dual::Checksum`] | `u32` |
//! | Koopman | [`koopman::koopman8`], `koopman16`, ... | [`koopman::Checksum`] | `u8` to `u32` |
//! | xor, plain sums | [`baseline::Baseline::value`] | [`baseline::Checksum`] | `u32` |
//!
//! Streaming types have `update`, `update_scattered` (for `&[&[u8]]` or `IoSlice`),
//! `update_copying`, `value`, `bytes`, `reset` and `combine`, and `resume` continues after data of
//! which only the value and the length are known. `combine` refuses results of 2^64 bytes and more
//! ([`Error::TooLong`]); `update` past that length, which only a resumed stream can reach, keeps
//! the value right and the number of bytes within the last eight below 2^64. They are
//! `core::hash::Hasher` and `std::io::Write`. Every code also has an *update*, which computes the
//! new value from the old one and the changed bytes without reading the rest. A [`Code`] is any of
//! them, chosen by name at run
//! time. A [`Partial`] is the value and length of a piece of data; partials can be concatenated,
//! removed and replaced without reading the data again. [`copy`] and [`batch`] copy and check in
//! one pass, and check many small packets at once.
//!
//! ```
//! assert_eq!(residue::crc32c(b"123456789"), 0xe306_9283);
//!
//! use residue::crc::{Crc, catalog};
//! static DNP: Crc<u16> = Crc::new(&catalog::CRC_16_DNP);
//! assert_eq!(DNP.checksum(b"123456789"), 0xea82);
//!
//! let code: residue::Code = "crc-16/ibm-sdlc".parse()?;
//! assert_eq!(code.value(b"123456789"), 0x906e);
//! # Ok::<(), residue::Error>(())
//! ```
//!
//! Each code has a table of *kernels*, its implementations. The first call chooses the best one
//! that this CPU supports. Set `RESIDUE_CPU` to a tier ([`cpu::tier_names`]) to emulate a lesser
//! CPU, and `RESIDUE_PROFILE` to the name of one of [`cpu::PROFILES`] to choose as on another
//! micro-architecture.
//!
//! # Microcontrollers
//! The module [`small`] has types whose names state their cost: a CRC with a table of 256 words
//! ([`small::Bytewise`]), 16 ([`small::Nibblewise`]) or 2 ([`small::Bitwise`]), and the Internet
//! checksum in a few instructions. They choose nothing at run time. Use the crate with
//! `default-features = false`.
//!
//! # Features
//! `std` (default): reads `RESIDUE_CPU` and `RESIDUE_PROFILE`, detects CPU features on aarch64,
//! RISC-V and z/Architecture, and implements `std::io::Write`. Without it the crate is `no_std`,
//! allocates nothing, and detects features on x86-64 only.
//!
//! `avx512` (default): the kernels on 64-byte vectors of x86-64, by products and by byte matrices.
//! Without it programs are smaller and compile faster, and CPUs with AVX-512 run the kernels on
//! 32-byte vectors.
//!
//! `rayon` (off by default, implies `std`): the module `parallel`, which spreads large data over
//! threads.
//!
//! `serde` (off by default): a [`Code`] is serialized as its name, or as the parameters of a CRC
//! that has none.
//!
//! `methods` (off by default): the kernels that are never dispatched, single methods and those of
//! the literature, for benchmarks and lists.
//!
//! `generic` (off by default): the kernels named `generic`, which run the bodies for vectors on
//! arrays, for tests.
//!
//! `internals` (off by default): the module `internals`, for this project's own benchmarks and
//! tests. Any release may change it.

#![no_std]
#![deny(unsafe_code)]
// Without methods, their bodies are in no table; without internals, nobody calls a kernel by name.
// Targets without vector tiers leave the code for vectors unused, and so does a crate without those
// of AVX-512. Unit tests choose no kernel.
#![cfg_attr(
    any(
        test,
        not(all(
            feature = "methods",
            feature = "internals",
            any(
                all(target_arch = "x86_64", target_feature = "sse2", feature = "avx512"),
                all(target_arch = "aarch64", target_feature = "neon", target_endian = "little")
            )
        ))
    ),
    allow(dead_code, unused_macros, unused_imports)
)]

#[cfg(feature = "std")]
extern crate std;

/// Returns `cases` under an emulator (`cargo xtask cross`), else 1: tests run one case in so many.
#[cfg(test)]
const fn one_in(cases: usize) -> usize {
    if option_env!("RESIDUE_EMULATED").is_some() { cases } else { 1 }
}

// In the order of the layers: each uses those above it alone.
mod error;
mod length;
mod streaming;
mod words;

pub mod cpu;

mod body;

#[allow(unsafe_code)]
mod arch;

#[allow(unsafe_code)]
pub mod kernel;

mod sums;

pub mod crc;

pub mod code;

pub mod batch;
pub mod copy;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals;
#[cfg(feature = "rayon")]
pub mod parallel;
#[cfg(feature = "serde")]
mod serialized;
pub mod small;

#[doc(inline)]
pub use code::partial;
pub use code::partial::Partial;
pub use code::{Code, Stream};
pub use crc::crc32c::{crc32c, crc32c_extend};
pub use crc::{crc32, crc32_extend, crc64_nvme, crc64_nvme_extend};
pub use error::{Error, UnknownName};
pub use sums::adler::{adler32, adler32_extend};
pub use sums::fletcher::{fletcher16, fletcher32};
pub use sums::running::Running;
pub use sums::{adler, baseline, dual, fletcher, internet, koopman, xns};

/// The program of the page on sizes is a test of this crate.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/size.md")]
struct Sizes;
