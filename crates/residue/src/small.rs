//! Check values in little memory, for microcontrollers: functions and types that state their cost.
//!
//! The other functions of this crate choose among kernels, and keep tables of several KiB for
//! speed. Here nothing is chosen: a CRC has one table, of the size in its type, and one loop. All
//! of it is `no_std`, allocates nothing, and is computed at compile time where it is a `static`.
//!
//! ```
//! use residue::crc::catalog;
//! use residue::small::{self, Bytewise};
//! static CRC_32C: Bytewise<u32> = Bytewise::<u32>::new(&catalog::CRC_32_ISCSI);
//! assert_eq!(CRC_32C.checksum(b"123456789"), 0xe306_9283);
//! assert_eq!(small::internet(b"123456789"), residue::internet::checksum(b"123456789"));
//! ```

use crate::sums::internet::fold;

pub use crate::crc::small::{Bitwise, Bytewise, Crc, Digest, Nibblewise};

/// Returns the Internet checksum of `data`, as [`internet::checksum`](crate::internet::checksum)
/// does, four bytes at a time.
///
/// [`internet::combine`](crate::internet::combine) joins the checksums of pieces, for instance of a
/// pseudo-header and a segment.
///
/// ```
/// use residue::{internet, small};
/// let (header, segment) = (b"\xc0\0\x02\x01\xc0\0\x02\x02\0\x11\0\x04", b"data");
/// let sum = internet::combine(small::internet(header), false, small::internet(segment));
/// assert_eq!(sum, internet::checksum(&[&header[..], segment].concat()));
/// ```
#[must_use]
pub const fn internet(data: &[u8]) -> u16 {
    let (mut sum, mut rest) = (0, data);
    while let Some((word, after)) = rest.split_first_chunk() {
        sum = add(sum, u32::from_le_bytes(*word));
        rest = after;
    }
    let mut place = 0;
    while let Some((&byte, after)) = rest.split_first() {
        sum = add(sum, (byte as u32) << place);
        place += 8;
        rest = after;
    }
    !fold(sum as u64).swap_bytes()
}

/// Returns the end-around sum of two 32-bit numbers: 2^32 = 1 modulo 65535.
#[inline(always)]
const fn add(a: u32, b: u32) -> u32 {
    let (sum, carry) = a.overflowing_add(b);
    sum + carry as u32
}
