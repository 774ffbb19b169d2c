//! The only unsafe code that touches instructions: markers that prove a CPU feature, and vector operations on them.
//!
//! # The safety argument
//!
//! An instruction the CPU does not have is undefined behaviour, so its intrinsic may run only where the CPU is known
//! to have it. That knowledge is a value here, a *marker*: a zero-sized type whose only constructor is inside
//! [`Enter`]'s functions, which are `unsafe` to call, with one condition: the CPU has
//! [`Tier::NEEDS`]. [`crate::kernel`] checks that before it calls them. So every method that takes a marker may use
//! the marker's instructions, and can itself be safe.
//!
//! Memory is only read through references to whole vectors (`&[u8; 16]`, `&[u8; 32]`), so no operation reads outside a
//! slice.
//!
//! x86-64 without SSE2 is a target for operating-system kernels, whose code must leave the vector registers alone: it has
//! no vector tiers here.
//!
//! Every function that takes a marker is `#[inline(always)]`: an intrinsic that is not inlined into a function with the
//! same features is an ordinary call, and costs up to 190 times as much.

use crate::batch::Packets;
use crate::cpu::Features;
use crate::kernel::{Batch, Body, Family, State, Value, With};

#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
pub(crate) mod aarch64;
mod clmul;
mod copying;
pub mod counter;
mod packets;
mod portable;
mod sums;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub(crate) mod x86_64;

pub(crate) use clmul::{
    ByteMatrix, CarryLess, CarryLessWide, CrcStep, Head, STREAMED_FROM, lane_head, lane_tail,
};
pub(crate) use copying::{Copying, copy_bytes, uninit};
pub(crate) use packets::PacketSums;
pub(crate) use portable::Portable;
pub(crate) use portable::scalar;
pub(crate) use sums::last_word;
pub(crate) use sums::{Bytes, Unit, Weighted, WordSum, Words};

/// What each tier needs; told on every architecture, so that lists can name kernels of the others.
#[allow(non_upper_case_globals)] // They are the tiers' names.
pub(crate) mod needs {
    use crate::cpu::Features;

    pub(crate) const Sse2: Features = Features::SSE2;
    pub(crate) const Ssse3: Features = Sse2.union(Features::SSSE3);
    pub(crate) const Sse42: Features = Features::SSE42;
    pub(crate) const Pclmul: Features = Features::PCLMUL.union(Features::SSSE3);
    pub(crate) const Sse42Pclmul: Features = Pclmul.union(Sse42);
    pub(crate) const Avx2: Features = Features::AVX2;
    pub(crate) const Avx2Vpclmul: Features = Avx2.union(Sse42Pclmul).union(Features::VPCLMUL);
    pub(crate) const Avx512Vpclmul: Features =
        Avx2Vpclmul.union(Features::GFNI).union(Features::AVX512).union(Features::AVX512_VBMI2);
    pub(crate) const Avx512Vnni: Features =
        Avx2.union(Features::AVX512).union(Features::AVX512_VNNI);
    pub(crate) const Neon: Features = Features::NEON;
    pub(crate) const Crc: Features = Features::CRC;
    pub(crate) const Pmull: Features = Features::NEON.union(Features::PMULL);
    pub(crate) const CrcPmull: Features = Pmull.union(Crc);
    pub(crate) const PmullEor3: Features = Pmull.union(Features::SHA3);
    pub(crate) const CrcPmullEor3: Features = PmullEor3.union(Crc);
}

/// A line of a table of kernels: a body on a tier of x86-64, or elsewhere its name alone; and, where
/// the kernel has them, the bodies that copy and that take batches.
macro_rules! on_x86_64 {
    (
        $tier:ident, $body:ty, $name:literal $(, copy $copy:ty)? $(, batch $batch:ty)? $(,)?
    ) => {{
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        {
            use $crate::arch::x86_64::$tier;
            $crate::kernel::Kernel::on::<$tier, $body>($name)
                $(.copying::<$tier, $copy>())?
                $(.batched::<$tier, $batch>())?
        }
        #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
        {
            $(let _ = core::marker::PhantomData::<$copy>;)?
            $(let _ = core::marker::PhantomData::<$batch>;)?
            $crate::kernel::Kernel::elsewhere::<$body>($name, $crate::arch::needs::$tier)
        }
    }};
}
pub(crate) use on_x86_64;

/// A line of a table of kernels: a body on a tier of aarch64, or elsewhere its name alone; and, where
/// the kernel has them, the bodies that copy and that take batches.
macro_rules! on_aarch64 {
    (
        $tier:ident, $body:ty, $name:literal $(, copy $copy:ty)? $(, batch $batch:ty)? $(,)?
    ) => {{
        #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
        {
            use $crate::arch::aarch64::$tier;
            $crate::kernel::Kernel::on::<$tier, $body>($name)
                $(.copying::<$tier, $copy>())?
                $(.batched::<$tier, $batch>())?
        }
        #[cfg(not(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little")))]
        {
            $(let _ = core::marker::PhantomData::<$copy>;)?
            $(let _ = core::marker::PhantomData::<$batch>;)?
            $crate::kernel::Kernel::elsewhere::<$body>($name, $crate::arch::needs::$tier)
        }
    }};
}
pub(crate) use on_aarch64;

