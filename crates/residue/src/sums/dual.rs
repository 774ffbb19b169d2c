//! Dual sums of large blocks: Fletcher's sums of words that are wider than each sum.
//!
//! With big-endian words x_1, ..., x_n of 32 bits, the last one padded with zero bytes on its
//! right:
//!
//! ```text
//! A = x_1 + ... + x_n mod M        B = n x_1 + (n-1) x_2 + ... + 1 x_n mod M        value = B:A
//! ```
//!
//! | code | M | value | all errors of two bits are detected up to |
//! |---|---|---|---|
//! | [`dual16`] | 253 | B 256 + A | 1,008 bytes |
//! | [`dual32`] | 65525 | B 65536 + A | 262,096 bytes |
//!
//! Example: `123456789` has the values 6F59 and 65BC4431.
//!
//! P. Koopman, *Large-Block Modular Addition Checksum Algorithms*, 2023, arXiv:2302.13432,
//! recommends dual sums of blocks wider than the sums, with these two moduli. Only its abstract is
//! the source of this module: the width of the blocks, their byte order, the padding and the start
//! with sums of 0 are choices made here. Values need not equal those of other implementations.
//!
//! Two wrong bits in one word are undetected, in some data, only if 2^d is 1 or -1 modulo M, where
//! d is their distance. The least such d is 110 for 253 and 1310 for 65525. Words may thus have 110
//! bits; 32 are enough to double or quadruple the reach of Fletcher's codes, and their sums of 64
//! bits need a reduction only every 65,536 words. Bits of different words are undetected only if
//! the words are a multiple of M apart, and the first of M words does not count in B, so that one
//! of its bits and one of A are undetected: M - 1 words are the limit.
//!
//! **Trap.** Words that are equal modulo M are interchangeable: in `dual16`, 00 00 00 00 and 00 00
//! 00 FD. Of random changes of one word, one in M is undetected: inside of a word B detects no more
//! than A does. And zero words in front of the message do not change the value.

use crate::arch::Portable;
use crate::body::{Body, Edges, Tier};
use crate::kernel::{Dispatch, Kernel};
use crate::sums::group::{Group, Step};
use crate::sums::koopman::{Mod253, Mod65525, Modulus};
use crate::sums::running::{self, Running, Summed};
use core::marker::PhantomData;

/// Computes the 16-bit dual sum of `data`, of any length, modulo 253.
///
/// B is in the upper half, A in the lower, each in 0..253.
///
/// ```
/// // The words 0x31323334, 0x35363738 and 0x39000000 are 207, 114 and 21 modulo 253.
/// assert_eq!(residue::dual::dual16(b"123456789"), 0x6f59);
/// ```
#[must_use]
pub fn dual16(data: &[u8]) -> u16 {
    Dual::<Mod253>::DISPATCH.oneshot(&(), data) as u16
}

/// Computes the 32-bit dual sum of `data`, of any length, modulo 65525.
///
/// B is in the upper half, A in the lower, each in 0..65525.
///
/// ```
/// assert_eq!(residue::dual::dual32(b"123456789"), 0x65bc_4431);
/// ```
#[must_use]
pub fn dual32(data: &[u8]) -> u32 {
    Dual::<Mod65525>::DISPATCH.oneshot(&(), data)
}

/// Bytes in a word.
const WORD: usize = 4;

/// The dual sum modulo `M`, which is the family of its kernels.
///
/// The state is [A, B], each in 0..M. That of data which end inside a word has the whole word, with
/// zeros for the missing bytes.
#[derive(Clone, Copy, Debug)]
pub struct Dual<M>(PhantomData<M>);

impl<M: Modulus> Dual<M> {
    /// The kernels, best first.
    pub(crate) const KERNELS: &'static [Kernel<Self>] =
        &[Kernel::on::<Portable, Interleaved<M>>("portable")];
}

impl<M: Modulus> Summed for Dual<M> {
    type State = [u32; 2];
    type Value = u32;
    const WORD: usize = WORD;
    const START: [u32; 2] = [0, 0];
    const GROUP: Group = Group { modulus: M::MODULUS, step: Step::Sum };
    #[allow(private_interfaces)]
    const DISPATCH: &'static Dispatch<Self> = &Dispatch::last(Self::KERNELS);

