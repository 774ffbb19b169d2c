//! Folding by byte matrices (GFNI): each byte is removed by additions to a few later bytes, its
//! taps.
//!
//! `matrices/elimination.rs` derives the method, with a small example and a scalar program. This
//! module adds:
//!
//! - [`SETS`] has taps for every polynomial of the catalogue, each with code of its own, because
//!   the offsets of taps are offsets of registers. Any other polynomial without suitable taps is
//!   folded.
//! - The last tap of a set is its window W, whose vectors stay in registers. The loop is turned
//!   around: a loaded vector gets the additions of the vectors that are removed for it, which are
//!   complete, because they came earlier: with taps 5 and 8,
//!   `v[t] = data[t] ^ C_5 v[t - 5] ^ C_8 v[t - 8]`.
//! - At the end the last W vectors are not removed, but each holds additions from those before it.
//!   These are undone, last vector first. The W vectors, and up to W - 1 more behind them, are then
//!   an ordinary message, which is folded.
//! - The bit order of the code decides only which power a bit stands for, so no shuffle is needed.
//!   In a reflected CRC, a carry-less product removes the vectors of the set's *class*, because
//!   that unit would otherwise be idle.

use super::constants::{Avx512, Constants, Embedded, Long};
use super::fold::{self, fold_on, gather, oriented, register_lane};
use super::keys::Keys;
use super::matrices::{CRC_32, CRC_32C, CRC_64_NVME, Matrices, SETS, TAPS, WINDOW};
#[cfg(test)]
use crate::arch::Portable;
use crate::arch::{ByteMatrix, in_order, x86_64};
use crate::body::{Body, Edges, Enter};
use crate::kernel::Outlined;

/// The long data of the CRCs with compiled-in constants.
pub(crate) type Crc32cByMatrices = OnSet<true, CRC_32C, { SETS[CRC_32C].class }>;
pub(crate) type Crc32ByMatrices = OnSet<true, CRC_32, { SETS[CRC_32].class }>;
pub(crate) type Crc64NvmeByMatrices = OnSet<true, CRC_64_NVME, { SETS[CRC_64_NVME].class }>;

/// Its long data with one vector of a window by matrices, and the others by products.
pub(crate) type Crc64NvmeOneVectorByMatrices = OnSet<true, CRC_64_NVME, 0xfffe>;

/// Folds by byte matrices, beside carry-less products in reflected CRCs.
///
/// Shorter data, and polynomials without taps, are folded.
pub(crate) struct Taps;

impl Taps {
    /// The length from which byte matrices are used, in bytes: no set works below its window.
    ///
    /// The limit is an estimate, not a measurement.
    pub(super) const FROM: usize = 64 * WINDOW;
}

impl<T: AllSets> Body<T> for Taps {
    type Family = Embedded;
    const EDGES: Edges = Edges::of(&[Taps::FROM], &[<fold::FoldApart as Body<T>>::EDGES]);
    #[inline(always)]
    fn run(tier: T, context: &Constants, state: u64, data: &[u8]) -> u64 {
        match &context.taps {
            Some((_, long)) if data.len() >= Taps::FROM => {
                T::of(long).run(tier, context, state, data)
            }
            _ => <fold::FoldApart as Body<T>>::run(tier, context, state, data),
        }
    }
}

impl Long {
    /// Returns the code of a set.
    pub(super) const fn new(set: usize, reflected: bool) -> Long {
        Long {
            avx512: avx512(set, reflected),
            #[cfg(test)]
            portable: Portable::SETS[set][reflected as usize],
        }
    }
}

// The one tier with byte matrices, if the target has it.
x86_64::present_512!({
    const fn avx512(set: usize, reflected: bool) -> Avx512 {
        x86_64::Avx512Vpclmul::SETS[set][reflected as usize]
    }

    impl AllSets for x86_64::Avx512Vpclmul {
        #[inline(always)]
        fn of(long: &Long) -> Avx512 {
            long.avx512
        }
    }
} else {
    const fn avx512(_: usize, _: bool) -> Avx512 {}
});

