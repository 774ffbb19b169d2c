//! Lines of kernel tables: a body on a tier of one architecture, and on the others its name alone.

/// Makes a line of a kernel table: a body on a tier of x86-64, or on other architectures its name
/// alone.
///
/// Bodies that copy and that take batches follow, if the kernel has them, the latter with its tier:
/// one of fewer features, if these do not make batches faster.
macro_rules! on_x86_64 {
    // The tiers of 64-byte vectors are a feature of this crate.
    (Avx512Vpclmul, $($line:tt)*) => {
        $crate::kernel::on_x86_64!(
            @ all(target_arch = "x86_64", target_feature = "sse2", feature = "avx512"), on;
            Avx512Vpclmul, $($line)*
        )
    };
    (Avx512Vnni, $($line:tt)*) => {
        $crate::kernel::on_x86_64!(
            @ all(target_arch = "x86_64", target_feature = "sse2", feature = "avx512"), on;
            Avx512Vnni, $($line)*
        )
    };
    // CPUs without AVX2 are rare.
    (Sse2, $($line:tt)*) => {
        $crate::kernel::on_x86_64!(
            @ all(target_arch = "x86_64", target_feature = "sse2"), small;
            Sse2, $($line)*
        )
    };
    (Ssse3, $($line:tt)*) => {
        $crate::kernel::on_x86_64!(
            @ all(target_arch = "x86_64", target_feature = "sse2"), small;
            Ssse3, $($line)*
        )
    };
    (
        @ $has:meta, $make:ident;
        $tier:ident, $body:ty, $name:literal
        $(, copy $copy:ty)? $(, batch $on:ident $batch:ty)? $(,)?
    ) => {{
        #[cfg($has)]
        {
            use $crate::arch::x86_64::$tier;
            $crate::kernel::Kernel::$make::<$tier, $body>($name)
                $(.copying::<$tier, $copy>())?
                $(.batched::<$crate::arch::x86_64::$on, $batch>())?
        }
        #[cfg(not($has))]
        {
            $(let _ = core::marker::PhantomData::<$copy>;)?
            $(let _ = core::marker::PhantomData::<$batch>;)?
            $crate::kernel::Kernel::unavailable::<$body>($name, $crate::arch::needs::$tier)
        }
    }};
    ($($line:tt)*) => {
        $crate::kernel::on_x86_64!(
            @ all(target_arch = "x86_64", target_feature = "sse2"), on;
            $($line)*
        )
    };
}
pub(crate) use on_x86_64;

/// Makes a line of a kernel table: a body on a tier of aarch64, or on other architectures its name
/// alone.
///
/// Bodies that copy and that take batches follow, if the kernel has them.
macro_rules! on_aarch64 {
    (
        $tier:ident, $body:ty, $name:literal
        $(, copy $copy:ty)? $(, batch $on:ident $batch:ty)? $(,)?
    ) => {{
        #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
        {
            use $crate::arch::aarch64::$tier;
            $crate::kernel::Kernel::on::<$tier, $body>($name)
                $(.copying::<$tier, $copy>())?
                $(.batched::<$crate::arch::aarch64::$on, $batch>())?
        }
        #[cfg(not(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little")))]
        {
            $(let _ = core::marker::PhantomData::<$copy>;)?
            $(let _ = core::marker::PhantomData::<$batch>;)?
            $crate::kernel::Kernel::unavailable::<$body>($name, $crate::arch::needs::$tier)
        }
    }};
}
pub(crate) use on_aarch64;
