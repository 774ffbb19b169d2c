//! CRC-32/ISO-HDLC and CRC-64/NVME: their functions, and one table of kernels for both.
//!
//! They are folded at all lengths; CPUs with fast byte matrices remove vectors by those.

use super::compiled::{Crc32, Crc64Nvme, compiled_kernels, extend};
use super::eighth::{Eighth, EighthOr, LEAST};
use super::family::WithConstants;
use super::fold::{AtOnceOr, Fold, FoldLong, FoldStreams, LongOrStreams};
use super::sparse::SparseOnce;
use super::steps::{
    ChainOrTables, ChainToFused, FusedEor3, FusedPmull, HeadShift, Serial, ThreeWay,
};
use super::taps::{Crc32ByMatrices, Crc64NvmeByMatrices, Crc64NvmeOneVectorByMatrices, Taps};
use crate::arch::STREAMS_FROM;
use crate::body::{ByLength, OutOfLine};
use crate::kernel::{on_aarch64, on_riscv64, on_s390x, on_x86_64};

/// Computes CRC-32/ISO-HDLC, the CRC of Ethernet, zip, gzip and PNG, of `data` of any length.
///
/// ```
/// assert_eq!(residue::crc32(b"123456789"), 0xcbf4_3926);
/// ```
#[inline]
#[must_use]
pub fn crc32(data: &[u8]) -> u32 {
    Crc32::DISPATCH.oneshot(&(), data)
}

/// Computes CRC-64/NVME, the CRC of NVMe data and of S3 objects, of `data` of any length.
///
/// ```
/// assert_eq!(residue::crc64_nvme(b"123456789"), 0xae8b_1486_0a79_9888);
/// ```
#[inline]
#[must_use]
pub fn crc64_nvme(data: &[u8]) -> u64 {
    Crc64Nvme::DISPATCH.oneshot(&(), data)
}

/// Returns [`crc32`] of data with the value `value`, followed by `data`, like zlib's
/// `crc32(crc, data)`.
///
/// To start, pass 0, the value of the empty message.
///
/// ```
/// assert_eq!(residue::crc32_extend(residue::crc32(b"12345"), b"6789"), 0xcbf4_3926);
/// ```
#[inline]
#[must_use]
pub fn crc32_extend(value: u32, data: &[u8]) -> u32 {
    extend(Crc32::DISPATCH, value, data)
}

/// Returns [`crc64_nvme`] of data with the value `value`, followed by `data`.
///
/// To start, pass 0, the value of the empty message.
#[inline]
#[must_use]
pub fn crc64_nvme_extend(value: u64, data: &[u8]) -> u64 {
    extend(Crc64Nvme::DISPATCH, value, data)
}

/// Folds long data.
type LongFold<N> = WithConstants<N, OutOfLine<FoldLong>>;

/// Folds, and removes all vectors by the matrices of `Long` in data that is long enough for it.
type ByMatrices<N, Long> = AtOnceOr<
    N,
    WithConstants<N, ByLength<Fold, LongOrStreams<Long, { Taps::FROM }>, { Taps::FROM }>>,
>;

/// Does what [`ByMatrices`] does, for copies.
type CopyByMatrices<N, Long> = WithConstants<N, ByLength<FoldLong, Long, { Taps::FROM }>>;

/// Folds by carry-less products, data that come from memory in two streams if the CPU gains by it.
type FoldOrStreams<N> = WithConstants<N, ByLength<Fold, OutOfLine<FoldStreams>, STREAMS_FROM>>;

/// Folds, and removes one vector of a window by the matrices of `One` in data from 64 KiB to 4 MiB:
/// shorter data gain nothing by it, and most longer data come from memory, whose speed decides.
///
/// On Zen 4 CRC-64/NVME takes 16.9 bytes a cycle by it, and 16.0 by folding (256 KiB, an idle core,
/// 2026-11-23). On Emerald Rapids it gains 3 % while the core is idle, and loses 8 to 10 % at busy
/// times (64 KiB, 2026-11-29, docs/speed/peers.md).
type FewByMatrices<N, One> = AtOnceOr<
    N,
    WithConstants<
        N,
        ByLength<Fold, ByLength<OutOfLine<One>, OutOfLine<FoldStreams>, { 4 << 20 }>, { 64 << 10 }>,
    >,
