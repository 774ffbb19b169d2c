//! Foils: the simple check values that the real codes are measured against. Exclusive or (the longitudinal redundancy
//! check) and two's-complement sums, of 8, 16 and 32 bits.
//!
//! ```text
//! xor = w_1 ^ w_2 ^ ... ^ w_n        sum = w_1 + w_2 + ... + w_n mod 2^bits
//! ```
//!
//! with big-endian words w of that many bits, the last one padded with zero bytes on its right. Example: `123456789` has
//! xor-8 31 and sum-8 DD.
//!
//! **Trap.** Neither sees words in another order, and xor sees no two equal changes in the same bit column.

use crate::Error;
use crate::arch::{Portable, Tier};
use crate::kernel::{Body, Family, Kernel};

/// Which foil: `XOR` or the sum, of words of `BYTES` bytes (1, 2 or 4). It is the family of its kernels; the state is
/// the value.
#[derive(Clone, Copy, Debug)]
pub struct Foil<const XOR: bool, const BYTES: usize>;

impl<const XOR: bool, const BYTES: usize> Family for Foil<XOR, BYTES> {
    type With = ();
    type State = u32;
    type Value = u32;

    #[inline(always)]
    fn start((): &()) -> u32 {
        0
    }

    #[inline(always)]
    fn finish((): &(), state: u32) -> u32 {
        state
    }
}

impl<const XOR: bool, const BYTES: usize> Foil<XOR, BYTES> {
    const MASK: u32 = {
        assert!(BYTES == 1 || BYTES == 2 || BYTES == 4, "a foil's words have 1, 2 or 4 bytes");
        u32::MAX >> (32 - 8 * BYTES)
    };

    /// The kernels, best first.
    pub const KERNELS: &'static [Kernel<Self>] =
        &[Kernel::on::<Portable, Words<XOR, BYTES>>("portable")];

    /// The value of `data`, of any length.
    #[must_use]
    pub fn value(data: &[u8]) -> u32 {
        let mut words = Foiled::<XOR, BYTES>::new();
        words.update(data);
        words.value()
    }

    /// The value of two pieces of data from the values of each, if the first is a whole number of words long.
    #[must_use]
    pub const fn combine(first: u32, second: u32) -> u32 {
        if XOR { first ^ second } else { first.wrapping_add(second) & Self::MASK }
    }

    /// The value after the bytes `old`, at `offset` of the data, became `new`. `None` if their lengths differ.
    #[must_use]
    pub fn update_at(value: u32, offset: u64, old: &[u8], new: &[u8]) -> Option<u32> {
        if old.len() != new.len() {
            return None;
        }
        let place = |index: u64| 8 * (BYTES as u64 - 1 - index % BYTES as u64);
        let change =
            (offset..).zip(old.iter().zip(new)).fold(value, |value, (index, (&old, &new))| {
                let (old, new) = (u32::from(old) << place(index), u32::from(new) << place(index));
                if XOR { value ^ old ^ new } else { value.wrapping_sub(old).wrapping_add(new) }
            });
        Some(change & Self::MASK)
    }
}

/// A foil of data that comes in pieces of any length.
#[derive(Clone, Copy, Debug, Default)]
pub struct Foiled<const XOR: bool, const BYTES: usize> {
    state: u32,
    bytes: u64,
}

impl<const XOR: bool, const BYTES: usize> Foiled<XOR, BYTES> {
    /// The value of no data yet: 0.
    #[must_use]
    pub const fn new() -> Self {
        Foiled { state: 0, bytes: 0 }
    }

    /// Adds the next bytes.
    pub fn update(&mut self, data: &[u8]) {
        let phase = (self.bytes % BYTES as u64) as usize;
        let head = ((BYTES - phase) % BYTES).min(data.len());
        let (head, rest) = data.split_at(head);
        if !head.is_empty() {
            let mut word = [0; 4];
            word[phase..phase + head.len()].copy_from_slice(head);
            self.state = Self::run(self.state, &word[..BYTES]);
        }
        self.state = Self::run(self.state, rest);
        self.bytes += data.len() as u64;
    }

    /// Adds the pieces in order, as [`Foiled::update`] would their concatenation.
    pub fn update_scattered<D: core::ops::Deref<Target = [u8]>>(&mut self, pieces: &[D]) {
        pieces.iter().for_each(|piece| self.update(piece));
    }

    /// The value so far.
    #[must_use]
    pub const fn value(&self) -> u32 {
        self.state
    }

    /// Appends data that was summed apart, as if it had followed.
    ///
    /// # Errors
    /// If part of a word came before: the words of `next` would straddle.
    pub fn combine(&mut self, next: &Self) -> Result<(), Error> {
        if !self.bytes.is_multiple_of(BYTES as u64) {
            return Err(Error::OddSplit { bytes: self.bytes });
        }
        self.state = Foil::<XOR, BYTES>::combine(self.state, next.state);
        self.bytes += next.bytes;
        Ok(())
    }

    fn run(state: u32, data: &[u8]) -> u32 {
        // One portable kernel: nothing to choose.
        Foil::<XOR, BYTES>::KERNELS[0].force().map_or(state, |kernel| kernel.run(&(), state, data))
    }
}

/// The definition, one word at a time.
#[must_use]
pub fn reference<const XOR: bool, const BYTES: usize>(data: &[u8]) -> u32 {
    data.chunks(BYTES).fold(0, |state, word| {
        let value =
            (0..BYTES).fold(0, |value, i| value << 8 | u32::from(*word.get(i).unwrap_or(&0)));
        Foil::<XOR, BYTES>::combine(state, value)
    })
}

/// One word at a time; the compiler makes vectors of it.
struct Words<const XOR: bool, const BYTES: usize>;

impl<T: Tier, const XOR: bool, const BYTES: usize> Body<T> for Words<XOR, BYTES> {
    type Family = Foil<XOR, BYTES>;
    #[inline(always)]
    fn run(_: T, (): &(), mut state: u32, data: &[u8]) -> u32 {
        let (words, last) = data.as_chunks::<BYTES>();
        for word in words {
            let word = word.iter().fold(0, |value, &byte| value << 8 | u32::from(byte));
            state = if XOR { state ^ word } else { state.wrapping_add(word) };
        }
        let padded = last.iter().fold(0, |value, &byte| value << 8 | u32::from(byte));
        let padded = if last.is_empty() { 0 } else { padded << (8 * (BYTES - last.len())) };
        state = if XOR { state ^ padded } else { state.wrapping_add(padded) };
        state & Foil::<XOR, BYTES>::MASK
    }
}
