//! Baselines: simple check values for comparison with the other codes. They are exclusive or (the
//! longitudinal redundancy check) and two's-complement sums, of 8, 16 and 32 bits.
//!
//! ```text
//! xor = w_1 ^ w_2 ^ ... ^ w_n        sum = w_1 + w_2 + ... + w_n mod 2^bits
//! ```
//!
//! with big-endian words w of that many bits, the last one padded with zero bytes on its right.
//! Example: `123456789` has xor-8 31 and sum-8 DD.
//!
//! **Trap.** Neither detects reordered words, and xor does not detect two equal changes in the same
//! bit column.

use crate::arch::Portable;
use crate::body::{Body, Edges, Tier};
use crate::kernel::{Dispatch, Kernel};
use crate::sums::group::{Group, Step};
use crate::sums::running::{self, Running, Summed};
use core::fmt::Debug;
use core::marker::PhantomData;

/// The operation of a baseline on its words: [`Xor`] or [`Add`].
pub trait Operation: sealed::Sealed + Copy + Debug + Default + 'static {
    /// Adds a word to a value.
    fn apply(value: u32, word: u32) -> u32;
    #[doc(hidden)]
    const CARRIES: bool;
}

/// Exclusive or.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Xor;

/// Addition modulo 2^bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Add;

impl Operation for Xor {
    const CARRIES: bool = false;

    #[inline(always)]
    fn apply(value: u32, word: u32) -> u32 {
        value ^ word
    }
}

impl Operation for Add {
    const CARRIES: bool = true;

    #[inline(always)]
    fn apply(value: u32, word: u32) -> u32 {
        value.wrapping_add(word)
    }
}

/// A baseline's word: `u8`, `u16` or `u32`.
pub trait Word: sealed::Sealed + Copy + Debug + Default + 'static {
    /// Bytes in a word.
    const BYTES: usize;
    #[doc(hidden)]
    fn words(data: &[u8]) -> (impl Iterator<Item = u32>, &[u8]);
}

macro_rules! word {
    ($($word:ident)*) => {$(
        impl sealed::Sealed for $word {}

        impl Word for $word {
            const BYTES: usize = size_of::<$word>();

            #[inline(always)]
            fn words(data: &[u8]) -> (impl Iterator<Item = u32>, &[u8]) {
                let (words, last) = data.as_chunks();
                (words.iter().map(|word| $word::from_be_bytes(*word).into()), last)
            }
        }
    )*};
}
word!(u8 u16 u32);

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Xor {}
    impl Sealed for super::Add {}
}

/// The baseline of operation `O` on words `W`, as `Baseline<Xor, u16>`.
///
/// It is the family of its kernels; the state is the value.
#[derive(Clone, Copy, Debug)]
pub struct Baseline<O, W>(PhantomData<(O, W)>);

impl<O: Operation, W: Word> Baseline<O, W> {
    const MASK: u32 = u32::MAX >> (32 - 8 * W::BYTES);

    /// The kernels, best first.
    pub(crate) const KERNELS: &'static [Kernel<Self>] =
        &[Kernel::on::<Portable, WordByWord<O, W>>("portable")];

    /// Returns the value of `data`, of any length.
    #[must_use]
    pub fn value(data: &[u8]) -> u32 {
        let mut words = Checksum::<O, W>::new();
        words.update(data);
        words.value()
    }

    /// Combines the values of two pieces of data, of which the first must be a whole number of
    /// words long.
    #[must_use]
    pub fn combine(first: u32, second: u32) -> u32 {
        O::apply(first, second) & Self::MASK
    }

    /// Returns the value after the bytes `old`, at `offset` of the data, became `new`, or `None` if
    /// their lengths differ.
    #[must_use]
    pub fn update_at(value: u32, offset: u64, old: &[u8], new: &[u8]) -> Option<u32> {
        running::update_at::<Self>(value & Self::MASK, u64::MAX, offset, old, new)
    }
}

impl<O: Operation, W: Word> Summed for Baseline<O, W> {
    type State = u32;
    type Value = u32;
    const WORD: usize = W::BYTES;
    const START: u32 = 0;
    const GROUP: Group =
        Group { modulus: if O::CARRIES { 1 << (8 * W::BYTES) } else { 0 }, step: Step::None };
    #[allow(private_interfaces)]
    const DISPATCH: &'static Dispatch<Self> = &Dispatch::last(Self::KERNELS);

    #[inline(always)]
    fn value_of(state: u32) -> u32 {
        state
    }

    fn state_of(value: u32) -> u32 {
        value & Self::MASK
    }

    fn word(bytes: [u8; 4]) -> u32 {
        u32::from_be_bytes(bytes) >> (32 - 8 * W::BYTES)
    }
}

/// A baseline's value of data that arrives in pieces of any length.
pub type Checksum<O, W> = Running<Baseline<O, W>>;

/// Computes the value by its definition, one word at a time.
#[must_use]
pub fn reference<O: Operation, W: Word>(data: &[u8]) -> u32 {
    data.chunks(W::BYTES).fold(0, |state, word| {
        let byte = |i: usize| u32::from(*word.get(i).unwrap_or(&0));
        let word = (0..W::BYTES).fold(0, |value, i| value << 8 | byte(i));
        Baseline::<O, W>::combine(state, word)
    })
}

/// Takes one word at a time; the compiler vectorises the loop.
struct WordByWord<O, W>(PhantomData<(O, W)>);

impl<T: Tier, O: Operation, W: Word> Body<T> for WordByWord<O, W> {
    type Family = Baseline<O, W>;
    const EDGES: Edges = Edges::NONE;
    #[inline(always)]
    fn run(_: T, (): &(), state: u32, data: &[u8]) -> u32 {
        let (words, last) = W::words(data);
        let state = words.fold(state, O::apply);
        let padded = last.iter().fold(0, |value, &byte| value << 8 | u32::from(byte));
        let padded = if last.is_empty() { 0 } else { padded << (8 * (W::BYTES - last.len())) };
        O::apply(state, padded) & Baseline::<O, W>::MASK
    }
}
