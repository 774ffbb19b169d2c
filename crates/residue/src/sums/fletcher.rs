//! Fletcher's checksums: a sum, and a sum of the running sums.
//!
//! Units x_1, ..., x_n (bytes, or 16-bit words of which an odd last byte is the first byte, padded
//! with zero):
//!
//! ```text
//! A = x_1 + ... + x_n mod M        B = n x_1 + (n-1) x_2 + ... + 1 x_n mod M        value = B:A
//! ```
//!
//! | code | units | M | value |
//! |---|---|---|---|
//! | Fletcher-16 ([`fletcher16`]) | bytes | 255 | B 256 + A |
//! | Fletcher-32 ([`fletcher32`]) | little-endian words | 65535 | B 65536 + A |
//! | Fletcher-32, big-endian ([`fletcher32_be`]) | big-endian words | 65535 | B 65536 + A |
//! | TCP alternate checksum 1 of RFC 1146 ([`rfc1146_8`]) | bytes | 255 | A, then B |
//! | TCP alternate checksum 2 of RFC 1146 ([`rfc1146_16`]) | big-endian words | 65535 | A, then B |
//!
//! (J. Fletcher, *An Arithmetic Checksum for Serial Transmissions*, 1982; RFC 1146; ISO 8473.)
//! Example: `abcde` has Fletcher-16 C8F0 and Fletcher-32 F04FC729.
//!
//! Swapping the bytes of every word multiplies it by 256 modulo 65535, so both orders are one
//! computation (Sklower 1989, section 3).
//!
//! **Trap.** M is 255, not 256: with plain `u8` arithmetic ([`fletcher16_mod256`]) the upper bits
//! of the units hardly count. Also, 0 and M are one residue: here sums are 0..M, while
//! one's-complement codes (RFC 1146) write M for a zero sum of non-zero data. Compare modulo M.

pub mod check_octets;
mod family;
mod historical;

use crate::arch::{Bytes, Portable, Unit, Words, bytes_of};
use crate::kernel::{Dispatch, Kernel, dispatch, on_aarch64, on_x86_64};
use crate::sums::group::{Group, Step, pack, unpack};
use crate::sums::rows::FieldsOrRows;
use crate::sums::running::{self, Running, Summed};
use crate::sums::weighted::{Deferred, Fields, Long, Modular, Vectors};
pub use family::{Mod255, Mod256, Mod65535, Mod65536};
use historical::{Each, Float53, Indexed, Pairs, Quads, Simple};

/// Computes Fletcher-16 of `data`, of any length.
///
/// It sums bytes modulo 255: B in the upper half, A in the lower, each in 0..255.
///
/// ```
/// assert_eq!(residue::fletcher16(b"abcde"), 0xc8f0);
/// ```
#[inline]
#[must_use]
pub fn fletcher16(data: &[u8]) -> u16 {
    Mod255::DISPATCH.oneshot(&(), data) as u16
}

/// Computes Fletcher-32 of `data`, of any length.
///
/// It sums little-endian words modulo 65535: B in the upper half, A in the lower.
///
/// ```
/// assert_eq!(residue::fletcher32(b"abcdef"), 0x5650_2d2a);
/// ```
#[inline]
#[must_use]
pub fn fletcher32(data: &[u8]) -> u32 {
    Mod65535::DISPATCH.oneshot(&(), data)
}

/// Computes Fletcher-32 of `words`, whatever the byte order of the CPU.
///
/// ```
/// assert_eq!(residue::fletcher::fletcher32_words(&[0x6261, 0x6463, 0x6665]), 0x5650_2d2a);
/// ```
#[must_use]
pub fn fletcher32_words(words: &[u16]) -> u32 {
    let value = fletcher32(bytes_of(words));
    // In big-endian memory the bytes of every word are swapped.
    if cfg!(target_endian = "big") { swap_halves(value) } else { value }
}

/// Computes Fletcher-32 of `data` as big-endian words, as in RFC 1146: B in the upper half, A in
/// the lower.
#[inline]
#[must_use]
pub fn fletcher32_be(data: &[u8]) -> u32 {
    swap_halves(fletcher32(data))
}

/// Computes a common mistake: Fletcher's sums of bytes modulo 256.
///
/// B is in the upper half, A in the lower.
#[must_use]
pub fn fletcher16_mod256(data: &[u8]) -> u16 {
    Mod256::DISPATCH.oneshot(&(), data) as u16
}

/// Computes a common mistake: Fletcher's sums of little-endian words modulo 65536.
///
/// B is in the upper half, A in the lower.
#[must_use]
pub fn fletcher32_mod65536(data: &[u8]) -> u32 {
    Mod65536::DISPATCH.oneshot(&(), data)
}

