//! Cyclic redundancy checks (CRCs) of up to 128 bits: the remainder of a division of polynomials
//! over GF(2).
//!
//! A CRC is defined by the parameters of the Rocksoft model, as the RevEng catalogue lists them
//! ([`catalog`]): with the message's bits as the polynomial M of n bits (each byte's lowest bit
//! first if `refin`, else its highest), and P the generator of degree w,
//!
//! ```text
//! register = init x^n + M x^w  mod P
//! value = (register, its bits reversed if refout) xor xorout
//! ```
//!
//! Example: CRC-32/ISO-HDLC of `123456789` is CBF43926.
//!
//! Appending the value in the code's own order ([`Crc::append`]) makes the register after message
//! and value a constant, the residue, for every message ([`Crc::verify`]).
//!
//! **Trap.** Reflection is part of the code: a CRC that reflects its bytes but not its value is
//! another code, and a program that confuses the two agrees only with itself. The bytes of a
//! reflected CRC go on the wire lowest first: appended highest first, the residue does not appear.
//!
//! Up to 64 bits a CRC runs on any kernel, in one 64-bit embedding; wider ones run bit by bit, or
//! on [`tables::Tables`]. The types of [`small`](crate::small) take less memory.
//!
//! # Inside
//!
//! Each line of this folder uses only those above it, and itself.
//!
//! ```text
//! catalog gf2 params small terms width     definitions, arithmetic, integers, small tables
//! keys powers matrices tables              the constants of each method
//! constants                                all of one CRC, and the family of the kernels on them
//! family                                   CRCs that the compiler knows
//! fold                                     folding
//! advance chains sparse steps taps wide    zeros, table chains, sparse multiples, CRC
//!                                          instructions, byte matrices
//! embedded                                 the kernels of any CRC
//! any                                      any CRC, ready to run
//! compiled                                 CRC-32C, CRC-32 and CRC-64/NVME, as types
//! eighth lockstep sahu2019                 bodies of CRC-32 and CRC-32C
//! crc32c crc32_crc64                       their kernels
//! choice                                   the family that computes a CRC
//! combine common digest                    what users call beside it
//! ```

// In the order of their layers, below.
pub mod catalog;
pub(crate) mod gf2;
mod params;
mod powers;
pub(crate) mod small;
mod terms;
mod width;

mod keys;
mod matrices;
pub mod tables;

mod constants;

mod family;

pub(crate) mod fold;

mod advance;
mod chains;
pub(crate) mod sparse;
pub(crate) mod steps;
pub(crate) mod taps;
mod wide;

mod embedded;

mod any;
pub(crate) mod compiled;
pub(crate) mod crc32_crc64;
pub mod crc32c;
mod eighth;
pub(crate) mod lockstep;
mod sahu2019;

mod choice;
mod combine;
mod common;
mod digest;

pub use any::Crc;
pub(crate) use any::{Compiled, Engine};
pub(crate) use choice::of_family;
pub use combine::Combine;
pub use common::*;
pub use compiled::{CRC_32, CRC_32C, CRC_64_NVME};
pub(crate) use constants::Embedded;
pub use crc32_crc64::{crc32, crc32_extend, crc64_nvme, crc64_nvme_extend};
pub use digest::Digest;
pub use params::Params;
pub use terms::terms;
pub(crate) use wide::WideFamily;
pub use width::Width;
