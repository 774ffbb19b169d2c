//! The two sums of Fletcher and Adler, computed in vectors: S, of the units, and W, of the units
//! each times its weight.
//!
//! `docs/kernels.md`, *Weighted sums*, derives the method, with a small example and a scalar
//! program. This module adds:
//!
//! - A step is four vectors. [`Weighted`] keeps the three sums and returns `plain`, and n times
//!   `earlier` plus `weighted`, as if the data were whole steps.
//! - Both come without the centre of the weights and the bias of signed words, and with the zeros
//!   that fill up the last step. All three are corrected on the totals, never in the loop.
//! - Data of up to eight vectors take no loop. [`Deferred`] and [`Groups`] need no vectors.

use crate::arch::{Tier, Unit, Weighted};
use crate::kernel::{Body, ByLength, Family};
use crate::words::short_word;
use core::marker::PhantomData;

/// A family of two such sums modulo M; its state is [A, B], reduced.
pub(crate) trait Modular: Family<With = (), State = [u32; 2]> {
    type Unit: Unit;
    const MODULUS: u32;
}

/// Corrects S and W modulo 2^32 to their true values.
///
/// It adds back the bias of each of `units` units and the centre, and subtracts the effect of the
/// `zeros` units that fill up the last step.
#[inline(always)]
fn corrected32<T: Weighted<U>, U: Unit>(
    [plain, weighted]: [u32; 2],
    units: usize,
    zeros: usize,
) -> [u32; 2] {
    let weights = units * (units + 1) / 2;
    let s = plain.wrapping_add((T::BIAS as usize * units) as u32);
    // One factor of the product with the plain sum does not depend on the vectors.
    let more = (T::CENTRE as u32).wrapping_sub(zeros as u32);
    let bias = (T::BIAS as usize).wrapping_mul(weights.wrapping_sub(zeros * units)) as u32;
    [s, weighted.wrapping_add(more.wrapping_mul(plain)).wrapping_add(bias)]
}

/// Returns the most units whose W is sure to fit 32 bits: 5803 bytes, 361 words.
const fn narrow<U: Unit>() -> usize {
    let mut n = 0;
    while U::MAX * ((n + 1) * (n + 2) / 2) <= u32::MAX as u64 {
        n += 1;
    }
    n as usize
}

/// Returns S and W of the first `bytes` bytes of a little-endian word whose other bytes are zero.
#[inline(always)]
fn of_word<U: Unit>(word: u64, bytes: usize) -> [u32; 2] {
    let [s, w] = U::of_word(word);
    let zeros = 8 / U::BYTES - bytes.div_ceil(U::BYTES);
    [s, w - zeros as u32 * s]
}

/// Sums the units of at most two steps: no loop, and the only branch is on the number of vectors.
#[inline(always)]
fn short<F: Modular, T: Weighted<F::Unit>>(tier: T, [a, b]: [u32; 2], data: &[u8]) -> [u32; 2] {
    let n = data.len();
    let all = n.div_ceil(F::Unit::BYTES) as u32;
    if !T::MASKS && n <= 8 {
        let word = data.first_chunk().map_or_else(|| short_word(data), |w| u64::from_le_bytes(*w));
        let [s, w] = of_word::<F::Unit>(word, n);
        return [(a + s) % F::MODULUS, (b + all * a + w) % F::MODULUS];
    }
    let per_vector = T::BYTES / F::Unit::BYTES;
    let few = |vectors: usize| (vectors * per_vector, vectors * per_vector - all as usize);
    let (totals, (places, zeros)) = if n <= T::BYTES {
        (tier.few([tier.load_low(data, 0)]), few(1))
    } else if n <= 2 * T::BYTES {
        (tier.few([tier.load_whole(data, 0), tier.load_low(data, T::BYTES)]), few(2))
    } else if n <= 4 * T::BYTES {
        (tier.few(tier.load_3_or_4(data)), few(4))
    } else {
        let sums = tier.step(tier.zero(), tier.load_four(data));
        let (sums, zeros) = tier.last_step(sums, data, 4 * T::BYTES);
        (tier.totals32(sums), (8 * per_vector, zeros))
    };
    let [s, w] = corrected32::<T, F::Unit>(totals, places, zeros);
    const {
        // The largest B before its reduction.
        let n = 8 * T::BYTES as u64 / F::Unit::BYTES as u64;
        let b = (F::MODULUS as u64 - 1) * (n + 1) + F::Unit::MAX * (n * (n + 1) / 2);
        assert!(b <= u32::MAX as u64);
    };
    [(a + s) % F::MODULUS, (b + all * a + w) % F::MODULUS]
}

/// Sums vectors of units: short data at once, longer data by [`Long`].
pub(crate) struct Vectors<F>(PhantomData<F>);

impl<F: Modular, T: Weighted<F::Unit>> Body<T> for Vectors<F> {
    type Family = F;
    #[inline(always)]
    fn run(tier: T, (): &(), state: [u32; 2], data: &[u8]) -> [u32; 2] {
        if data.len() <= T::STRAIGHT_TO {
            short::<F, T>(tier, state, data)
        } else {
            tier.outline::<Long<F>>(&(), state, data)
        }
    }
}

