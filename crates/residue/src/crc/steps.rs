//! CRCs with a CPU instruction: CRC-32C on x86-64 and aarch64, CRC-32 on aarch64.
//!
//! [`HeadShift`] runs one chain of whole words. The one to eight bytes before them form a word
//! padded with zeros in front, which cost nothing from a register of zeros; where the register is
//! all ones, a table has the register that these zeros turn into it. The number of words is the
//! only branch. Those with three chains join the registers by carry-less multiplication (V. Gopal
//! et al., *Fast CRC Computation for iSCSI Polynomial Using CRC32 Instruction*, 2011), or by tables
//! (M. Adler). [`FoldSteps`] reduces the last lane of folding by two instructions. [`Fused`] runs
//! chains and folding at once.

use super::family::CompiledIn;
use super::fold::{FoldLong, fold, fold_long};
use super::gf2::Multiples;
use crate::arch::{CarryLessWide, CrcStep, Polynomial};
use crate::body::{Body, ByLength, Edges, OutOfLine};
use core::marker::PhantomData;

mod chain;
mod fused;
mod three_way;

pub(super) use chain::serial;
pub(crate) use chain::{HeadShift, Serial, before_zeros};
pub(crate) use fused::Fused;
use three_way::TABLES_FROM;
pub(crate) use three_way::{ShiftTables, Thirds, ThreeWay, ThreeWayTables};

/// A CRC of 32 bits that a CPU may have an instruction for.
pub(crate) trait HasCrcInstruction: CompiledIn<Word = u32> {
    /// The polynomial of the CRC.
    type Polynomial: Polynomial;
    /// The multiples of the embedded polynomial, for constants.
    const MULTIPLES: &'static Multiples = &Multiples::new(embedded(Self::Polynomial::POLY));
    /// Returns the tables of [`ThreeWayTables`].
    fn shift_tables() -> &'static ShiftTables;
}

/// Returns the factor that moves a register over `bytes` (at least 5) by a carry-less product and
/// one step from zero: x^(8 bytes - 33) mod P, reversed.
///
/// The product comes out one place low and the step multiplies by x^32. `multiples` are those of
/// [`HasCrcInstruction::MULTIPLES`].
pub(super) const fn shift_key(multiples: &Multiples, bytes: u64) -> u64 {
    // x^(n + 32) modulo P x^32 is x^32 times x^n modulo P.
    ((multiples.xpow(8 * bytes - 33 + 32) >> 32) as u32).reverse_bits() as u64
}

/// Returns the polynomial in the embedding of 64 bits.
pub(super) const fn embedded(poly: u32) -> u64 {
    (poly as u64) << 32
}

/// Folds as for any CRC of up to 64 bits, with the last lane reduced by two instructions; runs one
/// chain of instructions over data of up to `CHAIN_TO` bytes, at least 16.
pub(crate) struct FoldSteps<F, const CHAIN_TO: usize = 16>(PhantomData<F>);

impl<F: HasCrcInstruction, T: CrcStep<F::Polynomial> + CarryLessWide, const CHAIN_TO: usize> Body<T>
    for FoldSteps<F, CHAIN_TO>
{
    type Family = F;
    const EDGES: Edges = Edges::of(&[CHAIN_TO + 1], &[<FoldStepsLong<F> as Body<T>>::EDGES]);
    #[inline(always)]
    fn run(tier: T, (): &(), state: u32, data: &[u8]) -> u32 {
        const { assert!(CHAIN_TO >= 16) };
        if data.len() <= CHAIN_TO {
            return <HeadShift<F> as Body<T>>::run(tier, &(), state, data);
        }
        if data.len() > 64 * T::LANES {
            return tier.outline::<FoldStepsLong<F>>(&(), state, data);
        }
        let lane = fold::<T, true, 0, false>(tier, &F::constants().fold, state.into(), data);
        reduce(tier, lane)
    }
}

/// Folds data of more than four vectors as [`FoldSteps`] does; `AHEAD` says whether the data may be
/// so long that reading ahead pays. If not, the code needs no stack frame.
pub(crate) struct FoldStepsLong<F, const AHEAD: bool = true>(PhantomData<F>);

impl<F, T, const AHEAD: bool> Body<T> for FoldStepsLong<F, AHEAD>
where
    F: HasCrcInstruction,
    T: CrcStep<F::Polynomial> + CarryLessWide,
{
    type Family = F;
    const EDGES: Edges = <FoldLong as Body<T>>::EDGES;
    #[inline(always)]
    fn run(tier: T, (): &(), state: u32, data: &[u8]) -> u32 {
        let keys = &F::constants().fold;
        reduce(tier, fold_long::<T, true, AHEAD>(tier, keys, state.into(), data))
    }
}

/// Reduces a lane to the register.
#[inline(always)]
fn reduce<P: Polynomial, T: CrcStep<P> + CarryLessWide>(tier: T, lane: T::V) -> u32 {
    let (low, high) = (tier.low_of(lane), tier.low_of(tier.high_down(lane)));
    tier.step8(tier.step8(0, low), high)
}

/// Runs one chain of instructions, then folding, by length.
pub(crate) type ChainOrFold<F> = FoldSteps<F, { FOLD_FROM - 1 }>;

/// The length from which folding takes over.
///
/// Not measured for vectors of one lane. With vectors of four the chain is ahead below 96 bytes in
/// independent calls (80 bytes: 4.7 and 5.3 ns, Emerald Rapids, 2026-11-24); with those of two,
/// which do not use it, to 128 bytes: `residue bench -a crc32c -k sse42_head,avx2_vpclmul --mode
/// throughput --sizes 64,80,96,128,160`, on a Zen 3 core on 2026-11-21.
const FOLD_FROM: usize = 80;

/// Runs chains and folding at once, for cores with fast products and a fast exclusive or of three.
pub(crate) type FusedEor3<F> = Fused<F, 1408, 3, 128, 8>;

/// Chains and folding at once for smaller cores, with equal numbers of bytes for both units: an
/// estimate.
pub(crate) type FusedPmull<F> = Fused<F, 1024, 4, 128, 4>;

/// Runs one chain of instructions, then folding, then both at once by the body `B`, by length.
pub(crate) type ChainToFused<F, B, const FROM: usize = FUSED_FROM> =
    ByLength<ChainOrFold<F>, OutOfLine<B>, FROM>;

/// The length from which the fused body takes over, an estimate: it is used on aarch64, of which no
/// CPU was measured.
const FUSED_FROM: usize = 4096;

/// Runs one chain of instructions, then three joined by tables, by length.
pub(crate) type ChainOrTables<F> =
    ByLength<HeadShift<F>, OutOfLine<ThreeWayTables<F>>, TABLES_FROM>;