    #[inline(always)]
    fn value_of([a, b]: [u32; 2]) -> u32 {
        const { assert!(M::WIDTH <= 16) };
        b << M::WIDTH | a
    }

    fn state_of(value: u32) -> [u32; 2] {
        [value & ((1 << M::WIDTH) - 1), value >> M::WIDTH].map(|sum| sum % M::MODULUS as u32)
    }

    fn word(bytes: [u8; 4]) -> u32 {
        u32::from_be_bytes(bytes)
    }
}

/// A dual sum of data that arrives in pieces of any length.
pub type Checksum<M> = Running<Dual<M>>;

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
    let state = Dual::<M>::state_of(value);
    running::update_at::<Dual<M>>(state, length, offset, old, new).map(Dual::<M>::value_of)
}

/// Computes the value by its definition, one word at a time.
#[must_use]
pub fn reference<M: Modulus>(data: &[u8]) -> u32 {
    let (mut a, mut b) = (0, 0);
    for word in data.chunks(WORD) {
        let byte = |i: usize| u64::from(*word.get(i).unwrap_or(&0));
        let word = (0..WORD).fold(0, |word, i| word << 8 | byte(i));
        a = (a + word) % M::MODULUS;
        b = (b + a) % M::MODULUS;
    }
    Dual::<M>::value_of([a as u32, b as u32])
}

/// The words of a group, each with sums of its own.
const SUMS: usize = 8;

/// The words after which the sums are reduced.
const MOST: u64 = 1 << 16;

/// Takes groups of eight words into eight pairs of sums, which need no reduction for 256 KiB.
struct Interleaved<M>(PhantomData<M>);

impl<M: Modulus> Interleaved<M> {
    /// B does not overflow.
    const FITS: () = {
        let start = (M::MODULUS - 1) as u128 * (MOST as u128 + 1);
        let weights = MOST as u128 * (MOST as u128 + 1) / 2;
        assert!(start + (weights << 32) < 1 << 64);
    };
}

impl<T: Tier, M: Modulus> Body<T> for Interleaved<M> {
    type Family = Dual<M>;
    const EDGES: Edges = Edges::at(&[WORD * MOST as usize]);
    #[inline(always)]
    fn run(_: T, (): &(), mut state: [u32; 2], data: &[u8]) -> [u32; 2] {
        const { Self::FITS };
        for block in data.chunks(WORD * MOST as usize) {
            state = summed(state, block).map(|sum| (sum % M::MODULUS) as u32);
        }
        state
    }
}

/// Returns A and B after at most `MOST` words, without a reduction, for any modulus.
///
/// With n groups, word j of group i has the weight 8 (n - i) - j, where both count from 0. Of the
/// words j of all groups, S is the sum, and W the sum of the values that S had before each group:
/// it counts a word n - i - 1 times. Together they add S to A, and 8 W + (8 - j) S to B.
#[inline(never)]
fn summed(state: [u32; 2], block: &[u8]) -> [u64; 2] {
    let [mut a, mut b] = state.map(u64::from);
    let (groups, last) = block.as_chunks::<{ WORD * SUMS }>();
    let (mut sums, mut before) = ([0; SUMS], [0; SUMS]);
    for group in groups {
        let (words, _) = group.as_chunks();
        for ((sum, before), word) in sums.iter_mut().zip(&mut before).zip(words) {
            *before += *sum;
            *sum += u64::from(u32::from_be_bytes(*word));
        }
    }
    b += (SUMS * groups.len()) as u64 * a;
    for (weight, (sum, before)) in (1..=SUMS as u64).rev().zip(sums.iter().zip(before)) {
        a += sum;
        b += SUMS as u64 * before + weight * sum;
    }
    let (words, last) = last.as_chunks();
    for word in words {
        a += u64::from(u32::from_be_bytes(*word));
        b += a;
    }
    if !last.is_empty() {
        let word = last.iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
        a += word << (8 * (WORD - last.len()));
        b += a;
    }
    [a, b]
}
