//! The two sums of Fletcher and Adler, computed in vectors: S, of the units, and W, of the units
//! each times its weight.
//!
//! The definition is a loop, `a += x; b += a` for each unit x, in which each addition waits for the
//! previous one.
//!
//! **Identity.** Of N units x_0, ..., x_(N-1), unit x_i enters a once, and then b as often as the
//! loop still adds a to it, N - i times. With
//!
//! ```text
//! S = sum of x_i          W = sum of (N - i) x_i
//! ```
//!
//! a start (A, B) leads to A' = A + S and B' = B + N A + W, modulo M. Additions can be done in any
//! order, so each element of a vector keeps sums of its own. Let a step be n units together. Three
//! sums are kept:
//!
//! - *plain*: all units;
//! - *weighted*: all units, each times its weight n - e by its position e in the step, a constant;
//! - *earlier*: the values of *plain* before each step. This counts every unit once for each later
//!   step.
//!
//! A unit with r steps behind its own step has the weight n r + (n - e). Hence
//!
//! ```text
//! S = plain          W = n earlier + weighted
//! ```
//!
//! If the last step is filled up with z zeros, all weights are too large by z, and W by z S.
//!
//! **By hand**, with n = 4, the units 3 1 4 1 5 9 2 6:
//!
//! ```text
//!            step 3 1 4 1        step 5 9 2 6        sum
//! plain      3 + 1 + 4 + 1       5 + 9 + 2 + 6       31
//! weighted   12 + 3 + 8 + 1      20 + 27 + 4 + 6     81
//! earlier    0                   9                    9
//! ```
//!
//! W = 4 9 + 81 = 117, which is 8 3 + 7 1 + 6 4 + 5 1 + 4 5 + 3 9 + 2 2 + 1 6.
//!
//! **Program.** Adler-32 with steps of 16 bytes. The loops over the elements do not depend on each
//! other, and a compiler makes vector instructions of them.
//!
//! ```rust
//! /// The units of a step, one in each element.
//! const N: usize = 16;
//!
//! fn adler32(data: &[u8]) -> u32 {
//!     let (mut a, mut b) = (1, 0);
//!     // In 1024 steps no element can overflow: `earlier` grows most, to 255 (0 + 1 + ... + 1023).
//!     for block in data.chunks(N * 1024) {
//!         let (mut plain, mut weighted, mut earlier) = ([0u32; N], [0u32; N], [0u32; N]);
//!         for step in block.chunks(N) {
//!             let mut units = [0; N];
//!             units[..step.len()].copy_from_slice(step);
//!             for e in 0..N {
//!                 earlier[e] += plain[e];
//!                 plain[e] += u32::from(units[e]);
//!                 weighted[e] += (N - e) as u32 * u32::from(units[e]);
//!             }
//!         }
//!         let sum = |elements: [u32; N]| elements.into_iter().map(u64::from).sum::<u64>();
//!         let zeros = block.len().next_multiple_of(N) - block.len();
//!         let s = sum(plain);
//!         let w = N as u64 * sum(earlier) + sum(weighted) - zeros as u64 * s;
//!         b = (b + block.len() as u64 * a + w) % 65521;
//!         a = (a + s) % 65521;
//!     }
//!     (b << 16 | a) as u32
//! }
//!
//! assert_eq!(adler32(b"123456789"), 0x091e_01de);
//! let data = vec![0xff; 100_000];
//! assert_eq!(adler32(&data), residue::adler32(&data));
//! ```
//!
//!
//! **In the kernels** a step is four vectors, and the sums are reduced modulo M once for each
//! block.
//!
//! - [`Weighted`] keeps the three sums and returns `plain`, and n times `earlier` plus `weighted`,
//!   as if the data were whole steps. A constant *centre* is subtracted from the weights, so that
//!   they fit signed bytes, and a bias from unsigned words. Both, and the zeros that fill up the
//!   last step, are corrected on the totals, never in the loop.
//! - Bytes use `psadbw` and `pmaddubsw`. The weights of two vectors have opposite signs, so that
//!   the pairs of both fit 16 bits together. Words use `pmaddwd`. With VNNI both use dot products;
//!   each vector has its own accumulators, as one product takes four cycles.
//! - At the end each sum is added up over all elements. In 32 bits one tree of additions serves all
//!   three; longer data, whose elements are widened to 64 bits first, take about 3 ns more
//!   (Adler-32 of 9000 bytes on Zen 4, 2026-11-24).
//! - Data of a few 64-bit words take no vectors, and data of up to eight vectors take no loop.
//!   [`Deferred`] and [`Groups`] need no vectors at all.

