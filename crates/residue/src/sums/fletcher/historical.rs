//! The loops of the literature on the ISO checksum, kept for measurement.
//!
//! They are those of Sklower 1989, "two bytes at a time" and 16-bit units, and the two ideas the
//! paper left open (four bytes at a time in 64 bits, and floating point).

use super::family::{Mod255, Mod65535};
use crate::arch::scalar;
use crate::body::{Body, Edges, Tier};
use crate::sums::weighted::{Deferred, Modular, each_unit};
use core::marker::PhantomData;

/// Takes one unit at a time, both sums reduced by a division.
///
/// For bytes, this is the loop of RFC 1008 ("Ediv" in Sklower's paper).
pub(super) struct Each<V>(PhantomData<V>);

impl<V: Modular, T: Tier> Body<T> for Each<V> {
    type Family = V;
    const EDGES: Edges = Edges::NONE;
    #[inline(always)]
    fn run(_: T, (): &(), [mut a, mut b]: [u32; 2], data: &[u8]) -> [u32; 2] {
        each_unit::<V::Unit>(data, |unit| {
            a = (a + unit) % V::MODULUS;
            b = (b + a) % V::MODULUS;
        });
        [a, b]
    }
}

/// Takes single bytes, sixteen to an unrolled step; the sums are folded to 16 bits every 2048 bytes
/// ("simple").
pub(super) struct Simple;

/// Adds the upper and lower 16 bits: congruent modulo 65535, and so modulo 255.
#[inline(always)]
const fn fold(sum: u32) -> u32 {
    (sum & 0xffff) + (sum >> 16)
}

impl<T: Tier> Body<T> for Simple {
    type Family = Mod255;
    const EDGES: Edges = Edges::at(&[2048]);
    #[inline(always)]
    fn run(_: T, (): &(), [mut a, mut b]: [u32; 2], data: &[u8]) -> [u32; 2] {
        /// A folded sum is below 2^17.
        const BLOCK: usize = 2048;
        const {
            let n = BLOCK as u64;
            assert!((1 << 17) * (n + 1) + 255 * n * (n + 1) / 2 <= u32::MAX as u64);
        }
        for block in data.chunks(BLOCK) {
            let (steps, rest) = block.as_chunks::<16>();
            for step in steps {
                for &byte in step {
                    a = scalar(u64::from(a + u32::from(byte))) as u32;
                    b += a;
                }
            }
            for &byte in rest {
                a += u32::from(byte);
                b += a;
            }
            (a, b) = (fold(a), fold(b));
        }
        [a % 255, b % 255]
    }
}

/// The first byte of a pair, in a word in the machine's byte order.
const FIRST: u32 = if cfg!(target_endian = "little") { 0xff } else { 0xff00 };
/// The second byte of a pair.
const SECOND: u32 = 0xffff ^ FIRST;

/// The appendix of Sklower's paper, for a segment in one piece.
///
/// A word w of two bytes in the machine's own order counts as their sum, because 256 = 1 modulo
/// 255. Sixteen steps make a pass, and the sums are folded after every fourth pass. The steps are
///
/// ```text
/// S' = S + w        T' = T + S + S' + (the first byte in its place)       "NoMagic"
/// S' = S + w        T' = T + 2 S' - (the second byte in its place)        "Magic"
/// ```
///
/// of which the second takes one address calculation on a VAX (`DOUBLE`). With `COUNTED` the sums
/// are folded after every sixth pass, which a counter shows; the paper found that 2 % slower.
pub(super) struct Pairs<const DOUBLE: bool, const COUNTED: bool = false>;

impl<T: Tier, const DOUBLE: bool, const COUNTED: bool> Body<T> for Pairs<DOUBLE, COUNTED> {
    type Family = Mod255;
    const EDGES: Edges = Edges::at(&[128]);
    #[inline(always)]
    fn run(_: T, (): &(), [mut sum, mut alt]: [u32; 2], mut data: &[u8]) -> [u32; 2] {
        const {
            // Folded sums, at most six passes after them, and a rest of five passes and 15 pairs.
            let (mut s, mut t, mut i) = (0x1fffe_u64, 0x1fffe_u64, 0);
            while i < 16 * 6 + 16 * 5 + 15 {
                (s, t) = (s + 0xffff, t + 2 * s + 0xffff + 0xff00);
                i += 1;
            }
            assert!(t <= u32::MAX as u64);
        }
        if let (1, Some((byte, rest))) = (data.as_ptr().addr() % 2, data.split_first()) {
            sum += u32::from(*byte);
            alt += sum;
            data = rest;
        }
        let step = |sum: &mut u32, alt: &mut u32, pair: &[u8; 2]| {
            let word = scalar(u64::from(u16::from_ne_bytes(*pair))) as u32;
            if DOUBLE {
                *sum += word;
                *alt = *alt + 2 * *sum - (word & SECOND);
            } else {
                *alt += *sum;
                *sum += word;
                *alt += *sum;
                *alt += word & FIRST;
            }
        };
        let (passes, rest) = data.as_chunks::<32>();
        let (mut left, mut count) = (data.len(), 6);
        for pass in passes {
            for pair in pass.as_chunks::<2>().0 {
                step(&mut sum, &mut alt, pair);
            }
            left -= 32;
            count -= 1;
            if if COUNTED { count == 0 } else { left & 96 == 0 } {
                count = 6;
                (alt, sum) = (fold(alt), fold(sum));
            }
        }
        let (pairs, last) = rest.as_chunks::<2>();
        for pair in pairs {
            step(&mut sum, &mut alt, pair);
        }
        if let Some(byte) = last.first() {
            sum += u32::from(*byte);
            alt += sum;
        }
        [sum % 255, alt % 255]
    }
}

