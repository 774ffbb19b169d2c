//! A tier that stores the bytes it loads, which turns any body into one that copies.
//!
//! Each vector is in a register anyway, and the store runs in parallel with the arithmetic.

use super::clmul::{ByteMatrix, CarryLess, CarryLessWide, Head};
use super::crc32::{CrcStep, Polynomial};
use super::scalar::scalar;
use super::sums::{Load, Unit, Weighted, WordSum};
use crate::body::{Body, Context, Enter, State, Tier};
use crate::cpu::Features;
use core::mem::MaybeUninit;
use core::ptr;

/// The tier `T`, whose loads from `from` also store the bytes at their offsets in `to`.
#[derive(Clone, Copy)]
pub(crate) struct Copying<T> {
    tier: T,
    from: *const u8,
    bytes: usize,
    to: *mut u8,
}

/// A block of the data that is copied.
///
/// Only [`Copying`] makes references to it, and only to parts of that data.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Part<B>(B);

impl<T> Copying<T> {
    /// Returns the offset of `bytes` bytes in the data, if they lie there.
    #[inline(always)]
    fn offset(self, bytes_at: *const u8, bytes: usize) -> Option<usize> {
        let at = (bytes_at as usize).wrapping_sub(self.from as usize);
        (at <= self.bytes && bytes <= self.bytes - at).then_some(at)
    }
}

impl<T: Tier> Copying<T> {
    /// Makes the tier that copies `data` to `to`.
    ///
    /// # Safety
    /// `to` must be valid for writes of `data.len()` bytes and must not overlap `data`. The marker
    /// must not outlive `data`.
    #[inline(always)]
    pub(super) unsafe fn new(tier: T, data: &[u8], to: *mut u8) -> Self {
        Copying { tier, from: data.as_ptr(), bytes: data.len(), to }
    }

    /// Stores a block, and returns it.
    ///
    /// The vector is loaded once, from the value: from memory it would be loaded again, right
    /// behind a store that the CPU may take for one to the same place.
    #[inline(always)]
    fn store_part<B: Copy>(self, part: &Part<B>) -> B {
        let block = part.0;
        let at = (ptr::from_ref(part) as usize).wrapping_sub(self.from as usize);
        // Hidden from the compiler, which would make one call of `memcpy` of all stores of a loop.
        let at = scalar(at as u64) as usize;
        // SAFETY: `parts` checked that the block lies in the data, so its place lies in the
        // writable bytes. `B` is an array of bytes, which needs no alignment.
        unsafe { self.to.add(at).cast::<B>().write_unaligned(block) }
        block
    }

    /// Stores a block of `N` bytes if it lies in the data; ignores others.
    #[inline(always)]
    fn store<const N: usize>(self, block: &[u8; N]) {
        if let ([part], _) = self.parts((core::slice::from_ref(block), &[])) {
            self.store_part(part);
        }
    }

    /// Converts blocks of the data to blocks that may be stored.
    #[inline(always)]
    fn parts<'a, B>(self, (blocks, rest): (&'a [B], &'a [u8])) -> (&'a [Part<B>], &'a [u8]) {
        let inside = self.offset(blocks.as_ptr().cast(), size_of_val(blocks)).is_some();
        let count = if inside { blocks.len() } else { 0 };
        // SAFETY: `Part` is transparent, and the blocks lie in the data.
        (unsafe { core::slice::from_raw_parts(blocks.as_ptr().cast(), count) }, rest)
    }
}

impl<T: Enter<Copying = Copying<T>>> Tier for Copying<T> {
    const NEEDS: Features = T::NEEDS;

    #[inline(always)]
    fn outline<B: Body<Self>>(
        self,
        context: &Context<B, Self>,
        state: State<B, Self>,
        data: &[u8],
    ) -> State<B, Self> {
        let Some(at) = self.offset(data.as_ptr(), data.len()) else {
            // Bodies run on parts of the data.
            return state;
        };
        // SAFETY: the marker exists, so the CPU has the features of the tier; `data` is a part of
        // the data, so its place lies in the writable bytes, which do not overlap it.
        unsafe { T::enter_copying::<B>(context, state, data, self.to.add(at)) }
    }
}

impl<T: Load + Enter<Copying = Copying<T>>> Copying<T> {
    /// Stores the last `vectors` vectors of the data, which must have as many.
    #[inline(always)]
    fn store_last(self, vectors: usize) {
        // SAFETY: these are the data of `new`, which the marker does not outlive.
        let data = unsafe { core::slice::from_raw_parts(self.from, self.bytes) };
        let last = &data[data.len().saturating_sub(vectors * T::BYTES)..];
        for block in self.blocks(last).0 {
            self.store_part(block);
        }
    }
}

