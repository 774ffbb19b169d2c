//! The only unsafe code that touches instructions: markers that prove CPU features, and their
//! vector operations.
//!
//! A file for each instruction set, and one for each trait of operations. This folder uses `body`
//! and `cpu`, and knows no code.
//!
//! # The safety argument
//!
//! An instruction the CPU does not have is undefined behaviour, so its intrinsic may run only where
//! the CPU is known to have it. A value represents that knowledge: a *marker*, a zero-sized type
//! whose only constructor is inside [`Enter`](crate::body::Enter)'s functions. They are `unsafe` to
//! call, with one condition: the CPU has [`Tier::NEEDS`](crate::body::Tier::NEEDS).
//! [`crate::kernel`] checks that before it calls them. Every method that takes a marker may
//! therefore use the marker's instructions, and can itself be safe.
//!
//! Memory is only read through references to whole vectors (`&[u8; 16]`, `&[u8; 32]`), so no
//! operation reads outside a slice.
//!
//! x86-64 without SSE2 is a target for operating-system kernels, whose code must leave the vector
//! registers alone: it has no vector tiers here.
//!
//! Every function that takes a marker is `#[inline(always)]`: an intrinsic that is not inlined into
//! a function with the same features is an ordinary call, and costs up to 190 times as much.

mod clmul;
mod copying;
#[cfg(feature = "internals")]
pub mod counter;
mod crc32;
mod packets;
mod portable;
mod scalar;
mod sums;

pub(crate) use clmul::{
    ALIGNED_FROM, ByteMatrix, CarryLess, CarryLessMasked, CarryLessWide, Head, STREAM_BYTES,
    STREAMS_FROM, aligns, in_order, in_two_streams, lane_head, lane_tail, streamed, tail_bytes,
    with_ahead,
};
pub(crate) use copying::{Copying, bytes_of, copy_bytes, uninit};
pub(crate) use crc32::{Castagnoli, CrcStep, Ethernet, Polynomial};
pub(crate) use packets::PacketSums;
pub(crate) use portable::Portable;
pub(crate) use scalar::{
    LOADS_ANYWHERE, entry, function_in_whole_lines, laid_out_behind, prefetch, scalar, word,
};
pub(crate) use sums::last_word;
pub(crate) use sums::{Bytes, Load, Unit, Weighted, WordSum, Words, corrected32};

/// Passes the tiers of x86-64 to a macro: a description of each, and the instructions it may use,
/// by the compiler's names.
///
/// This is their only list: a tier's [`Tier::NEEDS`] follow from it.
macro_rules! x86_64_tiers {
    ($macro:ident) => {
        $macro! {
            /// The x86-64 baseline.
            sse2::Sse2: "sse2";
            /// Byte shuffles and multiply-adds of bytes.
            ssse3::Ssse3: "sse2" "ssse3";
            /// The CRC-32C instruction.
            sse42::Sse42: "sse4.2";
            /// Carry-less products, with the byte shuffles of SSSE3.
            pclmul::Pclmul: "ssse3" "pclmulqdq";
            /// The CRC-32C instruction beside carry-less products.
            sse42_pclmul::Sse42Pclmul: "ssse3" "sse4.2" "pclmulqdq";
            /// 32-byte integer vectors.
            avx2::Avx2: "avx2" "bmi2";
            /// 32-byte integer vectors beside carry-less products of 16 bytes.
            avx2_pclmul::Avx2Pclmul: "avx2" "bmi2" "ssse3" "pclmulqdq";
            /// Carry-less products of two lanes at once.
            avx2_vpclmul::Avx2Vpclmul: "avx2" "bmi2" "ssse3" "sse4.2" "pclmulqdq" "vpclmulqdq";
            /// Carry-less products of four lanes at once, bit-matrix products, and moves of bytes
            /// by a mask.
            avx512_vpclmul::Avx512Vpclmul: "avx2" "bmi2" "ssse3" "sse4.2" "pclmulqdq" "vpclmulqdq"
                "gfni" "avx512f" "avx512bw" "avx512dq" "avx512vl" "avx512vbmi" "avx512vbmi2";
            /// Dot products in 64-byte vectors.
            avx512_vnni::Avx512Vnni: "avx2" "bmi2" "avx512f" "avx512bw" "avx512dq"
                "avx512vl" "avx512vnni";
            /// Dot products in 32-byte vectors.
            avx512_vnni_32::Avx512Vnni32: "avx2" "bmi2" "avx512f" "avx512bw" "avx512dq"
                "avx512vl" "avx512vnni";
        }
    };
}

