//! Detection on 64-bit RISC-V: by the operating system, or, without `std`, by the compiler's
//! target.

use super::features::Features;

/// The bits of the features of this architecture.
pub(super) const POSSIBLE: u32 = Features::ZBC.0;

/// Returns the features of the CPU that runs this program.
pub(super) fn features() -> Features {
    #[cfg(feature = "std")]
    let zbc = std::arch::is_riscv_feature_detected!("zbc");
    #[cfg(not(feature = "std"))]
    let zbc = cfg!(target_feature = "zbc");
    if zbc { Features::ZBC } else { Features::NONE }
}

/// Returns the name of the profile of the CPU that runs this program: no CPU was measured.
pub(super) fn profile() -> &'static str {
    "unknown"
}
