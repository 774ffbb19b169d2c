//! The loops of the literature on the ISO checksum, kept for measurement.
//!
//! They are those of Sklower 1989, "two bytes at a time" and 16-bit units, and the two ideas the
//! paper left open (four bytes at a time in 64 bits, and floating point).

use super::{Bytes255, Deferred, Each, Words65535};
use crate::arch::scalar;
use crate::body::{Body, Tier};

/// Takes single bytes, sixteen to an unrolled step; the sums are folded to 16 bits every 2048 bytes
/// ("simple").
pub(super) struct Simple;

/// Adds the upper and lower 16 bits: congruent modulo 65535, and so modulo 255.
#[inline(always)]
const fn fold(sum: u32) -> u32 {
    (sum & 0xffff) + (sum >> 16)
}

impl<T: Tier> Body<T> for Simple {
    type Family = Bytes255;
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

/// Takes two bytes a, b per step as the big-endian word w = 256 a + b, because 256 = 1 modulo 255
/// (section 2; "NoMagic"):
///
/// ```text
/// S' = S + w        T' = T + S + S' + (w with its lower byte cleared)
/// ```
pub(super) struct Pairs;

/// Works as [`Pairs`], with T' = T + 2 S' - b, which one address calculation does on a VAX
/// ("Magic").
pub(super) struct PairsDouble;

/// Pairs of bytes between folds: from folded sums, 253 is the most that fits 32 unsigned bits
/// (section 2).
const PAIRS: usize = 253;
const _: () =
    assert!(largest_t(PAIRS) <= u32::MAX as u64 && largest_t(PAIRS + 1) > u32::MAX as u64);

/// Returns T after `n` pairs of FF FF, from the largest folded sums.
const fn largest_t(n: usize) -> u64 {
    let (mut s, mut t) = (0x1fffe, 0x1fffe);
    let mut i = 0;
    while i < n {
        t += 2 * s + 0xffff + 0xff00;
        s += 0xffff;
        i += 1;
    }
    t
}

macro_rules! pairs {
    ($name:ident, |$s:ident, $t:ident, $word:ident| $step:block) => {
        impl<T: Tier> Body<T> for $name {
            type Family = Bytes255;
            #[inline(always)]
            fn run(tier: T, (): &(), [a, b]: [u32; 2], data: &[u8]) -> [u32; 2] {
                let (pairs, last) = data.as_chunks::<2>();
                let (mut $s, mut $t) = (a, b);
                for block in pairs.chunks(PAIRS) {
                    for pair in block {
                        let $word = scalar(u64::from(u16::from_be_bytes(*pair))) as u32;
                        $step
                    }
                    ($s, $t) = (fold($s), fold($t));
                }
                <Each<Bytes255> as Body<T>>::run(tier, &(), [$s % 255, $t % 255], last)
            }
        }
    };
}

pairs!(Pairs, |s, t, word| {
    t += s;
    s += word;
    t += s;
    t += word & 0xff00;
});

pairs!(PairsDouble, |s, t, word| {
    s += word;
    t = t + 2 * s - (word & 0xff);
});

/// Takes four bytes a, b, c, d per step in 64 bits (the question the paper leaves open):
///
/// ```text
/// S' = S + w        T' = T + 4 S + 4 A + 3 B + 2 C + d        with A, B, C in their places of w
/// ```
pub(super) struct Quads;

impl<T: Tier> Body<T> for Quads {
    type Family = Bytes255;
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
        <Each<Bytes255> as Body<T>>::run(tier, &(), [s as u32, t as u32], last)
    }
}

/// Computes [`Pairs`] in the 53 bits of a floating-point register (the paper's other open idea).
pub(super) struct Float53;

impl<T: Tier> Body<T> for Float53 {
    type Family = Bytes255;
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
        <Each<Bytes255> as Body<T>>::run(tier, &(), [s as u32, t as u32], last)
    }
}

/// Takes 16-bit units, sixteen to an unrolled step ("F16").
///
/// `INDEXED` reads them by index from one base instead of a moving pointer ("F16-NOAI"); optimising
/// compilers generate one loop for both.
pub(super) struct Indexed<const INDEXED: bool>;

impl<const INDEXED: bool, T: Tier> Body<T> for Indexed<INDEXED> {
    type Family = Words65535;
    #[inline(always)]
    fn run(tier: T, (): &(), [mut a, mut b]: [u32; 2], data: &[u8]) -> [u32; 2] {
        /// Steps between reductions: 352 words, within the 360 that fit (see `Deferred`).
        const STEPS: usize = 22;
        const { assert!(16 * STEPS <= Deferred::<Words65535>::UNITS) };
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
        <Deferred<Words65535> as Body<T>>::run(tier, &(), [a, b], rest)
    }
}