/// Computes RFC 1146's 8-bit Fletcher checksum (TCP alternate checksum 1).
///
/// A is in the upper byte, B in the lower, in one's complement: only all-zero data give 0, and
/// other multiples of 255 are FF.
#[must_use]
pub fn rfc1146_8(data: &[u8]) -> u16 {
    let mut sums = Fletcher16::new();
    sums.update(data);
    rfc1146::<Mod255>(sums.end_around()) as u16
}

/// Computes RFC 1146's 16-bit Fletcher checksum (TCP alternate checksum 2).
///
/// It sums big-endian words in one's complement: A, the TCP checksum field, is in the upper half;
/// B, the data of option 15, in the lower.
#[must_use]
pub fn rfc1146_16(data: &[u8]) -> u32 {
    let mut sums = Fletcher32::new();
    sums.update(data);
    rfc1146::<Mod65535>(sums.end_around())
}

/// Returns one's-complement sums in RFC 1146's order: A first, words big-endian.
pub(crate) fn rfc1146<V: Variant>([a, b]: [u32; 2]) -> u32 {
    if V::WORD == 1 { a << 8 | b } else { swap_halves(a << 16 | b) }
}

/// Returns sums in one's-complement form: M for 0, unless all data are zero.
pub(crate) fn end_around<V: Variant>(sums: [u32; 2], nonzero: bool) -> [u32; 2] {
    sums.map(|sum| if sum == 0 && nonzero { V::MODULUS } else { sum })
}

/// Swaps the bytes inside each half: converts the value of little-endian words to that of
/// big-endian ones, and back.
#[inline]
#[must_use]
pub const fn swap_halves(value: u32) -> u32 {
    value.swap_bytes().rotate_left(16)
}

/// A choice of unit and modulus, which is also the family of its kernels.
///
/// The state is [A, B], each in 0..M.
pub trait Variant: sealed::Sealed + Summed<State = [u32; 2], Value = u32> {
    /// The modulus M.
    const MODULUS: u32 = Self::GROUP.modulus as u32;
}

/// Seals the trait: the bounds of the kernels hold only for the four variants here.
mod sealed {
    pub trait Sealed {}
}

/// Fletcher-16 of data that arrives in pieces.
pub type Fletcher16 = Sums<Mod255>;
/// Fletcher-32 (little-endian words) of data that arrives in pieces of any length.
///
/// Apply [`swap_halves`] to its value for big-endian words.
pub type Fletcher32 = Sums<Mod65535>;

/// Fletcher's sums of data that arrives in pieces.
///
/// The data count as zero throughout after a resumed value of 0, which matters to
/// [`Sums::end_around`] alone.
pub type Sums<V> = Running<V>;

impl<V: Variant> Running<V> {
    /// Returns A and B of the data added up to now, each in 0..M.
    #[must_use]
    pub fn sums(&self) -> [u32; 2] {
        self.state()
    }

    /// Returns A and B in one's-complement form: M instead of 0, unless all data are zero.
    #[must_use]
    pub fn end_around(&self) -> [u32; 2] {
        end_around::<V>(self.sums(), self.nonzero())
    }
}

/// Returns A and B of two concatenated pieces of data from those of each: B = B1 + B2 + units A1.
///
/// The first piece must be a whole number of units; the second is `units` units long, counting a
/// half one.
#[must_use]
pub const fn combine<V: Variant>(first: [u32; 2], second: [u32; 2], units: u64) -> [u32; 2] {
    unpack(V::GROUP.concat(0, pack(first), pack(second), units))
}

/// Returns A and B after the bytes `old`, at `offset` in data of `length` bytes, became `new`.
///
/// The rest of the data is not needed. Returns `None` if the lengths of `old` and `new` differ or
/// the change reaches past `length`.
#[must_use]
pub fn update_at<V: Variant>(
    sums: [u32; 2],
    length: u64,
    offset: u64,
    old: &[u8],
    new: &[u8],
) -> Option<[u32; 2]> {
    running::update_at::<V>(sums, length, offset, old, new)
}

/// Computes A and B by their definition, one unit at a time.
#[must_use]
pub fn reference<V: Variant>(data: &[u8]) -> [u32; 2] {
    let (mut a, mut b) = (0, 0);
    for bytes in data.chunks(V::WORD) {
        let x = bytes.iter().rev().fold(0, |x, &byte| x << 8 | u32::from(byte));
        a = (a + x) % V::MODULUS;
        b = (b + a) % V::MODULUS;
    }
    [a, b]
}