/// A set of CPU features as a type. Holding a value of it proves that the CPU has them.
pub trait Tier: Copy + 'static {
    /// The features.
    const NEEDS: Features;

    /// Runs a body out of line, for the long path of a composed kernel: its short path then needs no stack frame.
    #[allow(private_bounds, private_interfaces)]
    fn outline<B: Body<Self>>(
        self,
        with: &With<B, Self>,
        state: State<B, Self>,
        data: &[u8],
    ) -> State<B, Self>;
}

/// A tier with its entries, the functions that kernels are.
pub trait Enter: Tier {
    /// Runs a body with the features switched on.
    ///
    /// # Safety
    /// The CPU must have [`Tier::NEEDS`].
    #[allow(private_bounds, private_interfaces)]
    unsafe fn enter<B: Body<Self>>(
        with: &With<B, Self>,
        state: State<B, Self>,
        data: &[u8],
    ) -> State<B, Self>;

    /// Runs a body with the features switched on, from first byte to finished value.
    ///
    /// # Safety
    /// The CPU must have [`Tier::NEEDS`].
    #[allow(private_bounds, private_interfaces)]
    unsafe fn enter_oneshot<B: Body<Self>>(with: &With<B, Self>, data: &[u8]) -> Value<B, Self>;

    /// Runs a body with the features switched on, and stores whatever of `data` it loads at the
    /// same place of `to`.
    ///
    /// # Safety
    /// The CPU must have [`Tier::NEEDS`]. `to` must be valid for writes of `data.len()` bytes and
    /// must not overlap `data`.
    #[allow(private_bounds, private_interfaces)]
    unsafe fn enter_copying<B: Body<Copying<Self>>>(
        with: &With<B, Copying<Self>>,
        state: State<B, Copying<Self>>,
        data: &[u8],
        to: *mut u8,
    ) -> State<B, Copying<Self>>;

    /// Computes the values of many packets with the features switched on.
    ///
    /// # Safety
    /// The CPU must have [`Tier::NEEDS`].
    #[allow(private_bounds, private_interfaces)]
    unsafe fn enter_batch<B: Batch<Self>>(
        with: &<B::Family as Family>::With,
        packets: Packets<'_>,
        values: &mut [<B::Family as Family>::Value],
    );
}

/// Declares a marker and its entries.
macro_rules! tier {
    ($(#[$doc:meta])* $name:ident, $needs:expr $(, $features:literal)?) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $name(());

        impl crate::arch::Tier for $name {
            const NEEDS: crate::cpu::Features = $needs;

            #[allow(private_bounds, private_interfaces)]
            #[inline(always)]
            fn outline<B: crate::kernel::Body<Self>>(
                self,
                with: &crate::kernel::With<B, Self>,
                state: crate::kernel::State<B, Self>,
                data: &[u8],
            ) -> crate::kernel::State<B, Self> {
                // SAFETY: `self` exists, so the CPU has `NEEDS`.
                unsafe { <Self as crate::arch::Enter>::enter::<B>(with, state, data) }
            }
        }

        impl crate::arch::Enter for $name {
            // Called through a pointer, or by `outline`, which asks for a call.
            #[inline(never)]
            #[allow(private_bounds, private_interfaces)]
            $(#[target_feature(enable = $features)])?
            unsafe fn enter<B: crate::kernel::Body<Self>>(
                with: &crate::kernel::With<B, Self>,
                state: crate::kernel::State<B, Self>,
                data: &[u8],
            ) -> crate::kernel::State<B, Self> {
                B::run($name(()), with, state, data)
            }

            #[allow(private_bounds, private_interfaces)]
            $(#[target_feature(enable = $features)])?
            unsafe fn enter_oneshot<B: crate::kernel::Body<Self>>(
                with: &crate::kernel::With<B, Self>,
                data: &[u8],
            ) -> crate::kernel::Value<B, Self> {
                use crate::kernel::Family;
                let state = B::run($name(()), with, B::Family::start(with), data);
                B::Family::finish(with, state)
            }

            #[inline(never)]
            #[allow(private_bounds, private_interfaces)]
            $(#[target_feature(enable = $features)])?
            unsafe fn enter_copying<B: crate::kernel::Body<crate::arch::Copying<Self>>>(
                with: &crate::kernel::With<B, crate::arch::Copying<Self>>,
                state: crate::kernel::State<B, crate::arch::Copying<Self>>,
                data: &[u8],
                to: *mut u8,
            ) -> crate::kernel::State<B, crate::arch::Copying<Self>> {
                // SAFETY: the caller's promise.
                let tier = unsafe { crate::arch::Copying::new($name(()), data, to) };
                B::run(tier, with, state, data)
            }

            #[allow(private_bounds, private_interfaces)]
            $(#[target_feature(enable = $features)])?
            unsafe fn enter_batch<B: crate::kernel::Batch<Self>>(
                with: &<B::Family as crate::kernel::Family>::With,
                packets: crate::batch::Packets<'_>,
                values: &mut [<B::Family as crate::kernel::Family>::Value],
            ) {
                B::run($name(()), with, packets, values)
            }
        }
    };
}
pub(crate) use tier;
