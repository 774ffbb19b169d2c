//! The Internet checksum of IPv4, TCP, UDP and ICMP (RFC 1071): the complement of a
//! one's-complement sum.
//!
//! With the data as big-endian 16-bit words w_1, ..., w_n (an odd last byte is padded with a zero
//! byte on its right):
//!
//! ```text
//! sum = (w_1 + ... + w_n) mod 65535, written FFFF where it is a non-zero multiple of 65535
//! checksum = not sum
//! ```
//!
//! Example (RFC 1071, section 3): `00 01 f2 03 f4 f5 f6 f7` sums to DDF2; its checksum is 220D.
//!
//! Verification: the sum over data and checksum is FFFF, so [`checksum`] over both is 0.
//!
//! **Trap.** A sum has two zeros. Only data that is zero throughout sums to 0000 (checksum FFFF);
//! every other multiple of 65535 is FFFF (checksum 0000). UDP sends a computed 0000 as FFFF,
//! because its 0000 means "no checksum" (RFC 768); TCP does not. [`update`] keeps the distinction,
//! which RFC 1141's equation lost (RFC 1624, section 4).

mod batch;
mod family;
#[cfg(feature = "methods")]
mod pino2018;
mod words;

use crate::arch::{Portable, WordSum};
use crate::body::{Body, ByLength, Edges, OutOfLine};
use crate::kernel::{Dispatch, Kernel, dispatch, on_aarch64, on_x86_64};
use crate::sums::group::{Group, Step};
use crate::sums::paired::{self, Paired};
use crate::sums::running::{Running, Summed};
use batch::Grouped;
#[doc(hidden)]
pub use family::Internet;
pub(crate) use family::fold;
use family::{add, up_to_24};
#[cfg(feature = "methods")]
use pino2018::AddWithCarry;
use words::{Adc, Fours};
#[cfg(feature = "methods")]
use words::{Word16, Word32, Word64};

/// Returns the Internet checksum of `data`, of any length.
///
/// The value is complemented, as stored in a header, and big-endian.
///
/// ```
/// let data = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7];
/// assert_eq!(residue::internet::checksum(&data), 0x220d);
/// ```
#[inline]
#[must_use]
pub fn checksum(data: &[u8]) -> u16 {
    // Inlined into the caller, this takes less time than calling a kernel.
    match up_to_24(data) {
        Some(sum) => Internet::value_of(sum),
        None => Internet::DISPATCH.oneshot(&(), data),
    }
}

/// Computes [`checksum`] of an array, for headers.
///
/// The code has no branch, loop or call. From a few hundred bytes on [`checksum`] is faster.
///
/// ```
/// // A header of 20 bytes without options, whose checksum is in it (RFC 791).
/// const HEADER: [u8; 20] =
///     *b"\x45\0\0\x30\x44\x22\x40\0\x80\x06\x44\x2e\x8c\x7c\x19\xac\xae\x24\x1e\x2b";
/// const { assert!(residue::internet::checksum_array(&HEADER) == 0) };
/// ```
#[inline]
#[must_use]
pub const fn checksum_array<const N: usize>(data: &[u8; N]) -> u16 {
    let mut rest = data.as_slice();
    let mut sum = 0u128;
    while let Some((word, after)) = rest.split_first_chunk() {
        sum += u64::from_le_bytes(*word) as u128;
        rest = after;
    }
    if let Some((word, after)) = rest.split_first_chunk() {
        sum += u32::from_le_bytes(*word) as u128;
        rest = after;
    }
    let mut place = 0;
    while let Some((&byte, after)) = rest.split_first() {
        sum += (byte as u128) << place;
        place += 8;
        rest = after;
    }
    !fold(add(sum as u64, (sum >> 64) as u64)).swap_bytes()
}

/// The Internet checksum of data that arrives in pieces.
///
/// Pieces may have any length: a piece that starts at an odd offset is byte-swapped into place (RFC
/// 1071, section 2).
pub type Checksum = Running<Internet>;

