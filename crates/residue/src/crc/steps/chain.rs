//! One chain of CRC instructions.

use super::shift::HasCrcInstruction;
use crate::arch::{CrcStep, Polynomial, laid_out_behind};
use crate::body::{Body, Edges};
use crate::words::short_word;
use core::marker::PhantomData;

/// Runs one chain of instructions: words of eight bytes, then of four, two and one.
pub(crate) struct Serial<F>(PhantomData<F>);

impl<F: HasCrcInstruction, T: CrcStep<F::Polynomial>> Body<T> for Serial<F> {
    type Family = F;
    const EDGES: Edges = Edges::NONE;
    #[inline(always)]
    fn run(tier: T, (): &(), state: u32, data: &[u8]) -> u32 {
        serial(tier, state, data)
    }
}

#[inline(always)]
pub(in crate::crc) fn serial<P: Polynomial, T: CrcStep<P>>(
    tier: T,
    register: u32,
    data: &[u8],
) -> u32 {
    let (words, rest) = data.as_chunks::<8>();
    let register = words.iter().fold(register, |c, word| tier.step8(c, u64::from_le_bytes(*word)));
    tail(tier, register, rest)
}

/// Advances the register over at most 23 bytes.
#[inline(always)]
pub(super) fn rest<P: Polynomial, T: CrcStep<P>>(tier: T, mut register: u32, data: &[u8]) -> u32 {
    let (words, rest) = data.as_chunks::<8>();
    if let Some((first, words)) = words.split_first() {
        register = tier.step8(register, u64::from_le_bytes(*first));
        if let Some(second) = words.first() {
            register = tier.step8(register, u64::from_le_bytes(*second));
        }
    }
    // One branch in place of three where there are whole words only.
    if rest.is_empty() { register } else { tail(tier, register, rest) }
}

/// Advances the register over at most seven bytes, in steps of four, two and one.
#[inline(always)]
fn tail<P: Polynomial, T: CrcStep<P>>(tier: T, mut register: u32, mut rest: &[u8]) -> u32 {
    if let Some((word, after)) = rest.split_first_chunk() {
        register = tier.step4(register, u32::from_le_bytes(*word));
        rest = after;
    }
    if let Some((word, after)) = rest.split_first_chunk() {
        register = tier.step2(register, u16::from_le_bytes(*word));
        rest = after;
    }
    match rest {
        [byte] => tier.step1(register, *byte),
        _ => register,
    }
}

/// Returns, for 0 to 8 zero bytes, the register that they turn into all ones.
pub(crate) const fn before_zeros<P: Polynomial>() -> [u32; 9] {
    let poly = P::POLY.reverse_bits();
    let mut registers = [u32::MAX; 9];
    let mut bits = 0;
    while bits < 64 {
        let register = if bits % 8 == 0 { registers[bits / 8] } else { registers[bits / 8 + 1] };
        // The step backwards: `poly` has the top bit, so the result shows whether it was added.
        let added = register >> 31;
        registers[bits / 8 + 1] = (register ^ (poly & added.wrapping_neg())) << 1 | added;
        bits += 1;
    }
    registers
}

/// Returns the register after the first bytes, at least one, and the whole words that remain.
///
/// A head shorter than eight bytes is a word behind zeros. They cost nothing from state 0; from all
/// ones, where most messages start, a table has the state before them, which is added to the word
/// by the instruction.
#[inline(always)]
fn head<P: Polynomial, T: CrcStep<P>>(tier: T, register: u32, data: &[u8]) -> (u32, &[[u8; 8]]) {
    let n = data.len();
    // One-shot entries know the register when they are compiled.
    if let (Some(first), u32::MAX) = (data.first_chunk(), register) {
        let zeros = n.wrapping_neg() % 8;
        let start = const { &before_zeros::<P>() }[zeros];
        let register = tier.step8(start, u64::from_le_bytes(*first) << (8 * zeros));
        return (register, data[8 - zeros..].as_chunks().0);
    }
    laid_out_behind();
    if n == 0 {
        return (register, &[]);
    }
    let head = (n - 1) % 8 + 1;
    let first = data.first_chunk().map_or_else(|| short_word(data), |w| u64::from_le_bytes(*w));
    let register = u64::from(register);
    // A head shorter than the register consumes only a part of it; the rest remains.
    let outlives = (register >> (4 * head)) >> (4 * head);
    let register = tier.step8(0, (first ^ register) << (64 - 8 * head)) ^ outlives as u32;
    (register, data[head..].as_chunks().0)
}

/// Runs one chain of words only, for short data.
///
/// The number of words is the only branch, where [`Serial`] has three more.
pub(crate) struct HeadShift<F>(PhantomData<F>);

impl<F: HasCrcInstruction, T: CrcStep<F::Polynomial>> Body<T> for HeadShift<F> {
    type Family = F;
    const EDGES: Edges = Edges::NONE;
    #[inline(always)]
    fn run(tier: T, (): &(), state: u32, data: &[u8]) -> u32 {
        let word = |word: &[u8; 8]| u64::from_le_bytes(*word);
        let (mut c, words) = head(tier, state, data);
        let (rest, fours) = words.as_rchunks::<4>();
        if let Some((first, rest)) = rest.split_first() {
            c = tier.step8(c, word(first));
            if let Some((second, rest)) = rest.split_first() {
                c = tier.step8(c, word(second));
                if let Some(third) = rest.first() {
                    c = tier.step8(c, word(third));
                }
            }
        }
        // Behind the rest, the short data take no jump over the loop.
        for four in fours {
            c = tier.step8(c, word(&four[0]));
            c = tier.step8(c, word(&four[1]));
            c = tier.step8(c, word(&four[2]));
            c = tier.step8(c, word(&four[3]));
        }
        c
    }
}