/// A tier with code for all sets.
pub(crate) trait AllSets: ByteMatrix + Enter {
    /// The code of each set, for normal and reflected CRCs.
    // Architectures without byte matrices have no such tier.
    #[allow(dead_code)]
    const SETS: [[Outlined<Self, Embedded>; 2]; SETS.len()] = {
        macro_rules! sets {
            ($($set:literal)*) => {
                [$([
                    Outlined::new::<OnSet<false, $set, 0>>(),
                    Outlined::new::<OnSet<true, $set, { SETS[$set].class }>>(),
                ]),*]
            };
        }
        sets!(0 1 2 3 4 5 6 7 8)
    };

    /// Returns the code of this tier.
    fn of(long: &Long) -> Outlined<Self, Embedded>;
}

#[cfg(test)]
impl AllSets for Portable {
    #[inline(always)]
    fn of(long: &Long) -> Outlined<Self, Embedded> {
        long.portable
    }
}

/// Folds [`Taps::FROM`] bytes or more by one set, with the vectors of `CLASS` by carry-less
/// products; the class of a normal CRC is empty.
pub(crate) struct OnSet<const REFLECTED: bool, const SET: usize, const CLASS: u32>;

impl<T: ByteMatrix, const REFLECTED: bool, const SET: usize, const CLASS: u32> Body<T>
    for OnSet<REFLECTED, SET, CLASS>
{
    type Family = Embedded;
    const EDGES: Edges = Edges::at(&[Taps::FROM]);
    #[inline(always)]
    fn run(tier: T, context: &Constants, state: u64, data: &[u8]) -> u64 {
        match &context.taps {
            Some((matrices, _)) if data.len() >= Taps::FROM => {
                let lane =
                    lane::<T, REFLECTED, SET, CLASS>(tier, &context.fold, matrices, state, data);
                fold::reduce128::<T, REFLECTED>(tier, &context.fold, lane)
            }
            // No caller passes such data.
            _ => state,
        }
    }
}

/// Repeats a block for the places of a window of the set `SET`, in the order given.
///
/// A loop would not be unrolled, and the window would lie in memory. Places outside the window cost
/// nothing, because their conditions are constants.
macro_rules! places {
    ([$($number:literal)*] $place:ident of $set:ident => $block:block) => {
        $({
            const $place: usize = $number;
            if const { $place < SETS[$set].window() } $block
        })*
    };
    ($place:ident of $set:ident => $block:block) => {
        places!([0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15] $place of $set => $block)
    };
    (reversed $place:ident of $set:ident => $block:block) => {
        places!([15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0] $place of $set => $block)
    };
}

