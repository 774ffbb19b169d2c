//! The checksum of XNS IDP and of Novell's IPX: add and left-cycle.
//!
//! With the packet after its checksum word as big-endian 16-bit words w_1, ..., w_n, start from 0;
//! add each word in one's complement, then rotate the sum left by one bit. FFFF is written 0000.
//! The sum is not complemented. (Xerox, *Internet Transport Protocols*, XSIS 028112; 4.3BSD
//! `ns_cksum.c`.) Closed form:
//!
//! ```text
//! checksum = w_1 2^n + w_2 2^(n-1) + ... + w_n 2^1  mod 65535
//! ```
//!
//! Example: `00 01 f2 03 f4 f5 f6 f7` gives 51F7. Verification is by recomputing; a field of FFFF
//! means "no checksum".
//!
//! **Trap.** A packet of odd length carries a garbage byte after its data that its length does not
//! count but the checksum covers, as sent. Pass the packet with that byte; an odd slice is padded
//! with a zero byte.
//!
//! **Blind spot.** 2^16 = 1 modulo 65535: moving a word by 16 words changes nothing.

use crate::arch::{Portable, WordSum, last_word};
use crate::body::{Body, Edges, Tier};
use crate::kernel::{Dispatch, Kernel, dispatch, on_aarch64, on_x86_64};
use crate::sums::group::{Group, Step};
use crate::sums::internet::fold;
use crate::sums::paired::{self, Paired};
use crate::sums::running::{self, Running, Summed};

/// Computes the XNS checksum of `data`, of any length.
///
/// The value is big-endian, 0 for the empty message, and never FFFF.
///
/// ```
/// assert_eq!(residue::xns::checksum(&[0x80, 0x00]), 0x0001);
/// ```
#[inline]
#[must_use]
pub fn checksum(data: &[u8]) -> u16 {
    Xns::DISPATCH.oneshot(&(), data)
}

/// The XNS checksum of data that arrives in pieces of any length.
pub type Checksum = Running<Xns>;

/// Returns the checksum of two concatenated pieces of data from their checksums.
///
/// The first must be a whole number of words long; the second has `words` words, counting a half
/// one.
#[must_use]
pub const fn combine(first: u16, second: u16, words: u64) -> u16 {
    Xns::GROUP.concat(0, first as u64, second as u64, words) as u16
}

/// Returns the checksum after the bytes `old`, at `offset` in data of `length` bytes, became `new`.
///
/// The rest of the data is not needed. FFFF (no checksum) stays. Returns `None` if the lengths of
/// `old` and `new` differ or the change reaches past `length`.
#[must_use]
pub fn update_at(checksum: u16, length: u64, offset: u64, old: &[u8], new: &[u8]) -> Option<u16> {
    let updated = running::update_at::<Xns>(checksum, length, offset, old, new)?;
    Some(if checksum == 0xffff { checksum } else { updated })
}

/// Returns the checksum of an IDP packet after a router added one to its hop count.
///
/// Like 4.3BSD's `idp_forward`, it needs only the packet's length field. A field of FFFF (no
/// checksum) stays. The hop count is the upper byte of the word at offset 4 of the packet, the
/// second of those summed.
#[must_use]
pub fn update_hop(checksum: u16, length: u16) -> u16 {
    if checksum == 0xffff {
        return checksum;
    }
    // Of ceil(length / 2) words, the checksum is not summed and the first precedes the hop count:
    // two fewer rotations, and 14 more is 2 fewer modulo 16.
    let rotations = u64::from(length).div_ceil(2) + 14;
    reduce(u64::from(checksum) + u64::from(rotate(0x0100, rotations)))
}

/// Computes the checksum by its definition, one word at a time.
#[must_use]
pub fn reference(data: &[u8]) -> u16 {
    let mut sum = 0u16;
    for pair in data.chunks(2) {
        let word = u16::from_be_bytes([pair[0], *pair.get(1).unwrap_or(&0)]);
        let (plain, carry) = sum.overflowing_add(word);
        sum = (plain + u16::from(carry)).rotate_left(1);
    }
    if sum == 0xffff { 0 } else { sum }
}

/// The family of the XNS checksum.
///
/// The state is the checksum, with FFFF written 0000.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Xns;

impl Summed for Xns {
    type State = u16;
    type Value = u16;
    const WORD: usize = 2;
    const RESUMES_INSIDE: bool = false;
    const START: u16 = 0;
    const GROUP: Group = Group { modulus: 65535, step: Step::Rotate(1) };
    #[allow(private_interfaces)]
    const DISPATCH: &'static Dispatch<Self> = &dispatch!(Xns, KERNELS);

    #[inline(always)]
    fn value_of(sum: u16) -> u16 {
        sum
    }

    fn state_of(value: u16) -> u16 {
        value % 65535
    }

    fn word([first, second, ..]: [u8; 4]) -> u32 {
        u16::from_be_bytes([first, second]).into()
    }
}

/// Returns sum mod 65535, in 0..65535.
#[inline(always)]
const fn reduce(sum: u64) -> u16 {
    (sum % 65535) as u16
}

/// Returns a sum times 2^bits modulo 65535.
#[inline(always)]
const fn rotate(sum: u16, bits: u64) -> u16 {
    sum.rotate_left((bits % 16) as u32)
}

/// Returns the word of at most two bytes, padded on its right.
#[inline(always)]
fn short_word(data: &[u8]) -> u16 {
    match *data {
        [first, second] => u16::from_be_bytes([first, second]),
        [first] => u16::from_be_bytes([first, 0]),
        _ => 0,
    }
}

/// Takes one word at a time: add, add the carry, rotate.
struct Words;

