//! CRCs with compiled-in constants: CRC-32C, whose kernels are in [`crc32c`](super::crc32c), CRC-32
//! and CRC-64/NVME.
//!
//! They run the kernels for any CRC of up to 64 bits, which then need not test the bit order or
//! read constants through a pointer. Without carry-less products they use tables; two of them use
//! CPU instructions.

use super::catalog;
use super::family::WithConstants;
use super::fold::{Fold, FoldLanes, FoldLanesApart, FoldLong, FoldStreams};
use super::steps::{
    ChainOrTables, ChainToFused, FusedEor3, FusedPmull, HasCrcInstruction, HeadShift, Serial,
    ShiftTables, ThreeWay,
};
use super::taps::{
    Crc32ByMatrices, Crc32OneVectorByMatrices, Crc64NvmeByMatrices, Crc64NvmeOneVectorByMatrices,
    Taps,
};
use crate::arch::{Ethernet, Polynomial};
use crate::body::{ByLength, OutOfLine};
use crate::cpu::Product;
use crate::kernel::{on_aarch64, on_x86_64};

pub use super::family::CompiledIn;

/// The CRCs with compiled-in constants, by the function that computes them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compiled {
    /// [`crc32c`](crate::crc32c).
    Crc32c,
    /// [`crc32`](crate::crc32).
    Crc32,
    /// [`crc64_nvme`](crate::crc64_nvme).
    Crc64Nvme,
}

/// Returns the value of data with the value `value`, followed by `data`.
#[inline]
pub(crate) fn extend<N: CompiledIn>(value: N::Word, data: &[u8]) -> N::Word {
    !N::DISPATCH.run(&(), !value, data)
}

/// Declares a CRC with compiled-in constants: its type, a static of it, and its kernels, to which
/// the portable ones are added.
macro_rules! compiled_in {
    (
        $(#[$doc:meta])* $name:ident, $word:ident, $params:ident;
        $(#[$static_doc:meta])* $crc:ident;
        [$($line:expr,)*]
        methods [$($method:expr,)*]
        generic [$($generic:expr),*]
    ) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name;

        $(#[$static_doc])*
        pub static $crc: $crate::crc::Crc<$word> =
            $crate::crc::Crc::new(&$crate::crc::catalog::$params);

        // `Family` assumes these properties.
        const _: () = {
            let params = &$crate::crc::catalog::$params;
            assert!(params.refin && params.refout && params.width as u32 == $word::BITS);
            assert!(params.init == $word::MAX as u128 && params.xorout == $word::MAX as u128);
        };

        impl $crate::crc::family::CompiledIn for $name {
            type Word = $word;

            #[inline(always)]
            fn constants() -> &'static $crate::crc::constants::Constants {
                const {
                    match $crc.constants() {
                        Some(constants) => constants,
                        None => panic!("it has 64 bits at most"),
                    }
                }
            }

            #[inline(always)]
            fn tables() -> &'static $crate::crc::tables::Tables<$word> {
                use $crate::crc::{catalog, tables::Tables};
                // 64 KiB that no compressor makes smaller; WebAssembly is downloaded.
                #[cfg(all(target_arch = "wasm32", feature = "std"))]
                {
                    static TABLES: std::sync::OnceLock<Tables<$word>> = std::sync::OnceLock::new();
                    TABLES.get_or_init(|| Tables::<$word>::new(&catalog::$params))
                }
                #[cfg(not(all(target_arch = "wasm32", feature = "std")))]
                {
                    static TABLES: Tables<$word> = Tables::<$word>::new(&catalog::$params);
                    &TABLES
                }
            }

            const KERNELS: &'static [$crate::kernel::Kernel<$name>] = {
                use $crate::arch::Portable;
                use $crate::crc::chains::EightChains;
                use $crate::crc::family::{WithConstants, OnTables};
                use $crate::crc::embedded::{Bitwise, BitwiseBranch, BitwiseMsb};
                use $crate::crc::fold::FoldApart;
                use $crate::crc::tables::{Bytewise, Nibble, Slicing};
                use $crate::kernel::Kernel;
                &[
                    $($line,)*
                    $(#[cfg(feature = "methods")] $method,)*
                    #[cfg(feature = "generic")]
                    Kernel::generic::<WithConstants<$name, FoldApart>>("generic"),
                    $(#[cfg(feature = "generic")] $generic,)*
                    #[cfg(feature = "methods")]
                    Kernel::on::<Portable, OnTables<$name, Slicing<$word, 16>>>("slicing16")
                        .method(),
                    #[cfg(feature = "methods")]
                    Kernel::on::<Portable, OnTables<$name, Slicing<$word, 8>>>("slicing8")
                        .historical(),
                    #[cfg(feature = "methods")]
                    Kernel::on::<Portable, OnTables<$name, Slicing<$word, 4>>>("slicing4")
                        .historical(),
                    #[cfg(feature = "methods")]
                    Kernel::on::<Portable, OnTables<$name, Bytewise<$word>>>("bytewise")
                        .historical(),
                    #[cfg(feature = "methods")]
                    Kernel::on::<Portable, OnTables<$name, Nibble<$word>>>("nibble").historical(),
                    #[cfg(feature = "methods")]
                    Kernel::on::<Portable, WithConstants<$name, Bitwise>>("bitwise").historical(),
                    #[cfg(feature = "methods")]
                    Kernel::on::<Portable, WithConstants<$name, BitwiseMsb>>("bitwise_msb")
                        .historical(),
                    #[cfg(feature = "methods")]
                    Kernel::on::<Portable, WithConstants<$name, BitwiseBranch>>("bitwise_sahu2019")
                        .historical(),
                    #[cfg(feature = "methods")]
                    Kernel::on::<Portable, WithConstants<$name, EightChains>>("eight_chains")
                        .method(),
                    // CPUs that come here are rare where there are vectors, and not worth tables
                    // of 16 KiB in every program.
                    if $crate::cpu::Features::POSSIBLE.is_none() {
                        Kernel::on::<Portable, OnTables<$name, Slicing<$word, 16>>>("portable")
                            .same_as("slicing16")
                    } else {
                        Kernel::on::<Portable, WithConstants<$name, EightChains>>("portable")
                            .same_as("eight_chains")
                    },
                ]
            };

            #[allow(private_interfaces)]
            const DISPATCH: &'static $crate::kernel::Dispatch<$name> = {
                use $crate::kernel::{Dispatch, dispatch};
                const DISPATCH: Dispatch<$name> = dispatch!($name, $name::KERNELS);
                &DISPATCH
            };
        }
    };
}
pub(super) use compiled_in;

