//! Folding, with one vector of eight removed by byte matrices (GFNI).
//!
//! Idea. On Intel's cores with AVX-512 one port multiplies polynomials, and folding takes two such
//! products for 64 bytes: the port is the limit, and the one beside it, which multiplies bytes by
//! matrices, has little to do. [`matrices`](super::matrices) removes a vector by additions to later
//! ones. Here that is one vector of eight, and its four taps are two pairs, each of two vectors
//! eight apart:
//!
//! ```text
//! v[t + a] ^= A v[t],   v[t + a + 8] ^= A' v[t],   v[t + b] ^= B v[t],   v[t + b + 8] ^= B' v[t]
//! ```
//!
//! with 0 < a < b < 8. No tap is a removed vector, so those are data as they were loaded. A vector
//! that is folded gets the additions of two removed ones or none, and three are added by one
//! instruction: eight vectors take 14 products on one port, and 9 additions and 4 products with
//! matrices on the other, in place of 16 and 8.

use super::compiled::{CRC_32, Crc32};
use super::constants::Constants;
use super::fold::{fold_on, gather_tail, reduce128, register_lane, to_four};
use super::gf2::Multiples;
use super::matrices::bits_of_byte;
use crate::arch::{ByteMatrix, in_order, tail_bytes, with_ahead};
use crate::body::{Body, Edges};
use crate::cpu;
use core::marker::PhantomData;

/// The vectors of a step.
const STEP: usize = 8;

/// The taps of the removed vectors.
#[derive(Clone, Copy)]
struct Pairs {
    /// The distances a and b, in vectors.
    taps: [usize; 2],
    /// A, A', B and B'.
    rows: [u64; 4],
}

impl Pairs {
    /// Computes the first pairs that remove a vector of a CRC of 32 bits.
    const fn new(constants: &Constants) -> Pairs {
        assert!(constants.width == 32 && constants.reflected);
        let multiples = Multiples::new(constants.poly);
        let mut b = 2;
        while b < STEP {
            let mut a = 1;
            while a < b {
                if let Some(rows) = rows([a, b], constants, &multiples) {
                    return Pairs { taps: [a, b], rows };
                }
                a += 1;
            }
            b += 1;
        }
        panic!("no pairs of taps remove a vector")
    }
}

/// Returns the matrices of the pairs at these distances, or `None` if they do not remove a vector.
const fn rows(
    [a, b]: [usize; 2],
    constants: &Constants,
    multiples: &Multiples,
) -> Option<[u64; 4]> {
    // A basis of the remainders of the taps' bits, counted from the last tap: those with their
    // highest bit in each place, and which bits add up to them.
    let (mut basis, mut sums) = ([0; 64], [0_u32; 64]);
    let taps = [a, a + STEP, b, b + STEP];
    let mut i = 0;
    while i < 32 {
        let bits = residues(b + STEP - taps[i / 8], constants, multiples);
        let (rest, sum) = reduced(bits[i % 8], &basis, &sums);
        if rest == 0 {
            return None;
        }
        let place = rest.ilog2() as usize;
        (basis[place], sums[place]) = (rest, sum ^ 1 << i);
        i += 1;
    }
    let removed = residues(b + STEP, constants, multiples);
    let (mut rows, mut bit) = ([0; 4], 0);
    while bit < 8 {
        let (_, sum) = reduced(removed[bit], &basis, &sums);
        let mut i = 0;
        while i < 32 {
            // Output bit o of a tap is row o of its matrix, which the instruction keeps in byte
            // 7 - o.
            rows[i / 8] |= ((sum >> i & 1) as u64) << (8 * (7 - i % 8) + bit);
            i += 1;
        }
        bit += 1;
    }
    Some(rows)
}

/// Reduces a remainder by the basis, and returns what is left and which bits were added.
const fn reduced(mut rest: u64, basis: &[u64; 64], sums: &[u32; 64]) -> (u64, u32) {
    let (mut sum, mut place) = (0, 64);
    while place > 0 {
        place -= 1;
        if rest >> place & 1 == 1 && basis[place] != 0 {
            rest ^= basis[place];
            sum ^= sums[place];
        }
    }
    (rest, sum)
}

/// Returns the remainders of the eight bits of a byte so many vectors before the last tap.
const fn residues(vectors: usize, constants: &Constants, multiples: &Multiples) -> [u64; 8] {
    let power = if vectors <= 8 {
        constants.fold.word_after_vectors(vectors, multiples, true)
    } else {
        constants.fold.of_window(vectors, multiples, true).1
    };
    bits_of_byte(power, constants.poly, true)
}

const CONSTANTS: &Constants = match CRC_32.constants() {
    Some(constants) => constants,
    None => panic!("it has 64 bits at most"),
};
const PAIRS: Pairs = Pairs::new(CONSTANTS);
/// The places in a step, the removed vector of which is its last, of the vectors at its taps.
const CHANGED: [usize; 2] = [PAIRS.taps[0] - 1, PAIRS.taps[1] - 1];
/// The factors that move a lane forward by a step.
const KEY: u128 = CONSTANTS.fold.of_window(STEP, &Multiples::new(CONSTANTS.poly), true).0;

/// The length from which it is used, by CPUs that gain by it.
///
/// On Emerald Rapids 2 KiB take 1.02 of the time of folding, 4 KiB 0.91 to 1.0, 9000 bytes 0.91,
/// 16 KiB to 1 MiB 0.87 to 0.95. From memory it takes 1.01 to 1.06 of it, and pieces of 4 KiB would
/// be behind libdeflate by 5 % in place of 2 (2026-11-30, docs/speed/peers.md).
const FROM: usize = 6 << 10;

