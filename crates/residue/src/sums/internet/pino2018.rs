//! The Internet checksum by add with carry, as the literature prints it, for measurement beside the
//! kernels of today.
//!
//! It is the listing of D. Pino Garcia, *Fast checksum computation* (2018), and the algorithm in
//! x86-64 assembly of S. K. Sahu's thesis (Texas A&M University, 2019; section 4.1.3, page 19): 32
//! bytes a pass, then 16, 8, 4, 2 and 1. Carries of the last three additions, which the listing
//! loses, are added.

use super::family::{Internet, add};
use crate::body::{Body, Edges, Tier};

/// Adds `WORDS` words of eight bytes a pass, then half as many and so on, then 4, 2 and 1 bytes.
///
/// The article's study of unrolled loops takes 1, 2, 4 and 8; 4 is the listing.
pub(super) struct AddWithCarry<const WORDS: usize>;

/// Adds words to a sum, each with the carry of the one before; the last carry is added at once.
#[inline(always)]
fn pass(mut sum: u64, words: &[[u8; 8]]) -> u64 {
    let mut carry = false;
    for word in words {
        (sum, carry) = sum.carrying_add(u64::from_le_bytes(*word), carry);
    }
    // After a carry the sum is at most 2^64 - 2, so this addition cannot carry.
    sum + u64::from(carry)
}

impl<T: Tier, const WORDS: usize> Body<T> for AddWithCarry<WORDS> {
    type Family = Internet;
    const EDGES: Edges = Edges::NONE;
    #[inline(always)]
    fn run(_: T, (): &(), mut sum: u64, data: &[u8]) -> u64 {
        const { assert!(matches!(WORDS, 1 | 2 | 4 | 8)) };
        let (words, mut bytes) = data.as_chunks::<8>();
        let (passes, mut words) = words.as_chunks::<WORDS>();
        for words in passes {
            sum = pass(sum, words);
        }
        if let (true, Some((four, rest))) = (WORDS > 4, words.split_first_chunk::<4>()) {
            sum = pass(sum, four);
            words = rest;
        }
        if let (true, Some((two, rest))) = (WORDS > 2, words.split_first_chunk::<2>()) {
            sum = pass(sum, two);
            words = rest;
        }
        if let Some(word) = words.first() {
            sum = add(sum, u64::from_le_bytes(*word));
        }
        if let Some((four, rest)) = bytes.split_first_chunk() {
            sum = add(sum, u64::from(u32::from_le_bytes(*four)));
            bytes = rest;
        }
        if let Some((two, rest)) = bytes.split_first_chunk() {
            sum = add(sum, u64::from(u16::from_le_bytes(*two)));
            bytes = rest;
        }
        if let Some(byte) = bytes.first() {
            sum = add(sum, u64::from(*byte));
        }
        sum
    }
}
