//! Three chains of CRC instructions at once, over three adjacent segments, because an instruction
//! takes two or three cycles and one or more can start in each. [`fused`](super::fused) has the
//! identity that joins them: by carry-less products, which are xored into the last word of the
//! third segment, so that its step takes them in, or by tables.

use super::chain::{rest, serial};
use super::{HasCrcInstruction, embedded, shift_key};
use crate::arch::{CarryLess, CrcStep, Polynomial};
use crate::body::{Body, Edges};
use crate::crc::gf2::{self, Multiples};
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

/// The lengths of its segments, long and short.
const LONG: usize = 8192;
const SHORT: usize = 256;
/// The least data that fills three short segments.
pub(super) const TABLES_FROM: usize = 3 * SHORT;

/// The tables for both lengths of segments.
#[derive(Debug)]
pub(crate) struct ShiftTables {
    long: ShiftTable,
    short: ShiftTable,
}

impl ShiftTables {
    pub(crate) const fn new(poly: u32) -> Self {
        ShiftTables { long: ShiftTable::new(poly, LONG), short: ShiftTable::new(poly, SHORT) }
    }
}

/// The register after a number of zero bytes, from each of its half bytes.
#[derive(Debug)]
struct ShiftTable([[u32; 16]; 8]);

impl ShiftTable {
    const fn new(poly: u32, bytes: usize) -> Self {
        let poly = embedded(poly);
        let power = Multiples::new(poly).xpow(8 * bytes as u64);
        let mut table = [[0; 16]; 8];
        // Bit i of a register is x^(31 - i), embedded x^(63 - i).
        let (mut moved, mut bit) = (gf2::mul(1 << 32, power, poly), 32);
        while bit > 0 {
            bit -= 1;
            table[bit / 4][1 << (bit % 4)] = ((moved >> 32) as u32).reverse_bits();
            moved = gf2::mulx(moved, poly);
        }
        let mut k = 0;
        while k < 8 {
            let mut i = 1usize;
            while i < 16 {
                let lowest = i & i.wrapping_neg();
                if lowest != i {
                    table[k][i] = table[k][lowest] ^ table[k][i ^ lowest];
                }
                i += 1;
            }
            k += 1;
        }
        ShiftTable(table)
    }

    #[inline(always)]
    fn advance(&self, register: u32) -> u32 {
        let half_byte = |k: usize| (register >> (4 * k) & 15) as usize;
        (0..8).fold(0, |sum, k| sum ^ self.0[k][half_byte(k)])
    }
}

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
