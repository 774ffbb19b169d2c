//! CRCs with a CPU instruction: CRC-32C on x86-64 and aarch64, CRC-32 on aarch64.
//!
//! [`HeadShift`] runs one chain of whole words. The one to eight bytes before them form a word
//! padded with zeros in front, which cost nothing from a register of zeros; where the register is
//! all ones, a table has the register that these zeros turn into it. The number of words is the
//! only branch. Those with three chains join the registers by carry-less multiplication (V. Gopal
//! et al., *Fast CRC Computation for iSCSI Polynomial Using CRC32 Instruction*, 2011), or by tables
//! (M. Adler). [`FoldSteps`] reduces the last lane of folding by two instructions. [`Fused`] runs
//! chains and folding at once.

use crate::body::{ByLength, OutOfLine};

mod chain;
mod fold;
mod fused;
mod shift;
mod three_way;

pub(super) use chain::serial;
pub(crate) use chain::{HeadShift, Serial, before_zeros};
pub(crate) use fold::{FoldSteps, FoldStepsLong};
pub(crate) use fused::Fused;
pub(crate) use shift::{HasCrcInstruction, ShiftTables};
pub(super) use shift::{embedded, shift_key};
use three_way::TABLES_FROM;
pub(crate) use three_way::{Thirds, ThreeWay, ThreeWayTables};

/// Runs one chain of instructions, then folding, by length.
pub(crate) type ChainOrFold<F, const APART_FROM: usize = 0> =
    FoldSteps<F, { FOLD_FROM - 1 }, APART_FROM>;

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
pub(crate) type ChainToFused<F, B, const FROM: usize = FUSED_FROM, const APART_FROM: usize = 0> =
    ByLength<ChainOrFold<F, APART_FROM>, OutOfLine<B>, FROM>;

/// The length from which the fused body takes over, an estimate: it is used on aarch64, of which no
/// CPU was measured.
const FUSED_FROM: usize = 4096;

/// Runs one chain of instructions, then three joined by tables, by length.
pub(crate) type ChainOrTables<F> =
    ByLength<HeadShift<F>, OutOfLine<ThreeWayTables<F>>, TABLES_FROM>;
