//! Scalar loops that stay scalar.

/// Hides a value from the optimiser, so that the loop around it stays scalar.
///
/// It is free on 64-bit architectures with inline assembly; elsewhere the value goes through
/// memory, which takes some cycles.
#[inline(always)]
pub(crate) fn scalar(mut value: u64) -> u64 {
    #[cfg(all(
        any(
            target_arch = "x86_64",
            target_arch = "aarch64",
            target_arch = "riscv64",
            target_arch = "powerpc64",
            target_arch = "s390x"
        ),
        not(miri)
    ))]
    {
        // SAFETY: the assembly is empty: it reads and writes one register and nothing else.
        unsafe {
            core::arch::asm!(
                "/* {0} */",
                inout(reg) value,
                options(pure, nomem, nostack, preserves_flags)
            );
        }
        return value;
    }
    #[allow(unreachable_code)]
    {
        value = core::hint::black_box(value);
        value
    }
}
