//! Lines of kernel tables: a body on a tier of one architecture, and on the others its name alone.

/// Makes a line of a kernel table, or on targets where the architecture is not `$present` its name
/// alone.
macro_rules! line {
    (
        $arch:ident $present:ident;
        $tier:ident, $body:ty, $name:literal
        $(, copy $copy:ty)? $(, copy_on $from:ident $copy_from:ty)? $(, batch $on:ident $batch:ty)?
        $(,)?
    ) => {
        $crate::arch::$arch::$present!({
            $crate::kernel::Kernel::on::<$crate::arch::$arch::$tier, $body>($name)
                $(.copying::<$crate::arch::$arch::$tier, $copy>())?
                $(.copying::<$crate::arch::$arch::$from, $copy_from>())?
                $(.batched::<$crate::arch::$arch::$on, $batch>())?
        } else {{
            $(let _ = core::marker::PhantomData::<$copy>;)?
            $(let _ = core::marker::PhantomData::<$copy_from>;)?
            $(let _ = core::marker::PhantomData::<$batch>;)?
            $crate::kernel::Kernel::unavailable::<$body>($name, $crate::arch::needs::$tier)
        }})
    };
}
pub(crate) use line;

/// Makes a line of a kernel table: a body on a tier of x86-64, or on other architectures its name
/// alone.
///
/// Bodies that copy and that take batches follow, if the kernel has them, the latter with its tier:
/// one of fewer features, if these do not make batches faster. `copy_on` is `copy` with its tier.
macro_rules! on_x86_64 {
    // The tiers of 64-byte vectors are a feature of this crate.
    (Avx512Vpclmul, $($line:tt)*) => {
        $crate::kernel::line!(x86_64 present_512; Avx512Vpclmul, $($line)*)
    };
    (Avx512Vnni, $($line:tt)*) => {
        $crate::kernel::line!(x86_64 present_512; Avx512Vnni, $($line)*)
    };
    ($($line:tt)*) => { $crate::kernel::line!(x86_64 present; $($line)*) };
}
pub(crate) use on_x86_64;

/// Makes a line of a kernel table: a body on a tier of aarch64, or on other architectures its name
/// alone.
///
/// Bodies that copy and that take batches follow, if the kernel has them.
macro_rules! on_aarch64 {
    ($($line:tt)*) => { $crate::kernel::line!(aarch64 present; $($line)*) };
}
pub(crate) use on_aarch64;

/// Makes a line of a kernel table for 64-bit RISC-V, as `on_aarch64!` does for aarch64.
macro_rules! on_riscv64 {
    ($($line:tt)*) => { $crate::kernel::line!(riscv64 present; $($line)*) };
}
pub(crate) use on_riscv64;

/// Makes a line of a kernel table for z/Architecture, as `on_aarch64!` does for aarch64.
macro_rules! on_s390x {
    ($($line:tt)*) => { $crate::kernel::line!(s390x present; $($line)*) };
}
pub(crate) use on_s390x;
