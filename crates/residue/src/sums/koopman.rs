//! Koopman's checksums: the message as one large number, modulo a number near a power of two.
//!
//! With the bytes x_1, ..., x_n as the digits of a number to the base 256, most significant first:
//!
//! ```text
//! value = (x_1 256^(n-1) + ... + x_n) 2^width mod M
//! ```
//!
//! | code | width | M | all errors of two bits are detected up to |
//! |---|---|---|---|
//! | [`koopman8`] | 8 | 253 | 12 bytes |
//! | [`koopman16`] | 16 | 65519 | 4,092 bytes |
//! | [`koopman32`] | 32 | 4294967291 | 268,435,451 bytes |
//!
//! (P. Koopman, *An Improved Modular Addition Checksum Algorithm*, 2023, arXiv:2304.13496, with an
//! initial seed of 0.) Example: `123456789` has Koopman-8 2F and Koopman-16 F4A7.
//!
//! As in a CRC the message is followed by as many zero bits as the value has, so that wrong bits of
//! data and value are one error pattern; but carries make a wrong bit count 2^i or -2^i. Two wrong
//! bits d apart are undetected, in some data, exactly if 2^d is 1 or -1 modulo M.
//!
//! **Trap.** Zero bytes in front of the message do not change the value, which the paper's seed
//! mends. And M and 0 are one residue: replacing FD by 00 in any byte is undetected by Koopman-8.

use crate::arch::Portable;
use crate::body::{Body, Edges, Tier};
use crate::kernel::{Dispatch, Kernel};
use crate::sums::group::{Group, Step, halved, shift};
use crate::sums::running::{self, Running, Summed};
use core::fmt::Debug;
use core::marker::PhantomData;

/// Computes Koopman's 8-bit checksum of `data`, of any length.
///
/// ```
/// assert_eq!(residue::koopman::koopman8(b"123456789"), 0x2f);
/// ```
#[must_use]
pub fn koopman8(data: &[u8]) -> u8 {
    Koopman::<Mod253>::DISPATCH.oneshot(&(), data) as u8
}

/// Computes Koopman's 16-bit checksum of `data`, of any length.
///
/// ```
/// assert_eq!(residue::koopman::koopman16(b"123456789"), 0xf4a7);
/// ```
#[must_use]
pub fn koopman16(data: &[u8]) -> u16 {
    Koopman::<Mod65519>::DISPATCH.oneshot(&(), data) as u16
}

/// Computes Koopman's 32-bit checksum of `data`, of any length.
///
/// ```
/// assert_eq!(residue::koopman::koopman32(b"12"), 0x3132 * 5);
/// ```
#[must_use]
pub fn koopman32(data: &[u8]) -> u32 {
    Koopman::<Mod4294967291>::DISPATCH.oneshot(&(), data)
}

/// A width with its modulus: [`Mod253`], [`Mod65519`], [`Mod65525`] or [`Mod4294967291`].
///
/// [`Mod65525`] is that of [`dual32`](crate::dual::dual32), and [`Mod253`] also that of
/// [`dual16`](crate::dual::dual16).
pub trait Modulus: sealed::Sealed + Copy + Debug + Default + 'static {
    /// Bits of the value.
    const WIDTH: u32;
    /// The modulus M, less than 2^WIDTH by a small number.
    const MODULUS: u64;
}

macro_rules! moduli {
    ($($name:ident: $width:literal, $modulus:literal;)*) => {$(
        #[doc = concat!("The modulus ", $modulus, ", for values of ", $width, " bits.")]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name;

        impl sealed::Sealed for $name {}

        impl Modulus for $name {
            const WIDTH: u32 = $width;
            const MODULUS: u64 = $modulus;
        }
    )*};
}
moduli! {
    Mod253: 8, 253;
    Mod65519: 16, 65519;
    Mod65525: 16, 65525;
    Mod4294967291: 32, 4294967291;
}

mod sealed {
    pub trait Sealed {}
}

/// Koopman's checksum modulo `M`, which is the family of its kernels.
///
/// The state is the number of the bytes modulo M, below M.
#[derive(Clone, Copy, Debug)]
pub struct Koopman<M>(PhantomData<M>);

impl<M: Modulus> Koopman<M> {
    /// The kernels, best first.
    pub(crate) const KERNELS: &'static [Kernel<Self>] = &[
        #[cfg(feature = "methods")]
        Kernel::compact::<Portable, Wordwise<M>>("wordwise").method(),
        Kernel::on::<Portable, Interleaved<M>>("portable"),
    ];
}

impl<M: Modulus> Summed for Koopman<M> {
    type State = u32;
    type Value = u32;
    const WORD: usize = 1;
    const START: u32 = 0;
    const GROUP: Group = Group { modulus: M::MODULUS, step: Step::Scale };
    #[allow(private_interfaces)]
    const DISPATCH: &'static Dispatch<Self> = &Dispatch::last(Self::KERNELS);