impl Running<Internet> {
    /// Starts with the IPv4 pseudo-header of TCP and UDP (RFC 9293, section 3.1; RFC 768).
    ///
    /// It consists of addresses, protocol, and `length`, the number of bytes in the segment that
    /// follows, including its header.
    #[must_use]
    pub fn with_ipv4(source: [u8; 4], destination: [u8; 4], protocol: u8, length: u16) -> Self {
        let mut sum = Checksum::new();
        sum.update(&source);
        sum.update(&destination);
        sum.update(&[0, protocol]);
        sum.update(&length.to_be_bytes());
        sum
    }

    /// Starts with the IPv6 pseudo-header (RFC 8200, section 8.1).
    ///
    /// It consists of addresses, the 32-bit length of the upper-layer packet, and the packet's
    /// next-header value, not that of an extension header before it.
    #[must_use]
    pub fn with_ipv6(source: [u8; 16], destination: [u8; 16], next: u8, length: u32) -> Self {
        let mut sum = Checksum::new();
        sum.update(&source);
        sum.update(&destination);
        sum.update(&length.to_be_bytes());
        sum.update(&[0, 0, 0, next]);
        sum
    }
}

/// Combines the checksums of two pieces of data.
///
/// Set `odd` if the first has an odd number of bytes, which swaps the bytes of the second (RFC
/// 1071, section 2).
#[must_use]
pub const fn combine(first: u16, odd: bool, second: u16) -> u16 {
    let second = if odd { second.swap_bytes() } else { second };
    let sum = !first as u32 + !second as u32;
    !((sum & 0xffff) + (sum >> 16)) as u16
}

/// Returns the checksum after the 16-bit field `old` of the data became `new` (RFC 1624, equation
/// 3).
///
/// All three are big-endian values; the field starts at an even offset. The result equals
/// [`checksum`] of the new data, unless the new data are all zero, which the checksum cannot show
/// (and which cannot happen in an IP header).
///
/// ```
/// // RFC 1624, section 4, where RFC 1141's equation gives FFFF.
/// assert_eq!(residue::internet::update(0xdd2f, 0x5555, 0x3285), 0x0000);
/// ```
#[must_use]
pub const fn update(checksum: u16, old: u16, new: u16) -> u16 {
    let sum = !checksum as u32 + !old as u32 + new as u32;
    let sum = (sum & 0xffff) + (sum >> 16);
    !((sum & 0xffff) + (sum >> 16)) as u16
}

/// Returns the checksum after the bytes `old`, which began at `offset` of the data, became `new`.
///
/// The rest of the data is not needed. Returns `None` if the lengths differ. [`update`] describes
/// the one inexact case.
#[must_use]
pub fn update_at(checksum: u16, offset: u64, old: &[u8], new: &[u8]) -> Option<u16> {
    if old.len() != new.len() {
        return None;
    }
    let place = |data: &[u8]| {
        let sum = !self::checksum(data);
        if offset % 2 == 1 { sum.swap_bytes() } else { sum }
    };
    Some(update(checksum, place(old), place(new)))
}

/// Computes the checksum by its definition, one word at a time: the end-around sum of big-endian
/// words, complemented.
#[must_use]
pub fn reference(data: &[u8]) -> u16 {
    let mut sum = 0u32;
    for pair in data.chunks(2) {
        sum += u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0));
        if sum > 0xffff {
            sum -= 0xffff;
        }
    }
    !sum as u16
}

impl Summed for Internet {
    type State = u64;
    type Value = u16;
    const WORD: usize = 1;
    const START: u64 = 0;
    const GROUP: Group = Group { modulus: 65535, step: Step::Rotate(8) };
    #[allow(private_interfaces)]
    const DISPATCH: &'static Dispatch<Self> = &dispatch!(Internet, KERNELS);

    #[inline(always)]
    fn value_of(sum: u64) -> u16 {
        !fold(sum).swap_bytes()
    }

    fn state_of(value: u16) -> u64 {
        (!value).swap_bytes().into()
    }

    fn word([byte, ..]: [u8; 4]) -> u32 {
        byte.into()
    }

    // Elements of the group count weights from the end, states from the beginning.
    fn pack(state: u64, bytes: u64) -> u64 {
        let sum = fold(state);
        u64::from(if bytes % 2 == 1 { sum.swap_bytes() } else { sum }) % 65535
    }

    fn unpack(packed: u64, bytes: u64, nonzero: bool) -> u64 {
        let sum = if packed == 0 && nonzero { 0xffff } else { packed as u16 };
        u64::from(if bytes % 2 == 1 { sum.swap_bytes() } else { sum })
    }