/// Passes the tiers of aarch64 to a macro, as `x86_64_tiers` does for x86-64.
macro_rules! aarch64_tiers {
    ($macro:ident) => {
        $macro! {
            /// 16-byte vectors, the baseline.
            neon::Neon: "neon";
            /// The instructions for CRC-32C and CRC-32.
            crc::Crc: "crc";
            /// Carry-less products.
            pmull::Pmull: "neon" "aes";
            /// The CRC instructions beside carry-less products.
            crc_pmull::CrcPmull: "neon" "aes" "crc";
            /// Carry-less products beside an exclusive or of three.
            pmull_eor3::PmullEor3: "neon" "aes" "sha3";
            /// The CRC instructions beside carry-less products and an exclusive or of three.
            crc_pmull_eor3::CrcPmullEor3: "neon" "aes" "sha3" "crc";
        }
    };
}

/// Passes the tiers of 64-bit RISC-V to a macro, as `x86_64_tiers` does for x86-64.
macro_rules! riscv64_tiers {
    ($macro:ident) => {
        $macro! {
            /// Carry-less products of 64-bit words, in scalar registers.
            zbc::Zbc: "zbc";
        }
    };
}

/// Passes the tiers of z/Architecture to a macro, as `x86_64_tiers` does for x86-64.
macro_rules! s390x_tiers {
    ($macro:ident) => {
        $macro! {
            /// Sums of carry-less products of 64-bit words, in vector registers.
            vector::Vector: unnamed "vector";
        }
    };
}

/// Declares the module of an architecture where the target is one, else `absent` by its name.
macro_rules! architectures {
    ($($name:ident: $target:meta;)*) => {$(
        #[cfg($target)]
        pub(crate) mod $name;
        #[cfg(not($target))]
        pub(crate) use absent as $name;
    )*};
}

// They use the macros above.
pub(crate) mod absent;
architectures! {
    aarch64: all(target_arch = "aarch64", target_feature = "neon", target_endian = "little");
    riscv64: target_arch = "riscv64";
    s390x: all(target_arch = "s390x", not(target_abi = "softfloat"));
    x86_64: all(target_arch = "x86_64", target_feature = "sse2");
}

/// CPU features per tier. Defined on all architectures so that kernel lists can include foreign
/// ones.
// The constants are named like the tiers, and only those of other architectures are used.
#[allow(non_upper_case_globals, dead_code)]
pub(crate) mod needs {
    use crate::cpu::Features;

