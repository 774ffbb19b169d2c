//! Detection on z/Architecture: by the operating system, or, without `std`, by the compiler's
//! target.

use super::features::Features;

/// The bits of the features of this architecture.
pub(super) const POSSIBLE: u32 = Features::VECTOR.0;

/// Returns the features of the CPU that runs this program.
pub(super) fn features() -> Features {
    #[cfg(feature = "std")]
    let has_vectors = cfg!(target_feature = "vector") || names_vectors(&auxiliary_vector());
    #[cfg(not(feature = "std"))]
    let has_vectors = cfg!(target_feature = "vector");
    if has_vectors { Features::VECTOR } else { Features::NONE }
}

/// Returns the auxiliary vector (`man 3 getauxval`); empty if it cannot be read. The macro of `std`
/// that asks for vectors needs a newer compiler than this crate.
#[cfg(feature = "std")]
fn auxiliary_vector() -> std::vec::Vec<u8> {
    std::fs::read("/proc/self/auxv").unwrap_or_default()
}

/// Returns whether an auxiliary vector names the vector facility: the CPU has it, and the operating
/// system saves its registers.
#[cfg(feature = "std")]
fn names_vectors(vector: &[u8]) -> bool {
    /// Capabilities of the hardware (Linux, `include/uapi/linux/auxvec.h`), and the bit of vectors
    /// among them (`arch/s390/include/asm/elf.h`).
    const AT_HWCAP: u64 = 16;
    const VECTORS: u64 = 1 << 11;
    let (words, _) = vector.as_chunks::<8>();
    let (entries, _) = words.as_chunks::<2>();
    entries.iter().any(|&[kind, value]| {
        u64::from_be_bytes(kind) == AT_HWCAP && u64::from_be_bytes(value) & VECTORS != 0
    })
}

/// Returns the name of the profile of the CPU that runs this program: no CPU was measured.
pub(super) fn profile() -> &'static str {
    "unknown"
}