use crate::arch::{
    Load, STREAM_BYTES, Unit, Weighted, corrected32, in_order, in_two_streams, scalar, streamed,
    with_ahead, word,
};
use crate::body::{Body, ByLength, Edges, OutOfLine, Tier};
use crate::sums::running::Summed;
use crate::words::short_word;
use core::iter;
use core::marker::PhantomData;

/// A family of two such sums modulo M; its state is [A, B], reduced.
pub(crate) trait Modular: Summed<State = [u32; 2]> {
    type Unit: Unit;
    const MODULUS: u32 = Self::GROUP.modulus as u32;
}

/// Returns a sum modulo M.
///
/// With q the quotient and 2^w the power of two from M on, the remainder is the lower w bits of
/// sum + (2^w - M) q. They need no mask where they go to the top of a value.
#[inline(always)]
fn reduced<F: Modular>(sum: u32) -> u32 {
    let above = F::MODULUS.next_power_of_two();
    sum.wrapping_add((above - F::MODULUS) * (sum / F::MODULUS)) & (above - 1)
}

/// Returns A and B after `units` units with these S and W, no more than [`Deferred::UNITS`].
#[inline(always)]
fn next<F: Modular>([a, b]: [u32; 2], units: usize, (s, w): (u32, u32)) -> (u32, u32) {
    debug_assert!(units <= Deferred::<F>::UNITS);
    // Kept apart: the compiler would put both into a vector, to reduce them together.
    let b = reduced::<F>(b + units as u32 * a + w);
    (scalar(reduced::<F>(a + s).into()) as u32, b)
}

/// Returns the first word of data that end with a word: its units at the top, zeros below them.
///
/// The data end with a unit, or are one word. They have `least` bytes or more.
#[inline(always)]
fn first_word<U: Unit>(data: &[u8], least: usize) -> u64 {
    let n = data.len().next_multiple_of(U::BYTES);
    let first = match data.first_chunk() {
        Some(word) => u64::from_le_bytes(*word),
        None if least >= 8 => 0,
        None => short_word(data),
    };
    first << (8 * (n.wrapping_neg() & 7))
}

/// Returns S and W of more than 8 (K - 1) bytes and at most 8 K: `K` words, of which the first
/// begins with zeros, which cost nothing there. `BEHIND` is 8 (K - 1).
///
/// The data end with a unit, or are one word.
#[inline(always)]
fn words<U: Unit, const K: usize, const BEHIND: usize>(data: &[u8], least: usize) -> (u32, u32) {
    let Some(behind) = data.last_chunk::<BEHIND>() else { return (0, 0) };
    let mut words = [first_word::<U>(data, least); K];
    for (j, word) in behind.as_chunks().0.iter().enumerate() {
        words[j + 1] = u64::from_le_bytes(*word);
    }
    let (s, w) = U::of_words(words);
    // Kept apart: the compiler would put both into a vector, to shift them together.
    (scalar(s.into()) as u32, scalar(w.into()) as u32)
}

/// Returns whether data of `n` bytes are whole units, or one word.
#[inline(always)]
fn fit_words<F: Modular>(n: usize) -> bool {
    n <= 8 || n.is_multiple_of(F::Unit::BYTES)
}

/// Sums one word of bytes, of `least` bytes or more.
///
/// The compiler sees by the bounds of the sums that those of one short message are below the
/// modulus of Adler-32, and need no divisions; and so in [`two_words`].
#[inline(always)]
fn one_word<F: Modular>(state: [u32; 2], data: &[u8], least: usize) -> (u32, u32) {
    let (s, w) = words::<F::Unit, 1, 0>(data, least);
    next::<F>(state, data.len() & 15, (s & 0x7ff, w & 0x3fff))
}