/// Removes one vector of eight of long data by matrices if the CPU gains by it, and runs `Fold` on
/// other data.
pub(crate) struct EighthOr<Fold>(PhantomData<Fold>);

impl<T: ByteMatrix, Fold: Body<T, Family = Crc32>> Body<T> for EighthOr<Fold> {
    type Family = Crc32;
    const EDGES: Edges = Edges::of(&[FROM], &[Fold::EDGES, <Eighth as Body<T>>::EDGES]);
    #[inline(always)]
    fn run(t: T, (): &(), state: u32, data: &[u8]) -> u32 {
        if data.len() >= FROM
            && cpu::found_profile().is_some_and(|profile| profile.eighth_by_matrices)
        {
            t.outline::<Eighth>(&(), state, data)
        } else {
            Fold::run(t, &(), state, data)
        }
    }
}

/// Folds data of [`LEAST`] bytes and more, and removes one vector of eight by matrices.
pub(crate) struct Eighth;

/// The bytes of the vectors that come before the first step, and of what may be behind the last.
pub(crate) const LEAST: usize = 64 * STEP + 63;

impl<T: ByteMatrix> Body<T> for Eighth {
    type Family = Crc32;
    const EDGES: Edges = Edges::at(&[LEAST, 2 * 64 * STEP, 3 * 64 * STEP]);
    #[inline(always)]
    fn run(t: T, (): &(), state: u32, data: &[u8]) -> u32 {
        const { assert!(T::LANES == 4) };
        let keys = &CONSTANTS.fold;
        let behind = tail_bytes::<T>(data);
        let whole = &data[..data.len() - behind];
        let head = t.head(whole, register_lane::<T, true>(t, state.into()));
        let (vectors, _) = t.blocks(&whole[head.bytes..]);
        let Some(([b, c, d, e, f, g, removed], rest)) = vectors.split_first_chunk() else {
            // No caller passes such data.
            return state;
        };
        let load = |block| t.load_wide(block);
        let second = t.xor_wide(load(b), head.spill);
        let mut v = [head.first, second, load(c), load(d), load(e), load(f), load(g)];
        // The removed vectors of the last step and of the one before it. None is before the data.
        let mut removed = [load(removed), t.key(0)];

        let key = t.key(KEY);
        let [a, a2, b, b2] = PAIRS.rows;
        let matrices = [[t.matrix(a), t.matrix(a2)], [t.matrix(b), t.matrix(b2)]];
        let (steps, rest) = rest.as_chunks::<STEP>();
        let (first, last) = with_ahead(T::AHEAD, steps);
        for (step, ahead) in first {
            t.prefetch(ahead);
            (v, removed) = after_step(t, key, &matrices, v, removed, step);
        }
        for step in last {
            (v, removed) = after_step(t, key, &matrices, v, removed, step);
        }

        // The last two are not removed: what the earlier one has added is added again, and it is
        // folded onto the other.
        let [last, before] = removed;
        let [a, b] = CHANGED;
        v[a] = t.xor_wide(v[a], t.multiply(before, matrices[0][0]));
        v[b] = t.xor_wide(v[b], t.multiply(before, matrices[1][0]));
        let [c, d, e, f, g, h, i] = v;
        let v = to_four(t, keys, [c, d, e, f, g, h, i, t.fold(before, key, last)]);
        let v = fold_on::<T, true>(t, keys, v, rest, None);
        let lane = gather_tail::<T, true>(t, keys, v, data, behind);
        reduce128::<T, true>(t, keys, lane) as u32
    }
}

/// Folds seven vectors onto those of the next step, and returns these and the removed ones.
#[inline(always)]
fn after_step<T: ByteMatrix>(
    t: T,
    key: T::W,
    [first, second]: &[[T::W; 2]; 2],
    mut v: [T::W; STEP - 1],
    [last, before]: [T::W; 2],
    step: &[T::Block; STEP],
) -> ([T::W; STEP - 1], [T::W; 2]) {
    let sum = |data, matrices: &[T::W; 2]| {
        let sum = t.xor_wide(t.multiply(last, matrices[0]), t.multiply(before, matrices[1]));
        t.xor_wide(sum, data)
    };
    for i in 0..STEP - 1 {
        let mut data = t.load_wide(&step[i]);
        if i == CHANGED[0] {
            data = sum(data, first);
        } else if i == CHANGED[1] {
            data = sum(data, second);
        }
        v[i] = t.fold(v[i], key, data);
        in_order();
    }
    (v, [t.load_wide(&step[STEP - 1]), last])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::ByLength;
    use crate::crc::catalog;
    use crate::crc::family::WithConstants;
    use crate::crc::fold::FoldApart;
    use crate::kernel::Kernel;

    /// On arrays, for CPUs without matrices; tests/kernels.rs covers the vectors of those that have
    /// them.
    static GENERIC: Kernel<Crc32> =
        Kernel::generic::<ByLength<WithConstants<Crc32, FoldApart>, Eighth, LEAST>>("generic");

    #[test]
    fn data_with_removed_vectors_have_the_defined_values() {
        let kernel = GENERIC.force().expect("portable");
        let data: [u8; 2600] =
            core::array::from_fn(|i| (i as u32).wrapping_mul(0x9e37_79b9).to_be_bytes()[0]);
        for steps in 0..4 {
            // Heads of 63, 64, 1 and 3 bytes, and of 1 with vectors behind the last step.
            for n in [0, 1, 2, 4, 194].map(|more| LEAST + 64 * STEP * steps + more) {
                let expected = catalog::CRC_32_ISO_HDLC.reference(&data[..n]) as u32;
                assert_eq!(kernel.value(&(), &data[..n]), expected, "{n}");
            }
        }
    }
}