/// Folds long data.
type LongFold<N> = WithConstants<N, OutOfLine<FoldLong>>;

/// Folds, and removes all vectors by the matrices of `Long` in data that is long enough for it.
type ByMatrices<N, Long> = WithConstants<N, ByLength<Fold, OutOfLine<Long>, { Taps::FROM }>>;

/// Does what [`ByMatrices`] does, for copies.
type CopyByMatrices<N, Long> = WithConstants<N, ByLength<FoldLong, Long, { Taps::FROM }>>;

/// Folds by carry-less products, and by `One`, which removes one vector of a window by matrices, in
/// data from `FROM` bytes up to [`MATRICES_BELOW`]. Longer data may be folded in two streams.
type Products<N, One, const FROM: usize> = ByLength<
    WithConstants<N, FoldLanes>,
    ByLength<
        WithConstants<N, OutOfLine<One>>,
        OutOfLine<WithConstants<N, FoldStreams>>,
        MATRICES_BELOW,
    >,
    FROM,
>;

/// The length from which CRC-32 gains by one vector of a window by matrices, an estimate;
/// CRC-64/NVME, whose taps are twice as many, at four times the length.
///
/// On an Emerald Rapids (2026-11-24) it gains from 48 KiB on, the size of the first-level cache: 16
/// KiB take 174 ns with matrices and 169 by folding, 64 KiB 671 and 689.
const MATRICES_FROM: usize = 16 << 10;

/// The length from which the data of most CPUs come from memory, whose speed decides then.
///
/// Folding reads in order. The loop with matrices does not, and on Zen 4 it has less than
/// half of the speed of folding for CRC-64/NVME at 16 MiB and 64 MiB.
const MATRICES_BELOW: usize = 4 << 20;

/// Removes one vector of a window by matrices in all data that is long enough for it.
type OneVectorByMatrices<N, One> =
    WithConstants<N, ByLength<FoldLanesApart, OutOfLine<One>, { Taps::FROM }>>;

