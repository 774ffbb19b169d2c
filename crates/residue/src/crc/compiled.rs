//! CRCs with compiled-in constants, as types: CRC-32C, CRC-32 and CRC-64/NVME.
//!
//! They run the kernels for any CRC of up to 64 bits, which then need not test the bit order or
//! read constants through a pointer. Without carry-less products they use tables; two of them use
//! CPU instructions.

use super::any::Crc;
use super::constants::{COPIES_FROM, Constants};
use super::family::{CompiledIn, OnTables};
use super::powers::Powers;
use super::sparse::{SparseOr, sparsely};
use super::steps::{HasCrcInstruction, ShiftTables};
use super::tables::{Reflected, ReflectedEnd, Tables};
use crate::arch::{Castagnoli, Ethernet, Polynomial};
use crate::body::Family;
use crate::kernel::Dispatch;

/// Returns the value of data with the value `value`, followed by `data`.
#[inline]
pub(super) fn extend<N: CompiledIn>(best: &Dispatch<N>, value: N::Word, data: &[u8]) -> N::Word {
    !best.run(&(), !value, data)
}

/// Declares CRCs with compiled-in constants: the type of each, and a static of it.
macro_rules! compiled_in {
    ($(
        $(#[$doc:meta])* $name:ident, $word:ident, $params:ident;
        $(#[$static_doc:meta])* $crc:ident;
    )*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name;

        $(#[$static_doc])*
        pub static $crc: Crc<$word> = Crc::new(&super::catalog::$params);

        // `Family` assumes these properties.
        const _: () = {
            let params = &super::catalog::$params;
            assert!(params.refin && params.refout && params.width as u32 == $word::BITS);
            assert!(params.init == $word::MAX as u128 && params.xorout == $word::MAX as u128);
        };

        impl Family for $name {
            type Context = ();
            type State = $word;
            type Value = $word;
            const COPIES_FROM: usize = COPIES_FROM;
            // By `cargo xtask rivals --portable --modes copy --sizes 1M`, 2026-11-30, Emerald
            // Rapids: CRC-32C in blocks of 128 KiB takes 1.02 to 1.04 of the time of a copy and
            // then a check, in blocks of 64, 32, 16 and 4 KiB 1.12, 1.30, 1.43 and 1.67: sparse
            // multiples leave the end of each block to slower kernels.
            const BLOCK: usize = 128 << 10;

            #[inline(always)]
            fn start((): &()) -> $word {
                !0
            }

            #[inline(always)]
            fn finish((): &(), state: $word) -> $word {
                !state
            }
        }

        impl CompiledIn for $name {
            type Word = $word;

            #[inline(always)]
            fn constants() -> &'static Constants {
                const {
                    match $crc.constants() {
                        Some(constants) => constants,
                        None => panic!("it has 64 bits at most"),
                    }
                }
            }

            #[inline(always)]
            fn powers() -> &'static Powers {
                static POWERS: Powers =
                    Powers::new($word::BITS, super::catalog::$params.poly as u64);
                &POWERS
            }

            #[inline(always)]
            fn tables(compute: bool) -> Option<&'static Tables<$word>> {
                #[cfg(feature = "std")]
                if super::tables::LATE {
                    use std::{boxed::Box, sync::OnceLock};
                    // On the heap: a static of this size would be in the program's file.
                    static TABLES: OnceLock<Box<Tables<$word>>> = OnceLock::new();
                    if compute {
                        let new = || Box::new(Tables::<$word>::new(&super::catalog::$params));
                        TABLES.get_or_init(new);
                    }
                    return TABLES.get().map(|tables| &**tables);
                }
                _ = compute;
                static TABLES: Tables<$word> = Tables::<$word>::new(&super::catalog::$params);
                Some(&TABLES)
            }
        }
    )*};
}

compiled_in! {
    /// The CRC-32C code, as the family of its kernels.
    Crc32c, u32, CRC_32_ISCSI;
    /// CRC-32C with compiled-in constants, for the operations [`crc32c`](crate::crc32c) does not
    /// have: streaming, combine, update, verify.
    CRC_32C;

    /// CRC-32/ISO-HDLC.
    Crc32, u32, CRC_32_ISO_HDLC;
    /// CRC-32/ISO-HDLC with compiled-in constants, for the operations [`crc32`](crate::crc32) does
    /// not have: streaming, combine, update, verify.
    CRC_32;

    /// CRC-64/NVME.
    Crc64Nvme, u64, CRC_64_NVME;
    /// CRC-64/NVME with compiled-in constants, for the operations [`crc64_nvme`](crate::crc64_nvme)
    /// does not have: streaming, combine, update, verify.
    CRC_64_NVME;
}