impl<T: Tier> Body<T> for Words {
    type Family = Xns;
    const EDGES: Edges = Edges::NONE;
    #[inline(always)]
    fn run(_: T, (): &(), state: u16, data: &[u8]) -> u16 {
        let mut sum = state;
        for pair in data.chunks(2) {
            let (plain, carry) = sum.overflowing_add(short_word(pair));
            // Without a carry out of the top this adds 0; with one, `plain` is at most FFFE.
            sum = (plain + u16::from(carry)).rotate_left(1);
        }
        if sum == 0xffff { 0 } else { sum }
    }
}

/// Takes sixteen words at a time.
///
/// A rotation by 16 bits is the identity, so words sixteen apart have equal weights. Each of the
/// sixteen columns is summed with plain additions, which the compiler vectorises; sixteen rotations
/// at the end replace one per word.
struct Columns;

impl Columns {
    /// 65537 rows of 65535 fit a u32.
    const ROWS: usize = 65536;
}

impl<T: Tier> Body<T> for Columns {
    type Family = Xns;
    const EDGES: Edges = Edges::at(&[32 * Columns::ROWS]);
    #[inline(always)]
    fn run(_: T, (): &(), state: u16, data: &[u8]) -> u16 {
        const { assert!(Columns::ROWS as u64 * 0xffff <= u32::MAX as u64) };
        let (rows, rest) = data.as_chunks::<32>();
        let mut sum = state;
        for block in rows.chunks(Columns::ROWS) {
            let mut columns = [0u32; 16];
            for row in block {
                let (words, _) = row.as_chunks::<2>();
                for (column, word) in columns.iter_mut().zip(words) {
                    // Little-endian: the bytes of each column's sum are swapped once, at the end.
                    *column += u32::from(u16::from_le_bytes(*word));
                }
            }
            // A block is a multiple of 16 words long, so the state before it keeps its place.
            let mut total = u64::from(sum);
            for (i, &column) in columns.iter().enumerate() {
                let column = reduce(u64::from(column)).swap_bytes();
                total += u64::from(rotate(column, 16 - i as u64));
            }
            sum = reduce(total);
        }
        row(sum, rest)
    }
}

/// Returns the state after `bytes` more bytes, from their sum: 2^15 w_1 + 2^14 w_2 + ..., with
/// cyclic powers, of words in little-endian order.
#[inline(always)]
fn joined(state: u16, sum: u64, bytes: usize) -> u16 {
    let words = bytes.div_ceil(2) as u64;
    // The last word has the weight 2, so all weights are short by words + 1 rotations; eight more
    // swap the bytes.
    let (sum, carry) = rotate(state, words).overflowing_add(rotate(fold(sum), words + 1 + 8));
    // Without a carry out of the top this adds 0; with one, `sum` is at most FFFE.
    let sum = sum + u16::from(carry);
    if sum == 0xffff { 0 } else { sum }
}

/// Sums less than sixteen words from 64-bit ones: in each half two words, the first of them twice.
#[inline(always)]
fn row(state: u16, data: &[u8]) -> u16 {
    debug_assert!(data.len() < 32);
    const FIRST: u64 = 0x0000_ffff_0000_ffff;
    let pairs = |word: u64| 2 * (word & FIRST) + (word >> 16 & FIRST);
    let (words, _) = data.as_chunks::<8>();
    // Moving to the next four words multiplies by 2^4. The halves hold 18 bits and 12 more.
    let sum = words.iter().fold(0, |sum, word| (sum << 4) + pairs(u64::from_le_bytes(*word)));
    let sum = (sum << 4) + pairs(last_word(data, 8));
    let sum = 4 * (sum & 0xffff_ffff) + (sum >> 32);
    joined(state, sum << (4 * (3 - words.len())), data.len())
}

/// Sums vectors of words ([`paired`]): the columns of [`Columns`], two per lane.
///
/// Words at even places count twice as much as those after them; the multiply-add that adds them
/// applies the factor. The eight lanes of 32 bytes differ by powers of four, applied once at the
/// end. Zeros behind the data do not count.
pub(crate) struct Vectors;

impl<T: WordSum> Body<T> for Vectors {
    type Family = Xns;
    const EDGES: Edges = paired::EdgesOf::<Xns, T>::ALL;
    #[inline(always)]
    fn run(tier: T, (): &(), state: u16, data: &[u8]) -> u16 {
        if !T::MASKS && data.len() < 32 {
            row(state, data)
        } else {
            paired::sum::<Xns, T>(tier, state, data)
        }
    }
}

impl Paired for Xns {
    const TWICE: bool = true;
    const IN_PLACE: bool = true;

    #[inline(always)]
    fn join<T: WordSum>(tier: T, state: u16, [even, odd]: [T::Lanes; 2], bytes: usize) -> u16 {
        joined(state, tier.columns(even, odd), bytes)
    }
}

/// The kernels, best first.
pub(crate) const KERNELS: &[Kernel<Xns>] = &[
    on_x86_64!(Avx512Vnni, Vectors, "avx512_vnni", copy paired::Long<Xns>),
    on_x86_64!(Avx2, Vectors, "avx2", copy paired::Long<Xns>),
    on_x86_64!(Sse2, Vectors, "sse2", copy paired::Long<Xns>),
    on_aarch64!(Neon, Vectors, "neon"),
    #[cfg(feature = "generic")]
    Kernel::generic::<Vectors>("generic"),
    #[cfg(feature = "methods")]
    Kernel::on::<Portable, Words>("words").historical(),
    #[cfg(feature = "methods")]
    Kernel::on::<Portable, Columns>("columns").method(),
    Kernel::on::<Portable, Columns>("portable").same_as("columns"),
];
