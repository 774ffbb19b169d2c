//! Carry-less arithmetic, the operations that folding needs.
//!
//! Tiers implement them in `x86_64/clmul.rs` and `aarch64/pmull.rs`. `portable/clmul.rs` has them
//! on arrays, which says what each computes.

use crate::body::Tier;
use crate::cpu::{self, ReadAhead};
use core::iter::Zip;
use core::slice::Iter;
use core::sync::atomic::{Ordering, compiler_fence};

/// Carry-less arithmetic on 16-byte lanes, for CRCs.
///
/// A lane holds a polynomial of degree below 128: little-endian with bit i as the coefficient of
/// x^(127-i) for a reflected CRC, of x^i for a normal one (after [`CarryLessWide::reverse`]).
pub(crate) trait CarryLess: Tier {
    type V: Copy;
    fn load(self, bytes: &[u8; 16]) -> Self::V;
    fn lane_of(self, lane: u128) -> Self::V;
    /// Returns a lane that is a constant, as [`CarryLess::lane_of`] does.
    ///
    /// It is loaded at once. The compiler would load its two halves, because a product uses one.
    #[inline(always)]
    fn constant(self, lane: u128) -> Self::V {
        self.lane_of(lane)
    }
    fn xor(self, a: Self::V, b: Self::V) -> Self::V;
    /// Returns a vector whose byte i is byte `index[i]` of `v`, or zero where `index[i]` is 0x80.
    fn shuffle(self, v: Self::V, index: &[u8; 16]) -> Self::V;
    /// Moves bytes. From 0 to 15: the first ones, so many, to the end, behind zeros; from 16 to 32:
    /// those behind the first `from - 16` to the start, before zeros.
    #[inline(always)]
    fn shifted(self, v: Self::V, from: usize) -> Self::V {
        self.shuffle(v, shift_index(from))
    }
    /// Returns the 127-bit carry-less product of a half of `a` and a half of `b`.
    ///
    /// It is the high half of `a` if bit 0 of `HALVES` is set, and the high half of `b` if bit 4
    /// is.
    fn product<const HALVES: i32>(self, a: Self::V, b: Self::V) -> Self::V;
    /// Moves the high half to the low half, below zeros.
    fn high_down(self, v: Self::V) -> Self::V;
    /// Moves the low half to the high half, above zeros.
    fn low_up(self, v: Self::V) -> Self::V;
    fn low_of(self, v: Self::V) -> u64;
}

/// Carry-less arithmetic on vectors of one, two or four independent lanes.
pub(crate) trait CarryLessWide: CarryLess {
    type W: Copy;
    /// The tier of vectors with half as many lanes, or this tier if there is none.
    type Narrow: CarryLessWide<V = Self::V>;
    /// The bytes of one vector.
    type Block: Copy + 'static;
    /// Lanes in a vector.
    const LANES: usize;
    /// The length, at most 64, up to which single lanes are faster than vectors of several.
    const BY_LANE_TO: usize = 0;
    /// The length up to which the narrower tier is faster.
    const NARROW_TO: usize = 0;
    /// Whether [`CarryLessWide::head`] leaves less than a vector at the end, because a complete
    /// head would take more time than folding the rest.
    const LEAVES_REST: bool = false;
    /// Whether eight accumulators are faster than four.
    const EIGHT: bool = false;
    /// Whether the tier has [`CarryLessWide::tail`].
    const TAILS: bool = false;
    /// Returns the marker of the narrower tier.
    fn narrow(self) -> Self::Narrow;
    fn blocks(self, data: &[u8]) -> (&[Self::Block], &[u8]);
    fn load_wide(self, block: &Self::Block) -> Self::W;
    /// Returns a vector of the keys `table[first..]`.
    fn keys(self, table: &[u128; 17], first: usize) -> Self::W;
    /// Returns the key in every lane.
    fn key(self, key: u128) -> Self::W;
    fn xor_wide(self, a: Self::W, b: Self::W) -> Self::W;
    /// Returns low(v) * low(key) + high(v) * high(key) + data in every lane.
    fn fold(self, v: Self::W, key: Self::W, data: Self::W) -> Self::W;
    /// Reverses the bytes of each lane.
    fn reverse(self, v: Self::W) -> Self::W;
    /// Returns the last lane, with zeros in the other lanes.
    fn last_lane(self, v: Self::W) -> Self::W;
    /// Returns the exclusive or of all lanes.
    fn sum_lanes(self, v: Self::W) -> Self::V;
    /// Returns the start of more than 16 bytes of data, with the register added to its first bytes.
    ///
    /// A whole number of vectors follows. The bytes of the start are behind zeros.
    fn head(self, data: &[u8], register: Self::V) -> Head<Self::W>;