>;

/// Declares the table of a CRC: its body by matrices, other lines with matrices, its body by
/// products of four lanes, and what it adds between AVX2 with carry-less products of two lanes and
/// those of one, or for aarch64.
macro_rules! folded {
    (
        $(#[$doc:meta])* $kernels:ident: $name:ident, $word:ident;
        $matrices:ident [$($few:expr,)*];
        products $products:ty;
        [$($line:expr,)*]
        methods [$($method:expr,)*]
    ) => {
        compiled_kernels! {
            $(#[$doc])*
            $kernels: $name, $word;
            [
                on_x86_64!(
                    Avx512Vpclmul, ByMatrices<$name, $matrices>, "avx512_gfni",
                    copy CopyByMatrices<$name, $matrices>
                )
                .by_matrices($word::BITS),
                $($few,)*
                on_x86_64!(
                    Avx512Vpclmul, $products, "avx512_vpclmul", copy LongFold<$name>
                ),
                on_x86_64!(
                    Avx2Vpclmul, WithConstants<$name, Fold>, "avx2_vpclmul", copy LongFold<$name>
                ),
                $($line,)*
                on_x86_64!(
                    Pclmul, WithConstants<$name, FoldApart>, "pclmul", copy LongFold<$name>
                ),
                on_aarch64!(
                    PmullEor3, WithConstants<$name, FoldApart>, "pmull_eor3", copy LongFold<$name>
                ),
                on_aarch64!(
                    Pmull, WithConstants<$name, FoldApart>, "pmull", copy LongFold<$name>
                ),
                on_riscv64!(
                    Zbc, WithConstants<$name, FoldApart>, "zbc", copy LongFold<$name>
                ),
                on_s390x!(
                    Vector, WithConstants<$name, FoldApart>, "vgfm", copy LongFold<$name>
                ),
            ]
            methods [
                $($method,)*
            ]
            generic []
        }
    };
}

folded! {
    /// The kernels of CRC-32/ISO-HDLC, best first.
    KERNELS_32: Crc32, u32;
    Crc32ByMatrices [];
    products AtOnceOr<Crc32, EighthOr<FoldOrStreams<Crc32>>>;
    [
        on_aarch64!(
            CrcPmullEor3, ChainToFused<Crc32, FusedEor3<Crc32>>, "crc_pmull_eor3",
            copy LongFold<Crc32>
        ),
        on_aarch64!(
            CrcPmull, ChainToFused<Crc32, FusedPmull<Crc32>>, "crc_pmull",
            copy LongFold<Crc32>
        ),
        on_aarch64!(Crc, ChainOrTables<Crc32>, "crc_tables"),
        // Intel from Haswell to Cascade Lake; Zen 1 and 2.
        on_x86_64!(
            Avx2Pclmul, SparseOnce<Crc32, WithConstants<Crc32, FoldApart>>, "pclmul_avx2_sparse",
            copy_on Pclmul LongFold<Crc32>
        ),
    ]
    methods [
        on_x86_64!(
            Avx512Vpclmul,
            ByLength<WithConstants<Crc32, Fold>, OutOfLine<Eighth>, LEAST>,
            "avx512_gfni_few"
        )
        .method(),
        on_aarch64!(CrcPmullEor3, FusedEor3<Crc32>, "crc_pmull_eor3_fused").method(),
        on_aarch64!(CrcPmull, FusedPmull<Crc32>, "crc_pmull_fused").method(),
        on_aarch64!(CrcPmull, ThreeWay<Crc32>, "crc_pmull_three_way").method(),
        on_aarch64!(Crc, HeadShift<Crc32>, "crc_head").method(),
        on_aarch64!(Crc, Serial<Crc32>, "crc").historical(),
    ]
}

folded! {
    /// The kernels of CRC-64/NVME, best first.
    KERNELS_64_NVME: Crc64Nvme, u64;
    Crc64NvmeByMatrices [
        on_x86_64!(
            Avx512Vpclmul, FewByMatrices<Crc64Nvme, Crc64NvmeOneVectorByMatrices>,
            "avx512_gfni_few", copy LongFold<Crc64Nvme>
        )
        .by_matrices(u32::BITS),
    ];
    products AtOnceOr<Crc64Nvme, FoldOrStreams<Crc64Nvme>>;
    []
    methods []
}