macro_rules! has_instruction {
    ($($name:ident: $polynomial:ident, $params:ident;)*) => {$(
        const _: () = assert!($polynomial::POLY as u128 == super::catalog::$params.poly);

        impl HasCrcInstruction for $name {
            type Polynomial = $polynomial;

            #[inline(always)]
            fn shift_tables() -> &'static ShiftTables {
                static TABLES: ShiftTables = ShiftTables::new($polynomial::POLY);
                &TABLES
            }
        }
    )*};
}
has_instruction! {
    Crc32c: Castagnoli, CRC_32_ISCSI;
    Crc32: Ethernet, CRC_32_ISO_HDLC;
}

// By `residue strength multiples`: those with the shortest last distances whose first one is large
// enough. The lengths from which few distances are used are interpolated on a Zen 4 (2026-11-27):
// CRC-32 of 10,000 bytes took 764 ns by short ones, each further byte 0.25 cycles; of 16 KiB it
// took 1460 ns by few, each further byte 0.15 (`residue bench -a crc-32,crc-64/nvme -k
// sparse,slicing16 --mode throughput`). CRC-64/NVME of 4 KiB took 0.94 to 1.11 of the time of
// tables on Emerald Rapids (2026-11-30), and 1.13 from memory.
sparsely! {
    Crc32c: CRC_32_ISCSI, [1747, 2830, 5321], from 20 << 10, short [154, 177, 183, 258, 290];
    Crc32: CRC_32_ISO_HDLC, [1927, 2181, 4018], from 20 << 10, short [145, 183, 211, 300];
    Crc64Nvme: CRC_64_NVME, [280, 979, 1172, 1598, 1607, 1645, 1740], from 5 << 10, short [];
}

/// Goes by sparse multiples, or by tables, by length.
pub(super) type SparseOrTables<N, W> =
    SparseOr<N, OnTables<N, Reflected<W, 16>>, OnTables<N, ReflectedEnd<W>>>;

/// Declares the table of kernels of a CRC with compiled-in constants, to which the portable ones
/// are added.
macro_rules! compiled_kernels {
    (
        $(#[$doc:meta])* $kernels:ident: $name:ident, $word:ident;
        [$($line:expr,)*]
        methods [$($method:expr,)*]
        generic [$($generic:expr),*]
    ) => {
        $(#[$doc])*
        pub(crate) const $kernels: &[$crate::kernel::Kernel<$name>] = {
            use $crate::arch::Portable;
            use $crate::crc::chains::EightChains;
            use $crate::crc::family::{WithConstants, OnTables};
            use $crate::crc::embedded::{Bitwise, BitwiseBranch, BitwiseMsb};
            use $crate::crc::fold::FoldApart;
            use $crate::crc::compiled::SparseOrTables;
            use $crate::crc::tables::{Bytewise, Nibble, Reflected};
            use $crate::kernel::Kernel;
            &[
                $($line,)*
                $(#[cfg(feature = "methods")] $method,)*
                #[cfg(feature = "generic")]
                Kernel::generic::<WithConstants<$name, FoldApart>>("generic"),
                $(#[cfg(feature = "generic")] $generic,)*
                #[cfg(feature = "methods")]
                Kernel::on::<Portable, SparseOrTables<$name, $word>>("sparse").method(),
                #[cfg(feature = "methods")]
                Kernel::on::<Portable, OnTables<$name, Reflected<$word, 16>>>("slicing16")
                    .method(),
                #[cfg(feature = "methods")]
                Kernel::on::<Portable, OnTables<$name, Reflected<$word, 8>>>("slicing8")
                    .historical(),
                #[cfg(feature = "methods")]
                Kernel::on::<Portable, OnTables<$name, Reflected<$word, 4>>>("slicing4")
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
                if $crate::crc::tables::RARE && !$crate::crc::tables::LATE {
                    Kernel::on::<Portable, WithConstants<$name, EightChains>>("portable")
                        .same_as("eight_chains")
                } else if $crate::crc::sparse::FAST {
                    Kernel::on::<Portable, SparseOrTables<$name, $word>>("portable")
                        .same_as("sparse")
                } else {
                    Kernel::on::<Portable, OnTables<$name, Reflected<$word, 16>>>("portable")
                        .same_as("slicing16")
                },
            ]
        };

        $crate::kernel::dispatched!($name, $kernels);
    };
}
pub(super) use compiled_kernels;