/// Sums two words of bytes, more than eight bytes.
#[inline(always)]
fn two_words<F: Modular>(state: [u32; 2], data: &[u8], least: usize) -> (u32, u32) {
    let (s, w) = words::<F::Unit, 2, 8>(data, least);
    next::<F>(state, data.len() & 31, (s & 0xfff, w.min(0x8fff)))
}

/// Sums `least` to `most` bytes, at most six 64-bit words of bytes or eight of 16-bit units.
#[inline(always)]
fn few<F: Modular>(state: [u32; 2], data: &[u8], [least, most]: [usize; 2]) -> (u32, u32) {
    // By the minimum the compiler leaves out what no caller needs, and mostly a table of jumps.
    let sums = match data.len().div_ceil(8).min(most.div_ceil(8)) {
        0 | 1 if F::Unit::BYTES == 1 => return one_word::<F>(state, data, least),
        2 if F::Unit::BYTES == 1 => return two_words::<F>(state, data, least),
        0 | 1 => words::<F::Unit, 1, 0>(data, least),
        2 => words::<F::Unit, 2, 8>(data, least),
        3 => words::<F::Unit, 3, 16>(data, least),
        4 => words::<F::Unit, 4, 24>(data, least),
        5 => words::<F::Unit, 5, 32>(data, least),
        6 => words::<F::Unit, 6, 40>(data, least),
        7 if F::Unit::BYTES == 2 => words::<F::Unit, 7, 48>(data, least),
        _ if F::Unit::BYTES == 2 => words::<F::Unit, 8, 56>(data, least),
        _ => words::<F::Unit, 6, 40>(data, least),
    };
    next::<F>(state, data.len().div_ceil(F::Unit::BYTES), sums)
}

/// Sums short data: no loop, or one over single vectors.
///
/// From a few 64-bit words the sums are found sooner than from vectors, whose elements must be
/// added up. Both ways end by themselves: where they meet, the compiler would move the sums into a
/// vector.
#[inline(always)]
fn short<F: Modular, T: Weighted<F::Unit>>(tier: T, state: [u32; 2], data: &[u8]) -> (u32, u32) {
    const { assert!(T::SHORT_TO.div_ceil(F::Unit::BYTES) <= Deferred::<F>::UNITS) };
    const { assert!(!T::ONE_OR_TWO_WORDS || F::Unit::BYTES == 1) };
    let n = data.len();
    let [least, most] = T::BY_WORDS;
    // Eight and sixteen bytes each by a test of its own: together they take two jumps more.
    if F::Unit::BYTES == 1
        && let Ok(word) = <&[u8; 8]>::try_from(data)
    {
        return one_word::<F>(state, word, 8);
    }
    if T::ONE_OR_TWO_WORDS {
        if let Ok(words) = <&[u8; 16]>::try_from(data) {
            return two_words::<F>(state, words, 16);
        }
    } else if (least..=most).contains(&n) && fit_words::<F>(n) {
        return few::<F>(state, data, T::BY_WORDS);
    }
    let units = n.div_ceil(F::Unit::BYTES);
    let sums = if n <= 2 * T::BYTES {
        tier.one_or_two(data)
    } else if n <= 4 * T::BYTES {
        tier.three_or_four(data)
    } else {
        tier.several(data)
    };
    next::<F>(state, units, sums)
}

/// Sums vectors of units: short data at once, longer data by [`Long`].
pub(crate) struct Vectors<F>(PhantomData<F>);

impl<F: Modular, T: Weighted<F::Unit>> Body<T> for Vectors<F> {
    type Family = F;
    const EDGES: Edges = Edges::of(&[T::SHORT_TO], &[<Long<F> as Body<T>>::EDGES]);
    #[inline(always)]
    fn run(tier: T, (): &(), state: [u32; 2], data: &[u8]) -> [u32; 2] {
        let (a, b) = if data.len() <= T::SHORT_TO {
            short::<F, T>(tier, state, data)
        } else {
            let [a, b] = if T::TWO_STREAMS && in_two_streams(data.len()) {
                tier.outline::<InTwoStreams<F>>(&(), state, data)
            } else if const { T::AHEAD.is_some() } && streamed(T::AHEAD, data.len()) {
                tier.outline::<Long<F, true>>(&(), state, data)
            } else {
                tier.outline::<Long<F>>(&(), state, data)
            };
            (a, b)
        };
        [a, b]
    }
}