    macro_rules! needs {
        ($(
            $(#[$doc:meta])*
            $module:ident::$name:ident: $($feature:literal)* $(unnamed $other:literal)?;
        )*) => {$(
            $(#[$doc])*
            pub(crate) const $name: Features = Features::of(&[$($feature,)* $($other)?]);
        )*};
    }
    x86_64_tiers!(needs);
    aarch64_tiers!(needs);
    riscv64_tiers!(needs);
    s390x_tiers!(needs);
}

/// Declares markers and their entries from the features that each proves. An `unnamed` one is known
/// to the assembler, but not to the oldest compiler, which therefore does not enable it.
///
/// Each is in a module of its own: the compiler works on modules in parallel, and all kernels of a
/// tier are code of the marker's module.
macro_rules! tiers {
    ($(
        $(#[$doc:meta])*
        $module:ident::$name:ident: $($feature:literal)* $(unnamed $other:literal)?;
    )*) => {$(
        pub(crate) mod $module {
            $(#[$doc])*
            #[derive(Clone, Copy)]
            pub(crate) struct $name(());

            impl $name {
                /// Makes the marker from one that proves these features, and others.
                #[allow(dead_code)]
                #[inline(always)]
                pub(crate) fn within<T: crate::body::Tier>(_: T) -> $name {
                    const {
                        use crate::body::Tier;
                        assert!(T::NEEDS.contains($name::NEEDS));
                    }
                    $name(())
                }
            }

            impl crate::body::Tier for $name {
                const NEEDS: crate::cpu::Features =
                    crate::cpu::Features::of(&[$($feature,)* $($other)?]);

                #[allow(private_bounds, private_interfaces)]
                #[inline(always)]
                fn outline<B: crate::body::Body<Self>>(
                    self,
                    context: &crate::body::Context<B, Self>,
                    state: crate::body::State<B, Self>,
                    data: &[u8],
                ) -> crate::body::State<B, Self> {
                    /// Calls the entry by a jump.
                    ///
                    /// The compiler ignores `inline(never)` on functions with `target_feature`
                    /// (Rust 1.95), and would inline one that has a single caller. Into this
                    /// function, which has no features, it cannot inline the entry.
                    ///
                    /// It is cold: calls are laid out behind the code of short data, which then
                    /// takes fewer jumps.
                    ///
                    /// # Safety
                    /// The CPU must have [`Tier::NEEDS`](crate::body::Tier::NEEDS).
                    #[cold]
                    #[inline(never)]
                    unsafe fn apart<B: crate::body::Body<$name>>(
                        state: crate::body::State<B, $name>,
                        data: &[u8],
                        context: &crate::body::Context<B, $name>,
                    ) -> crate::body::State<B, $name> {
                        // SAFETY: the caller ensures that the CPU has `NEEDS`.
                        unsafe { <$name as crate::body::Enter>::enter::<B>(state, data, context) }
                    }
                    // SAFETY: `self` exists, so the CPU has `NEEDS`.
                    unsafe { apart::<B>(state, data, context) }
                }
            }

            impl crate::body::Enter for $name {
                type Copying = crate::arch::Copying<$name>;

                // Called through a pointer, or by `outline`, which requires a call.
                #[inline(never)]
                #[allow(private_bounds, private_interfaces)]
                $(#[target_feature(enable = $feature)])*
                unsafe fn enter<B: crate::body::Body<Self>>(
                    state: crate::body::State<B, Self>,
                    data: &[u8],
                    context: &crate::body::Context<B, Self>,
                ) -> crate::body::State<B, Self> {
                    crate::arch::function_in_whole_lines();
                    B::run($name(()), context, state, data)
                }

                #[allow(private_bounds, private_interfaces)]
                $(#[target_feature(enable = $feature)])*
                unsafe fn enter_oneshot<B: crate::body::Body<Self>>(
                    data: &[u8],
                    context: &crate::body::Context<B, Self>,
                ) -> crate::body::Value<B, Self> {
                    use crate::body::Family;
                    crate::arch::function_in_whole_lines();
                    let state = B::run($name(()), context, B::Family::start(context), data);
                    B::Family::finish(context, state)
                }

                #[inline(never)]
                #[allow(private_bounds, private_interfaces)]
                $(#[target_feature(enable = $feature)])*
                unsafe fn enter_copying<B: crate::body::Body<crate::arch::Copying<Self>>>(
                    context: &crate::body::Context<B, crate::arch::Copying<Self>>,
                    state: crate::body::State<B, crate::arch::Copying<Self>>,
                    data: &[u8],
                    to: *mut u8,
                ) -> crate::body::State<B, crate::arch::Copying<Self>> {
                    // SAFETY: the caller ensures the conditions of this function, which are those
                    // of `new`.
                    let tier = unsafe { crate::arch::Copying::new($name(()), data, to) };
                    B::run(tier, context, state, data)
                }

                #[allow(private_bounds, private_interfaces)]
                $(#[target_feature(enable = $feature)])*
                unsafe fn enter_batch<B: crate::body::Batch<Self>>(
                    context: &<B::Family as crate::body::Family>::Context,
                    packets: crate::body::Packets<'_>,
                    values: &mut [<B::Family as crate::body::Family>::Value],
                ) {
                    B::run($name(()), context, packets, values)
                }
            }
        }
        pub(crate) use $module::$name;
    )*};
}
pub(crate) use tiers;

/// Defines methods whose body is one `unsafe` expression of intrinsics that the marker proves.
macro_rules! ops {
    ($($(#[$attr:meta])* fn $name:ident($this:ident $(: $proof:ty)? $(, $arg:ident: $ty:ty)*)
        -> $ret:ty { $($body:tt)* })*) => {
        $($(#[$attr])* #[inline(always)]
        fn $name($this $(: $proof)? $(, $arg: $ty)*) -> $ret {
            // SAFETY: the marker exists, so the CPU has the features of its tier, which the
            // intrinsics below need; memory is read only through the reference, which covers the
            // bytes of the load.
            unsafe { $($body)* }
        })*
    };
}
#[allow(unused_imports)] // Some targets have no such markers.
pub(crate) use ops;

/// Defines the vectors of a tier, for [`Load`](sums::Load): their type, their bytes, whether loads
/// have masks, the vector of zeros, and how a block is loaded.
#[allow(unused_macros)]
macro_rules! vectors {
    ($vector:ty, $bytes:literal, $masks:literal; $null:expr; |$block:ident| $load:expr) => {
        type V = $vector;
        type Block = [u8; $bytes];
        const BYTES: usize = $bytes;
        const MASKS: bool = $masks;

        #[inline(always)]
        fn blocks(self, data: &[u8]) -> (&[[u8; $bytes]], &[u8]) {
            data.as_chunks()
        }

        crate::arch::ops! {
            fn null(self) -> $vector { $null }
            fn load(self, $block: &[u8; $bytes]) -> $vector { $load }
        }
    };
}
#[allow(unused_imports)]
pub(crate) use vectors;
