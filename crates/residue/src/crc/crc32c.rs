//! CRC-32C (Castagnoli; CRC-32/ISCSI), the CRC of iSCSI, SCTP, ext4, Btrfs and NVMe/TCP. Most CPUs
//! have its division as an instruction. Parameters: polynomial 1EDC6F41, reflected, init and xorout
//! all ones (RFC 3720, section 12.1).
//!
//! Example: `123456789` gives E3069283. On the wire: lowest byte first.

use super::compiled::{Crc32c, compiled_kernels, extend};
use super::family::WithConstants;
use super::fold::LongOrStreams;
use super::lockstep::Lockstep;
use super::sahu2019;
use super::steps::{
    ChainOrFold, ChainOrTables, ChainToFused, FoldSteps, FoldStepsLong, Fused, FusedEor3,
    FusedPmull, HeadShift, Serial, Thirds, ThreeWay,
};
use super::taps::{Crc32cByMatrices, Taps};
use crate::arch::ALIGNED_FROM;
use crate::body::{ByLength, OutOfLine};
use crate::kernel::{on_aarch64, on_riscv64, on_s390x, on_x86_64};

/// Computes CRC-32C of `data`, of any length.
///
/// ```
/// assert_eq!(residue::crc32c(b"123456789"), 0xe306_9283);
/// ```
#[inline]
#[must_use]
pub fn crc32c(data: &[u8]) -> u32 {
    Crc32c::DISPATCH.oneshot(&(), data)
}

/// Returns [`crc32c`] of data with the value `value`, followed by `data`.
///
/// To start, pass 0, the value of the empty message.
///
/// ```
/// assert_eq!(residue::crc32c_extend(residue::crc32c(b"12345"), b"6789"), 0xe306_9283);
/// ```
#[inline]
#[must_use]
pub fn crc32c_extend(value: u32, data: &[u8]) -> u32 {
    extend(Crc32c::DISPATCH, value, data)
}

/// Runs one chain of instructions, then folding, then byte matrices, by length.
type ComposedTaps = ByLength<
    ChainOrFold<Crc32c, ALIGNED_FROM>,
    WithConstants<Crc32c, LongOrStreams<Crc32cByMatrices, { Taps::FROM }>>,
    { Taps::FROM },
>;

/// Folds, then byte matrices, for copies.
type CopyTaps =
    ByLength<FoldStepsLong<Crc32c>, WithConstants<Crc32c, Crc32cByMatrices>, { Taps::FROM }>;

/// Runs four chains of 256 bytes beside 4096 bytes of vectors: on Intel's cores the products of a
/// vector take two cycles, and in that time the chains take two words.
type FusedAvx512 = Fused<Crc32c, 5120, 4, 256, 4>;

/// Runs one chain of instructions, then folding, then both at once from the first whole block on.
type ComposedAvx512 = ChainToFused<Crc32c, FusedAvx512, 5120, ALIGNED_FROM>;

/// Runs both units on equal numbers of bytes: with vectors of two lanes each takes 8 bytes a cycle.
type FusedAvx2 = Fused<Crc32c, 1024, 4, 128, 4>;

/// Runs one chain of instructions, then three, then folding, then both at once, by length.
type Composed = ByLength<HeadShift<Crc32c>, ThreeWayToFused, THREE_WAY_FROM>;

// Three chains and folding need no stack frame, and share a function with the one: behind a second
// call, 128 bytes took 2 ns longer on a Zen 3 core (2026-11-23, `residue bench -a crc32c -k
// sse42_pclmul,sse42_avx2_vpclmul --mode throughput --sizes 128`).
type ThreeWayToFused = ByLength<Thirds<Crc32c>, FoldToFused, FOLD_FROM>;

type FoldToFused = ByLength<FoldStepsLong<Crc32c, false>, OutOfLine<FusedAvx2>, FUSED_FROM>;

// The lengths from which each wins, on a Zen 3 core on 2026-11-23: `cargo xtask rivals -c crc-32c
// -m throughput,latency -s 64,88,96,112,128,144,160,192,208,216,224,256,1024`. Where
// throughput and latency disagree, the mode in which a rival leads decides.
const THREE_WAY_FROM: usize = 112;
const FOLD_FROM: usize = 216;
const FUSED_FROM: usize = 1024;