/// Runs steps of four vectors, the last one filled up with zeros; `AHEAD` says whether the data may
/// be so long that reading ahead pays, which takes more instructions.
pub(crate) struct Long<F, const AHEAD: bool = false>(PhantomData<F>);

impl<F: Modular, T: Weighted<F::Unit>, const AHEAD: bool> Body<T> for Long<F, AHEAD> {
    type Family = F;
    const EDGES: Edges = Edges::at(&[
        4 * T::BYTES,
        4 * T::BYTES * T::STEPS,
        F::Unit::BYTES * Deferred::<F>::UNITS,
        F::Unit::BYTES * T::APART_TO,
    ]);
    #[inline(always)]
    fn run(tier: T, (): &(), mut state: [u32; 2], data: &[u8]) -> [u32; 2] {
        let per_step = 4 * T::BYTES / F::Unit::BYTES;
        for block in data.chunks(T::STEPS * 4 * T::BYTES) {
            let mut sums = tier.zero();
            let (vectors, _) = tier.blocks(block);
            let (steps, _) = vectors.as_chunks::<4>();
            let (first, last) = with_ahead(if AHEAD { T::AHEAD } else { None }, steps);
            for (step, ahead) in first {
                tier.prefetch(ahead);
                sums = tier.step(sums, loaded(tier, step));
            }
            for step in last {
                sums = tier.step(sums, loaded(tier, step));
            }
            let (mut units, mut zeros) = (steps.len() * per_step, 0);
            let whole = steps.len() * 4 * T::BYTES;
            if whole < block.len() {
                (sums, zeros) = tier.last_step(sums, block, whole);
                units += per_step;
            }
            let taken = block.len().div_ceil(F::Unit::BYTES);
            if units <= Deferred::<F>::UNITS {
                let totals = tier.totals32(sums);
                let sums = corrected32::<T, F::Unit>(totals, units, zeros);
                state = next::<F>(state, taken, sums).into();
            } else {
                let totals = if units <= T::APART_TO {
                    tier.totals_apart(sums)
                } else {
                    tier.totals64(sums)
                };
                let (s, w) = corrected64::<F, T>(totals, units, zeros);
                state = joined::<F>(state, taken, (s, w));
            }
        }
        state
    }
}

/// Reads data that come from memory in two streams, side by side; the rest by [`Long`].
struct InTwoStreams<F>(PhantomData<F>);

impl<F: Modular, T: Weighted<F::Unit>> Body<T> for InTwoStreams<F> {
    type Family = F;
    const EDGES: Edges = <Long<F> as Body<T>>::EDGES;
    #[inline(always)]
    fn run(tier: T, (): &(), mut state: [u32; 2], data: &[u8]) -> [u32; 2] {
        let (pairs, rest) = data.as_chunks();
        for pair in pairs {
            state = two_streams::<F, T>(tier, state, pair);
        }
        tier.outline::<Long<F>>(&(), state, rest)
    }
}

/// Loads the vectors of a step.
#[inline(always)]
fn loaded<T: Load>(tier: T, step: &[T::Block; 4]) -> [T::V; 4] {
    let load = |block| {
        let vector = tier.load(block);
        in_order();
        vector
    };
    let [v0, v1, v2, v3] = step;
    [load(v0), load(v1), load(v2), load(v3)]
}

/// Returns S and W from the totals of `units` units, of which the last `zeros` are not of the data.
#[inline(always)]
fn corrected64<F: Modular, T: Weighted<F::Unit>>(
    [plain, weighted]: [i64; 2],
    units: usize,
    zeros: usize,
) -> (u64, u64) {
    let (n, bias) = (units as i64, T::BIAS);
    let s = plain + bias * n;
    let w = weighted + i64::from(T::CENTRE) * plain + bias * (n * (n + 1) / 2);
    (s as u64, (w - zeros as i64 * s) as u64)
}

/// Returns A and B after `units` more units with these S and W; A and B summed from zero serve as
/// well.
#[inline(always)]
pub(super) fn joined<F: Modular>([a, b]: [u32; 2], units: usize, (s, w): (u64, u64)) -> [u32; 2] {
    let (m, a, b) = (u64::from(F::MODULUS), u64::from(a), u64::from(b));
    [((a + s) % m) as u32, ((b + units as u64 * a + w) % m) as u32]
}

