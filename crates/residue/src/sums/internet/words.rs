//! The Internet checksum by words of 16, 32 and 64 bits in general registers.

use super::family::{Internet, add, up_to_24};
use crate::arch::{scalar, word};
use crate::body::{Body, Edges, Tier};
use crate::words::short_word;

/// Sums 16-bit words in 32 bits, as on the thesis's machines.
///
/// `SCALAR` keeps the compiler from vectorising the loop, as in the thesis's -O1 build.
pub(super) struct Word16<const SCALAR: bool>;

impl<T: Tier, const SCALAR: bool> Body<T> for Word16<SCALAR> {
    type Family = Internet;
    const EDGES: Edges = Edges::at(&[2 * 65536]);
    #[inline(always)]
    fn run(_: T, (): &(), state: u64, data: &[u8]) -> u64 {
        /// 65537 words of FFFF fit a u32; one fewer makes blocks a round number of bytes.
        const BLOCK: usize = 65536;
        const { assert!(BLOCK as u64 * 0xffff <= u32::MAX as u64) };
        let (words, last) = data.as_chunks::<2>();
        let mut total = add(state, short_word(last));
        for block in words.chunks(BLOCK) {
            let mut sum = 0u32;
            for word in block {
                sum += u32::from(u16::from_le_bytes(*word));
                if SCALAR {
                    sum = scalar(u64::from(sum)) as u32;
                }
            }
            total = add(total, u64::from(sum));
        }
        total
    }
}

/// Sums 32-bit words in 64 bits.
pub(super) struct Word32<const SCALAR: bool>;

impl<T: Tier, const SCALAR: bool> Body<T> for Word32<SCALAR> {
    type Family = Internet;
    const EDGES: Edges = Edges::NONE;
    #[inline(always)]
    fn run(_: T, (): &(), state: u64, data: &[u8]) -> u64 {
        /// 2^32 words fill the sum. On 32-bit machines no slice is that long.
        const BLOCK: usize = match 1usize.checked_shl(34) {
            Some(bytes) => bytes,
            None => usize::MAX & !3,
        };
        let mut total = state;
        for block in data.chunks(BLOCK) {
            let (words, last) = block.as_chunks::<4>();
            let mut sum = 0u64;
            for word in words {
                sum += u64::from(u32::from_le_bytes(*word));
                if SCALAR {
                    sum = scalar(sum);
                }
            }
            total = add(add(total, sum), short_word(last));
        }
        total
    }
}

/// Sums 64-bit words; each carry is added back at once.
pub(super) struct Word64;

impl<T: Tier> Body<T> for Word64 {
    type Family = Internet;
    const EDGES: Edges = Edges::NONE;
    #[inline(always)]
    fn run(_: T, (): &(), state: u64, data: &[u8]) -> u64 {
        let (words, last) = data.as_chunks::<8>();
        let sum = words.iter().fold(state, |sum, bytes| add(sum, word(bytes)));
        add(sum, short_word(last))
    }
}

/// Sums by add with carry: four 64-bit words per step, the carry passed from each addition to the
/// next and into the next step.
///
/// One carry chain takes one cycle per word, and nothing else depends on it.
pub(super) struct Adc;

impl<T: Tier> Body<T> for Adc {
    type Family = Internet;
    const EDGES: Edges = Edges::NONE;
    #[inline(always)]
    fn run(_: T, (): &(), state: u64, data: &[u8]) -> u64 {
        if let Some(sum) = up_to_24(data) {
            return add(state, sum);
        }
        if data.len() <= 64 {
            return add(state, up_to_64(data));
        }
        // More than one step remains, and at most two.
        let (steps, rest) = data.split_at((data.len() - 33) / 32 * 32);
        let mut sum = state;
        for step in steps.as_chunks::<32>().0 {
            if let Some((first, last)) = step.split_last_chunk() {
                sum = chain(sum, first, u64::from_le_bytes(*last));
            }
        }
        add(sum, up_to_64(rest))
    }
}

/// Sums 32-bit words in 64 bits, four at a time, which compilers do in vectors.
pub(super) struct Fours;

impl<T: Tier> Body<T> for Fours {
    type Family = Internet;
    const EDGES: Edges = Edges::at(&[16]);
    #[inline(always)]
    fn run(tier: T, (): &(), mut state: u64, data: &[u8]) -> u64 {
        let (steps, rest) = data.as_chunks::<16>();
        // 2^30 steps of four words do not fill a sum.
        for block in steps.chunks(1 << 30) {
            let mut sum = 0;
            for step in block {
                let words = step.as_chunks().0.iter();
                sum += words.map(|word| u64::from(u32::from_le_bytes(*word))).sum::<u64>();
            }
            state = add(state, sum);
        }
        <Adc as Body<T>>::run(tier, &(), state, rest)
    }
}

/// Adds words to a sum, from the first to the last.
#[inline(always)]
fn chain(mut sum: u64, words: &[u8], last: u64) -> u64 {
    let mut carry = false;
    for bytes in words.as_chunks().0 {
        (sum, carry) = sum.carrying_add(word(bytes), carry);
    }
    (sum, carry) = sum.carrying_add(last, carry);
    // After a carry the sum is at most 2^64 - 2, so this addition cannot carry.
    sum + u64::from(carry)
}

/// Sums more than 24 bytes and at most 64 in one chain of words.
///
/// The last one to eight bytes are the end of a word that ends with them.
#[inline(always)]
fn up_to_64(data: &[u8]) -> u64 {
    #[inline(always)]
    fn words<const BEFORE: usize>(data: &[u8]) -> u64 {
        let (Some(first), Some(last)) = (data.first_chunk::<BEFORE>(), data.last_chunk()) else {
            return 0;
        };
        let last = u64::from_le_bytes(*last) >> (8 * (data.len().wrapping_neg() & 7));
        chain(0, first, last)
    }
    debug_assert!((25..=64).contains(&data.len()));
    // By a test of its own: 64 bytes are frequent, and spared the search among five lengths.
    if data.len() > 56 {
        return words::<56>(data);
    }
    match data.len() {
        0..=32 => words::<24>(data),
        33..=40 => words::<32>(data),
        41..=48 => words::<40>(data),
        _ => words::<48>(data),
    }
}
