//! What this project's own benchmarks, reproductions of papers, web page and tests use: kernels by
//! name, their tables, and the CPU's clock.
//!
//! Nothing here is promised: any release may change or remove it.

pub use crate::arch::counter;
pub use crate::body::Family;
pub use crate::code::visitor::{ValueEncoding, Visitor};
pub use crate::crc::compiled::Crc32c;
pub use crate::crc::tables::Tabled;
pub use crate::kernel::table::{Forced, Kernel, best};
pub use crate::sums::internet::Internet;

use crate::Code;
use crate::crc::compiled::{Crc32, Crc64Nvme};
use crate::sums::adler::Adler;
use crate::sums::dual::Dual;
use crate::sums::fletcher::{Mod255, Mod65535};
use crate::sums::koopman::{Mod253, Mod65525};
use crate::sums::xns::Xns;
use crate::{crc, sums};

// No constants: a crate that used one would compile the kernels of its table once more, by its own
// settings, and measure those.

/// The kernels of the Internet checksum, best first.
pub static INTERNET: &[Kernel<Internet>] = sums::internet::KERNELS;
/// The kernels of XNS, best first.
pub static XNS: &[Kernel<Xns>] = sums::xns::KERNELS;
/// The kernels of Fletcher-16, best first.
pub static FLETCHER_16: &[Kernel<Mod255>] = sums::fletcher::KERNELS_16;
/// The kernels of Fletcher-32, best first.
pub static FLETCHER_32: &[Kernel<Mod65535>] = sums::fletcher::KERNELS_32;
/// The kernels of the dual sum of 16 bits, best first.
pub static DUAL_16: &[Kernel<Dual<Mod253>>] = Dual::<Mod253>::KERNELS;
/// The kernels of the dual sum of 32 bits, best first.
pub static DUAL_32: &[Kernel<Dual<Mod65525>>] = Dual::<Mod65525>::KERNELS;
/// The kernels of Adler-32, best first.
pub static ADLER_32: &[Kernel<Adler>] = sums::adler::KERNELS;
/// The kernels of CRC-32, best first.
pub static CRC_32: &[Kernel<Crc32>] = crc::crc32_crc64::KERNELS_32;
/// The kernels of CRC-32C, best first.
pub static CRC_32C: &[Kernel<Crc32c>] = crc::crc32c::KERNELS;
/// The kernels of CRC-64/NVME, best first.
pub static CRC_64_NVME: &[Kernel<Crc64Nvme>] = crc::crc32_crc64::KERNELS_64_NVME;

/// Shows the kernel tables of `code` to `visitor`, the dispatched one first.
pub fn visit(code: &Code, visitor: &mut impl Visitor) {
    code.visit(visitor);
}