    /// Returns two vectors that hold `v` and the `bytes` bytes after it, fewer than a vector,
    /// behind zeros; the bytes are the end of `last`.
    ///
    /// Tiers without it return anything.
    #[inline(always)]
    fn tail(self, v: Self::W, _last: &Self::Block, _bytes: usize) -> [Self::W; 2] {
        [v, v]
    }

    /// The way in which [`CarryLessWide::prefetch`] prefetches; `None` for tiers for which no way
    /// was measured.
    const AHEAD: Option<ReadAhead> = None;

    /// Prefetches a block.
    #[inline(always)]
    fn prefetch<B: ?Sized>(self, _block: &B) {}
}

/// Returns whether loops over data of this length read ahead, because the CPU gains by the
/// prefetches of the tier, `way`.
#[inline(always)]
pub(crate) fn streamed(way: Option<ReadAhead>, bytes: usize) -> bool {
    way.is_some_and(|way| bytes >= way.least_length())
        && cpu::found_profile().is_some_and(|profile| profile.reads_ahead == way)
}

/// Splits steps into those during which a loop prefetches a later one, which is with it, and the
/// others: the last ones, as what lies behind the data may never be read, or all.
#[inline(always)]
pub(crate) fn with_ahead<B>(
    way: Option<ReadAhead>,
    steps: &[B],
) -> (Zip<Iter<'_, B>, Iter<'_, B>>, &[B]) {
    let ahead = match way {
        Some(read) if streamed(way, size_of_val(steps)) => {
            let distance = read.distance().min(size_of_val(steps) / 4);
            steps.get(distance / size_of::<B>()..).unwrap_or(&[])
        }
        _ => &[],
    };
    let (first, last) = steps.split_at(ahead.len());
    (first.iter().zip(ahead), last)
}

/// Defines the methods of [`CarryLess`] for lanes that are integers, except products.
macro_rules! integer_lanes {
    () => {
        type V = u128;

        #[inline(always)]
        fn load(self, bytes: &[u8; 16]) -> u128 {
            let (words, _) = bytes.as_chunks();
            let [low, high] = [0, 1].map(|i| $crate::arch::word(&words[i]));
            u128::from(high) << 64 | u128::from(low)
        }

        #[inline(always)]
        fn lane_of(self, lane: u128) -> u128 {
            lane
        }

        #[inline(always)]
        fn xor(self, a: u128, b: u128) -> u128 {
            a ^ b
        }

        #[inline(always)]
        fn shuffle(self, v: u128, index: &[u8; 16]) -> u128 {
            let bytes = v.to_le_bytes();
            u128::from_le_bytes(index.map(|i| if i < 16 { bytes[usize::from(i)] } else { 0 }))
        }

        #[inline(always)]
        fn shifted(self, v: u128, from: usize) -> u128 {
            let bits = 8 * from as u32;
            let moved =
                if from < 16 { v.checked_shl(128 - bits) } else { v.checked_shr(bits - 128) };
            moved.unwrap_or(0)
        }

        #[inline(always)]
        fn high_down(self, v: u128) -> u128 {
            v >> 64
        }

        #[inline(always)]
        fn low_up(self, v: u128) -> u128 {
            v << 64
        }

        #[inline(always)]
        fn low_of(self, v: u128) -> u64 {
            v as u64
        }
    };
}
pub(crate) use integer_lanes;

/// Defines the methods of [`CarryLessWide`] for vectors of one lane, except products and the order
/// of bytes.
#[allow(unused_macros)] // Some targets have no such tiers.
macro_rules! one_lane {
    () => {
        type W = Self::V;
        type Narrow = Self;
        type Block = [u8; 16];
        const LANES: usize = 1;

        #[inline(always)]
        fn narrow(self) -> Self {
            self
        }

        #[inline(always)]
        fn blocks(self, data: &[u8]) -> (&[[u8; 16]], &[u8]) {
            data.as_chunks()
        }

        #[inline(always)]
        fn load_wide(self, block: &[u8; 16]) -> Self::V {
            self.load(block)
        }

        #[inline(always)]
        fn keys(self, table: &[u128; 17], first: usize) -> Self::V {
            self.lane_of(table[first])
        }

        #[inline(always)]
        fn key(self, key: u128) -> Self::V {
            self.lane_of(key)
        }

        #[inline(always)]
        fn xor_wide(self, a: Self::V, b: Self::V) -> Self::V {
            self.xor(a, b)
        }

        #[inline(always)]
        fn last_lane(self, v: Self::V) -> Self::V {
            v
        }

        #[inline(always)]
        fn sum_lanes(self, v: Self::V) -> Self::V {
            v
        }

        #[inline(always)]
        fn head(self, data: &[u8], register: Self::V) -> $crate::arch::Head<Self::V> {
            $crate::arch::lane_head(self, data, register)
        }
    };
}
#[allow(unused_imports)]
pub(crate) use one_lane;

