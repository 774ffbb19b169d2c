//! The instructions by which an x86-64 CPU describes itself.

use core::arch::asm;
use core::arch::x86_64::{__cpuid_count, CpuidResult};

/// Returns a leaf of CPUID.
#[allow(unused_unsafe)] // The intrinsic is safe from Rust 1.94 on.
pub(crate) fn cpuid(leaf: u32, subleaf: u32) -> CpuidResult {
    // SAFETY: all x86-64 CPUs have the instruction, and it changes nothing but its results.
    unsafe { __cpuid_count(leaf, subleaf) }
}

/// Returns XCR0: the registers that the operating system saves.
///
/// Bits 1 and 2: ymm; 5, 6 and 7: zmm. Zero without XGETBV.
pub(crate) fn saved_state() -> u64 {
    let osxsave = cpuid(1, 0).ecx >> 27 & 1 == 1;
    if !osxsave {
        return 0;
    }
    let (low, high): (u32, u32);
    // SAFETY: OSXSAVE means that the CPU has XGETBV and the operating system has enabled it;
    // register 0 always exists. It reads ecx and writes the two outputs, nothing else.
    unsafe {
        asm!(
            "xgetbv",
            in("ecx") 0, out("eax") low, out("edx") high,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    u64::from(high) << 32 | u64::from(low)
}