/// Sums two streams side by side, the second from zero.
#[inline(always)]
fn two_streams<F: Modular, T: Weighted<F::Unit>>(
    tier: T,
    mut state: [u32; 2],
    pair: &[u8; 2 * STREAM_BYTES],
) -> [u32; 2] {
    let block = T::STEPS * 4 * T::BYTES;
    let units = block / F::Unit::BYTES;
    const { assert!(!T::TWO_STREAMS || STREAM_BYTES.is_multiple_of(T::STEPS * 4 * T::BYTES)) };
    let (first, second) = pair.split_at(STREAM_BYTES);
    let mut after = [0; 2];
    for (first, second) in first.chunks_exact(block).zip(second.chunks_exact(block)) {
        let mut sums = [tier.zero(); 2];
        let steps = |block| tier.blocks(block).0.as_chunks::<4>().0;
        for (one, two) in steps(first).iter().zip(steps(second)) {
            sums[0] = tier.step(sums[0], loaded(tier, one));
            sums[1] = tier.step(sums[1], loaded(tier, two));
        }
        let [one, two] = [tier.totals64(sums[0]), tier.totals64(sums[1])];
        state = joined::<F>(state, units, corrected64::<F, T>(one, units, 0));
        after = joined::<F>(after, units, corrected64::<F, T>(two, units, 0));
    }
    joined::<F>(state, STREAM_BYTES / F::Unit::BYTES, (after[0].into(), after[1].into()))
}

/// Passes each unit of `data` to `take`; an odd last byte is the lower byte of a word.
#[inline(always)]
pub(crate) fn each_unit<U: Unit>(data: &[u8], mut take: impl FnMut(u32)) {
    if U::BYTES == 1 {
        data.iter().for_each(|&byte| take(u32::from(byte)));
    } else {
        let (words, last) = data.as_chunks::<2>();
        words.iter().for_each(|word| take(u32::from(u16::from_le_bytes(*word))));
        last.iter().for_each(|&byte| take(u32::from(byte)));
    }
}

/// Sums one unit at a time in 32 bits, reduced as seldom as those allow (Nakassis 1988).
pub(crate) struct Deferred<F>(PhantomData<F>);

impl<F: Modular> Deferred<F> {
    /// Returns B after n units of the largest value, from the largest reduced start.
    const fn largest(n: u64) -> u64 {
        (F::MODULUS as u64 - 1) * (n + 1) + F::Unit::MAX * (n * (n + 1) / 2)
    }

    /// The most units that leave B within 32 bits: 5552 bytes modulo 65521, 5802 modulo 255, 360
    /// words modulo 65535.
    pub(crate) const UNITS: usize = {
        // Bit by bit from the highest: the bound grows with n.
        let (mut n, mut bit) = (0, 1 << 16);
        while bit > 0 {
            if Self::largest(n + bit) <= u32::MAX as u64 {
                n += bit;
            }
            bit >>= 1;
        }
        n as usize
    };
}

impl<F: Modular, T: Tier> Body<T> for Deferred<F> {
    type Family = F;
    const EDGES: Edges = Edges::at(&[Self::UNITS * F::Unit::BYTES]);
    #[inline(always)]
    fn run(_: T, (): &(), [mut a, mut b]: [u32; 2], data: &[u8]) -> [u32; 2] {
        for block in data.chunks(Self::UNITS * F::Unit::BYTES) {
            each_unit::<F::Unit>(block, |unit| {
                a += unit;
                b += a;
            });
            a %= F::MODULUS;
            b %= F::MODULUS;
        }
        [a, b]
    }
}

/// Sums a few words at once, and data of `FROM` bytes and more in groups of words.
pub(crate) type Fields<F, const FROM: usize> = ByLength<Few<F>, OutOfLine<Groups<F>>, FROM>;

/// Sums as many words as [`few`] takes.
pub(crate) struct Few<F>(PhantomData<F>);