compiled_kernels! {
    /// The kernels of CRC-32C, best first.
    KERNELS: Crc32c, u32;
    [
        // Zen 4 and Zen 5.
        on_x86_64!(
            Avx512Vpclmul, ComposedTaps, "sse42_avx512_gfni",
            copy CopyTaps, batch Avx2Vpclmul Lockstep
        )
        .by_matrices(32),
        // Intel from Ice Lake on, with AVX-512.
        on_x86_64!(
            Avx512Vpclmul, ComposedAvx512, "sse42_avx512_vpclmul",
            copy FoldStepsLong<Crc32c>, batch Avx2Vpclmul Lockstep
        ),
        // Zen 3; Intel from Alder Lake on, without AVX-512.
        on_x86_64!(
            Avx2Vpclmul, Composed, "sse42_avx2_vpclmul",
            copy FoldStepsLong<Crc32c>, batch Avx2Vpclmul Lockstep
        ),
        // Intel from Westmere, AMD from Bulldozer to Zen 2.
        on_x86_64!(
            Sse42Pclmul, ThreeWay<Crc32c>, "sse42_pclmul",
            copy FoldStepsLong<Crc32c>, batch Sse42 Lockstep
        ),
        // Nehalem, and virtual machines that hide carry-less products.
        on_x86_64!(Sse42, ChainOrTables<Crc32c>, "sse42_tables", batch Sse42 Lockstep),
        // Apple M; Neoverse V1 and N2, and later ones.
        on_aarch64!(
            CrcPmullEor3, ChainToFused<Crc32c, FusedEor3<Crc32c>>, "crc_pmull_eor3",
            copy FoldStepsLong<Crc32c>, batch Crc Lockstep
        ),
        // Other CPUs with the instructions for AES: Neoverse N1, Cortex-A.
        on_aarch64!(
            CrcPmull, ChainToFused<Crc32c, FusedPmull<Crc32c>>, "crc_pmull",
            copy FoldStepsLong<Crc32c>, batch Crc Lockstep
        ),
        on_aarch64!(Crc, ChainOrTables<Crc32c>, "crc_tables", batch Crc Lockstep),
        on_aarch64!(Pmull, WithConstants<Crc32c, FoldApart>, "pmull"),
        on_riscv64!(Zbc, WithConstants<Crc32c, FoldApart>, "zbc"),
        on_s390x!(Vector, WithConstants<Crc32c, FoldApart>, "vgfm"),
    ]
    methods [
        on_x86_64!(Avx512Vpclmul, WithConstants<Crc32c, Taps>, "avx512_gfni").method(),
        on_x86_64!(Avx512Vpclmul, FoldSteps<Crc32c>, "avx512_vpclmul").method(),
        on_x86_64!(Avx2Vpclmul, FoldSteps<Crc32c>, "avx2_vpclmul").method(),
        on_x86_64!(Sse42Pclmul, FoldSteps<Crc32c>, "sse42_pclmul_fold").method(),
        on_x86_64!(Sse42, HeadShift<Crc32c>, "sse42_head").method(),
        on_x86_64!(Avx2Vpclmul, FusedAvx2, "sse42_avx2_vpclmul_fused").method(),
        on_x86_64!(Avx512Vpclmul, FusedAvx512, "sse42_avx512_vpclmul_fused").method(),
        on_x86_64!(Sse42, Serial<Crc32c>, "sse42").historical(),
        on_x86_64!(Sse42Pclmul, sahu2019::Thirds, "sse42_pclmul_sahu2019").historical(),
        on_x86_64!(Sse42, sahu2019::Segments, "sse42_tables_sahu2019").historical(),
        // No CPU has carry-less products without the CRC instruction.
        on_x86_64!(Pclmul, WithConstants<Crc32c, FoldApart>, "pclmul").method(),
        on_aarch64!(CrcPmullEor3, FusedEor3<Crc32c>, "crc_pmull_eor3_fused").method(),
        on_aarch64!(CrcPmull, FusedPmull<Crc32c>, "crc_pmull_fused").method(),
        on_aarch64!(CrcPmull, ThreeWay<Crc32c>, "crc_pmull_three_way").method(),
        on_aarch64!(Crc, HeadShift<Crc32c>, "crc_head").method(),
        on_aarch64!(Crc, Serial<Crc32c>, "crc").historical(),
    ]
    generic [
        Kernel::generic::<ThreeWay<Crc32c>>("generic_three_way")
            .batched::<Portable, Lockstep>(),
        Kernel::generic::<super::steps::ThreeWayTables<Crc32c>>("generic_tables")
    ]
}
