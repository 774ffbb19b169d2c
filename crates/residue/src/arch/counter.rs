//! The CPU's own clock, for benchmarks: a safe read of the cycle or timer register.

/// The name of the register that [`ticks`] reads, or `Instant` where the crate has none for this
/// architecture.
pub const NAME: &str = if cfg!(miri) {
    "Instant"
} else if cfg!(any(target_arch = "x86_64", all(target_arch = "x86", target_feature = "sse2"))) {
    "rdtsc"
} else if cfg!(target_arch = "aarch64") {
    "cntvct_el0"
} else if cfg!(target_arch = "powerpc64") {
    "mftb"
} else {
    "Instant"
};

/// Returns the counter in its own ticks, after all earlier instructions have finished and before
/// any later one starts.
///
/// Returns `None` where [`NAME`] is `Instant`: this crate has no clock of its own there.
#[inline(always)]
#[must_use]
pub fn ticks() -> Option<u64> {
    #[cfg(all(
        any(target_arch = "x86_64", all(target_arch = "x86", target_feature = "sse2")),
        not(miri)
    ))]
    {
        let (low, high): (u32, u32);
        // SAFETY: both instructions are part of every CPU with SSE2 and change nothing but the two
        // registers. LFENCE waits for earlier instructions and holds later ones, so the measured
        // code is between the two reads.
        unsafe {
            core::arch::asm!(
                "lfence", "rdtsc", "lfence",
                out("eax") low, out("edx") high,
                options(nostack, preserves_flags),
            );
        }
        Some(u64::from(high) << 32 | u64::from(low))
    }
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    {
        let now: u64;
        // SAFETY: reads a timer register that user code may read on every operating system with
        // run-time detection; ISB is a barrier.
        unsafe {
            core::arch::asm!("isb", "mrs {}, cntvct_el0", "isb", out(reg) now, options(nostack));
        }
        Some(now)
    }
    #[cfg(all(target_arch = "powerpc64", not(miri)))]
    {
        let now: u64;
        // SAFETY: reads the time base, a user register since the first POWER; ISYNC is a barrier.
        unsafe {
            core::arch::asm!("isync", "mftb {}", "isync", out(reg) now, options(nostack));
        }
        Some(now)
    }
    #[cfg(any(
        miri,
        not(any(
            target_arch = "x86_64",
            all(target_arch = "x86", target_feature = "sse2"),
            target_arch = "aarch64",
            target_arch = "powerpc64"
        ))
    ))]
    {
        None
    }
}

/// Spins for `n` dependent additions, to calibrate the counter's ticks to core cycles.
///
/// Each takes one core cycle on every CPU of the last decades. (On 32-bit architectures, and those
/// without inline assembly, an addition goes through memory and takes several.)
pub fn spin(n: u64) -> u64 {
    // Added from a register, because some CPUs add a small constant for free while renaming.
    let (mut x, one) = (n, super::scalar(1));
    for _ in 0..n / 16 {
        // Sixteen dependent additions, each hidden from the optimiser so that they stay sixteen.
        for _ in 0..16 {
            x = super::scalar(x.wrapping_add(one));
        }
    }
    x
}

/// Spins for `n` dependent 64-bit multiplications, to check the additions of [`spin`].
///
/// No core does a product while renaming. Each takes three core cycles on x86-64 since 2009 (four
/// on the first Zen), two to five elsewhere.
pub fn spin_products(n: u64) -> u64 {
    // Odd, so that the product never becomes zero.
    let (mut x, factor) = (n | 1, super::scalar(0x9e37_79b9_7f4a_7c15));
    for _ in 0..n / 16 {
        for _ in 0..16 {
            x = super::scalar(x.wrapping_mul(factor));
        }
    }
    x
}