/// Takes four bytes a, b, c, d per step in 64 bits (the question the paper leaves open):
///
/// ```text
/// S' = S + w        T' = T + 4 S + 4 A + 3 B + 2 C + d        with A, B, C in their places of w
/// ```
pub(super) struct Quads;

impl<T: Tier> Body<T> for Quads {
    type Family = Mod255;
    const EDGES: Edges = Edges::at(&[4 << 14]);
    #[inline(always)]
    fn run(tier: T, (): &(), [a, b]: [u32; 2], data: &[u8]) -> [u32; 2] {
        /// From reduced sums, T stays below 4 (255 n + 2^32 n^2 / 2) + 4 2^32 n.
        const BLOCK: usize = 1 << 14;
        const {
            let n = BLOCK as u128;
            assert!(255 + 4 * (255 * n + ((n * n) << 31) + (n << 32)) <= u64::MAX as u128);
        }
        let (quads, last) = data.as_chunks::<4>();
        let (mut s, mut t) = (u64::from(a), u64::from(b));
        for block in quads.chunks(BLOCK) {
            for quad in block {
                let word = u64::from(u32::from_be_bytes(*quad));
                t += 4 * s
                    + 4 * (word & 0xff00_0000)
                    + 3 * (word & 0x00ff_0000)
                    + 2 * (word & 0x0000_ff00)
                    + (word & 0x0000_00ff);
                s += word;
            }
            (s, t) = (s % 255, t % 255);
        }
        <Each<Mod255> as Body<T>>::run(tier, &(), [s as u32, t as u32], last)
    }
}

/// Computes the pairs of [`Pairs`] as big-endian words in the 53 bits of a floating-point register
/// (the paper's other open idea).
pub(super) struct Float53;

impl<T: Tier> Body<T> for Float53 {
    type Family = Mod255;
    const EDGES: Edges = Edges::at(&[2 << 17]);
    #[inline(always)]
    fn run(tier: T, (): &(), [a, b]: [u32; 2], data: &[u8]) -> [u32; 2] {
        /// All sums are integers below 2^53, which f64 holds exactly.
        const BLOCK: usize = 1 << 17;
        const {
            let n = BLOCK as u64;
            assert!(255 + 2 * 255 * n + 65535 * n * (n + 1) < 1 << 53);
        }
        let (pairs, last) = data.as_chunks::<2>();
        let (mut s, mut t) = (f64::from(a), f64::from(b));
        for block in pairs.chunks(BLOCK) {
            for pair in block {
                let word = u16::from_be_bytes(*pair);
                let before = s;
                s += f64::from(word);
                t += before + s + f64::from(word & 0xff00);
            }
            (s, t) = ((s as u64 % 255) as f64, (t as u64 % 255) as f64);
        }
        <Each<Mod255> as Body<T>>::run(tier, &(), [s as u32, t as u32], last)
    }
}

/// Takes 16-bit units, sixteen to an unrolled step ("F16").
///
/// `INDEXED` reads them by index from one base instead of a moving pointer ("F16-NOAI"); optimising
/// compilers generate one loop for both.
pub(super) struct Indexed<const INDEXED: bool>;

impl<const INDEXED: bool, T: Tier> Body<T> for Indexed<INDEXED> {
    type Family = Mod65535;
    const EDGES: Edges = Edges::at(&[32 * 22]);
    #[inline(always)]
    fn run(tier: T, (): &(), [mut a, mut b]: [u32; 2], data: &[u8]) -> [u32; 2] {
        /// Steps between reductions: 352 words, within the 360 that fit (see `Deferred`).
        const STEPS: usize = 22;
        const { assert!(16 * STEPS <= Deferred::<Mod65535>::UNITS) };
        let (steps, rest) = data.as_chunks::<32>();
        for block in steps.chunks(STEPS) {
            for step in block {
                let (words, _) = step.as_chunks::<2>();
                if INDEXED {
                    #[allow(clippy::needless_range_loop)] // The index is the point.
                    for i in 0..16 {
                        a = scalar(u64::from(a + u32::from(u16::from_le_bytes(words[i])))) as u32;
                        b += a;
                    }
                } else {
                    for word in words {
                        a = scalar(u64::from(a + u32::from(u16::from_le_bytes(*word)))) as u32;
                        b += a;
                    }
                }
            }
            a %= 65535;
            b %= 65535;
        }
        <Deferred<Mod65535> as Body<T>>::run(tier, &(), [a, b], rest)
    }
}
