//! One chain of CRC instructions.

use super::Stepped;
use crate::arch::{CrcStep, Polynomial};
use crate::kernel::Body;
use crate::words::short_word;
use core::marker::PhantomData;

/// Runs one chain of instructions: words of eight bytes, then of four, two and one.
pub(crate) struct Serial<F>(PhantomData<F>);

impl<F: Stepped, T: CrcStep<F::Polynomial>> Body<T> for Serial<F> {
    type Family = F;
    #[inline(always)]
    fn run(tier: T, (): &(), state: u32, data: &[u8]) -> u32 {
        serial(tier, state, data)
    }
}

#[inline(always)]
pub(super) fn serial<P: Polynomial, T: CrcStep<P>>(tier: T, register: u32, data: &[u8]) -> u32 {
    let (words, rest) = data.as_chunks::<8>();
    let register = words.iter().fold(register, |c, word| tier.step8(c, u64::from_le_bytes(*word)));
    tail(tier, register, rest)
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

/// Returns the register after the first bytes, at least one, and the whole words that remain.
///
/// A head shorter than eight bytes is a word behind zeros, which cost nothing from state 0.
#[inline(always)]
fn head<P: Polynomial, T: CrcStep<P>>(tier: T, register: u32, data: &[u8]) -> (u32, &[[u8; 8]]) {
    let n = data.len();
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

impl<F: Stepped, T: CrcStep<F::Polynomial>> Body<T> for HeadShift<F> {
    type Family = F;
    #[inline(always)]
    fn run(tier: T, (): &(), state: u32, data: &[u8]) -> u32 {
        let word = |word: &[u8; 8]| u64::from_le_bytes(*word);
        let (mut c, words) = head(tier, state, data);
        let (fours, rest) = words.as_chunks::<4>();
        for four in fours {
            c = tier.step8(c, word(&four[0]));
            c = tier.step8(c, word(&four[1]));
            c = tier.step8(c, word(&four[2]));
            c = tier.step8(c, word(&four[3]));
        }
        if let Some((first, rest)) = rest.split_first() {
            c = tier.step8(c, word(first));
            if let Some((second, rest)) = rest.split_first() {
                c = tier.step8(c, word(second));
                if let Some(third) = rest.first() {
                    c = tier.step8(c, word(third));
                }
            }
        }
        c
    }
}
