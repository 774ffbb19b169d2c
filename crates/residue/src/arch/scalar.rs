//! Scalar loops that stay scalar, words in memory, prefetches, and the layout of code.

/// Whether the compiler loads a word from any address by one instruction. For RISC-V it loads and
/// joins bytes, as CPUs may take a trap for a word across its boundary.
pub(crate) const LOADS_ANYWHERE: bool =
    !cfg!(any(target_arch = "riscv32", target_arch = "riscv64"));

/// Returns the eight bytes as a word, lowest first.
#[inline(always)]
pub(crate) fn word(bytes: &[u8; 8]) -> u64 {
    let at = bytes.as_ptr().cast::<u64>();
    if !LOADS_ANYWHERE && at.is_aligned() {
        // Volatile, as the compiler would make one load of this and the one below.
        // SAFETY: the pointer is aligned, and the reference covers the eight bytes.
        return u64::from_le(unsafe { at.read_volatile() });
    }
    u64::from_le_bytes(*bytes)
}

/// Returns an entry of a table.
///
/// In WebAssembly it is loaded alone, and in the order of the source: the compiler would gather
/// entries into a vector, and a step of slicing would take up to twice as long (docs/kernels.md).
#[inline(always)]
pub(crate) fn entry<W: Copy>(entry: &W) -> W {
    if cfg!(target_arch = "wasm32") {
        // SAFETY: the reference is valid for reads.
        return unsafe { core::ptr::from_ref(entry).read_volatile() };
    }
    *entry
}

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

/// Has the compiler lay out what runs after it behind the code of short data, which then needs no
/// stack frame and fewer jumps.
///
/// At busy times Emerald Rapids takes two cycles for each jump: by this and a shorter way from C,
/// CRC-32 of 8 and 16 bytes takes 0.69 to 0.75 of the time there (2026-11-29,
/// docs/speed/peers.md).
#[cold]
pub(crate) fn laid_out_behind() {}

/// Has the function that calls it begin at a multiple of 64, where the CPU takes instructions in
/// blocks of 64 bytes.
///
/// The directive asks for at most one byte of padding where it stands, and for a section that is
/// aligned so; the compiler puts each function into a section of its own, except for macOS. On
/// Emerald Rapids CRC-32C of 256 bytes takes 6.4 ns in a function that begins so, and 7.8 in one
/// that begins 48 bytes behind such a place (2026-11-30, docs/speed/peers.md).
#[inline(always)]
pub(crate) fn function_in_whole_lines() {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: the assembly is a directive, and at most one byte that does nothing.
    unsafe {
        core::arch::asm!(".p2align 6,,1", options(nomem, nostack, preserves_flags));
    }
}

/// Prefetches the cache line of an address into all caches, on x86-64; elsewhere no gain was
/// measured.
#[inline(always)]
pub(crate) fn prefetch(_at: *const u8) {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse", not(miri)))]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the CPU has SSE, and a prefetch accepts any address: it reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(_at.cast()) }
    }
}