impl<F: Modular, T: Tier> Body<T> for Few<F> {
    type Family = F;
    const EDGES: Edges = Edges::at(&[8, 16, 24, 32, 40, 48, 56]);
    #[inline(always)]
    fn run(tier: T, (): &(), state: [u32; 2], data: &[u8]) -> [u32; 2] {
        if fit_words::<F>(data.len()) {
            few::<F>(state, data, [0, 64]).into()
        } else {
            <Deferred<F> as Body<T>>::run(tier, &(), state, data)
        }
    }
}

/// The bytes of a group.
const GROUP: usize = 128;

/// Sums groups of sixteen 64-bit words, then the rest, likewise.
///
/// The units are added in fields of twice their width, as by [`Unit::of_words`], which do not
/// overflow.
pub(crate) struct Groups<F>(PhantomData<F>);

impl<F: Modular> Groups<F> {
    /// Groups after which the sums are reduced: B stays far below 2^64.
    const BLOCK: usize = 1 << 13;
    const UNITS: u64 = 8 / F::Unit::BYTES as u64;

    /// Returns A and B, not reduced, after `bytes` more bytes, of up to sixteen words.
    #[inline(always)]
    fn after([a, b]: [u64; 2], bytes: usize, words: impl Iterator<Item = u64>) -> [u64; 2] {
        const { assert!(2 * F::Unit::MAX * (16 * 15 / 2) < 1 << (16 * F::Unit::BYTES)) };
        // The sums of whole words and of their odd units give those of the even units; the former
        // overflow, the latter do not.
        let (mut whole, mut odd, mut before, mut odd_before) = (0u64, 0, 0u64, 0);
        for word in words {
            before = before.wrapping_add(whole);
            odd_before += odd;
            whole = whole.wrapping_add(word);
            odd += word >> (8 * F::Unit::BYTES) & F::Unit::EVEN;
        }
        let both = |whole: u64, odd: u64| whole.wrapping_sub(F::Unit::MAX.wrapping_mul(odd));
        let (both, before) = (both(whole, odd), both(before, odd_before));
        let sum = |fields| Self::dot(fields, 1, 0);
        let s = sum(both);
        let w = Self::dot(both, Self::UNITS, 2) - sum(odd) + Self::UNITS * sum(before);
        [a + s, b + bytes.div_ceil(F::Unit::BYTES) as u64 * a + w]
    }

    /// Returns the sum of fields with weights: the first, and each less than the one before.
    #[inline(always)]
    fn dot(fields: u64, first: u64, less: u64) -> u64 {
        // The top half of a product is a dot product of two fields, the second factor's in reverse.
        let two = |fields: u64, first, second| fields.wrapping_mul(first << 32 | second) >> 32;
        if F::Unit::BYTES == 1 {
            let [low, high] = [fields, fields >> 16].map(|fields| fields & 0xffff_0000_ffff);
            two(low, first, first - 2 * less) + two(high, first - less, first - 3 * less)
        } else {
            two(fields, first, first - less)
        }
    }
}

impl<F: Modular, T: Tier> Body<T> for Groups<F> {
    type Family = F;
    const EDGES: Edges =
        Edges::of(&[GROUP, GROUP * Self::BLOCK], &[<Deferred<F> as Body<T>>::EDGES]);
    #[inline(always)]
    fn run(tier: T, (): &(), state: [u32; 2], data: &[u8]) -> [u32; 2] {
        let (groups, rest) = data.as_chunks::<GROUP>();
        let m = u64::from(F::MODULUS);
        let mut sums = state.map(u64::from);
        for block in groups.chunks(Self::BLOCK) {
            for group in block {
                sums = Self::after(sums, GROUP, group.as_chunks().0.iter().map(word));
            }
            if block.len() == Self::BLOCK {
                sums = sums.map(|sum| sum % m);
            }
        }
        if !rest.is_empty() && fit_words::<F>(rest.len()) {
            let behind = &rest[rest.len() - rest.len().saturating_sub(1) / 8 * 8..];
            let first = iter::once(first_word::<F::Unit>(rest, 0));
            let words = first.chain(behind.as_chunks().0.iter().map(word));
            return Self::after(sums, rest.len(), words).map(|sum| (sum % m) as u32);
        }
        <Deferred<F> as Body<T>>::run(tier, &(), sums.map(|sum| (sum % m) as u32), rest)
    }
}
