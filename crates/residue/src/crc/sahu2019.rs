//! CRC-32C in three parts, as the literature prints it, for measurement beside today's kernels.
//!
//! They are the two algorithms that S. K. Sahu's thesis (Texas A&M University, 2019) times: the
//! data in thirds, joined by products (section 4.4.7, page 28; V. Gopal et al., *Fast CRC
//! Computation for iSCSI Polynomial Using CRC32 Instruction*, 2011), and in segments of two fixed
//! lengths, joined by 8 KiB of tables (section 4.4.8, pages 29 and 30; M. Adler's `crc32c.c`).

use super::compiled::Crc32c;
use super::gf2::{self, Multiples};
use super::steps::{HasCrcInstruction, embedded, serial, shift_key};
use crate::arch::{CarryLess, Castagnoli, CrcStep, Polynomial};
use crate::body::{Body, Edges};

/// The multiples of the embedded polynomial.
const MULTIPLES: &Multiples = <Crc32c as HasCrcInstruction>::MULTIPLES;

/// Runs three chains of CRC instructions over three parts of equal length, the first from
/// `register` and the others from zero.
#[inline(always)]
fn chains<T: CrcStep<Castagnoli>>(tier: T, register: u32, parts: [&[u8]; 3]) -> [u32; 3] {
    let [first, second, third] = parts.map(|part| part.as_chunks::<8>().0);
    let mut c = [register, 0, 0];
    for ((first, second), third) in first.iter().zip(second).zip(third) {
        c[0] = tier.step8(c[0], u64::from_le_bytes(*first));
        c[1] = tier.step8(c[1], u64::from_le_bytes(*second));
        c[2] = tier.step8(c[2], u64::from_le_bytes(*third));
    }
    c
}

/// Divides `block` into three parts of `length` bytes each.
#[inline(always)]
fn parts(block: &[u8], length: usize) -> [&[u8]; 3] {
    [&block[..length], &block[length..2 * length], &block[2 * length..3 * length]]
}

/// Divides the data into thirds, of up to 128 words each as in Gopal's code, and joins their
/// registers by products.
///
/// Each product is 64 bits wide, so the instruction runs over it once more.
pub(crate) struct Thirds;

/// The most words in a part.
const WORDS: usize = 128;

/// The factors that move a register over so many words, up to two parts ([`shift_key`]).
static SHIFTS: [u32; 2 * WORDS + 1] = {
    let mut shifts = [0; 2 * WORDS + 1];
    let mut words = 1;
    while words <= 2 * WORDS {
        shifts[words] = shift_key(MULTIPLES, 8 * words as u64) as u32;
        words += 1;
    }
    shifts
};

impl<T: CrcStep<Castagnoli> + CarryLess> Body<T> for Thirds {
    type Family = Crc32c;
    const EDGES: Edges = Edges::at(&[24 * WORDS]);
    #[inline(always)]
    fn run(tier: T, (): &(), mut state: u32, mut data: &[u8]) -> u32 {
        while data.len() >= 24 {
            let words = (data.len() / 24).min(WORDS);
            let (block, rest) = data.split_at(24 * words);
            let c = chains(tier, state, parts(block, 8 * words));
            let moved = |register: u32, words: usize| {
                let factor = tier.lane_of(u128::from(SHIFTS[words]));
                let product = tier.product::<0x00>(tier.lane_of(u128::from(register)), factor);
                tier.step8(0, tier.low_of(product))
            };
            state = moved(c[0], 2 * words) ^ moved(c[1], words) ^ c[2];
            data = rest;
        }
        serial(tier, state, data)
    }
}

/// Divides the data into three segments of 8192 bytes, then of 256 bytes, joined by tables of 4 KiB
/// for each length.
pub(crate) struct Segments;

/// The registers after `bytes` zero bytes, from each byte of the register before.
const fn table(bytes: usize) -> [[u32; 256]; 4] {
    let poly = embedded(Castagnoli::POLY);
    let power = MULTIPLES.xpow(8 * bytes as u64);
    let mut table = [[0; 256]; 4];
    // Bit i of a register is x^(31 - i), embedded x^(63 - i).
    let (mut moved, mut bit) = (gf2::mul(1 << 32, power, poly), 32);
    while bit > 0 {
        bit -= 1;
        table[bit / 8][1 << (bit % 8)] = ((moved >> 32) as u32).reverse_bits();
        moved = gf2::mulx(moved, poly);
    }
    let mut k = 0;
    while k < 4 {
        let mut i = 1usize;
        while i < 256 {
            let lowest = i & i.wrapping_neg();
            table[k][i] = table[k][lowest] ^ table[k][i ^ lowest];
            i += 1;
        }
        k += 1;
    }
    table
}

const LONG: usize = 8192;
const SHORT: usize = 256;
static TABLES: [[[u32; 256]; 4]; 2] = [table(LONG), table(SHORT)];

#[inline(always)]
fn segments<'a, T: CrcStep<Castagnoli>, const L: usize>(
    tier: T,
    table: &[[u32; 256]; 4],
    mut register: u32,
    mut data: &'a [u8],
) -> (u32, &'a [u8]) {
    let moved = |register: u32| {
        let bytes = register.to_le_bytes();
        (0..4).fold(0, |sum, k| sum ^ table[k][usize::from(bytes[k])])
    };
    while let Some((block, rest)) = data.split_at_checked(3 * L) {
        let c = chains(tier, register, parts(block, L));
        register = moved(moved(c[0]) ^ c[1]) ^ c[2];
        data = rest;
    }
    (register, data)
}

impl<T: CrcStep<Castagnoli>> Body<T> for Segments {
    type Family = Crc32c;
    const EDGES: Edges = Edges::at(&[3 * SHORT, 3 * LONG]);
    #[inline(always)]
    fn run(tier: T, (): &(), state: u32, data: &[u8]) -> u32 {
        let (register, data) = segments::<T, LONG>(tier, &TABLES[0], state, data);
        let (register, data) = segments::<T, SHORT>(tier, &TABLES[1], register, data);
        let (words, rest) = data.as_chunks::<8>();
        let step = |c, word: &[u8; 8]| tier.step8(c, u64::from_le_bytes(*word));
        let register = words.iter().fold(register, step);
        rest.iter().fold(register, |c, byte| tier.step1(c, *byte))
    }
}