    #[inline(always)]
    fn value_of(state: u32) -> u32 {
        ((u64::from(state) << M::WIDTH) % M::MODULUS) as u32
    }

    fn state_of(value: u32) -> u32 {
        halved(u64::from(value) % M::MODULUS, M::WIDTH, M::MODULUS) as u32
    }

    fn word([byte, ..]: [u8; 4]) -> u32 {
        byte.into()
    }
}

/// Koopman's checksum of data that arrives in pieces of any length.
pub type Checksum<M> = Running<Koopman<M>>;

/// Returns the value after the bytes `old`, at `offset` in data of `length` bytes, became `new`.
///
/// The rest of the data is not needed. Returns `None` if the lengths of `old` and `new` differ or
/// the change reaches past `length`.
#[must_use]
pub fn update_at<M: Modulus>(
    value: u32,
    length: u64,
    offset: u64,
    old: &[u8],
    new: &[u8],
) -> Option<u32> {
    let change = running::update_at::<Koopman<M>>(0, length, offset, old, new)?;
    let change = Koopman::<M>::value_of(change);
    Some(Koopman::<M>::GROUP.plus(value.into(), change.into()) as u32)
}

/// Computes the value by its definition, one byte at a time, and then the zero bits behind them.
#[must_use]
pub fn reference<M: Modulus>(data: &[u8]) -> u32 {
    let zeros = [0; 4];
    let digits = data.iter().chain(&zeros[..M::WIDTH as usize / 8]);
    digits.fold(0, |sum, &byte| (sum << 8 | u64::from(byte)) % M::MODULUS) as u32
}

/// Takes a word of four bytes at a time, reduced after each.
struct Wordwise<M>(PhantomData<M>);

impl<T: Tier, M: Modulus> Body<T> for Wordwise<M> {
    type Family = Koopman<M>;
    const EDGES: Edges = Edges::NONE;
    #[inline(always)]
    fn run(_: T, (): &(), state: u32, data: &[u8]) -> u32 {
        wordwise::<M>(state, data)
    }
}

#[inline(always)]
fn wordwise<M: Modulus>(state: u32, data: &[u8]) -> u32 {
    let (words, last) = data.as_chunks();
    let mut sum = u64::from(state);
    for word in words {
        sum = (sum << 32 | u64::from(u32::from_be_bytes(*word))) % M::MODULUS;
    }
    for &byte in last {
        sum = (sum << 8 | u64::from(byte)) % M::MODULUS;
    }
    sum as u32
}

/// The words of a block, each with a sum of its own.
const SUMS: usize = 8;

/// Takes eight words at a time into eight sums, which are reduced at the end.
///
/// A sum moves up by the 256 bits of a block with each new word: s becomes s R + word, with R =
/// 2^256 mod M. Its upper half counts 2^32 each, so that s R is h (2^32 R mod M) + l R: two
/// products of 32 bits, which the compiler makes on vectors. M is so near a power of two that R is
/// small: below 2^20 for 32 bits, and the sums stay below 2^54.
struct Interleaved<M>(PhantomData<M>);

impl<M: Modulus> Interleaved<M> {
    const BLOCK: u64 = shift(4 * SUMS as u64, M::MODULUS);
    const UPPER: u64 = shift(4 * SUMS as u64 + 4, M::MODULUS);
    /// No sum overflows: with the upper half at most R + UPPER + 1 it does not grow.
    const FITS: () = {
        let most = Self::BLOCK + Self::UPPER + 1;
        assert!(Self::UPPER < 1 << 22 && Self::BLOCK < 1 << 22);
        assert!((most * Self::UPPER + ((1 << 32) - 1) * (Self::BLOCK + 1)) >> 32 <= most);
    };
}

impl<T: Tier, M: Modulus> Body<T> for Interleaved<M> {
    type Family = Koopman<M>;
    const EDGES: Edges = Edges::NONE;
    #[inline(always)]
    fn run(_: T, (): &(), state: u32, data: &[u8]) -> u32 {
        const { Self::FITS };
        let (blocks, last) = data.as_chunks::<{ 4 * SUMS }>();
        let mut sums = [0; SUMS];
        sums[SUMS - 1] = u64::from(state);
        for block in blocks {
            let (words, _) = block.as_chunks();
            for (sum, word) in sums.iter_mut().zip(words) {
                let word = u64::from(u32::from_be_bytes(*word));
                *sum = (*sum >> 32) * Self::UPPER + (*sum & 0xffff_ffff) * Self::BLOCK + word;
            }
        }
        let mut state = state;
        if !blocks.is_empty() {
            let joined = |all: u64, sum: u64| ((all << 32) + sum % M::MODULUS) % M::MODULUS;
            state = sums.into_iter().fold(0, joined) as u32;
        }
        wordwise::<M>(state, last)
    }
}
