//! For programs that use other crates: the equivalent of each function, and a module of a few
//! lines that lets a program keep its calls.
//!
//! Every program below is unchanged but for the module in front of it.
//!
//! # `crc`
//!
//! | `crc` 3 | residue |
//! |---|---|
//! | `Crc::<u16>::new(&CRC_16_IBM_SDLC)` | the same in a `static`; parameters in [`catalog`] |
//! | `Algorithm { .. }` | [`Params`](crate::crc::Params)` { .., ..Params::CUSTOM }` |
//! | `crc.checksum(data)` | `crc.checksum(data)`; at compile time `crc.checksum_const(data)` |
//! | `crc.digest()`, `digest.finalize()` | `crc.digest()`, `digest.value()` |
//! | `crc.digest_with_initial(init)` | [`Digest::with_init`](crate::crc::Digest::with_init) |
//! | `Crc<u16, Table<16>>` | one table of constants; kernels are chosen by the CPU |
//!
//! ```
//! use residue::crc::{Crc, catalog::CRC_16_IBM_SDLC, catalog::CRC_32_ISCSI};
//!
//! static X25: Crc<u16> = Crc::<u16>::new(&CRC_16_IBM_SDLC);
//! static CASTAGNOLI: Crc<u32> = Crc::<u32>::new(&CRC_32_ISCSI);
//!
//! assert_eq!(X25.checksum(b"123456789"), 0x906e);
//! let mut digest = CASTAGNOLI.digest();
//! digest.update(b"123456789");
//! assert_eq!(digest.value(), 0xe3069283);
//! const AT_COMPILE_TIME: u16 = X25.checksum_const(b"123456789");
//! assert_eq!(AT_COMPILE_TIME, 0x906e);
//! ```
//!
//! # `crc32fast`
//!
//! | `crc32fast` 1 | residue |
//! |---|---|
//! | `hash(data)` | [`crc32`](crate::crc32)`(data)` |
//! | `Hasher::new()` | [`CRC_32`](crate::crc::CRC_32)`.digest()` |
//! | `Hasher::new_with_initial(crc)` | `CRC_32.resume(crc, 0)` |
//! | `Hasher::new_with_initial_len(crc, bytes)` | `CRC_32.resume(crc, bytes)` |
//! | `hasher.finalize()` | `digest.value()` |
//! | `hasher.combine(&next)` | `digest.combine(&next)`, a `Result` |
//!
//! ```
//! mod crc32fast {
//!     pub use residue::crc32 as hash;
//!     use residue::crc::{CRC_32, Digest};
//!
//!     #[derive(Clone)]
//!     pub struct Hasher(Digest<u32>);
//!
//!     impl Hasher {
//!         pub fn new() -> Hasher {
//!             Hasher(CRC_32.digest())
//!         }
//!         pub fn new_with_initial_len(crc: u32, bytes: u64) -> Hasher {
//!             Hasher(CRC_32.resume(crc, bytes))
//!         }
//!         pub fn update(&mut self, data: &[u8]) {
//!             self.0.update(data);
//!         }
//!         pub fn combine(&mut self, next: &Hasher) {
//!             self.0.combine(&next.0).expect("one CRC");
//!         }
//!         pub fn finalize(self) -> u32 {
//!             self.0.value()
//!         }
//!     }
//! }
//!
//! let mut hasher = crc32fast::Hasher::new();
//! hasher.update(b"foo bar ");
//! let mut rest = crc32fast::Hasher::new();
//! rest.update(b"baz");
//! hasher.combine(&rest);
//! let checksum = hasher.finalize();
//! assert_eq!(checksum, crc32fast::hash(b"foo bar baz"));
//! let mut resumed = crc32fast::Hasher::new_with_initial_len(checksum, 11);
//! resumed.update(b"!");
//! assert_eq!(resumed.finalize(), crc32fast::hash(b"foo bar baz!"));
//! ```
//!
//! # `crc32c`
//!
//! | `crc32c` 0.6 | residue |
//! |---|---|
//! | `crc32c(data)` | [`crc32c`](crate::crc32c)`(data)` |
//! | `crc32c_append(crc, data)` | [`crc32c_extend`](crate::crc32c_extend)`(crc, data)` |
//! | `crc32c_combine(crc1, crc2, len2)` | [`CRC_32C`]`.combine(crc1, crc2, len2)` |
//! | `Crc32cHasher` | `CRC_32C.digest()`, which is a `core::hash::Hasher` |
//! | `Crc32cWriter::new(writer)` | `CRC_32C.digest()`, which is an `io::Write` |
//!
//! ```
//! mod crc32c {
//!     pub use residue::{crc32c, crc32c_extend as crc32c_append};
//!
//!     pub fn crc32c_combine(crc1: u32, crc2: u32, len2: usize) -> u32 {
//!         residue::crc::CRC_32C.combine(crc1, crc2, len2 as u64)
//!     }
//! }
//! use crc32c::{crc32c, crc32c_append, crc32c_combine};
//! use std::hash::Hasher;
//!
//! let crc = crc32c(b"Hello");
//! let whole = crc32c_append(crc, b", world!");
//! assert_eq!(whole, crc32c(b"Hello, world!"));
//! assert_eq!(crc32c_combine(crc, crc32c(b", world!"), 8), whole);
//! let mut hasher = residue::crc::CRC_32C.digest();
//! hasher.write(b"Hello, world!");
//! assert_eq!(hasher.finish() as u32, whole);
//! ```
//!
//! # `adler2`
//!
//! | `adler2` 2 | residue |
//! |---|---|
//! | `adler32_slice(data)` | [`adler32`](crate::adler32)`(data)` |
//! | `Adler32::new()` | [`Adler32::new`](crate::adler::Adler32::new)`()` |
//! | `Adler32::from_checksum(value)` | [`Adler32::resume`]`(value, bytes)`, a `Result` |
//! | `adler.write_slice(data)` | `adler.update(data)` |
//! | `adler.checksum()` | `adler.value()` |
//! | `adler2::adler32(reader)` | `io::copy(&mut reader, &mut adler)` |
//!
//! ```
//! use residue::adler::Adler32;
//! use residue::adler32 as adler32_slice;
//!
//! let mut adler = Adler32::new();
//! std::io::copy(&mut &b"Wiki"[..], &mut adler)?;
//! let mut resumed = Adler32::resume(adler.value(), adler.bytes())?;
//! resumed.update(b"pedia");
//! assert_eq!(resumed.value(), adler32_slice(b"Wikipedia"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # `internet-checksum`
//!
//! | `internet-checksum` 0.2 | residue |
//! |---|---|
//! | `checksum(bytes)`, two bytes | [`internet::checksum`]`(bytes).to_be_bytes()` |
//! | `Checksum::new()`, `add_bytes(bytes)` | [`internet::Checksum::new`]`()`, `update(bytes)` |
//! | `sum.checksum()` | `sum.value().to_be_bytes()` |
//! | `update(sum, old, new)` | [`internet::update_at`]`(sum, 0, old, new)` |
//!
//! ```
//! mod internet_checksum {
//!     pub struct Checksum(residue::internet::Checksum);
//!
//!     impl Checksum {
//!         pub fn new() -> Checksum {
//!             Checksum(residue::internet::Checksum::new())
//!         }
//!         pub fn add_bytes(&mut self, bytes: &[u8]) {
//!             self.0.update(bytes);
//!         }
//!         pub fn checksum(&self) -> [u8; 2] {
//!             self.0.value().to_be_bytes()
//!         }
//!     }
//!
//!     pub fn update(sum: [u8; 2], old: &[u8], new: &[u8]) -> [u8; 2] {
//!         let sum = residue::internet::update_at(u16::from_be_bytes(sum), 0, old, new);
//!         sum.expect("old and new have one length").to_be_bytes()
//!     }
//! }
//! use internet_checksum::{Checksum, update};
//!
//! let mut header = *b"\x45\0\0\x30\x44\x22\x40\0\x80\x06\0\0\x8c\x7c\x19\xac\xae\x24\x1e\x2b";
//! let mut sum = Checksum::new();
//! sum.add_bytes(&header);
//! header[10..12].copy_from_slice(&sum.checksum());
//! assert_eq!(residue::internet::checksum(&header), 0);
//! // A router decrements the time to live.
//! let stored = [header[10], header[11]];
//! let updated = update(stored, &[0x80, 0x06], &[0x7f, 0x06]);
//! header[8] = 0x7f;
//! header[10..12].copy_from_slice(&updated);
//! assert_eq!(residue::internet::checksum(&header), 0);
//! ```
//!
//! # `crc-fast`
//!
//! | `crc-fast` 1 | residue |
//! |---|---|
//! | `checksum(Crc32Iscsi, data)` | [`crc32c`](crate::crc32c)`(data)` |
//! | `Digest::new(Crc64Nvme)` | [`CRC_64_NVME`](crate::crc::CRC_64_NVME)`.digest()` |
//! | `Digest::new_with_params(..)` | [`Digest::new`](crate::crc::Digest::new)`(Crc::new(&..))` |
//! | `digest.finalize()` | `digest.value()` |
//! | `checksum_combine(algorithm, a, b, len)` | `CRC_64_NVME.combine(a, b, len)` |
//! | `checksum_file(algorithm, path, None)` | `io::copy(&mut file, &mut digest)` |
//!
//! ```
//! mod crc_fast {
//!     use residue::crc::{CRC_32C, CRC_64_NVME, Crc, Digest as Any};
//!
//!     #[derive(Clone, Copy)]
//!     pub enum CrcAlgorithm {
//!         Crc32Iscsi,
//!         Crc64Nvme,
//!     }
//!     use CrcAlgorithm::{Crc32Iscsi, Crc64Nvme};
//!
//!     pub fn checksum(algorithm: CrcAlgorithm, data: &[u8]) -> u64 {
//!         match algorithm {
//!             Crc32Iscsi => CRC_32C.checksum(data).into(),
//!             Crc64Nvme => CRC_64_NVME.checksum(data),
//!         }
//!     }
//!
//!     pub struct Digest(Any<u64, Crc<u64>>);
//!
//!     impl Digest {
//!         pub fn new(algorithm: CrcAlgorithm) -> Digest {
//!             Digest(Any::new(match algorithm {
//!                 Crc32Iscsi => Crc::new(CRC_32C.params()),
//!                 Crc64Nvme => CRC_64_NVME.clone(),
//!             }))
//!         }
//!         pub fn update(&mut self, data: &[u8]) {
//!             self.0.update(data);
//!         }
//!         pub fn finalize(&self) -> u64 {
//!             self.0.value()
//!         }
//!     }
//! }
//! use crc_fast::{CrcAlgorithm::{Crc32Iscsi, Crc64Nvme}, Digest, checksum};
//!
//! for algorithm in [Crc32Iscsi, Crc64Nvme] {
//!     let mut digest = Digest::new(algorithm);
//!     digest.update(b"1234");
//!     digest.update(b"56789");
//!     assert_eq!(digest.finalize(), checksum(algorithm, b"123456789"));
//! }
//! assert_eq!(checksum(Crc64Nvme, b"123456789"), 0xae8b14860a799888);
//! ```

#[allow(unused_imports, reason = "the links above need them")]
use crate::{adler::Adler32, crc::CRC_32C, crc::catalog, internet};