/// Folds the register and the data, of [`Taps::FROM`] bytes or more, to one congruent lane, with
/// the matrices of the set.
#[inline(always)]
pub(super) fn lane<T: ByteMatrix, const REFLECTED: bool, const SET: usize, const CLASS: u32>(
    t: T,
    keys: &Keys,
    matrices: &Matrices,
    state: u64,
    data: &[u8],
) -> T::V {
    let window = const { SETS[SET].window() };
    const { assert!(REFLECTED || CLASS == 0) };
    const { assert!(T::LANES == 4 && SETS[SET].window().is_multiple_of(4)) };
    // Not by `map`: calls in its closure are not inlined into this tier.
    let [a, b, c, d, e, f, g, h] = matrices.rows;
    let matrix = [
        t.matrix(a),
        t.matrix(b),
        t.matrix(c),
        t.matrix(d),
        t.matrix(e),
        t.matrix(f),
        t.matrix(g),
        t.matrix(h),
    ];

    let head = t.head(data, register_lane::<T, REFLECTED>(t, state));
    let (vectors, _) = t.blocks(&data[head.bytes..]);
    let (start, mut rest) = vectors.split_at(window - 1);
    let mut v = [head.first; WINDOW];
    places!(I of SET => {
        if I != 0 {
            v[I] = t.load_wide(&start[I - 1]);
        }
    });
    v[1] = t.xor_wide(v[1], head.spill);

    // Each vector adds the effect of deleting the vectors before it in the window.
    places!(I of SET => {
        v[I] = tapped::<T, SET, CLASS, false>(t, &matrix, &v, I, v[I]);
    });
    // Then each place of the window takes the vector W further on; the vectors deleted for it are
    // complete.
    let key = t.key(matrices.window);
    while let Some((step, after)) = rest.split_at_checked(window) {
        places!(I of SET => {
            let next = tapped::<T, SET, CLASS, true>(t, &matrix, &v, I, t.load_wide(&step[I]));
            v[I] = if const { CLASS >> I & 1 == 1 } { t.fold(v[I], key, next) } else { next };
            in_order();
        });
        rest = after;
    }
    // The additions among the vectors of the last window are undone: they are a message again, and
    // not deleted.
    places!(reversed I of SET => {
        v[I] = tapped::<T, SET, CLASS, false>(t, &matrix, &v, I, v[I]);
    });

    let key = keys.vectors(t, 4);
    let mut last = [v[0]; 4];
    places!(I of SET => {
        let oriented = oriented::<T, REFLECTED>(t, v[I]);
        last[I % 4] = if I < 4 { oriented } else { t.fold(last[I % 4], key, oriented) };
    });
    let last = fold_on::<T, REFLECTED>(t, keys, last, rest, None);
    gather(t, keys, last)
}

/// Adds to `sum`, for a place of the window, the effect of deleting the vectors at its taps, except
/// those that products delete; of vectors before the window only if `around`.
#[inline(always)]
fn tapped<T: ByteMatrix, const SET: usize, const CLASS: u32, const AROUND: bool>(
    t: T,
    matrix: &[T::W; TAPS],
    window: &[T::W; WINDOW],
    place: usize,
    mut sum: T::W,
) -> T::W {
    // A `for` would be four times the code until it is unrolled.
    let mut k = 0;
    while k < const { SETS[SET].taps.len() } {
        let tap = const { SETS[SET].taps }[k];
        if AROUND || place >= tap {
            let source = (place + WINDOW - tap) % const { SETS[SET].window() };
            if CLASS >> source & 1 == 0 {
                sum = t.xor_wide(sum, t.multiply(window[source], matrix[k]));
            }
        }
        k += 1;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crc::catalog;
    use crate::kernel::Kernel;

    /// The kernel of byte matrices on arrays, for CPUs without them; tests/kernels.rs covers the
    /// vectors of CPUs that have them.
    static GENERIC: Kernel<Embedded> = Kernel::generic::<Taps>("generic_taps");

    #[test]
    fn all_sets_are_the_definition() {
        let data: [u8; 2600] =
            core::array::from_fn(|i| (i as u32).wrapping_mul(0x9e37_79b9).to_be_bytes()[0]);
        let kernel = GENERIC.force().expect("portable");
        let all = catalog::ALL.iter().filter(|params| params.width <= 64);
        for params in all.step_by(crate::one_in(19)) {
            let constants = Constants::new(params);
            // The kernel for any length, byte by byte.
            let bytewise = Kernel::generic::<fold::FoldApart>("generic");
            let bytewise = bytewise.force().expect("portable");
            for n in [1023, 1024, 1087, 1088, 1472, 1473, 1599, 2048, 2111, 2112, 2600] {
                let expected = bytewise.value(&constants, &data[..n]);
                assert_eq!(kernel.value(&constants, &data[..n]), expected, "{} {n}", params.name);
            }
            let expected = params.reference(&data) as u64;
            assert_eq!(kernel.value(&constants, &data), expected, "{}", params.name);
        }
    }
}