/// A load of the rest behind whole vectors stores whole vectors that end with the data.
impl<T: Load + Enter<Copying = Copying<T>>> Load for Copying<T> {
    type V = T::V;
    type Block = Part<T::Block>;
    const BYTES: usize = T::BYTES;
    const MASKS: bool = T::MASKS;

    #[inline(always)]
    fn blocks(self, data: &[u8]) -> (&[Part<T::Block>], &[u8]) {
        self.parts(self.tier.blocks(data))
    }

    #[inline(always)]
    fn load(self, block: &Part<T::Block>) -> T::V {
        self.tier.load(&self.store_part(block))
    }

    #[inline(always)]
    fn null(self) -> T::V {
        self.tier.null()
    }

    #[inline(always)]
    fn load_low(self, data: &[u8], from: usize) -> T::V {
        if from < data.len() {
            self.store_last(1);
        }
        self.tier.load_low(data, from)
    }

    #[inline(always)]
    fn load_rest(self, data: &[u8], from: usize) -> T::V {
        if from < data.len() {
            self.store_last(1);
        }
        self.tier.load_rest(data, from)
    }
}

/// Forwards methods to the tier.
macro_rules! handed_on {
    ($($(#[$attr:meta])* fn $name:ident(self $(, $arg:ident: $ty:ty)*) -> $ret:ty;)*) => {
        $($(#[$attr])* #[inline(always)]
        fn $name(self $(, $arg: $ty)*) -> $ret {
            self.tier.$name($($arg),*)
        })*
    };
}

impl<T: WordSum + Enter<Copying = Copying<T>>> WordSum for Copying<T> {
    const BIAS: i32 = T::BIAS;
    const WORDS_TO: usize = T::WORDS_TO;
    type Lanes = T::Lanes;
    type Narrow = Self;

    #[inline(always)]
    fn narrow(self) -> Self {
        self
    }

    handed_on! {
        fn lanes(self, each: i32) -> T::Lanes;
        fn sum(self, lanes: T::Lanes, words: T::V, twice: bool) -> T::Lanes;
        fn add(self, a: T::Lanes, b: T::Lanes) -> T::Lanes;
        fn packed(self, lanes: T::Lanes) -> u64;
        fn total(self, lanes: T::Lanes) -> u64;
        fn columns(self, even: T::Lanes, odd: T::Lanes) -> u64;
    }
}

impl<U: Unit, T: Weighted<U> + Enter<Copying = Copying<T>>> Weighted<U> for Copying<T> {
    type Sums = T::Sums;
    const BIAS: i64 = T::BIAS;
    const CENTRE: i32 = T::CENTRE;
    const STEPS: usize = T::STEPS;
    const APART_TO: usize = T::APART_TO;
    handed_on! {
        fn zero(self) -> T::Sums;
        fn step(self, sums: T::Sums, vectors: [T::V; 4]) -> T::Sums;
        fn totals32(self, sums: T::Sums) -> [u32; 2];
        fn totals64(self, sums: T::Sums) -> [i64; 2];
        fn totals_apart(self, sums: T::Sums) -> [i64; 2];
    }

    #[inline(always)]
    fn last_step(self, sums: T::Sums, data: &[u8], from: usize) -> (T::Sums, usize) {
        self.store_last(4);
        self.tier.last_step(sums, data, from)
    }

    #[inline(always)]
    fn few<const K: usize>(self, vectors: [T::V; K], units: usize) -> (u32, u32) {
        self.tier.few(vectors, units)
    }
}

impl<T: CarryLess + Enter<Copying = Copying<T>>> CarryLess for Copying<T> {
    type V = T::V;

    #[inline(always)]
    fn load(self, bytes: &[u8; 16]) -> T::V {
        self.store(bytes);
        self.tier.load(bytes)
    }

    handed_on! {
        fn lane_of(self, lane: u128) -> T::V;
        fn constant(self, lane: u128) -> T::V;
        fn xor(self, a: T::V, b: T::V) -> T::V;
        fn shuffle(self, v: T::V, index: &[u8; 16]) -> T::V;
        fn shifted(self, v: T::V, from: usize) -> T::V;
        fn high_down(self, v: T::V) -> T::V;
        fn low_up(self, v: T::V) -> T::V;
        fn low_of(self, v: T::V) -> u64;
    }

    #[inline(always)]
    fn product<const HALVES: i32>(self, a: T::V, b: T::V) -> T::V {
        self.tier.product::<HALVES>(a, b)
    }
}

impl<T: CarryLessWide + Enter<Copying = Copying<T>>> CarryLessWide for Copying<T> {
    type W = T::W;
    type Narrow = Self;
    type Block = Part<T::Block>;
    const LANES: usize = T::LANES;
    const BY_LANE_TO: usize = T::BY_LANE_TO;
    const LEAVES_REST: bool = T::LEAVES_REST;
    const EIGHT: bool = T::EIGHT;
    const TAILS: bool = T::TAILS;

    #[inline(always)]
    fn narrow(self) -> Self {
        self
    }

    #[inline(always)]
    fn blocks(self, data: &[u8]) -> (&[Part<T::Block>], &[u8]) {
        self.parts(self.tier.blocks(data))
    }

    #[inline(always)]
    fn tail(self, v: T::W, last: &Part<T::Block>, bytes: usize) -> [T::W; 2] {
        self.tier.tail(v, &self.store_part(last), bytes)
    }

    #[inline(always)]
    fn load_wide(self, block: &Part<T::Block>) -> T::W {
        self.tier.load_wide(&self.store_part(block))
    }

    #[inline(always)]
    fn head(self, data: &[u8], register: T::V) -> Head<T::W> {
        // No head is longer; bytes after the head are stored again later.
        if let [first, ..] = self.blocks(data).0 {
            self.store_part(first);
        }
        self.tier.head(data, register)
    }

    handed_on! {
        fn keys(self, table: &[u128; 17], first: usize) -> T::W;
        fn key(self, key: u128) -> T::W;
        fn xor_wide(self, a: T::W, b: T::W) -> T::W;
        fn fold(self, v: T::W, key: T::W, data: T::W) -> T::W;
        fn reverse(self, v: T::W) -> T::W;
        fn last_lane(self, v: T::W) -> T::W;
        fn sum_lanes(self, v: T::W) -> T::V;
    }
}

impl<T: ByteMatrix + Enter<Copying = Copying<T>>> ByteMatrix for Copying<T> {
    handed_on! {
        fn matrix(self, rows: u64) -> T::W;
        fn multiply(self, v: T::W, matrix: T::W) -> T::W;
    }
}

impl<P: Polynomial, T: CrcStep<P> + Enter<Copying = Copying<T>>> CrcStep<P> for Copying<T> {
    handed_on! {
        fn step8(self, register: u32, word: u64) -> u32;
        fn step4(self, register: u32, word: u32) -> u32;
        fn step2(self, register: u32, word: u16) -> u32;
        fn step1(self, register: u32, byte: u8) -> u32;
    }
}

/// Copies to memory of equal length that need not be initialised; to less memory, as much as fits.
pub(crate) fn copy_bytes(from: &[u8], to: &mut [MaybeUninit<u8>]) {
    let bytes = from.len().min(to.len());
    // SAFETY: both have this many bytes, and `to` does not overlap `from` because it is borrowed
    // mutably.
    unsafe { ptr::copy_nonoverlapping(from.as_ptr(), to.as_mut_ptr().cast(), bytes) }
}

/// Treats initialised bytes as ones that need not be.
///
/// Only [`copy_bytes`] and copying kernels write to them, and they write initialised bytes.
pub(crate) fn uninit(bytes: &mut [u8]) -> &mut [MaybeUninit<u8>] {
    // SAFETY: the two types have one layout, and nothing uninitialised is written (see above).
    unsafe { &mut *(ptr::from_mut(bytes) as *mut [MaybeUninit<u8>]) }
}

/// Returns the bytes of `words` in memory order.
pub(crate) fn bytes_of(words: &[u16]) -> &[u8] {
    // SAFETY: every byte of a `u16` is initialised, bytes need no alignment, and the length in
    // bytes is that of the same memory, borrowed for as long.
    unsafe { core::slice::from_raw_parts(words.as_ptr().cast(), size_of_val(words)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_parts_of_the_data_have_an_offset() {
        let memory = [0u8; 64];
        let (from, bytes) = (16, 32);
        let to = ptr::null_mut();
        let tier = Copying { tier: (), from: memory[from..].as_ptr(), bytes, to };
        for start in 0..=memory.len() {
            for length in 0..=memory.len() - start {
                let inside = from <= start && start + length <= from + bytes;
                let found = tier.offset(memory[start..].as_ptr(), length);
                assert_eq!(found, inside.then(|| start - from), "{length} bytes from {start} on");
            }
            // The end of this many bytes would be inside again.
            assert_eq!(tier.offset(memory[start..].as_ptr(), usize::MAX), None);
        }
    }
}
