//! Adler-32, the check value of zlib streams (RFC 1950, section 8.2).
//!
//! Bytes x_1, ..., x_n; A starts at 1, B at 0; both modulo 65521, the largest prime below 2^16:
//!
//! ```text
//! A = 1 + x_1 + ... + x_n        B = n + n x_1 + (n-1) x_2 + ... + 1 x_n
//! value = B 65536 + A
//! ```
//!
//! Example: `Wikipedia` gives 11E60398. On the wire: big-endian, B first.
//!
//! **Trap.** The reduction may be delayed, but not for long: from the largest start, 5552 bytes of
//! FF are the most that a 32-bit B holds. Short data leave the upper bits of both halves nearly
//! constant, so the code does not suit small packets.

use crate::arch::{Bytes, Portable};
use crate::body::{Body, Edges, Tier};
use crate::kernel::{Dispatch, Kernel, dispatch, on_aarch64, on_x86_64};
use crate::sums::group::{Group, Step, pack, unpack};
use crate::sums::rows::FieldsOrRows;
use crate::sums::running::{self, Running, Summed};
use crate::sums::weighted::{Deferred, Long, Modular, Vectors};

/// The largest prime below 2^16.
const MODULUS: u32 = Adler::GROUP.modulus as u32;

/// Computes Adler-32 of `data`, of any length.
///
/// B is in the upper half, A in the lower; the empty message has the value 1.
///
/// ```
/// assert_eq!(residue::adler32(b"Wikipedia"), 0x11e6_0398);
/// ```
#[inline]
#[must_use]
pub fn adler32(data: &[u8]) -> u32 {
    Adler::DISPATCH.oneshot(&(), data)
}

/// Returns Adler-32 of data with the value `value`, followed by `data`, like zlib's `adler32`.
///
/// To start, pass 1, the value of the empty message.
///
/// ```
/// assert_eq!(residue::adler32_extend(residue::adler32(b"Wiki"), b"pedia"), 0x11e6_0398);
/// ```
#[must_use]
pub fn adler32_extend(value: u32, data: &[u8]) -> u32 {
    // Kernels rely on reduced sums, and a caller may pass others.
    Adler::value_of(Adler::DISPATCH.run(&(), Adler::state_of(value), data))
}

/// Adler-32 of data that arrives in pieces.
pub type Adler32 = Running<Adler>;

/// Returns the value of two concatenated pieces of data from their values, like zlib's
/// `adler32_combine`.
///
/// The second piece has `length` bytes: A = A1 + A2 - 1 and B = B1 + B2 + length (A1 - 1).
#[must_use]
pub const fn combine(first: u32, second: u32, length: u64) -> u32 {
    let [start, first, second] = [pack(Adler::START), packed(first), packed(second)];
    let [a, b] = unpack(Adler::GROUP.concat(start, first, second, length));
    b << 16 | a
}

/// Returns the sums that `value` holds as one element of the group.
const fn packed(value: u32) -> u64 {
    pack([value & 0xffff, value >> 16])
}

/// Returns the value after the bytes `old`, at `offset` in data of `length` bytes, became `new`.
///
/// The rest of the data is not needed. Returns `None` if the lengths of `old` and `new` differ or
/// the change reaches past `length`.
#[must_use]
pub fn update_at(value: u32, length: u64, offset: u64, old: &[u8], new: &[u8]) -> Option<u32> {
    let state = Adler::state_of(value);
    running::update_at::<Adler>(state, length, offset, old, new).map(Adler::value_of)
}

/// Computes Adler-32 by its definition, one byte at a time.
#[must_use]
pub fn reference(data: &[u8]) -> u32 {
    let (mut a, mut b) = (1u32, 0u32);
    for &byte in data {
        a = (a + u32::from(byte)) % MODULUS;
        b = (b + a) % MODULUS;
    }
    b << 16 | a
}

/// The family of Adler-32.
///
/// The state is [A, B], reduced.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Adler;

impl Summed for Adler {
    type State = [u32; 2];
    type Value = u32;
    const WORD: usize = 1;
    const START: [u32; 2] = [1, 0];
    const GROUP: Group = Group { modulus: 65521, step: Step::Sum };
    #[allow(private_interfaces)]
    const DISPATCH: &'static Dispatch<Self> = &dispatch!(Adler, KERNELS);

    #[inline(always)]
    fn value_of([a, b]: [u32; 2]) -> u32 {
        b << 16 | a
    }

    fn state_of(value: u32) -> [u32; 2] {
        [value & 0xffff, value >> 16].map(|sum| sum % MODULUS)
    }

    fn word([byte, ..]: [u8; 4]) -> u32 {
        byte.into()
    }
}

/// Sums one byte at a time, both sums reduced by a comparison.
struct Bytewise;

impl<T: Tier> Body<T> for Bytewise {
    type Family = Adler;
    const EDGES: Edges = Edges::NONE;
    #[inline(always)]
    fn run(_: T, (): &(), [mut a, mut b]: [u32; 2], data: &[u8]) -> [u32; 2] {
        for &byte in data {
            a += u32::from(byte);
            a -= if a >= MODULUS { MODULUS } else { 0 };
            b += a;
            b -= if b >= MODULUS { MODULUS } else { 0 };
        }
        [a, b]
    }
}

// zlib's NMAX.
const _: () = assert!(Deferred::<Adler>::UNITS == 5552);

impl Modular for Adler {
    type Unit = Bytes;
}

/// The kernels, best first.
pub(crate) const KERNELS: &[Kernel<Adler>] = &[
    on_x86_64!(Avx512Vnni, Vectors<Adler>, "avx512_vnni", copy Long<Adler>),
    on_x86_64!(Avx2, Vectors<Adler>, "avx2", copy Long<Adler>),
    on_x86_64!(Ssse3, Vectors<Adler>, "ssse3"),
    on_aarch64!(Neon, Vectors<Adler>, "neon", copy Long<Adler>),
    #[cfg(feature = "generic")]
    Kernel::generic::<Vectors<Adler>>("generic"),
    #[cfg(feature = "methods")]
    Kernel::on::<Portable, Bytewise>("bytewise").historical(),
    #[cfg(feature = "methods")]
    Kernel::compact::<Portable, Deferred<Adler>>("deferred").method(),
    #[cfg(feature = "methods")]
    Kernel::on::<Portable, FieldsOrRows<Adler>>("fields").method(),
    Kernel::on::<Portable, FieldsOrRows<Adler>>("portable").same_as("fields"),
];