compiled_in! {
    /// CRC-32/ISO-HDLC.
    Crc32, u32, CRC_32_ISO_HDLC;
    /// CRC-32/ISO-HDLC with compiled-in constants, for the operations [`crc32`](crate::crc32) does
    /// not have: streaming, combine, update, verify.
    CRC_32;
    [
        on_x86_64!(
            Avx512Vpclmul, ByMatrices<Crc32, Crc32ByMatrices>, "avx512_gfni",
            copy CopyByMatrices<Crc32, Crc32ByMatrices>
        )
        .by(Product::ByteMatrix),
        on_x86_64!(
            Avx512Vpclmul, Products<Crc32, Crc32OneVectorByMatrices, MATRICES_FROM>,
            "avx512_vpclmul", copy LongFold<Crc32>
        ),
        on_x86_64!(Avx2Vpclmul, WithConstants<Crc32, Fold>, "avx2_vpclmul", copy LongFold<Crc32>),
        on_x86_64!(Pclmul, WithConstants<Crc32, FoldApart>, "pclmul", copy LongFold<Crc32>),
        on_aarch64!(
            CrcPmullEor3, ChainToFused<Crc32, FusedEor3<Crc32>>, "crc_pmull_eor3",
            copy LongFold<Crc32>
        ),
        on_aarch64!(
            CrcPmull, ChainToFused<Crc32, FusedPmull<Crc32>>, "crc_pmull",
            copy LongFold<Crc32>
        ),
        on_aarch64!(Crc, ChainOrTables<Crc32>, "crc_tables"),
        on_aarch64!(PmullEor3, WithConstants<Crc32, FoldApart>, "pmull_eor3", copy LongFold<Crc32>),
        on_aarch64!(Pmull, WithConstants<Crc32, FoldApart>, "pmull", copy LongFold<Crc32>),
    ]
    methods [
        on_x86_64!(Avx512Vpclmul, WithConstants<Crc32, FoldLanesApart>, "avx512_vpclmul_fold")
            .method(),
        on_x86_64!(
            Avx512Vpclmul, OneVectorByMatrices<Crc32, Crc32OneVectorByMatrices>, "avx512_gfni_few"
        )
        .method(),
        on_aarch64!(CrcPmullEor3, FusedEor3<Crc32>, "crc_pmull_eor3_fused").method(),
        on_aarch64!(CrcPmull, FusedPmull<Crc32>, "crc_pmull_fused").method(),
        on_aarch64!(CrcPmull, ThreeWay<Crc32>, "crc_pmull_three_way").method(),
        on_aarch64!(Crc, HeadShift<Crc32>, "crc_head").method(),
        on_aarch64!(Crc, Serial<Crc32>, "crc").historical(),
    ]
    generic []
}

compiled_in! {
    /// CRC-64/NVME.
    Crc64Nvme, u64, CRC_64_NVME;
    /// CRC-64/NVME with compiled-in constants, for the operations [`crc64_nvme`](crate::crc64_nvme)
    /// does not have: streaming, combine, update, verify.
    CRC_64_NVME;
    [
        on_x86_64!(
            Avx512Vpclmul, ByMatrices<Crc64Nvme, Crc64NvmeByMatrices>, "avx512_gfni",
            copy CopyByMatrices<Crc64Nvme, Crc64NvmeByMatrices>
        )
        .by(Product::ByteMatrix),
        on_x86_64!(
            Avx512Vpclmul, Products<Crc64Nvme, Crc64NvmeOneVectorByMatrices, { 4 * MATRICES_FROM }>,
            "avx512_vpclmul", copy LongFold<Crc64Nvme>
        ),
        on_x86_64!(Avx2Vpclmul, WithConstants<Crc64Nvme, Fold>, "avx2_vpclmul",
            copy LongFold<Crc64Nvme>),
        on_x86_64!(Pclmul, WithConstants<Crc64Nvme, FoldApart>, "pclmul", copy LongFold<Crc64Nvme>),
        on_aarch64!(
            PmullEor3, WithConstants<Crc64Nvme, FoldApart>, "pmull_eor3",
            copy LongFold<Crc64Nvme>,
        ),
        on_aarch64!(Pmull, WithConstants<Crc64Nvme, FoldApart>, "pmull", copy LongFold<Crc64Nvme>),
    ]
    methods [
        on_x86_64!(Avx512Vpclmul, WithConstants<Crc64Nvme, FoldLanesApart>, "avx512_vpclmul_fold")
            .method(),
        on_x86_64!(
            Avx512Vpclmul, OneVectorByMatrices<Crc64Nvme, Crc64NvmeOneVectorByMatrices>,
            "avx512_gfni_few"
        )
        .method(),
    ]
    generic []
}

const _: () = assert!(Ethernet::POLY as u128 == catalog::CRC_32_ISO_HDLC.poly);

impl HasCrcInstruction for Crc32 {
    type Polynomial = Ethernet;

    #[inline(always)]
    fn shift_tables() -> &'static ShiftTables {
        static TABLES: ShiftTables = ShiftTables::new(Ethernet::POLY);
        &TABLES
    }
}

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
    extend::<Crc32>(value, data)
}

/// Returns [`crc64_nvme`] of data with the value `value`, followed by `data`.
///
/// To start, pass 0, the value of the empty message.
#[inline]
#[must_use]
pub fn crc64_nvme_extend(value: u64, data: &[u8]) -> u64 {
    extend::<Crc64Nvme>(value, data)
}
