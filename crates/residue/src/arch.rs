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

use crate::cpu::Features;
use crate::kernel::task::{Input, Output, Perform};
use crate::kernel::{Body, State, Value, With};

#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
pub(crate) mod aarch64;
mod batch;
mod copying;
pub mod counter;
mod crc;
mod portable;
mod sums;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub(crate) mod x86_64;

pub(crate) use batch::PacketSums;
pub(crate) use copying::{Copying, copy_bytes, uninit};
pub(crate) use crc::{
    ByteMatrix, CarryLess, CarryLessWide, CrcStep, Head, STREAMED_FROM, lane_head, lane_tail,
};
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

/// A line of a table of kernels: a body on a tier of x86-64, or elsewhere its name alone.
macro_rules! on_x86_64 {
    ($tier:ident, $body:ty, $name:literal) => {{
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        {
            $crate::kernel::Kernel::on::<$crate::arch::x86_64::$tier, $body>($name)
        }
        #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
        {
            $crate::kernel::Kernel::elsewhere::<$body>($name, $crate::arch::needs::$tier)
        }
    }};
}
pub(crate) use on_x86_64;

/// A line of a table of copying kernels: a body on a tier of x86-64, nothing elsewhere.
macro_rules! copy_on_x86_64 {
    ($tier:ident, $body:ty) => {{
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        {
            Some($crate::kernel::CopyKernel::on::<$crate::arch::x86_64::$tier, $body>())
        }
        #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
        {
            let _ = core::marker::PhantomData::<$body>;
            None
        }
    }};
}
pub(crate) use copy_on_x86_64;

/// A line of a table of kernels, for aarch64.
macro_rules! on_aarch64 {
    ($tier:ident, $body:ty, $name:literal) => {{
        #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
        {
            $crate::kernel::Kernel::on::<$crate::arch::aarch64::$tier, $body>($name)
        }
        #[cfg(not(all(
            target_arch = "aarch64",
            target_feature = "neon",
            target_endian = "little"
        )))]
        {
            $crate::kernel::Kernel::elsewhere::<$body>($name, $crate::arch::needs::$tier)
        }
    }};
}
pub(crate) use on_aarch64;

/// A line of a table of copying kernels, for aarch64.
macro_rules! copy_on_aarch64 {
    ($tier:ident, $body:ty) => {{
        #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
        {
            Some($crate::kernel::CopyKernel::on::<$crate::arch::aarch64::$tier, $body>())
        }
        #[cfg(not(all(
            target_arch = "aarch64",
            target_feature = "neon",
            target_endian = "little"
        )))]
        {
            let _ = core::marker::PhantomData::<$body>;
            None
        }
    }};
}
pub(crate) use copy_on_aarch64;

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
    /// The CPU has [`Tier::NEEDS`].
    #[allow(private_bounds, private_interfaces)]
    unsafe fn enter<B: Body<Self>>(
        with: &With<B, Self>,
        state: State<B, Self>,
        data: &[u8],
    ) -> State<B, Self>;

    /// The same from first byte to finished value.
    ///
    /// # Safety
    /// The CPU has [`Tier::NEEDS`].
    #[allow(private_bounds, private_interfaces)]
    unsafe fn enter_whole<B: Body<Self>>(with: &With<B, Self>, data: &[u8]) -> Value<B, Self>;

    /// The same as [`Enter::enter`], and whatever of `data` the body loads is stored from `to` on.
    ///
    /// # Safety
    /// The CPU has [`Tier::NEEDS`]; as many bytes as `data` has may be written from `to` on, and do not overlap it.
    #[allow(private_bounds, private_interfaces)]
    unsafe fn enter_copying<B: Body<Copying<Self>>>(
        with: &With<B, Copying<Self>>,
        state: State<B, Copying<Self>>,
        data: &[u8],
        to: *mut u8,
    ) -> State<B, Copying<Self>>;

    /// Does a task with the features switched on.
    ///
    /// # Safety
    /// The CPU has [`Tier::NEEDS`].
    #[allow(private_bounds, private_interfaces)]
    unsafe fn perform<P: Perform<Self>>(input: Input<'_, P, Self>) -> Output<P, Self>;
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
            // Called by pointer, and by `outline`, which means it.
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
            unsafe fn enter_whole<B: crate::kernel::Body<Self>>(
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
            unsafe fn perform<P: crate::kernel::task::Perform<Self>>(
                input: crate::kernel::task::Input<'_, P, Self>,
            ) -> crate::kernel::task::Output<P, Self> {
                P::perform($name(()), input)
            }
        }
    };
}
pub(crate) use tier;