/// Runs steps of four vectors, the last one filled up with zeros.
struct Long<F>(PhantomData<F>);

impl<F: Modular, T: Weighted<F::Unit>> Body<T> for Long<F> {
    type Family = F;
    #[inline(always)]
    fn run(tier: T, (): &(), [a, b]: [u32; 2], data: &[u8]) -> [u32; 2] {
        let m = u64::from(F::MODULUS);
        let (mut a, mut b) = (u64::from(a), u64::from(b));
        let per_step = 4 * T::BYTES / F::Unit::BYTES;
        for block in data.chunks(T::STEPS * 4 * T::BYTES) {
            let mut sums = tier.zero();
            let (vectors, _) = tier.blocks(block);
            let (steps, _) = vectors.as_chunks::<4>();
            for step in steps {
                let [v0, v1, v2, v3] = step;
                sums =
                    tier.step(sums, [tier.load(v0), tier.load(v1), tier.load(v2), tier.load(v3)]);
            }
            let (mut units, mut zeros) = (steps.len() * per_step, 0);
            let whole = steps.len() * 4 * T::BYTES;
            if whole < block.len() {
                (sums, zeros) = tier.last_step(sums, block, whole);
                units += per_step;
            }
            let taken = block.len().div_ceil(F::Unit::BYTES);
            let [s, w] = if units <= const { narrow::<F::Unit>() } {
                let totals = tier.totals32(sums);
                corrected32::<T, F::Unit>(totals, units, zeros).map(u64::from)
            } else {
                let [plain, weighted] = tier.totals64(sums);
                let (n, bias) = (units as i64, T::BIAS);
                let s = plain + bias * n;
                let w = weighted + i64::from(T::CENTRE) * plain + bias * (n * (n + 1) / 2);
                [s as u64, (w - zeros as i64 * s) as u64]
            };
            b = (b + taken as u64 * a + w) % m;
            a = (a + s) % m;
        }
        [a as u32, b as u32]
    }
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
        let mut n = 0;
        while Self::largest(n + 1) <= u32::MAX as u64 {
            n += 1;
        }
        n as usize
    };
}

impl<F: Modular, T: Tier> Body<T> for Deferred<F> {
    type Family = F;
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

/// Sums short data unit by unit, then groups of words.
pub(crate) type Fields<F> = ByLength<Deferred<F>, Groups<F>, GROUP>;

/// The bytes of a group.
const GROUP: usize = 128;

/// Sums groups of sixteen 64-bit words, then the rest unit by unit.
///
/// The units are added in fields of twice their width: those at even and at odd places, and the
/// values of these sums before each word. No field overflows.
pub(crate) struct Groups<F>(PhantomData<F>);

impl<F: Modular> Groups<F> {
    /// Groups after which the sums are reduced: B stays far below 2^64.
    const BLOCK: usize = 1 << 13;
    const UNITS: usize = 8 / F::Unit::BYTES;
    const FIELD: usize = 16 * F::Unit::BYTES;
    const MASK: u64 = (1 << Self::FIELD) - 1;
    /// The units at even places in a word.
    const EVEN: u64 = u64::MAX / Self::MASK * F::Unit::MAX;

    /// Returns S and W of a group.
    #[inline(always)]
    fn group(bytes: &[u8; GROUP]) -> [u64; 2] {
        const { assert!(F::Unit::MAX * (16 * 15 / 2) <= Self::MASK) };
        let (mut even, mut odd, mut even_before, mut odd_before) = (0u64, 0u64, 0u64, 0u64);
        for word in bytes.as_chunks().0 {
            even_before += even;
            odd_before += odd;
            let word = u64::from_le_bytes(*word);
            even += word & Self::EVEN;
            odd += word >> (Self::FIELD / 2) & Self::EVEN;
        }
        let [mut s, mut w] = [0; 2];
        for i in 0..Self::UNITS / 2 {
            let field = |fields: u64| fields >> (Self::FIELD * i) & Self::MASK;
            let weight = (Self::UNITS - 2 * i) as u64;
            s += field(even) + field(odd);
            w += weight * field(even) + (weight - 1) * field(odd);
            w += Self::UNITS as u64 * (field(even_before) + field(odd_before));
        }
        [s, w]
    }
}

impl<F: Modular, T: Tier> Body<T> for Groups<F> {
    type Family = F;
    #[inline(always)]
    fn run(tier: T, (): &(), [a, b]: [u32; 2], data: &[u8]) -> [u32; 2] {
        let (groups, rest) = data.as_chunks::<GROUP>();
        let m = u64::from(F::MODULUS);
        let (mut a, mut b) = (u64::from(a), u64::from(b));
        for block in groups.chunks(Self::BLOCK) {
            for group in block {
                let [s, w] = Self::group(group);
                b += (GROUP / F::Unit::BYTES) as u64 * a + w;
                a += s;
            }
            (a, b) = (a % m, b % m);
        }
        <Deferred<F> as Body<T>>::run(tier, &(), [a as u32, b as u32], rest)
    }
}