/// Keeps the loads before it before those behind it. A compiler that begins a step of a loop at its
/// end makes caches fetch what is before it, and halves the speed of data in memory.
#[inline(always)]
pub(crate) fn in_order() {
    compiler_fence(Ordering::SeqCst);
}

/// The length from which a profile may ask for two streams: half of the third-level cache of the
/// EPYC (family 25 model 17, 2026-11-24) on which they were measured.
pub(crate) const STREAMS_FROM: usize = 16 << 20;

/// The bytes of a stream where data are read in two.
pub(crate) const STREAM_BYTES: usize = 1 << 20;

/// Returns whether the profile asks to read data of this length in two streams, side by side.
#[inline(always)]
pub(crate) fn in_two_streams(bytes: usize) -> bool {
    bytes >= STREAMS_FROM && cpu::found_profile().is_some_and(|profile| profile.two_streams)
}

/// The length from which loops may read vectors at multiples of 64 bytes.
///
/// Measured on a Xeon (Granite Rapids) on 2026-11-23: CRC-32 takes equal times at 700 bytes, and
/// 12.3 ns instead of 13.1 at 900; CRC-32C takes 10.5 ns instead of 11.2 at 700.
pub(crate) const ALIGNED_FROM: usize = 768;

/// Returns the number of bytes to leave behind the last vector of data, so that loops read vectors
/// at multiples of 64 bytes, each in one cache line.
///
/// Zero unless the CPU gains by it and the tier has [`CarryLessWide::tail`].
#[inline(always)]
pub(crate) fn tail_bytes<T: CarryLessWide>(data: &[u8]) -> usize {
    if T::TAILS && data.len() >= ALIGNED_FROM && aligns() {
        data.as_ptr_range().end as usize % 64
    } else {
        0
    }
}

/// Returns whether the CPU gains by loops that read vectors at multiples of 64 bytes.
#[inline(always)]
pub(crate) fn aligns() -> bool {
    cpu::found_profile().is_some_and(|profile| profile.aligns)
}

/// The first vector of a message whose length is not a multiple of the vector's.
pub(crate) struct Head<W> {
    /// Zeros, then the first bytes.
    pub(crate) first: W,
    /// The part of the register to add to the next vector.
    pub(crate) spill: W,
    /// The number of bytes of data in `first`.
    pub(crate) bytes: usize,
}

/// Makes a [`Head`] of one lane.
#[inline(always)]
pub(crate) fn lane_head<T: CarryLess>(tier: T, data: &[u8], register: T::V) -> Head<T::V> {
    let bytes = data.len().wrapping_sub(1) % 16 + 1;
    let Some(first) = data.first_chunk() else {
        return Head { first: register, spill: tier.lane_of(0), bytes: 0 };
    };
    let first = tier.shifted(tier.xor(tier.load(first), register), bytes);
    let spill = tier.shifted(register, 16 + bytes);
    Head { first, spill, bytes }
}

/// Returns two lanes that hold `lane` and the `n` bytes after it, 1 to 15, behind zeros; the bytes
/// are the end of `last`.
#[inline(always)]
pub(crate) fn lane_tail<T: CarryLess>(tier: T, lane: T::V, last: &[u8; 16], n: usize) -> [T::V; 2] {
    let first = tier.shifted(lane, n);
    let tail = tier.shifted(tier.shifted(tier.load(last), 32 - n), n);
    [first, tier.xor(tier.shifted(lane, 16 + n), tail)]
}

/// Returns an index for `shuffle` from a table of 16 zeros, the 16 places in order, 16 zeros: that
/// of [`CarryLess::shifted`].
#[inline(always)]
fn shift_index(from: usize) -> &'static [u8; 16] {
    const ZERO: u8 = 0x80;
    static TABLE: [u8; 48] = {
        let mut table = [ZERO; 48];
        let mut i = 0;
        while i < 16 {
            table[16 + i] = i as u8;
            i += 1;
        }
        table
    };
    TABLE[from..].first_chunk().unwrap_or(&[ZERO; 16])
}

/// Products of short data, of which no branch depends on the length.
pub(crate) trait CarryLessMasked: CarryLess {
    /// Returns the sum of the products of eight words and `factors`, both in little-endian order:
    /// the words of 1 to 64 bytes of data, `register` added to the first ones, and zeros behind
    /// them.
    fn dot(self, data: &[u8], register: Self::V, factors: &[u8; 64]) -> Self::V;
}

/// Products of every byte with a matrix of 8 by 8 bits over GF(2).
pub(crate) trait ByteMatrix: CarryLessWide {
    /// Returns the matrix, for every byte: bit i of a product is the parity of the byte and the
    /// matrix's byte 7 - i.
    fn matrix(self, rows: u64) -> Self::W;
    fn multiply(self, v: Self::W, matrix: Self::W) -> Self::W;
}
