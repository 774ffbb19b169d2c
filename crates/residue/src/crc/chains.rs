//! Byte-wise tables in eight chains, for CRCs of up to 64 bits on CPUs without carry-less products.
//!
//! Byte by byte, each look-up waits some seven cycles for the previous one, on a unit that could
//! start two or three per cycle. Here eight adjacent segments have a register each. The identity of
//! `steps/fused.rs` joins them in three rounds, each of which multiplies all pairs modulo P.
//! Slicing by 8 reaches this speed with tables of eight times the size.

use super::constants::{Constants, Embedded};
use super::gf2;
use crate::body::{Body, ByLength, Edges, OutOfLine, Tier};
use core::array::from_fn;

/// Runs eight chains while there are bytes for them, then one, and for short data only one.
pub(crate) type EightChains = ByLength<OneChain, OutOfLine<Chains>, SHORTEST>;

/// Runs one chain.
pub(crate) struct OneChain;

impl<T: Tier> Body<T> for OneChain {
    type Family = Embedded;
    const EDGES: Edges = Edges::NONE;
    #[inline(always)]
    fn run(_: T, context: &Constants, state: u64, data: &[u8]) -> u64 {
        if context.reflected {
            bytewise::<true>(context, state, data)
        } else {
            bytewise::<false>(context, state, data)
        }
    }
}

/// Runs eight chains while there are bytes for them, then one.
pub(crate) struct Chains;

impl<T: Tier> Body<T> for Chains {
    type Family = Embedded;
    const EDGES: Edges = Edges::at(&[SHORTEST, 1024, 8192]);
    #[inline(always)]
    fn run(_: T, context: &Constants, state: u64, data: &[u8]) -> u64 {
        if context.reflected {
            run::<true>(context, state, data)
        } else {
            run::<false>(context, state, data)
        }
    }
}

/// The bytes of the shortest block.
const SHORTEST: usize = 256;

/// Runs blocks of three lengths.
///
/// In nanoseconds, compared with byte by byte: 424 and 609 at 256 bytes, 855 and 2510 at 1024
/// (`residue bench -a crc-64/xz -k eight_chains,bytewise --mode throughput --sizes 256,1024`, on a
/// Zen 3 core on 2026-11-22).
#[inline(always)]
fn run<const REFLECTED: bool>(context: &Constants, state: u64, data: &[u8]) -> u64 {
    let (state, data) = blocks::<REFLECTED, 8192>(context, state, data);
    let (state, data) = blocks::<REFLECTED, 1024>(context, state, data);
    let (state, data) = blocks::<REFLECTED, SHORTEST>(context, state, data);
    bytewise::<REFLECTED>(context, state, data)
}

#[inline(always)]
fn bytewise<const REFLECTED: bool>(context: &Constants, state: u64, data: &[u8]) -> u64 {
    data.iter().fold(state, |state, &byte| step::<REFLECTED>(context, state, byte))
}

/// Returns the register after all whole blocks, of a power of two of bytes, and the rest of the
/// data.
#[inline(always)]
fn blocks<'a, const REFLECTED: bool, const BLOCK: usize>(
    context: &Constants,
    mut state: u64,
    data: &'a [u8],
) -> (u64, &'a [u8]) {
    let segment = const {
        assert!(BLOCK.is_power_of_two());
        BLOCK / 8
    };
    let (blocks, rest) = data.as_chunks::<BLOCK>();
    for block in blocks {
        let mut registers = [state, 0, 0, 0, 0, 0, 0, 0];
        for place in 0..segment {
            for (i, register) in registers.iter_mut().enumerate() {
                *register = step::<REFLECTED>(context, *register, block[i * segment + place]);
            }
        }
        state = joined::<REFLECTED>(context, segment.ilog2(), registers);
    }
    (state, rest)
}

/// Joins eight adjacent registers, each of `1 << k` bytes.
///
/// It is much code, which the blocks of all lengths share.
#[inline(never)]
fn joined<const REFLECTED: bool>(context: &Constants, k: u32, registers: [u64; 8]) -> u64 {
    let [a, b, c, d, e, f, g, h] = registers;
    let [a, b, c, d] = join::<REFLECTED, 4>(context, k, [a, c, e, g], [b, d, f, h]);
    let [a, b] = join::<REFLECTED, 2>(context, k + 1, [a, c], [b, d]);
    let [a] = join::<REFLECTED, 1>(context, k + 2, [a], [b]);
    a
}

/// Returns the register after a byte.
#[inline(always)]
fn step<const REFLECTED: bool>(context: &Constants, register: u64, byte: u8) -> u64 {
    if REFLECTED {
        (register >> 8) ^ context.bytes[usize::from(register as u8 ^ byte)]
    } else {
        (register << 8) ^ context.bytes[usize::from((register >> 56) as u8 ^ byte)]
    }
}

/// Joins pairs of neighbouring registers, the second of which have `1 << k` bytes.
///
/// It multiplies the first of each pair by x^(8 2^k) by Horner's rule, one byte at a time:
/// [`gf2::mul`] goes bit by bit, and each bit waits for the one before.
#[inline(always)]
fn join<const REFLECTED: bool, const PAIRS: usize>(
    context: &Constants,
    k: u32,
    first: [u64; PAIRS],
    second: [u64; PAIRS],
) -> [u64; PAIRS] {
    let turned = |a: u64| if REFLECTED { a.reverse_bits() } else { a };
    let power = turned(context.powers[k as usize]);
    let mut multiple = if REFLECTED { gf2::mulx(power, context.poly) } else { power };
    // The power times the value of each bit of a byte.
    let mut multiples = [0; 8];
    for i in 0..8 {
        multiples[if REFLECTED { 7 - i } else { i }] = turned(multiple);
        multiple = gf2::mulx(multiple, context.poly);
    }
    from_fn(|pair| {
        let bytes = first[pair];
        let bytes = if REFLECTED { bytes.to_le_bytes() } else { bytes.to_be_bytes() };
        let moved = bytes.into_iter().fold(0, |sum, byte| {
            let chosen = |i: usize| multiples[i] & u64::from(byte >> i & 1).wrapping_neg();
            (0..8).fold(step::<REFLECTED>(context, sum, 0), |sum, i| sum ^ chosen(i))
        });
        moved ^ second[pair]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::Portable;
    use crate::crc::taps::Taps;
    use std::vec::Vec;

    #[test]
    fn bodies_made_of_bodies_have_all_their_edges() {
        fn edges<B: Body<Portable>>() -> Vec<usize> {
            let mut found = Vec::new();
            B::EDGES.each(&mut |edge| found.push(edge));
            found
        }
        assert_eq!(edges::<EightChains>(), [256, 256, 1024, 8192]);
        let composed = edges::<ByLength<EightChains, OutOfLine<Taps>, 777>>();
        assert!([777, 8192, Taps::FROM].iter().all(|edge| composed.contains(edge)), "{composed:?}");
    }
}