    #[inline(always)]
    fn after(state: u64, bytes: u64, run: impl FnOnce(u64) -> u64) -> u64 {
        Internet::concat(state, run(0), [bytes, 0])
    }

    #[inline(always)]
    fn concat(first: u64, second: u64, [bytes, _]: [u64; 2]) -> u64 {
        // Multiplying by 256 modulo 2^64 - 1 is a rotation, and modulo 65535 it swaps the bytes of
        // every word.
        add(first, if bytes % 2 == 1 { second.rotate_left(8) } else { second })
    }
}

/// Sums vectors of words ([`paired`]).
///
/// Short data take 64-bit words: a sum in one register is complete, whereas lanes must be gathered.
pub(crate) struct Vectors;

impl<T: WordSum> Body<T> for Vectors {
    type Family = Internet;
    const EDGES: Edges = Edges::of(&[2 * 65536], &[paired::EdgesOf::<Internet, T>::ALL]);
    #[inline(always)]
    fn run(tier: T, (): &(), state: u64, data: &[u8]) -> u64 {
        if data.len() <= T::WORDS_TO {
            <Adc as Body<T>>::run(tier, &(), state, data)
        } else {
            paired::sum::<Internet, T>(tier, state, data)
        }
    }
}

impl Paired for Internet {
    const TWICE: bool = false;
    const IN_PLACE: bool = false;

    #[inline(always)]
    fn join<T: WordSum>(tier: T, state: u64, lanes: [T::Lanes; 2], bytes: usize) -> u64 {
        /// The most bytes whose sum is sure to be less than 2^32.
        const PACKED: usize = 2 * 65536;
        let lanes = tier.add(lanes[0], lanes[1]);
        add(state, if bytes <= PACKED { tier.packed(lanes) } else { tier.total(lanes) })
    }
}

/// The kernels, best first.
pub(crate) const KERNELS: &[Kernel<Internet>] = &[
    on_x86_64!(
        Avx512Vnni, Vectors, "avx512_vnni",
        copy paired::Long<Internet>, batch Avx512Vnni Grouped<4>
    ),
    on_x86_64!(Avx2, Vectors, "avx2", copy paired::Long<Internet>, batch Avx2 Grouped<2>),
    on_x86_64!(Sse2, Vectors, "sse2", copy paired::Long<Internet>),
    on_aarch64!(Neon, Vectors, "neon", copy paired::Long<Internet>),
    #[cfg(feature = "generic")]
    Kernel::generic::<Vectors>("generic").batched::<Portable, Grouped<2>>(),
    #[cfg(feature = "methods")]
    Kernel::on::<Portable, Adc>("adc").method(),
    #[cfg(feature = "methods")]
    Kernel::on::<Portable, AddWithCarry<4>>("adc_pino2018").historical(),
    #[cfg(feature = "methods")]
    Kernel::on::<Portable, AddWithCarry<1>>("adc1_pino2018").historical(),
    #[cfg(feature = "methods")]
    Kernel::on::<Portable, AddWithCarry<2>>("adc2_pino2018").historical(),
    #[cfg(feature = "methods")]
    Kernel::on::<Portable, AddWithCarry<8>>("adc8_pino2018").historical(),
    #[cfg(feature = "methods")]
    Kernel::on::<Portable, Word64>("word64").method(),
    #[cfg(feature = "methods")]
    Kernel::on::<Portable, Word32<false>>("word32").method(),
    #[cfg(feature = "methods")]
    Kernel::on::<Portable, Word32<true>>("word32_scalar").historical(),
    #[cfg(feature = "methods")]
    Kernel::on::<Portable, Word16<false>>("word16").method(),
    #[cfg(feature = "methods")]
    Kernel::on::<Portable, Word16<true>>("word16_scalar").historical(),
    // Compilers make vectors of it for x86-64, all of whose CPUs have SSE2.
    if cfg!(target_arch = "x86_64") {
        Kernel::on::<Portable, ByLength<Adc, OutOfLine<Fours>, 768>>("portable")
    } else {
        Kernel::on::<Portable, Adc>("portable").same_as("adc")
    },
];
