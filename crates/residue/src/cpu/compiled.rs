//! Detection under Miri, which knows no CPUID: the features that the crate was compiled for, of
//! those for which `cargo xtask miri` compiles it.

use super::features::Features;

/// The bits of the features of this architecture.
pub(super) const POSSIBLE: u32 = 0x00ff;

/// Returns the features that this program may use.
pub(super) fn features() -> Features {
    let features = [
        (true, Features::SSE2),
        (cfg!(target_feature = "ssse3"), Features::SSSE3),
        (cfg!(target_feature = "sse4.2"), Features::SSE42),
        (cfg!(target_feature = "pclmulqdq"), Features::PCLMUL),
        (cfg!(all(target_feature = "avx2", target_feature = "bmi2")), Features::AVX2),
        (cfg!(target_feature = "vpclmulqdq"), Features::VPCLMUL),
    ];
    let found = features.iter().filter(|(has, _)| *has);
    found.fold(Features::NONE, |all, (_, feature)| all.union(*feature))
}

/// Returns the name of the profile of the CPU that runs this program.
pub(super) fn profile() -> &'static str {
    "unknown"
}