macro_rules! variant {
    ($name:ident, $unit:ident, $modulus:literal, $kernels:ident, [$($kernel:tt)*]) => {
        impl Modular for $name {
            type Unit = $unit;
        }

        impl sealed::Sealed for $name {}

        impl Summed for $name {
            type State = [u32; 2];
            type Value = u32;
            const WORD: usize = <$unit as Unit>::BYTES;
            const RESUMES_INSIDE: bool = false;
            const MARKS_NONZERO: bool = true;
            const START: [u32; 2] = [0, 0];
            const GROUP: Group = Group { modulus: $modulus, step: Step::Sum };
            #[allow(private_interfaces)]
            const DISPATCH: &'static Dispatch<Self> = &dispatch!($name, $kernels);

            #[inline(always)]
            fn value_of([a, b]: [u32; 2]) -> u32 {
                b << (8 * Self::WORD) | a
            }

            fn state_of(value: u32) -> [u32; 2] {
                let bits = 8 * Self::WORD;
                [value & ((1 << bits) - 1), value >> bits].map(|sum| sum % $modulus)
            }

            fn word(bytes: [u8; 4]) -> u32 {
                u32::from_le_bytes(bytes)
            }
        }

        impl Variant for $name {}

        #[doc = concat!("The kernels of [`", stringify!($name), "`], best first.")]
        pub(crate) const $kernels: &[Kernel<$name>] = &[$($kernel)*];
    };
}

variant!(
    Mod255,
    Bytes,
    255,
    KERNELS_16,
    [
        on_x86_64!(Avx512Vnni, Vectors<Mod255>, "avx512_vnni", copy Long<Mod255>),
        on_x86_64!(Avx2, Vectors<Mod255>, "avx2", copy Long<Mod255>),
        on_x86_64!(Ssse3, Vectors<Mod255>, "ssse3"),
        on_aarch64!(Neon, Vectors<Mod255>, "neon", copy Long<Mod255>),
        #[cfg(feature = "generic")]
        Kernel::generic::<Vectors<Mod255>>("generic"),
        #[cfg(feature = "methods")]
        Kernel::on::<Portable, Each<Mod255>>("rfc1008").historical(),
        #[cfg(feature = "methods")]
        Kernel::on::<Portable, Simple>("simple").historical(),
        #[cfg(feature = "methods")]
        Kernel::on::<Portable, Pairs<false>>("pairs").historical(),
        #[cfg(feature = "methods")]
        Kernel::on::<Portable, Pairs<true>>("pairs_double").historical(),
        #[cfg(feature = "methods")]
        Kernel::on::<Portable, Pairs<false, true>>("pairs_counted").historical(),
        #[cfg(feature = "methods")]
        Kernel::on::<Portable, Quads>("quads").historical(),
        #[cfg(feature = "methods")]
        Kernel::on::<Portable, Float53>("float53").historical(),
        #[cfg(feature = "methods")]
        Kernel::compact::<Portable, Deferred<Mod255>>("deferred").method(),
        #[cfg(feature = "methods")]
        Kernel::on::<Portable, FieldsOrRows<Mod255>>("fields").method(),
        Kernel::on::<Portable, FieldsOrRows<Mod255>>("portable").same_as("fields"),
    ]
);

variant!(
    Mod65535,
    Words,
    65535,
    KERNELS_32,
    [
        on_x86_64!(Avx512Vnni, Vectors<Mod65535>, "avx512_vnni", copy Long<Mod65535>),
        on_x86_64!(Avx2, Vectors<Mod65535>, "avx2", copy Long<Mod65535>),
        on_x86_64!(Sse2, Vectors<Mod65535>, "sse2", copy Long<Mod65535>),
        on_aarch64!(Neon, Vectors<Mod65535>, "neon", copy Long<Mod65535>),
        #[cfg(feature = "generic")]
        Kernel::generic::<Vectors<Mod65535>>("generic"),
        #[cfg(feature = "methods")]
        Kernel::on::<Portable, Each<Mod65535>>("each").historical(),
        #[cfg(feature = "methods")]
        Kernel::on::<Portable, Indexed<false>>("f16").historical(),
        #[cfg(feature = "methods")]
        Kernel::on::<Portable, Indexed<true>>("f16_indexed").historical(),
        #[cfg(feature = "methods")]
        Kernel::compact::<Portable, Deferred<Mod65535>>("deferred").method(),
        #[cfg(feature = "methods")]
        Kernel::on::<Portable, Fields<Mod65535, 65>>("fields").method(),
        Kernel::on::<Portable, Fields<Mod65535, 65>>("portable").same_as("fields"),
    ]
);

variant!(
    Mod256,
    Bytes,
    256,
    KERNELS_16_MOD256,
    [Kernel::on::<Portable, Deferred<Mod256>>("portable"),]
);

variant!(
    Mod65536,
    Words,
    65536,
    KERNELS_32_MOD65536,
    [Kernel::on::<Portable, Deferred<Mod65536>>("portable"),]
);

const _: () = assert!(Deferred::<Mod255>::UNITS == 5802 && Deferred::<Mod65535>::UNITS == 360);
