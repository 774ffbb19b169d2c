//! Three chains of CRC instructions at once, over three adjacent segments, because an instruction
//! takes two or three cycles and one or more can start in each. [`fused`](super::fused) has the
//! identity that joins them: by carry-less products, which are xored into the last word of the
//! third segment, so that its step takes them in, or by tables.

use super::chain::{rest, serial};
use super::shift::{HasCrcInstruction, LONG, SHORT, ShiftTable, shift_key};
use crate::arch::{CarryLess, CrcStep, Polynomial};
use crate::body::{Body, Edges};
use core::marker::PhantomData;

/// Runs three chains over three segments of `L` bytes; the second and third start at zero.
///
/// The last word of the third is left out: its step can include the registers of the others.
#[inline(always)]
fn chains<P: Polynomial, T: CrcStep<P>, const L: usize>(
    tier: T,
    register: u32,
    segments: [&[u8]; 3],
) -> ([u32; 3], u64) {
    let words = |segment: usize| &segments[segment].as_chunks::<8>().0[..L / 8];
    let (first, second, third) = (words(0), words(1), words(2));
    let word = |segment: &[[u8; 8]], i: usize| u64::from_le_bytes(segment[i]);
    let mut c = [register, 0, 0];
    for i in 0..L / 8 - 1 {
        c[0] = tier.step8(c[0], word(first, i));
        c[1] = tier.step8(c[1], word(second, i));
        c[2] = tier.step8(c[2], word(third, i));
    }
    let end = L / 8 - 1;
    c[0] = tier.step8(c[0], word(first, end));
    c[1] = tier.step8(c[1], word(second, end));
    (c, word(third, end))
}

/// Runs three chains, joined by carry-less products, which are xored into the third segment's last
/// word.
pub(crate) struct ThreeWay<F>(PhantomData<F>);

impl<F: HasCrcInstruction> ThreeWay<F> {
    /// Advances the register over three segments.
    #[inline(always)]
    fn block<T: CrcStep<F::Polynomial> + CarryLess, const L: usize>(
        tier: T,
        register: u32,
        block: &[u8],
    ) -> u32 {
        let far_near = const {
            let far = shift_key(F::MULTIPLES, 2 * L as u64) as u128;
            (shift_key(F::MULTIPLES, L as u64) as u128) << 64 | far
        };
        let segments = [&block[..L], &block[L..2 * L], &block[2 * L..]];
        let (c, last) = chains::<F::Polynomial, T, L>(tier, register, segments);
        let keys = tier.lane_of(far_near);
        let first = tier.product::<0x00>(tier.lane_of(u128::from(c[0])), keys);
        let second = tier.product::<0x10>(tier.lane_of(u128::from(c[1])), keys);
        tier.step8(c[2], last ^ tier.low_of(tier.xor(first, second)))
    }

    /// Advances the register over the first three segments of the data, if it is long enough.
    #[inline(always)]
    fn first<T: CrcStep<F::Polynomial> + CarryLess, const L: usize>(
        tier: T,
        register: u32,
        data: &[u8],
    ) -> (u32, &[u8]) {
        match data.split_at_checked(3 * L) {
            Some((block, rest)) => (Self::block::<T, L>(tier, register, block), rest),
            None => (register, data),
        }
    }

    #[inline(always)]
    fn blocks<T: CrcStep<F::Polynomial> + CarryLess, const L: usize>(
        tier: T,
        mut register: u32,
        mut data: &[u8],
    ) -> (u32, &[u8]) {
        while let Some((block, rest)) = data.split_at_checked(3 * L) {
            register = Self::block::<T, L>(tier, register, block);
            data = rest;
        }
        (register, data)
    }
}

/// Runs three chains over a third of the data each, up to 64 bytes, with one join; best for data of
/// 112 to 215 bytes.
pub(crate) struct Thirds<F>(PhantomData<F>);

impl<F: HasCrcInstruction, T: CrcStep<F::Polynomial> + CarryLess> Body<T> for Thirds<F> {
    type Family = F;
    const EDGES: Edges = Edges::at(&[3 * 64]);
    #[inline(always)]
    fn run(tier: T, (): &(), state: u32, data: &[u8]) -> u32 {
        let (register, behind) = match data.len() / 24 {
            4 => ThreeWay::<F>::first::<T, 32>(tier, state, data),
            5 => ThreeWay::<F>::first::<T, 40>(tier, state, data),
            6 => ThreeWay::<F>::first::<T, 48>(tier, state, data),
            7 => ThreeWay::<F>::first::<T, 56>(tier, state, data),
            8 => ThreeWay::<F>::first::<T, 64>(tier, state, data),
            _ => {
                let (register, rest) = ThreeWay::<F>::blocks::<T, 64>(tier, state, data);
                return serial(tier, register, rest);
            }
        };
        rest(tier, register, behind)
    }
}

impl<F: HasCrcInstruction, T: CrcStep<F::Polynomial> + CarryLess> Body<T> for ThreeWay<F> {
    type Family = F;
    const EDGES: Edges = Edges::at(&[3 * 64, 3 * 336, 3 * 1024, 3 * 8192]);
    #[inline(always)]
    fn run(tier: T, (): &(), state: u32, data: &[u8]) -> u32 {
        let (register, data) = Self::blocks::<T, 8192>(tier, state, data);
        let (register, data) = Self::blocks::<T, 1024>(tier, register, data);
        let (register, data) = Self::blocks::<T, 336>(tier, register, data);
        let (register, data) = Self::blocks::<T, 64>(tier, register, data);
        let (register, data) = Self::blocks::<T, 24>(tier, register, data);
        serial(tier, register, data)
    }
}

/// Runs three chains, joined by tables.
///
/// Advancing a register over L bytes is linear in its 32 bits, so eight tables of 16 entries do it.
/// Four tables of 256 would halve the look-ups, of which there are 16 in a block, and take 8 KiB.
pub(crate) struct ThreeWayTables<F>(PhantomData<F>);

/// The least data that fills three short segments.
pub(super) const TABLES_FROM: usize = 3 * SHORT;

impl<F: HasCrcInstruction> ThreeWayTables<F> {
    #[inline(always)]
    fn blocks<'a, T: CrcStep<F::Polynomial>, const L: usize>(
        tier: T,
        table: &ShiftTable,
        mut register: u32,
        mut data: &'a [u8],
    ) -> (u32, &'a [u8]) {
        while data.len() >= 3 * L {
            let (block, rest) = data.split_at(3 * L);
            let segments = [&block[..L], &block[L..2 * L], &block[2 * L..]];
            let (c, last) = chains::<F::Polynomial, T, L>(tier, register, segments);
            let third = tier.step8(c[2], last);
            register = table.advance(table.advance(c[0]) ^ c[1]) ^ third;
            data = rest;
        }
        (register, data)
    }
}

impl<F: HasCrcInstruction, T: CrcStep<F::Polynomial>> Body<T> for ThreeWayTables<F> {
    type Family = F;
    const EDGES: Edges = Edges::at(&[3 * SHORT, 3 * LONG]);
    #[inline(always)]
    fn run(tier: T, (): &(), state: u32, data: &[u8]) -> u32 {
        let tables = F::shift_tables();
        let (register, data) = Self::blocks::<T, LONG>(tier, &tables.long, state, data);
        let (register, data) = Self::blocks::<T, SHORT>(tier, &tables.short, register, data);
        serial(tier, register, data)
    }
}
